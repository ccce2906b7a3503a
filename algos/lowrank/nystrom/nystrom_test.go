package nystrom

import (
	"context"
	"errors"
	"math"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/algotest"
	"github.com/gramworks/gram/algos/internal/fixture"
	"github.com/gramworks/gram/algos/lowrank/landmark"
	"github.com/gramworks/gram/algos/solve"
	"github.com/gramworks/gram/dataset"
	"github.com/gramworks/gram/internal/must"
	"github.com/gramworks/gram/kernel"
	"github.com/gramworks/gram/modelfile"
	"github.com/gramworks/gram/sparse"
	"gonum.org/v1/gonum/mat"
)

var gauss = kernel.Gaussian{Gamma: 0.4}

func fit(t *testing.T, c Config, x mat.Matrix) *Model {
	t.Helper()
	m := must.Have(c.Fit(context.Background(), x))(t)
	return m
}

func TestAllRowsAsLandmarksAreExact(t *testing.T) {
	x := algotest.Problem(1, 60, 3, 3).X.(*mat.Dense)
	for _, k := range []kernel.Kernel{gauss, kernel.Laplacian{Gamma: 0.3}, kernel.Polynomial{Degree: 2, Offset: 1}, kernel.Linear{}} {
		m := fit(t, Config{Kernel: k, M: 60, Landmarks: landmark.Uniform{}}, x)
		if e := algotest.Relative(fixture.KernelMatrix(k, x, x), fixture.InnerProducts(m.Map(nil, x))); !(e < 1e-7) {
			t.Errorf("%s: relative error %g", k.Spec().Name, e)
		}
	}
	// The linear kernel in three dimensions has rank 3, whatever M is.
	if m := fit(t, Config{Kernel: kernel.Linear{}, M: 40, Landmarks: landmark.Uniform{}}, x); m.Stats().EffectiveRank != 3 {
		t.Errorf("effective rank %d of a linear kernel in three dimensions", m.Stats().EffectiveRank)
	}
}

// Between landmarks, and between a landmark and any row, the approximation is
// exact; the difference G−G̃ is positive semi-definite.
func TestApproximationIsAProjection(t *testing.T) {
	x := algotest.Problem(2, 80, 3, 3).X.(*mat.Dense)
	m := fit(t, Config{Kernel: gauss, M: 15, Landmarks: landmark.Uniform{}}, x)
	g, h := fixture.KernelMatrix(gauss, x, x), fixture.InnerProducts(m.Map(nil, x))
	for _, i := range m.Stats().Index {
		for j := range 80 {
			if !(math.Abs(g.At(i, j)-h.At(i, j)) < 1e-9) {
				t.Fatalf("entry %d, %d is %g, want %g", i, j, h.At(i, j), g.At(i, j))
			}
		}
	}
	d := mat.NewSymDense(80, nil)
	for i := range 80 {
		for j := range i + 1 {
			d.SetSym(i, j, g.At(i, j)-h.At(i, j))
		}
	}
	var e mat.EigenSym
	e.Factorize(d, false)
	if low := slices.Min(e.Values(nil)); !(low > -1e-9) {
		t.Errorf("the smallest eigenvalue of the difference is %g", low)
	}
}

func TestRankIsTruncatedAndReported(t *testing.T) {
	base := algotest.Problem(3, 20, 3, 3).X.(*mat.Dense)
	x := mat.NewDense(60, 3, nil)
	for i := range 60 {
		x.SetRow(i, base.RawRowView(i%20))
	}
	// Landmarks three times each: W is singular, and the error stays at
	// round-off level.
	m := fit(t, Config{Kernel: gauss, M: 60, Landmarks: landmark.Uniform{}}, x)
	if r := m.Stats().EffectiveRank; r != 20 {
		t.Errorf("effective rank %d, want 20", r)
	}
	if e := algotest.Relative(fixture.KernelMatrix(gauss, x, x), fixture.InnerProducts(m.Map(nil, x))); !(e < 1e-9) {
		t.Errorf("relative error %g with landmarks three times each", e)
	}
	for _, rank := range []int{1, 7} {
		m := fit(t, Config{Kernel: gauss, M: 20, Rank: rank, Landmarks: landmark.Uniform{}}, base)
		// All rows are landmarks, so this is the best approximation of the rank.
		g := fixture.KernelMatrix(gauss, base, base)
		var svd mat.SVD
		svd.Factorize(g, mat.SVDNone)
		var tail float64
		for _, v := range svd.Values(nil)[rank:] {
			tail += v * v
		}
		if e, want := algotest.Relative(g, fixture.InnerProducts(m.Map(nil, base))), math.Sqrt(tail)/mat.Norm(g, 2); !(math.Abs(e-want) < 1e-9) {
			t.Errorf("rank %d: relative error %g, the best is %g", rank, e, want)
		}
		if _, r := m.Dims(); r != rank || len(m.Stats().Eigenvalues) != rank {
			t.Errorf("%d features, want %d", r, rank)
		}
	}
}

