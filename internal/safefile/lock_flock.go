//go:build linux || darwin || freebsd || netbsd || openbsd || dragonfly

package safefile

import (
	"errors"
	"io/fs"
	"os"
	"syscall"
)

// A file in use has a lock, which the system drops when the process ends.

func (machine) use(path string, f file) (release func(), owned bool) {
	held, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0)
	if err != nil { // it is gone, or may not be read: then it cannot be found abandoned either
		return func() {}, !errors.Is(err, fs.ErrNotExist)
	}
	_ = lock(held, syscall.LOCK_EX) // without locks no file is found abandoned
	mine, err := f.Stat()
	there, err2 := os.Lstat(path)
	if err != nil || err2 != nil || !os.SameFile(mine, there) {
		held.Close()
		return nil, false
	}
	return func() { held.Close() }, true
}

func (machine) abandoned(path string) (abandoned bool, release func()) {
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0)
	if err != nil {
		return false, nil
	}
	if lock(f, syscall.LOCK_EX|syscall.LOCK_NB) != nil {
		f.Close()
		return false, nil
	}
	return true, func() { f.Close() }
}

func lock(f *os.File, operation int) error {
	for {
		if err := syscall.Flock(int(f.Fd()), operation); err != syscall.EINTR {
			return err
		}
	}
}
