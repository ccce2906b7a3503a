// Package safefile writes files atomically: a reader never sees a partial file.
package safefile

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
)

// Write calls write with a buffered writer on a new file in the directory of
// path, flushes and syncs the file and renames it to path. If write fails or
// panics, or anything else goes wrong, the new file is removed and path stays
// unchanged. A symbolic link is followed. A path that exists and is not a
// regular file (a pipe, a device) is written directly. Permissions are those of
// the replaced file, or 0666 less the umask.
func Write(path string, write func(w io.Writer) error) (err error) {
	mode, exists := fs.FileMode(0o666), false
	switch info, statErr := os.Stat(path); {
	case statErr == nil && info.IsDir():
		return &fs.PathError{Op: "write", Path: path, Err: errors.New("is a directory")}
	case statErr == nil && !info.Mode().IsRegular():
		return direct(path, write)
	case statErr == nil:
		mode, exists = info.Mode().Perm(), true
		if path, err = filepath.EvalSymlinks(path); err != nil {
			return err
		}
	case !errors.Is(statErr, fs.ErrNotExist):
		return statErr
	}
	f, err := create(path, rand.Uint32)
	if err != nil {
		return err
	}
	done := false
	defer func() {
		if !done {
			f.Close()
			os.Remove(f.Name())
		}
	}()
	b := bufio.NewWriterSize(f, 1<<18)
	if err := write(b); err != nil {
		return err
	}
	if err := b.Flush(); err != nil {
		return err
	}
	if exists {
		if err := f.Chmod(mode); err != nil {
			return err
		}
	}
	if err := f.Sync(); err != nil {
		return err
	}
	if err := f.Close(); err != nil {
		return err
	}
	if err := os.Rename(f.Name(), path); err != nil {
		return err
	}
	done = true
	// The rename is durable once the directory is synced. Not all systems can
	// do that, and the file is complete either way.
	if d, err := os.Open(filepath.Dir(path)); err == nil {
		_ = d.Sync()
		d.Close()
	}
	return nil
}

// create opens a new hidden file beside path, with a number in its name. Unlike
// os.CreateTemp it leaves the permissions to the umask.
func create(path string, number func() uint32) (*os.File, error) {
	dir, base := filepath.Split(path)
	for try := 0; ; try++ {
		name := filepath.Join(dir, fmt.Sprintf(".%s.%08x.tmp", base, number()))
		f, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o666)
		if errors.Is(err, fs.ErrExist) && try < 100 {
			continue
		}
		return f, err
	}
}

func direct(path string, write func(w io.Writer) error) error {
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	b := bufio.NewWriterSize(f, 1<<18)
	if err := write(b); err != nil {
		f.Close()
		return err
	}
	if err := b.Flush(); err != nil {
		f.Close()
		return err
	}
	return f.Close()
}
