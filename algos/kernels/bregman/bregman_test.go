package bregman

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/algotest"
	"github.com/gramworks/gram/algos/kernels/constraint"
	"github.com/gramworks/gram/internal/gen"
	"github.com/gramworks/gram/internal/must"
	"github.com/gramworks/gram/num/rng"
	"gonum.org/v1/gonum/mat"
)

func fit(t *testing.T, c Config, g mat.Matrix, cs []constraint.Linear) *Model {
	t.Helper()
	m := must.Have(c.Fit(context.Background(), g, cs))(t)
	return m
}

func gramOf(g *mat.Dense) *mat.SymDense {
	var k mat.SymDense
	k.SymOuterK(1, g)
	return &k
}

// dense is A as an n×n matrix, from the definition.
func dense(c constraint.Linear, n int) *mat.SymDense {
	a := mat.NewSymDense(n, nil)
	for i := range n {
		a.SetSym(i, i, c.Identity)
	}
	for _, t := range c.Terms {
		z := mat.NewVecDense(n, nil)
		for k, v := range t.Z.Value {
			i := k
			if t.Z.Index != nil {
				i = t.Z.Index[k]
			}
			z.SetVec(i, z.AtVec(i)+v)
		}
		a.SymRankOne(a, t.Weight, z)
	}
	return a
}

func inner(a, b mat.Matrix) float64 {
	var p mat.Dense
	p.Mul(a, b)
	return mat.Trace(&p)
}

// congruence is fᵀaf.
func congruence(f mat.Matrix, a mat.Matrix) *mat.SymDense {
	var p, q mat.Dense
	p.Mul(f.T(), a)
	q.Mul(&p, f)
	_, r := f.Dims()
	s := mat.NewSymDense(r, nil)
	for i := range r {
		for j := i; j < r; j++ {
			s.SetSym(i, j, (q.At(i, j)+q.At(j, i))/2)
		}
	}
	return s
}

func function(a *mat.SymDense, f func(float64) float64) *mat.SymDense {
	var e mat.EigenSym
	if !e.Factorize(a, true) {
		panic("no eigenvalues")
	}
	var q mat.Dense
	e.VectorsTo(&q)
	v := e.Values(nil)
	for i := range v {
		v[i] = f(v[i])
	}
	return congruence(q.T(), mat.NewDiagDense(len(v), v))
}

func subtract(a, b *mat.SymDense) {
	var m mat.SymDense
	m.ScaleSym(-1, b)
	a.AddSym(a, &m)
}

func isWithin(t *testing.T, what string, got, want, tol float64) {
	t.Helper()
	if !(math.Abs(got-want) <= tol*max(1, math.Abs(want))) {
		t.Errorf("%s is %.12g, want %.12g", what, got, want)
	}
}

// reference is the problem in a basis of the range of K₀ in which nothing of the
// package is used: V by the eigendecomposition of the n×n matrix K₀.
type reference struct {
	c    Config
	v    *mat.Dense
	l    *mat.SymDense // VᵀK₀V, diagonal
	h    []*mat.SymDense
	b, g []float64 // bounds; γ of the quadratic price, 0 where another one is used
	rel  []constraint.Relation
}

func newReference(c Config, g0 *mat.Dense, cs []constraint.Linear) *reference {
	n, _ := g0.Dims()
	k := gramOf(g0)
	var e mat.EigenSym
	e.Factorize(k, true)
	var q mat.Dense
	e.VectorsTo(&q)
	values := e.Values(nil)
	first := slices.IndexFunc(values, func(v float64) bool { return v > 1e-10*values[n-1] })
	p := &reference{c: c, v: q.Slice(0, n, first, n).(*mat.Dense)}
	p.l = congruence(p.v, k)
	for _, k0 := range cs {
		a := dense(k0, n)
		p.h = append(p.h, congruence(p.v, a))
		p.b, p.rel = append(p.b, k0.Bound), append(p.rel, k0.Relation)
		gamma := 0.0
		positive := k0.Identity >= 0
		var size float64
		for _, term := range k0.Terms {
			positive = positive && term.Weight > 0
			size += math.Abs(term.Weight) * inner(k, dense(constraint.Linear{Terms: []constraint.Term{{Weight: 1, Z: term.Z}}}, n))
		}
		if c.Slack > 0 && (!positive || k0.Bound <= 0) {
			gamma = c.Slack / size
			if c.Divergence == Burg {
				gamma /= size
			}
		}
		p.g = append(p.g, gamma)
	}
	return p
}

