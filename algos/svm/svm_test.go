package svm

import (
	"context"
	"errors"
	"fmt"
	"math"
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/algotest"
	"github.com/gramworks/gram/dataset"
	"github.com/gramworks/gram/internal/gen"
	"github.com/gramworks/gram/internal/must"
	"github.com/gramworks/gram/kernel"
	"github.com/gramworks/gram/num/rng"
	"github.com/gramworks/gram/sparse"
	"gonum.org/v1/gonum/mat"
)

// optimal holds a solution against the definition of the problem, with kernel
// values by Eval: it is feasible, and the primal objective of its function is as
// near the dual's as a violation of p.Tol makes it: each row adds to the gap its
// room times its violation.
func optimal(t *testing.T, what string, p Problem, s *Solution) {
	t.Helper()
	n, d := p.X.Dims()
	row := func(i int) []float64 {
		r := make([]float64, d)
		for j := range r {
			r[j] = p.X.At(i, j)
		}
		return r
	}
	var sum, size, room, norm, linear, loss float64
	for i, b := range s.Coef {
		if !(b >= p.Lower[i] && b <= p.Upper[i]) {
			t.Fatalf("%s: coefficient %d is %v, not from %v to %v", what, i, b, p.Lower[i], p.Upper[i])
		}
		sum, size, room = sum+b, size+math.Abs(b), room+p.Upper[i]-p.Lower[i]
	}
	if !p.NoBias && !(math.Abs(sum-p.Sum) <= 1e-11*size) {
		t.Fatalf("%s: the sum of the coefficients is %v, of their sizes %v", what, sum, size)
	}
	epsilon := p.Epsilon
	if p.Half > 0 {
		// Σ|β| is below 2·Half where both parts of a coefficient are not 0, which needs an ε of 0.
		if epsilon = s.Epsilon; !(size <= 2*p.Half*(1+1e-11)) || !(size >= 2*p.Half*(1-1e-11)) && !(epsilon <= p.Tol) {
			t.Errorf("%s: the sizes of the coefficients add up to %v, want %v, epsilon %v", what, size, 2*p.Half, epsilon)
		}
	} else if s.Epsilon != epsilon {
		t.Errorf("%s: epsilon %v", what, s.Epsilon)
	}
	for i := range n {
		var g float64
		for j, b := range s.Coef {
			if b != 0 {
				g += b * p.Kernel.Eval(row(i), row(j))
			}
		}
		norm += s.Coef[i] * g
		linear += p.Epsilon*math.Abs(s.Coef[i]) - p.Target[i]*s.Coef[i]
		r := p.Target[i] - g - s.Bias
		loss += p.Upper[i]*max(0, r-epsilon) - p.Lower[i]*max(0, -r-epsilon)
	}
	dual, primal := norm/2+linear, norm/2+loss+s.Bias*p.Sum+2*epsilon*p.Half
	if !(primal+dual <= p.Tol*(room+p.Sum+2*p.Half)) || !(primal+dual >= -1e-9*math.Abs(primal)-1e-12) {
		t.Errorf("%s: primal %v, dual %v: gap %.3g of it", what, primal, -dual, (primal+dual)/primal)
	}
	if gap := (primal + dual) / math.Abs(primal); !(math.Abs(s.Stats.Gap-gap) <= 1e-8) && math.Abs(primal) > 1e-9 {
		t.Errorf("%s: the gap is said to be %v, it is %v", what, s.Stats.Gap, gap)
	}
	if !(math.Abs(s.Stats.Objective-dual) <= 1e-9*(math.Abs(dual)+norm)) {
		t.Errorf("%s: the objective is said to be %v, it is %v", what, s.Stats.Objective, dual)
	}
}

