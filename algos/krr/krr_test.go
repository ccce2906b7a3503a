package krr

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/algotest"
	"github.com/gramworks/gram/algos/internal/fixture"
	"github.com/gramworks/gram/algos/linear"
	"github.com/gramworks/gram/algos/lowrank/landmark"
	"github.com/gramworks/gram/algos/lowrank/nystrom"
	"github.com/gramworks/gram/algos/solve"
	"github.com/gramworks/gram/internal/gen"
	"github.com/gramworks/gram/internal/must"
	"github.com/gramworks/gram/internal/rows"
	"github.com/gramworks/gram/kernel"
	"github.com/gramworks/gram/modelfile"
	"gonum.org/v1/gonum/mat"
)

var (
	gauss = kernel.Gaussian{Gamma: 0.3}
	ctx   = context.Background()
)

// data returns n rows of 3 numbers with two targets, the second far from 0, and
// weights of which some are 0.
func data(n int) (x, y *mat.Dense, w []float64) {
	p := algotest.Problem(1, n, 3, 3)
	x = p.X.(*mat.Dense)
	y = mat.NewDense(n, 2, nil)
	for i := range n {
		y.Set(i, 0, p.Value[i])
		y.Set(i, 1, 50-p.Value[i]*x.At(i, 1))
	}
	w = p.Weights
	for i := 4; i < n; i += 7 {
		w[i] = 0
	}
	return x, y, w
}

func fit(t *testing.T, c Config, x mat.Matrix, y *mat.Dense, w []float64) *Model {
	t.Helper()
	m := must.Have(c.FitAll(ctx, x, y, w))(t)
	return m
}

// optimal fails unless α and b meet the conditions for the least value: for
// every row λα_i = w_i(y_i − f_i), and with a constant Σα = 0.
func optimal(t *testing.T, c Config, m *Model, x, y *mat.Dense, w []float64, tol float64) {
	t.Helper()
	var err error
	var kept mat.Matrix
	if kept, y, w, _, err = rows.Weighted(c, c.Run, x, y, w); err != nil {
		t.Fatal(err)
	}
	n, outputs := y.Dims()
	all := gram.Matrix(gram.Of(kept))
	g := fixture.KernelMatrix(c.Kernel, all, all)
	total := float64(n)
	if w != nil {
		total = 0
		for _, v := range w {
			total += v
		}
	}
	_, alpha, bias := m.Expand()
	for j := range outputs {
		var sum float64
		for i := range n {
			f := bias[j]
			for k := range n {
				f += g.At(i, k) * alpha.Row(k)[j]
			}
			wi := 1.0
			if w != nil {
				wi = w[i]
			}
			a := alpha.Row(i)[j]
			if r := c.Penalty.Scale(m.Config().Lambda.Value(), total)*a - wi*(y.At(i, j)-f); !(math.Abs(r) < tol) {
				t.Fatalf("output %d, row %d: λα − w(y−f) = %g", j, i, r)
			}
			sum += a
		}
		if !c.NoBias && !(math.Abs(sum) < tol*float64(n)) {
			t.Fatalf("output %d: the coefficients sum to %g", j, sum)
		}
		if c.NoBias && bias[j] != 0 {
			t.Fatalf("output %d: a constant %g that nobody asked for", j, bias[j])
		}
	}
}

func TestOptimality(t *testing.T) {
	for _, n := range []int{1, 2, 30, 300} { // 300: more than a tile
		x, y, w := data(n)
		for _, solver := range []Solver{Cholesky, Eigen, CG} {
			for _, bias := range []bool{false, true} {
				for _, weights := range [][]float64{nil, w} {
					for _, penalty := range []solve.Penalty{solve.Total, solve.PerRow} {
						c := Config{Kernel: gauss, Lambda: gram.Set(0.02), Solver: solver, NoBias: modelfile.Not(!bias), Penalty: penalty, Tol: 1e-12}
						m := fit(t, c, x, y, weights)
						optimal(t, c, m, x, y, weights, 1e-7)
					}
				}
			}
		}
	}
}

