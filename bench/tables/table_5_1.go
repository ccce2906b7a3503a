package tables

import (
	"context"
	"errors"
	"fmt"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/krr"
	"github.com/gramworks/gram/algos/lowrank/meka"
	"github.com/gramworks/gram/algos/solve"
	"github.com/gramworks/gram/bench/tables/protocol"
	"github.com/gramworks/gram/dataset"
	"github.com/gramworks/gram/kernel"
	"gonum.org/v1/gonum/mat"
)

// Table 5.1 and figure 5.1 of [S16]: test RMSE of kernel ridge regression on
// approximations of equal memory, (G̃+λI)α = y by conjugate gradients. The
// thesis prints no preprocessing; inputs in [0,1] for wine, in [−1,1] for cadata,
// and targets over the largest for cadata, give its level for Nys.
func table51(r *run) error {
	rank := r.int("k", 0, 0, "rank; 0: the table's")
	dropped := r.float("cut", 0, 0, "MEKA: relative cut-off of the links' least-squares problems; 0: the default")
	repeats := r.repeats(5, 2)
	return r.regressions(func(s approximateSet, p *protocol.Pool, i int, m lowRank) {
		if rank > 0 {
			s.rank = rank
		}
		row := Row{Dataset: s.name, Method: m.name, Paper: paper(s.results[i])}
		r.regression(row, s, p, m, s.rank, repeats, false)
	}, dropped)
}

func fig51(r *run) error {
	ranks, repeats := cut(r, "ranks", []int{16, 32, 64, 128, 256}, []int{16, 64, 128}), r.repeats(5, 1)
	return r.regressions(func(s approximateSet, p *protocol.Pool, _ int, m lowRank) {
		for _, rank := range ranks {
			row := Row{Dataset: s.name, Method: fmt.Sprintf("%s k=%d", m.name, rank), Series: m.name}
			r.regression(row, s, p, m, rank, repeats, true)
		}
	}, 0)
}

// approximateSet is a data set of Table 5.1 with its settings.
type approximateSet struct {
	name, file    string
	low           float64 // inputs are scaled to [low, 1]
	unit          bool    // targets are divided by the largest
	rank          int
	gamma, lambda float64
	clusters      int
	results       [7]float64 // Nys, RNys, KNys, ENys, RKS, Fastfood, MEKA
}

func (s approximateSet) String() string { return s.name }

// Of covtype there are classes at hand, and not all rows.
var approximateSets = []approximateSet{
	{"wine", "wine-quality", 0, false, 128, 0x1p-10, 0x1p-4, 3, [7]float64{.7514, .7555, .7568, .7732, .7459, .7509, .7375}},
	{"cadata", "cadata", -1, true, 128, 4, 0x1p-3, 5, [7]float64{.1504, .1505, .1386, .1462, .1334, .1502, .1209}},
	{"cpusmall", "cpusmall", 0, false, 256, 4, 0x1p-4, 5, [7]float64{8.8747, 8.6973, 6.9638, 9.2831, 9.6795, 10.2601, 6.1130}},
	{"census", "census", 0, false, 256, 0x1p-4, 0x1p-5, 5, [7]float64{.0679, .0653, .0578, .0697, .0727, .0732, .0490}},
	{"covtype", "", 0, false, 256, 4, 0x1p-2, 10, [7]float64{.8197, .8216, .8172, .8454, .8011, .8026, .7106}},
	{"mnist2m", "mnist2m", 0, false, 256, 0x1p-5, 0x1p-5, 40, [7]float64{.2985, .2962, .2725, .3018, .3834, 0, .2667}},
}

// regressions calls body for every set and method.
func (r *run) regressions(body func(s approximateSet, p *protocol.Pool, i int, m lowRank), dropped float64) error {
	return each(r, approximateSets, func(s approximateSet) {
		p := r.pool(s.file, false, dataset.Options{Storage: dataset.Dense, Task: dataset.Regression})
		methods := append(withMEKA(0)[:6], memoryEfficient("MEKA", meka.Config{Clusters: s.clusters, Cut: dropped}))
		for i, m := range methods {
			body(s, p, i, m)
		}
	})
}

// regression repeats a method on random splits. With a series its place in the
// figure is the time.
func (r *run) regression(row Row, s approximateSet, p *protocol.Pool, m lowRank, rank, repeats int, bySeconds bool) {
	row.Metric = "rmse"
	r.measure(row, repeats, func(t *trial) error {
		part, err := p.Random(.2, t.Seed)
		if err != nil {
			return err
		}
		if part, err = part.Scaled(func(x mat.Matrix) (*dataset.Scaling, error) { return dataset.MinMax(x, s.low, 1) }); err != nil {
			return err
		}
		if s.unit {
			part = part.UnitTargets()
		}
		begin := t.seconds()
		a, err := m.fit(r.ctx, kernel.Gaussian{Gamma: s.gamma}, part.Train.X, rank, t.Run)
		if err != nil {
			return err
		}
		of, bytes, err := a.matrix()
		if err != nil {
			return err
		}
		f, products, err := regress(r.ctx, a, of, part.Train.X, part.Train.Value, s.lambda)
		if err != nil {
			return err
		}
		seconds := t.seconds() - begin
		t.note(fmt.Sprintf("k %d, γ %g, λ %g, c %d", rank, s.gamma, s.lambda, s.clusters), fmt.Sprintf("%d products in CG", products))
		score, err := part.RMSE(f)
		if err = t.add(score, err, seconds, bytes); bySeconds {
			t.row.X = t.figures[0].Seconds()
		}
		return err
	})
}

// regression is the function of kernel ridge regression on an approximation.
type regression struct {
	m      gram.FeatureMap
	weight *mat.Dense
}

// regress solves (G̃+λI)α = y by conjugate gradients and turns α into weights of
// the features, Φᵀα.
func regress(ctx context.Context, a gram.FeatureMap, of gram.Operator, x mat.Matrix, y []float64, lambda float64) (*regression, int, error) {
	n := len(y)
	alpha, st, err := krr.Solve(ctx, of, mat.NewDense(n, 1, y), krr.SolveOptions{Lambda: lambda, Options: solve.Options{Tol: 1e-6}})
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

// Predict returns the values of the rows of x.
func (r *regression) Predict(_ []float64, x mat.Matrix) []float64 {
	n, _ := x.Dims()
	out := mat.NewDense(n, 1, nil)
	out.Mul(r.m.Map(nil, x), r.weight)
	return out.RawMatrix().Data
}
