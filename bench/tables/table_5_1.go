package tables

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/krr"
	"github.com/gramworks/gram/algos/landmark"
	"github.com/gramworks/gram/algos/meka"
	"github.com/gramworks/gram/algos/nystrom"
	"github.com/gramworks/gram/algos/rff"
	"github.com/gramworks/gram/algos/solve"
	"github.com/gramworks/gram/dataset"
	"github.com/gramworks/gram/kernel"
	"github.com/gramworks/gram/metric"
	"gonum.org/v1/gonum/mat"
)

// Table 5.1 and figure 5.1 of [Si 2016]: test RMSE of kernel ridge regression on
// approximations of equal memory, (G̃+λI)α = y by conjugate gradients. The
// thesis prints no preprocessing; inputs in [0,1] for wine, in [−1,1] for cadata,
// and targets over the largest for cadata, give its level for Nys.
var (
	table51 = Table{
		ID:    "5.1",
		Title: "Test RMSE of kernel ridge regression on approximations of equal memory",
		Run:   runTable51,
	}
	fig51 = Table{
		ID:    "fig-5.1",
		Title: "Test RMSE of kernel ridge regression against training time, by rank",
		Run:   runFig51,
		X:     "seconds", Y: "RMSE", LogX: true,
	}
)

// approximateSet is a data set of Table 5.1 with its settings.
type approximateSet struct {
	name, file    string
	low           float64 // inputs are scaled to [low, 1]
	unit          bool    // targets are divided by the largest
	rank          int
	gamma, lambda float64
	clusters      int
	results       [7]float64 // in the order of approximateMethods
}

var approximateSets = []approximateSet{
	{"wine", "wine-quality", 0, false, 128, 0x1p-10, 0x1p-4, 3, [7]float64{.7514, .7555, .7568, .7732, .7459, .7509, .7375}},
	{"cadata", "cadata", -1, true, 128, 4, 0x1p-3, 5, [7]float64{.1504, .1505, .1386, .1462, .1334, .1502, .1209}},
	{"cpusmall", "cpusmall", 0, false, 256, 4, 0x1p-4, 5, [7]float64{8.8747, 8.6973, 6.9638, 9.2831, 9.6795, 10.2601, 6.1130}},
	{"census", "census", 0, false, 256, 0x1p-4, 0x1p-5, 5, [7]float64{.0679, .0653, .0578, .0697, .0727, .0732, .0490}},
	{"covtype", "covtype", 0, false, 256, 4, 0x1p-2, 10, [7]float64{.8197, .8216, .8172, .8454, .8011, .8026, .7106}},
	{"mnist2m", "mnist2m", 0, false, 256, 0x1p-5, 0x1p-5, 40, [7]float64{.2985, .2962, .2725, .3018, .3834, 0, .2667}},
}

// mapped is an approximation of the kernel matrix of the training rows that has
// features for others.
type mapped struct {
	gram.FeatureMap
	of    gram.Operator
	bytes int64
}

type approximateMethod struct {
	name string
	fit  func(ctx context.Context, k kernel.Kernel, x mat.Matrix, rank int, c meka.Config, run gram.Run) (mapped, error)
}

