package predict_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/algotest"
	"github.com/gramworks/gram/algos/basis"
	"github.com/gramworks/gram/algos/kernels/sideinfo"
	"github.com/gramworks/gram/algos/learned/goal"
	"github.com/gramworks/gram/algos/linear"
	"github.com/gramworks/gram/algos/lowrank/fastnys"
	"github.com/gramworks/gram/algos/lowrank/nystrom"
	"github.com/gramworks/gram/algos/lowrank/pseudo"
	"github.com/gramworks/gram/algos/lowrank/rff"
	"github.com/gramworks/gram/algos/svm"
	"github.com/gramworks/gram/internal/must"
	"github.com/gramworks/gram/internal/race"
	"github.com/gramworks/gram/kernel"
	"github.com/gramworks/gram/modelfile"
	"github.com/gramworks/gram/num/rng"
	"github.com/gramworks/gram/predict"
	"github.com/gramworks/gram/predict/approx"
	"github.com/gramworks/gram/sparse"
	"gonum.org/v1/gonum/mat"
)

// testMachine is a kernel machine by its definition.
type testMachine struct {
	k            kernel.Kernel
	points, coef *mat.Dense
	bias         []float64
}

func (m *testMachine) Function() (basis.Function, error) {
	return basis.Expansion(m.k, m.points, m.coef, m.bias), nil
}

// value is output c of row x.
func (m *testMachine) value(x []float64, c int) float64 {
	sum := m.bias[c]
	for j := range m.coef.RawMatrix().Rows {
		sum += m.coef.At(j, c) * m.k.Eval(x, m.points.RawRowView(j))
	}
	return sum
}

type testRegressor struct{ testMachine }

func (m *testRegressor) Predict(dst []float64, x mat.Matrix) []float64 { panic("not called") }

type testClassifier struct {
	testMachine
	names []string
}

func (m *testClassifier) Classes() []string                              { return m.names }
func (m *testClassifier) Predict(dst []int, x mat.Matrix) []int          { panic("not called") }
func (m *testClassifier) Scores(dst *mat.Dense, x mat.Matrix) *mat.Dense { panic("not called") }

func random(seed uint64, n, d int) *mat.Dense {
	r := rng.New(seed, 0)
	x := mat.NewDense(n, d, nil)
	for i := range n {
		for j := range d {
			x.Set(i, j, r.NormFloat64())
		}
	}
	return x
}

// halfZero are random rows with half of the numbers 0.
func halfZero(seed uint64, n, d int) *mat.Dense {
	x := random(seed, n, d)
	x.Apply(func(i, j int, v float64) float64 {
		if (i+j)%2 == 0 {
			return 0
		}
		return v
	}, x)
	return x
}

func newTestMachine(k kernel.Kernel, m, d, outputs int) testMachine {
	t := testMachine{k: k, points: random(1, m, d), coef: random(2, m, outputs), bias: make([]float64, outputs)}
	for c := range t.bias {
		t.bias[c] = float64(c) - 0.3
	}
	for j := 0; j < m; j += 3 {
		clear(t.coef.RawRowView(j))
	}
	return t
}

var kernels = []kernel.Kernel{
	kernel.Gaussian{Gamma: 0.2},
	kernel.Laplacian{Gamma: 0.1},
	kernel.Polynomial{Degree: 3, Offset: 1},
	kernel.Homogeneous{Degree: 2},
	kernel.Linear{},
	kernel.Matern{Nu: 1.5, Length: 2},
	kernel.Sigmoid{Scale: 0.1},
}

// methods are the names of the approximations.
var methods = func() (names []predict.Method) {
	for _, c := range approx.Candidates() {
		names = append(names, c.Method)
	}
	return names
}()

func rowsOf[F gram.Float](x *mat.Dense) gram.Rows[F] {
	n, d := x.Dims()
	r := gram.MakeRows[F](n, d)
	for i := range n {
		for j, v := range x.RawRowView(i) {
			r.Row(i)[j] = F(v)
		}
	}
	return r
}

func decode(f *modelfile.File) (predict.Compiled, error) {
	return predict.Decode(f, func(f *modelfile.File) (modelfile.Model, error) { return svm.Decode(f) })
}

// with compiles with all candidates.
func with(ctx context.Context, model any, o predict.Options) (predict.Compiled, error) {
	o.Candidates = approx.Candidates()
	return predict.Compile(ctx, model, o)
}

