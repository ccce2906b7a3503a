// Package store finds files by their paths: on the disk of the machine, or in stores such as buckets of objects. A path of a
// store begins with a scheme, as s3://bucket/key. Package store knows no scheme by itself: a program registers what it
// needs, for example with bucket.Register of the module bucket, so that programs that do not need them link nothing of them.
//
// Files of stores are complete or not there. They can be replaced, but not changed.
package store

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
)

// File is a file that is open for reading. Its methods ReadAt may be called at the same time.
type File interface {
	io.Reader
	io.ReaderAt
	io.Seeker
	io.Closer
	Stat() (fs.FileInfo, error)
}

// Store is where files of a scheme lie. Its paths are whole, with the scheme. Errors name the path, and are fs.ErrNotExist
// where a file is not there. Its methods may be called at the same time.
type Store interface {
	// Open opens a file for reading. The caller closes it.
	Open(path string) (File, error)
	// Stat returns the fs.FileInfo of a file, such as its size, without opening it.
	Stat(path string) (fs.FileInfo, error)
	// Glob returns the paths that match a pattern in their order; see path.Match for its form.
	Glob(pattern string) ([]string, error)
	// Write makes or replaces a file of what write writes. If write fails, nothing has changed.
	Write(path string, write func(w io.Writer) error) error
	// Remove removes a file.
	Remove(path string) error
}

var (
	mu     sync.RWMutex
	stores = map[string]Store{}
)

// Register sets the store of the paths that begin with scheme://, in place of one that was set before.
func Register(scheme string, s Store) {
	mu.Lock()
	defer mu.Unlock()
	stores[scheme] = s
}

// Remote reports whether path begins with a scheme, and is not one of the disk. A scheme has at least two letters.
func Remote(path string) bool {
	scheme, _, is := strings.Cut(path, "://")
	return is && len(scheme) > 1 && strings.Trim(scheme, "abcdefghijklmnopqrstuvwxyz0123456789") == ""
}

// Of returns the store of a path, nil for one of the disk. The error says that no store of its scheme was registered.
func Of(path string) (Store, error) {
	if !Remote(path) {
		return nil, nil
	}
	scheme, _, _ := strings.Cut(path, "://")
	mu.RLock()
	defer mu.RUnlock()
	if s := stores[scheme]; s != nil {
		return s, nil
	}
	return nil, fmt.Errorf("%s: this program was built without stores for %s://: the module bucket has those of s3, gs and file", path, scheme)
}

// Open opens a file for reading, on the disk or in the store of its scheme. The caller closes it.
func Open(path string) (File, error) {
	if s, err := Of(path); err != nil {
		return nil, err
	} else if s != nil {
		return s.Open(path)
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	return f, nil
}

// Stat returns the fs.FileInfo of a file, on the disk or in the store of its scheme.
func Stat(path string) (fs.FileInfo, error) {
	if s, err := Of(path); err != nil {
		return nil, err
	} else if s != nil {
		return s.Stat(path)
	}
	return os.Stat(path)
}

// Glob returns the paths that match a pattern, in their order. On the disk it is filepath.Glob.
func Glob(pattern string) ([]string, error) {
	if s, err := Of(pattern); err != nil {
		return nil, err
	} else if s != nil {
		return s.Glob(pattern)
	}
	return filepath.Glob(pattern)
}

// ReadFile returns the whole contents of a file, on the disk or in the store of its scheme.
func ReadFile(path string) ([]byte, error) {
	if !Remote(path) {
		return os.ReadFile(path)
	}
	f, err := Open(path)
	if err != nil {
		return nil, err
	}
	b, err := io.ReadAll(f)
	return b, errors.Join(err, f.Close())
}

// Remove removes a file, on the disk or in the store of its scheme.
func Remove(path string) error {
	if s, err := Of(path); err != nil {
		return err
	} else if s != nil {
		return s.Remove(path)
	}
	return os.Remove(path)
}

// Join returns the path of a file in the folder dir.
func Join(dir, name string) string {
	if Remote(dir) {
		return strings.TrimRight(dir, "/") + "/" + name
	}
	return filepath.Join(dir, name)
}

// Abs returns the path as it is found from every folder.
func Abs(path string) (string, error) {
	if Remote(path) {
		return path, nil
	}
	return filepath.Abs(path)
}
