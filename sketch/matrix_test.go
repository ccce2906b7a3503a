package sketch

import (
	"slices"
	"testing"

	"github.com/gramworks/gram/asm/hadamard"
	"github.com/gramworks/gram/asm/hadamard/paley"
	"github.com/gramworks/gram/fwht"
	"github.com/gramworks/gram/internal/asmtest"
	"github.com/gramworks/gram/num"
	"github.com/gramworks/gram/num/rng"
)

// A round of a rotation without signs is the transform of a fwht.Matrix, bit by bit.
func TestRotationHasMatrix(t *testing.T) {
	t.Run("float32", checkRotationHasMatrix[float32])
	t.Run("float64", checkRotationHasMatrix[float64])
}

func checkRotationHasMatrix[F num.Float](t *testing.T) {
	for _, m := range paley.Large {
		n := 64 * m
		r, a := NewRotation[F](n, 1, 1), fwht.NewMatrix[F](n)
		if r.m != m || a.Len() != n {
			t.Fatalf("order %d: the rotation has %d·%d", n, r.m, r.t)
		}
		x := asmtest.Normal[F](rng.New(1, uint64(n)), n)
		y := slices.Clone(x)
		a.Transform(y)
		hadamard.Rows(x, r.m, r.t, r.t)
		r.across(x, r.t, r.t, r.base)
		if !slices.Equal(x, y) {
			t.Errorf("order %d: not the bits of the matrix", n)
		}
	}
}
