package papers

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
	"github.com/gramworks/gram/app/papers/protocol"
	"github.com/gramworks/gram/dataset"
	"github.com/gramworks/gram/kernel"
	"github.com/gramworks/gram/metric"
	"github.com/gramworks/gram/num/rng"
	"gonum.org/v1/gonum/mat"
)

// The tables of divided kernel ridge regression (§3.3 of [S16]): inputs
// divided by the standard deviation of the training part, no constant, λ = 1/n
// with n all training rows.

// ridgeSet is a data set of Table 3.8.
type ridgeSet struct {
	name  string // of the file
	label string // with the paper's name
	parts int
	gamma float64 // the paper's
}

// String returns the name of the data set.
func (s ridgeSet) String() string { return s.name }

var ridgeSets = []ridgeSet{
	{"boston", "boston (house)", 4, 1e-4},
	{"airfoil", "airfoil (air)", 8, 1e-3},
	{"cpusmall", "cpusmall", 8, 1e-1},
	{"pol", "pol (Pole)", 16, 1},
	{"ct-slice", "CT Slice", 32, 1e-2},
	{"road", "Road", 256, 1e-1},
	{"elevators", "elevators (stand-in for cpusmall)", 8, 0},
	{"kin40k", "kin40k (stand-in for CT Slice)", 32, 0},
}

// ridgeProblem is a data set to cut splits of, with the γ of its Gaussian kernel.
type ridgeProblem struct {
	ridgeSet
	*protocol.Pool
	gamma  float64
	chosen string // what to say of γ
}

// problem loads a set. Where the paper gives no γ it is the best of 4 folds on
// rows that are in no test part.
func (r *run) problem(s ridgeSet) ridgeProblem {
	p := ridgeProblem{s, r.pool(s.name, false, denseValues), s.gamma, fmt.Sprintf("γ %g", s.gamma)}
	if p.Pool == nil || s.gamma > 0 {
		return p
	}
	rows := p.Reserve(cut(r, "rows for γ", 3000, 1000), r.Seed)
	n, _ := rows.Dims()
	gamma, score := r.chooseGamma(rows)
	p.gamma, p.chosen = gamma, fmt.Sprintf("γ %g by 4 folds of %d rows that are in no test part: RMSE %.4g", gamma, n, score)
	return p
}

// split returns a training and a test part, a fifth, scaled, with at most limit
// training rows (0: no limit).
func (p ridgeProblem) split(limit int, seed uint64) *protocol.Split {
	s := must(p.Random(.2, seed))
	return must(s.Limited(limit, rng.Derive(seed, "limit")).Scaled(dataset.UnitVariance))
}

// trainingRows is the number of rows of a training part.
func (p ridgeProblem) trainingRows() int {
	n, _ := p.Dims()
	return n - int(math.Round(.2*float64(n)))
}

// chooseGamma finds γ by 4-fold cross-validation of the whole problem, with λ = 1/n.
func (r *run) chooseGamma(d *dataset.Set) (gamma, score float64) {
	gammas := []float64{1e-4, 1e-3, 1e-2, 1e-1, 1, 10}
	return choose(r, d, r.quarters(d, 4), gammas, false, func(gamma float64, train, held *dataset.Set, run gram.Run) float64 {
		scale := must(dataset.UnitVariance(train.X))
		m := must(krr.Config{Kernel: kernel.Gaussian{Gamma: gamma}, Run: run, NoBias: true}.Fit(r.ctx, scale.Apply(train.X), train.Value, nil))
		return metric.RMSE(m.Predict(nil, scale.Apply(held.X)), held.Value)
	})
}

// ridgeMethod is a row of Table 3.10. fit returns the function, the bytes of the
// kernel matrices that are held at a time, and a remark.
type ridgeMethod struct {
	name string
	fit  func(ctx context.Context, c krr.Config, d *dataset.Set, parts int, run gram.Run) (gram.Regressor, int64, string)
}

var ridgeMethods = []ridgeMethod{
	{"Whole", func(ctx context.Context, c krr.Config, d *dataset.Set, _ int, run gram.Run) (gram.Regressor, int64, string) {
		c.Run = run
		m := must(c.Fit(ctx, d.X, d.Value, nil))
		n, _ := d.Dims()
		if st := m.Stats(); st.Solver == krr.CG {
			return m, 8 * int64(n) * int64(m.Config().M), fmt.Sprintf("G not stored: %d products in CG, %d landmarks", st.Iterations, m.Config().M)
		}
		return m, kernelBytes(run, []int{n}), ""
	}},
	{"Random", func(ctx context.Context, c krr.Config, d *dataset.Set, parts int, run gram.Run) (gram.Regressor, int64, string) {
		n, _ := d.Dims()
		return must(dckrr.Random{Local: c, Parts: parts, Run: run}.Fit(ctx, d.X, d.Value, nil)), kernelBytes(run, slices.Repeat([]int{(n + parts - 1) / parts}, parts)), ""
	}},
	divided("DC kernel k-means", dckrr.KernelKMeans),
	divided("DC k-means", dckrr.KMeans),
}

