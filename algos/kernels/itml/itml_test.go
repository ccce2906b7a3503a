package itml

import (
	"math"
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/algotest"
	"github.com/gramworks/gram/algos/kernels/constraint"
	"github.com/gramworks/gram/internal/gen"
	"github.com/gramworks/gram/internal/must"
	"github.com/gramworks/gram/kernel"
	"github.com/gramworks/gram/num/rng"
	"gonum.org/v1/gonum/mat"
)

// eigen returns g applied to the eigenvalues of a.
func eigen(t *testing.T, a mat.Matrix, g func(float64) float64) *mat.Dense {
	t.Helper()
	n, _ := a.Dims()
	s := mat.NewSymDense(n, nil)
	for i := range n {
		for j := i; j < n; j++ {
			s.SetSym(i, j, (a.At(i, j)+a.At(j, i))/2)
		}
	}
	var e mat.EigenSym
	if !e.Factorize(s, true) {
		t.Fatal("eigendecomposition failed")
	}
	var u mat.Dense
	e.VectorsTo(&u)
	d := mat.NewDense(n, n, nil)
	for j, v := range e.Values(nil) {
		w := g(v)
		for i := range n {
			d.Set(i, j, u.At(i, j)*w)
		}
	}
	var out mat.Dense
	out.Mul(d, u.T())
	return &out
}

// matrixOf is the dense symmetric C of a constraint.
func matrixOf(c constraint.Linear, n int) *mat.Dense {
	m := mat.NewDense(n, n, nil)
	for _, t := range c.Terms {
		for a, i := range t.Z.Index {
			for b, j := range t.Z.Index {
				m.Set(i, j, m.At(i, j)+t.Weight*t.Z.Value[a]*t.Z.Value[b])
			}
		}
	}
	return m
}

func inner(a, b *mat.Dense) float64 {
	var s float64
	n, _ := a.Dims()
	for i := range n {
		for j := range n {
			s += a.At(i, j) * b.At(i, j)
		}
	}
	return s
}

// mixed returns n points, their kernel and one or more constraints of every
// kind, which a kernel exists for: those that ones built from K·(I+noise)·K
// satisfies with room or just.
func mixed(n, m int, seed uint64) (*mat.Dense, kernel.Kernel, []constraint.Linear) {
	x, y := gen.Blobs(n, 3, 2, 1, seed)
	k := kernel.Gaussian{Gamma: 0.5}
	r := rng.New(seed, 3)
	var cons []constraint.Linear
	for len(cons) < m {
		i, j, l := r.IntN(n), r.IntN(n), r.IntN(n)
		same := y.Class[i] == y.Class[j]
		switch kind := len(cons) % 8; {
		case i == j || j == l || i == l:
		case kind < 3 && same:
			cons = append(cons, constraint.Distance(i, j, constraint.AtMost, 0.4))
		case kind < 4 && !same:
			cons = append(cons, constraint.Distance(i, j, constraint.AtLeast, 2.2))
		case kind == 4 && same:
			cons = append(cons, constraint.Similarity(i, j, constraint.AtLeast, 0.5))
		case kind == 5 && same && y.Class[i] != y.Class[l]:
			cons = append(cons, constraint.RelativeDistance(i, j, i, l, constraint.AtMost, -0.5))
		case kind == 6 && same && y.Class[i] != y.Class[l]:
			cons = append(cons, constraint.RelativeSimilarity(i, l, i, j, constraint.AtMost, -0.1))
		case kind == 7 && same:
			cons = append(cons, constraint.Similarity(i, i, constraint.Equal, 1.1))
		}
	}
	var class, all []int
	for i := range n {
		all = append(all, i)
		if y.Class[i] == 0 {
			class = append(class, i)
		}
	}
	return x, k, append(cons, constraint.Probability(0, class, all, 0.7))
}

var solvers = []struct {
	name string
	c    Config
}{
	{"LogDet", Config{Solver: Projections}},
	{"LogDet by Newton", Config{Solver: Newton}},
	{"LogDet, slack", Config{Slack: 3, Solver: Projections}},
	{"LogDet by Newton, slack", Config{Slack: 3, Solver: Newton}},
	{"Frobenius", Config{Regularizer: Frobenius}},
	{"Frobenius, slack", Config{Regularizer: Frobenius, Slack: 10}},
	{"Frobenius, Lanczos", Config{Regularizer: Frobenius, Solver: Lanczos}},
	{"NearIdentity", Config{Regularizer: NearIdentity}},
	{"NearIdentity, slack", Config{Regularizer: NearIdentity, Slack: 10}},
	{"Trace", Config{Regularizer: Trace, Tau: gram.Set(2.)}},
	{"Trace, slack", Config{Regularizer: Trace, Tau: gram.Set(2.), Slack: 10}},
	{"Trace, τ = 0", Config{Regularizer: Trace, Tau: gram.Set(0.), Slack: 10}},
	{"Trace, Lanczos", Config{Regularizer: Trace, Tau: gram.Set(2.), Solver: Lanczos}},
}

