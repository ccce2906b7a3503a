package blas_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/gramworks/gram/blas"
	gblas "gonum.org/v1/gonum/blas"
)

// level2Calls are the routines of triangular, packed and band matrices, each on the
// same operands for float64 and float32.
func level2Calls(ul gblas.Uplo, tA gblas.Transpose, d gblas.Diag, n, k, ld, incX, incY int) map[string]struct {
	double func(f gblas.Float64, a, x, y []float64)
	single func(f gblas.Float32, a, x, y []float32)
} {
	type call = struct {
		double func(f gblas.Float64, a, x, y []float64)
		single func(f gblas.Float32, a, x, y []float32)
	}
	return map[string]call{
		"trmv": {func(f gblas.Float64, a, x, y []float64) { f.Dtrmv(ul, tA, d, n, a, ld, x, incX) },
			func(f gblas.Float32, a, x, y []float32) { f.Strmv(ul, tA, d, n, a, ld, x, incX) }},
		"trsv": {func(f gblas.Float64, a, x, y []float64) { f.Dtrsv(ul, tA, d, n, a, ld, x, incX) },
			func(f gblas.Float32, a, x, y []float32) { f.Strsv(ul, tA, d, n, a, ld, x, incX) }},
		"tpmv": {func(f gblas.Float64, a, x, y []float64) { f.Dtpmv(ul, tA, d, n, a, x, incX) },
			func(f gblas.Float32, a, x, y []float32) { f.Stpmv(ul, tA, d, n, a, x, incX) }},
		"tpsv unit": {func(f gblas.Float64, a, x, y []float64) { f.Dtpsv(ul, tA, gblas.Unit, n, a, x, incX) },
			func(f gblas.Float32, a, x, y []float32) { f.Stpsv(ul, tA, gblas.Unit, n, a, x, incX) }},
		"tbmv": {func(f gblas.Float64, a, x, y []float64) { f.Dtbmv(ul, tA, d, n, k, a, ld, x, incX) },
			func(f gblas.Float32, a, x, y []float32) { f.Stbmv(ul, tA, d, n, k, a, ld, x, incX) }},
		"tbsv unit": {func(f gblas.Float64, a, x, y []float64) { f.Dtbsv(ul, tA, gblas.Unit, n, k, a, ld, x, incX) },
			func(f gblas.Float32, a, x, y []float32) { f.Stbsv(ul, tA, gblas.Unit, n, k, a, ld, x, incX) }},
		"spmv": {func(f gblas.Float64, a, x, y []float64) { f.Dspmv(ul, n, 1.5, a, x, incX, -0.5, y, incY) },
			func(f gblas.Float32, a, x, y []float32) { f.Sspmv(ul, n, 1.5, a, x, incX, -0.5, y, incY) }},
		"sbmv": {func(f gblas.Float64, a, x, y []float64) { f.Dsbmv(ul, n, k, 1.5, a, ld, x, incX, 2, y, incY) },
			func(f gblas.Float32, a, x, y []float32) { f.Ssbmv(ul, n, k, 1.5, a, ld, x, incX, 2, y, incY) }},
		"gbmv": {func(f gblas.Float64, a, x, y []float64) {
			f.Dgbmv(tA, n, n-3, k/2, k/2+1, 1.5, a, ld, x, incX, 2, y, incY)
		},
			func(f gblas.Float32, a, x, y []float32) {
				f.Sgbmv(tA, n, n-3, k/2, k/2+1, 1.5, a, ld, x, incX, 2, y, incY)
			}},
		"spr": {func(f gblas.Float64, a, x, y []float64) { f.Dspr(ul, n, 0.5, x, incX, a) },
			func(f gblas.Float32, a, x, y []float32) { f.Sspr(ul, n, 0.5, x, incX, a) }},
		"spr2": {func(f gblas.Float64, a, x, y []float64) { f.Dspr2(ul, n, 0.5, x, incX, y, incY, a) },
			func(f gblas.Float32, a, x, y []float32) { f.Sspr2(ul, n, 0.5, x, incX, y, incY, a) }},
		"syr2": {func(f gblas.Float64, a, x, y []float64) { f.Dsyr2(ul, n, 0.5, x, incX, y, incY, a, ld) },
			func(f gblas.Float32, a, x, y []float32) { f.Ssyr2(ul, n, 0.5, x, incX, y, incY, a, ld) }},
		"trsm column": {func(f gblas.Float64, a, x, y []float64) { f.Dtrsm(gblas.Left, ul, tA, d, n, 1, 2, a, ld, x, 3) },
			func(f gblas.Float32, a, x, y []float32) { f.Strsm(gblas.Left, ul, tA, d, n, 1, 2, a, ld, x, 3) }},
		"trmm row": {func(f gblas.Float64, a, x, y []float64) { f.Dtrmm(gblas.Right, ul, tA, d, 1, n, 2, a, ld, x, n) },
			func(f gblas.Float32, a, x, y []float32) { f.Strmm(gblas.Right, ul, tA, d, 1, n, 2, a, ld, x, n) }},
		"trsm row": {func(f gblas.Float64, a, x, y []float64) { f.Dtrsm(gblas.Right, ul, tA, d, 1, n, 1, a, ld, x, n) },
			func(f gblas.Float32, a, x, y []float32) { f.Strsm(gblas.Right, ul, tA, d, 1, n, 1, a, ld, x, n) }},
	}
}

