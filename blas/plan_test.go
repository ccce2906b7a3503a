package blas_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/asm/cpu"
	"github.com/gramworks/gram/blas"
	"github.com/gramworks/gram/internal/asmtest"
	"github.com/gramworks/gram/internal/must"
	gblas "gonum.org/v1/gonum/blas"
)

// gemmOf calls GEMM of Native.
func gemmOf[F gram.Float](tA, tB gblas.Transpose, m, n, k int, alpha F, a []F, lda int, b []F, ldb int, beta F, c []F, ldc int) {
	switch a := any(a).(type) {
	case []float64:
		blas.Native.Float64().Dgemm(tA, tB, m, n, k, float64(alpha), a, lda, any(b).([]float64), ldb, float64(beta), any(c).([]float64), ldc)
	case []float32:
		blas.Native.Float32().Sgemm(tA, tB, m, n, k, float32(alpha), a, lda, any(b).([]float32), ldb, float32(beta), any(c).([]float32), ldc)
	}
}

func checkPlan[F gram.Float](t *testing.T) {
	r := rand.New(rand.NewPCG(1, 3))
	const ld = 40
	a, b, start := asmtest.Normal[F](r, ld*ld), asmtest.Normal[F](r, ld*ld), asmtest.Normal[F](r, ld*ld)
	sizes := []int{0, 1, 2, 3, 4, 5, 8, 11, 16, 17, 24, 32, 33, 40}
	for range 600 {
		m, n, k := sizes[r.IntN(len(sizes))], sizes[r.IntN(len(sizes))], sizes[r.IntN(len(sizes))]
		alpha, beta := F([]float64{1, 1, -.7, 0}[r.IntN(4)]), F([]float64{0, 1, .3}[r.IntN(3)])
		for _, tA := range []gblas.Transpose{gblas.NoTrans, gblas.Trans} {
			for _, tB := range []gblas.Transpose{gblas.NoTrans, gblas.ConjTrans} {
				want, got := slices.Clone(start), slices.Clone(start)
				gemmOf(tA, tB, m, n, k, alpha, a, ld, b, ld, beta, want, ld)
				blas.NewPlan[F](tA, tB, m, n, k).Mul(alpha, a, ld, b, ld, beta, got, ld)
				if !slices.EqualFunc(got, want, asmtest.SameBits[F]) {
					t.Fatalf("%c%c %d×%d, k=%d, alpha %v, beta %v: other bits than those of GEMM", tA, tB, m, n, k, alpha, beta)
				}
			}
		}
	}
}

// The products of a plan have the bits of those of the backend.
func TestPlan(t *testing.T) {
	asmtest.ForEachLevel(t, cpu.Levels()[1:], func(t *testing.T) {
		t.Run("float64", checkPlan[float64])
		t.Run("float32", checkPlan[float32])
	})
}

func TestPlanPanics(t *testing.T) {
	x := make([]float64, 100)
	for message, call := range map[string]func(){
		"blas: m < 0":                       func() { blas.NewPlan[float64](gblas.NoTrans, gblas.NoTrans, -1, 2, 3) },
		"blas: n < 0":                       func() { blas.NewPlan[float64](gblas.NoTrans, gblas.NoTrans, 1, -2, 3) },
		"blas: k < 0":                       func() { blas.NewPlan[float64](gblas.NoTrans, gblas.NoTrans, 1, 2, -3) },
		"blas: illegal transpose":           func() { blas.NewPlan[float64]('X', gblas.NoTrans, 1, 2, 3) },
		"blas: bad leading dimension of A":  func() { planOf(gblas.NoTrans).Mul(1, x, 4, x, 4, 0, x, 4) },
		"blas: bad leading dimension of B":  func() { planOf(gblas.NoTrans).Mul(1, x, 5, x, 3, 0, x, 4) },
		"blas: bad leading dimension of C":  func() { planOf(gblas.NoTrans).Mul(1, x, 5, x, 4, 0, x, 3) },
		"blas: insufficient length of a":    func() { planOf(gblas.NoTrans).Mul(1, x[:14], 5, x, 4, 0, x, 4) },
		"blas: insufficient length of b":    func() { planOf(gblas.NoTrans).Mul(1, x, 5, x[:19], 4, 0, x, 4) },
		"blas: insufficient length of c":    func() { planOf(gblas.NoTrans).Mul(1, x, 5, x, 4, 0, x[:11], 4) },
		"blas: insufficient length of a ":   func() { planOf(gblas.Trans).Mul(1, x[:14], 3, x, 4, 0, x, 4) },
		"blas: bad leading dimension of A ": func() { planOf(gblas.Trans).Mul(1, x, 2, x, 4, 0, x, 4) },
	} {
		if got := must.Recovered(call); fmt.Sprint(got) != message && fmt.Sprint(got)+" " != message {
			t.Errorf("%v, want %q", got, message)
		}
	}
}

// planOf is the plan of a 3×4 product over five terms.
func planOf(tA gblas.Transpose) blas.Plan[float64] {
	return blas.NewPlan[float64](tA, gblas.NoTrans, 3, 4, 5)
}

func TestPlanAllocatesNothing(t *testing.T) {
	x, y, z := values[float64](64), values[float64](64), make([]float64, 64)
	p := blas.NewPlan[float64](gblas.Trans, gblas.NoTrans, 8, 8, 8)
	if n := testing.AllocsPerRun(10, func() { p.Mul(1, x, 8, y, 8, 0, z, 8) }); n > 0 {
		t.Errorf("%v allocations", n)
	}
}

func ExamplePlan() {
	p := blas.NewPlan[float64](gblas.NoTrans, gblas.NoTrans, 2, 2, 2)
	rotation, c := []float64{0, -1, 1, 0}, []float64{1, 2, 3, 4}
	for range 3 { // C = R·C, three quarters of a turn
		next := make([]float64, 4)
		p.Mul(1, rotation, 2, c, 2, 0, next, 2)
		c = next
	}
	fmt.Println(c)
	// Output: [3 4 -1 -2]
}