// Auto chooses by the regularizer and the dimensions; another solver is taken as it is.
func TestAuto(t *testing.T) {
	if c := (Config{}); c.solver(3000) != Newton || c.solver(3001) != Projections {
		t.Errorf("LogDet in 3000 dimensions: %v, in 3001: %v", c.solver(3000), c.solver(3001))
	}
	for r, want := range map[Regularizer]Solver{LogDet: Newton, Frobenius: Newton, NearIdentity: Newton, Trace: Lanczos} {
		if small, large := (Config{Regularizer: r}).solver(600), (Config{Regularizer: r}).solver(601); small != Newton || large != want {
			t.Errorf("%v: %v up to 600 dimensions, %v beyond", r, small, large)
		}
		if s := (Config{Regularizer: r, Solver: Lanczos}).solver(1); s != Lanczos {
			t.Errorf("%v: Lanczos became %v", r, s)
		}
	}
}

// TestOptimality checks the conditions of Karush, Kuhn and Tucker in the
// coordinates K^½, which the package never uses.
func TestOptimality(t *testing.T) {
	const n = 40
	for _, s := range solvers {
		t.Run(s.name, func(t *testing.T) {
			x, k, cons := mixed(n, 24, 5)
			c := s.c
			c.Kernel, c.Tol = k, 1e-8
			m := must.Have(c.Fit(t.Context(), x, cons))(t)
			t.Logf("%d iterations, %+v", m.Stats().Iterations, m.Stats().Violation)
			optimal(t, m, x, k, cons, 1e-6)
		})
	}
}

// optimal checks the conditions for K positive definite.
func optimal(t *testing.T, m *Model, x *mat.Dense, k kernel.Kernel, cons []constraint.Linear, tol float64) {
	t.Helper()
	n, _ := x.Dims()
	c := m.Config()
	g := mat.NewDense(n, n, nil)
	kernel.Against[float64](k, x).Fill(gram.View(g), gram.Of(x))
	root := eigen(t, g, func(v float64) float64 { return math.Sqrt(max(0, v)) })
	kw := m.Kernel().Gram(nil, x, x)
	y := m.Stats().Duals
	sum := mat.NewDense(n, n, nil)
	for i, con := range cons {
		cm := matrixOf(con, n)
		value := inner(cm, kw)
		scaled := mat.DenseCopyOf(cm)
		scaled.Scale(y[i], cm)
		sum.Add(sum, scaled)
		limit := con.Bound
		if c.Slack > 0 {
			var size float64
			for _, term := range con.Terms {
				size += inner(matrixOf(constraint.Linear{Terms: []constraint.Term{{Weight: math.Abs(term.Weight), Z: term.Z}}}, n), g)
			}
			if c.Regularizer == LogDet && limit > 0 {
				limit = 1 / (1/limit + y[i]/c.Slack)
			} else {
				limit -= y[i] * size * size / c.Slack
			}
		}
		excess := value - limit
		switch con.Relation {
		case constraint.AtMost:
			if y[i] > 0 || !(excess <= tol) || !(y[i]*excess <= tol) {
				t.Errorf("constraint %d: multiplier %g, excess %g", i, y[i], excess)
			}
		case constraint.AtLeast:
			if y[i] < 0 || !(excess >= -tol) || !(y[i]*excess <= tol) {
				t.Errorf("constraint %d: multiplier %g, excess %g", i, y[i], excess)
			}
		case constraint.Equal:
			if !(math.Abs(excess) <= tol) {
				t.Errorf("constraint %d: excess %g", i, excess)
			}
		}
	}
	// Stationarity: W = h(K^½CK^½), with f_s' the inverse of h above 0.
	var a, b mat.Dense
	a.Mul(root, sum)
	b.Mul(&a, root)
	w := eigen(t, &b, func(s float64) float64 {
		switch c.Regularizer {
		case LogDet:
			return 1 / (1 - s)
		case NearIdentity:
			return max(0, 1+s)
		case Frobenius:
			return max(0, s)
		}
		return max(0, s-c.Tau.Value())
	})
	a.Mul(root, w)
	b.Mul(&a, root)
	if !mat.EqualApprox(&b, kw, tol) {
		b.Sub(&b, kw)
		t.Errorf("the learned matrix differs from that of the multipliers by %g", mat.Norm(&b, 2))
	}
	st := m.Stats()
	if gap := st.Objective - st.Dual; !(math.Abs(gap) <= tol*(1+math.Abs(st.Dual))) {
		t.Errorf("duality gap %g of %g", gap, st.Dual)
	}
}