// The kinds of compiled models.
type (
	classifier interface {
		predict.Compiled
		gram.Classifier
		Pairs() bool
	}
	regressor interface {
		predict.Compiled
		gram.Regressor
		PredictAll(dst *mat.Dense, x mat.Matrix) *mat.Dense
	}
	ranker interface {
		predict.Compiled
		gram.Ranker
		Scores(dst *mat.Dense, x mat.Matrix) *mat.Dense
	}
)

func compile(t *testing.T, model any, o predict.Options) predict.Compiled {
	t.Helper()
	c := must.Have(with(t.Context(), model, o))(t)
	return c
}

// TestExact: the program of a machine computes the machine's definition; points
// without a coefficient are gone.
func TestExact(t *testing.T) {
	const m, d, n, outputs = 40, 9, 30, 3
	x := random(4, n, d)
	for _, k := range kernels {
		r := &testRegressor{newTestMachine(k, m, d, outputs)}
		c := compile(t, r, predict.Options{})
		got := c.(regressor).PredictAll(nil, x)
		for i := range n {
			for j := range outputs {
				var size float64
				for p := range m {
					size += math.Abs(r.coef.At(p, j) * k.Eval(x.RawRowView(i), r.points.RawRowView(p)))
				}
				if want := r.value(x.RawRowView(i), j); !(math.Abs(got.At(i, j)-want) < 1e-13*(1+size)) {
					t.Fatalf("%s: row %d, output %d: %g, want %g", k.Spec().Name, i, j, got.At(i, j), want)
				}
			}
		}
		if points := predict.FunctionOf(c).Basis.(*basis.Values).Landmarks(); points.RawMatrix().Rows != 26 {
			t.Errorf("%d points, want 26", points.RawMatrix().Rows)
		}
		first := c.(regressor).Predict(nil, x)
		for i, v := range first {
			if v != got.At(i, 0) {
				t.Fatal("Predict is not the first output")
			}
		}
	}
}

// labeled returns rows in three rings.
func labeled(n int) (*mat.Dense, gram.Labels) {
	x := random(6, n, 4)
	l := gram.Labels{Names: []string{"a", "b", "c"}, Class: make([]int, n)}
	for i := range n {
		l.Class[i] = min(2, int(mat.Norm(x.RowView(i), 2)*1.2))
	}
	return x, l
}

// TestLinear: programs of linear models on nothing, on Nyström features and on
// random Fourier features equal the models.
func TestLinear(t *testing.T) {
	const n = 300
	x, labels := labeled(n)
	y := make([]float64, n)
	for i := range y {
		y[i] = math.Sin(x.At(i, 0)) + x.At(i, 1)
	}
	fresh := random(7, 100, 4)
	ny := must.Have(nystrom.Config{Kernel: kernel.Gaussian{Gamma: 0.3}, M: 30}.Fit(t.Context(), x))(t)
	fast := must.Have(fastnys.Config{Kernel: kernel.Gaussian{Gamma: 0.3}, M: 32}.Fit(t.Context(), x))(t)
	products := must.Have(pseudo.Config{Kernel: kernel.Gaussian{Gamma: 0.3}, M: 9, All: true}.Fit(t.Context(), x))(t)
	side := must.Have(sideinfo.Config{Kernel: kernel.Gaussian{Gamma: 0.3}, M: 20}.Fit(t.Context(), x, labels))(t)
	maps := map[string]gram.FeatureMap{"none": nil, "sideinfo": side, "nystrom": ny, "fastnys": fast, "landmarks": fast.Landmarks(), "products": products, "columns": products.Columns()}
	for _, f := range []rff.Frequencies{rff.Independent, rff.Fastfood} {
		m := must.Have(rff.Config{Kernel: kernel.Gaussian{Gamma: 0.3}, M: 30, Frequencies: f}.Fit(t.Context(), x))(t)
		maps[f.String()] = m
	}
	for _, f := range []goal.Features{goal.Nystrom, goal.Fourier} {
		m := must.Have(goal.Config{Kernel: kernel.Gaussian{Gamma: 0.3}, Features: f, M: 20, MaxIter: gram.Set(2)}.FitValues(t.Context(), x, y, nil))(t)
		maps[f.String()] = m.Map()
	}
	for name, m := range maps {
		r := must.Have(linear.Ridge{}.Fit(t.Context(), m, x, y, nil))(t)
		got := compile(t, r, predict.Options{}).(regressor).Predict(nil, fresh)
		for i, want := range r.Predict(nil, fresh) {
			if !(math.Abs(got[i]-want) < 1e-9) {
				t.Fatalf("%s: row %d: %g, want %g", name, i, got[i], want)
			}
		}
		c, err := linear.SVM{MaxIter: 100}.Fit(t.Context(), m, x, labels, nil)
		if c == nil {
			t.Fatal(err)
		}
		k := compile(t, c, predict.Options{}).(classifier)
		if fmt.Sprint(k.Classes()) != "[a b c]" || fmt.Sprint(k.Predict(nil, fresh)) != fmt.Sprint(c.Predict(nil, fresh)) {
			t.Fatalf("%s: classes differ", name)
		}
		if !mat.EqualApprox(k.Scores(nil, fresh), c.Scores(nil, fresh), 1e-8) {
			t.Fatalf("%s: scores differ", name)
		}
	}
}

