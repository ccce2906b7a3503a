package main

import (
	"context"
	"fmt"
	"io"
	"os"
)

// standardInput is the path that stands for standard input, and on the side of the
// output for standard output.
const standardInput = "-"

// spool copies standard input to a temporary file if --data is -, since files are read
// more than once. done removes the file.
func (d *dataFlags) spool(ctx context.Context, in io.Reader) (done func(), err error) {
	if d.path != standardInput {
		return func() {}, nil
	}
	f, err := os.CreateTemp("", "gram-input-*")
	if err != nil {
		return nil, err
	}
	done = func() { os.Remove(f.Name()) }
	copied := make(chan error, 1)
	go func() {
		_, err := io.Copy(f, in)
		if closed := f.Close(); err == nil {
			err = closed
		}
		copied <- err
	}()
	select {
	case err = <-copied:
	case <-ctx.Done(): // the copy ends with the process
		err = ctx.Err()
	}
	if err != nil {
		done()
		return nil, err
	}
	d.path, d.name = f.Name(), "standard input"
	return done, nil
}

// toStandard calls write with a temporary file, which it then copies to w.
func toStandard(w io.Writer, write func(path string) error) error {
	f, err := os.CreateTemp("", "gram-output-*")
	if err != nil {
		return err
	}
	f.Close()
	defer os.Remove(f.Name())
	if err := write(f.Name()); err != nil {
		return err
	}
	if f, err = os.Open(f.Name()); err != nil {
		return err
	}
	defer f.Close()
	_, err = io.Copy(w, f)
	return err
}

// distinct returns an error if the file to write is one of those that the command reads.
func distinct(output string, inputs ...string) error {
	to, err := os.Stat(output)
	if err != nil {
		return nil // it is not there yet, or writing will say what is wrong
	}
	for _, path := range inputs {
		if from, err := os.Stat(path); err == nil && os.SameFile(from, to) && to.Mode().IsRegular() {
			return fmt.Errorf("%s is an input of this command: write to another file", output)
		}
	}
	return nil
}
