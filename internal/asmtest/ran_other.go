//go:build noasm || !linux || (!amd64 && !arm64)

package asmtest

import (
	"errors"
	"testing"
)

// There is nothing to read back in builds without assembly, and no way yet on
// other systems than Linux.

func routines() ([]*routine, error) {
	return nil, errors.ErrUnsupported
}

func watch(t testing.TB, selected func(*routine) bool) (stop func() []*routine) {
	return func() []*routine { return nil }
}