// A weight is a number of copies, and the two conventions agree where n·λ = λ'.
func TestWeightsAreCopies(t *testing.T) {
	x, y, w := data(40)
	var index []int
	for i, v := range w {
		for range int(v) {
			index = append(index, i)
		}
	}
	n := len(index)
	xx, yy := mat.NewDense(n, 3, nil), mat.NewDense(n, 2, nil)
	for k, i := range index {
		xx.SetRow(k, x.RawRowView(i))
		yy.SetRow(k, y.RawRowView(i))
	}
	z := algotest.Problem(2, 25, 3, 3).X
	want := fit(t, Config{Kernel: gauss, Lambda: gram.Set(0.5)}, xx, yy, nil).PredictAll(nil, z)
	for _, c := range []Config{
		{Kernel: gauss, Lambda: gram.Set(0.5)},
		{Kernel: gauss, Lambda: gram.Set(0.5 / float64(n)), Penalty: solve.PerRow},
	} {
		if got := fit(t, c, x, y, w).PredictAll(nil, z); !mat.EqualApprox(got, want, 1e-9) {
			t.Errorf("penalty %v: weights are not copies", c.Penalty)
		}
	}
}

func TestDefaults(t *testing.T) {
	x, y, _ := data(50)
	m := fit(t, Config{Kernel: gauss, NoBias: true}, x, y, nil)
	c := m.Config()
	if c.Lambda.Value() != 1.0/50 || c.Tol == 0 || c.M == 0 || c.Landmarks == nil || m.Stats().Solver != Cholesky || m.Stats().Shift != c.Lambda.Value() {
		t.Errorf("resolved settings %+v, %+v", c, m.Stats())
	}
	if big := (Config{NoBias: true}).method(maxStored + 1); big != CG {
		t.Errorf("the solver for many rows is %v", big)
	}
	if m.Kernel() != kernel.Kernel(gauss) {
		t.Error("another kernel")
	}
	// Landmarks that are given are as many as they are.
	fixed := Config{Kernel: gauss, Solver: CG, Landmarks: landmark.Fixed{Index: []int{1, 3, 4, 9, 15}}}
	if m = fit(t, fixed, x, y, nil); m.Config().M != 5 {
		t.Errorf("%d landmarks of 5", m.Config().M)
	}
	fixed.M = 6
	_, err := fixed.FitAll(ctx, x, y, nil)
	algotest.Names(t, "M", 6, err)
}

// leaveOut trains without row i and returns the residuals there.
func leaveOut(t *testing.T, c Config, x, y *mat.Dense, w []float64, i int) []float64 {
	t.Helper()
	n, d := x.Dims()
	_, outputs := y.Dims()
	xx, yy := mat.NewDense(n-1, d, nil), mat.NewDense(n-1, outputs, nil)
	var ww []float64
	for k, to := 0, 0; k < n; k++ {
		if k == i {
			continue
		}
		xx.SetRow(to, x.RawRowView(k))
		yy.SetRow(to, y.RawRowView(k))
		if w != nil {
			ww = append(ww, w[k])
		}
		to++
	}
	p := fit(t, c, xx, yy, ww).PredictAll(nil, x.Slice(i, i+1, 0, d))
	r := make([]float64, outputs)
	for j := range r {
		r[j] = y.At(i, j) - p.At(0, j)
	}
	return r
}

