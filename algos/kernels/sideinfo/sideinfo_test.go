package sideinfo

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/crossval"
	"github.com/gramworks/gram/algos/kernels/constraint"
	"github.com/gramworks/gram/algos/linear"
	"github.com/gramworks/gram/algos/lowrank/landmark"
	"github.com/gramworks/gram/eig"
	"github.com/gramworks/gram/internal/algotest"
	"github.com/gramworks/gram/internal/gen"
	"github.com/gramworks/gram/internal/rng"
	"github.com/gramworks/gram/kernel"
	"github.com/gramworks/gram/modelfile"
	"gonum.org/v1/gonum/mat"
)

var gauss = kernel.Gaussian{Gamma: 0.3}

// problem is the objective from its definition, in matrices of l rows.
type problem struct {
	e, ideal, mask, s0 *mat.Dense
	lambda             float64
}

func (p *problem) at(s *mat.Dense) (float64, *mat.Dense) {
	var es, k, g, d mat.Dense
	es.Mul(p.e, s)
	k.Mul(&es, p.e.T())
	k.Sub(&k, p.ideal)
	k.MulElem(&k, p.mask)
	value := dot(&k, &k)
	es.Reset()
	es.Mul(p.e.T(), &k)
	g.Mul(&es, p.e)
	d.Sub(s, p.s0)
	value += p.lambda * dot(&d, &d)
	d.Scale(p.lambda, &d)
	g.Add(&g, &d)
	g.Scale(2, &g)
	return value, &g
}

// solve finds the optimum by the alternating direction method: the quadratic part
// by conjugate gradients, the cone by projection.
func (p *problem) solve() float64 {
	m, _ := p.s0.Dims()
	s, z, u := mat.NewDense(m, m, nil), mat.NewDense(m, m, nil), mat.NewDense(m, m, nil)
	_, at0 := p.at(s)
	rho := 20 * p.lambda
	apply := func(x *mat.Dense) *mat.Dense { // Hessian + ρ
		_, g := p.at(x)
		g.Sub(g, at0)
		var t mat.Dense
		t.Scale(rho, x)
		g.Add(g, &t)
		return g
	}
	for range 3000 {
		var b mat.Dense
		b.Sub(z, u)
		b.Scale(rho, &b)
		b.Sub(&b, at0)
		r := apply(s)
		r.Sub(&b, r)
		d := mat.DenseCopyOf(r)
		rr := dot(r, r)
		for range 60 {
			if rr < 1e-26*dot(&b, &b) {
				break
			}
			ad := apply(d)
			step := rr / dot(d, ad)
			var t mat.Dense
			t.Scale(step, d)
			s.Add(s, &t)
			t.Scale(step, ad)
			r.Sub(r, &t)
			next := dot(r, r)
			d.Scale(next/rr, d)
			d.Add(d, r)
			rr = next
		}
		var a mat.Dense
		a.Add(s, u)
		before := z
		z, _ = project(&a)
		u.Sub(&a, z)
		var gap mat.Dense
		gap.Sub(z, before)
		if math.Sqrt(dot(&gap, &gap)) < 1e-13*(1+math.Sqrt(dot(z, z))) {
			break
		}
	}
	value, _ := p.at(z)
	return value
}

