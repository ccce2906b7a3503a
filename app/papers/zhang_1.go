package papers

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/kernels/bregman"
	"github.com/gramworks/gram/algos/kernels/constraint"
	"github.com/gramworks/gram/algos/kernels/sideinfo"
	"github.com/gramworks/gram/algos/linear"
	"github.com/gramworks/gram/algos/lowrank/landmark"
	"github.com/gramworks/gram/algos/lowrank/nystrom"
	"github.com/gramworks/gram/app/papers/protocol"
	"github.com/gramworks/gram/dataset"
	"github.com/gramworks/gram/kernel"
	"github.com/gramworks/gram/num/rng"
	"gonum.org/v1/gonum/mat"
)

var zhangMethods = []string{"Nyström", "CSI", "Spectral", "Cluster", "TSK", "Breg", "ours"}

// zhangNear are the numbers of neighbors in the graph of Spectral that are tried; 0
// stands for a complete graph with the weights of the kernel.
var zhangNear = []int{10, 5, 50, 0}

type zhangSet struct {
	name, file string
	classes    []string // of the file's that are used; nil: all
	scale      bool     // columns to [0,1]
}

// String returns the name of the set.
func (s zhangSet) String() string { return s.name }

// The paper does not say how columns were scaled. The sets of libsvm that are not
// scaled in their files are here.
var zhangSets = []zhangSet{
	{"g241c", "ssl/g241c", nil, false},
	{"Digit1", "ssl/digit1", nil, false},
	{"USPS", "ssl/usps", nil, false},
	{"coil", "ssl/coil", nil, false},
	{"coil2", "ssl/coil2", nil, false},
	{"Text", "ssl/text", nil, false},
	{"german", "german.numer", nil, true},
	{"usps49", "tabular/usps", []string{"4", "9"}, false},
	{"usps27", "tabular/usps", []string{"2", "7"}, false},
	{"dna", "dna", nil, false},
	{"segment", "segment", nil, true},
	{"svmguide1", "svmguide1", nil, false},
	{"usps-full", "tabular/usps", nil, false},
	{"mnist", "mnist", nil, true},
}

// zhangRows is the number of rows from which on the three methods that need all of
// the kernel matrix are left out, as in the paper.
const zhangRows = 20_000

// zhangM are the features of a set: a tenth of its rows, or 200 if that is more:
// “a fixed number if sample is too large”.
func zhangM(n int) int {
	if n > 5000 {
		return 200
	}
	return n / 10
}

// load returns the rows; nil if they are not at hand.
func (s zhangSet) load(r *run) *protocol.Whole {
	p := r.pool(s.file, s.name == "mnist", dataset.Options{Task: dataset.Classes})
	if p == nil {
		return nil
	}
	if s.classes != nil {
		p = p.Only(s.classes, 0)
	}
	if s.scale {
		return must(p.Whole().Scaled(unitRange))
	}
	return p.Whole()
}

// zhangTrial is one draw of labels on a set.
type zhangTrial struct {
	*protocol.Partly
	whole  *protocol.Whole
	kern   kernel.Kernel
	m      int
	run    gram.Run
	graphs []*sideinfo.Graph // of all rows, where they are used, for zhangNear
	clust  *mat.Dense
	u      *mat.Dense // landmarks
	lambda float64    // that was chosen
	zhangSettings
}

// zhangSettings are what --set can change in the table.
type zhangSettings struct {
	labels int
	cut    float64 // of the eigenvalues of W
	c      float64 // of the machine; 0: by cross-validation
	score  bool    // λ by the product of alignments
	random bool    // labels at random, not evenly among the classes
}

func (r *run) zhangSettings() zhangSettings {
	return zhangSettings{
		labels: r.int("labels", 100, 2, "rows with labels"),
		c:      r.float("c", 0, 0, "C of the machine; 0: by cross-validation"),
		cut:    r.float("cut", 0, 0, "eigenvalues of W below cut times the largest are dropped; 0: as for a pseudo-inverse"),
	}
}