// The closed forms are what training without each row gives, and what the
// definition of the hat matrix gives.
func TestScores(t *testing.T) {
	const n = 36
	x, y, weights := data(n)
	for _, bias := range []bool{false, true} {
		for _, w := range [][]float64{nil, weights} {
			for _, lambda := range []float64{1e-3, 0.1, 3} {
				c := Config{Kernel: gauss, Lambda: gram.Set(lambda), NoBias: modelfile.Not(!bias)}
				path := must.Have(c.Path(ctx, x, y, w))(t)
				got := path.Scores([]float64{7, lambda})[1]
				var loo, train, total, active float64
				m := fit(t, c, x, y, w)
				fitted := m.PredictAll(nil, x)
				each := path.Rows(lambda)
				near := func(what string, i int, got, want float64) {
					t.Helper()
					if !(math.Abs(got-want) < 1e-8*(1+math.Abs(want))) {
						t.Errorf("bias %v, weights %v, λ %g: %s of row %d is %.12g, want %.12g", bias, w != nil, lambda, what, i, got, want)
					}
				}
				if each.Lambda != lambda {
					t.Errorf("the rows are those of λ = %g, want %g", each.Lambda, lambda)
				}
				for i := range n {
					wi := 1.0
					if w != nil {
						wi = w[i]
					}
					if wi > 0 {
						active++
					}
					total += wi
					for j, r := range leaveOut(t, c, x, y, w, i) {
						loo += wi * r * r
						train += wi * math.Pow(y.At(i, j)-fitted.At(i, j), 2)
						near("the fitted value", i, each.Fitted.At(i, j), fitted.At(i, j))
						near("the residual", i, each.Residual.At(i, j), y.At(i, j)-fitted.At(i, j))
						near("the value without the row", i, each.LeftOut.At(i, j), y.At(i, j)-r)
						near("the residual without the row", i, each.LeaveOut.At(i, j), r)
					}
				}
				loo, train = math.Sqrt(loo/(2*total)), math.Sqrt(train/(2*total))
				// tr H from the response to a change of each target.
				var trace float64
				for i := range n {
					e := mat.NewDense(n, 1, nil)
					e.Set(i, 0, 1)
					leverage := fit(t, c, x, e, w).PredictAll(nil, x).At(i, 0)
					near("the leverage", i, each.Leverage[i], leverage)
					trace += leverage
				}
				gcv := train / (1 - trace/active)
				for _, v := range []struct {
					name      string
					got, want float64
				}{{"leave-one-out", got.LeaveOneOut, loo}, {"training", got.Training, train}, {"degrees", got.Degrees, trace}, {"GCV", got.GCV, gcv}, {"λ", got.Lambda, lambda}} {
					if !(math.Abs(v.got-v.want) < 1e-8*(1+math.Abs(v.want))) {
						t.Errorf("bias %v, weights %v, λ %g: %s %.12g, want %.12g", bias, w != nil, lambda, v.name, v.got, v.want)
					}
				}
				if pm := path.Model(lambda); !mat.EqualApprox(pm.PredictAll(nil, x), fitted, 1e-9) || pm.Config().Lambda.Value() != lambda {
					t.Errorf("the model of the path differs")
				}
			}
		}
	}
}

// Where λ tends to 0 the scores tend to those of interpolation, on nonsingular
// kernel matrices and on singular ones.
func TestTinyPenalty(t *testing.T) {
	x, y, _ := data(30)
	singular := mat.NewDense(30, 3, nil)
	for i := range 30 {
		singular.SetRow(i, x.RawRowView(i%20))
	}
	for name, c := range map[string]struct {
		x *mat.Dense
		k kernel.Kernel
	}{"nonsingular": {x, kernel.Laplacian{Gamma: 1}}, "singular": {singular, kernel.Gaussian{Gamma: 1}}, "rank 3": {x, kernel.Linear{}}} {
		path := must.Have(Config{Kernel: c.k, NoBias: true}.Path(ctx, c.x, y, nil))(t)
		s := path.Scores([]float64{0, 1e-300, 1e-30, 1e-16, 1e-12})
		for i, v := range s {
			if math.IsNaN(v.LeaveOneOut) || math.IsInf(v.LeaveOneOut, 0) || math.IsNaN(v.GCV) || math.IsInf(v.GCV, 0) ||
				!(math.Abs(v.LeaveOneOut-s[0].LeaveOneOut) < 1e-5*s[0].LeaveOneOut) || !(math.Abs(v.GCV-s[0].GCV) < 1e-5*s[0].GCV) {
				t.Errorf("%s: scores %+v, for λ = 0 %+v", name, s[i], s[0])
			}
			m := path.Model(v.Lambda)
			if a := mat.Norm(m.alpha, 2); !(a < 1e8) {
				t.Errorf("%s, λ %g: coefficients of norm %g", name, v.Lambda, a)
			}
		}
	}
	// Without a kernel value other than 0 the function is the constant.
	for _, bias := range []bool{false, true} {
		c := Config{Kernel: kernel.Linear{}, NoBias: modelfile.Not(!bias)}
		one := mat.NewDense(4, 1, []float64{1, 2, 3, 6})
		path := must.Have(c.Path(ctx, mat.NewDense(4, 2, nil), one, nil))(t)
		want := Scores{Training: math.Sqrt(50. / 4), LeaveOneOut: math.Sqrt(50. / 4), GCV: math.Sqrt(50. / 4)}
		if bias { // the residuals are −2, −1, 0 and 3, and 4/3 times that without the row
			want = Scores{Degrees: 1, Training: math.Sqrt(14. / 4), LeaveOneOut: math.Sqrt(14./4) * 4 / 3, GCV: math.Sqrt(14./4) * 4 / 3}
		}
		for _, got := range path.Scores([]float64{0, 0}) {
			for _, v := range [][2]float64{{got.Degrees, want.Degrees}, {got.Training, want.Training}, {got.LeaveOneOut, want.LeaveOneOut}, {got.GCV, want.GCV}} {
				if !(math.Abs(v[0]-v[1]) < 1e-12) {
					t.Errorf("bias %v, zeros: scores %+v, want %+v", bias, got, want)
				}
			}
		}
	}
	// The limit is leave-one-out interpolation.
	c := Config{Kernel: kernel.Laplacian{Gamma: 1}, Lambda: gram.Set(0.0), NoBias: true}
	path := must.Have(c.Path(ctx, x, y, nil))(t)
	var want float64
	for i := range 30 {
		for _, r := range leaveOut(t, c, x, y, nil, i) {
			want += r * r / 60
		}
	}
	if got := path.Scores([]float64{0})[0].LeaveOneOut; !(math.Abs(got-math.Sqrt(want)) < 1e-8) {
		t.Errorf("leave-one-out of interpolation %g, want %g", got, math.Sqrt(want))
	}
	if m := fit(t, c, x, y, nil); !mat.EqualApprox(m.PredictAll(nil, x), y, 1e-8) {
		t.Error("without a penalty the targets are not met")
	}
}

