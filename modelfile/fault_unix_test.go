//go:build unix

package modelfile

import (
	"errors"
	"syscall"
	"testing"
)

// Every call that maps a file fails in turn.
func TestMapFaults(t *testing.T) {
	text := encode(t, newLeaf())
	for at := 1; ; at++ {
		d := &disk{text: text, most: 100, at: at, err: syscall.EIO}
		f, err := mapFile(d)
		if d.failed == "" { // the system does not map a file that is not open
			if !errors.Is(err, syscall.EBADF) {
				t.Errorf("%v, %v", f, err)
			}
			break
		}
		if f != nil || !errors.Is(err, syscall.EIO) {
			t.Errorf("call %d, %s: %v, %v", at, d.failed, f, err)
		}
	}
}
