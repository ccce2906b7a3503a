package tables

import (
	"context"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/krr"
	"github.com/gramworks/gram/dataset"
	"github.com/gramworks/gram/internal/rng"
	"github.com/gramworks/gram/kernel"
	"github.com/gramworks/gram/metric"
	"gonum.org/v1/gonum/mat"
)

// What the tables of divided kernel ridge regression (§3.3 of [Si 2016]) share:
// inputs divided by the standard deviation of the training part, no constant,
// λ = 1/n with n all training rows.

// ridgeSet is a data set of Table 3.8.
type ridgeSet struct {
	name    string // of the file
	label   string // with the paper's name
	paper   bool   // the paper's own; otherwise a stand-in
	parts   int
	gamma   float64            // the paper's
	results map[string]float64 // of Table 3.10
}

var ridgeSets = []ridgeSet{
	{"boston", "boston (house)", true, 4, 1e-4, map[string]float64{"Whole": 4.4822, "Random": 4.5609, "DC kernel k-means": 3.3849, "DC k-means": 3.8244}},
	{"airfoil", "airfoil (air)", true, 8, 1e-3, map[string]float64{"Whole": 4.3537, "Random": 4.6604, "DC kernel k-means": 4.2577, "DC k-means": 4.4782}},
	{"cpusmall", "cpusmall", true, 8, 1e-1, map[string]float64{"Whole": 5.8853, "Random": 7.1757, "DC kernel k-means": 5.7947, "DC k-means": 6.4616}},
	{"pol", "pol (Pole)", true, 16, 1, map[string]float64{"Whole": 14.7256, "Random": 21.5768, "DC kernel k-means": 15.0005, "DC k-means": 15.1167}},
	{"ct-slice", "CT Slice", true, 32, 1e-2, map[string]float64{"Whole": 2.1165, "Random": 10.0318, "DC kernel k-means": 3.6100, "DC k-means": 2.4302}},
	{"road", "Road", true, 256, 1e-1, map[string]float64{"Random": 13.6444, "DC kernel k-means": 11.0550, "DC k-means": 8.6358}},
	{name: "elevators", label: "elevators (stand-in for cpusmall)", parts: 8},
	{name: "kin40k", label: "kin40k (stand-in for CT Slice)", parts: 32},
}

// split returns a training and a test part, a fifth, of the set, scaled, with at
// most limit training rows (0: no limit).
func (s ridgeSet) split(d *dataset.Set, limit int, seed uint64) (train, test *dataset.Set, err error) {
	train, test = d.Split(.2, seed)
	if n, _ := train.Dims(); limit > 0 && n > limit {
		train = train.Select(dataset.Sample(n, limit, rng.Derive(seed, "limit")))
	}
	scale, err := dataset.UnitVariance(train.X)
	if err != nil {
		return nil, nil, err
	}
	train.X, test.X = scale.Apply(train.X), scale.Apply(test.X)
	return train, test, nil
}

// load reads the set; ok is false if it is not at hand.
func (s ridgeSet) load(e Env) (d *dataset.Set, ok bool, err error) {
	d, _, ok, err = e.load(s.name, dataset.Options{Storage: dataset.Dense, Task: dataset.Regression})
	return d, ok, err
}

// ridgeMethod is a row of Table 3.10. fit returns the function, the bytes of the
// kernel matrices that are held at a time, and a remark.
type ridgeMethod struct {
	name string
	fit  func(ctx context.Context, c krr.Config, x mat.Matrix, y []float64, parts int, run gram.Run) (gram.Regressor, int64, string, error)
}

var ridgeMethods = []ridgeMethod{
	{"Whole", fitWhole},
	{"Random", func(ctx context.Context, c krr.Config, x mat.Matrix, y []float64, parts int, run gram.Run) (gram.Regressor, int64, string, error) {
		m, err := krr.Average{Local: c, Parts: parts, Run: run}.Fit(ctx, x, y, nil)
		n, _ := x.Dims()
		return m, kernelBytes(run, slices.Repeat([]int{(n + parts - 1) / parts}, parts)), "", err
	}},
	{"DC kernel k-means", fitDivided(krr.KernelKMeans)},
	{"DC k-means", fitDivided(krr.KMeans)},
}

func fitWhole(ctx context.Context, c krr.Config, x mat.Matrix, y []float64, _ int, run gram.Run) (gram.Regressor, int64, string, error) {
	c.Run = run
	m, err := c.Fit(ctx, x, y, nil)
	if err != nil {
		return nil, 0, "", err
	}
	n, _ := x.Dims()
	if st := m.Stats(); st.Solver == krr.CG {
		return m, 8 * int64(n) * int64(m.Config().M), fmt.Sprintf("G not stored: %d products in CG, %d landmarks", st.Iterations, m.Config().M), nil
	}
	return m, kernelBytes(run, []int{n}), "", nil
}