// bound is the least γd(ξ,b) + yξ and the ξ where it is.
func (p *reference) bound(i int, y float64) (value, xi float64) {
	b, g := p.b[i], p.c.Slack
	switch {
	case g == 0:
		return y * b, b
	case p.g[i] > 0:
		xi = b - y/p.g[i]
		return p.g[i]/2*(xi-b)*(xi-b) + y*xi, xi
	case p.c.Divergence == Burg:
		xi = 1 / (1/b + y/g)
		return g*(xi/b-math.Log(xi/b)-1) + y*xi, xi
	}
	xi = b * math.Exp(-y/g)
	return g*(xi*math.Log(xi/b)-xi+b) + y*xi, xi
}

// at returns the dual function and its gradient; −Inf outside of its domain.
func (p *reference) at(y []float64) (float64, []float64) {
	r := p.l.SymmetricDim()
	s := mat.NewSymDense(r, nil)
	var value float64
	xi := make([]float64, len(y))
	for i, h := range p.h {
		var t mat.SymDense
		t.ScaleSym(y[i], h)
		s.AddSym(s, &t)
		var v float64
		v, xi[i] = p.bound(i, y[i])
		if !(xi[i] > 0) && p.c.Slack > 0 && p.g[i] == 0 {
			return math.Inf(-1), nil
		}
		value += v
	}
	var x *mat.SymDense
	if p.c.Divergence == Burg {
		inv := function(p.l, func(v float64) float64 { return 1 / v })
		subtract(inv, s)
		var chol mat.Cholesky
		if !chol.Factorize(inv) {
			return math.Inf(-1), nil
		}
		var c0 mat.Cholesky
		c0.Factorize(p.l)
		value += chol.LogDet() + c0.LogDet()
		x = mat.NewSymDense(r, nil)
		if err := chol.InverseTo(x); err != nil {
			return math.Inf(-1), nil
		}
	} else {
		s.AddSym(s, function(p.l, math.Log))
		x = function(s, math.Exp)
		value += mat.Trace(p.l) - mat.Trace(x)
	}
	gradient := make([]float64, len(y))
	for i, h := range p.h {
		gradient[i] = xi[i] - inner(x, h)
	}
	return value, gradient
}

// solve maximizes the dual by projected gradients with Barzilai–Borwein steps.
func (p *reference) solve() float64 {
	y := make([]float64, len(p.h))
	clip := func(i int, v float64) float64 {
		switch p.rel[i] {
		case constraint.AtMost:
			return min(v, 0)
		case constraint.AtLeast:
			return max(v, 0)
		}
		return v
	}
	value, g := p.at(y)
	step := 1e-2
	for range 20000 {
		var next []float64
		var v float64
		var ng []float64
		for {
			next = make([]float64, len(y))
			var model float64
			for i := range y {
				next[i] = clip(i, y[i]+step*g[i])
				model += g[i] * (next[i] - y[i])
			}
			if v, ng = p.at(next); v >= value+1e-4*model-1e-13*math.Abs(value) {
				break
			}
			if step /= 4; step < 1e-18 {
				return value
			}
		}
		var ss, sy, moved float64
		for i := range y {
			d := next[i] - y[i]
			ss += d * d
			sy -= d * (ng[i] - g[i])
			moved = max(moved, math.Abs(clip(i, next[i]+ng[i])-next[i]))
		}
		y, value, g = next, v, ng
		if moved < 1e-11 {
			break
		}
		step = 1
		if sy > 0 {
			step = ss / sy
		}
	}
	return value
}

