package sideinfo

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/algotest"
	"github.com/gramworks/gram/algos/crossval"
	"github.com/gramworks/gram/algos/internal/fixture"
	"github.com/gramworks/gram/algos/kernels/constraint"
	"github.com/gramworks/gram/algos/linear"
	"github.com/gramworks/gram/algos/lowrank/landmark"
	"github.com/gramworks/gram/algos/solve"
	"github.com/gramworks/gram/dataset"
	"github.com/gramworks/gram/eig"
	"github.com/gramworks/gram/internal/gen"
	"github.com/gramworks/gram/internal/linalg"
	"github.com/gramworks/gram/internal/must"
	"github.com/gramworks/gram/kernel"
	"github.com/gramworks/gram/modelfile"
	"github.com/gramworks/gram/num/rng"
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

// packed are the elements of a symmetric matrix as a vector with the same inner products.
func packed(s mat.Matrix) *mat.VecDense {
	m, _ := s.Dims()
	v := mat.NewVecDense(m*(m+1)/2, nil)
	for i, k := 0, 0; i < m; i++ {
		for j := i; j < m; j, k = j+1, k+1 {
			f := math.Sqrt2 / 2
			if i == j {
				f = .5
			}
			v.SetVec(k, f*(s.At(i, j)+s.At(j, i)))
		}
	}
	return v
}

func unpacked(v *mat.VecDense, m int) *mat.SymDense {
	s := mat.NewSymDense(m, nil)
	for i, k := 0, 0; i < m; i++ {
		for j := i; j < m; j, k = j+1, k+1 {
			f := math.Sqrt2 / 2
			if i == j {
				f = 1
			}
			s.SetSym(i, j, f*v.AtVec(k))
		}
	}
	return s
}

// solve finds the optimum by an interior-point method on the m(m+1)/2 elements of S: Newton
// steps for the objective less μ·log det S, whose minimum is within mμ of the optimum, with
// μ going down to where that is 1e-13 of the objective at 0.
func (p *problem) solve(t *testing.T) *mat.Dense {
	m, _ := p.s0.Dims()
	n := m * (m + 1) / 2
	_, g0 := p.at(mat.NewDense(m, m, nil))
	b := packed(g0)
	hessian := mat.NewSymDense(n, nil)
	for k := range n {
		v := mat.NewVecDense(n, nil)
		v.SetVec(k, 1)
		_, g := p.at(mat.DenseCopyOf(unpacked(v, m)))
		g.Sub(g, g0)
		col := packed(g)
		for i := range k + 1 {
			hessian.SetSym(i, k, col.AtVec(i))
		}
	}
	v := packed(p.s0)
	for i, k := 0, 0; i < m; i, k = i+1, k+m-i {
		v.SetVec(k, v.AtVec(k)+mat.Trace(p.s0)/float64(m))
	}
	var hv mat.VecDense
	hv.MulVec(hessian, v)
	at := func(mu float64, v *mat.VecDense) (float64, bool) {
		var c mat.Cholesky
		if !c.Factorize(unpacked(v, m)) {
			return 0, false
		}
		var hv mat.VecDense
		hv.MulVec(hessian, v)
		return mat.Dot(&hv, v)/2 + mat.Dot(b, v) - mu*c.LogDet(), true
	}
	size := math.Abs(mat.Dot(&hv, v)) + math.Abs(mat.Dot(b, v))
	for mu := size; mu > 1e-21*size; mu *= .3 {
		for range 60 {
			var c mat.Cholesky
			if !c.Factorize(unpacked(v, m)) {
				t.Fatal("the interior point left the cone")
			}
			var inverse mat.SymDense
			if err := c.InverseTo(&inverse); err != nil && !errors.As(err, new(mat.Condition)) {
				t.Fatal(err)
			}
			a := mat.NewSymDense(n, nil)
			for k := range n {
				e := mat.NewVecDense(n, nil)
				e.SetVec(k, 1)
				var f, g mat.Dense
				f.Mul(&inverse, unpacked(e, m))
				g.Mul(&f, &inverse)
				col := packed(&g)
				for i := range k + 1 {
					a.SetSym(i, k, hessian.At(i, k)+mu*col.AtVec(i))
				}
			}
			var gradient, d mat.VecDense
			gradient.MulVec(hessian, v)
			gradient.AddVec(&gradient, b)
			gradient.AddScaledVec(&gradient, -mu, packed(&inverse))
			var chol mat.Cholesky
			if !chol.Factorize(a) { // to rounding: this is as far as it goes
				return mat.DenseCopyOf(unpacked(v, m))
			}
			_ = chol.SolveVecTo(&d, &gradient) // an error tells the condition
			decrement := mat.Dot(&gradient, &d)
			value, _ := at(mu, v)
			step := 1.0
			for ; step > 1e-10; step /= 2 {
				var next mat.VecDense
				next.AddScaledVec(v, -step, &d)
				if reached, ok := at(mu, &next); ok && reached <= value-step*decrement/10+1e-15*size {
					v = &next
					break
				}
			}
			if decrement < 1e-9*mu {
				break
			}
		}
	}
	return mat.DenseCopyOf(unpacked(v, m))
}