// every returns a compiled model of each form.
func every(t *testing.T, p predict.Precision) map[string]predict.Compiled {
	t.Helper()
	out := map[string]predict.Compiled{}
	for _, k := range kernels {
		out[k.Spec().Name] = compile(t, &testRegressor{newTestMachine(k, 40, 9, 3)}, predict.Options{Precision: p})
	}
	x := random(4, 50, 9)
	y := mat.NewDense(50, 2, nil)
	for i := range 50 {
		y.Set(i, 0, x.At(i, 0))
		y.Set(i, 1, math.Cos(x.At(i, 1)))
	}
	phi := must.Have(rff.Config{Kernel: kernel.Gaussian{Gamma: 0.1}, M: 37}.Fit(t.Context(), x))(t)
	fast := must.Have(fastnys.Config{Kernel: kernel.Polynomial{Degree: 2, Offset: 1}, M: 16}.Fit(t.Context(), x))(t)
	products := must.Have(pseudo.Config{Kernel: kernel.Gaussian{Gamma: 0.1}, M: 9, All: true, Cut: 1e-3}.Fit(t.Context(), x))(t)
	for name, m := range map[string]gram.FeatureMap{"plain": nil, "rff": phi, "fastnys": fast.Landmarks(), "products": products} {
		r := must.Have(linear.Ridge{}.FitAll(t.Context(), m, x, y, nil))(t)
		out[name] = compile(t, r, predict.Options{Precision: p})
	}
	return out
}

// TestPrograms: Row, Rows, sparse rows and any number of goroutines give the
// same bits, without allocation.
func TestPrograms(t *testing.T) {
	for name, c := range every(t, predict.Float64) {
		t.Run(name, func(t *testing.T) {
			programs(t, c.Float64(), 1e-13)
			programs(t, c.Float32(), 1e-5)
		})
	}
}

func programs[F gram.Float](t *testing.T, p gram.Program[F], tol float64) {
	const n = 101
	d, k := p.Dims()
	wide := halfZero(5, n, d)
	x := rowsOf[F](wide)
	want, got := gram.MakeRows[F](n, k), gram.MakeRows[F](n, k)
	p.Rows(want, gram.Dense(x))
	var wg sync.WaitGroup
	for i := range n {
		wg.Go(func() { p.Row(got.Row(i), x.Row(i)) })
	}
	wg.Wait()
	for i, v := range got.Data {
		if v != want.Data[i] {
			t.Fatalf("a row alone gives %v, in a block %v", v, want.Data[i])
		}
	}
	clear(got.Data)
	p.Rows(got, gram.Sparse[F](sparse.FromDense(wide)))
	for i, v := range got.Data {
		if !(math.Abs(float64(v-want.Data[i])) <= tol*(1+math.Abs(float64(v)))) {
			t.Fatalf("sparse rows give %v, dense ones %v", v, want.Data[i])
		}
	}
	if cost := p.Cost(); !(cost.Flops > 0) || cost.ModelBytes < 1 || cost.Description == "" {
		t.Errorf("cost %+v", cost)
	}
	if race.Enabled {
		return // sync.Pool drops values then
	}
	if a := testing.AllocsPerRun(50, func() { p.Row(got.Row(0), x.Row(0)) }); a != 0 {
		t.Errorf("Row allocates %g times", a)
	}
	if a := testing.AllocsPerRun(50, func() { p.Rows(got, gram.Dense(x)) }); a != 0 {
		t.Errorf("Rows allocates %g times", a)
	}
}