func (t *zhangTrial) nystrom(ctx context.Context, k kernel.Kernel) *nystrom.Model {
	return must(nystrom.Config{Kernel: k, Landmarks: landmark.Fixed{U: t.u}, M: t.m, Run: t.run}.Fit(ctx, t.X))
}

// zhangLearner learns a kernel from classes, −1 where not known. What it returns
// gives the features of the rows with these numbers.
type zhangLearner func(ctx context.Context, y gram.Labels) func(index []int) *mat.Dense

// labeledRows returns the numbers of the rows with a class, and their classes.
func labeledRows(y gram.Labels) (index []int, known gram.Labels) {
	known.Names = y.Names
	for i, k := range y.Class {
		if k >= 0 {
			index, known.Class = append(index, i), append(known.Class, k)
		}
	}
	return index, known
}

// rowSpan is a matrix with orthonormal columns in whose span the rows of g lie.
func rowSpan(g *mat.Dense) *mat.Dense {
	l, m := g.Dims()
	var qr mat.QR
	var q mat.Dense
	if l >= m {
		q.CloneFrom(mat.NewDiagDense(m, slices.Repeat([]float64{1}, m)))
		return &q
	}
	qr.Factorize(g.T())
	qr.QTo(&q)
	return q.Slice(0, m, 0, l).(*mat.Dense)
}

// learners returns a method, and does what it does once for a draw. Spectral is one
// method for each graph.
func (t *zhangTrial) learners(ctx context.Context, method string) (out []zhangLearner) {
	if method != "Spectral" {
		return []zhangLearner{t.learner(ctx, method)}
	}
	for _, graph := range t.graphs {
		out = append(out, func(_ context.Context, y gram.Labels) func([]int) *mat.Dense {
			return featureRows(must(graph.Features(y)))
		})
	}
	return out
}

// featureRows returns the function that copies the rows of g with given numbers, in their order.
func featureRows(g *mat.Dense) func(index []int) *mat.Dense {
	return func(index []int) *mat.Dense { return mat.DenseCopyOf(dataset.SelectRows(g, index)) }
}

func (t *zhangTrial) learner(ctx context.Context, method string) zhangLearner {
	of := func(m gram.FeatureMap) func(index []int) *mat.Dense {
		return func(index []int) *mat.Dense { return m.Map(nil, dataset.SelectRows(t.X, index)) }
	}
	switch method {
	case "Nyström":
		m := t.nystrom(ctx, t.kern)
		return func(context.Context, gram.Labels) func([]int) *mat.Dense { return of(m) }
	case "CSI": // of the labeled rows alone, as the paper's footnote 4 says
		return func(ctx context.Context, y gram.Labels) func([]int) *mat.Dense {
			index, known := labeledRows(y)
			return of(must(sideinfo.CSI{Kernel: t.kern, M: min(t.m, len(index)), Run: t.run}.Fit(ctx, dataset.SelectRows(t.X, index), known)))
		}
	case "Cluster":
		return func(context.Context, gram.Labels) func([]int) *mat.Dense { return featureRows(t.clust) }
	case "TSK":
		return func(ctx context.Context, y gram.Labels) func([]int) *mat.Dense {
			return of(t.nystrom(ctx, must(sideinfo.TwoStage{Run: t.run}.Fit(ctx, t.X, y))))
		}
	case "Breg":
		base := t.nystrom(ctx, t.kern)
		return func(ctx context.Context, y gram.Labels) func([]int) *mat.Dense {
			// Constraints and machine see no more of the features than the span
			// of the labeled rows; outside of it K stays as it is.
			index, known := labeledRows(y)
			g := of(base)(index)
			span := rowSpan(g)
			within := func(g *mat.Dense) *mat.Dense {
				var out mat.Dense
				out.Mul(g, span)
				return &out
			}
			g = within(g)
			cs := must(constraint.FromLabels(g, known.Class, 1000, 0.25, t.run.Seed))
			m, _ := fitted(bregman.Config{Slack: 0.1, Tol: 1e-2, MaxIter: 100, Run: t.run}.Fit(ctx, g, cs))
			return func(index []int) *mat.Dense { return m.Map(nil, within(of(base)(index))) }
		}
	}
	all := t.ours(ctx, t.Labels, 0)
	t.lambda = all.Stats().Lambda
	return t.fixed(all)
}