// gap is a bound of f(S) − f(S*) by weak duality: ⟨S,∇₊⟩ + ‖∇₋‖²/(4λ) for the parts of the
// gradient that are positive and negative semidefinite.
func (p *problem) gap(t *testing.T, s *mat.Dense) float64 {
	_, g := p.at(s)
	low, _ := must.Have2(eig.ProjectPSD(t.Context(), linalg.Symmetric(g)))(t)
	var minus mat.Dense
	minus.Sub(low, g)
	return math.Abs(dot(s, mat.DenseCopyOf(low))) + dot(&minus, &minus)/(4*p.lambda)
}

// problemOf is the problem that the model of x with classes, or else with pairs, is the
// solution of.
func problemOf(t *testing.T, model *Model, x *mat.Dense, class []int, pairs []constraint.Pair) *problem {
	n, _ := x.Dims()
	u := model.Landmarks()
	k := model.Config().Kernel
	p := &problem{ideal: mat.NewDense(n, n, nil), mask: mat.NewDense(n, n, nil), e: fixture.KernelMatrix(k, x, u)}
	used := make([]bool, n)
	know := func(i, j int, same bool) {
		used[i], used[j] = true, true
		p.mask.Set(i, j, 1)
		if same {
			p.ideal.Set(i, j, 1)
		}
	}
	for i, a := range class {
		for j, b := range class {
			if a >= 0 && b >= 0 {
				know(i, j, a == b)
			}
		}
	}
	for _, q := range pairs {
		know(q.I, q.J, q.Same)
		know(q.J, q.I, q.Same)
	}
	var known, pp mat.Dense
	known.CloneFrom(p.e)
	for i := range n {
		if !used[i] {
			clear(known.RawRowView(i))
		}
	}
	pp.Mul(known.T(), &known)
	root, _ := must.Have2(solve.InvSqrt(t.Context(), linalg.Symmetric(fixture.KernelMatrix(k, u, u)), 0, model.Config().Cut))(t)
	p.s0 = new(mat.Dense)
	p.s0.Mul(root, root.T())
	p.lambda = model.Stats().Lambda * dot(&pp, &pp)
	return p
}

// somePairs are some pairs of n rows, of two classes that no kernel of the rows tells apart.
func somePairs(n int) (pairs []constraint.Pair) {
	for i := range n {
		for j := range i {
			if (i*7+j*3)%n < 3 {
				pairs = append(pairs, constraint.Pair{I: i, J: j, Same: i%2 == j%2})
			}
		}
	}
	return pairs
}

// fitKind fits to classes or to pairs.
func fitKind(c Config, x *mat.Dense, y gram.Labels, pairs []constraint.Pair) (*Model, error) {
	if pairs != nil {
		return c.FitPairs(context.Background(), x, pairs)
	}
	return c.Fit(context.Background(), x, y)
}

// Every solver finds the optimum: it satisfies the conditions of optimality and is that of
// an interior-point method.
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
	for _, lambda := range []float64{1e-2, 1} {
		for _, pairs := range [][]constraint.Pair{nil, somePairs(n)} {
			var want *mat.Dense
			for solver := Newton; solver <= Accelerated; solver++ {
				t.Run(fmt.Sprintf("pairs=%t/lambda=%g/%v", pairs != nil, lambda, solver), func(t *testing.T) {
					c := Config{Kernel: gauss, M: m, Lambda: lambda, Solver: solver, MaxIter: 20000, Landmarks: landmark.Uniform{}}
					model := must.Have(fitKind(c, x, d.Labels, pairs))(t)
					class := d.Labels.Class
					if pairs != nil {
						class = nil
					}
					p := problemOf(t, model, x, class, pairs)
					s := model.Core()
					value, g := p.at(s)
					// ∇ is positive semidefinite and orthogonal to S.
					low, _ := must.Have2(eig.SymAll(t.Context(), linalg.Symmetric(g)))(t)
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
					if want == nil {
						want = p.solve(t)
					}
					if least, _ := p.at(want); !(math.Abs(value-least) < 1e-9*least) {
						t.Errorf("the objective is %.12g, by the other method %.12g", value, least)
					}
					for i := 1; solver != Newton && i < len(st.Objective); i++ {
						if !(st.Objective[i] <= st.Objective[i-1]*(1+1e-12)) {
							t.Fatalf("the objective rises from %g to %g", st.Objective[i-1], st.Objective[i])
						}
					}
				})
			}
		}
	}
}