// classes is a problem of two overlapping classes.
func classes(x mat.Matrix, c float64, seed uint64) Problem {
	n, _ := x.Dims()
	r := rng.New(seed, 5)
	p := Problem{X: x, Target: make([]float64, n), Lower: make([]float64, n), Upper: make([]float64, n)}
	for i := range n {
		v := math.Sin(2*x.At(i, 0)) + 0.5*x.At(i, 1) + 0.3*r.NormFloat64()
		bound := c * (0.5 + r.Float64())
		if v > 0.2 {
			p.Target[i], p.Upper[i] = 1, bound
		} else {
			p.Target[i], p.Lower[i] = -1, -bound
		}
	}
	return p
}

func values(x mat.Matrix, c, epsilon float64, seed uint64) Problem {
	n, _ := x.Dims()
	r := rng.New(seed, 6)
	p := Problem{X: x, Target: make([]float64, n), Lower: make([]float64, n), Upper: make([]float64, n), Epsilon: epsilon}
	for i := range n {
		p.Target[i] = math.Sin(2*x.At(i, 0)) + 0.5*x.At(i, 1) + 0.2*r.NormFloat64()
		p.Upper[i] = c * (0.5 + r.Float64())
		p.Lower[i] = -p.Upper[i]
	}
	return p
}

func TestOptimal(t *testing.T) {
	algotest.Serial(t)
	const n = 90
	dense := gen.Normal(n, 3, 1)
	for i := range 25 { // some rows twice: no curvature between them
		dense.SetRow(2*i+1, dense.RawRowView(2*i))
	}
	for _, x := range []mat.Matrix{dense, sparse.FromDense(dense), gen.Sparse(n, 30, 0.1, 3)} {
		for _, k := range []kernel.Kernel{kernel.Gaussian{Gamma: 1}, kernel.Laplacian{Gamma: 0.5}, kernel.Polynomial{Degree: 3, Offset: 1}, kernel.Linear{}, kernel.Matern{Nu: 1.5, Length: 1}} {
			if _, polynomial := k.(kernel.Polynomial); testing.Short() && !polynomial {
				continue
			}
			for name, p := range map[string]Problem{
				"classes, C 1":          classes(x, 1, 2),
				"classes, C 100":        classes(x, 100, 2),
				"values, ε 0.1":         values(x, 1, 0.1, 2),
				"values, ε 0, C 20":     values(x, 20, 0, 2),
				"values, wide tube":     values(x, 5, 1, 2),
				"values, nothing to do": values(x, 5, 100, 2),
			} {
				for _, noBias := range []bool{false, true} {
					for _, double := range []bool{false, true} {
						if double && k != (kernel.Kernel)(kernel.Gaussian{Gamma: 1}) {
							continue
						}
						p.Kernel, p.NoBias, p.Tol, p.Double = k, noBias, 1e-5, double
						s, err := Solve(context.Background(), p)
						what := fmt.Sprintf("%T, %v, %s, no bias %v, double %v", x, k.Spec(), name, noBias, double)
						if err != nil {
							t.Fatalf("%s: %v, %+v", what, err, s.Stats)
						}
						if !(s.Stats.Violation <= 1e-5) {
							t.Errorf("%s: violation %v", what, s.Stats.Violation)
						}
						optimal(t, what, p, s)
					}
				}
			}
		}
	}
}