// approximateMethods follow the protocol of Table 3.7.
var approximateMethods = []approximateMethod{
	{"Nys", func(ctx context.Context, k kernel.Kernel, x mat.Matrix, rank int, _ meka.Config, run gram.Run) (mapped, error) {
		return mapNystrom(ctx, nystrom.Config{Kernel: k, Landmarks: landmark.Uniform{}, M: 2 * rank, Rank: rank, Run: run}, x)
	}},
	{"RNys", func(ctx context.Context, k kernel.Kernel, x mat.Matrix, rank int, _ meka.Config, run gram.Run) (mapped, error) {
		return mapNystrom(ctx, nystrom.Config{Kernel: k, Landmarks: landmark.Uniform{}, M: 2 * rank, Rank: rank, Core: nystrom.Randomised, Run: run}, x)
	}},
	{"KNys", func(ctx context.Context, k kernel.Kernel, x mat.Matrix, rank int, _ meka.Config, run gram.Run) (mapped, error) {
		return mapNystrom(ctx, nystrom.Config{Kernel: k, Landmarks: landmark.KMeans{Starts: 4}, M: rank, Run: run}, x)
	}},
	{"ENys", func(ctx context.Context, k kernel.Kernel, x mat.Matrix, rank int, _ meka.Config, run gram.Run) (mapped, error) {
		c := nystrom.Ensemble{Config: nystrom.Config{Kernel: k, Landmarks: landmark.Uniform{}, M: 2 * rank / 3, Rank: rank / 3, Run: run}, Experts: 3}
		m, err := c.Fit(ctx, x)
		if err != nil {
			return mapped{}, err
		}
		return mapAll(ctx, m, x)
	}},
	{"RKS", func(ctx context.Context, k kernel.Kernel, x mat.Matrix, rank int, _ meka.Config, run gram.Run) (mapped, error) {
		return mapFourier(ctx, rff.Config{Kernel: k, M: rank, Run: run}, x)
	}},
	{"Fastfood", func(ctx context.Context, k kernel.Kernel, x mat.Matrix, rank int, _ meka.Config, run gram.Run) (mapped, error) {
		return mapFourier(ctx, rff.Config{Kernel: k, M: rank, Frequencies: rff.Fastfood, Run: run}, x)
	}},
	{"MEKA", func(ctx context.Context, k kernel.Kernel, x mat.Matrix, rank int, c meka.Config, run gram.Run) (mapped, error) {
		c.Kernel, c.Rank, c.Run = k, rank, run
		m, err := c.Fit(ctx, x)
		if err != nil {
			return mapped{}, err
		}
		return mapped{m, m.Operator(), m.Stats().Bytes + m.Stats().MapBytes}, nil
	}},
}

func mapNystrom(ctx context.Context, c nystrom.Config, x mat.Matrix) (mapped, error) {
	m, err := c.Fit(ctx, x)
	if err != nil {
		return mapped{}, err
	}
	return mapAll(ctx, m, x)
}

func mapFourier(ctx context.Context, c rff.Config, x mat.Matrix) (mapped, error) {
	m, err := c.Fit(ctx, x)
	if err != nil {
		return mapped{}, err
	}
	return mapAll(ctx, m, x)
}

func mapAll(ctx context.Context, m gram.FeatureMap, x mat.Matrix) (mapped, error) {
	phi, err := solve.Features(ctx, m, x)
	if err != nil {
		return mapped{}, err
	}
	n, r := phi.Dims()
	return mapped{m, &solve.LowRank{Phi: phi}, 8 * int64(n) * int64(r)}, nil
}

// regression is the function of kernel ridge regression on an approximation.
type regression struct {
	m      gram.FeatureMap
	weight *mat.Dense
}

// regress solves (G̃+λI)α = y by conjugate gradients and turns α into weights of
// the features, Φᵀα.
func regress(ctx context.Context, a mapped, x mat.Matrix, y []float64, lambda float64) (*regression, int, error) {
	n := len(y)
	alpha, st, err := krr.Solve(ctx, a.of, mat.NewDense(n, 1, y), krr.SolveOptions{Lambda: lambda, Options: solve.Options{Tol: 1e-6}})
	var ce *gram.ConvergenceError
	if err != nil && !(errors.As(err, &ce) && alpha != nil) {
		return nil, 0, err
	}
	_, features := a.Dims()
	r := &regression{a, mat.NewDense(features, 1, nil)}
	const block = 1024
	for lo := 0; lo < n; lo += block {
		if err := ctx.Err(); err != nil {
			return nil, 0, err
		}
		hi := min(lo+block, n)
		var part mat.Dense
		part.Mul(a.Map(nil, x.(*mat.Dense).Slice(lo, hi, 0, x.(*mat.Dense).RawMatrix().Cols)).T(), alpha.Slice(lo, hi, 0, 1))
		r.weight.Add(r.weight, &part)
	}
	return r, st.Iter, nil
}

func (r *regression) predict(x mat.Matrix) []float64 {
	n, _ := x.Dims()
	out := mat.NewDense(n, 1, nil)
	out.Mul(r.m.Map(nil, x), r.weight)
	return out.RawMatrix().Data
}

// split returns a training part and a test part, a fifth, scaled.
func (s approximateSet) split(d *dataset.Set, seed uint64) (train, test *dataset.Set, err error) {
	train, test = d.Split(.2, seed)
	scale, err := dataset.MinMax(train.X, s.low, 1)
	if err != nil {
		return nil, nil, err
	}
	train.X, test.X = scale.Apply(train.X), scale.Apply(test.X)
	if s.unit {
		top := slices.Max(train.Value)
		for _, part := range []*dataset.Set{train, test} {
			for i := range part.Value {
				part.Value[i] /= top
			}
		}
	}
	return train, test, nil
}

