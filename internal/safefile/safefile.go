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
	"strconv"
	"strings"
	"syscall"
)

// Write calls write with a buffered writer on a new file in the directory of
// path, flushes and syncs the file and renames it to path. If write fails or
// panics, or anything else goes wrong, the new file is removed and path stays
// unchanged; only if the directory cannot be synced, Write returns an error
// although path has the new contents. A process that is killed leaves its new
// file behind, and the next Write to the same path removes it. A symbolic link
// is followed, also if it leads to a file that does not exist yet. A path that
// exists and is not a regular file (a pipe, a device) is written directly.
// Permissions are those of the replaced file, or 0666 less the umask.
func Write(path string, write func(w io.Writer) error) error {
	return writeOn(machine{}, path, write)
}

// WriteUnsynced is Write without a sync: it costs less, and a process that is killed leaves the old file or the new one
// as with Write. If the machine crashes or loses its power soon after, path may be any file, damaged or empty.
func WriteUnsynced(path string, write func(w io.Writer) error) error {
	return writeOn(unsynced{}, path, write)
}

func writeOn(sys system, path string, write func(w io.Writer) error) error {
	p, err := begin(sys, path)
	if err != nil {
		return err
	}
	defer p.end()
	if err := fill(p.f, write); err != nil {
		return err
	}
	if err := p.finish(); err != nil {
		return err
	}
	return p.commit()
}

// Check returns the error with which a Write to path would begin, such as that of a
// directory which is not there or may not be written. It makes a new file as Write does and
// removes it, and leaves path alone. What is no regular file is not opened.
func Check(path string) error {
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() && !info.IsDir() {
		return nil
	}
	p, err := begin(machine{}, path)
	if err == nil {
		p.end()
	}
	return err
}

// WriteBoth writes two files that belong together as Write does: neither is replaced
// before both are complete. If a process is killed, or a disk fails, while they are
// replaced, there is no file at path, so that an old file at path never stands beside a
// new one at other.
func WriteBoth(path, other string, write func(w, v io.Writer) error) error {
	return writeBothOn(machine{}, path, other, write)
}

func writeBothOn(sys system, path, other string, write func(w, v io.Writer) error) error {
	p, err := begin(sys, path)
	if err != nil {
		return err
	}
	defer p.end()
	q, err := begin(sys, other)
	if err != nil {
		return err
	}
	defer q.end()
	err = fill(p.f, func(w io.Writer) error {
		return fill(q.f, func(v io.Writer) error { return write(w, v) })
	})
	if err != nil {
		return err
	}
	if err := p.finish(); err != nil {
		return err
	}
	if err := q.finish(); err != nil {
		return err
	}
	if p.info != nil && !p.direct {
		if err := sys.remove(p.path); err != nil {
			return err
		}
		if err := sys.syncDir(filepath.Dir(p.path)); errors.Is(err, syscall.EIO) {
			return err
		}
	}
	if err := q.commit(); err != nil {
		return err
	}
	return p.commit()
}

// pending is a file that is being written.
type pending struct {
	sys          system
	path         string
	info         fs.FileInfo // of the file that is replaced; nil: there is none
	direct       bool        // the file at path itself is written, since it is a pipe or a device
	f            file
	release      func()
	closed, done bool
}

// begin opens a new file that is to become the file at path.
func begin(sys system, path string) (*pending, error) {
	p := &pending{sys: sys, release: func() {}}
	info, err := sys.stat(path)
	switch {
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return nil, err
	case err == nil && info.IsDir():
		return nil, &fs.PathError{Op: "write", Path: path, Err: errors.New("is a directory")}
	case err == nil:
		p.info, p.direct = info, !info.Mode().IsRegular()
	}
	if p.direct {
		p.f, err = sys.open(path)
		return p, err
	}
	if p.path, err = follow(sys, path); err == nil {
		p.f, p.release, err = create(sys, p.path, 0o666, rand.Uint32)
		var at *fs.PathError
		if errors.As(err, &at) { // the hidden file's name would tell nobody anything
			err = &fs.PathError{Op: at.Op, Path: path, Err: at.Err}
		}
	}
	return p, err
}