// Random problems, of kernels with W up to singular (but for eigenvalues below 1e-10 of the
// largest, without which S as a matrix has digits to be judged by), λ from 1e-9 to 1, and
// labels that no kernel of the rows explains, are solved to the tolerance, by Cholesky decompositions and by
// conjugate gradients: weak duality proves it.
func TestHardProblems(t *testing.T) {
	problems := uint64(40)
	if testing.Short() {
		problems = 10
	}
	iterative := 0
	for seed := range problems {
		r := rng.New(seed, 7)
		m := 4 + r.IntN(27)
		n := m + r.IntN(2*m)
		x := gen.Normal(n, 1+r.IntN(4), seed)
		y := gram.Labels{Class: make([]int, n), Names: []string{"a", "b", "c"}}
		for i := range y.Class {
			y.Class[i] = r.IntN(4) - 1
		}
		var pairs []constraint.Pair
		if seed%2 == 1 {
			for range 3 * m {
				i, j := r.IntN(n), r.IntN(n)
				p := constraint.Pair{I: min(i, j), J: max(i, j), Same: r.IntN(2) == 0}
				if i != j && !slices.ContainsFunc(pairs, func(q constraint.Pair) bool { return q.I == p.I && q.J == p.J }) {
					pairs = append(pairs, p)
				}
			}
			y.Class = nil
		}
		gamma, lambda := math.Pow(10, -3*r.Float64()), math.Pow(10, -9*r.Float64())
		name := fmt.Sprintf("seed %d, m = %d, γ = %.2g, λ = %.2g, pairs: %t", seed, m, gamma, lambda, pairs != nil)
		model, err := fitKind(Config{Kernel: kernel.Gaussian{Gamma: gamma}, M: m, Lambda: lambda, Landmarks: landmark.Uniform{}, Cut: 1e-10}, x, y, pairs)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if model.Stats().Iter > 0 && m*(m+1)/2 > maxDense {
			iterative++
		}
		p := problemOf(t, model, x, y.Class, pairs)
		s := model.Core()
		var a, k mat.Dense
		a.Mul(p.e, s)
		k.Mul(&a, p.e.T())
		k.MulElem(&k, p.mask)
		size := p.lambda*dot(s, s) + dot(&k, &k) + dot(p.ideal, p.ideal)
		if gap := p.gap(t, s); !(gap <= 1e-6*size) {
			t.Errorf("%s: the objective is %g of its terms off at most, after %d steps with the residual %g", name, gap/size, model.Stats().Iter, model.Stats().Residual)
		}
	}
	if iterative < int(problems)/4 {
		t.Errorf("%d of %d problems took conjugate gradients", iterative, problems)
	}
}

// A fit that stops before the optimum says so, and how far it is from it at most; the model
// is that far at least from any that claims to be nearer.
func TestNotConverged(t *testing.T) {
	d := algotest.Problem(4, 8, 3, 2)
	x := d.X.(*mat.Dense)
	base := Config{Kernel: kernel.Gaussian{Gamma: .1}, M: 8, Lambda: 1e-9}
	best := must.Have(base.Fit(t.Context(), x, d.Labels))(t)
	for _, c := range []Config{{MaxIter: 1}, {MaxIter: 300, Solver: Gradient}, {MaxIter: 300, Solver: Accelerated}, {Tol: 1e-300}} {
		c.Kernel, c.M, c.Lambda = base.Kernel, base.M, base.Lambda
		m, err := c.Fit(t.Context(), x, d.Labels)
		var ce *gram.ConvergenceError
		if !errors.As(err, &ce) || m == nil {
			t.Errorf("%+v: error %v, model %v", c, err, m != nil)
			continue
		}
		st := m.Stats()
		off := distance(m.Core(), best.Core())
		if ce.Residual != st.Residual || ce.Iter != st.Iter || !(off <= st.Residual+1e-6) {
			t.Errorf("%v, %d steps: residual %g and %g, but S is %g off", c.Solver, st.Iter, ce.Residual, st.Residual, off)
		}
		if c.Tol == 0 && !(off > 1e-6) {
			t.Errorf("%v, %d steps: S is %g off only", c.Solver, st.Iter, off)
		}
	}
	base.StartOnly = true
	if m, err := base.Fit(t.Context(), x, d.Labels); err != nil || !(m.Stats().Residual > 1e-6) {
		t.Errorf("the start alone: %v, residual %g", err, m.Stats().Residual)
	}
}

