package safefile

import (
	"io"
	"io/fs"
	"os"
)

// system is what writing a file asks of the operating system. Tests let its calls
// fail.
type system interface {
	stat(path string) (fs.FileInfo, error)
	lstat(path string) (fs.FileInfo, error)
	readlink(path string) (string, error)
	readDir(path string) ([]fs.DirEntry, error)
	create(path string, perm fs.FileMode) (file, error) // a new file
	open(path string) (file, error)                     // an existing file, to be written
	rename(from, to string) error
	remove(path string) error
	syncDir(path string) error
	// use marks a new file as in use until release is called. owned is false if path
	// is not f any more.
	use(path string, f file) (release func(), owned bool)
	// abandoned reports whether a file is in use no more. If so, nobody else removes
	// it until release is called.
	abandoned(path string) (left bool, release func())
}

// file is what writing a file asks of an open file.
type file interface {
	io.WriteCloser
	Name() string
	Stat() (fs.FileInfo, error)
	Chmod(mode fs.FileMode) error
	Sync() error
}

// machine is the operating system itself. Package os repeats calls that a signal
// interrupts.
type machine struct{}

func (machine) stat(path string) (fs.FileInfo, error)  { return os.Stat(path) }
func (machine) lstat(path string) (fs.FileInfo, error) { return os.Lstat(path) }
func (machine) readlink(path string) (string, error)   { return os.Readlink(path) }
func (machine) rename(from, to string) error           { return os.Rename(from, to) }
func (machine) remove(path string) error               { return os.Remove(path) }

func (machine) readDir(path string) ([]fs.DirEntry, error) {
	if path == "" {
		path = "."
	}
	return os.ReadDir(path)
}

func (machine) create(path string, perm fs.FileMode) (file, error) {
	return opened(os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL, perm))
}

func (machine) open(path string) (file, error) { return opened(os.OpenFile(path, os.O_WRONLY, 0)) }

// opened keeps a nil pointer out of the interface.
func opened(f *os.File, err error) (file, error) {
	if err != nil {
		return nil, err
	}
	return f, nil
}

func (machine) syncDir(path string) error {
	d, err := os.Open(path)
	if err != nil {
		return err
	}
	defer d.Close()
	return d.Sync()
}

// unsynced is the machine, which is not asked to put anything onto its disk.
type unsynced struct{ machine }

func (unsynced) syncDir(string) error { return nil }

func (u unsynced) create(path string, perm fs.FileMode) (file, error) {
	f, err := u.machine.create(path, perm)
	if err != nil {
		return nil, err
	}
	return unsyncedFile{f}, nil
}

// unsyncedFile is a file that is not synced.
type unsyncedFile struct{ file }

// Sync does nothing, so that data reach the disk when the operating system writes them.
func (unsyncedFile) Sync() error { return nil }