func divided(name string, p dckrr.Partition) ridgeMethod {
	return ridgeMethod{name, func(ctx context.Context, c krr.Config, d *dataset.Set, parts int, run gram.Run) (gram.Regressor, int64, string) {
		m := must(dckrr.Config{Local: c, Partition: p, Parts: parts, Radius: 1e-9, Run: run}.Fit(ctx, d.X, d.Value, nil))
		sizes := m.Stats().Sizes
		return m, kernelBytes(run, sizes), fmt.Sprintf("parts of %d to %d rows", slices.Min(sizes), slices.Max(sizes))
	}}
}

// kernelBytes is the size of the kernel matrices of the largest parts, one for
// each worker.
func kernelBytes(run gram.Run, sizes []int) (bytes int64) {
	largest := slices.Sorted(slices.Values(sizes))
	for _, n := range largest[max(0, len(largest)-run.NumWorkers()):] {
		bytes += 8 * int64(n) * int64(n)
	}
	return bytes
}

// ridgeRow emits the root mean squared error of a method on random splits with at most limit training rows.
func (r *run) ridgeRow(row Row, p ridgeProblem, m ridgeMethod, parts, limit, repeats int) {
	row.Dataset, row.Metric = p.label, "rmse"
	r.measure([]Row{row}, repeats, func(t *trial) {
		s := p.split(limit, t.Seed)
		t.start()
		model, bytes, remark := m.fit(r.ctx, krr.Config{Kernel: kernel.Gaussian{Gamma: p.gamma}, NoBias: true}, s.Train, parts, t.Run)
		seconds := t.seconds()
		n, _ := s.Train.Dims()
		t.note(fmt.Sprintf("%d parts", parts), p.chosen, fmt.Sprintf("%d training rows", n), remark)
		t.add(seconds, bytes, must(s.RMSE(model)))
	})
}

// Table 3.8 of [S16]: the data sets of divided kernel ridge regression and γ
// by cross-validation of the whole problem on training rows.
func table38(r *run) {
	limit := r.int("rows", cut(r, "rows for γ", 3000, 1000), 8, "training rows for the cross-validation at most")
	repeats := r.repeats(3, 1)
	eachSet(r, ridgeSets, func(s ridgeSet) {
		p := r.pool(s.name, false, denseValues)
		row := Row{Dataset: s.label, Method: "cross-validation", Metric: "gamma"}
		r.measure([]Row{row}, repeats, func(t *trial) {
			part := must(p.Random(.2, t.Seed)).Limited(limit, rng.Derive(t.Seed, "limit"))
			gamma, score := r.chooseGamma(part.Train)
			n, d := p.Dims()
			used, _ := part.Train.Dims()
			t.note(fmt.Sprintf("%d rows, %d columns: %d for the test, %d for γ", n, d, part.TestRows(), used), fmt.Sprintf("RMSE %.4g in 4 folds", score))
			t.addValues(t.seconds(), 0, gamma)
		})
	})
}

// Table 3.9 of [S16]: Voronoi cells against clusters and random parts. The
// thesis chooses the cells' radius on cpusmall, which is not at hand, and gets
// 6, 9, 13 and 40 cells; here as many centers are taken, each the row farthest
// from those before it. elevators stands in, with as many rows.
func table39(r *run) {
	limit := r.int("rows", cut(r, "training rows", 6553, 2500), 1, "training rows at most")
	repeats := r.repeats(3, 1)
	methods := append([]ridgeMethod{divided("VP", dckrr.Voronoi)}, ridgeMethods[1:]...)
	eachSet(r, []ridgeSet{ridgeSets[2], ridgeSets[6]}, func(s ridgeSet) {
		p := r.problem(s)
		for _, parts := range []int{6, 9, 13, 40} {
			for _, m := range methods {
				r.ridgeRow(Row{Method: fmt.Sprintf("%s, %d parts", m.name, parts)}, p, m, parts, limit, repeats)
			}
		}
	})
}

// Table 3.10 of [S16]: test RMSE and training time of the whole problem,
// random parts and clusters, for (G_i+λI) with λ = 1/n.
func table310(r *run) {
	limit := r.int("rows", cut(r, "training rows", 0, 3000), 0, "training rows at most; 0: no limit")
	eachSet(r, ridgeSets, func(s ridgeSet) {
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
			r.ridgeRow(Row{Method: m.name}, p, m, s.parts, limit, repeats)
		}
	})
}