// ours is the generalized Nyström method; λ = 0 leaves the choice to it, from the
// grid if there is one. A model that stopped before its tolerance counts, too.
func (t *zhangTrial) ours(ctx context.Context, y gram.Labels, lambda float64, grid ...float64) *sideinfo.Model {
	m, _ := fitted(sideinfo.Config{
		Kernel: t.kern, Landmarks: landmark.Fixed{U: t.u}, M: t.m, Lambda: lambda, Grid: grid, ByAlignment: t.score,
		Cut: t.cut, Run: t.run,
	}.Fit(ctx, t.X, y))
	return m
}

// fixed learns with the λ of m, which has been fitted to all labels.
func (t *zhangTrial) fixed(m *sideinfo.Model) zhangLearner {
	return func(ctx context.Context, y gram.Labels) func([]int) *mat.Dense {
		m := m
		if !slices.Equal(y.Class, t.Labels.Class) {
			m = t.ours(ctx, y, m.Stats().Lambda)
		}
		return func(index []int) *mat.Dense { return m.Map(nil, dataset.SelectRows(t.X, index)) }
	}
}

// zhangC are the values of C that are tried, the first of equals. With 100 rows,
// kernel values of about 1 and C .01 nearly all multipliers are at their bound.
var zhangC = []float64{1, 10, 0.1, 100, 1e3, 1e4}

// zhangResult is what a method gave on a draw.
type zhangResult struct {
	error   protocol.Score // in percent, on the rows without labels
	c       float64        // of the machine
	learner int            // of those to choose from
	seconds float64        // to learn, with the features of all rows
}

// judge fits linear SVMs to the features. C, and the learner if there are several, are
// those that have the fewest errors on five parts of the labeled rows, each left out of
// the learning of the features as of the machine: features that have seen a row's label
// tell nothing of C.
func (t *zhangTrial) judge(ctx context.Context, learners ...zhangLearner) zhangResult {
	class := func(index []int) gram.Labels {
		y := gram.Labels{Names: t.Labels.Names}
		for _, i := range index {
			y.Class = append(y.Class, t.Labels.Class[i])
		}
		return y
	}
	fit := func(c float64, g *mat.Dense, y gram.Labels) *linear.Classifier {
		m, _ := fitted(linear.SVM{C: c, Tol: 1e-2, MaxIter: 200, Run: t.run}.Fit(ctx, nil, g, y, nil))
		return m
	}
	grid := zhangC
	if t.c > 0 {
		grid = []float64{t.c}
	}
	r := zhangResult{c: grid[0]}
	if len(grid)*len(learners) > 1 {
		known := &dataset.Set{X: mat.NewDense(len(t.Known), 1, nil), Labels: class(t.Known)}
		folds := known.Folds(5, t.run.Seed)
		right := make([]int, len(learners)*len(grid))
		for _, held := range folds {
			y := gram.Labels{Names: t.Labels.Names, Class: slices.Clone(t.Labels.Class)}
			var test []int
			for _, i := range held {
				test = append(test, t.Known[i])
				y.Class[t.Known[i]] = -1
			}
			index, seen := labeledRows(y)
			want := class(test)
			for l, learn := range learners {
				features := learn(ctx, y)
				train, out := features(index), features(test)
				for i, c := range grid {
					for j, k := range fit(c, train, seen).Predict(nil, out) {
						if k == want.Class[j] {
							right[l*len(grid)+i]++
						}
					}
				}
			}
		}
		best := slices.Index(right, slices.Max(right))
		r.learner, r.c = best/len(grid), grid[best%len(grid)]
	}
	n, _ := t.X.Dims()
	began := time.Now()
	g := learners[r.learner](ctx, t.Labels)(firstRows(n))
	r.seconds = time.Since(began).Seconds()
	m := fit(r.c, mat.DenseCopyOf(dataset.SelectRows(g, t.Known)), class(t.Known))
	r.error = must(t.Error(m.Predict(nil, dataset.SelectRows(g, t.Hidden()))))
	return r
}