// TestPaths holds that neither the size of the cache, nor shrinking, nor the
// start change what the solution is: large enough that rows are left out.
func TestPaths(t *testing.T) {
	n := 4000
	if testing.Short() {
		n = 2000
	}
	x := gen.Normal(n, 3, 1)
	for _, noBias := range []bool{false, true} {
		p := classes(x, 10, 2)
		p.Kernel, p.NoBias = kernel.Gaussian{Gamma: 1}, noBias
		want := must.Have(Solve(context.Background(), p))(t)
		if want.Stats.Rounds < 1 || want.Stats.Rows >= int64(n) || !(want.Stats.Hits > 0.5) {
			t.Errorf("not what the test is about: %+v", want.Stats)
		}
		small := p
		small.CacheBytes = 1
		got := must.Have(Solve(context.Background(), small))(t)
		if got.Stats.Hits >= want.Stats.Hits {
			t.Errorf("no bias %v: with a small cache %v of the rows are there, with a large one %v", noBias, got.Stats.Hits, want.Stats.Hits)
		}
		for i, b := range want.Coef {
			if got.Coef[i] != b {
				t.Fatalf("no bias %v: coefficient %d is %v with a small cache, %v with a large one", noBias, i, got.Coef[i], b)
			}
		}
		warm := p
		warm.Start = want.Coef
		got = must.Have(Solve(context.Background(), warm))(t)
		if got.Stats.Iterations != 0 || !(math.Abs(got.Bias-want.Bias) <= 1e-12) {
			t.Errorf("no bias %v: %d iterations from the solution, bias %v and %v", noBias, got.Stats.Iterations, got.Bias, want.Bias)
		}
		// From another problem's solution, beyond the bounds and not balanced.
		warm.Start = make([]float64, n)
		for i, b := range want.Coef {
			warm.Start[i] = 3 * b
		}
		warm.Start[7] = 100
		got = must.Have(Solve(context.Background(), warm))(t)
		if d := math.Abs(got.Stats.Objective - want.Stats.Objective); !(d <= 1e-4*math.Abs(want.Stats.Objective)) {
			t.Errorf("no bias %v: objective %v, from another start %v", noBias, want.Stats.Objective, got.Stats.Objective)
		}
	}
}

// TestQuadrant holds the minimum of two variables against that on a grid.
func TestQuadrant(t *testing.T) {
	r := rng.New(1, 0)
	const cells = 200
	for range 500 {
		p, q := r.NormFloat64(), r.NormFloat64()
		a, b := 0.1+r.Float64(), 0.1+r.Float64()
		c := math.Sqrt(a*b) * (2*r.Float64() - 1)
		if r.IntN(5) == 0 {
			c = math.Copysign(math.Sqrt(a*b), c) // no curvature in one direction
		}
		ms, mt := 3*r.Float64(), 3*r.Float64()
		at := func(s, t float64) float64 { return a*s*s/2 + b*t*t/2 - c*s*t - p*s - q*t }
		x, y, value := quadrant(p, q, a, b, c, ms, mt)
		if x < 0 || x > ms || y < 0 || y > mt || !(math.Abs(value-at(x, y)) <= 1e-12) {
			t.Fatalf("%v at (%v, %v), where the value is %v, in the box (%v, %v)", value, x, y, at(x, y), ms, mt)
		}
		for i := range cells + 1 {
			for j := range cells + 1 {
				if v := at(ms*float64(i)/cells, mt*float64(j)/cells); !(v >= value-1e-12) {
					t.Fatalf("a %v, b %v, c %v, p %v, q %v, box (%v, %v): %v, less is %v", a, b, c, p, q, ms, mt, value, v)
				}
			}
		}
	}
}

// TestNearlyConstant holds that few iterations suffice without a bias where all
// rows are alike: single variables need 30 times as many as there are rows.
func TestNearlyConstant(t *testing.T) {
	const n = 500
	p := classes(gen.Normal(n, 3, 1), 30, 2)
	p.Kernel, p.NoBias = kernel.Gaussian{Gamma: 1e-3}, true
	s := must.Have(Solve(context.Background(), p))(t)
	if s.Stats.Iterations > 3*n {
		t.Errorf("%d iterations for %d rows", s.Stats.Iterations, n)
	}
}

// TestMonotone holds that the objective never rises.
func TestMonotone(t *testing.T) {
	x := gen.Normal(300, 3, 1)
	for _, noBias := range []bool{false, true} {
		for _, p := range []Problem{classes(x, 10, 2), values(x, 10, 0.1, 2)} {
			p.Kernel, p.NoBias = kernel.Gaussian{Gamma: 1}, noBias
			last := 0.0
			for iter := 1; iter < 100; iter++ {
				p.MaxIter = iter
				s, err := Solve(context.Background(), p)
				var ce *gram.ConvergenceError
				if !errors.As(err, &ce) {
					t.Fatal(err)
				}
				if ce.Iter != iter || !(s.Stats.Objective < last) {
					t.Fatalf("no bias %v: objective %v after %d iterations, %v before", noBias, s.Stats.Objective, ce.Iter, last)
				}
				last = s.Stats.Objective
			}
		}
	}
}