// With τ = 0 the trace has no weight: what is learned is what Frobenius learns, with the same bits.
func TestTraceWithoutWeight(t *testing.T) {
	x, k, cons := mixed(30, 24, 5)
	for _, solver := range []Solver{Newton, Lanczos} {
		var values [2]*mat.Dense
		for i, c := range []Config{{Regularizer: Frobenius}, {Regularizer: Trace, Tau: gram.Set(0.)}} {
			c.Kernel, c.Solver = k, solver
			m := must.Have(c.Fit(t.Context(), x, cons))(t)
			if v := m.Config().Tau; c.Regularizer == Trace && (!v.Given() || v.Value() != 0) {
				t.Errorf("%v: the model has the weight %v", solver, v)
			}
			values[i] = m.Kernel().Gram(nil, x, x)
		}
		if !mat.Equal(values[0], values[1]) {
			t.Errorf("%v: the kernels differ", solver)
		}
	}
}

// dykstra projects start on the set of W ⪰ 0 that meet the constraints on
// ⟨C_i, W⟩ by Dykstra's algorithm on the cone and the half-spaces.
func dykstra(t *testing.T, start *mat.Dense, c []*mat.Dense, cons []constraint.Linear, sweeps int) *mat.Dense {
	n, _ := start.Dims()
	w := mat.DenseCopyOf(start)
	cone := mat.NewDense(n, n, nil)
	lambda := make([]float64, len(c))
	for range sweeps {
		for i := range c {
			var step mat.Dense
			step.Scale(lambda[i], c[i])
			w.Add(w, &step)
			v := (inner(c[i], w) - cons[i].Bound) / inner(c[i], c[i])
			if cons[i].Relation == constraint.AtMost {
				v = max(0, v)
			}
			if cons[i].Relation == constraint.AtLeast {
				v = min(0, v)
			}
			lambda[i] = v
			step.Scale(v, c[i])
			w.Sub(w, &step)
		}
		w.Add(w, cone)
		p := eigen(t, w, func(v float64) float64 { return max(0, v) })
		cone.Sub(w, p)
		w = p
	}
	return w
}

// TestDykstra compares the optima of the quadratic regularizers, which are
// projections of 0, −τI and I, with an independent method.
func TestDykstra(t *testing.T) {
	algotest.Serial(t)
	const n = 8
	for _, s := range []Config{{Regularizer: Frobenius}, {Regularizer: NearIdentity}, {Regularizer: Trace, Tau: gram.Set(0.7)}, {Regularizer: Trace, Tau: gram.Set(0.7), Solver: Lanczos}} {
		x, k, cons := mixed(n, 8, 11)
		s.Kernel, s.Tol = k, 1e-9
		m := must.Have(s.Fit(t.Context(), x, cons))(t)
		g := mat.NewDense(n, n, nil)
		kernel.Against[float64](k, x).Fill(gram.View(g), gram.Of(x))
		root := eigen(t, g, math.Sqrt)
		var c []*mat.Dense
		for _, con := range cons {
			var a, b mat.Dense
			a.Mul(root, matrixOf(con, n))
			b.Mul(&a, root)
			c = append(c, &b)
		}
		start := mat.NewDense(n, n, nil)
		for i := range n {
			switch s.Regularizer {
			case NearIdentity:
				start.Set(i, i, 1)
			case Trace:
				start.Set(i, i, -s.Tau.Value())
			}
		}
		w := dykstra(t, start, c, cons, 6000)
		var want float64
		eigen(t, w, func(v float64) float64 {
			want += s.Regularizer.function(s.Tau.Value()).Value(v)
			return v
		})
		st := m.Stats()
		t.Logf("%v: objective %.10g, Dykstra's %.10g, %d iterations", s.Regularizer, st.Objective, want, st.Iterations)
		if !(math.Abs(st.Objective-want) <= 1e-6*(1+want)) {
			t.Errorf("%v: objective %.10g, Dykstra's %.10g", s.Regularizer, st.Objective, want)
		}
	}
}

