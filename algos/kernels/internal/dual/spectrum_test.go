package dual

import (
	"math"
	"slices"
	"testing"

	"github.com/gramworks/gram/algos/kernels/constraint"
	"github.com/gramworks/gram/internal/gen"
	"github.com/gramworks/gram/internal/linalg"
	"github.com/gramworks/gram/internal/must"
	"gonum.org/v1/gonum/mat"
)

// Where a bound is f·‖t‖² the smallest eigenvalue of LogDet's X is f. Spectrum has it with the digits of the dual
// variable, which the eigenvalues of X = BBᵀ would lose beside the others, which are 1.
func TestSmallEigenvalues(t *testing.T) {
	for e := -2; e >= -15; e-- {
		for seed := range uint64(5) {
			p := &Problem{F: LogDet{}, T: gen.Normal(1, 6, seed), N: 1}
			v := p.T.RawRowView(0)
			f := math.Pow10(e)
			p.Rows = []Row{{Weight: []float64{1}, Relation: constraint.AtMost, Bound: Bound{B: f * linalg.Dot(v, v)}}}
			s, _ := must.Have2(p.Newton(t.Context(), []float64{(1 - 1/f) / linalg.Dot(v, v)}, Options{Tol: 1e-3, MaxIter: 100}))(t)
			sigma, lambda, _, _, err := s.Spectrum(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			tol := 1e-13
			if f > 0x1p-21 { // X has enough digits
				tol = 1e-9
			}
			if want := 1 / (1 - s.Y[0]*linalg.Dot(v, v)); !(math.Abs(lambda[0]/want-1) <= tol) {
				t.Errorf("f = 1e%d, seed %d: the eigenvalue is %.17g for σ = %g, want %.17g", e, seed, lambda[0], sigma[0], want)
			}
		}
	}
}

// A state keeps its eigenvalues when those of a truncated one are the largest alone.
func TestTruncated(t *testing.T) {
	p := &Problem{F: VonNeumann{}, T: gen.Normal(3, 4, 1), N: 3}
	for i := range 3 {
		v := p.T.RawRowView(i)
		p.Rows = append(p.Rows, Row{At: i, First: i, Weight: []float64{1}, Relation: constraint.AtMost, Bound: Bound{B: .3 * float64(i+1) * linalg.Dot(v, v)}})
	}
	s := must.Have(p.At(t.Context(), []float64{.5, -.2, .1}, Dense))(t)
	before := slices.Clone(s.lambda)
	for k := range len(before) + 1 {
		cut := s.Truncated(k)
		if !slices.Equal(s.lambda, before) {
			t.Fatalf("rank %d: the eigenvalues %v are now %v", k, before, s.lambda)
		}
		kept, want := slices.Clone(cut.lambda), slices.Clone(before)
		slices.Sort(kept)
		slices.Sort(want)
		clear(want[:len(want)-k])
		if !slices.Equal(kept, want) {
			t.Errorf("rank %d: %v of %v", k, kept, before)
		}
	}
}

// What sweeps take over from Newton's method is its X, by a triangular factor with a positive diagonal.
func TestTake(t *testing.T) {
	p := &Problem{F: LogDet{}, T: gen.Normal(2, 4, 3), N: 2}
	s, evaluations := &State{b: gen.Normal(4, 4, 5)}, 0
	x := newBurg(p, 1e-6, &evaluations)
	x.take(s)
	var got, want mat.Dense
	got.Mul(x.b, x.b.T())
	want.Mul(s.b, s.b.T())
	if !mat.EqualApprox(&got, &want, 1e-12) {
		t.Errorf("X is %v, want %v", mat.Formatted(&got), mat.Formatted(&want))
	}
	for i := range 4 {
		for j := range 4 {
			if v := x.b.At(i, j); j > i && v != 0 || j == i && !(v > 0) {
				t.Errorf("entry %d, %d of the factor is %g", i, j, v)
			}
		}
	}
}

// A bound that slack has moved beyond the range of numbers has an infinite price.
func TestCostOfInfinity(t *testing.T) {
	for _, price := range []Price{Entropy, Inverse, Square} {
		if got := (Bound{Price: price, B: 2, Gamma: 3}).Cost(math.Inf(1)); !math.IsInf(got, 1) {
			t.Errorf("price %d: %g", price, got)
		}
	}
}