// TestFloat32 holds the bounds of the package's documentation.
func TestFloat32(t *testing.T) {
	const u = 0x1p-24
	const n = 200
	for name, c := range every(t, predict.Float32) {
		// What predict.Float64 computes is exact against these bounds.
		f := predict.FunctionOf(c)
		d, k := f.Dims()
		var points *mat.Dense // in rows
		switch b := f.Basis.(type) {
		case *basis.Values:
			points = b.Landmarks()
		case *basis.Fourier:
			points = mat.DenseCopyOf(b.Points().T())
		}
		size := 0
		if points != nil {
			size, _ = points.Dims()
		}
		m := float64(size)
		x := random(8, n, d)
		x.Scale(3, x)
		wide, narrow := gram.MakeRows[float64](n, k), gram.MakeRows[float32](n, k)
		c.Float64().Rows(wide, gram.Of(x))
		c.Float32().Rows(narrow, gram.Dense(rowsOf[float32](x)))
		terms := float64(min(d, 64) + (d+63)/64 + 1)
		dot := func(a, b []float64) (sum, abs float64) {
			for i, v := range a {
				sum += v * b[i]
				abs += math.Abs(v * b[i])
			}
			return sum, abs
		}
		worst := 0.0
		for i := range n {
			row := x.RawRowView(i)
			for o := range k {
				bound := 4 * u * math.Abs(f.Bias[o])
				switch b := f.Basis.(type) {
				case *basis.Structured, *basis.Pseudo:
					bound = math.Inf(1) // no bound is documented
				case basis.Identity:
					_, abs := dot(row, mat.Col(nil, o, f.Coef))
					bound = float64(d+4) * u * (abs + math.Abs(f.Bias[o]))
				case *basis.Fourier:
					for j := range size {
						_, abs := dot(row, points.RawRowView(j))
						a := math.Abs(f.Coef.At(j, o)) + math.Abs(f.Coef.At(size+j, o))
						bound += a * ((terms+4)*u*abs + (2*m+6)*u)
					}
				case *basis.Values:
					for j := range size {
						z := points.RawRowView(j)
						value := b.Kernel().Eval(row, z)
						s, abs := dot(row, z)
						_, xx := dot(row, row)
						_, zz := dot(z, z)
						var delta float64
						switch kern := b.Kernel().(type) {
						case kernel.Gaussian:
							eps := (2*terms + 10) * u * math.Pow(math.Sqrt(xx)+math.Sqrt(zz), 2)
							delta = math.Expm1(kern.Gamma*eps) + 3*u*kern.Gamma*(xx+zz-2*s) + 5*u
						case kernel.Polynomial:
							eta := (terms + 4) * u * (kern.Offset + abs)
							base := math.Abs(kern.Offset + s)
							delta = float64(kern.Degree)*math.Pow(base+eta, float64(kern.Degree-1))*eta + 2*float64(kern.Degree)*u*math.Pow(base, float64(kern.Degree))
						default:
							delta = math.Inf(1) // no bound is documented
						}
						bound += math.Abs(f.Coef.At(j, o)) * (delta + (m+4)*u*math.Abs(value))
					}
				}
				diff := math.Abs(float64(narrow.Row(i)[o]) - wide.Row(i)[o])
				if !(diff <= bound) {
					t.Fatalf("%s: row %d, output %d differs by %g, the bound is %g", name, i, o, diff, bound)
				}
				worst = max(worst, diff/bound)
			}
		}
		t.Logf("%s: at most %.2g of the bound", name, worst)
	}
}

// smooth is a machine on 600 points with a few hundred of weight.
func smooth(k kernel.Kernel) *testClassifier {
	m := &testClassifier{testMachine{k: k, points: random(11, 600, 6), coef: random(12, 600, 1), bias: []float64{0.1}}, []string{"no", "yes"}}
	return m
}

// An approximation has the shape of its model, and costs so much more than a linear
// model as its flops say.
func TestApproximated(t *testing.T) {
	m, x := smooth(kernel.Gaussian{Gamma: 0.05}), random(14, 30, 6)
	exact := compile(t, m, predict.Options{})
	c := compile(t, m, predict.Options{Method: approx.Nystrom, M: 8})
	want := c.(classifier).Scores(nil, x)
	if got := c.(classifier).Scores(mat.NewDense(30, 1, nil), x); !mat.Equal(got, want) {
		t.Error("a destination changes the scores")
	}
	if r := c.Multiple() / exact.Multiple() * exact.Cost().Flops / c.Cost().Flops; !(math.Abs(r-1) < 1e-12) {
		t.Errorf("the approximation costs %g of the exact program, its flops say %g", c.Multiple()/exact.Multiple(), c.Cost().Flops/exact.Cost().Flops)
	}
}