// problems returns sets of constraints of every kind that have solutions: bounds
// lie between the values at K₀ and at another kernel of the same range.
func problems(g0 *mat.Dense, seed uint64) map[string][]constraint.Linear {
	n, r := g0.Dims()
	src := rng.New(seed, 5)
	t := mat.NewDense(r, r, nil)
	for i := range r {
		for j := range r {
			t.Set(i, j, 0.4*src.NormFloat64())
		}
		t.Set(i, i, t.At(i, i)+0.9)
	}
	var other mat.Dense
	other.Mul(g0, t)
	k := gramOf(&other)
	settle := func(cs ...constraint.Linear) []constraint.Linear {
		k0 := gramOf(g0)
		for i := range cs {
			a := dense(cs[i], n)
			at, from := inner(k, a), inner(k0, a)
			switch i % 3 {
			case 0: // an equality, or an inequality that binds
				cs[i].Bound = at
				cs[i].Relation = constraint.Equal
			case 1:
				cs[i].Bound = at + 0.2*(from-at)
				cs[i].Relation = constraint.AtMost
				if from < at {
					cs[i].Relation = constraint.AtLeast
				}
			default: // holds at K₀ and at the solution
				cs[i].Bound = max(from, at) + 0.1*math.Abs(at)
				cs[i].Relation = constraint.AtMost
			}
		}
		return cs
	}
	row := func() int { return src.IntN(n) }
	two := func() (int, int) {
		i := row()
		return i, (i + 1 + src.IntN(n-1)) % n
	}
	var distances, similarities, relatives, products, ranks, all []constraint.Linear
	for range 7 {
		i, j := two()
		l, m := two()
		distances = append(distances, constraint.Distance(i, j, constraint.Equal, 0))
		similarities = append(similarities, constraint.Similarity(i, j, constraint.Equal, 0), constraint.Similarity(l, l, constraint.Equal, 0))
		relatives = append(relatives, constraint.RelativeDistance(i, j, l, m, constraint.Equal, 0))
		products = append(products, constraint.RelativeSimilarity(i, j, l, m, constraint.Equal, 0))
	}
	for k := range 4 {
		z := gen.Normal(n, 3, seed+uint64(k))
		ranks = append(ranks, constraint.Quadratic(constraint.Vector{Value: mat.Col(nil, 0, z)}, constraint.Equal, 0), constraint.LowRank(z, []float64{1, -0.5, 0.2}, constraint.Equal, 0))
	}
	all = append(all, distances[:2]...)
	all = append(all, similarities[:3]...)
	all = append(all, relatives[:2]...)
	all = append(all, products[0], ranks[1], constraint.Trace(constraint.Equal, 0))
	return map[string][]constraint.Linear{
		"distances": settle(distances...), "similarities": settle(similarities[:8]...), "relative distances": settle(relatives[:5]...),
		"relative similarities": settle(products[:5]...), "low rank": settle(ranks[:5]...), "mixed": settle(all...),
	}
}

var both = map[string]Divergence{"Burg": Burg, "von Neumann": VonNeumann}

// The conditions of optimality, and the value of a solution found by another
// method.
func TestOptimality(t *testing.T) {
	algotest.Serial(t)
	for name, d := range both {
		for _, shape := range [][2]int{{12, 5}, {9, 9}, {30, 4}} {
			if testing.Short() && shape[0] == 30 {
				continue
			}
			n, r := shape[0], shape[1]
			g0 := gen.Normal(n, r, uint64(n))
			for kind, cs := range problems(g0, 3) {
				for _, slack := range []float64{0, 0.7} {
					if testing.Short() && slack == 0 && kind == "mixed" {
						continue
					}
					t.Run(fmt.Sprintf("%s/%s/n=%d/r=%d/slack=%g", name, kind, n, r, slack), func(t *testing.T) {
						c := Config{Divergence: d, Slack: slack, Tol: 1e-9, MaxIter: 200_000}
						m := fit(t, c, g0, cs)
						p := newReference(c, g0, cs)
						k := gramOf(m.Map(nil, g0))
						x := congruence(p.v, k)
						// Feasibility, signs, complementarity.
						s := mat.NewSymDense(r, nil)
						for i, h := range p.h {
							y := m.Stats().Duals[i]
							_, xi := p.bound(i, y)
							gap := inner(k, dense(cs[i], n)) - xi
							scale := max(1, math.Abs(xi))
							if cs[i].Relation != constraint.AtLeast && !(gap < 1e-6*scale) || cs[i].Relation != constraint.AtMost && !(gap > -1e-6*scale) {
								t.Errorf("constraint %d is off by %g", i, gap)
							}
							if cs[i].Relation == constraint.AtMost && y > 0 || cs[i].Relation == constraint.AtLeast && y < 0 {
								t.Errorf("dual %d is %g", i, y)
							}
							isWithin(t, "complementarity", y*gap, 0, 1e-6)
							var step mat.SymDense
							step.ScaleSym(y, h)
							s.AddSym(s, &step)
						}
						// Stationarity.
						inv := func(v float64) float64 { return 1 / v }
						var left, right *mat.SymDense
						if d == Burg {
							left, right = function(x, inv), function(p.l, inv)
							subtract(right, s)
						} else {
							left, right = function(x, math.Log), function(p.l, math.Log)
							right.AddSym(right, s)
						}
						subtract(left, right)
						if e := mat.Norm(left, 2) / mat.Norm(right, 2); !(e < 1e-6) {
							t.Errorf("stationarity holds to %g", e)
						}
						// Range, divergence and the other solver.
						var back mat.Dense
						back.Mul(p.v, p.v.T())
						back.Mul(&back, k)
						back.Sub(&back, k)
						if e := mat.Norm(&back, 2) / mat.Norm(k, 2); !(e < 1e-9) {
							t.Errorf("the kernel leaves the range by %g", e)
						}
						st := m.Stats()
						isWithin(t, "the divergence", st.Divergence, divergence(d, x, p.l), 1e-7)
						isWithin(t, "the objective", st.Divergence+st.Price, p.solve(), 1e-6)
					})
				}
			}
		}
	}
}

