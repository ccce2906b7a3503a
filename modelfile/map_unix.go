//go:build unix

package modelfile

import (
	"fmt"
	"os"

	"github.com/gramworks/gram/store"
	"golang.org/x/sys/unix"
)

// Map maps a model file into memory. Opening it costs no more than reading the
// header; pages are loaded when they are used and are shared by all processes
// that map the same file. The checksum of an array is verified when the array
// is first used. The file must not be changed in place while it is mapped
// (Save replaces it, which is safe). Only Close releases the memory. On
// systems other than unix, and with files of a store, Map does the same as ReadFile.
func Map(path string) (*File, error) {
	if store.Remote(path) {
		return ReadFile(path)
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	m, err := mapFile(f)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	m.c.path = path
	return m, nil
}

func mapFile(f mappable) (*File, error) {
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return readFile(f, -1, 0)
	}
	size := info.Size()
	c, total, err := readHeader(f, size, &budget{})
	if err != nil {
		return nil, err
	}
	if size > c.base+total {
		return nil, &FormatError{Offset: c.base + total, Reason: "the file goes on after the last array"}
	}
	all, err := unix.Mmap(int(f.Fd()), 0, int(size), unix.PROT_READ, unix.MAP_SHARED)
	if err != nil {
		return nil, fmt.Errorf("mapping %d bytes: %w", size, err)
	}
	c.data = all[c.base:]
	c.close = func() error { return unix.Munmap(all) }
	return &File{c: c}, nil
}

// mappable is the part of an *os.File that is used to map one.
type mappable interface {
	stored
	Fd() uintptr
}