func TestRandomizedCore(t *testing.T) {
	x := algotest.Problem(4, 400, 2, 3).X.(*mat.Dense)
	c := Config{Kernel: kernel.Gaussian{Gamma: 0.1}, M: 120, Rank: 20, Landmarks: landmark.Uniform{}}
	exact := fit(t, c, x)
	c.Core = Randomized
	rough := fit(t, c, x)
	g := fixture.KernelMatrix(c.Kernel, x, x)
	a, b := algotest.Relative(g, fixture.InnerProducts(exact.Map(nil, x))), algotest.Relative(g, fixture.InnerProducts(rough.Map(nil, x)))
	if !(math.Abs(a-b) < 0.02*a) {
		t.Errorf("relative error %g by the exact core, %g by the randomised", a, b)
	}
	c.Power, c.Oversample = gram.Set(0), gram.Set(1)
	if e := algotest.Relative(g, fixture.InnerProducts(fit(t, c, x).Map(nil, x))); !(e >= b*0.999) {
		t.Errorf("without power steps the error is %g, with one %g", e, b)
	}
}

// counting is a kernel of the user that counts how often it is evaluated.
type counting struct {
	kernel.Kernel
	n *atomic.Int64
}

func (c counting) Eval(x, y []float64) float64 {
	c.n.Add(1)
	return c.Kernel.Eval(x, y)
}

func TestKernelEvaluations(t *testing.T) {
	const n, m = 300, 25
	x := algotest.Problem(5, n, 3, 3).X
	for name, s := range map[string]landmark.Selector{"uniform": landmark.Uniform{}, "k-means": landmark.KMeans{}, "farthest": landmark.Farthest{}} {
		var count atomic.Int64
		model := fit(t, Config{Kernel: counting{gauss, &count}, M: m, Landmarks: s}, x)
		if model.Stats().KernelValues != count.Load() {
			t.Errorf("%s: the fit reports %d kernel values, evaluated were %d", name, model.Stats().KernelValues, count.Load())
		}
		model.Map(nil, x)
		if c := count.Load(); c > n*m+m*m {
			t.Errorf("%s: %d kernel evaluations for a fit and all features, want n·m+m² = %d", name, c, n*m+m*m)
		}
	}
}

