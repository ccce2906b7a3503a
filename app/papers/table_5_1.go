package papers

import (
	"context"
	"fmt"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/krr"
	"github.com/gramworks/gram/algos/lowrank/meka"
	"github.com/gramworks/gram/algos/solve"
	"github.com/gramworks/gram/app/papers/protocol"
	"github.com/gramworks/gram/dataset"
	"github.com/gramworks/gram/kernel"
	"github.com/gramworks/gram/metric"
	"gonum.org/v1/gonum/mat"
)

// Table 5.1 and figure 5.1 of [S16]: test RMSE of kernel ridge regression on
// approximations of equal memory, (G̃+λI)α = y by conjugate gradients. The
// thesis prints no preprocessing; inputs in [0,1] for wine, in [−1,1] for cadata,
// and targets over the largest for cadata, give its level for Nys. The cut-off of
// MEKA's links is not printed either: it is the best of 10⁻², 10⁻⁴ and 10⁻⁶ on a fifth
// of the training part of each split.
func table51(r *run) {
	rank := r.int("k", 0, 0, "rank; 0: the table's")
	dropped := r.float("cut", 0, 0, "MEKA: relative cut-off of the links' least-squares problems; 0: chosen")
	repeats := r.repeats(5, 2)
	r.regressions(dropped, func(s approximateSet, p *protocol.Pool, m []lowRank) {
		if rank > 0 {
			s.rank = rank
		}
		r.regression(Row{Method: m[0].name}, s, p, m, s.rank, repeats)
	})
}

func fig51(r *run) {
	ranks, repeats := cut(r, "ranks", []int{16, 32, 64, 128, 256}, []int{16, 64, 128}), r.repeats(5, 1)
	r.regressions(1e-2, func(s approximateSet, p *protocol.Pool, m []lowRank) {
		for _, rank := range ranks {
			r.regression(Row{Method: fmt.Sprintf("%s k=%d", m[0].name, rank), Series: m[0].name}, s, p, m, rank, repeats)
		}
	})
}

// approximateSet is a data set of Table 5.1 with its settings.
type approximateSet struct {
	name, file    string
	low           float64 // inputs are scaled to [low, 1]
	unit          bool    // targets are divided by the largest
	rank          int
	gamma, lambda float64
	clusters      int
}

// String returns the name of the set.
func (s approximateSet) String() string { return s.name }

// Of covtype there are classes at hand, and not all rows.
var approximateSets = []approximateSet{
	{"wine", "wine-quality", 0, false, 128, 0x1p-10, 0x1p-4, 3},
	{"cadata", "cadata", -1, true, 128, 4, 0x1p-3, 5},
	{"cpusmall", "cpusmall", 0, false, 256, 4, 0x1p-4, 5},
	{"census", "census", 0, false, 256, 0x1p-4, 0x1p-5, 5},
	{"covtype", "", 0, false, 256, 4, 0x1p-2, 10},
	{"mnist2m", "mnist2m", 0, false, 256, 0x1p-5, 0x1p-5, 40},
}

// regressions calls body for every set and method, MEKA with each cut-off that it may
// have.
func (r *run) regressions(dropped float64, body func(s approximateSet, p *protocol.Pool, m []lowRank)) {
	cuts := []float64{1e-2, 1e-4, 1e-6}
	if dropped > 0 {
		cuts = []float64{dropped}
	}
	eachSet(r, approximateSets, func(s approximateSet) {
		p := r.pool(s.file, false, denseValues)
		for _, m := range baselines {
			body(s, p, []lowRank{m})
		}
		var all []lowRank
		for _, dropped := range cuts {
			all = append(all, memoryEfficient("MEKA", meka.Config{Clusters: s.clusters, Cut: dropped}))
		}
		body(s, p, all)
	})
}

// regression repeats on random splits the method that is best on a fifth of the
// training part. In a figure its place is the time.
func (r *run) regression(row Row, s approximateSet, p *protocol.Pool, methods []lowRank, rank, repeats int) {
	row.Dataset, row.Metric = s.name, "rmse"
	r.measure([]Row{row}, repeats, func(t *trial) {
		part := must(must(p.Random(.2, t.Seed)).Scaled(func(x mat.Matrix) (*dataset.Scaling, error) { return dataset.MinMax(x, s.low, 1) }))
		if s.unit {
			part = part.UnitTargets()
		}
		fit := func(m lowRank, d *dataset.Set, run gram.Run) (f *regression, products int, bytes int64) {
			a := m.fit(r.ctx, kernel.Gaussian{Gamma: s.gamma}, d.X, rank, run)
			of, bytes := a.matrix()
			f, products = regress(r.ctx, a, of, d, s.lambda)
			return f, products, bytes
		}
		m := methods[0]
		if len(methods) > 1 {
			m, _ = choose(r, part.Train, r.fifth(part.Train), methods, false, func(m lowRank, train, validation *dataset.Set, run gram.Run) float64 {
				f, _, _ := fit(m, train, run)
				return metric.RMSE(f.Predict(nil, validation.X), validation.Value)
			})
		}
		t.start()
		f, products, bytes := fit(m, part.Train, t.Run)
		seconds := t.seconds()
		t.note(fmt.Sprintf("k %d, γ %g, λ %g, c %d", rank, s.gamma, s.lambda, s.clusters), fmt.Sprintf("%d products in CG", products))
		t.add(seconds, bytes, must(part.RMSE(f)))
		if row.Series != "" {
			t.rows[0].X = t.figures[0].Seconds()
		}
	})
}

// regression is the function of kernel ridge regression on an approximation.
type regression struct {
	m      gram.FeatureMap
	weight *mat.Dense
}

// regress solves (G̃+λI)α = y by conjugate gradients and turns α into weights of
// the features, Φᵀα.
func regress(ctx context.Context, a gram.FeatureMap, of gram.Operator, d *dataset.Set, lambda float64) (r *regression, products int) {
	n, columns := d.Dims()
	alpha, st, err := krr.Solve(ctx, of, mat.NewDense(n, 1, d.Value), krr.SolveOptions{Lambda: lambda, Options: solve.Options{Tol: 1e-6}})
	fitted(alpha, err)
	_, features := a.Dims()
	r = &regression{a, mat.NewDense(features, 1, nil)}
	const block = 1024
	for lo := 0; lo < n; lo += block {
		fail(ctx.Err())
		hi := min(lo+block, n)
		var part mat.Dense
		part.Mul(a.Map(nil, d.X.(*mat.Dense).Slice(lo, hi, 0, columns)).T(), alpha.Slice(lo, hi, 0, 1))
		r.weight.Add(r.weight, &part)
	}
	return r, st.Iter
}

// Predict returns the values of the rows of x.
func (r *regression) Predict(_ []float64, x mat.Matrix) []float64 {
	n, _ := x.Dims()
	out := mat.NewDense(n, 1, nil)
	out.Mul(r.m.Map(nil, x), r.weight)
	return out.RawMatrix().Data
}