// rmse repeats a method on random splits.
func (s approximateSet) rmse(ctx context.Context, e Env, d *dataset.Set, m approximateMethod, rank int, cut float64, repeats int) (sample, int, error) {
	var got sample
	var products int
	for i := range repeats {
		run := e.repeat(i)
		train, test, err := s.split(d, run.Seed)
		if err != nil {
			return got, 0, err
		}
		begin := time.Now()
		a, err := m.fit(ctx, kernel.Gaussian{Gamma: s.gamma}, train.X, rank, meka.Config{Clusters: s.clusters, Cut: cut}, run)
		if err != nil {
			return got, 0, fmt.Errorf("%s: %w", m.name, err)
		}
		r, n, err := regress(ctx, a, train.X, train.Value, s.lambda)
		if err != nil {
			return got, 0, fmt.Errorf("%s: %w", m.name, err)
		}
		seconds := time.Since(begin).Seconds()
		products = max(products, n)
		v := metric.RMSE(r.predict(test.X), test.Value)
		if math.IsNaN(v) {
			return got, 0, fmt.Errorf("%s: the error is not a number", m.name)
		}
		got.add(v, seconds, a.bytes)
	}
	return got, products, nil
}

func runTable51(ctx context.Context, env Env, emit func(Row)) error {
	f := env.flags()
	rank := f.Int("k", 0, "rank; 0: the table's")
	cut := f.Float64("cut", 0, "MEKA: relative cut-off of the links' least-squares problems; 0: the default")
	only := f.String("only", "", "one data set; empty: all")
	if err := env.parse(f); err != nil {
		return err
	}
	repeats := env.repeats(5, 2)
	if !slices.ContainsFunc(approximateSets, func(s approximateSet) bool { return *only == "" || s.name == *only }) {
		return &gram.ConfigError{Field: "--set only", Value: *only, Want: "a data set of the table"}
	}
	for _, s := range approximateSets {
		if *only != "" && s.name != *only {
			continue
		}
		d, _, ok, err := env.load(s.file, dataset.Options{Storage: dataset.Dense, Task: dataset.Regression})
		if err != nil {
			return err
		}
		ok = ok && s.file != "covtype" // classes at hand, and not all rows
		k := s.rank
		if *rank > 0 {
			k = *rank
		}
		for i, m := range approximateMethods {
			row := Row{Table: "5.1", Dataset: s.name, Method: m.name, Metric: "rmse", Paper: paper(s.results[i])}
			if !ok {
				row.Note = noData
				emit(row)
				continue
			}
			got, products, err := s.rmse(ctx, env, d, m, k, *cut, repeats)
			if err != nil {
				return err
			}
			row.Note = notes(fmt.Sprintf("k %d, γ %g, λ %g, c %d", k, s.gamma, s.lambda, s.clusters), counted(repeats, "split"), fmt.Sprintf("%d products in CG at most", products))
			emit(got.into(row))
		}
	}
	return nil
}

func runFig51(ctx context.Context, env Env, emit func(Row)) error {
	if err := env.parse(env.flags()); err != nil {
		return err
	}
	ranks, repeats := []int{16, 32, 64, 128, 256}, env.repeats(5, 1)
	if env.Quick {
		ranks = []int{16, 64, 128}
	}
	for _, s := range approximateSets {
		d, _, ok, err := env.load(s.file, dataset.Options{Storage: dataset.Dense, Task: dataset.Regression})
		if err != nil {
			return err
		}
		ok = ok && s.file != "covtype"
		for _, m := range approximateMethods {
			for _, rank := range ranks {
				row := Row{Table: "fig-5.1", Dataset: s.name, Method: fmt.Sprintf("%s k=%d", m.name, rank), Metric: "rmse", Series: m.name}
				if !ok {
					row.Note = noData
					emit(row)
					continue
				}
				got, _, err := s.rmse(ctx, env, d, m, rank, 0, repeats)
				if err != nil {
					return err
				}
				row = got.into(row)
				row.X = row.Seconds
				row.Note = notes(fmt.Sprintf("γ %g, λ %g, c %d", s.gamma, s.lambda, s.clusters), counted(repeats, "split"))
				emit(row)
			}
		}
	}
	return nil
}
