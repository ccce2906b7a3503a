package itml

import (
	"errors"
	"math"
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/kernels/constraint"
	"github.com/gramworks/gram/algos/lowrank/landmark"
	"github.com/gramworks/gram/internal/gen"
	"github.com/gramworks/gram/internal/must"
	"github.com/gramworks/gram/kernel"
	"github.com/gramworks/gram/num/rng"
	"github.com/gramworks/gram/settings"
	"gonum.org/v1/gonum/mat"
)

func gram0(k kernel.Kernel, x, z *mat.Dense) *mat.Dense {
	n, _ := x.Dims()
	m, _ := z.Dims()
	g := mat.NewDense(n, m, nil)
	kernel.Against[float64](k, z).Fill(gram.View(g), gram.Of(x))
	return g
}

func far(a, b *mat.Dense) float64 {
	var d mat.Dense
	d.Sub(a, b)
	return mat.Max(&d) - min(0, mat.Min(&d))
}

// TestTheorem1: the learned kernel of the training rows is K_W, also where K is
// close to singular, and the constraints hold in it.
func TestTheorem1(t *testing.T) {
	const n = 40
	for _, cond := range []float64{1e2, 1e8, 1e12} {
		g, _ := gen.Spectrum(gen.Geometric(n, cond), 3)
		k := kernel.Columns(func(dst []float64, j int) {
			for i := range dst {
				dst[i] = g.At(i, j)
			}
		}, n)
		x := kernel.Indices(n)
		r := rng.New(8, 0)
		var cons []constraint.Linear
		for c := range 30 {
			i := r.IntN(n)
			j := (i + 1 + r.IntN(n-1)) % n
			d := g.At(i, i) + g.At(j, j) - 2*g.At(i, j)
			if c%2 == 0 {
				cons = append(cons, constraint.Distance(i, j, constraint.AtMost, d/2))
			} else {
				cons = append(cons, constraint.Distance(i, j, constraint.AtLeast, 1.5*d))
			}
		}
		for _, c := range []Config{{Solver: Projections}, {Solver: Newton}, {Regularizer: Frobenius}, {Regularizer: NearIdentity}, {Regularizer: Trace}} {
			c.Kernel, c.Tol = k, 1e-9
			c.Slack = 100
			m, err := c.Fit(t.Context(), x, cons)
			if err != nil {
				t.Fatalf("cond %g, %v: %v", cond, c.Regularizer, err)
			}
			// K_W from W itself in the eigenvectors of K, whose roots are known here.
			kw := fromDuals(t, g, cons, m)
			diff := far(m.Kernel().Gram(nil, x, x), kw)
			t.Logf("cond %g, %v: %.2g", cond, c.Regularizer, diff)
			if !(diff <= 1e-8) {
				t.Errorf("cond %g, %v: the learned kernel differs from K_W by %g", cond, c.Regularizer, diff)
			}
		}
	}
}

// fromDuals returns K^½h(K^½CK^½)K^½.
func fromDuals(t *testing.T, g *mat.SymDense, cons []constraint.Linear, m *Model) *mat.Dense {
	n := g.SymmetricDim()
	root := eigen(t, g, func(v float64) float64 { return math.Sqrt(max(0, v)) })
	sum := mat.NewDense(n, n, nil)
	for i, con := range cons {
		cm := matrixOf(con, n)
		cm.Scale(m.Stats().Duals[i], cm)
		sum.Add(sum, cm)
	}
	var a, b mat.Dense
	a.Mul(root, sum)
	b.Mul(&a, root)
	c := m.Config()
	w := eigen(t, &b, func(v float64) float64 {
		_, l := c.Regularizer.function(c.Tau.Value()).Conjugate(v)
		return l
	})
	a.Mul(root, w)
	b.Mul(&a, root)
	return &b
}