// TestSinglePrecisionIsNotEnough has a tolerance that rows in float32 do not reach.
func TestSinglePrecisionIsNotEnough(t *testing.T) {
	p := classes(gen.Normal(200, 3, 1), 10, 2)
	p.Kernel, p.Tol = kernel.Polynomial{Degree: 4, Offset: 1}, 1e-10
	s, err := Solve(context.Background(), p)
	if err != nil {
		t.Fatalf("%v %+v", err, s.Stats)
	}
	if !s.Stats.Double || !(s.Stats.Violation <= 1e-10) {
		t.Errorf("%+v", s.Stats)
	}
}

func TestOneClass(t *testing.T) {
	x := gen.Normal(20, 3, 1)
	p := Problem{Kernel: kernel.Gaussian{Gamma: 1}, X: x, Target: make([]float64, 20), Lower: make([]float64, 20), Upper: make([]float64, 20)}
	for i := range 20 {
		p.Target[i], p.Lower[i] = -1, -1
	}
	s, err := Solve(context.Background(), p)
	if err != nil || s.Stats.Support != 0 || s.Bias != -1 {
		t.Errorf("bias %v, %d support vectors, %v", s.Bias, s.Stats.Support, err)
	}
}

// TestVotes compares pairs and votes with functions trained apart.
func TestVotes(t *testing.T) {
	x, y := gen.Blobs(120, 2, 4, 2, 3)
	c := Config{Kernel: kernel.Gaussian{Gamma: 0.5}, C: 2, Tol: 1e-11} // pairs of few rows take float64 from the start, and others float32
	m := must.Have(c.Fit(context.Background(), x, y, nil))(t)
	got := m.Values(nil, x)
	f := 0
	votes := mat.NewDense(120, 4, nil)
	for a := range 4 {
		for b := a + 1; b < 4; b++ {
			var index []int
			two := gram.Labels{Names: []string{"a", "b"}}
			for i, class := range y.Class {
				if class == a || class == b {
					index = append(index, i)
					two.Class = append(two.Class, map[int]int{a: 0, b: 1}[class])
				}
			}
			part := mat.NewDense(len(index), 2, nil)
			for k, i := range index {
				part.SetRow(k, x.RawRowView(i))
			}
			one := must.Have(c.Fit(context.Background(), part, two, nil))(t)
			want := one.Scores(nil, x)
			for i := range 120 {
				if !(math.Abs(want.At(i, 0)-got.At(i, f)) <= 1e-9) {
					t.Fatalf("pair %d, %d: row %d has %v, apart %v", a, b, i, got.At(i, f), want.At(i, 0))
				}
				if want.At(i, 0) > 0 {
					votes.Set(i, b, votes.At(i, b)+1)
				} else {
					votes.Set(i, a, votes.At(i, a)+1)
				}
			}
			if pa, pb := pairOf(f, 4); pa != a || pb != b {
				t.Errorf("function %d is of the pair %d, %d", f, pa, pb)
			}
			f++
		}
	}
	if !mat.Equal(votes, m.Scores(nil, x)) {
		t.Error("other votes")
	}
	wrong := 0
	for i, class := range m.Predict(nil, x) {
		if class != m.Decide(got.RawRowView(i)) {
			t.Errorf("row %d: class %d, by its values %d", i, class, m.Decide(got.RawRowView(i)))
		}
		if class != y.Class[i] {
			wrong++
		}
	}
	if wrong > 40 {
		t.Errorf("%d of 120 rows wrong", wrong)
	}
}