// Table 1 of [Z12]: error of a linear support vector machine on features of
// learned low-rank kernels, 100 rows with labels, and the seconds to learn.
func zhang1(r *run) {
	set := r.zhangSettings()
	set.score = r.bool("score", "choose λ by the product of alignments")
	set.random = r.bool("random", "draw the labels at random, not evenly among the classes")
	methods := zhangMethods
	if text := r.text("methods", "methods, separated by semicolons; empty: all"); text != "" {
		methods = strings.Split(text, ";")
	}
	sets := zhangSets
	if r.Set["only"] == "" {
		sets = cut(r, "data sets", zhangSets, zhangSets[:2])
	}
	repeats := r.repeats(30, 2)
	eachSet(r, sets, func(s zhangSet) {
		w := s.load(r)
		if set.c > 0 {
			s.name += fmt.Sprintf(" with C %g", set.c)
		}
		if w == nil {
			for _, name := range zhangMethods {
				r.emit(Row{Dataset: s.name, Method: name, Metric: "error, %", Note: noData})
			}
			return
		}
		r.zhang(s, w, set, methods, repeats)
	})
}

// trial prepares a set: the width and what does not depend on labels, with the
// seconds that it takes.
func (r *run) trial(w *protocol.Whole, set zhangSettings, whole bool) (*zhangTrial, map[string]float64) {
	n, _ := w.X().Dims()
	t := &zhangTrial{whole: w, kern: kernel.Gaussian{Gamma: kernel.MeanGamma(w.X())}, m: zhangM(n), run: r.Env.Run, zhangSettings: set}
	seconds := map[string]float64{}
	if !whole || n > zhangRows {
		return t, seconds
	}
	timed := func(name string, f func()) {
		began := time.Now()
		f()
		seconds[name] = time.Since(began).Seconds()
	}
	timed("Spectral", func() {
		for _, near := range zhangNear {
			c := sideinfo.Spectral{Rank: t.m, Neighbors: near, Run: t.run}
			if near == 0 {
				c.Kernel = t.kern
			}
			t.graphs = append(t.graphs, must(c.Graph(r.ctx, w.X())))
		}
	})
	timed("Cluster", func() {
		t.clust = must(sideinfo.ClusterKernel{Kernel: t.kern, Rank: t.m, Run: t.run}.Features(r.ctx, w.X()))
	})
	return t, seconds
}

// again draws labels and landmarks for a repeat.
func (t *zhangTrial) again(ctx context.Context, run gram.Run) {
	t.run = run
	t.Partly = t.whole.Partly(t.labels, !t.random, run.Seed)
	run.Seed = rng.Derive(run.Seed, "landmarks")
	t.u = must(landmark.KMeans{MaxIter: 10}.Select(ctx, t.kern, t.X, nil, t.m, run)).U
}