// TestNewRows: for the linear kernel κ_W of new rows is xᵀAy for the d×d matrix
// A of the same problem solved in the space of the rows.
func TestNewRows(t *testing.T) {
	const n, d = 30, 4
	x, y := gen.Blobs(n, d, 3, 2, 6)
	z := gen.Normal(17, d, 9)
	cons := must.Have(constraint.Pairs{Count: 25}.FromLabels(t.Context(), kernel.Linear{}, x, y, 1))(t)
	// A linear kernel that the package does not know as one.
	hidden := kernel.Polynomial{Degree: 1}
	for _, c := range []Config{{Solver: Projections, Slack: 1}, {Solver: Newton, Slack: 1}, {Regularizer: Frobenius, Slack: 10}, {Regularizer: NearIdentity, Slack: 10}, {Regularizer: Trace, Slack: 10}} {
		c.Kernel, c.Tol = kernel.Linear{}, 1e-10
		m := must.Have(c.Fit(t.Context(), x, cons))(t)
		// A = h(XᵀCX), explicitly.
		sum := mat.NewDense(n, n, nil)
		for i, con := range cons {
			cm := matrixOf(con, n)
			cm.Scale(m.Stats().Duals[i], cm)
			sum.Add(sum, cm)
		}
		var cx, xcx mat.Dense
		cx.Mul(sum, x)
		xcx.Mul(x.T(), &cx)
		a := eigen(t, &xcx, func(v float64) float64 {
			_, l := c.Regularizer.function(1).Conjugate(v)
			return l
		})
		var za, want mat.Dense
		za.Mul(z, a)
		want.Mul(&za, z.T())
		if diff := far(m.Kernel().Gram(nil, z, z), &want); !(diff <= 1e-8) {
			t.Errorf("%v: κ_W of new rows is off by %g", c.Regularizer, diff)
		}
		maha := must.Have(m.Kernel().Mahalanobis(t.Context()))(t)
		if diff := far(mat.DenseCopyOf(maha.A()), a); !(diff <= 1e-9) {
			t.Errorf("%v: A is off by %g", c.Regularizer, diff)
		}
		lz := maha.Map(nil, z)
		for i := range 16 {
			var u, v mat.VecDense
			u.SubVec(z.RowView(i), z.RowView(i+1))
			v.SubVec(lz.RowView(i), lz.RowView(i+1))
			if p, q := mat.Inner(&u, a, &u), mat.Dot(&v, &v); !(math.Abs(p-q) <= 1e-9*(1+p)) {
				t.Errorf("%v: (x−y)ᵀA(x−y) = %v, ‖Lx−Ly‖² = %v", c.Regularizer, p, q)
			}
		}
		c.Kernel = hidden
		h := must.Have(c.Fit(t.Context(), x, cons))(t)
		if diff := far(h.Kernel().Gram(nil, z, z), &want); !(diff <= 1e-6) {
			t.Errorf("%v: κ_W through the kernel matrix is off by %g", c.Regularizer, diff)
		}
	}
}

// TestFactor: of a matrix of rank r there are r pivots, a factor with r columns and a triangle of order r, which is that of the matrix at the
// pivots. A matrix of zeros has a factor of one column of zeros and a triangle of order 1 that systems can be solved with.
func TestFactor(t *testing.T) {
	for _, rank := range []int{0, 1, 3} {
		g := mat.NewDense(5, 5, nil)
		if rank > 0 {
			z := gen.Normal(5, rank, 3)
			g.Mul(z, z.T())
		}
		l, r, pivots := factor(g, 1e-12)
		var product mat.Dense
		product.Mul(l, l.T())
		if diff := far(&product, g); !(diff <= 1e-12) {
			t.Errorf("rank %d: l·lᵀ is off by %g", rank, diff)
		}
		if _, columns := l.Dims(); columns != max(1, rank) || r.N != columns || len(pivots) != columns {
			t.Fatalf("rank %d: %d columns, a triangle of order %d, the pivots %v", rank, columns, r.N, pivots)
		}
		for i := range r.N {
			if !(r.Data[i*r.Stride+i] > 0) {
				t.Errorf("rank %d: the diagonal of the triangle has %v", rank, r.Data[i*r.Stride+i])
			}
			for j := range i + 1 {
				var s float64
				for k := range j + 1 {
					s += r.Data[k*r.Stride+i] * r.Data[k*r.Stride+j]
				}
				if want := g.At(pivots[i], pivots[j]); rank > 0 && !(math.Abs(s-want) <= 1e-12) {
					t.Errorf("rank %d: rᵀr has %v for the pivots %d and %d, want %v", rank, s, pivots[i], pivots[j], want)
				}
			}
		}
	}
}