// TestExpand computes the values of all functions from the expansion.
func TestExpand(t *testing.T) {
	x, y := gen.Blobs(90, 3, 3, 2, 3)
	for _, multi := range []Multi{OneVsOne, OneVsRest} {
		for _, train := range []mat.Matrix{x, sparse.FromDense(x)} {
			m := must.Have(Config{Kernel: kernel.Laplacian{Gamma: 0.5}, Multi: multi}.Fit(context.Background(), train, y, nil))(t)
			points, coef, bias := m.Expand()
			got := m.Values(nil, x)
			for i := range 90 {
				for f, b := range bias {
					for j := range points.N {
						b += coef.Row(j)[f] * m.Kernel().Eval(x.RawRowView(i), points.Row(j))
					}
					if !(math.Abs(b-got.At(i, f)) <= 1e-10) {
						t.Fatalf("row %d, function %d: %v, by the expansion %v", i, f, got.At(i, f), b)
					}
				}
			}
			if len(m.Support()) != points.N {
				t.Errorf("%d rows are support vectors, %d points", len(m.Support()), points.N)
			}
			for k, i := range m.Support() {
				if points.Row(k)[0] != x.At(i, 0) {
					t.Errorf("point %d is not row %d", k, i)
				}
			}
		}
	}
}

func TestFitFrom(t *testing.T) {
	x, y := gen.Blobs(300, 3, 3, 1, 3)
	c := Config{Kernel: kernel.Gaussian{Gamma: 0.5}, C: 1}
	first := must.Have(c.Fit(context.Background(), x, y, nil))(t)
	coef := must.Have(first.Coefficients(300))(t)
	again := must.Have(c.FitFrom(context.Background(), x, y, nil, coef))(t)
	for f, s := range again.Stats().Problems {
		if s.Iterations != 0 {
			t.Errorf("function %d: %d iterations from the solution", f, s.Iterations)
		}
	}
	c.C = 4
	cold := must.Have(c.Fit(context.Background(), x, y, nil))(t)
	warm := must.Have(c.FitFrom(context.Background(), x, y, nil, coef))(t)
	for f, s := range warm.Stats().Problems {
		if o := cold.Stats().Problems[f].Objective; !(math.Abs(s.Objective-o) <= 1e-3*math.Abs(o)) {
			t.Errorf("function %d: objective %v from a start, %v without", f, s.Objective, o)
		}
	}
	if _, err := first.Coefficients(20); err == nil {
		t.Error("coefficients of other rows")
	}
	put := must.Have(NewModel(c, y.Names, x, coef, make([]float64, 3)))(t)
	want := first.Values(nil, x)
	_, _, bias := first.Expand()
	for i := range 300 {
		for f, b := range bias {
			want.Set(i, f, want.At(i, f)-b)
		}
	}
	if !mat.EqualApprox(put.Values(nil, x), want, 1e-12) {
		t.Error("the model of given coefficients has other values")
	}
}

// TestWeightsAreRepetitions holds that a row of weight 2 is as good as two rows,
// and one of weight 0 as good as none.
func TestWeightsAreRepetitions(t *testing.T) {
	x := gen.Normal(80, 3, 1)
	y := gram.Labels{Names: []string{"a", "b"}}
	w := make([]float64, 80)
	var index []int
	repeated := gram.Labels{Names: y.Names}
	r := rng.New(3, 3)
	for i := range 80 {
		class := 0
		if x.At(i, 0)+0.5*r.NormFloat64() > 0 {
			class = 1
		}
		y.Class = append(y.Class, class)
		w[i] = float64(r.IntN(3))
		for range int(w[i]) {
			index, repeated.Class = append(index, i), append(repeated.Class, class)
		}
	}
	many := mat.NewDense(len(index), 3, nil)
	for k, i := range index {
		many.SetRow(k, x.RawRowView(i))
	}
	c := Config{Kernel: kernel.Gaussian{Gamma: 0.5}, Tol: 1e-8}
	a := must.Have(c.Fit(context.Background(), x, y, w))(t)
	b := must.Have(c.Fit(context.Background(), many, repeated, nil))(t)
	if !mat.EqualApprox(a.Scores(nil, x), b.Scores(nil, x), 1e-6) {
		t.Error("other scores")
	}
	// Weights of classes are weights of their rows.
	c.ClassWeights = []float64{1, 3}
	a = must.Have(c.Fit(context.Background(), x, y, nil))(t)
	c.ClassWeights = nil
	for i := range w {
		w[i] = 1 + 2*float64(y.Class[i])
	}
	b = must.Have(c.Fit(context.Background(), x, y, w))(t)
	if !mat.Equal(a.Scores(nil, x), b.Scores(nil, x)) {
		t.Error("weights of classes: other scores")
	}
}