func TestOperator(t *testing.T) {
	x := algotest.Problem(6, 1500, 3, 3).X
	m := fit(t, Config{Kernel: gauss, M: 10}, x)
	for _, y := range []mat.Matrix{x, sparse.FromDense(x)} {
		op := must.Have(m.Operator(context.Background(), y))(t)
		v, got := algotest.Problem(7, 1500, 2, 3).X.(*mat.Dense), mat.NewDense(1500, 2, nil)
		op.Apply(got, v)
		var a, want mat.Dense
		phi := m.Map(nil, y)
		a.Mul(phi.T(), v)
		want.Mul(phi, &a)
		if op.Dim() != 1500 || !mat.EqualApprox(got, &want, 1e-9) {
			t.Errorf("%T: product with the operator differs", y)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := m.Operator(ctx, x); err != context.Canceled {
		t.Errorf("cancelled: error %v", err)
	}
}

func TestErrors(t *testing.T) {
	x := algotest.Problem(8, 30, 3, 3).X
	for name, c := range map[string]Config{
		"M":            {Kernel: gauss, M: 31},
		"Kernel":       {M: 3},
		"Kernel.Gamma": {Kernel: kernel.Gaussian{Gamma: -1}, M: 3},
		"Rank":         {Kernel: gauss, M: 3, Rank: 4},
		"Cut":          {Kernel: gauss, M: 3, Cut: 2},
		"Core":         {Kernel: gauss, M: 3, Core: 7},
		"Power":        {Kernel: gauss, M: 3, Power: gram.Set(-1)},
		"Certificate":  {Kernel: gauss, M: 3, Certificate: -1},
		"Oversample":   {Kernel: gauss, M: 3, Oversample: gram.Set(-1)},
	} {
		_, err := c.Fit(context.Background(), x)
		var ce *gram.ConfigError
		if !errors.As(err, &ce) || ce.Field != name {
			t.Errorf("%s: error %v", name, err)
		}
		if _, err := c.Plan(gram.Shape{N: 30, D: 3}); !errors.As(err, &ce) || ce.Field != name {
			t.Errorf("%s: error %v of the plan", name, err)
		}
	}
	var ce *gram.ConfigError
	if _, err := (Ensemble{Config: Config{Kernel: gauss, M: 11}}).Fit(context.Background(), x); !errors.As(err, &ce) || ce.Field != "M" {
		t.Errorf("3·11 landmarks of 30 rows: error %v", err)
	}
}

func TestEnsembleIsTheMeanOfItsExperts(t *testing.T) {
	x := algotest.Problem(9, 200, 3, 3).X.(*mat.Dense)
	m := must.Have(Ensemble{Config: Config{Kernel: gauss, M: 12, Rank: 9, Landmarks: landmark.Uniform{}}, Experts: 4}.Fit(context.Background(), x))(t)
	want := mat.NewDense(200, 200, nil)
	seen := map[float64]bool{}
	for e := range 4 {
		g := fixture.InnerProducts(m.Expert(e).Map(nil, x))
		g.Scale(0.25, g)
		want.Add(want, g)
		for i := range 12 {
			v := m.Expert(e).Landmarks().At(i, 0)
			if seen[v] {
				t.Error("two experts share a landmark")
			}
			seen[v] = true
		}
	}
	if d, r := m.Dims(); d != 3 || r != m.Stats().EffectiveRank || r > 36 {
		t.Errorf("%d features", r)
	}
	if got := fixture.InnerProducts(m.Map(nil, x)); !mat.EqualApprox(got, want, 1e-12) {
		t.Error("features side by side are not the mean of the experts")
	}
	op := must.Have(m.Operator(context.Background(), x))(t)
	got := mat.NewDense(200, 200, nil)
	index := make([]int, 200)
	for i := range index {
		index[i] = i
	}
	op.Rows(got, index)
	if !mat.EqualApprox(got, want, 1e-12) {
		t.Error("the operator is not the mean of the experts")
	}
}

func TestFittedWeights(t *testing.T) {
	x := algotest.Problem(10, 400, 2, 3).X.(*mat.Dense)
	g := fixture.KernelMatrix(gauss, x, x)
	errorOf := func(fitted bool, m int) (float64, *EnsembleModel) {
		e := must.Have(Ensemble{Config: Config{Kernel: gauss, M: m, Landmarks: landmark.Uniform{}}, Experts: 3, Fitted: fitted, HeldOut: 300}.Fit(context.Background(), x))(t)
		op := must.Have(e.Operator(context.Background(), x))(t)
		h, in := mat.NewDense(400, 400, nil), mat.NewDense(400, 400, nil)
		for i := range 400 {
			in.Set(i, i, 1)
		}
		op.Apply(h, in)
		return algotest.Relative(g, h), e
	}
	uniform, _ := errorOf(false, 8)
	fitted, e := errorOf(true, 8)
	if !(fitted < uniform) {
		t.Errorf("relative error %g with fitted weights %v, %g with uniform ones", fitted, e.Weights(), uniform)
	}
	if !e.HasFeatures() && must.Recovered(func() { e.Map(nil, x) }) == nil {
		t.Error("no panic for the features of negative weights")
	}
}

func TestEnsembleContract(t *testing.T) {
	wrap := func(m *EnsembleModel, err error) (*algotest.Model, error) {
		if m == nil {
			return nil, err
		}
		var public any
		if m.HasFeatures() {
			public = m
		}
		return &algotest.Model{
			Public: public,
			Output: func(x mat.Matrix) *mat.Dense { return m.approximate(x).Phi },
			Encode: m.Encode,
		}, err
	}
	at := func(n int, run gram.Run) Ensemble {
		c := Ensemble{Config: Config{Kernel: gauss, M: max(1, min(6, n/2)), Landmarks: landmark.Uniform{}, Certificate: 20, Run: run}, Experts: 2, Fitted: true, HeldOut: 30}
		if n > 1000 {
			c.M = 300
		}
		return c
	}
	algotest.Check(t, algotest.Subject{
		Fit: func(ctx context.Context, d algotest.Data, run gram.Run) (*algotest.Model, error) {
			n, _ := d.X.Dims()
			return wrap(at(n, run).FitWeighted(ctx, d.X, d.Weights))
		},
		Plan:     func(s gram.Shape, run gram.Run) (gram.Plan, error) { return at(s.N, run).Plan(s) },
		Decode:   func(f *modelfile.File) (*algotest.Model, error) { return wrap(DecodeEnsemble(f)) },
		Weighted: true,
		Unequal:  "landmarks are drawn, and experts get parts of them",
		Golden:   "ensemble.v1.gram",
		Share:    0.6, // the eigendecompositions of the experts
		Random:   []string{"certificate", "experts", "held out", "landmarks"},
		Memory:   gram.Shape{N: 3000, D: 8},
	})
}

// Table 3.7's protocol, with the error over 1000 rows; the bounds are those of
// the table and of independent implementations.
func TestTable37(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	dir, err := dataset.FindDir()
	if err != nil {
		t.Skip("no data: ", err)
	}
	train, test, err := dir.Load("pendigits", dataset.Options{Storage: dataset.Dense})
	if err != nil {
		t.Skip("no data: ", err)
	}
	both := must.Have(train.Append(test))(t)
	scaling := must.Have(dataset.MinMax(both.X, 0, 1))(t)
	x := scaling.Apply(both.X)
	if n, _ := x.Dims(); n != 10992 {
		t.Fatalf("%d rows", n)
	}
	const k = 128
	type model interface {
		Operator(ctx context.Context, x mat.Matrix) (*solve.LowRank, error)
	}
	g2 := kernel.Gaussian{Gamma: 2}
	ctx := context.Background()
	for _, c := range []struct {
		name      string
		fit       func() (model, error)
		low, high float64
	}{
		{"Nys", func() (model, error) {
			return Config{Kernel: g2, M: 2 * k, Rank: k, Landmarks: landmark.Uniform{}}.Fit(ctx, x)
		}, .1325 - .009, .1325 + .004},
		{"KNys", func() (model, error) { return Config{Kernel: g2, M: k}.Fit(ctx, x) }, .080, .0925},
		{"RNys", func() (model, error) {
			return Config{Kernel: g2, M: 2 * k, Rank: k, Landmarks: landmark.Uniform{}, Core: Randomized}.Fit(ctx, x)
		}, .92 * .1361, 1.08 * .1361},
		{"ENys", func() (model, error) {
			return Ensemble{Config: Config{Kernel: g2, M: 2 * k / 3, Rank: k / 3, Landmarks: landmark.Uniform{}}}.Fit(ctx, x)
		}, .92 * .2881, 1.08 * .2881},
	} {
		m := must.Have(c.fit())(t)
		op := must.Have(m.Operator(ctx, x))(t)
		e := must.Have(solve.RelativeError(ctx, g2, x, op, solve.ErrorOptions{MaxRows: 1000}))(t)
		t.Logf("%s: relative error %.4f ± %.4f", c.name, e.Value, e.StdError)
		if !(e.Value >= c.low-2*e.StdError && e.Value <= c.high+2*e.StdError) {
			t.Errorf("%s: relative error %.4f ± %.4f, want %.4f to %.4f", c.name, e.Value, e.StdError, c.low, c.high)
		}
	}
}

// A certificate from one row costs something, and one from more rows than there are costs what all rows cost.
func TestPlanOfCertificate(t *testing.T) {
	plan := func(rows int) gram.Plan {
		return must.Have(Config{Kernel: gauss, M: 8, Certificate: rows}.Plan(gram.Shape{N: 500, D: 4}))(t)
	}
	if none, one := plan(0), plan(1); one.Flops <= none.Flops {
		t.Errorf("%g flops with a certificate from one row, %g without one", one.Flops, none.Flops)
	}
	all, more := plan(500), plan(600)
	if all.Flops != more.Flops || all.PeakBytes != more.PeakBytes || all.PeakBytes <= plan(1).PeakBytes {
		t.Errorf("all rows take %g flops and %d bytes, more rows %g and %d", all.Flops, all.PeakBytes, more.Flops, more.PeakBytes)
	}
}