func TestOptimality(t *testing.T) {
	algotest.Serial(t)
	const n, m = 40, 8
	d := algotest.Problem(3, n, 3, 3)
	x := d.X.(*mat.Dense)
	for i := range n {
		if i%4 == 3 {
			d.Labels.Class[i] = -1
		}
	}
	var pairs []constraint.Pair
	for k := range 30 {
		i, j := k, (k*13+5)%n
		if i < j {
			pairs = append(pairs, constraint.Pair{I: i, J: j, Same: i%3 == j%3})
		}
	}
	for _, lambda := range []float64{1e-2, 1} {
		if testing.Short() && lambda < 1 {
			continue
		}
		for _, fast := range []bool{false, true} {
			for _, kind := range []string{"classes", "pairs"} {
				t.Run(fmt.Sprintf("%s/lambda=%g/accelerated=%v", kind, lambda, fast), func(t *testing.T) {
					c := Config{Kernel: gauss, M: m, Lambda: lambda, Accelerated: fast, Tol: 1e-9, MaxIter: 20000, Landmarks: landmark.Uniform{}}
					p := &problem{ideal: mat.NewDense(n, n, nil), mask: mat.NewDense(n, n, nil)}
					var model *Model
					var err error
					used := make([]bool, n)
					if kind == "classes" {
						model, err = c.Fit(context.Background(), x, d.Labels)
						for i, a := range d.Labels.Class {
							for j, b := range d.Labels.Class {
								if a < 0 || b < 0 {
									continue
								}
								used[i] = true
								p.mask.Set(i, j, 1)
								if a == b {
									p.ideal.Set(i, j, 1)
								}
							}
						}
					} else {
						model, err = c.FitPairs(context.Background(), x, pairs)
						for _, q := range pairs {
							used[q.I], used[q.J] = true, true
							v := 0.0
							if q.Same {
								v = 1
							}
							for _, ij := range [][2]int{{q.I, q.J}, {q.J, q.I}} {
								p.mask.Set(ij[0], ij[1], 1)
								p.ideal.Set(ij[0], ij[1], v)
							}
						}
					}
					if err != nil {
						t.Fatal(err)
					}
					p.e = mat.NewDense(n, m, nil)
					w := mat.NewSymDense(m, nil)
					pp := mat.NewDense(m, m, nil)
					for i := range n {
						for j := range m {
							p.e.Set(i, j, gauss.Eval(x.RawRowView(i), model.Landmarks().RawRowView(j)))
						}
						if used[i] {
							row := p.e.Slice(i, i+1, 0, m)
							var o mat.Dense
							o.Mul(row.T(), row)
							pp.Add(pp, &o)
						}
					}
					for i := range m {
						for j := range m {
							w.SetSym(i, j, gauss.Eval(model.Landmarks().RawRowView(i), model.Landmarks().RawRowView(j)))
						}
					}
					inverse, _, err := eig.PowerPinv(w, -1, 0, 0)
					if err != nil {
						t.Fatal(err)
					}
					p.s0 = mat.DenseCopyOf(inverse)
					p.lambda = lambda * dot(pp, pp)
					s := model.Core()
					value, g := p.at(s)
					// ∇ is positive semidefinite and orthogonal to S.
					low, _, err := eig.SymAll(symmetric(g))
					if err != nil {
						t.Fatal(err)
					}
					_, at0 := p.at(mat.NewDense(m, m, nil))
					size := math.Sqrt(dot(at0, at0))
					if !(low[0] > -1e-6*size) {
						t.Errorf("the gradient has the eigenvalue %g", low[0])
					}
					if c := dot(s, g); !(math.Abs(c) < 1e-6*size*math.Sqrt(dot(s, s))) {
						t.Errorf("⟨S,∇⟩ is %g", c)
					}
					st := model.Stats()
					if last := st.Objective[len(st.Objective)-1]; !(math.Abs(last-value) < 1e-9*value) {
						t.Errorf("the objective is %.12g, reported %.12g", value, last)
					}
					if want := p.solve(); !(math.Abs(value-want) < 1e-6*want) {
						t.Errorf("the objective is %.12g, by the other method %.12g", value, want)
					}
					for i := 1; i < len(st.Objective); i++ {
						if !(st.Objective[i] <= st.Objective[i-1]*(1+1e-12)) {
							t.Fatalf("the objective rises from %g to %g", st.Objective[i-1], st.Objective[i])
						}
					}
				})
			}
		}
	}
}

// Where the start without S ⪰ 0 is definite anyway it is the solution.
func TestStart(t *testing.T) {
	d := algotest.Problem(3, 60, 3, 3)
	c := Config{Kernel: gauss, M: 5, Lambda: 10, Tol: 1e-9}
	c.StartOnly = true
	a, err := c.Fit(context.Background(), d.X, d.Labels)
	if err != nil {
		t.Fatal(err)
	}
	c.StartOnly = false
	b, err := c.Fit(context.Background(), d.X, d.Labels)
	if err != nil {
		t.Fatal(err)
	}
	if !mat.EqualApprox(a.Core(), b.Core(), 1e-6) || b.Stats().Iter > 2 {
		t.Errorf("the solution is not the start: %d iterations", b.Stats().Iter)
	}
}

// With λ → ∞ the features are Nyström's, and K = ESEᵀ for any rows.
func TestFeatures(t *testing.T) {
	d := algotest.Problem(3, 60, 3, 3)
	m, err := Config{Kernel: gauss, M: 6, Lambda: 1e9}.Fit(context.Background(), d.X, d.Labels)
	if err != nil {
		t.Fatal(err)
	}
	u := m.Landmarks()
	f := m.Map(nil, u)
	for i := range 6 {
		for j := range 6 {
			want := gauss.Eval(u.RawRowView(i), u.RawRowView(j))
			if got := mat.Dot(f.RowView(i), f.RowView(j)); !(math.Abs(got-want) < 1e-6) {
				t.Errorf("K(%d,%d) is %g, want %g", i, j, got, want)
			}
		}
	}
}

