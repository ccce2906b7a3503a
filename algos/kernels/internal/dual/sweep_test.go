package dual

import (
	"context"
	"errors"
	"math"
	"math/big"
	"slices"
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/kernels/constraint"
	"github.com/gramworks/gram/internal/gen"
	"github.com/gramworks/gram/internal/must"
	"gonum.org/v1/gonum/mat"
)

func number(x float64) *big.Float { return new(big.Float).SetPrec(300).SetFloat64(x) }

func product(x, y *big.Float) *big.Float { return new(big.Float).SetPrec(300).Mul(x, y) }

func float(x *big.Float) float64 { v, _ := x.Float64(); return v }

// single is the problem of one equation on the value of z, with a bound.
func single(f Function, z, base []float64, b Bound) *Problem {
	return &Problem{F: f, T: mat.NewDense(1, len(z), z), Base: base, N: 1, Rows: []Row{{Weight: []float64{1}, Relation: constraint.Equal, Bound: b}}}
}

// projected makes the projection on the only row of p, which it returns with the step.
func projected(t *testing.T, p *Problem) (e *engine, a float64) {
	t.Helper()
	e = newEngine(p, Options{Tol: 1e-3, MaxIter: 1})
	e.x.load(&p.Rows[0])
	a, err := e.x.step(p.Rows[0].Bound.from(e.y[0], 0), math.Inf(-1), math.Inf(1))
	if err == nil {
		err = e.x.move()
	}
	if err != nil {
		t.Fatal(err)
	}
	return e, a
}

// A projection of Burg's divergence brings the value to where it belongs with an error of
// rounding, 24 orders of bounds and with every slack, where 1 − aμ has no digit left.
func TestProjectionAccuracy(t *testing.T) {
	const r = 5
	for seed := range uint64(3) {
		z := gen.Normal(1, r, seed).RawRowView(0)
		p := number(0)
		for _, x := range z {
			p.Add(p, product(number(x), number(x)))
		}
		for e := -12; e <= 12; e++ {
			for _, gamma := range []float64{0, 1e-6, 0.01, 1, 100, 1e6} {
				b := Bound{B: float(p) * math.Pow10(e)}
				want := number(b.B)
				if gamma > 0 { // (γ+1)/(1/p + γ/b)
					b.Price, b.Gamma = Inverse, gamma
					want = number(0).Quo(number(gamma), want)
					want.Add(want, number(0).Quo(number(1), p))
					want.Quo(number(0).Add(number(gamma), number(1)), want)
				}
				en, _ := projected(t, single(LogDet{}, z, nil, b))
				got := number(0)
				factor := en.x.(*burg).b
				for k := range r {
					sum := number(0)
					for j := range r {
						sum.Add(sum, product(number(z[j]), number(factor.At(j, k))))
					}
					got.Add(got, product(sum, sum))
				}
				if err := float(got.Quo(got, want)) - 1; !(math.Abs(err) <= 1e-14) {
					t.Errorf("b/p = 1e%d, γ = %g: relative error %g", e, gamma, err)
				}
			}
		}
	}
}

// A projection of von Neumann's divergence finds the dual for which the value of the exact X
// exp(log X₀ + a·H) is the bound with an error of rounding, also where it is far below the value before and
// the eigenvectors that are left are almost orthogonal to z. The eigenvectors that are kept cannot have such a
// value with more than rounding leaves: coordinates of size 1 cancel in Wᵀz.
func TestProjectionDual(t *testing.T) {
	for seed := range uint64(12) {
		draw := gen.Normal(2, 2, seed)
		z, logs := draw.RawRowView(0), draw.RawRowView(1)
		before := float(valueAt(z, logs, 0))
		for e := -13; e <= 12; e++ {
			for _, gamma := range []float64{0, 1, 100} {
				b := Bound{B: before * math.Pow10(e)}
				if gamma > 0 {
					b.Price, b.Gamma = Entropy, gamma
				}
				en, a := projected(t, single(VonNeumann{}, z, logs, b))
				want, _, _ := b.At(a)
				if off := float(number(0).Quo(valueAt(z, logs, a), number(want))) - 1; !(math.Abs(off) <= 1e-13) {
					t.Errorf("seed %d, b/p = 1e%d, γ = %g: relative error %g", seed, e, gamma, off)
				}
				rounding := 1e-13 + 32*0x1p-53*math.Sqrt(before/want)
				if got, _ := en.x.load(&en.p.Rows[0]); !(math.Abs(got/want-1) <= rounding) {
					t.Errorf("seed %d, b/p = 1e%d, γ = %g: the eigenvectors have the value %g, the bound is %g", seed, e, gamma, got, want)
				}
			}
		}
	}
}