func divergence(d Divergence, x, y *mat.SymDense) float64 {
	r := x.SymmetricDim()
	if d == Burg {
		var cx, cy mat.Cholesky
		cx.Factorize(x)
		cy.Factorize(y)
		return inner(x, function(y, func(v float64) float64 { return 1 / v })) - cx.LogDet() + cy.LogDet() - float64(r)
	}
	return inner(x, function(x, math.Log)) - inner(x, function(y, math.Log)) - mat.Trace(x) + mat.Trace(y)
}

// One projection meets its constraint; for similarities and relative distances
// the step is that of the closed forms.
func TestProjection(t *testing.T) {
	for name, d := range both {
		g0 := gen.Normal(20, 6, 8)
		k0 := gramOf(g0)
		dist := func(i, j int) float64 { return k0.At(i, i) + k0.At(j, j) - 2*k0.At(i, j) }
		z := gen.Normal(20, 12, 9)
		w := make([]float64, 12)
		for i := range w {
			w[i] = float64(i) - 4
		}
		general := must.Have(constraint.General(t.Context(), congruence(gen.Normal(20, 20, 3), mat.NewDiagDense(20, slices.Repeat([]float64{1}, 20))), constraint.Equal, 300))(t)
		for what, c := range map[string]constraint.Linear{
			"distance up":         constraint.Distance(1, 2, constraint.Equal, 30*dist(1, 2)),
			"distance down":       constraint.Distance(1, 2, constraint.Equal, dist(1, 2)/1000),
			"at most":             constraint.Distance(3, 4, constraint.AtMost, dist(3, 4)/3),
			"at least":            constraint.Distance(3, 4, constraint.AtLeast, dist(3, 4)*3),
			"similarity up":       constraint.Similarity(0, 5, constraint.Equal, 3*math.Abs(k0.At(0, 5))),
			"similarity 0":        constraint.Similarity(0, 5, constraint.Equal, 0),
			"similarity negative": constraint.Similarity(0, 5, constraint.Equal, -7),
			"norm":                constraint.Similarity(6, 6, constraint.Equal, 1),
			"farther":             constraint.RelativeDistance(0, 1, 2, 3, constraint.Equal, 2),
			"as far":              constraint.RelativeDistance(0, 1, 2, 3, constraint.Equal, 0),
			"as similar":          constraint.RelativeSimilarity(0, 1, 2, 3, constraint.Equal, 0),
			"quadratic":           constraint.Quadratic(constraint.Vector{Value: mat.Col(nil, 0, z)}, constraint.Equal, 5),
			"low rank":            constraint.LowRank(z, w, constraint.Equal, -3),
			"general":             general,
			"trace":               constraint.Trace(constraint.Equal, 10),
		} {
			m, err := Config{Divergence: d, Tol: 1e-14, MaxIter: 1}.Fit(context.Background(), g0, []constraint.Linear{c})
			if m == nil {
				t.Fatal(err)
			}
			a := dense(c, 20)
			k := gramOf(m.Map(nil, g0))
			scale := max(math.Abs(c.Bound), 0.1*inner(k, function(a, math.Abs)))
			if e := math.Abs(inner(k, a)-c.Bound) / scale; !(e < 1e-12) {
				t.Errorf("%s, %s: relative error %g after %d projections", name, what, e, m.Stats().Projections)
			}
			if d != Burg {
				continue
			}
			switch what {
			case "similarity up", "similarity 0", "similarity negative":
				p, q, x, b := k0.At(0, 0), k0.At(5, 5), k0.At(0, 5), c.Bound
				det := p*q - x*x
				tau := 2 * p * q * b / (det + math.Sqrt(det*det+4*b*b*p*q))
				isWithin(t, what+": the step", m.Stats().Duals[0], 2*(tau-x)/det, 1e-10)
			case "as far":
				p, q := dist(0, 1), dist(2, 3)
				x := k0.At(0, 2) - k0.At(0, 3) - k0.At(1, 2) + k0.At(1, 3)
				isWithin(t, what+": the step", m.Stats().Duals[0], (q-p)/(2*(p*q-x*x)), 1e-10)
			case "at least":
				isWithin(t, what+": the step", m.Stats().Duals[0], 1/dist(3, 4)-1/c.Bound, 1e-12)
			}
		}
	}
}