func fitDivided(p krr.Partition) func(context.Context, krr.Config, mat.Matrix, []float64, int, gram.Run) (gram.Regressor, int64, string, error) {
	return func(ctx context.Context, c krr.Config, x mat.Matrix, y []float64, parts int, run gram.Run) (gram.Regressor, int64, string, error) {
		m, err := krr.Divided{Local: c, Partition: p, Parts: parts, Radius: 1e-9, Run: run}.Fit(ctx, x, y, nil)
		if err != nil {
			return nil, 0, "", err
		}
		sizes := slices.Clone(m.Stats().Sizes)
		return m, kernelBytes(run, sizes), fmt.Sprintf("parts of %d to %d rows", slices.Min(sizes), slices.Max(sizes)), nil
	}
}

// kernelBytes is the size of the kernel matrices of the largest parts, one for
// each worker.
func kernelBytes(run gram.Run, sizes []int) int64 {
	sizes = slices.Clone(sizes)
	slices.Sort(sizes)
	slices.Reverse(sizes)
	var b int64
	for _, n := range sizes[:min(len(sizes), run.NumWorkers())] {
		b += 8 * int64(n) * int64(n)
	}
	return b
}

// ridgeRow repeats a method on random splits of d.
func (e Env) ridgeRow(ctx context.Context, s ridgeSet, m ridgeMethod, d *dataset.Set, gamma float64, parts, limit, repeats int) (sample, string, error) {
	var got sample
	var remark string
	for i := range repeats {
		run := e.repeat(i)
		train, test, err := s.split(d, limit, run.Seed)
		if err != nil {
			return got, "", err
		}
		begin := time.Now()
		model, bytes, note, err := m.fit(ctx, krr.Config{Kernel: kernel.Gaussian{Gamma: gamma}}, train.X, train.Value, parts, run)
		if err != nil {
			return got, "", fmt.Errorf("%s: %w", m.name, err)
		}
		seconds := time.Since(begin).Seconds()
		got.add(metric.RMSE(model.Predict(nil, test.X), test.Value), seconds, bytes)
		remark = note
	}
	return got, remark, nil
}

var ridgeGammas = []float64{1e-4, 1e-3, 1e-2, 1e-1, 1, 10}

// chooseGamma finds γ by 4-fold cross-validation of the whole problem on at most
// rows training rows, with λ = 1/n.
func (e Env) chooseGamma(ctx context.Context, s ridgeSet, d *dataset.Set, rows int) (gamma, score float64, err error) {
	run := e.repeat(0)
	train, _, err := s.split(d, rows, run.Seed)
	if err != nil {
		return 0, 0, err
	}
	folds := train.Folds(4, run.Seed)
	score = math.Inf(1)
	for _, g := range ridgeGammas {
		var sum float64
		for f := range folds {
			a, b := dataset.Fold(folds, f)
			x, y := train.Select(a), train.Select(b)
			m, err := krr.Config{Kernel: kernel.Gaussian{Gamma: g}, Run: run}.Fit(ctx, x.X, x.Value, nil)
			if err != nil {
				return 0, 0, err
			}
			sum += metric.RMSE(m.Predict(nil, y.X), y.Value) / float64(len(folds))
		}
		if sum < score {
			gamma, score = g, sum
		}
	}
	return gamma, score, nil
}

// gammaOf is the paper's γ, or that of cross-validation, with what to say of it.
func (e Env) gammaOf(ctx context.Context, s ridgeSet, d *dataset.Set) (float64, string, error) {
	if s.gamma > 0 {
		return s.gamma, fmt.Sprintf("γ %g", s.gamma), nil
	}
	gamma, score, err := e.chooseGamma(ctx, s, d, e.searchRows())
	return gamma, fmt.Sprintf("γ %g by 4-fold cross-validation on %d training rows: RMSE %.4g", gamma, e.searchRows(), score), err
}

func (e Env) searchRows() int {
	if e.Quick {
		return 1000
	}
	return 3000
}

// trainingRows is the limit with --quick.
func (e Env) trainingRows() int {
	if e.Quick {
		return 3000
	}
	return 0
}

func limitNote(limit int, d *dataset.Set) string {
	if n, _ := d.Dims(); limit > 0 && n*4/5 > limit {
		return fmt.Sprintf("%d of %d training rows", limit, n-int(math.Round(.2*float64(n))))
	}
	return ""
}