func TestAutoFallsBackToEigen(t *testing.T) {
	x, y, _ := data(60)
	c := Config{Kernel: kernel.Linear{}, Lambda: gram.Set(1e-18), NoBias: true}
	m := fit(t, c, x, y, nil)
	if m.Stats().Solver != Eigen {
		t.Errorf("solver %v for a singular matrix", m.Stats().Solver)
	}
	want := must.Have(linear.Ridge{Lambda: gram.Set(0.), NoBias: true}.FitAll(ctx, nil, x, y, nil))(t)
	if !mat.EqualApprox(m.PredictAll(nil, x), want.PredictAll(nil, x), 1e-8) {
		t.Error("the linear kernel is not least squares")
	}
	c.Solver = Cholesky
	var pd *gram.NotPDError
	if _, err := c.FitAll(ctx, x, y, nil); !errors.As(err, &pd) || !(pd.Margin <= 0) || pd.Pivot < 3 {
		t.Errorf("error %v of Cholesky's method, want a pivot after the third", err)
	}
}

// CG with and without the preconditioner, dense and thin weights.
func TestPreconditioner(t *testing.T) {
	x, y := gen.Smooth(800, 3, 0.1, 1)
	c := Config{Kernel: kernel.Gaussian{Gamma: 0.5}, Lambda: gram.Set(1e-3), Solver: CG, Tol: 1e-8, MaxIter: 2000, NoBias: true}
	target := mat.NewDense(800, 1, y)
	with := fit(t, c, x, target, nil)
	c.NoPreconditioner = true
	without, err := c.FitAll(ctx, x, target, nil)
	var ce *gram.ConvergenceError
	if err != nil && !errors.As(err, &ce) {
		t.Fatal(err)
	}
	if with.Stats().Iterations*3 > without.Stats().Iterations {
		t.Errorf("%d products with the preconditioner, %d without", with.Stats().Iterations, without.Stats().Iterations)
	}
	exact := fit(t, Config{Kernel: c.Kernel, Lambda: c.Lambda, NoBias: true}, x, target, nil)
	if !mat.EqualApprox(with.PredictAll(nil, x), exact.PredictAll(nil, x), 1e-4) {
		t.Error("CG's function differs from Cholesky's")
	}
	c.NoPreconditioner = false
	c.Landmarks = landmark.KMeans{}
	c.M = 40
	if fit(t, c, x, target, nil).Stats().Iterations == with.Stats().Iterations {
		t.Error("other landmarks make no difference")
	}
}