// TestLevel2Rows compares routines of orders that are worth a kernel with gonum's
// on the same operands.
func TestLevel2Rows(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 2))
	sizes := []int{128, 133, 150}
	if testing.Short() {
		sizes = sizes[1:2]
	}
	for _, n := range sizes {
		ld := n + 3
		a, x, y := make([]float64, n*ld), make([]float64, 3*n), make([]float64, 3*n)
		a3, x3, y3 := make([]float32, len(a)), make([]float32, len(x)), make([]float32, len(y))
		for _, v := range [][]float64{a, x, y} {
			for i := range v {
				v[i] = float64(float32(r.NormFloat64() / float64(n)))
			}
		}
		for i := range n {
			a[i*ld+i] = 2 - float64(i%2)/4
		}
		for i, v := range a {
			a3[i] = float32(v)
		}
		for i, v := range x {
			x3[i], y3[i] = float32(v), float32(y[i])
		}
		for _, ul := range []gblas.Uplo{gblas.Upper, gblas.Lower} {
			for _, tA := range []gblas.Transpose{gblas.NoTrans, gblas.Trans} {
				for i, d := range []gblas.Diag{gblas.NonUnit, gblas.Unit} {
					incX, incY := []int{1, -2}[i], []int{3, 1}[i]
					for name, c := range level2Calls(ul, tA, d, n, 64+n%7, ld, incX, incY) {
						what := fmt.Sprintf("%s n=%d %c%c%c", name, n, ul, tA, d)
						var got, want [3][]float64
						var got3 [3][]float32
						for i, v := range [][]float64{a, x, y} {
							got[i], want[i] = append([]float64(nil), v...), append([]float64(nil), v...)
							got3[i] = append([]float32(nil), [][]float32{a3, x3, y3}[i]...)
						}
						c.double(blas.Native.Float64(), got[0], got[1], got[2])
						c.single(blas.Native.Float32(), got3[0], got3[1], got3[2])
						c.double(blas.Gonum.Float64(), want[0], want[1], want[2])
						for i := range want {
							for j, w := range want[i] {
								if !(math.Abs(got[i][j]-w) <= 1e-14*(1+math.Abs(w))) || !(math.Abs(float64(got3[i][j])-w) <= 1e-5*(1+math.Abs(w))) {
									t.Fatalf("%s: element %d of operand %d is %v and %v, want %v", what, j, i, got[i][j], got3[i][j], w)
								}
							}
						}
					}
				}
			}
		}
	}
}

// Small and large calls of level 2 allocate nothing.
func TestLevel2RowsAllocations(t *testing.T) {
	const n = 130
	a, x, y := make([]float64, n*n), make([]float64, n), make([]float64, n)
	for i := range n {
		a[i*n+i] = 1
	}
	for name, c := range level2Calls(gblas.Upper, gblas.Trans, gblas.Unit, n, 70, n, 1, 1) {
		if name == "trsm column" {
			continue // wants a longer vector
		}
		if got := testing.AllocsPerRun(5, func() { c.double(blas.Native.Float64(), a, x, y) }); got > 0 {
			t.Errorf("%s allocates %v times", name, got)
		}
	}
}