// TestApproximations: more landmarks or frequencies give less error on rows that
// were not used; all points as landmarks give the machine itself; the
// correction pays.
func TestApproximations(t *testing.T) {
	if testing.Short() {
		t.Skip("takes a second, and many under the race detector")
	}
	m := smooth(kernel.Gaussian{Gamma: 0.05})
	rows, fresh := random(13, 1500, 6), random(14, 500, 6)
	exact := compile(t, m, predict.Options{}).(classifier)
	want := exact.Scores(nil, fresh)
	off := func(c predict.Compiled) float64 {
		return algotest.Relative(want, c.(classifier).Scores(nil, fresh))
	}
	for _, method := range methods {
		last := math.Inf(1)
		sizes := []int{24, 80, 304}
		switch method {
		case approx.DCPred:
			sizes = []int{6, 12, 24}
		case approx.Reduced:
			sizes = []int{24, 80, 256}
		}
		for _, size := range sizes {
			c := compile(t, m, predict.Options{Method: method, M: size, Points: rows})
			s := c.Stats()
			e := off(c)
			t.Logf("%s %d: error %.3g, said %.3g, agreement %.3f, penalty %.1g, cost %.3g", method, size, e, s.Error, s.Agreement, s.Penalty, c.Multiple())
			if !(e < 0.7*last) {
				t.Errorf("%s with %d: error %g after %g", method, size, e, last)
			}
			if !(s.Error > 0.5*e && s.Error < 2*e) {
				t.Errorf("%s with %d: the error is said to be %g, it is %g", method, size, s.Error, e)
			}
			if s.Held != 300 || s.Rows != 1200 {
				t.Errorf("%d rows and %d kept out", s.Rows, s.Held)
			}
			if math.IsInf(s.Penalty, 1) {
				t.Errorf("%s with %d: no correction", method, size)
			}
			last = e
		}
	}
	if e := off(compile(t, m, predict.Options{Method: approx.Nystrom, M: 600})); !(e < 1e-4) {
		t.Errorf("all points are landmarks, and the error is %g", e)
	}
	// predict.Auto keeps to the budget and takes the better method.
	budget := exact.Multiple() / 6
	auto := compile(t, m, predict.Options{Budget: budget, Points: rows})
	ny := compile(t, m, predict.Options{Method: approx.Nystrom, Budget: budget, Points: rows})
	fourier := compile(t, m, predict.Options{Method: approx.RFF, Budget: budget, Points: rows})
	fast := compile(t, m, predict.Options{Method: approx.FastNys, Budget: budget, Points: rows})
	products := compile(t, m, predict.Options{Method: approx.DCPred, Budget: budget, Points: rows})
	if !(auto.Multiple() <= budget) || auto.Stats().Error != min(ny.Stats().Error, fourier.Stats().Error, fast.Stats().Error, products.Stats().Error) {
		t.Errorf("auto costs %g of %g and has error %g; nystrom %g, rff %g, fastnys %g, dcpred %g",
			auto.Multiple(), budget, auto.Stats().Error, ny.Stats().Error, fourier.Stats().Error, fast.Stats().Error, products.Stats().Error)
	}
	if o := compile(t, m, predict.Options{Budget: 2 * exact.Multiple()}).Options(); o.Method != predict.Exact {
		t.Errorf("with room for the exact program the method is %s", o.Method)
	}
}

// TestWorkers: the number of workers changes nothing.
func TestWorkers(t *testing.T) {
	m := smooth(kernel.Gaussian{Gamma: 0.05})
	x := random(13, 300, 6)
	for _, method := range append([]predict.Method{predict.Exact}, methods...) {
		o := predict.Options{Method: method, Points: x}
		if method != predict.Exact {
			o.M = 16
		}
		o.Workers = 1
		one := compile(t, m, o).(classifier).Scores(nil, x)
		o.Workers = 5
		if !mat.Equal(one, compile(t, m, o).(classifier).Scores(nil, x)) {
			t.Errorf("%s: five workers give other scores", method)
		}
	}
}

// TestClassifier: the class follows from the scores; NaN is no class.
func TestClassifier(t *testing.T) {
	m := smooth(kernel.Gaussian{Gamma: 0.3})
	c := compile(t, m, predict.Options{}).(classifier)
	x := random(3, 20, 6)
	x.Set(4, 2, math.NaN())
	s, got := c.Scores(nil, x), c.Predict(nil, x)
	for i, g := range got {
		want := 0
		if s.At(i, 0) > 0 {
			want = 1
		}
		if i == 4 {
			want = -1
		}
		if g != want {
			t.Errorf("row %d: class %d, want %d", i, g, want)
		}
	}
	if len(c.Predict(nil, &mat.Dense{})) != 0 {
		t.Error("no rows have classes")
	}
	again := compile(t, c, predict.Options{Precision: predict.Float32}).(classifier)
	if fmt.Sprint(again.Predict(nil, x)) != fmt.Sprint(got) || again.Stats().Rounding == 0 {
		t.Errorf("a compiled model in float32: rounding %g", again.Stats().Rounding)
	}
}