// The preconditioner for all rows as landmarks is the inverse, for a λ that round-off in the squares of kernel values would hide, too.
func TestExactPreconditioner(t *testing.T) {
	x, y, w := data(60)
	for _, lambda := range []float64{0.1, 1e-8} {
		for _, weights := range [][]float64{nil, w} {
			c := Config{Kernel: kernel.Laplacian{Gamma: 0.5}, Lambda: gram.Set(lambda), Solver: CG, M: 60, NoBias: true}
			if weights != nil {
				c.M = 52 // rows that have a weight
			}
			m := fit(t, c, x, y, weights)
			if it := m.Stats().Iterations; it > 3 {
				t.Errorf("λ = %g: %d products with the exact inverse as preconditioner", lambda, it)
			}
			c.Solver = Cholesky
			if want := fit(t, c, x, y, weights); !mat.EqualApprox(m.PredictAll(nil, x), want.PredictAll(nil, x), 1e-4) {
				t.Errorf("λ = %g: the function differs from Cholesky's", lambda)
			}
		}
	}
	// Some landmarks of a smooth kernel, whose matrix has many eigenvalues that are round-off. Without them CG ends at MaxIter.
	c := Config{Kernel: kernel.Gaussian{Gamma: 0.05}, Lambda: gram.Set(1e-8), Solver: CG, M: 40, NoBias: true}
	m := fit(t, c, x, y, w)
	c.Solver = Eigen
	if want := fit(t, c, x, y, w); !mat.EqualApprox(m.PredictAll(nil, x), want.PredictAll(nil, x), 1e-3) {
		t.Error("the function differs from that of the eigenvectors")
	}
}

// Solve on an approximation is ridge regression on its features.
func TestSolve(t *testing.T) {
	x, y, w := data(80)
	n := must.Have(nystrom.Config{Kernel: gauss, M: 10, Landmarks: landmark.Uniform{}}.Fit(ctx, x))(t)
	a := must.Have(n.Operator(ctx, x))(t)
	for _, weights := range [][]float64{nil, w} {
		for _, p := range []solve.Penalty{solve.Total, solve.PerRow} {
			alpha, st := must.Have2(Solve(ctx, a, y, SolveOptions{Lambda: 0.1, Penalty: p, Weights: weights, Options: solve.Options{Tol: 1e-12}}))(t)
			r := must.Have(linear.Ridge{Lambda: gram.Set(0.1), Penalty: p, NoBias: true}.FitAll(ctx, n, x, y, weights))(t)
			want, _ := r.Weights()
			var got mat.Dense
			got.Mul(a.Phi.T(), alpha)
			if !mat.EqualApprox(&got, want, 1e-8) || st.Iter == 0 {
				t.Errorf("weights %v, %v: the function is not that of ridge regression on features", weights != nil, p)
			}
		}
	}
	// Without λ a singular matrix is solved as far as it can be: for the diagonal 2, 0 and the targets 1, 1 the second step of CG has no
	// curvature, and the iterate is that of the first, which is 1, 1.
	singular := &solve.LowRank{Phi: mat.NewDense(2, 1, []float64{math.Sqrt2, 0})}
	ones := mat.NewDense(2, 1, []float64{1, 1})
	var short *gram.ConvergenceError
	alpha, _, err := Solve(ctx, singular, ones, SolveOptions{Options: solve.Options{Tol: 1e-3}})
	if !errors.As(err, &short) || short.Iter != 2 || short.Tol != 1e-3 || !(math.Abs(short.Residual-1) < 1e-12) ||
		alpha == nil || !mat.EqualApprox(alpha, ones, 1e-12) {
		t.Errorf("a singular matrix: %v, %+v", alpha, err)
	}
	var pd *gram.NotPDError
	if _, _, err := Solve(ctx, minus{}, ones, SolveOptions{Lambda: .5}); !errors.As(err, &pd) {
		t.Errorf("a matrix with negative eigenvalues: %v", err)
	}
	for _, f := range []func(){
		func() { _, _, _ = Solve(ctx, a, ones, SolveOptions{}) },
		func() { _, _, _ = Solve(ctx, singular, ones, SolveOptions{Weights: make([]float64, 3)}) },
	} {
		if p, _ := must.Recovered(f).(string); !strings.HasPrefix(p, "krr: ") {
			t.Errorf("lengths that differ: panic %v", p)
		}
	}
	done, cancel := context.WithCancel(ctx)
	cancel()
	if _, _, err := Solve(done, a, y, SolveOptions{Lambda: 1}); err != context.Canceled {
		t.Errorf("cancelled: %v", err)
	}
	var ce *gram.ConfigError
	if _, _, err := Solve(ctx, a, y, SolveOptions{Lambda: -1}); !errors.As(err, &ce) {
		t.Errorf("λ = −1: %v", err)
	}
}