func TestConfigErrors(t *testing.T) {
	x, y := gen.Blobs(20, 2, 2, 2, 3)
	k := kernel.Gaussian{Gamma: 1}
	for field, c := range map[string]Config{
		"Kernel":       {},
		"C":            {Kernel: k, C: -1},
		"ClassWeights": {Kernel: k, ClassWeights: []float64{1}},
		"Multi":        {Kernel: k, Multi: 7},
		"Tol":          {Kernel: k, Tol: -1},
		"MaxIter":      {Kernel: k, MaxIter: -1},
		"CacheBytes":   {Kernel: k, CacheBytes: -1},
	} {
		_, err := c.Fit(context.Background(), x, y, nil)
		var ce *gram.ConfigError
		if !errors.As(err, &ce) || ce.Field != field {
			t.Errorf("%s: %v", field, err)
		}
	}
	_, err := Regression{Kernel: k, Epsilon: gram.Set(-1.0)}.Fit(context.Background(), x, make([]float64, 20), nil)
	var ce *gram.ConfigError
	if !errors.As(err, &ce) || ce.Field != "Epsilon" {
		t.Errorf("Epsilon: %v", err)
	}
}

// TestIJCNN1 holds the solution of a real problem against what LIBSVM 3.24 gives
// with -c 32 -g 2: objective −33139.940114, 2478 support vectors, 1042 at the bound.
func TestIJCNN1(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	dir, err := dataset.FindDir()
	if err != nil {
		t.Skip("no data: ", err)
	}
	train, test, err := dir.Load("ijcnn1", dataset.Options{})
	if err != nil {
		t.Skip("no data: ", err)
	}
	m := must.Have(Config{Kernel: kernel.Gaussian{Gamma: 2}, C: 32}.Fit(context.Background(), train.X, train.Labels, nil))(t)
	s := m.Stats().Problems[0]
	if !(math.Abs(s.Objective+33139.940114) <= 1e-4*33139.940114) || !(math.Abs(float64(s.Support)-2478) <= 25) {
		t.Errorf("%+v", s)
	}
	right := 0
	for i, c := range m.Predict(nil, test.X) {
		if c == test.Labels.Class[i] {
			right++
		}
	}
	if right < 90506-60 || right > 90506+60 { // LIBSVM: 98.697 %
		t.Errorf("%d rows of 91701 right, LIBSVM 90506", right)
	}
	t.Logf("%+v", s)
}

// The rows of the kernel matrix that are kept take what a limit of memory leaves, and no more.
func TestPlanWithinLimit(t *testing.T) {
	plan := func(limit int64) gram.Plan {
		c := Regression{Kernel: kernel.Gaussian{Gamma: 1}, CacheBytes: 1 << 40, Run: gram.Run{MemoryLimit: limit, Workers: 1}}
		return must.Have(c.Plan(gram.Shape{N: 5000, D: 4}))(t)
	}
	limit := plan(0).PeakBytes * 3 / 4
	if p := plan(limit); p.PeakBytes != limit {
		t.Errorf("the plan takes %d bytes, the limit is %d", p.PeakBytes, limit)
	}
}