// Figure 3.13 of [S16]: test RMSE against the number of training rows on the
// real data sets. The paper draws curves and prints no figures.
func fig313(r *run) {
	limit := r.int("rows", cut(r, "training rows", 12_000, 2000), 1, "training rows at most")
	shares := cut(r, "shares of the rows", []float64{.2, .4, .6, .8, 1}, []float64{.25, .5, 1})
	eachSet(r, ridgeSets, func(s ridgeSet) {
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
func fig314(r *run) {
	rows := r.int("rows", cut(r, "rows", 3000, 800), 1, "training rows at most")
	eachSet(r, ridgeSets, func(s ridgeSet) {
		p := r.problem(s)
		draw := func(seed uint64) mat.Matrix { return p.split(rows, seed).Train.X }
		r.goodness(Row{Dataset: s.label, Note: p.chosen}, kernel.Gaussian{Gamma: p.gamma}, draw)
	})
}

func fig315(r *run) {
	eachSet(r, toys, func(y toy) {
		r.goodness(Row{Dataset: y.name}, y.kernel, func(seed uint64) mat.Matrix { return y.draw(toyRows, seed).X })
	})
}

// goodness emits g for numbers of k-means parts.
func (r *run) goodness(row Row, k kernel.Kernel, draw func(seed uint64) mat.Matrix) {
	chosen := row.Note
	repeats := r.repeats(3, 1)
	for _, parts := range cut(r, "parts", []int{1, 2, 3, 4, 6, 8, 12, 16, 24, 32}, []int{1, 2, 3, 4, 8, 16}) {
		row.Method, row.Metric, row.Series, row.X = fmt.Sprintf("k-means parts=%d", parts), "g", "k-means", float64(parts)
		r.measure([]Row{row}, repeats, func(t *trial) {
			x := draw(t.Seed)
			c := must(kmeans.Config{K: parts, Run: t.Run}.Fit(r.ctx, x))
			n, _ := x.Dims()
			g := must(krr.Goodness(r.ctx, k, x, c.Labels(), []float64{1 / float64(n)}, t.Run))
			t.addValues(t.seconds(), 0, g[0])
			t.note(fmt.Sprintf("%d rows, λ 1/n", n), chosen)
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

// String returns the name of the problem.
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

// toyMethods are the methods that the figures of the toy problems compare.
var toyMethods = []ridgeMethod{ridgeMethods[0], ridgeMethods[1], divided("DC", dckrr.KMeans)}

// fit trains the method on d with the kernel of the problem, a penalty per row, and no constant.
func (y toy) fit(ctx context.Context, m ridgeMethod, d *dataset.Set, parts int, run gram.Run) gram.Regressor {
	f, _, _ := m.fit(ctx, krr.Config{Kernel: y.kernel, Penalty: solve.PerRow, NoBias: true}, d, parts, run)
	return f
}

// draw returns n generated rows of the problem, which depend on n and the seed alone.
func (y toy) draw(n int, seed uint64) *dataset.Set {
	d, _ := y.toy.Draw(n, seed)
	return d
}

// Figure 3.11 of [S16]: the functions that Whole-KRR and DC-KRR with three
// parts learn on the toy problems, beside the true one. It is a drawing of one
// draw.
func fig311(r *run) {
	points := r.int("points", 61, 2, "points of a curve")
	eachSet(r, toys, func(y toy) {
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
		for _, m := range []ridgeMethod{toyMethods[0], toyMethods[2]} {
			curves[m.name] = y.fit(r.ctx, m, d, 3, run).Predict(nil, x)
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
func fig312(r *run) {
	most := r.int("parts", 10, 2, "parts at most")
	counts := cut(r, "parts", []int{2, 3, 4, 5, 6, 8, 10, 15, 20}, []int{2, 3, 5, 10})
	counts = slices.DeleteFunc(counts, func(parts int) bool { return parts > most })
	repeats := r.repeats(20, 20)
	eachSet(r, toys, func(y toy) {
		for i, method := range toyMethods {
			for _, parts := range counts {
				if i == 0 && parts > counts[0] {
					continue // the whole problem has no parts
				}
				row := Row{Dataset: y.name, Method: fmt.Sprintf("%s parts=%d", method.name, parts), Series: method.name, X: float64(parts), Note: toyNote}
				r.measure(metrics(row, "rmse", "rmse without noise"), repeats, func(t *trial) {
					s := must(protocol.Drawn(y.draw, toyRows, toyTest, t.Seed))
					t.start()
					m := y.fit(r.ctx, method, s.Train, parts, t.Run)
					seconds := t.seconds()
					clean := must(s.RMSEOf(m, func(x []float64) float64 { return y.toy.F(x[0]) }))
					t.add(seconds, 0, must(s.RMSE(m)), clean)
				})
			}
		}
	})
}