func TestErrorsAndDegenerateLabels(t *testing.T) {
	d := algotest.Problem(3, 30, 3, 3)
	ctx := context.Background()
	c := Config{Kernel: gauss, M: 5}
	none := gram.Labels{Class: make([]int, 30), Names: d.Labels.Names}
	for i := range none.Class {
		none.Class[i] = -1
	}
	var de *gram.DataError
	if _, err := c.Fit(ctx, d.X, none); !errors.As(err, &de) {
		t.Errorf("no labels: %v", err)
	}
	one := gram.Labels{Class: make([]int, 30), Names: []string{"a"}}
	m, err := c.Fit(ctx, d.X, one)
	if err != nil {
		t.Fatalf("one class: %v", err)
	}
	if l := m.Stats().Lambda; l != 1 {
		t.Errorf("one class: λ is %g, want the largest", l)
	}
	var ce *gram.ConfigError
	for field, bad := range map[string]Config{
		"M": {Kernel: gauss, M: 31}, "Lambda": {Kernel: gauss, Lambda: -1}, "Tol": {Kernel: gauss, Tol: 3},
		"Grid": {Kernel: gauss, Grid: []float64{0}}, "Cut": {Kernel: gauss, Cut: 2}, "Kernel": {}, "MaxIter": {Kernel: gauss, MaxIter: -1},
		"Folds": {Kernel: gauss, Folds: 1},
	} {
		if _, err := bad.Fit(ctx, d.X, d.Labels); !errors.As(err, &ce) || ce.Field != field {
			t.Errorf("%s: %v", field, err)
		}
	}
	if _, err := c.FitPairs(ctx, d.X, nil); !errors.As(err, &ce) {
		t.Errorf("no pairs: %v", err)
	}
	if _, err := c.FitPairs(ctx, d.X, []constraint.Pair{{I: 1, J: 30, Same: true}}); !errors.As(err, &ce) || ce.Field != "pairs[0]" {
		t.Errorf("a pair outside: %v", err)
	}
	bad := gram.Labels{Class: append([]int{7}, none.Class[1:]...), Names: d.Labels.Names}
	if _, err := c.Fit(ctx, d.X, bad); !errors.As(err, &de) {
		t.Errorf("class 7: %v", err)
	}
}

// The errors that choose λ are those of models fitted without the held-out rows,
// by regressions from the normal equations.
func TestHeldOut(t *testing.T) {
	x, y := someLabels(45)
	c := Config{Kernel: gauss, Landmarks: landmark.Fixed{U: x.Slice(0, 12, 0, 3).(*mat.Dense)}, M: 12, Folds: 4, Grid: []float64{1e-9, 1e-5, 1e-1}}
	m, err := c.Fit(context.Background(), x, y)
	if err != nil {
		t.Fatal(err)
	}
	index, class, _ := labeled(x, y)
	part := make([]int, len(class))
	for f, split := range crossval.Folds(len(class), 4, class, rng.Derive(0, "folds")) {
		for _, i := range split.Held {
			part[i] = f
		}
	}
	best, at := math.Inf(1), 0
	for i, lambda := range c.Grid {
		sums := make([]float64, len(ridges))
		for f := range 4 {
			z := gram.Labels{Class: slices.Clone(y.Class), Names: y.Names}
			for k, p := range part {
				if p == f {
					z.Class[index[k]] = -1
				}
			}
			one := c
			one.Lambda, one.StartOnly = lambda, true
			fold, err := one.Fit(context.Background(), x, z)
			if err != nil {
				t.Fatal(err)
			}
			g := fold.Map(nil, x)
			_, r := g.Dims()
			// With a constant that is not penalized: centered by hand.
			mean, share, l := make([]float64, r), make([]float64, 3), 0.
			for k, p := range part {
				if p != f {
					l++
					axpy(mean, 1, g.RawRowView(index[k]))
					share[class[k]]++
				}
			}
			a, b := mat.NewSymDense(r, nil), mat.NewDense(r, 3, nil)
			row := func(k int) *mat.VecDense {
				v := mat.NewVecDense(r, slices.Clone(g.RawRowView(index[k])))
				v.AddScaledVec(v, -1/l, mat.NewVecDense(r, mean))
				return v
			}
			target := func(k int) []float64 {
				out := []float64{-share[0] / l, -share[1] / l, -share[2] / l}
				out[class[k]]++
				return out
			}
			for k, p := range part {
				if p != f {
					a.SymRankOne(a, 1, row(k))
					var o mat.Dense
					o.Outer(1, row(k), mat.NewVecDense(3, target(k)))
					b.Add(b, &o)
				}
			}
			for d, ridge := range ridges {
				s := mat.NewSymDense(r, nil)
				s.CopySym(a)
				for j := range r {
					s.SetSym(j, j, s.At(j, j)+ridge*mat.Trace(a)/l)
				}
				var w mat.Dense
				if err := w.Solve(s, b); err != nil {
					var cond mat.Condition
					if !errors.As(err, &cond) {
						t.Fatal(err)
					}
				}
				for k, p := range part {
					if p == f {
						var v mat.VecDense
						v.MulVec(w.T(), row(k))
						v.SubVec(&v, mat.NewVecDense(3, target(k)))
						sums[d] += mat.Dot(&v, &v)
					}
				}
			}
		}
		want := slices.Min(sums) / float64(len(class))
		if got := m.Stats().Held[i]; !(math.Abs(got-want) < 1e-6*want) {
			t.Errorf("λ = %g: error %g, want %g", lambda, got, want)
		}
		if want <= best {
			best, at = want, i
		}
	}
	if got := m.Stats().Lambda; got != c.Grid[at] {
		t.Errorf("λ is %g, want %g of the errors %v", got, c.Grid[at], m.Stats().Held)
	}
	c.ByAlignment = true
	if m, err = c.Fit(context.Background(), x, y); err != nil {
		t.Fatal(err)
	}
	st := m.Stats()
	if st.Held != nil || len(st.Scores) != 3 || st.Alignment != slices.Max(st.Scores) || st.Scores[slices.Index(c.Grid, st.Lambda)] != st.Alignment {
		t.Errorf("by alignment: λ = %g of the scores %v", st.Lambda, st.Scores)
	}
}