// TestReduction: J = I is the full problem; other J give the optimum among
// W = αI + ΦJLJᵀΦᵀ, and κ_W of the rows meets the constraints.
func TestReduction(t *testing.T) {
	const n = 30
	x, k, cons := mixed(n, 16, 9)
	z := gen.Normal(7, 3, 2)
	all := make([]int, n)
	for i := range all {
		all[i] = i
	}
	for _, reg := range []Regularizer{LogDet, Frobenius, NearIdentity, Trace} {
		c := Config{Kernel: k, Regularizer: reg, Tol: 1e-10}
		full := must.Have(c.Fit(t.Context(), x, cons))(t)
		c.Reduction, c.M, c.Landmarks = Subset, n, landmark.Fixed{U: x, Index: all}
		same := must.Have(c.Fit(t.Context(), x, cons))(t)
		if diff := far(full.Kernel().Gram(nil, z, z), same.Kernel().Gram(nil, z, z)); !(diff <= 1e-7) {
			t.Errorf("%v: with J = I the kernel differs by %g", reg, diff)
		}
		if a, b := full.Stats().Objective, same.Stats().Objective; !(math.Abs(a-b) <= 1e-8*(1+a)) {
			t.Errorf("%v: with J = I the objective is %v, not %v", reg, b, a)
		}
		c.Landmarks = nil
		c.Slack = 50
		for _, r := range []Reduction{Subset, Random, Clusters} {
			c.Reduction, c.M = r, 12
			m, err := c.Fit(t.Context(), x, cons)
			if err != nil {
				t.Fatalf("%v, reduction %d: %v", reg, r, err)
			}
			st := m.Stats()
			if st.Dimensions > 12 || st.Rank > 12 {
				t.Errorf("reduction %d: %d dimensions, rank %d", r, st.Dimensions, st.Rank)
			}
			if !(math.Abs(st.Objective-st.Dual) <= 1e-6*(1+math.Abs(st.Dual))) {
				t.Errorf("%v, reduction %d: objective %v, dual %v", reg, r, st.Objective, st.Dual)
			}
			// The penalty of slack, computed from the whole kernel matrix of the rows.
			kw := m.Kernel().Gram(nil, x, x)
			g := gram0(k, x, x)
			var cost float64
			for _, con := range cons {
				v := inner(matrixOf(con, n), kw)
				if con.Relation == constraint.AtMost && v <= con.Bound || con.Relation == constraint.AtLeast && v >= con.Bound {
					continue
				}
				var size float64
				for _, term := range con.Terms {
					size += inner(matrixOf(constraint.Linear{Terms: []constraint.Term{{Weight: math.Abs(term.Weight), Z: term.Z}}}, n), g)
				}
				if reg == LogDet && con.Bound > 0 {
					cost += c.Slack * (v/con.Bound - math.Log(v/con.Bound) - 1)
				} else {
					cost += c.Slack / 2 * (v - con.Bound) * (v - con.Bound) / (size * size)
				}
			}
			f := 0.
			for _, l := range m.eigenvaluesOfW() {
				f += reg.function(1).Value(l)
			}
			if !(math.Abs(f+cost-st.Objective) <= 1e-6*(1+st.Objective)) {
				t.Errorf("%v, reduction %d: f(W) %v and slack %v, objective %v", reg, r, f, cost, st.Objective)
			}
		}
	}
}

// eigenvaluesOfW are those that differ from α, as S = V·diag(s)·Vᵀ has them:
// the eigenvalues of α + diag(s)·VᵀKV.
func (m *Model) eigenvaluesOfW() []float64 {
	v, s := m.f.Coefficients()
	g := gram0(m.f.base, m.f.points, m.f.points)
	var gv, vgv mat.Dense
	gv.Mul(g, v)
	vgv.Mul(v.T(), &gv)
	out := make([]float64, len(s))
	for j := range s {
		out[j] = m.f.alpha + s[j]*vgv.At(j, j)
	}
	return out
}

// The deformed kernel against its definition with an explicit inverse.
func TestManifold(t *testing.T) {
	const n = 25
	x, _ := gen.Blobs(n, 3, 2, 2, 4)
	z := gen.Normal(6, 3, 1)
	k := kernel.Gaussian{Gamma: 0.3}
	c := Manifold{Kernel: k, Neighbors: 3, Ratio: gram.Set(2.5), Power: 2, Gamma: 0.1}
	f := must.Have(c.Fit(t.Context(), x))(t)
	c, _ = settings.Resolved(c, gram.Shape{N: n})
	l := must.Have(c.laplacian(t.Context(), x))(t)
	for i := range n {
		var sum float64
		edges := 0
		for j := range n {
			sum += l.At(i, j)
			if i != j && l.At(i, j) != 0 {
				edges++
			}
		}
		if !(math.Abs(sum) <= 1e-12) || edges < 3 {
			t.Errorf("row %d of the Laplacian sums to %g with %d edges", i, sum, edges)
		}
	}
	var m, mk, inv, s mat.Dense
	m.Mul(l, l)
	m.Scale(2.5, &m)
	g := gram0(k, x, x)
	mk.Mul(&m, g)
	for i := range n {
		mk.Set(i, i, mk.At(i, i)+1)
	}
	must.Do(t, inv.Inverse(&mk))
	s.Mul(&inv, &m)
	kz := gram0(k, z, x)
	var a, want mat.Dense
	a.Mul(kz, &s)
	want.Mul(&a, kz.T())
	want.Sub(gram0(k, z, z), &want)
	if diff := far(f.Gram(nil, z, z), &want); !(diff <= 1e-10) {
		t.Errorf("the deformed kernel is off by %g", diff)
	}
}

