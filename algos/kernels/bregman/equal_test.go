package bregman

import (
	"errors"
	"testing"

	"github.com/gramworks/gram"
	. "github.com/gramworks/gram/algos/kernels/constraint"
	"github.com/gramworks/gram/internal/gen"
	"gonum.org/v1/gonum/mat"
)

// Equal rows of a kernel matrix cannot be told apart, whatever rounding makes of them in its factor.
func TestEqualRows(t *testing.T) {
	for _, n := range []int{30, 100} {
		for _, d := range []Divergence{Burg, VonNeumann} {
			for seed := range uint64(12) {
				g := gen.Normal(n, n, seed)
				g.SetRow(1, g.RawRowView(0))
				var k mat.SymDense
				k.SymOuterK(1, g)
				for j := range n { // in the last bit, too
					k.SetSym(1, j, k.At(0, j))
				}
				k.SetSym(1, 1, k.At(0, 0))
				k.SetSym(0, 1, k.At(0, 0))
				m, err := Config{Divergence: d}.FitMatrix(t.Context(), &k, []Linear{Distance(0, 1, AtLeast, .2), Distance(2, 3, AtMost, 1)})
				var infeasible *InfeasibleError
				if m != nil || !errors.As(err, &infeasible) || len(infeasible.Constraints) != 1 || infeasible.Constraints[0] != 0 {
					t.Errorf("%d rows, %v, seed %d: %v", n, d, seed, err)
				}
			}
		}
	}
}

// A distance that is to grow by more than float64 can tell from rounding ends the fit, with figures that are
// numbers.
func TestGrowthBeyondRounding(t *testing.T) {
	for _, d := range []Divergence{Burg, VonNeumann} {
		for _, off := range []float64{1e-9, 1e-12} {
			g := gen.Normal(8, 4, 3)
			g.SetRow(1, g.RawRowView(0))
			g.Set(1, 2, g.At(0, 2)+off)
			m, err := Config{Divergence: d}.Fit(t.Context(), g, []Linear{Distance(0, 1, AtLeast, 2), Distance(2, 3, AtMost, 1)})
			var short *gram.ConvergenceError
			if m == nil || !errors.As(err, &short) {
				t.Errorf("%v, %g: %v", d, off, err)
				continue
			}
			if s := m.Stats(); s.Violation-s.Violation != 0 || s.Gap-s.Gap != 0 || s.Projections > 10 || short.Residual-short.Residual != 0 {
				t.Errorf("%v, %g: %+v", d, off, s)
			}
		}
	}
}

// After MaxIter the best of the sweeps is returned, not the last: these constraints contradict each other,
// which three sweeps do not show.
func TestBestSweep(t *testing.T) {
	for _, seed := range []uint64{2, 4} {
		g := gen.Normal(6, 3, seed)
		var cs []Linear
		for i := range 5 {
			cs = append(cs, Distance(i, i+1, Equal, []float64{.2, 30}[i%2]))
			if i < 4 {
				cs = append(cs, Distance(i, i+2, Equal, 5))
			}
		}
		var first float64
		for iter := 1; iter <= 3; iter++ {
			m, err := Config{Tol: 1e-12, MaxIter: iter, Cyclic: true}.Fit(t.Context(), g, cs)
			var short *gram.ConvergenceError
			if m == nil || !errors.As(err, &short) {
				t.Fatal(err)
			}
			left := max(m.Stats().Violation, m.Stats().Gap)
			if first == 0 {
				first = left
			}
			if !(left <= 1.001*first) || left != short.Residual {
				t.Errorf("seed %d: a residual of %g after %d sweeps, %g after one", seed, left, iter, first)
			}
		}
	}
}
