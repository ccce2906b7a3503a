package level2

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/gramworks/gram/internal/asmtest"
	"github.com/gramworks/gram/num"
)

// TestChunks runs every function on sizes that exceed a multiple of the size
// of one assembly call by one, on integers, for which all sums are exact.
func TestChunks(t *testing.T) {
	asmtest.ForEachLevel(t, levels, func(t *testing.T) {
		checkChunks(t, of64)
		checkChunks(t, of32)
	})
}

func checkChunks[F num.Float](t *testing.T, f routines[F]) {
	r := rand.New(rand.NewPCG(7, 8))
	equal := func(what string, got, want []F) {
		t.Helper()
		for i, v := range got {
			if v != want[i] {
				t.Fatalf("%s, %T: element %d of %d is %v, want %v", what, v, i, len(got), v, want[i])
			}
		}
	}
	for _, n := range []int{maxColumns + 1, 2*maxColumns + 1, maxElements + 1, 2*maxElements + 1} {
		x, y := asmtest.Integers[F](r, n, 3), asmtest.Integers[F](r, n, 3)
		var dot F
		axpy, scaled := make([]F, n), make([]F, n)
		for i := range x {
			dot += x[i] * y[i]
			axpy[i], scaled[i] = y[i]+3*x[i], 2*x[i]
		}
		equal("dot", []F{f.dot(x, y)}, []F{dot})
		f.axpy(3, x, y)
		equal("axpy", y, axpy)
		f.scale(2, x)
		equal("scale", x, scaled)
	}
	for _, s := range [][2]int{
		{rowsPerCall(1) + 1, 1}, {rowsPerCall(8) + 1, 8}, {2*rowsPerCall(8) + 1, 8}, {rowsPerCall(100) + 1, 100},
		{rowsPerCall(maxColumns) + 1, maxColumns}, {2*rowsPerCall(maxColumns) + 1, maxColumns + 1}, {1, 2*maxColumns + 1},
	} {
		m, n := s[0], s[1]
		lda := n + 1
		a, x, y := asmtest.Integers[F](r, m*lda, 3), asmtest.Integers[F](r, n, 3), asmtest.Integers[F](r, m, 3)
		wantA, wantX, wantY := append([]F(nil), a...), append([]F(nil), x...), append([]F(nil), y...)
		for i := range m {
			for j := range n {
				wantY[i] += 2 * a[i*lda+j] * x[j]
				wantX[j] += 2 * a[i*lda+j] * y[i]
				wantA[i*lda+j] += 2 * y[i] * x[j]
			}
		}
		what := fmt.Sprintf("%d×%d", m, n)
		gotX, gotY := append([]F(nil), x...), append([]F(nil), y...)
		f.gemvN(gotY, a, lda, x, 2)
		equal("gemvN "+what, gotY, wantY)
		f.gemvT(gotX, a, lda, y, 2)
		equal("gemvT "+what, gotX, wantX)
		f.ger(a, lda, y, x, 2)
		equal("ger "+what, a, wantA)
	}
	for _, n := range []int{maxColumns + 1, 2*maxColumns + 1} {
		a, x, y := asmtest.Integers[F](r, 4*n, 3), asmtest.Integers[F](r, n, 3), asmtest.Integers[F](r, n, 3)
		xr, want, wantY := [4]F{1, 2, 3, -1}, make([]F, 4), append([]F(nil), y...)
		for i := range want {
			for j := range n {
				want[i] += a[i*n+j] * x[j]
				wantY[j] += xr[i] * a[i*n+j]
			}
		}
		got := Symv4(a, n, x, y, &xr)
		equal("symv4", got[:], want)
		equal("symv4", y, wantY)
	}
}