// A rank-one projection with slack ends where p′ = ξ′.
func TestSlackProjection(t *testing.T) {
	g0 := gen.Normal(10, 4, 8)
	k0 := gramOf(g0)
	p := k0.At(1, 1) + k0.At(2, 2) - 2*k0.At(1, 2)
	for _, gamma := range []float64{.01, .1, 1, 10, 100} {
		for name, d := range both {
			for _, c := range []constraint.Linear{constraint.Distance(1, 2, constraint.AtMost, p/2.5), constraint.Distance(1, 2, constraint.AtLeast, 2.5*p)} {
				m := fit(t, Config{Divergence: d, Slack: gamma, Tol: 1e-13}, g0, []constraint.Linear{c})
				k := gramOf(m.Map(nil, g0))
				y := m.Stats().Duals[0]
				xi := 1 / (1/c.Bound + y/gamma)
				if d == VonNeumann {
					xi = c.Bound * math.Exp(-y/gamma)
				} else {
					isWithin(t, "the step", y, gamma/(gamma+1)*(1/p-1/c.Bound), 1e-12)
				}
				isWithin(t, fmt.Sprintf("%s, γ=%g: p′", name, gamma), k.At(1, 1)+k.At(2, 2)-2*k.At(1, 2), xi, 1e-11)
			}
		}
	}
}

func TestInfeasible(t *testing.T) {
	g0 := gen.Normal(12, 4, 8)
	for i := range 4 {
		g0.Set(7, i, g0.At(6, i)) // equal rows
	}
	near := func(i, j int) constraint.Linear { return constraint.Distance(i, j, constraint.AtMost, 1) }
	for name, d := range both {
		for what, s := range map[string]struct {
			cs  []constraint.Linear
			who []int
		}{
			"equal rows apart":        {[]constraint.Linear{near(0, 1), constraint.Distance(6, 7, constraint.AtLeast, 1)}, []int{1}},
			"equal rows at 1":         {[]constraint.Linear{constraint.Distance(6, 7, constraint.Equal, 1)}, []int{0}},
			"no distance":             {[]constraint.Linear{near(2, 3), constraint.Distance(0, 1, constraint.AtMost, 0)}, []int{1}},
			"negative distance":       {[]constraint.Linear{constraint.Distance(0, 1, constraint.Equal, -1)}, []int{0}},
			"both sides":              {[]constraint.Linear{near(4, 5), near(0, 1), constraint.Distance(0, 1, constraint.AtLeast, 2)}, []int{1, 2}},
			"triangle":                {[]constraint.Linear{near(0, 1), near(1, 2), near(4, 5), constraint.Distance(0, 2, constraint.AtLeast, 5)}, []int{0, 1, 3}},
			"seven unit diagonal":     {append(UnitDiagonal(12), constraint.Similarity(6, 7, constraint.AtMost, 0.5)), nil},
			"equal and apart by rank": {[]constraint.Linear{constraint.Trace(constraint.Equal, 1), near(0, 1), constraint.Distance(2, 3, constraint.AtLeast, 8)}, []int{0, 2}},
		} {
			c := Config{Divergence: d, Tol: 1e-6}
			m, err := c.Fit(context.Background(), g0, s.cs)
			var e *constraint.InfeasibleError
			if !errors.As(err, &e) || m != nil {
				t.Errorf("%s, %s: error %v", name, what, err)
				continue
			}
			got := slices.Sorted(slices.Values(e.Constraints))
			if s.who != nil && !slices.Equal(got, s.who) {
				t.Errorf("%s, %s: constraints %v are blamed, want %v", name, what, got, s.who)
			}
			// With slack there is a kernel.
			c.Slack, c.MaxIter = 1, 20000
			m, err = c.Fit(context.Background(), g0, s.cs)
			if err != nil {
				t.Errorf("%s, %s with slack: %v", name, what, err)
				continue
			}
			if v := mat.Sum(m.Transform()); v-v != 0 {
				t.Errorf("%s, %s: not finite", name, what)
			}
		}
	}
}