// TestInteriorPoint compares LogDet with a barrier method on W itself: Newton
// steps in all n(n+1)/2 entries.
func TestInteriorPoint(t *testing.T) {
	const n = 6
	for _, solver := range []Solver{Projections, Newton} {
		x, k, cons := mixed(n, 7, 4)
		for i := range cons { // an interior is needed
			if cons[i].Relation == constraint.Equal {
				cons[i].Relation = constraint.AtMost
			}
		}
		m := must.Have(Config{Kernel: k, Tol: 1e-9, Solver: solver}.Fit(t.Context(), x, cons))(t)
		g := mat.NewDense(n, n, nil)
		kernel.Against[float64](k, x).Fill(gram.View(g), gram.Of(x))
		root := eigen(t, g, math.Sqrt)
		var c []*mat.Dense
		for i, con := range cons {
			var a, b mat.Dense
			a.Mul(root, matrixOf(con, n))
			b.Mul(&a, root)
			if con.Relation == constraint.AtLeast {
				b.Scale(-1, &b)
				cons[i].Bound *= -1
			}
			c = append(c, &b)
		}
		// Start from the solution pulled inside: the barrier wants strict feasibility,
		// found by a fit with tighter bounds.
		tight, _, looser := mixed(n, 7, 4)
		for i := range looser {
			if looser[i].Relation == constraint.Equal {
				looser[i].Relation = constraint.AtMost
			}
			d := 0.01
			if looser[i].Relation == constraint.AtLeast {
				d = -d
			}
			looser[i].Bound -= d
		}
		inside := must.Have(Config{Kernel: k}.Fit(t.Context(), tight, looser))(t)
		kw := inside.Kernel().Gram(nil, x, x)
		inv := eigen(t, g, func(v float64) float64 { return 1 / math.Sqrt(v) })
		var a, w mat.Dense
		a.Mul(inv, kw)
		w.Mul(&a, inv)
		want := barrier(t, &w, c, cons)
		st := m.Stats()
		t.Logf("objective %.10g, interior point %.10g", st.Objective, want)
		if !(math.Abs(st.Objective-want) <= 1e-6*(1+want)) {
			t.Errorf("solver %d: objective %.10g, interior point %.10g", solver, st.Objective, want)
		}
	}
}

// barrier minimizes tr W − log det W − n over ⟨C_i,W⟩ ≤ b_i from an interior W.
func barrier(t *testing.T, w *mat.Dense, c []*mat.Dense, cons []constraint.Linear) float64 {
	n, _ := w.Dims()
	type entry struct{ i, j int }
	var entries []entry
	for i := range n {
		for j := i; j < n; j++ {
			entries = append(entries, entry{i, j})
		}
	}
	basis := make([]*mat.Dense, len(entries))
	for e, p := range entries {
		basis[e] = mat.NewDense(n, n, nil)
		basis[e].Set(p.i, p.j, 1)
		basis[e].Set(p.j, p.i, 1)
	}
	logdet := func(w *mat.Dense) float64 {
		var s float64
		eigen(t, w, func(v float64) float64 { s += math.Log(v); return v })
		return s
	}
	value := func(w *mat.Dense, mu float64) float64 {
		s := mat.Trace(w) - logdet(w) - float64(n)
		for i := range c {
			s -= mu * math.Log(cons[i].Bound-inner(c[i], w))
		}
		return s
	}
	for mu := 1e-1; mu > 1e-10; mu /= 4 {
		for range 30 {
			inv := eigen(t, w, func(v float64) float64 { return 1 / v })
			q := len(entries)
			grad, h := mat.NewVecDense(q, nil), mat.NewSymDense(q, nil)
			for a, p := range basis {
				v := mat.Trace(p) - inner(inv, p)
				var left, pa mat.Dense
				left.Mul(inv, p)
				pa.Mul(&left, inv)
				for i := range c {
					v += mu * inner(c[i], p) / (cons[i].Bound - inner(c[i], w))
				}
				grad.SetVec(a, v)
				for b := a; b < q; b++ {
					s := inner(&pa, basis[b])
					for i := range c {
						d := cons[i].Bound - inner(c[i], w)
						s += mu * inner(c[i], p) * inner(c[i], basis[b]) / (d * d)
					}
					h.SetSym(a, b, s)
				}
			}
			var chol mat.Cholesky
			if !chol.Factorize(h) {
				t.Fatal("the barrier's Hessian is not definite")
			}
			var d mat.VecDense
			if err := chol.SolveVecTo(&d, grad); err != nil {
				break
			}
			decrement := mat.Dot(&d, grad)
			if decrement < 1e-14 {
				break
			}
			old := value(w, mu)
			for step := 1.; step > 1e-10; step /= 2 {
				next := mat.DenseCopyOf(w)
				for e, p := range basis {
					var s mat.Dense
					s.Scale(-step*d.AtVec(e), p)
					next.Add(next, &s)
				}
				if v := value(next, mu); v <= old-0.1*step*decrement {
					w.Copy(next)
					break
				}
			}
		}
	}
	return mat.Trace(w) - logdet(w) - float64(n)
}
