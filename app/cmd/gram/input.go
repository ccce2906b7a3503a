package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"

	"github.com/gramworks/gram/app/internal/par"
	"github.com/gramworks/gram/bench"
	"github.com/gramworks/gram/modelfile"
	"github.com/gramworks/gram/num"
	"github.com/gramworks/gram/store"
)

// standardInput is the path that stands for standard input, and on the side of the
// output for standard output.
const standardInput = "-"

// spool copies what can be read only once to a temporary file, since data are read more
// than once: standard input if --data is -, pipes and devices. done removes the file.
func (d *dataFlags) spool(ctx context.Context, in io.Reader) (done func(), err error) {
	path, name := d.path, "standard input"
	if path != standardInput {
		info, err := os.Stat(path)
		if err != nil || info.IsDir() || info.Mode().IsRegular() {
			return func() {}, nil // a file, or reading will say what is wrong
		}
		name = path
	}
	copied, done, err := modelfile.TempFile("gram-input")
	if err != nil {
		return nil, err
	}
	_, err = par.Await(ctx, func() (int64, error) { // when ctx is done, the copy ends with the process
		if path != standardInput {
			f, err := os.Open(path)
			if err != nil {
				return 0, err
			}
			defer f.Close()
			in = f
		}
		return copyWithin(copied, in, name, bench.FreeDisk(filepath.Dir(copied)))
	})
	if err != nil {
		done()
		return nil, err
	}
	d.path, d.name = copied, name
	return done, nil
}

// copyWithin copies in, which is called name, to the file at path, which is there. It takes at most half of
// the free bytes of the disk, because a pipe may be endless; 0 says that they are not known. It returns the
// number of bytes.
func copyWithin(path string, in io.Reader, name string, free int64) (int64, error) {
	most := int64(math.MaxInt64)
	if free > 0 {
		most = free / 2
	}
	to, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return 0, err
	}
	n, err := io.CopyN(to, in, most)
	if err == io.EOF {
		err = nil
	} else if err == nil {
		err = fmt.Errorf("%s: more than %s, half of what is free in %s: write the data to a file, or name another folder in TMPDIR", name, num.FormatBytes(n), filepath.Dir(path))
	}
	return n, cmp.Or(err, to.Close())
}

// toStandard calls write with a temporary file, which it then copies to w.
func toStandard(w io.Writer, write func(path string) error) error {
	path, done, err := modelfile.TempFile("gram-output")
	if err != nil {
		return err
	}
	defer done()
	if err := write(path); err != nil {
		return err
	}
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	_, err = io.Copy(w, f)
	return err
}

// sameFile reports whether two paths lead to the same file, which may not be there yet.
func sameFile(a, b string) bool {
	first, err := os.Stat(a)
	second, err2 := os.Stat(b)
	if err == nil && err2 == nil {
		return os.SameFile(first, second)
	}
	place := func(path string) string {
		dir, err := filepath.Abs(filepath.Dir(path))
		if err == nil {
			dir, err = filepath.EvalSymlinks(dir)
		}
		if err != nil {
			return path
		}
		return filepath.Join(dir, filepath.Base(path))
	}
	return place(a) == place(b)
}

// writable returns an error, before any work is done, if the file to write is one of those
// that the command reads, or cannot be written. No name, and - for standard output, are
// no file.
func writable(output string, inputs ...string) error {
	if output == "" || output == standardInput {
		return nil
	}
	if store.Remote(output) {
		if slices.Contains(inputs, output) {
			return fmt.Errorf("%s is an input of this command: write to another file", output)
		}
		return modelfile.CheckFile(output)
	}
	to, err := os.Stat(output)
	if err != nil {
		if dir := filepath.Dir(output); errors.Is(err, fs.ErrNotExist) {
			if _, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) {
				return fmt.Errorf("%s cannot be written: there is no folder %s: make it first", output, dir)
			}
		}
		return modelfile.CheckFile(output)
	}
	for _, path := range inputs {
		if from, err := os.Stat(path); err == nil && os.SameFile(from, to) && to.Mode().IsRegular() {
			return fmt.Errorf("%s is an input of this command: write to another file", output)
		}
	}
	return modelfile.CheckFile(output)
}