// What holds anyway, or does not depend on the kernel, changes nothing.
func TestNothingToDo(t *testing.T) {
	g0 := gen.Normal(8, 3, 8)
	for i := range 3 {
		g0.Set(7, i, g0.At(6, i))
	}
	for _, d := range both {
		for _, cs := range [][]constraint.Linear{nil, {constraint.Distance(0, 1, constraint.AtLeast, -1), constraint.Distance(6, 7, constraint.AtMost, 1), constraint.Distance(2, 3, constraint.AtMost, 1e6), constraint.Distance(4, 4, constraint.Equal, 0)}} {
			m := fit(t, Config{Divergence: d}, g0, cs)
			var e mat.Dense
			e.Sub(gramOf(m.Map(nil, g0)), gramOf(g0))
			if !(mat.Norm(&e, 2) < 1e-12*mat.Norm(g0, 2)) || m.Stats().Projections != 0 {
				t.Errorf("the kernel moved by %g", mat.Norm(&e, 2))
			}
			if cs != nil && !slices.Equal(m.Stats().Dropped, []int{1, 3}) {
				t.Errorf("dropped %v", m.Stats().Dropped)
			}
		}
	}
	for _, d := range both {
		zero := mat.NewDense(4, 2, nil)
		m := fit(t, Config{Divergence: d}, zero, []constraint.Linear{constraint.Distance(0, 1, constraint.AtMost, 1)})
		if mat.Norm(m.Map(nil, zero), 2) != 0 {
			t.Error("a start of zeros moves")
		}
		_, err := Config{Divergence: d}.Fit(context.Background(), zero, []constraint.Linear{constraint.Trace(constraint.Equal, 1)})
		var e *constraint.InfeasibleError
		if !errors.As(err, &e) {
			t.Errorf("trace 1 from a start of zeros: %v", err)
		}
	}
}

func TestErrors(t *testing.T) {
	g0 := gen.Normal(8, 3, 8)
	nan := math.NaN()
	for field, s := range map[string]struct {
		c  Config
		cs []constraint.Linear
	}{
		"Slack":                           {Config{Slack: -1}, nil},
		"Tol":                             {Config{Tol: 2}, nil},
		"Divergence":                      {Config{Divergence: 9}, nil},
		"MaxIter":                         {Config{MaxIter: -1}, nil},
		"constraints[1].Terms[0].Z.Index": {Config{}, []constraint.Linear{constraint.Distance(0, 1, constraint.AtMost, 1), constraint.Distance(0, 8, constraint.AtMost, 1)}},
		"constraints[0].Bound":            {Config{}, []constraint.Linear{constraint.Distance(0, 1, constraint.AtMost, nan)}},
		"constraints[0].Terms[0].Weight":  {Config{}, []constraint.Linear{{Terms: []constraint.Term{{Weight: nan, Z: constraint.Vector{Index: []int{0}, Value: []float64{1}}}}}}},
		"constraints[0].Terms[0].Z":       {Config{}, []constraint.Linear{{Terms: []constraint.Term{{Weight: 1, Z: constraint.Vector{Value: make([]float64, 3)}}}}}},
		"constraints[0].Terms[0].Z.Value": {Config{}, []constraint.Linear{constraint.Quadratic(constraint.Vector{Index: []int{1}, Value: []float64{nan}}, constraint.Equal, 1)}},
		"constraints[0].Relation":         {Config{}, []constraint.Linear{{Relation: 7}}},
		"constraints[0].Identity":         {Config{}, []constraint.Linear{{Identity: nan}}},
		"constraints[0]":                  {Config{}, []constraint.Linear{constraint.Quadratic(constraint.Vector{Index: []int{1}, Value: []float64{1e300}}, constraint.Equal, 1)}},
	} {
		_, err := s.c.Fit(context.Background(), g0, s.cs)
		var ce *gram.ConfigError
		if !errors.As(err, &ce) || ce.Field != field {
			t.Errorf("%s: error %v", field, err)
		}
	}
}