// distance is ‖a−b‖/‖b‖.
func distance(a, b *mat.Dense) float64 {
	var d mat.Dense
	d.Sub(a, b)
	return math.Sqrt(dot(&d, &d) / dot(b, b))
}

// With the defaults six to eight points are learned from to 1e-6 for λ down to 1e-9: S and the kernel of
// other points, against an interior-point method and by weak duality, with kernels whose W
// has condition numbers up to 1e10. What Stats.Residual says is a bound of the distance.
func TestSmallLambda(t *testing.T) {
	seeds := uint64(3)
	if testing.Short() {
		seeds = 1
	}
	for seed := range seeds {
		n := 6 + int(seed%3)
		d := algotest.Problem(seed, n+5, 3, 2)
		x, other := d.X.(*mat.Dense).Slice(0, n, 0, 3).(*mat.Dense), d.X.(*mat.Dense).Slice(n, n+5, 0, 3).(*mat.Dense)
		y := gram.Labels{Class: d.Labels.Class[:n], Names: d.Labels.Names}
		for _, gamma := range []float64{1, .1} {
			for _, lambda := range []float64{1e-5, 1e-9} {
				for _, pairs := range [][]constraint.Pair{nil, somePairs(n)} {
					name := fmt.Sprintf("seed %d, γ = %g, λ = %g, pairs: %t", seed, gamma, lambda, pairs != nil)
					m, err := fitKind(Config{Kernel: kernel.Gaussian{Gamma: gamma}, M: n, Lambda: lambda}, x, y, pairs)
					if err != nil {
						t.Errorf("%s: %v after %d steps, %v", name, err, m.Stats().Iter, m.Stats().Residual)
						continue
					}
					class := y.Class
					if pairs != nil {
						class = nil
					}
					p := problemOf(t, m, x, class, pairs)
					s, want := m.Core(), p.solve(t)
					e := fixture.KernelMatrix(m.Config().Kernel, other, m.Landmarks())
					var a, b, k, kw mat.Dense
					a.Mul(e, s)
					k.Mul(&a, e.T())
					b.Mul(e, want)
					kw.Mul(&b, e.T())
					f, _ := p.at(s)
					best, _ := p.at(want)
					// Where rounding stops the interior points before ours, weak duality alone tells.
					if gap := p.gap(t, s); !(gap <= 1e-5*f) || !(f <= best*(1+1e-9)) {
						t.Errorf("%s: the objective is %.12g, by the other method %.12g, and at most %g off", name, f, best, gap)
					}
					if ds, dk := distance(s, want), distance(&k, &kw); f > best*(1-1e-10) && !(ds <= 1e-6 && dk <= 1e-6 && ds <= m.Stats().Residual+1e-7) {
						t.Errorf("%s: S is %g off and the kernel of new rows %g, proven: %g", name, ds, dk, m.Stats().Residual)
					}
				}
			}
		}
	}
}

// Where the start without S ⪰ 0 is definite anyway it is the solution.
func TestStart(t *testing.T) {
	d := algotest.Problem(3, 60, 3, 3)
	c := Config{Kernel: gauss, M: 5, Lambda: 10, Tol: 1e-9}
	c.StartOnly = true
	a := must.Have(c.Fit(context.Background(), d.X, d.Labels))(t)
	c.StartOnly = false
	b := must.Have(c.Fit(context.Background(), d.X, d.Labels))(t)
	var p mat.Dense
	e := fixture.KernelMatrix(gauss, mat.DenseCopyOf(d.X), b.Landmarks())
	p.Mul(e.T(), e)
	if norm := mat.Norm(&p, 2); !(math.Abs(b.Unit()-norm*norm) <= 1e-12*norm*norm) {
		t.Errorf("‖P‖² is %g, want %g", b.Unit(), norm*norm)
	}
	if !mat.EqualApprox(a.Core(), b.Core(), 1e-6) || b.Stats().Iter > 2 {
		t.Errorf("the solution is not the start: %d iterations", b.Stats().Iter)
	}
}

