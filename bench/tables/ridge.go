package tables

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/cluster/kmeans"
	"github.com/gramworks/gram/algos/divide/dckrr"
	"github.com/gramworks/gram/algos/krr"
	"github.com/gramworks/gram/algos/solve"
	"github.com/gramworks/gram/bench/tables/protocol"
	"github.com/gramworks/gram/dataset"
	"github.com/gramworks/gram/internal/rng"
	"github.com/gramworks/gram/kernel"
	"github.com/gramworks/gram/metric"
	"gonum.org/v1/gonum/mat"
)

// The tables of divided kernel ridge regression (§3.3 of [S16]): inputs
// divided by the standard deviation of the training part, no constant, λ = 1/n
// with n all training rows.

// ridgeSet is a data set of Table 3.8.
type ridgeSet struct {
	name    string // of the file
	label   string // with the paper's name
	paper   bool   // the paper's own; otherwise a stand-in
	parts   int
	gamma   float64            // the paper's
	results map[string]float64 // of Table 3.10
}

func (s ridgeSet) String() string { return s.name }

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

// ridgeProblem is a set with its γ.
type ridgeProblem struct {
	ridgeSet
	*protocol.Pool
	gamma  float64
	chosen string // what to say of γ
}

// problem loads a set. Where the paper gives no γ it is the best of 4 folds on
// rows that are in no test part.
func (r *run) problem(s ridgeSet) ridgeProblem {
	p := ridgeProblem{ridgeSet: s, gamma: s.gamma, chosen: fmt.Sprintf("γ %g", s.gamma)}
	if p.Pool = r.ridgePool(s); p.Pool == nil || s.gamma > 0 {
		return p
	}
	rows := p.Reserve(cut(r, "rows for γ", 3000, 1000), r.Seed)
	n, _ := rows.Dims()
	gamma, score := r.chooseGamma(rows)
	p.gamma, p.chosen = gamma, fmt.Sprintf("γ %g by 4 folds of %d rows that are in no test part: RMSE %.4g", gamma, n, score)
	return p
}

func (r *run) ridgePool(s ridgeSet) *protocol.Pool {
	return r.pool(s.name, false, dataset.Options{Storage: dataset.Dense, Task: dataset.Regression})
}

// split returns a training and a test part, a fifth, scaled, with at most limit
// training rows (0: no limit).
func (p ridgeProblem) split(limit int, seed uint64) (*protocol.Split, error) {
	s, err := p.Random(.2, seed)
	if err != nil {
		return nil, err
	}
	return s.Limited(limit, rng.Derive(seed, "limit")).Scaled(dataset.UnitVariance)
}

// trainingRows is the number of rows of a training part.
func (p ridgeProblem) trainingRows() int {
	n, _ := p.Dims()
	return n - int(math.Round(.2*float64(n)))
}

// chooseGamma finds γ by 4-fold cross-validation of the whole problem, with λ = 1/n.
func (r *run) chooseGamma(d *dataset.Set) (gamma, score float64) {
	gammas := []float64{1e-4, 1e-3, 1e-2, 1e-1, 1, 10}
	best, score := r.choose(d, r.quarters(d, 4), len(gammas), false, func(i int, train, held *dataset.Set, run gram.Run) (float64, error) {
		scale, err := dataset.UnitVariance(train.X)
		if err != nil {
			return 0, err
		}
		m, err := krr.Config{Kernel: kernel.Gaussian{Gamma: gammas[i]}, Run: run}.Fit(r.ctx, scale.Apply(train.X), train.Value, nil)
		if err != nil {
			return 0, err
		}
		return metric.RMSE(m.Predict(nil, scale.Apply(held.X)), held.Value), nil
	})
	return gammas[best], score
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
		m, err := dckrr.Random{Local: c, Parts: parts, Run: run}.Fit(ctx, x, y, nil)
		n, _ := x.Dims()
		return m, kernelBytes(run, slices.Repeat([]int{(n + parts - 1) / parts}, parts)), "", err
	}},
	{"DC kernel k-means", fitDivided(dckrr.KernelKMeans)},
	{"DC k-means", fitDivided(dckrr.KMeans)},
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

