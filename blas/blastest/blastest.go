// Package blastest tests backends of package blas: gonum's own suites for BLAS
// (testblas) and LAPACK (testlapack) in float64, the same for float32, which
// gonum has no tests of, special values, and concurrent use.
package blastest

import (
	"testing"

	"github.com/gramworks/gram/blas"
)

// Options selects the tests of Run and states in what a backend may differ.
type Options struct {
	Full     bool // all of gonum's suites (minutes) instead of a selection
	Bitwise  bool // results must not depend on threads or concurrency, bit for bit
	NoLapack bool // leave LAPACK out
	GonumGer bool // GER is gonum's, which is wrong for negative increments (v0.17.0)
	SkipZero bool // the backend may skip products with zeros, so that NaN and Inf get lost
}

// Run tests b. It installs b with blas.Use and the backend before it again at
// the end, so it must not run beside tests that use BLAS.
func Run(t *testing.T, b blas.Backend, o Options) {
	before := blas.Current()
	blas.Use(b)
	defer blas.Use(before)
	t.Run("Level1", func(t *testing.T) { level1(suite{t, true}, b.Float64()) })
	t.Run("Level2", func(t *testing.T) { level2(suite{t, true}, b.Float64()) })
	t.Run("Level3", func(t *testing.T) { level3(suite{t, true}, b.Float64()) })
	t.Run("Float32", func(t *testing.T) {
		t.Run("Level1", func(t *testing.T) { float32Level1(t, b) })
		t.Run("Level2", func(t *testing.T) { float32Level2(t, b, o.GonumGer) })
		t.Run("Level3", func(t *testing.T) { float32Level3(t, b) })
	})
	if !o.SkipZero {
		t.Run("Specials", func(t *testing.T) { specials(t, b) })
	}
	t.Run("Concurrent", func(t *testing.T) { concurrent(t, b, o.Bitwise) })
	if o.NoLapack {
		return
	}
	t.Run("Lapack", func(t *testing.T) { lapackAll(suite{t, o.Full}, b.Lapack()) })
}