// The approximate projections of DefiniteBoost ([TRW05], corrected for
// inequalities as in [K06]) and the exact ones end at the same kernel.
func TestDefiniteBoost(t *testing.T) {
	const n, count, spread = 8, 10, 0.3
	// Three clusters that are small next to their distances.
	target := gen.Normal(n, 6, 4)
	target.Scale(spread, target)
	for i := range n {
		target.Set(i, i%3, target.At(i, i%3)+1)
	}
	k := gramOf(target)
	src := rng.New(6, 0)
	var cs []constraint.Linear
	for len(cs) < count {
		i, j := src.IntN(n), src.IntN(n)
		if i == j {
			continue
		}
		relation := constraint.AtMost
		if i%3 != j%3 {
			relation = constraint.AtLeast
		}
		cs = append(cs, constraint.Distance(i, j, relation, (k.At(i, i)+k.At(j, j)-2*k.At(i, j))/mat.Trace(k)))
	}
	start, all := DefiniteBoost(n, cs)
	const tol = 1e-8
	m := fit(t, Config{Divergence: VonNeumann, Tol: tol, MaxIter: 20_000}, start, all)
	got := gramOf(m.Map(nil, start))
	isWithin(t, "the trace", mat.Trace(got), 1, 1e-5)

	// W ← exp(log W − αC)/Z with α that minimizes the bound of tr exp(log W − αC)
	// which is linear between ±the largest absolute eigenvalue of C, as in AdaBoost.
	log := mat.NewSymDense(n, nil)
	lambda := make([]float64, len(cs))
	x := gramOf(start)
	sweeps := 0
	const limit = 50_000
	for ; sweeps < limit; sweeps++ {
		var worst, gap float64
		for c := range cs {
			a := dense(cs[c], n)
			sign := 1.0
			if cs[c].Relation == constraint.AtLeast {
				sign = -1
			}
			i, j := cs[c].Terms[0].Z.Index[0], cs[c].Terms[0].Z.Index[1]
			r := sign * (x.At(i, i) + x.At(j, j) - 2*x.At(i, j) - cs[c].Bound)
			worst = max(worst, r/cs[c].Bound)
			gap += math.Abs(lambda[c] * r)
			size := max(2-cs[c].Bound, cs[c].Bound)
			alpha := max(math.Log((1+r/size)/(1-r/size))/(2*size), -lambda[c])
			if alpha == 0 {
				continue
			}
			lambda[c] += alpha
			for p := range n {
				a.SetSym(p, p, a.At(p, p)-cs[c].Bound)
			}
			a.ScaleSym(-alpha*sign, a)
			log.AddSym(log, a)
			x = function(log, math.Exp)
			x.ScaleSym(1/mat.Trace(x), x)
		}
		if worst < tol && gap < tol {
			break
		}
	}
	t.Logf("%d exact sweeps, %d approximate ones", m.Stats().Iterations, sweeps)
	if sweeps == limit || 10*m.Stats().Iterations > sweeps {
		t.Errorf("exact projections: %d sweeps, approximate ones: %d", m.Stats().Iterations, sweeps)
	}
	if e := algotest.Relative(x, got); !(e < 1e-6) {
		t.Errorf("the kernels differ by %g", e)
	}
}

// A correlation matrix, an isometric embedding, a start without knowledge.
func TestConfigurations(t *testing.T) {
	g := gen.Normal(9, 9, 3)
	m := fit(t, Config{Tol: 1e-9}, g, UnitDiagonal(9))
	k := gramOf(m.Map(nil, g))
	for i := range 9 {
		isWithin(t, "the diagonal", k.At(i, i), 1, 1e-8)
	}

	x := gen.Normal(20, 2, 5)
	start, cs := must.Have2(Isometry(context.Background(), x, Random(20, 19, 1), 3, gram.Run{}))(t)
	m = fit(t, Config{Slack: 1000, Tol: 1e-4, MaxIter: 20_000}, start, cs)
	learned := m.Map(nil, start)
	for j := range 19 {
		isWithin(t, "the mean", mat.Sum(learned.ColView(j)), 0, 1e-10)
	}
	k = gramOf(learned)
	for i := range 20 {
		near := math.Inf(1)
		who := -1
		for j := range 20 {
			d := math.Hypot(x.At(i, 0)-x.At(j, 0), x.At(i, 1)-x.At(j, 1))
			if j != i && d < near {
				near, who = d, j
			}
		}
		isWithin(t, "the distance to the nearest", math.Sqrt(k.At(i, i)+k.At(who, who)-2*k.At(i, who))/near, 1, 0.1)
	}
	if _, _, err := Isometry(context.Background(), x, x, 20, gram.Run{}); err == nil {
		t.Error("20 neighbours among 20 rows: no error")
	}

	// One class: distances only shrink.
	cs = must.Have(constraint.FromLabels(g, make([]int, 9), 10, 0.25, 1))(t)
	m = fit(t, Config{}, g, cs)
	if v := m.Stats().Violation; !(v <= 1e-3) {
		t.Errorf("one class: violation %g", v)
	}
}