// bare predicts, and that is all it can.
type bare struct{}

func (bare) Predict(dst []float64, x mat.Matrix) []float64 { return dst }

func TestErrors(t *testing.T) {
	if _, err := with(t.Context(), bare{}, predict.Options{}); !errors.Is(err, predict.ErrNoProgram) {
		t.Errorf("a model that is no gram.Compiler: %v", err)
	}
	m := smooth(kernel.Gaussian{Gamma: 0.3})
	var bad *gram.ConfigError
	for _, o := range []predict.Options{
		{Method: "nothing"},
		{Precision: 2},
		{Budget: -1},
		{Budget: math.NaN()},
		{M: 1},
		{Method: predict.Exact, M: 3},
		{Method: predict.Exact, Budget: 1},
		{Method: approx.Nystrom, M: 601},
		{Method: approx.Nystrom, M: 100, Budget: 5},
		{Method: approx.RFF, M: 1000, Budget: 5},
		{Method: approx.Nystrom, Budget: 0.01},
		{Method: approx.FastNys, M: 12},
		{Budget: 0.01},
		{Method: approx.Nystrom, Points: random(1, 200, 5)},
		{Method: approx.Nystrom, Points: random(1, 99, 6)},
	} {
		if _, err := with(t.Context(), m, o); !errors.As(err, &bad) {
			t.Errorf("%+v: %v", o, err)
		} else if o.M > 0 && bad.Field == "M" && bad.Value != o.M || bad.Field == "Budget" && fmt.Sprint(bad.Value) != fmt.Sprint(o.Budget) {
			t.Errorf("%+v: %s is said to be %v", o, bad.Field, bad.Value)
		}
	}
	for size, want := range map[int]string{-1: "from 0 to 2^24", 1 << 24: "0 for this method", 1<<24 + 1: "from 0 to 2^24"} {
		if _, err := with(t.Context(), m, predict.Options{M: size}); !errors.As(err, &bad) || bad.Want != want {
			t.Errorf("M = %d: %v", size, err)
		}
	}
	poly := &testRegressor{newTestMachine(kernel.Polynomial{Degree: 2}, 300, 3, 1)}
	if _, err := with(t.Context(), poly, predict.Options{Method: approx.RFF}); !errors.As(err, &bad) {
		t.Errorf("rff of a polynomial: %v", err)
	}
	big := newTestMachine(kernel.Gaussian{Gamma: 1}, 10, 3, 1)
	big.coef.Set(1, 0, 1e300)
	if _, err := with(t.Context(), &testRegressor{big}, predict.Options{Precision: predict.Float32}); !errors.As(err, &bad) {
		t.Errorf("beyond float32: %v", err)
	}
	big.coef.Set(1, 0, math.Inf(1))
	for _, model := range []any{&testRegressor{big}, 3, &testClassifier{newTestMachine(kernels[0], 10, 3, 2), []string{"a", "b"}}, &testMachine{kernels[0], random(1, 3, 2), random(1, 3, 1), []float64{0}}} {
		if _, err := with(t.Context(), model, predict.Options{}); err == nil {
			t.Errorf("%T compiles", model)
		}
	}
	x := random(1, 200, 6)
	x.Set(3, 4, math.NaN())
	var data *gram.DataError
	if _, err := with(t.Context(), m, predict.Options{Method: approx.RFF, Points: x}); !errors.As(err, &data) || data.Row != 3 || data.Col != 4 {
		t.Errorf("NaN in the rows: %v", err)
	}
	var memory *gram.MemoryError
	if _, err := with(t.Context(), m, predict.Options{Method: approx.RFF, M: 2000, Run: gram.Run{MemoryLimit: 1 << 20}}); !errors.As(err, &memory) {
		t.Errorf("a limit of 1 MiB: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := with(ctx, m, predict.Options{Method: approx.Nystrom, M: 50}); err != context.Canceled {
		t.Errorf("canceled: %v", err)
	}
}

func bytesOf(t *testing.T, m modelfile.Model) []byte {
	t.Helper()
	var b bytes.Buffer
	must.Do(t, modelfile.Write(&b, m))
	return b.Bytes()
}

// TestFiles: what is read predicts the same bits, and is written the same.
func TestFiles(t *testing.T) {
	x := halfZero(9, 20, 9)
	for _, p := range []predict.Precision{predict.Float64, predict.Float32} {
		for name, c := range every(t, p) {
			b := bytesOf(t, c)
			f := must.Have(modelfile.Read(bytes.NewReader(b)))(t)
			back, err := decode(f)
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			if !bytes.Equal(bytesOf(t, back), b) {
				t.Errorf("%s in %s is written otherwise after reading", name, p)
			}
			for _, x := range []mat.Matrix{x, sparse.FromDense(x)} {
				if !mat.Equal(back.(regressor).PredictAll(nil, x), c.(regressor).PredictAll(nil, x)) {
					t.Errorf("%s in %s predicts otherwise after reading", name, p)
				}
			}
		}
	}
	c := compile(t, smooth(kernel.Gaussian{Gamma: 0.05}), predict.Options{Method: approx.Nystrom, M: 30, Precision: predict.Float32})
	f := must.Have(modelfile.Read(bytes.NewReader(bytesOf(t, c))))(t)
	back := must.Have(decode(f))(t)
	if k := back.(classifier); fmt.Sprint(k.Classes()) != "[no yes]" || k.Options().M != 30 || k.Options().Method != approx.Nystrom {
		t.Errorf("read %v with %+v", k.Classes(), k.Options())
	}
}

// TestGolden: files of version 1 predict what they did.
func TestGolden(t *testing.T) {
	x := random(9, 5, 9)
	for name, want := range golden {
		path := filepath.Join("testdata", name+".v1.gram")
		c := every(t, predict.Float32)[name]
		if os.Getenv("GRAM_WRITE_GOLDEN") != "" {
			must.Do(t, modelfile.Save(path, c))
		}
		f := must.Have(modelfile.ReadFile(path))(t)
		back := must.Have(decode(f))(t)
		if got := mat.Sum(back.(regressor).PredictAll(nil, x)); !(math.Abs(got-want) < 1e-4) {
			t.Errorf("%s: the sum is %.7f, want %.7f", name, got, want)
		}
	}
}

var golden = map[string]float64{"gaussian": 6.8716083, "rff": -0.9719552, "plain": 0.4068824}

// TestDamaged: any file that is read gives a model or an error.
func TestDamaged(t *testing.T) {
	for name, f := range map[string]modelfile.Model{
		"no points": damaged{func(w *modelfile.Writer) {
			w.Float64("points", nil, 0, 3)
			w.Float64("coef", nil, 0, 1)
			w.Float64("bias", []float64{1}, 1, 1)
		}},
		"other rows": damaged{func(w *modelfile.Writer) {
			w.Float64("points", []float64{1, 2}, 2, 1)
			w.Float64("coef", []float64{1}, 1, 1)
			w.Float64("bias", []float64{1}, 1, 1)
		}},
		"other bias": damaged{func(w *modelfile.Writer) {
			w.Float64("points", []float64{1, 2}, 2, 1)
			w.Float64("coef", []float64{1, 2}, 2, 1)
			w.Float64("bias", []float64{1, 2}, 1, 2)
		}},
		"not finite": damaged{func(w *modelfile.Writer) {
			w.Float64("points", []float64{1, 2}, 2, 1)
			w.Float64("coef", []float64{1, math.NaN()}, 2, 1)
			w.Float64("bias", []float64{1}, 1, 1)
		}},
		"nothing at all": damaged{func(w *modelfile.Writer) {}},
		"pairs of two": forged{func(w *modelfile.Writer) error {
			w.Float64("points", []float64{1, 2}, 1, 2)
			w.Float64("coef", []float64{1}, 1, 1)
			w.Float64("bias", []float64{1}, 1, 1)
			w.Strings("classes", []string{"a", "b"})
			return w.Header(predict.FileMethod, 1, map[string]any{"Form": "kernel", "Kernel": kernel.Gaussian{Gamma: 1}.Spec(), "Options": map[string]any{}, "Classes": true, "Pairs": true})
		}},
	} {
		file := must.Have(modelfile.Read(bytes.NewReader(bytesOf(t, f))))(t)
		if _, err := decode(file); err == nil {
			t.Errorf("%s: there is a model", name)
		}
	}
}

type forged struct{ encode func(*modelfile.Writer) error }

func (f forged) Encode(w *modelfile.Writer) error { return f.encode(w) }

type damaged struct{ arrays func(*modelfile.Writer) }

func (d damaged) Encode(w *modelfile.Writer) error {
	d.arrays(w)
	return w.Header(predict.FileMethod, 1, map[string]any{"Form": "kernel", "Kernel": kernel.Gaussian{Gamma: 1}.Spec(), "Options": map[string]any{}})
}

// TestMeasure: a program of twenty linear functions' work costs more than one.
func TestMeasure(t *testing.T) {
	c := compile(t, smooth(kernel.Gaussian{Gamma: 0.3}), predict.Options{})
	x := random(1, 300, 6)
	for _, m := range []predict.Timing{
		predict.Measure(c.Float64(), gram.Of(x), time.Millisecond),
		predict.Measure(c.Float32(), gram.Dense(rowsOf[float32](x)), time.Millisecond),
	} {
		if !(m.Seconds > 0 && m.Linear > 0 && m.Multiple() > 5) {
			t.Errorf("%+v: a machine of 600 points", m)
		}
	}
}

// A destination of another shape panics, whatever the number of rows.
func TestDestinations(t *testing.T) {
	c := compile(t, smooth(kernel.Gaussian{Gamma: 0.3}), predict.Options{}).(classifier)
	for _, n := range []int{0, 1, 2} {
		x := &mat.Dense{}
		if n > 0 {
			x = random(1, n, 6)
		}
		for _, dst := range []*mat.Dense{mat.NewDense(n+1, 1, nil), mat.NewDense(max(n, 1), 2, nil)} {
			func() {
				defer func() {
					if p := recover(); !strings.HasPrefix(fmt.Sprint(p), "predict: ") {
						r, k := dst.Dims()
						t.Errorf("%d rows into %d×%d: panic %v", n, r, k, p)
					}
				}()
				c.Scores(dst, x)
			}()
		}
	}
}

func TestMethods(t *testing.T) {
	for _, c := range []struct {
		k    kernel.Kernel
		want string
	}{
		{kernel.Gaussian{Gamma: 1}, "[nystrom rff fastnys dcpred reduced]"},
		{kernel.Laplacian{Gamma: 1}, "[nystrom rff dcpred]"},
		{kernel.Polynomial{Degree: 2}, "[nystrom fastnys dcpred]"},
	} {
		m := &testRegressor{newTestMachine(c.k, 5, 2, 1)}
		if got, err := predict.Methods(m, approx.Candidates()); err != nil || fmt.Sprint(got) != c.want {
			t.Errorf("%s: %v, %v", c.k.Spec().Name, got, err)
		}
	}
	if _, err := predict.Methods(3, approx.Candidates()); err == nil {
		t.Error("an integer is a model")
	}
	for _, m := range append([]predict.Method{predict.Auto, predict.Exact}, methods...) {
		if back, err := predict.ParseMethod(string(m), approx.Candidates()); err != nil || back != m {
			t.Errorf("%s is read as %s, %v", m, back, err)
		}
	}
	for _, p := range []predict.Precision{predict.Float64, predict.Float32} {
		if back, err := predict.ParsePrecision(p.String()); err != nil || back != p {
			t.Errorf("%s is read as %s, %v", p, back, err)
		}
	}
}

// TestSVM: support vector machines of both kinds of several classes.
func TestSVM(t *testing.T) {
	x, labels := labeled(300)
	fresh := random(7, 200, 4)
	for _, multi := range []svm.Multi{svm.OneVsOne, svm.OneVsRest} {
		m := must.Have(svm.Config{Kernel: kernel.Gaussian{Gamma: 0.5}, C: 5, Multi: multi}.Fit(t.Context(), x, labels, nil))(t)
		c := compile(t, m, predict.Options{}).(classifier)
		if fmt.Sprint(c.Predict(nil, fresh)) != fmt.Sprint(m.Predict(nil, fresh)) || !mat.EqualApprox(c.Scores(nil, fresh), m.Scores(nil, fresh), 1e-9) {
			t.Errorf("%v: the exact program differs", multi)
		}
		f := must.Have(modelfile.Read(bytes.NewReader(bytesOf(t, c))))(t)
		back := must.Have(decode(f))(t)
		if !mat.Equal(back.(classifier).Scores(nil, fresh), c.Scores(nil, fresh)) {
			t.Errorf("%v: after reading the scores differ", multi)
		}
		fast := compile(t, m, predict.Options{Method: approx.Nystrom, M: 60, Points: x})
		if s := fast.Stats(); !(s.Agreement > 0.9) {
			t.Errorf("%v: agreement %g", multi, s.Agreement)
		}
	}
}
