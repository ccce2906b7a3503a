//go:build noasm || !linux || (!amd64 && !arm64)

package asmtest

import (
	"errors"
	"testing"
)

// Builds without assembly have no routines to watch, and other systems than
// Linux are not supported.

func routines() ([]*routine, error) {
	return nil, errors.ErrUnsupported
}

func watch(t testing.TB, selected func(*routine) bool) (stop func() []*routine) {
	return func() []*routine { return nil }
}