func fitDivided(p dckrr.Partition) func(context.Context, krr.Config, mat.Matrix, []float64, int, gram.Run) (gram.Regressor, int64, string, error) {
	return func(ctx context.Context, c krr.Config, x mat.Matrix, y []float64, parts int, run gram.Run) (gram.Regressor, int64, string, error) {
		m, err := dckrr.Config{Local: c, Partition: p, Parts: parts, Radius: 1e-9, Run: run}.Fit(ctx, x, y, nil)
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

// ridgeRow repeats a method on random splits.
func (r *run) ridgeRow(row Row, p ridgeProblem, m ridgeMethod, parts, limit, repeats int) {
	row.Dataset, row.Metric = p.label, "rmse"
	r.measure(row, repeats, func(t *trial) error {
		s, err := p.split(limit, t.Seed)
		if err != nil {
			return err
		}
		begin := t.seconds()
		model, bytes, remark, err := m.fit(r.ctx, krr.Config{Kernel: kernel.Gaussian{Gamma: p.gamma}}, s.Train.X, s.Train.Value, parts, t.Run)
		if err != nil {
			return err
		}
		seconds := t.seconds() - begin
		n, _ := s.Train.Dims()
		t.note(fmt.Sprintf("%d parts", parts), p.chosen, fmt.Sprintf("%d training rows", n), remark)
		score, err := s.RMSE(model)
		return t.add(score, err, seconds, bytes)
	})
}

// Table 3.8 of [S16]: the data sets of divided kernel ridge regression and γ
// by cross-validation of the whole problem on training rows.
func table38(r *run) error {
	limit := r.int("rows", cut(r, "rows for γ", 3000, 1000), 8, "training rows for the cross-validation at most")
	repeats := r.repeats(3, 1)
	return each(r, ridgeSets, func(s ridgeSet) {
		p := r.ridgePool(s)
		row := Row{Dataset: s.label, Method: "cross-validation", Metric: "gamma", Paper: paper(s.gamma)}
		r.measure(row, repeats, func(t *trial) error {
			part, err := p.Random(.2, t.Seed)
			if err != nil {
				return err
			}
			part = part.Limited(limit, rng.Derive(t.Seed, "limit"))
			gamma, score := r.chooseGamma(part.Train)
			n, d := p.Dims()
			used, _ := part.Train.Dims()
			t.note(fmt.Sprintf("%d rows, %d columns: %d for the test, %d for γ", n, d, part.TestRows(), used), fmt.Sprintf("RMSE %.4g in 4 folds", score))
			t.figures[0].AddValue(gamma, t.seconds(), 0)
			return r.err
		})
	})
}

// Table 3.9 of [S16]: Voronoi cells against clusters and random parts. The
// thesis chooses the cells' radius on cpusmall, which is not at hand, and gets
// 6, 9, 13 and 40 cells; here as many centers are taken, each the row farthest
// from those before it. elevators stands in, with as many rows.
func table39(r *run) error {
	limit := r.int("rows", cut(r, "training rows", 6553, 2500), 1, "training rows at most")
	repeats := r.repeats(3, 1)
	methods := append([]ridgeMethod{{"VP", fitDivided(dckrr.Voronoi)}}, ridgeMethods[1:]...)
	return each(r, []ridgeSet{ridgeSets[2], ridgeSets[6]}, func(s ridgeSet) {
		p := r.problem(s)
		for i, parts := range []int{6, 9, 13, 40} {
			for _, m := range methods {
				row := Row{Method: fmt.Sprintf("%s, %d parts", m.name, parts)}
				if s.paper {
					row.Paper = paper(paper39[m.name][i])
				}
				r.ridgeRow(row, p, m, parts, limit, repeats)
			}
		}
	})
}

var paper39 = map[string][4]float64{
	"VP":                {5.8914, 5.8653, 6.1331, 6.3026},
	"Random":            {6.6232, 7.3143, 7.9986, 10.1980},
	"DC k-means":        {6.4246, 6.4610, 6.6415, 7.2206},
	"DC kernel k-means": {5.7819, 5.8338, 5.8069, 6.01},
}

// Table 3.10 of [S16]: test RMSE and training time of the whole problem,
// random parts and clusters, for (G_i+λI) with λ = 1/n.
func table310(r *run) error {
	limit := r.int("rows", cut(r, "training rows", 0, 3000), 0, "training rows at most; 0: no limit")
	return each(r, ridgeSets, func(s ridgeSet) {
		p := r.problem(s)
		repeats := r.repeats(3, 1)
		if p.Pool != nil && r.Repeats == 0 {
			// Between splits of boston the figures have a standard deviation of .6.
			switch n, _ := p.Dims(); {
			case n < 1000:
				repeats = 100
			case n < 2000:
				repeats = 20
			}
		}
		for _, m := range ridgeMethods {
			r.ridgeRow(Row{Method: m.name, Paper: paper(s.results[m.name])}, p, m, s.parts, limit, repeats)
		}
	})
}

// Figure 3.13 of [S16]: test RMSE against the number of training rows on the
// real data sets. The paper draws curves and prints no figures.
func fig313(r *run) error {
	limit := r.int("rows", cut(r, "training rows", 12_000, 2000), 1, "training rows at most")
	shares := cut(r, "shares of the rows", []float64{.2, .4, .6, .8, 1}, []float64{.25, .5, 1})
	return each(r, ridgeSets, func(s ridgeSet) {
		p := r.problem(s)
		n, repeats := 0, r.repeats(3, 1)
		if p.Pool != nil {
			if n = min(limit, p.trainingRows()); n < 1600 {
				repeats = r.repeats(20, 5)
			}
		}
		for _, m := range []ridgeMethod{ridgeMethods[0], ridgeMethods[1], ridgeMethods[3]} { // the figure has k-means alone
			for _, share := range shares {
				rows := int(math.Round(share * float64(n)))
				row := Row{Method: fmt.Sprintf("%s, %.0f %%", m.name, 100*share), Series: m.name, X: float64(rows)}
				r.ridgeRow(row, p, m, s.parts, rows, repeats)
			}
		}
	})
}

// Figures 3.14 and 3.15 of [S16]: g(λ) = Σ_i S_i(λ)/S(λ) at λ = 1/n against
// the number of k-means parts, on a sample of the training rows of the real data
// sets and on the toy problems. The paper draws curves and prints no figures.
func fig314(r *run) error {
	rows := r.int("rows", cut(r, "rows", 3000, 800), 1, "training rows at most")
	return each(r, ridgeSets, func(s ridgeSet) {
		p := r.problem(s)
		r.goodness(Row{Dataset: s.label, Note: p.chosen}, kernel.Gaussian{Gamma: p.gamma}, func(run gram.Run) (mat.Matrix, error) {
			part, err := p.split(rows, run.Seed)
			if err != nil {
				return nil, err
			}
			return part.Train.X, nil
		})
	})
}

func fig315(r *run) error {
	return each(r, toys, func(y toy) {
		r.goodness(Row{Dataset: y.name}, y.kernel, func(run gram.Run) (mat.Matrix, error) {
			d, _ := y.toy.Draw(toyRows, run.Seed)
			return d.X, nil
		})
	})
}

// goodness emits g for numbers of k-means parts.
func (r *run) goodness(row Row, k kernel.Kernel, draw func(run gram.Run) (mat.Matrix, error)) {
	chosen := row.Note
	repeats := r.repeats(3, 1)
	for _, parts := range cut(r, "parts", []int{1, 2, 3, 4, 6, 8, 12, 16, 24, 32}, []int{1, 2, 3, 4, 8, 16}) {
		row.Method, row.Metric, row.Series, row.X = fmt.Sprintf("k-means parts=%d", parts), "g", "k-means", float64(parts)
		r.measure(row, repeats, func(t *trial) error {
			x, err := draw(t.Run)
			if err != nil {
				return err
			}
			c, err := kmeans.Config{K: parts, Run: t.Run}.Fit(r.ctx, x)
			if err != nil {
				return err
			}
			n, _ := x.Dims()
			g, err := krr.Goodness(r.ctx, k, x, c.Labels(), []float64{1 / float64(n)}, t.Run)
			if err != nil {
				return err
			}
			t.figures[0].AddValue(g[0], t.seconds(), 0)
			t.note(fmt.Sprintf("%d rows, λ 1/n", n), chosen)
			return nil
		})
	}
}

// toy is one of the generated problems of figures 3.11, 3.12 and 3.15: 600 rows,
// (G_i+n_iλI) with λ = 1/n.
type toy struct {
	toy    dataset.Toy
	name   string
	kernel kernel.Kernel
}

func (y toy) String() string { return y.name }

var toys = []toy{
	{dataset.Steps, "steps", kernel.Gaussian{Gamma: .1}},
	{dataset.Bumps, "bumps", kernel.Gaussian{Gamma: .1}},
	{dataset.Sine, "sine", kernel.Polynomial{Degree: 2, Offset: 1}},
}

const (
	toyRows = 600
	toyTest = 100
	toyNote = "(G_i+n_iλI), λ 1/n"
)

// fit trains one of Whole, Random and DC.
func (y toy) fit(ctx context.Context, method string, d *dataset.Set, parts int, run gram.Run) (gram.Regressor, error) {
	c := krr.Config{Kernel: y.kernel, Penalty: solve.PerRow}
	switch method {
	case "Random":
		return dckrr.Random{Local: c, Parts: parts, Run: run}.Fit(ctx, d.X, d.Value, nil)
	case "DC":
		return dckrr.Config{Local: c, Parts: parts, Run: run}.Fit(ctx, d.X, d.Value, nil)
	}
	c.Run = run
	return c.Fit(ctx, d.X, d.Value, nil)
}

// draw draws rows of the problem.
func (y toy) draw(n int, seed uint64) *dataset.Set {
	d, _ := y.toy.Draw(n, seed)
	return d
}

// Figure 3.11 of [S16]: the functions that Whole-KRR and DC-KRR with three
// parts learn on the toy problems, beside the true one. It is a drawing of one
// draw.
func fig311(r *run) error {
	points := r.int("points", 61, 2, "points of a curve")
	return each(r, toys, func(y toy) {
		run := r.repeat(0)
		d := y.draw(toyRows, run.Seed)
		low, high := mat.Min(d.X), mat.Max(d.X)
		x := mat.NewDense(points, 1, nil)
		for i := range points {
			x.Set(i, 0, low+(high-low)*float64(i)/float64(points-1))
		}
		curves := map[string][]float64{}
		for i := range points {
			curves["true"] = append(curves["true"], y.toy.F(x.At(i, 0)))
		}
		for _, method := range []string{"Whole", "DC"} {
			m, err := y.fit(r.ctx, method, d, 3, run)
			if r.fail(err) {
				return
			}
			curves[method] = m.Predict(nil, x)
		}
		for i := range points {
			for _, series := range []string{"true", "Whole", "DC"} {
				at := x.At(i, 0)
				r.emit(Row{Dataset: y.name, Method: fmt.Sprintf("%s x=%.3g", series, at), Metric: "f(x)", Got: value(curves[series][i]), Series: series, X: at, Note: "3 parts, " + toyNote})
			}
		}
	})
}

// Figure 3.12 of [S16]: test RMSE against the number of parts on the toy
// problems: that of the noisy test values, as the thesis has it, and that of the
// function without noise.
func fig312(r *run) error {
	most := r.int("parts", 10, 2, "parts at most")
	counts := cut(r, "parts", []int{2, 3, 4, 5, 6, 8, 10, 15, 20}, []int{2, 3, 5, 10})
	counts = slices.DeleteFunc(counts, func(parts int) bool { return parts > most })
	repeats := r.repeats(20, 20)
	return each(r, toys, func(y toy) {
		for _, method := range []string{"Whole", "Random", "DC"} {
			for _, parts := range counts {
				if method == "Whole" && parts > counts[0] {
					continue // it has no parts
				}
				row := Row{Dataset: y.name, Method: fmt.Sprintf("%s parts=%d", method, parts), Metric: "rmse", Series: method, X: float64(parts), Note: toyNote}
				r.measure(row, repeats, func(t *trial) error {
					s, err := protocol.Drawn(y.draw, toyRows, toyTest, t.Seed)
					if err != nil {
						return err
					}
					begin := t.seconds()
					m, err := y.fit(r.ctx, method, s.Train, parts, t.Run)
					if err != nil {
						return err
					}
					seconds := t.seconds() - begin
					clean, err := s.RMSEOf(m, func(x []float64) float64 { return y.toy.F(x[0]) })
					if err != nil {
						return err
					}
					t.figures[1].Add(clean, seconds, 0)
					score, err := s.RMSE(m)
					return t.add(score, err, seconds, 0)
				}, also{metric: "rmse without noise"})
			}
		}
	})
}
