//go:build !unix

package asmtest

import (
	"testing"

	"github.com/gramworks/gram/num"
)

// Guarded calls body with n writable elements of ordinary memory, as there are
// no guard pages on this system.
func Guarded[F num.Float](t testing.TB, n int, body func(x []F)) {
	t.Helper()
	body(make([]F, n))
}