// With λ → ∞ the features are Nyström's, and K = ESEᵀ for any rows.
func TestFeatures(t *testing.T) {
	d := algotest.Problem(3, 60, 3, 3)
	m := must.Have(Config{Kernel: gauss, M: 6, Lambda: 1e9}.Fit(context.Background(), d.X, d.Labels))(t)
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
	m := must.Have(c.Fit(context.Background(), x, y))(t)
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
			fold := must.Have(one.Fit(context.Background(), x, z))(t)
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
	mixed := c
	mixed.Grid = []float64{c.Grid[1], c.Grid[2], c.Grid[0]}
	other := must.Have(mixed.Fit(context.Background(), x, y))(t)
	if a, b := m.Stats(), other.Stats(); a.Lambda != b.Lambda || !slices.Equal(a.Held, b.Held) {
		t.Errorf("a grid in another order chooses %g of the errors %v, not %g of %v", b.Lambda, b.Held, a.Lambda, a.Held)
	}
	c.ByAlignment = true
	m = must.Have(c.Fit(context.Background(), x, y))(t)
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
	l := must.Have(newClassLoss(t.Context(), e, class, 3))(t)
	if got, want := l.alignment(s), Alignment(&k, idealOf(class)); !(math.Abs(got-want) < 1e-12) {
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
	m := must.Have(Config{Kernel: kernel.Gaussian{Gamma: 0.3}, M: 20}.Fit(t.Context(), d.X, d.Labels))(t)
	l := must.Have(linear.SVM{}.Fit(t.Context(), m, d.X, d.Labels, nil))(t)
	algotest.Compiled(t, l, algotest.Problem(2, 150, 4, 3).X.(*mat.Dense), 1e-3)
}

// Pairs choose the λ of the best product among those for which the fit reaches Tol, or the
// largest one where all pairs are alike and the products say nothing.
func TestPairsChooseLambda(t *testing.T) {
	algotest.Serial(t)
	d := dataset.Rings(90, 3, .05, 1)
	class := d.Labels.Class
	var pairs []constraint.Pair
	for i := range 200 {
		if a, b := i%90, (7*i+1+i/90)%90; a != b {
			pairs = append(pairs, constraint.Pair{I: a, J: b, Same: class[a] == class[b]})
		}
	}
	c := Config{Kernel: kernel.Gaussian{Gamma: 2}, M: 12, Landmarks: landmark.Uniform{}}
	m, err := c.FitPairs(t.Context(), d.X, pairs)
	if err != nil {
		t.Fatal(err)
	}
	if st := m.Stats(); len(st.Scores) != 7 || st.Alignment != slices.Max(st.Scores) {
		t.Errorf("the default grid: λ = %g of the scores %v", st.Lambda, st.Scores)
	}
	c.Grid, c.MaxIter = []float64{1e-12, 1e-11, 1e-10, 1e-2, 1}, 4
	m = must.Have(c.FitPairs(t.Context(), d.X, pairs))(t)
	one := c
	one.Lambda = m.Stats().Lambda
	alone := must.Have(one.FitPairs(t.Context(), d.X, pairs))(t)
	st := m.Stats()
	if !math.IsInf(min(st.Scores[0], st.Scores[1], st.Scores[2]), -1) || !(st.Alignment == max(st.Scores[3], st.Scores[4])) || !(st.Residual <= 1e-6) {
		t.Errorf("a grid whose end does not converge: λ = %g of the scores %v, residual %g", st.Lambda, st.Scores, st.Residual)
	}
	if !mat.EqualApprox(m.Core(), alone.Core(), 1e-4*mat.Norm(m.Core(), 2)) {
		t.Error("the chosen λ alone has another solution")
	}
	c.Grid, c.MaxIter = c.Grid[:2], 1
	var ce *gram.ConvergenceError
	if m, err = c.FitPairs(t.Context(), d.X, pairs); !errors.As(err, &ce) || m == nil {
		t.Errorf("no λ converges: %v", err)
	}
	for i := range pairs {
		pairs[i].Same = true
	}
	c.Grid, c.MaxIter = nil, 0
	if m, err = c.FitPairs(t.Context(), d.X, pairs); err != nil || m.Stats().Lambda != 1 {
		t.Errorf("pairs of one kind: λ = %g, %v; want the largest", m.Stats().Lambda, err)
	}
}