func (r *run) zhang(s zhangSet, w *protocol.Whole, set zhangSettings, methods []string, repeats int) {
	whole := slices.ContainsFunc(methods, func(name string) bool { return name == "Spectral" || name == "Cluster" })
	t, extra := r.trial(w, set, whole)
	n, _ := w.X().Dims()
	methods = slices.DeleteFunc(slices.Clone(methods), func(name string) bool {
		return n > zhangRows && (name == "Spectral" || name == "Cluster" || name == "TSK")
	})
	rows := make([]Row, len(methods))
	for m, name := range methods {
		rows[m] = Row{Dataset: s.name, Method: name, Metric: "error, %"}
	}
	var lambdas []float64
	cs := make([][]float64, len(methods))
	graphs := make([]int, len(zhangNear))
	rows, figures := r.collect(rows, repeats, func(now *trial) {
		t.again(r.ctx, now.Run)
		for m, name := range methods {
			named(name, func() {
				began := time.Now()
				learners := t.learners(r.ctx, name)
				seconds := time.Since(began).Seconds()
				got := t.judge(r.ctx, learners...)
				switch name {
				case "ours":
					lambdas = append(lambdas, t.lambda)
				case "Spectral":
					graphs[got.learner]++
				}
				now.figures[m].Add(got.error, seconds+got.seconds+extra[name], 0)
				cs[m] = append(cs[m], got.c)
			})
		}
	})
	for m, row := range rows {
		choice := ""
		switch row.Method {
		case "ours":
			choice = fmt.Sprintf("λ %.0e", median(lambdas))
		case "Spectral":
			choice = fmt.Sprintf("%d neighbors %d×, %d %d×, %d %d×, complete graph %d×", zhangNear[0], graphs[0], zhangNear[1], graphs[1], zhangNear[2], graphs[2], graphs[3])
		}
		row.Note = notes(fmt.Sprintf("C %g", median(cs[m])), choice, fmt.Sprintf("%d features", t.m))
		r.emit(row.Among(figures))
	}
}

// Figure 1 of [Z12]: the alignment score that chooses λ against the error, and
// beside it the squared error on held-out labeled rows. The paper draws curves
// and prints no figures.
func zhangFig1(r *run) {
	set := r.zhangSettings()
	low := r.int("low", -12, -300, "logarithm of the smallest λ")
	sets := zhangSets
	if r.Set["only"] == "" {
		sets = cut(r, "data sets", []zhangSet{zhangSets[0], zhangSets[1], zhangSets[5]}, zhangSets[:1])
	}
	repeats := r.repeats(10, 2)
	var grid []float64
	for e := low; e <= 0; e++ {
		grid = append(grid, math.Pow(10, float64(e)))
	}
	eachSet(r, sets, func(s zhangSet) {
		w := s.load(r)
		const byError, byScore, byHeld = "error, %", "score, %", "squared error, held out, %"
		if w == nil {
			r.emit(Row{Dataset: s.name, Method: "all", Metric: byError, Note: noData})
			return
		}
		z, _ := r.trial(w, set, false)
		var rows []Row
		for _, metric := range []string{byError, byScore, byHeld} {
			for _, lambda := range grid {
				rows = append(rows, Row{Dataset: s.name, Method: fmt.Sprintf("λ %.0e", lambda), Metric: metric, Series: metric, X: lambda})
			}
		}
		for _, metric := range []string{byScore, byHeld} {
			rows = append(rows, Row{Dataset: s.name, Method: "λ by " + metric, Metric: "error above the best λ, %"})
		}
		r.measure(rows, repeats, func(t *trial) {
			z.again(r.ctx, t.Run)
			held := z.ours(r.ctx, z.Labels, 0, grid...).Stats().Held
			var errs []protocol.Score
			scores := make([]float64, len(grid))
			for i, lambda := range grid {
				m := z.ours(r.ctx, z.Labels, lambda)
				got := z.judge(r.ctx, z.fixed(m))
				st := m.Stats()
				errs, scores[i] = append(errs, got.error), st.Alignment
				t.figures[i].Add(got.error, st.Seconds, 0)
				t.figures[len(grid)+i].AddValue(100*st.Alignment, st.Seconds, 0)
				t.figures[2*len(grid)+i].AddValue(100*held[i], st.Seconds, 0)
			}
			best, chosen := 0, 0 // of equals the largest λ
			for i := range grid {
				if scores[i] >= scores[best] {
					best = i
				}
				if held[i] <= held[chosen] {
					chosen = i
				}
			}
			for i, at := range []int{best, chosen} {
				t.figures[3*len(grid)+i].Add(must(protocol.Above(errs, at)), 0, 0)
			}
		})
	})
}
