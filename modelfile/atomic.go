package modelfile

import (
	"io"

	"github.com/gramworks/gram/internal/safefile"
	"github.com/gramworks/gram/store"
)

// WriteFile writes a file of any kind as Save writes a model: readers see the old file or
// the whole new one. It calls write with a buffered writer on a new file in the folder of
// path, flushes and syncs the file and renames it to path. If write fails or panics, path
// stays as it was. A symbolic link is followed, and a path that is not a regular file (a
// pipe, a device) is written directly. A path of a store (see package store) is written there.
func WriteFile(path string, write func(w io.Writer) error) error {
	return replace(path, write, safefile.Write)
}

// replace writes to the store of path, if it has one, or else by disk.
func replace(path string, write func(w io.Writer) error, disk func(string, func(w io.Writer) error) error) error {
	s, err := store.Of(path)
	if err != nil {
		return err
	}
	if s == nil {
		return disk(path, write)
	}
	return s.Write(path, write)
}

// WriteUnsynced is WriteFile without a sync, for files that can be made again and whose reader can tell whether they are
// whole, such as those that modelfile.Write writes: killed processes do them no harm, but after a crash of the machine they
// may be damaged.
func WriteUnsynced(path string, write func(w io.Writer) error) error {
	return replace(path, write, safefile.WriteUnsynced)
}

// CheckFile returns the error with which WriteFile to path would begin, such as that of a
// folder that does not exist or may not be written. It leaves path alone.
// Of a path of a store it looks at the scheme alone.
func CheckFile(path string) error {
	if s, err := store.Of(path); s != nil || err != nil {
		return err
	}
	return safefile.Check(path)
}

// TempFile creates an empty file in the folder for temporary files, which only the user can
// read. remove removes it. If the process is killed, the next TempFile with the same name
// removes it.
func TempFile(name string) (path string, remove func(), err error) { return safefile.Temporary(name) }
