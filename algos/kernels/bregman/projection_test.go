package bregman

import (
	"math"
	"math/big"
	"testing"

	. "github.com/gramworks/gram/algos/kernels/constraint"
	"github.com/gramworks/gram/internal/gen"
	"gonum.org/v1/gonum/mat"
)

// A projection of von Neumann's divergence finds the dual for which the value of the exact kernel
// exp(log X₀ + a·H) is the bound with an error of rounding, also where it is far below the value before and
// the eigenvectors that are left are almost orthogonal to z. The factor that is returned cannot have such a
// value with more than rounding leaves: rows of T that are of size 1 cancel in Tᵀz.
func TestProjectionDual(t *testing.T) {
	for seed := range uint64(12) {
		g := gen.Normal(4, 2, seed)
		start, err := decompose(t.Context(), g)
		if err != nil {
			t.Fatal(err)
		}
		before := float(valueAt(t, start, g, 0))
		for e := -13; e <= 12; e++ {
			for _, gamma := range []float64{0, 1, 100} {
				b := before * math.Pow10(e)
				en, err := newEngine(Config{Divergence: VonNeumann, Slack: gamma, Tol: 1e-3, MaxIter: 1}, g, 0, start, []Linear{Distance(0, 1, Equal, b)}, &Stats{})
				if err != nil {
					t.Fatal(err)
				}
				en.load(&en.cs[0])
				a, err := en.s.step(en.boundOf(0), math.Inf(-1), math.Inf(1))
				if err != nil {
					t.Fatal(err)
				}
				want, _ := en.boundOf(0).at(a)
				if off := float(number(0).Quo(valueAt(t, start, g, a), number(want))) - 1; !(math.Abs(off) <= 1e-13) {
					t.Errorf("seed %d, b/p = 1e%d, γ = %g: relative error %g", seed, e, gamma, off)
				}
				if err := en.s.move(); err != nil {
					t.Fatal(err)
				}
				rounding := 1e-13 + 32*0x1p-53*math.Sqrt(before/want)
				if got, _ := en.load(&en.cs[0]); !(math.Abs(got/want-1) <= rounding) {
					t.Errorf("seed %d, b/p = 1e%d, γ = %g: the factor has the value %g, the bound is %g", seed, e, gamma, got, want)
				}
			}
		}
	}
}

// valueAt is the squared distance of rows 0 and 1 in the kernel exp(log X₀ + a·zzᵀ) of rank 2. For
// Θ = [p s; s q] in the eigenvectors of X₀ the eigenvalues are λ = (p+q)/2 ± √(((p−q)/2)² + s²), and
// zᵀexp(Θ)z = Σ dλ/da·exp(λ).
func valueAt(t *testing.T, start *spectral, g *mat.Dense, a float64) *big.Float {
	t.Helper()
	v := newVonNeumann(start, &Stats{})
	z := make([]float64, 2)
	v.load(&row{weight: []float64{1}}, mat.NewDense(1, 2, []float64{g.At(0, 0) - g.At(1, 0), g.At(0, 1) - g.At(1, 1)}))
	copy(z, v.v.RawRowView(0))
	x, y := product(number(z[0]), number(z[0])), product(number(z[1]), number(z[1]))
	sum, half := number(0).Add(x, y), number(0.5)
	mean := number(0).Add(number(v.logs[0]), number(v.logs[1]))
	mean = product(half, mean.Add(mean, product(number(a), sum)))
	diff := number(0).Sub(number(v.logs[0]), number(v.logs[1]))
	diff.Add(diff, product(number(a), number(0).Sub(x, y)))
	diff = product(half, diff)
	root := product(product(number(a), number(a)), product(x, y))
	root.Sqrt(root.Add(root, product(diff, diff)))
	slope := product(product(half, diff), number(0).Sub(x, y)) // of the root
	slope.Add(slope, product(number(a), product(x, y)))
	slope.Quo(slope, root)
	value := number(0)
	for _, sign := range []float64{-1, 1} {
		lambda := number(0).Add(mean, product(number(sign), root))
		share := number(0).Add(product(half, sum), product(number(sign), slope))
		high := float(lambda)
		low := float(number(0).Sub(lambda, number(high)))
		if e := math.Exp(high); e > 0 {
			value.Add(value, product(share, product(number(e), number(1+low))))
		}
	}
	return value
}