// minus is −I.
type minus struct{}

func (minus) Dim() int                { return 2 }
func (minus) Apply(dst, x *mat.Dense) { dst.Scale(-1, x) }

// A product that is cut short leaves the iterate as it was.
func TestCanceledProduct(t *testing.T) {
	x, y, _ := data(200)
	reference := mat.NewDense(200, 2, nil)
	g := fixture.KernelMatrix(gauss, x, x)
	run := func(limit int) *mat.Dense {
		c, cancel := context.WithCancel(ctx)
		defer cancel()
		products := 0
		s := &system{ctx: c, dim: 200, shift: 1e-3, apply: func(dst, v *mat.Dense) error {
			if products++; products > limit {
				cancel()
				dst.Zero()
				dst.Set(0, 0, math.NaN())
				return c.Err()
			}
			dst.Mul(g, v)
			return nil
		}}
		got, _, err := s.solve(y, solve.Options{})
		if err != context.Canceled {
			t.Fatalf("error %v", err)
		}
		return got
	}
	for limit := range 4 {
		got := run(limit)
		if limit == 0 {
			if got != nil {
				t.Error("a model without a product")
			}
			continue
		}
		reference.Zero()
		_, err := solve.CG(ctx, reference, &system{ctx: ctx, dim: 200, shift: 1e-3, apply: func(dst, v *mat.Dense) error { dst.Mul(g, v); return nil }}, 0, y, solve.Options{MaxIter: limit})
		var ce *gram.ConvergenceError
		if !errors.As(err, &ce) {
			t.Fatal(err)
		}
		if !mat.Equal(got, reference) {
			t.Errorf("after %d products the iterate is not that of %d steps", limit, limit)
		}
	}
}

// Predict is the first of the functions, into exactly as many numbers as there are rows.
func TestPredictFirst(t *testing.T) {
	x, y, w := data(40)
	m := fit(t, Config{Kernel: gauss, NoBias: true}, x, y, w)
	all := m.PredictAll(nil, x)
	if got := m.Predict(make([]float64, 40), x); !slices.Equal(got, mat.Col(nil, 0, all)) {
		t.Error("the first function differs")
	}
	for _, n := range []int{0, 39, 41} {
		if p := must.Recovered(func() { m.Predict(make([]float64, n), x) }); p != "krr: the destination has the wrong length" {
			t.Errorf("%d numbers for 40 rows: panic %v", n, p)
		}
	}
}

func TestErrors(t *testing.T) {
	x, y, _ := data(30)
	for _, c := range []struct {
		field string
		c     Config
	}{
		{"Kernel", Config{NoBias: true}},
		{"Kernel.Gamma", Config{Kernel: kernel.Gaussian{Gamma: -1}, NoBias: true}},
		{"Lambda", Config{Kernel: gauss, Lambda: gram.Set(-1.0), NoBias: true}},
		{"Lambda", Config{Kernel: gauss, Lambda: gram.Set(math.NaN()), NoBias: true}},
		{"Solver", Config{Kernel: gauss, Lambda: gram.Set(0.0), Solver: Cholesky, NoBias: true}},
		{"Solver", Config{Kernel: gauss, Solver: 9, NoBias: true}},
		{"Penalty", Config{Kernel: gauss, Penalty: 9, NoBias: true}},
		{"Tol", Config{Kernel: gauss, Tol: -1, NoBias: true}},
		{"MaxIter", Config{Kernel: gauss, MaxIter: -1, NoBias: true}},
		{"M", Config{Kernel: gauss, Solver: CG, M: 31, NoBias: true}},
	} {
		_, err := c.c.FitAll(ctx, x, y, nil)
		var ce *gram.ConfigError
		if !errors.As(err, &ce) || ce.Field != c.field {
			t.Errorf("%s: %v", c.field, err)
		}
		if _, err := c.c.Plan(gram.Shape{N: 30, D: 3}); !errors.As(err, &ce) || ce.Field != c.field {
			t.Errorf("%s: %v of the plan", c.field, err)
		}
	}
	var ce *gram.ConfigError
	if _, err := (Config{Kernel: gauss, NoBias: true}).Fit(ctx, &mat.Dense{}, nil, nil); !errors.As(err, &ce) {
		t.Errorf("no rows: %v", err)
	}
	var me *gram.MemoryError
	if _, err := (Config{Kernel: gauss, Run: gram.Run{MemoryLimit: 1 << 30}, NoBias: true}).Path(ctx, mat.NewDense(12000, 1, nil), mat.NewDense(12000, 1, nil), nil); !errors.As(err, &me) || me.Need < 5*8*12000*12000 {
		t.Errorf("a path beyond the limit: %v", err)
	}
}