func TestAlignment(t *testing.T) {
	// From m×m matrices it is that of the l×l ones.
	e, class := gen.Normal(30, 5, 2), make([]int, 30)
	for i := range class {
		class[i] = i * i % 7 % 3
	}
	s := mat.DenseCopyOf(gen.SPD(5, 10, 3))
	var es, k mat.Dense
	es.Mul(e, s)
	k.Mul(&es, e.T())
	if got, want := newClassLoss(e, class, 3).alignment(s), Alignment(&k, idealOf(class)); !(math.Abs(got-want) < 1e-12) {
		t.Errorf("alignment %g, want %g", got, want)
	}

	a := mat.DenseCopyOf(gen.SPD(9, 10, 1))
	scaled := mat.NewDense(9, 9, nil)
	scaled.Apply(func(_, _ int, v float64) float64 { return 3*v + 2 }, a)
	if r := Alignment(a, scaled); !(math.Abs(r-1) < 1e-12) {
		t.Errorf("alignment with a multiple is %g", r)
	}
	ones := mat.NewDense(9, 9, nil)
	ones.Apply(func(_, _ int, _ float64) float64 { return 1 }, ones)
	if r := Alignment(a, ones); r != 0 {
		t.Errorf("alignment with a constant is %g", r)
	}
}

func TestContract(t *testing.T) {
	at := func(n int, run gram.Run) Config {
		c := Config{Kernel: gauss, M: min(8, n), Landmarks: landmark.Uniform{}, Grid: []float64{1e-1, 10}, MaxIter: 40, Run: run}
		if n > 700 {
			c.M = 120
		}
		return c
	}
	algotest.Check(t, algotest.Subject{
		Kind: algotest.Unsupervised,
		Fit: func(ctx context.Context, d algotest.Data, run gram.Run) (*algotest.Model, error) {
			n, _ := d.X.Dims()
			y := gram.Labels{Class: make([]int, n), Names: []string{"a", "b"}}
			for i := range y.Class {
				y.Class[i] = i % 2
			}
			return algotest.Fitted(at(n, run).Fit(ctx, d.X, y))
		},
		Plan:   func(s gram.Shape, run gram.Run) (gram.Plan, error) { return at(s.N, run).Plan(s) },
		Decode: func(f *modelfile.File) (*algotest.Model, error) { return algotest.Fitted(Decode(f)) },
		Golden: "sideinfo.v1.gram",
		Random: []string{"folds", "landmarks"},
		Memory: gram.Shape{N: 800, D: 8},
	})
}

// Linear models on the features have programs.
func TestCompiled(t *testing.T) {
	d := algotest.Problem(1, 300, 4, 3)
	m, err := Config{Kernel: kernel.Gaussian{Gamma: 0.3}, M: 20}.Fit(t.Context(), d.X, d.Labels)
	if err != nil {
		t.Fatal(err)
	}
	l, err := linear.SVM{}.Fit(t.Context(), m, d.X, d.Labels, nil)
	if err != nil {
		t.Fatal(err)
	}
	algotest.Compiled(t, l, algotest.Problem(2, 150, 4, 3).X.(*mat.Dense), 1e-3)
}
