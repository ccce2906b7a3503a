package chol

import (
	"fmt"
	"testing"

	"github.com/gramworks/gram/internal/asmtest"
	"github.com/gramworks/gram/num"
	"github.com/gramworks/gram/num/rng"
)

// TestChunks runs every function on sizes that exceed a multiple of the size
// of one assembly call by one, and Sweep on such a multiple, too. Calls for parts of at most that size must give
// the same bits.
func TestChunks(t *testing.T) {
	asmtest.ForEachLevel(t, levels, asmtest.Types(checkChunks[float64], checkChunks[float32]))
}

func checkChunks[F num.Float](t *testing.T) {
	r := rng.New(12, 0)
	equal := func(what string, got, want []F) {
		t.Helper()
		for i, v := range got {
			if !asmtest.Same(v, want[i]) {
				t.Fatalf("%s: element %d of %d is %v, want %v", what, i, len(got), v, want[i])
			}
		}
	}
	for name, kind := range kinds {
		const n = 2*maxWork + 1
		rot := testRotations[F](kind, 1)
		u, w := asmtest.Normal[F](r, 4*n), asmtest.Normal[F](r, n)
		wantU, wantW := append([]F(nil), u...), append([]F(nil), w...)
		Rotate(kind, u, n, w, rot)
		for j := 0; j < n; j += maxWork {
			Rotate(kind, wantU[j:], n, wantW[j:min(j+maxWork, n)], rot)
		}
		equal(name, u, wantU)
		equal(name, w, wantW)
		RotateLower(kind, u, 4, w, rot)
		for j := 0; j < n; j += maxWork {
			RotateLower(kind, wantU[4*j:], 4, wantW[j:min(j+maxWork, n)], rot)
		}
		equal("lower "+name, u, wantU)
		equal("lower "+name, w, wantW)

		const quads = 2*maxQuads + 1
		rots := make([]Rotations[F], quads)
		for k := range rots {
			rots[k] = *testRotations[F](kind, uint64(k))
		}
		l, v := asmtest.Normal[F](r, PanelRows*4*quads), asmtest.Normal[F](r, PanelRows)
		wantL, wantV := append([]F(nil), l...), append([]F(nil), v...)
		RotatePanel(kind, l, 4*quads, v, rots)
		for k := 0; k < quads; k += maxQuads / 2 {
			RotatePanel(kind, wantL[4*k:], 4*quads, wantV, rots[k:min(k+maxQuads/2, quads)])
		}
		equal("panel "+name, l, wantL)
		equal("panel "+name, v, wantV)
	}
	for _, length := range []int{1, 7, 64, 300, maxWork, 4*maxWork + 1} {
		step, stride := max(1, 4*maxWork/length), length+1
		for _, n := range []int{step, step + 1, 2 * step, 2*step + 1} {
			b, w, d, c := asmtest.Normal[F](r, (n-1)*stride+length), asmtest.Normal[F](r, length), asmtest.Normal[F](r, length), asmtest.Normal[F](r, length)
			want := append([]F(nil), b...)
			Sweep(b, n, stride, w, d, c)
			for i := range n {
				Sweep(want[i*stride:][:length], 1, stride, w, d, c)
			}
			equal(fmt.Sprintf("sweep of %d rows of %d", n, length), b, want)
		}
	}
}