// A product with the kernel matrix that no number holds is an error.
func TestManifoldOverflow(t *testing.T) {
	x, _ := gen.Blobs(25, 3, 2, 2, 4)
	var data *gram.DataError
	if f, err := (Manifold{Kernel: kernel.Gaussian{Gamma: .3}, Ratio: gram.Set(1e308)}).Fit(t.Context(), x); !errors.As(err, &data) || f != nil {
		t.Errorf("%v, %v, want a *gram.DataError", f, err)
	}
}

// A kernel of some features alone is truncated, to at least one of them.
func TestTruncate(t *testing.T) {
	points, v := gen.Normal(5, 3, 1), gen.Normal(5, 2, 2)
	function := func(alpha float64) *Function {
		return NewFunction(kernel.Gaussian{Gamma: .3}, alpha, points, v, []float64{1, -1}, 1)
	}
	const want = "itml: only a kernel with α = 0 can be truncated, to a rank ≥ 1"
	for name, f := range map[string]func(){
		"the base kernel": func() { function(1).Truncate(1) },
		"no rank":         func() { function(0).Truncate(0) },
	} {
		if got := must.Recovered(f); got != want {
			t.Errorf("%s: panic %v, want %q", name, got, want)
		}
	}
	if _, r := function(0).Truncate(1).Dims(); r != 1 {
		t.Errorf("%d features, want 1", r)
	}
}

// Constraints that contradict each other, by themselves or together, end in a
// clear error without slack, and in a kernel with it.
func TestInfeasible(t *testing.T) {
	x, _ := gen.Blobs(10, 3, 2, 3, 1)
	x.SetRow(1, x.RawRowView(0))
	k := kernel.Gaussian{Gamma: 0.3}
	for name, cons := range map[string][]constraint.Linear{
		"negative distance":  {constraint.Distance(2, 3, constraint.AtMost, -1)},
		"points coincide":    {constraint.Distance(0, 1, constraint.AtLeast, 1)},
		"contradiction":      {constraint.Distance(2, 3, constraint.AtMost, 1), constraint.Distance(2, 3, constraint.AtLeast, 2)},
		"triangle":           {constraint.Distance(2, 3, constraint.AtMost, 0.1), constraint.Distance(3, 4, constraint.AtMost, 0.1), constraint.Distance(2, 4, constraint.AtLeast, 2)},
		"self contradiction": {constraint.RelativeDistance(2, 3, 2, 3, constraint.AtMost, -1)},
	} {
		for _, reg := range []Regularizer{LogDet, Frobenius, NearIdentity, Trace} {
			m, err := Config{Kernel: k, Regularizer: reg}.Fit(t.Context(), x, cons)
			var inf *constraint.InfeasibleError
			var ce *gram.ConvergenceError
			switch {
			case errors.As(err, &inf):
			case errors.As(err, &ce) && m != nil && name == "contradiction":
				t.Logf("%s, %v: %v", name, reg, err)
			default:
				t.Errorf("%s, %v: error %v", name, reg, err)
			}
			if m != nil {
				if g := m.Kernel().Gram(nil, x, x); math.IsNaN(mat.Sum(g)) {
					t.Errorf("%s, %v: NaN", name, reg)
				}
			}
			m, err = Config{Kernel: k, Regularizer: reg, Slack: 1}.Fit(t.Context(), x, cons)
			if err != nil {
				t.Errorf("%s, %v: with slack %v", name, reg, err)
				continue
			}
			if g := m.Kernel().Gram(nil, x, x); math.IsNaN(mat.Sum(g)) {
				t.Errorf("%s, %v: NaN with slack", name, reg)
			}
		}
	}
}