// The work of a projection does not depend on n.
func TestSweepsDoNotDependOnRows(t *testing.T) {
	g := gen.Normal(30, 5, 3)
	more := mat.NewDense(3000, 5, nil)
	more.Slice(0, 30, 0, 5).(*mat.Dense).Copy(g)
	cs := problems(g, 3)["distances"]
	a, b := fit(t, Config{}, g, cs), fit(t, Config{}, more, cs)
	if !mat.Equal(a.Transform(), b.Transform()) || a.Stats().Iterations != b.Stats().Iterations {
		t.Error("rows without constraints change the result")
	}
}

func BenchmarkProjection(b *testing.B) {
	for _, d := range []string{"Burg", "von Neumann"} {
		for _, r := range []int{32, 64, 128, 256, 512, 1024} {
			b.Run(fmt.Sprintf("divergence=%s/r=%d", d, r), func(b *testing.B) {
				g := Random(3000, r, 1)
				cs, err := constraint.FromLabels(g, make([]int, 3000), 40, 0.25, 1)
				if err != nil {
					b.Fatal(err)
				}
				var stats Stats
				for b.Loop() {
					m, err := Config{Divergence: both[d], MaxIter: 1, Tol: 1e-12}.Fit(context.Background(), g, cs)
					if m == nil {
						b.Fatal(err)
					}
					stats = m.Stats()
				}
				k := float64(stats.Projections)
				b.ReportMetric(stats.RootSeconds/k*1e6, "µs-root/projection")
				b.ReportMetric(stats.ProductSeconds/k*1e6, "µs-product/projection")
				b.ReportMetric(stats.ProjectionSeconds/k*1e6, "µs/projection")
			})
		}
	}
}

// The time of a whole fit of many rows. γ of von Neumann is in units of K, whose
// eigenvalues are about n, over those of a distance. Without slack the bounds are
// the distances with other weights of the columns, give or take a hundredth.
func BenchmarkFit(b *testing.B) {
	g, y := gen.Blobs(100_000, 64, 3, 6, 1)
	cs := must.Have(constraint.FromLabels(g, y.Class, 10_000, 0.25, 1))(b)
	feasible := slices.Clone(cs)
	for i, c := range cs {
		z := c.Terms[0].Z.Index
		var d float64
		for j := range 64 {
			x := (g.At(z[0], j) - g.At(z[1], j)) * (0.5 + float64(j)/64)
			d += x * x
		}
		feasible[i].Bound = 1.01 * d
		if c.Relation == constraint.AtLeast {
			feasible[i].Bound = 0.99 * d
		}
	}
	for _, d := range []string{"Burg", "von Neumann"} {
		for _, slack := range []float64{0, 0.01, 0.1} {
			b.Run(fmt.Sprintf("divergence=%s/slack=%g", d, slack), func(b *testing.B) {
				c, in := Config{Divergence: both[d], Slack: slack}, cs
				if slack == 0 {
					in = feasible
				}
				if c.Divergence == VonNeumann {
					c.Slack *= 1000
				}
				var stats Stats
				for b.Loop() {
					m, err := c.Fit(context.Background(), g, in)
					if err != nil {
						b.Fatal(err)
					}
					stats = m.Stats()
					m.Map(nil, g)
				}
				b.ReportMetric(float64(stats.Iterations), "sweeps")
				b.ReportMetric(float64(stats.Projections), "projections")
				b.ReportMetric(float64(stats.Evaluations)/float64(stats.Projections), "evaluations/projection")
			})
		}
	}
}

// The final factor G = G₀·T is linear in n.
func BenchmarkMap(b *testing.B) {
	start := gen.Normal(100_000, 64, 1)
	cs := must.Have(constraint.FromLabels(start, make([]int, 100_000), 40, 0.25, 1))(b)
	m := must.Have(Config{Slack: 1}.Fit(context.Background(), start, cs))(b)
	for _, n := range []int{25_000, 50_000, 100_000} {
		b.Run(fmt.Sprintf("n=%d", n), func(b *testing.B) {
			x, dst := start.Slice(0, n, 0, 64), mat.NewDense(n, 64, nil)
			for b.Loop() {
				m.Map(dst, x)
			}
			b.ReportMetric(b.Elapsed().Seconds()/float64(b.N)/float64(n)*1e9, "ns/row")
		})
	}
}