// A projection of von Neumann's divergence makes a value smaller that is above the bound, and a smaller one larger, also where the
// bound is so far away that a step leads beyond the range of numbers.
func TestProjectionGoesTheRightWay(t *testing.T) {
	for _, c := range []struct {
		length, log float64 // of the vector, and the logarithm of X's largest eigenvalue
		bound       float64
		sign        float64
	}{{1, 0, 1e-5, -1}, {1, 0, 1e5, 1}, {1e-90, 0, 1e-150, 1}, {1e-90, 600, 1e-200, -1}, {1e-100, 300, 1e-300, -1}, {1e-100, 690, 1e-250, -1}} {
		z := []float64{c.length, 2 * c.length}
		_, a := projected(t, single(VonNeumann{}, z, []float64{c.log, c.log - 1}, Bound{B: c.bound}))
		if !(a*c.sign > 0) {
			t.Errorf("length %g, logarithm %g, bound %g: a step of %g", c.length, c.log, c.bound, a)
		}
	}
}

// valueAt is zᵀ·exp(diag(logs) + a·zzᵀ)·z for r = 2. For
// Θ = [p s; s q] the eigenvalues are λ = (p+q)/2 ± √(((p−q)/2)² + s²), and
// zᵀexp(Θ)z = Σ dλ/da·exp(λ).
func valueAt(z, logs []float64, a float64) *big.Float {
	x, y := product(number(z[0]), number(z[0])), product(number(z[1]), number(z[1]))
	sum, half := number(0).Add(x, y), number(0.5)
	mean := number(0).Add(number(logs[0]), number(logs[1]))
	mean = product(half, mean.Add(mean, product(number(a), sum)))
	diff := number(0).Sub(number(logs[0]), number(logs[1]))
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

// Duals that are far off do not hide behind an X that keeps the rows, also not where
// the condition of X is 10¹⁴ and X of the duals cannot be told apart in float64.
func TestDualsFarOff(t *testing.T) {
	p := &Problem{F: LogDet{}, T: gen.Normal(2, 4, 2), N: 2, Rows: []Row{
		{At: 0, First: 0, Weight: []float64{1}, Relation: constraint.Equal, Bound: Bound{B: 1e-7}},
		{At: 1, First: 1, Weight: []float64{1}, Relation: constraint.AtLeast, Bound: Bound{B: 1e7}},
	}}
	for _, factor := range []float64{1, 1.57} {
		e := newEngine(p, Options{Tol: 1e-6, MaxIter: 100, Progress: func(int, float64) {}})
		must.Do(t, e.learn(t.Context()))
		off, err := e.x.distance(t.Context(), e.y)
		if err != nil || !(off <= 1e-3) {
			t.Fatalf("the duals are off by %g, %v", off, err)
		}
		e.y[0] = e.y[0].times(extended{hi: factor})
		err = e.agree(t.Context())
		var slow *gram.ConvergenceError
		if errors.As(err, &slow) != (factor != 1) {
			t.Errorf("a dual %g times what it is: %v", factor, err)
		}
	}
}

// After a projection its row holds in X, with an offset, terms of both signs and every price.
func TestProjectionKeepsRow(t *testing.T) {
	for seed := range uint64(200) {
		for _, price := range []Price{Hard, Inverse, Square} {
			in := draw(seed)
			p := &Problem{F: LogDet{}, T: in.p.T, N: in.p.N}
			for _, r := range in.p.Rows {
				r.Identity, r.Offset = 0, 0.1*float64(seed%3)*p.size(&r)
				if r.Bound.Price, r.Bound.Gamma = price, 0.7; price == Inverse && (!r.definite() || r.Bound.B <= 0) || len(r.Weight) == 0 {
					continue
				}
				p.Rows = append(p.Rows, r)
			}
			e := newEngine(p, Options{Tol: 1e-6, MaxIter: 1})
			for i := range p.Rows {
				r := &p.Rows[i]
				before := e.y[i]
				e.x.load(r)
				if err := e.project(i, r.Bound.from(before, r.Offset)); err != nil || e.y[i] == before || e.y[i] == (extended{}) {
					continue
				}
				value, size := e.x.load(r)
				xi, _, _ := r.Bound.At(e.y[i].hi)
				if !(math.Abs(value+r.Offset-xi) <= 1e-10*(size+math.Abs(xi))) {
					t.Errorf("seed %d, price %d: row %d has the value %g, the bound is %g", seed, price, i, value+r.Offset, xi)
				}
			}
		}
	}
}

// What sweeps end with is what Newton's method ends with.
func TestSweepIsNewton(t *testing.T) {
	solved := 0
	for seed := range uint64(60) {
		in := draw(seed)
		if !in.feasible {
			continue
		}
		p := &Problem{F: LogDet{}, T: in.p.T, N: in.p.N}
		for _, r := range in.p.Rows {
			if r.Identity == 0 {
				p.Rows = append(p.Rows, r)
			}
		}
		o := Options{Tol: 1e-8, MaxIter: 3000, Spectrum: Dense, Progress: func(int, float64) {}}
		s, report, err := p.Sweep(t.Context(), o)
		want, _, slow := p.Newton(context.Background(), make([]float64, len(p.Rows)), o)
		if err != nil || slow != nil {
			continue
		}
		solved++
		if !(math.Abs(s.Objective-want.Objective) <= 1e-6*(math.Abs(want.Objective)+p.unit())) || !(math.Abs(report.Divergence+s.Price()-s.Objective) <= 1e-6*(math.Abs(s.Objective)+p.unit())) {
			t.Errorf("seed %d: objectives %g and %g, divergence %g and price %g", seed, s.Objective, want.Objective, report.Divergence, s.Price())
		}
	}
	if solved < 5 {
		t.Errorf("only %d problems were solved", solved)
	}
}

// A row whose value and bound are both so much more is the same row: sweeps go the same way.
func TestOffsetsDoNotMatter(t *testing.T) {
	solved := 0
	for seed := range uint64(60) {
		in := draw(seed)
		if !in.feasible {
			continue
		}
		plain := &Problem{F: LogDet{}, T: in.p.T, N: in.p.N}
		for _, r := range in.p.Rows {
			if r.Identity == 0 {
				plain.Rows = append(plain.Rows, r)
			}
		}
		moved := *plain
		moved.Rows = slices.Clone(plain.Rows)
		for i := range moved.Rows {
			r := &moved.Rows[i]
			r.Offset = 0.3 * moved.size(r)
			r.Bound.B += r.Offset
		}
		o := Options{Tol: 1e-4, MaxIter: 40, Cyclic: true, Progress: func(int, float64) {}}
		s, from, err := plain.Sweep(t.Context(), o)
		u, to, other := moved.Sweep(t.Context(), o)
		if err != nil {
			continue
		}
		solved++
		if other != nil || to.Iterations > from.Iterations || to.Projections > from.Projections || !(math.Abs(s.Objective-u.Objective) <= 1e-3*(math.Abs(s.Objective)+plain.unit())) {
			t.Errorf("seed %d: objectives %g and %g, %d and %d sweeps with %d and %d steps, %v", seed, s.Objective, u.Objective, from.Iterations, to.Iterations, from.Projections, to.Projections, other)
		}
	}
	if solved < 5 {
		t.Errorf("only %d problems were solved", solved)
	}
}