// Models for several λ are those of single fits.
func TestFitEach(t *testing.T) {
	x, y, w := data(50)
	many := make([]float64, manyLambdas)
	for i := range many {
		many[i] = math.Pow(10, float64(i)/4-3)
	}
	for name, c := range map[string]struct {
		solver Solver
		lambda []float64
		want   Solver
	}{"few": {Auto, many[:3], Cholesky}, "many": {Auto, many, Eigen}, "eigen": {Eigen, many[:2], Eigen}, "cg": {CG, many[:2], CG}, "none": {Auto, []float64{0, 0.1}, Eigen}} {
		config := Config{Kernel: gauss, Solver: c.solver, Penalty: solve.PerRow, Tol: 1e-12}
		models := must.Have(config.FitEach(ctx, x, y, w, c.lambda))(t)
		for i, l := range c.lambda {
			one := config
			one.Lambda = gram.Set(l)
			want := fit(t, one, x, y, w)
			if !mat.EqualApprox(models[i].PredictAll(nil, x), want.PredictAll(nil, x), 1e-7) || models[i].Stats().Solver != c.want {
				t.Errorf("%s: the model for λ = %g differs, or its solver %v", name, l, models[i].Stats().Solver)
			}
			if g := models[i].Config(); g.Lambda.Value() != l {
				t.Errorf("%s: settings %+v for λ = %g", name, g, l)
			}
		}
	}
	// Where one λ is too small for Cholesky's method the others are not harmed.
	models := must.Have(Config{Kernel: kernel.Linear{}, NoBias: true}.FitEach(ctx, x, y, nil, []float64{1e-19, 0.1}))(t)
	want := fit(t, Config{Kernel: kernel.Linear{}, Lambda: gram.Set(0.1), NoBias: true}, x, y, nil)
	if models[0].Stats().Solver != Eigen || !mat.EqualApprox(models[1].PredictAll(nil, x), want.PredictAll(nil, x), 1e-9) {
		t.Error("after a matrix that is not positive definite")
	}
	var ce *gram.ConfigError
	if _, err := (Config{Kernel: gauss, NoBias: true}).FitEach(ctx, x, y, nil, []float64{-1}); !errors.As(err, &ce) {
		t.Errorf("λ = −1: %v", err)
	}
	// Models that have not converged are returned with the error, and those that have are as good as ever.
	early := Config{Kernel: gauss, Solver: CG, MaxIter: 2, Tol: 1e-10, NoPreconditioner: true}
	models, err := early.FitEach(ctx, x, y, w, []float64{1e6, 1e-3, 1e6})
	var short *gram.ConvergenceError
	if !errors.As(err, &short) || len(models) != 3 || slices.Contains(models, nil) {
		t.Fatalf("CG that ends early: %d models, %v", len(models), err)
	}
	early.Solver, early.Lambda = Cholesky, gram.Set(1e6)
	for _, k := range []int{0, 2} {
		if !mat.EqualApprox(models[k].PredictAll(nil, x), fit(t, early, x, y, w).PredictAll(nil, x), 1e-6) {
			t.Errorf("model %d differs", k)
		}
	}
	early.MaxIter, early.Lambda = 0, gram.Opt[float64]{}
	if models, err := early.FitEach(ctx, x, y, w, []float64{.1, 1e-300}); err != nil || len(models) != 2 {
		t.Errorf("two small penalties: %v", err)
	}
	// Errors of the data and of the solver are those of a single fit.
	var de *gram.DataError
	bad := mat.DenseCopyOf(y)
	bad.Set(3, 1, math.NaN())
	for _, k := range []kernel.Kernel{gauss, kernel.Matrix{}} {
		a := mat.Matrix(x)
		if k != kernel.Kernel(gauss) {
			a = fixture.KernelMatrix(gauss, x, x)
		}
		if models, err := (Config{Kernel: k}).FitEach(ctx, a, bad, nil, []float64{1}); !errors.As(err, &de) || de.Row != 3 || models != nil {
			t.Errorf("%T, a target that is NaN: %v", k, err)
		}
		if models, err := (Config{Kernel: k}).FitEach(ctx, a, y, w[:9], []float64{1}); err == nil || models != nil {
			t.Errorf("%T, weights of other rows: %v", k, err)
		}
	}
	var pd *gram.NotPDError
	if models, err := (Config{Kernel: kernel.Linear{}, Solver: Cholesky, NoBias: true}).FitEach(ctx, x, y, nil, []float64{1e-19}); !errors.As(err, &pd) || models != nil {
		t.Errorf("a singular matrix: %v", err)
	}
}