// finish gives the file the permissions of the one it replaces, syncs it and closes it. A pipe or device is only closed.
func (p *pending) finish() error {
	if !p.direct {
		if p.info != nil {
			if err := p.f.Chmod(p.info.Mode().Perm()); err != nil {
				return err
			}
		}
		if err := p.f.Sync(); err != nil {
			return err
		}
	}
	p.closed = true
	return p.f.Close()
}

// commit renames the file to path and syncs the directory. For a pipe or device there is nothing to do.
func (p *pending) commit() error {
	if p.done = true; p.direct {
		return nil
	}
	if err := p.sys.rename(p.f.Name(), p.path); err != nil {
		p.done = false
		return err
	}
	// The rename is durable once the directory is synced. Not all systems can do
	// that, so that only a failure of the disk counts.
	if err := p.sys.syncDir(filepath.Dir(p.path)); errors.Is(err, syscall.EIO) {
		return err
	}
	return nil
}

// end closes the file, and removes it unless it is in its place.
func (p *pending) end() {
	if !p.closed {
		p.f.Close()
	}
	if !p.done && !p.direct {
		_ = p.sys.remove(p.f.Name()) // what stays is removed by the next Write
	}
	p.release()
}

// fill calls write with a buffered writer on f and flushes the buffer.
func fill(f file, write func(w io.Writer) error) error {
	b := bufio.NewWriterSize(f, 1<<18)
	if err := write(b); err != nil {
		return err
	}
	return b.Flush()
}

// follow returns the path that path leads to if it is a symbolic link; there may be
// no file.
func follow(sys system, path string) (string, error) {
	for range 40 { // as many as Linux follows
		info, err := sys.lstat(path)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return path, nil
		case err != nil:
			return "", err
		case info.Mode()&fs.ModeSymlink == 0:
			return path, nil
		}
		to, err := sys.readlink(path)
		if err != nil {
			return "", err
		}
		if !filepath.IsAbs(to) {
			dir, _ := filepath.Split(path)
			to = dir + to // not filepath.Join: it takes dir/.. for nothing, and dir may be a link
		}
		path = to
	}
	return "", &fs.PathError{Op: "write", Path: path, Err: errors.New("too many symbolic links")}
}

// Temporary creates an empty file in the directory for temporary files, which
// only the user can read. remove removes it. If the process is killed, the next
// Temporary with the same name removes it.
func Temporary(name string) (path string, remove func(), err error) {
	f, release, err := create(machine{}, filepath.Join(os.TempDir(), name), 0o600, rand.Uint32)
	if err != nil {
		return "", nil, err
	}
	f.Close()
	return f.Name(), func() {
		os.Remove(f.Name())
		release()
	}, nil
}

// create removes the new files of path that killed processes have left, and opens a
// hidden one beside path, with a number in its name. It is in use until release is
// called. Unlike os.CreateTemp create leaves the permissions to the umask.
func create(sys system, path string, perm fs.FileMode, number func() uint32) (f file, release func(), err error) {
	dir, base := filepath.Split(path)
	if len(base) > 200 { // file systems allow 255 bytes
		base = strings.ToValidUTF8(base[:200], "")
	}
	prefix, suffix := "."+base+".", ".tmp"
	entries, err := sys.readDir(dir)
	if err != nil {
		entries = nil // a directory may be written but not read
	}
	for _, e := range entries {
		middle, is := strings.CutPrefix(e.Name(), prefix)
		middle, ends := strings.CutSuffix(middle, suffix)
		if _, err := strconv.ParseUint(middle, 16, 32); !is || !ends || err != nil || len(middle) != 8 || !e.Type().IsRegular() {
			continue
		}
		if left, release := sys.abandoned(dir + e.Name()); left {
			_ = sys.remove(dir + e.Name())
			release()
		}
	}
	for try := 0; ; try++ {
		name := fmt.Sprintf("%s%s%08x%s", dir, prefix, number(), suffix)
		f, err := sys.create(name, perm)
		if err == nil {
			// Between these two calls another process may have removed the file.
			if release, ours := sys.use(name, f); ours {
				return f, release, nil
			}
			f.Close()
		} else if !errors.Is(err, fs.ErrExist) {
			return nil, nil, err
		}
		if try == 100 {
			return nil, nil, &fs.PathError{Op: "create", Path: name, Err: fs.ErrExist}
		}
	}
}
