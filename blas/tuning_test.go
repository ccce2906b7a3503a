package blas_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/asm/cpu"
	"github.com/gramworks/gram/blas"
	"github.com/gramworks/gram/internal/asmtest"
	"github.com/gramworks/gram/internal/tuning"
	gblas "gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/lapack"
)

// TestTuning holds that no value that can be tuned changes a bit of a result.
func TestTuning(t *testing.T) {
	defer blas.SetThreads(0)
	blas.SetThreads(3)
	asmtest.ForEachLevel(t, cpu.Levels()[1:], func(t *testing.T) {
		want := everything(rand.New(rand.NewPCG(9, 9)))
		r := rand.New(rand.NewPCG(10, 10))
		least, most := tuning.Defaults(), tuning.Defaults()
		for _, p := range tuning.All() {
			least[p], most[p] = p.Limits()
		}
		profiles := []tuning.Values{least, most}
		for range 6 {
			v := least
			for p := range v {
				for v[p] < most[p]/4 && r.IntN(12) != 0 {
					v[p] *= 1 + r.IntN(3)
				}
			}
			profiles = append(profiles, v)
		}
		if testing.Short() {
			profiles = profiles[:3]
		}
		for _, v := range profiles {
			restore := tuning.Set(v)
			got := everything(rand.New(rand.NewPCG(9, 9)))
			restore()
			for i := range want {
				for j := range want[i] {
					if !asmtest.SameBits(got[i][j], want[i][j]) {
						t.Fatalf("with %v: element %d of result %d is %v, not %v", v.Named(), j, i, got[i][j], want[i][j])
					}
				}
			}
		}
	})
}

// everything returns results of all routines that packing or threads bear on.
func everything(r *rand.Rand) [][]float64 {
	var out [][]float64
	for _, s := range [][3]int{{5, 7, 3}, {61, 130, 40}, {97, 110, 270}} {
		m, n, k := s[0], s[1], s[2]
		out = append(out, products(r, m, n, k)...)
		for _, x := range products32(r, m, n, k) {
			wide := make([]float64, len(x))
			for i, v := range x {
				wide[i] = float64(v)
			}
			out = append(out, wide)
		}
	}
	return out
}

func products(r *rand.Rand, m, n, k int) [][]float64 {
	f := blas.Native.Float64()
	a, b, c := operand[float64](r, m, k), operand[float64](r, k, n), operand[float64](r, m, n)
	at, bt := operand[float64](r, k, m), operand[float64](r, n, k)
	s := operand[float64](r, m, m)
	for i := range m {
		s[i*m+i] += float64(m)
	}
	plain, both, rank, left, y := slices.Clone(c), slices.Clone(c), slices.Clone(s), slices.Clone(c), operand[float64](r, m, 1)
	f.Dgemm(gblas.NoTrans, gblas.NoTrans, m, n, k, 1.5, a, k, b, n, -1, plain, n)
	f.Dgemm(gblas.Trans, gblas.Trans, m, n, k, 1.5, at, m, bt, k, -1, both, n)
	f.Dsyrk(gblas.Lower, gblas.NoTrans, m, k, 1.5, a, k, -1, rank, m)
	f.Dsymm(gblas.Left, gblas.Upper, m, n, 1.5, s, m, plain, n, -1, left, n)
	f.Dtrsm(gblas.Left, gblas.Lower, gblas.NoTrans, gblas.NonUnit, m, n, 1.5, s, m, left, n)
	f.Dtrmm(gblas.Left, gblas.Upper, gblas.Trans, gblas.NonUnit, m, n, 1.5, s, m, both, n)
	f.Dgemv(gblas.Trans, k, m, 1.5, at, m, operand[float64](r, k, 1), 1, -1, y, 1)
	values, work := make([]float64, m), make([]float64, 3*m)
	vectors := slices.Clone(rank)
	blas.Native.Lapack().Dsyev(lapack.EVCompute, gblas.Lower, m, vectors, m, values, work, len(work))
	return [][]float64{plain, both, rank, left, y, values, vectors}
}

func products32(r *rand.Rand, m, n, k int) [][]float32 {
	f := blas.Native.Float32()
	a, b, c := operand[float32](r, m, k), operand[float32](r, k, n), operand[float32](r, m, n)
	at := operand[float32](r, k, m)
	rank := operand[float32](r, n, n)
	turned := slices.Clone(c)
	f.Sgemm(gblas.NoTrans, gblas.NoTrans, m, n, k, 1.5, a, k, b, n, -1, c, n)
	f.Sgemm(gblas.Trans, gblas.NoTrans, m, n, k, 1.5, at, m, b, n, -1, turned, n)
	f.Ssyrk(gblas.Upper, gblas.Trans, n, k, 1.5, b, n, -1, rank, n)
	return [][]float32{c, turned, rank}
}

func operand[F gram.Float](r *rand.Rand, m, n int) []F { return asmtest.Normal[F](r, m*n) }