// A product with the kernel matrix, of which few iterations of conjugate gradients
// make few, is cut by looks at the context.
func TestProductLooks(t *testing.T) {
	d := algotest.Problem(3, 4000, 64, 3)
	algotest.Looks(t, 0, func(ctx context.Context) error {
		_, err := Config{Kernel: gauss, Solver: CG, NoPreconditioner: true, MaxIter: 1, Run: gram.Run{Workers: 1}, NoBias: true}.Fit(ctx, d.X, d.Value, nil)
		var ce *gram.ConvergenceError
		if errors.As(err, &ce) {
			return nil
		}
		return err
	})
}

// The kernel matrix is restored from its lower triangle and its diagonal, unless the
// context is done.
func TestRestore(t *testing.T) {
	for _, n := range []int{1, 3, tile, 2*tile + 5} {
		want, g, diagonal := mat.NewDense(n, n, nil), mat.NewDense(n, n, nil), make([]float64, n)
		for i := range n {
			diagonal[i] = float64(i*n + i)
			for j := range n {
				want.Set(i, j, float64(max(i, j)*n+min(i, j)))
				g.Set(i, j, -1)
				if j < i {
					g.Set(i, j, want.At(i, j))
				}
			}
		}
		done, cancel := context.WithCancel(t.Context())
		cancel()
		if err := restore(done, g, diagonal); err != context.Canceled || n > 1 && g.At(0, n-1) != -1 {
			t.Errorf("n = %d: %v, and the matrix has %v", n, err, g.At(0, n-1))
		}
		if err := restore(t.Context(), g, diagonal); err != nil || !mat.Equal(g, want) {
			t.Errorf("n = %d: %v, or the matrix is another", n, err)
		}
	}
}

// Stats.Bound bounds the error of fits that are ended early, and is not far above it.
func TestBound(t *testing.T) {
	x, y, w := data(80)
	for _, bias := range []bool{false, true} {
		for _, iterations := range []int{1, 4, 8} {
			c := Config{Kernel: gauss, Lambda: gram.Set(0.3), NoBias: modelfile.Not(!bias), Solver: CG, M: 4, MaxIter: iterations}
			m, err := c.FitAll(ctx, x, y, w)
			var ce *gram.ConvergenceError
			if err != nil && !errors.As(err, &ce) {
				t.Fatal(err)
			}
			c.Solver = Cholesky
			exact := fit(t, c, x, y, w)
			var gap mat.Dense
			gap.Sub(m.PredictAll(nil, x), exact.PredictAll(nil, x))
			worst := max(mat.Max(&gap), -mat.Min(&gap))
			if bound := m.Stats().Bound; !(worst <= bound) || !(bound <= 1000*worst) {
				t.Errorf("constant %v, %d iterations: error %g, bound %g", bias, iterations, worst, bound)
			}
		}
	}
}

// Rows of which all kernel values are 0 have the mean of their targets as model, by every solver.
func TestValuesOfZero(t *testing.T) {
	y := []float64{1, 2, 3, 6}
	for _, s := range []Solver{Cholesky, Eigen, CG, ASkotch} {
		m, err := Config{Kernel: kernel.Linear{}, Solver: s}.Fit(t.Context(), mat.NewDense(4, 2, nil), y, nil)
		if err != nil {
			t.Errorf("%v: %v", s, err)
		} else if got := m.Predict(nil, mat.NewDense(1, 2, nil)); math.Abs(got[0]-3) > 1e-9 {
			t.Errorf("%v: %v, want the mean 3", s, got)
		}
	}
}
