package papers

import (
	"fmt"
	"math"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/app/catalog"
	"github.com/gramworks/gram/app/cost"
	"github.com/gramworks/gram/app/papers/protocol"
	"github.com/gramworks/gram/bench"
	"github.com/gramworks/gram/dataset"
	"gonum.org/v1/gonum/stat"
)

// growing is a method of the catalog whose fits are measured while one size of the
// problem grows and the others stay.
type growing struct {
	method, variant string // the same method may stand here with several settings
	group           string // of the pictures
	task            dataset.Task
	n, d, labels    int    // rows, columns, and labels of sets of labels
	set             string // settings, with blanks between them
	cost            string // what the documentation says of a fit, in flops
	axes            []axis
}

// axis is a size: n, d, L, or a setting of the method. It grows from a start by a
// factor. seconds and bytes are the highest powers of it in the stated time and memory.
type axis struct {
	name           string
	from           int
	factor         float64
	seconds, bytes float64
}

// String returns the name of the method.
func (g growing) String() string { return g.method }

func (g growing) name() string {
	if g.variant != "" {
		return g.method + ", " + g.variant
	}
	return g.method
}

// size is the size at a place of the ladder, a multiple of 8 from 64 on.
func (a axis) size(place int) int {
	s := int(math.Round(float64(a.from) * math.Pow(a.factor, float64(place))))
	if s >= 64 {
		s = (s + 4) / 8 * 8
	}
	return s
}

const (
	ridgeOn    = " model=ridge lambda=0.1"
	machines   = "kernel machines"
	features   = "features"
	trees      = "trees"
	labelSets  = "sets of labels"
	byPairs    = "learned kernels"
	machineOn  = "that of the features and of n·m² a Newton step"
	stepsOnSVM = "the solver's steps are not bounded by a formula; n² is what [S16] states"
)

var growings = []growing{
	{method: "linear", variant: "ridge", group: features, task: dataset.Regression, n: 20000, d: 100, set: "model=ridge",
		cost: "n·d² + d³/3", axes: []axis{{"n", 10000, 2, 1, 1}, {"d", 50, 1.6, 2, 2}}},
	{method: "linear", variant: "svm", group: features, task: dataset.Classes, n: 20000, d: 50, set: "model=svm",
		cost: "n·d² a Newton step", axes: []axis{{"n", 5000, 2, 1, 1}, {"d", 20, 1.6, 2, 2}}},
	{method: "svm", group: machines, task: dataset.Classes, n: 4000, d: 16, set: "c=1",
		cost: stepsOnSVM, axes: []axis{{"n", 1000, 1.6, 2, 2}, {"d", 16, 2, 1, 1}}},
	{method: "svr", group: machines, task: dataset.Regression, n: 2000, d: 16, set: "epsilon=0.2",
		cost: stepsOnSVM, axes: []axis{{"n", 700, 1.6, 2, 2}, {"d", 16, 2, 1, 1}}},
	{method: "nu-svm", group: machines, task: dataset.Classes, n: 2000, d: 16, set: "svm-nu=0.2",
		cost: stepsOnSVM, axes: []axis{{"n", 700, 1.6, 2, 2}, {"d", 16, 2, 1, 1}}},
	{method: "nu-svr", group: machines, task: dataset.Regression, n: 2000, d: 16, set: "svm-nu=0.5",
		cost: stepsOnSVM, axes: []axis{{"n", 700, 1.6, 2, 2}, {"d", 16, 2, 1, 1}}},
	{method: "one-class", group: machines, task: dataset.NoTarget, n: 4000, d: 16, set: "svm-nu=0.1",
		cost: stepsOnSVM, axes: []axis{{"n", 1000, 1.6, 2, 2}, {"d", 16, 2, 1, 1}}},
	{method: "bka-svm", group: machines, task: dataset.Classes, n: 4000, d: 16,
		cost: "n²/c for c clusters, one for each 1000 rows", axes: []axis{{"n", 2000, 2, 1, 1}, {"d", 16, 2, 1, 1}}},
	{method: "dc-svm", group: machines, task: dataset.Classes, n: 4000, d: 16, set: "levels=1",
		cost: stepsOnSVM, axes: []axis{{"n", 2000, 1.6, 2, 2}, {"d", 16, 2, 1, 1}}},
	{method: "aesvm", group: machines, task: dataset.Classes, n: 4000, d: 16,
		cost: "n·log(n/part)·d + n·part·d + the machine on the representatives", axes: []axis{{"n", 1000, 1.6, 2, 2}, {"d", 16, 2, 1, 1}}},
	{method: "krr", variant: "cholesky", group: machines, task: dataset.Regression, n: 2000, d: 20, set: "lambda=1 solver=cholesky",
		cost: "n²·d + n³/3", axes: []axis{{"n", 800, 1.5, 3, 2}, {"d", 20, 2, 1, 1}}},
	{method: "krr", variant: "cg", group: machines, task: dataset.Regression, n: 4000, d: 20, set: "lambda=1 solver=cg",
		cost: "n²·(d/2+t) a product, some tens of products", axes: []axis{{"n", 3000, 1.6, 2, 1}, {"d", 20, 2, 1, 1}}},
	{method: "falkon", group: machines, task: dataset.Regression, n: 10000, d: 20, set: "lambda=1 m=256",
		cost: "n·m·(d+t) a pass, some tens of passes, 9·m³", axes: []axis{{"n", 5000, 2, 1, 1}, {"d", 20, 2, 1, 1}, {"m", 128, 1.6, 3, 2}}},
	{method: "gp", variant: "exact", group: machines, task: dataset.Regression, n: 1000, d: 10, set: "lambda=0.1",
		cost: "n²·d + n³/3", axes: []axis{{"n", 500, 1.5, 3, 2}, {"d", 20, 2, 1, 1}}},
	{method: "gp", variant: "fitc", group: machines, task: dataset.Regression, n: 5000, d: 10, set: "lambda=0.1 approximation=fitc selection=uniform landmarks=128",
		cost: "n·m²", axes: []axis{{"n", 4000, 2, 1, 1}, {"d", 20, 2, 1, 1}, {"landmarks", 64, 1.6, 2, 2}}},
	{method: "rfm", group: machines, task: dataset.Regression, n: 1000, d: 10, set: "metric=full length=2 lambda=0.1 rounds=2 holdout=0",
		cost: "3·(n³/3 + n²·4d)", axes: []axis{{"n", 500, 1.5, 3, 2}, {"d", 20, 2, 1, 1}}},
	{method: "dc-krr", group: machines, task: dataset.Regression, n: 4000, d: 10, set: "lambda=1",
		cost: "c·(n/c)³/3 for c parts, one for each 1000 rows", axes: []axis{{"n", 2000, 2, 1, 1}, {"d", 20, 2, 1, 1}}},
	{method: "meka", group: features, task: dataset.Regression, n: 10000, d: 20, set: "clusters=5 m=32" + ridgeOn,
		cost: "n·m·(d+k) + c·m³ + n·k² + c²·((1+ρ)k)²·(d+k) + 9·(ck)³", axes: []axis{{"n", 4000, 2, 1, 1}, {"d", 20, 2, 1, 1}, {"m", 16, 1.6, 3, 2}}},
	{method: "nystrom", group: features, task: dataset.Regression, n: 20000, d: 20, set: "m=128" + ridgeOn,
		cost: "n·m·(d+m) + 9·m³, m ≤ n", axes: []axis{{"n", 8000, 2, 1, 1}, {"d", 20, 2, 1, 1}, {"m", 32, 1.6, 2, 2}}},
	{method: "rff", group: features, task: dataset.Regression, n: 20000, d: 20, set: "m=64" + ridgeOn,
		cost: "n·m·(d+m), m ≤ n", axes: []axis{{"n", 8000, 2, 1, 1}, {"d", 20, 2, 1, 1}, {"m", 32, 1.6, 2, 2}}},
	{method: "rff", variant: "fastfood", group: features, task: dataset.Regression, n: 20000, d: 20, set: "frequencies=fastfood m=64" + ridgeOn,
		cost: "n·m·(log d+m), m ≤ n", axes: []axis{{"n", 8000, 2, 1, 1}, {"d", 20, 2, 1, 1}, {"m", 32, 1.6, 2, 2}}},
	{method: "fastnys", group: features, task: dataset.Regression, n: 20000, d: 64, set: "m=128 rows=8" + ridgeOn,
		cost: "n·m·(d/b+m) + 9·m³, m ≤ n", axes: []axis{{"n", 8000, 2, 1, 1}, {"d", 32, 2, 1, 1}, {"m", 64, 2, 2, 2}}},
	{method: "pseudo", group: features, task: dataset.Regression, n: 10000, d: 20, set: "m=32" + ridgeOn,
		cost: "|I|²·r + |I|·(m+p)² + n·(m·d+(m+p)·r)", axes: []axis{{"n", 8000, 2, 1, 1}, {"d", 20, 2, 1, 1}, {"m", 16, 1.6, 2, 2}}},
	{method: "meka", variant: "svm", group: features, task: dataset.Classes, n: 10000, d: 20, set: "clusters=5 m=32 c=1",
		cost: machineOn, axes: []axis{{"n", 4000, 2, 1, 1}}},
	{method: "nystrom", variant: "svm", group: features, task: dataset.Classes, n: 20000, d: 20, set: "m=128 c=1",
		cost: machineOn, axes: []axis{{"n", 4000, 2, 1, 1}, {"m", 32, 1.6, 2, 2}}},
	{method: "rff", variant: "svm", group: features, task: dataset.Classes, n: 20000, d: 20, set: "m=64 c=1",
		cost: machineOn, axes: []axis{{"n", 4000, 2, 1, 1}, {"m", 32, 1.6, 2, 2}}},
	{method: "fastnys", variant: "svm", group: features, task: dataset.Classes, n: 20000, d: 64, set: "m=128 rows=8 c=1",
		cost: machineOn, axes: []axis{{"n", 4000, 2, 1, 1}}},
	{method: "pseudo", variant: "svm", group: features, task: dataset.Classes, n: 10000, d: 20, set: "m=32 c=1",
		cost: machineOn, axes: []axis{{"n", 4000, 2, 1, 1}}},
	{method: "goal-nys", group: features, task: dataset.Regression, n: 10000, d: 20, set: "lambda=0.1 m=32 max-iter=1 steps=2 holdout=0 landmarks=uniform",
		cost: "n·m·(d+m) a step", axes: []axis{{"n", 5000, 2, 1, 1}, {"d", 20, 2, 1, 1}, {"m", 32, 1.6, 2, 2}}},
	{method: "goal-rff", group: features, task: dataset.Regression, n: 10000, d: 20, set: "lambda=0.1 m=32 max-iter=1 steps=2 holdout=0",
		cost: "n·m·(d+m) a step", axes: []axis{{"n", 5000, 2, 1, 1}, {"d", 20, 2, 1, 1}, {"m", 32, 1.6, 2, 2}}},
	{method: "alacarte", group: features, task: dataset.Regression, n: 4000, d: 16, set: "m=32 max-iter=3",
		cost: "3·n·p² + p³ + n·m·log d a step, p = 2m ≤ n", axes: []axis{{"n", 2000, 2, 1, 1}, {"d", 16, 2, 1, 1}, {"m", 16, 1.6, 2, 2}}},
	{method: "dcpred", group: trees, task: dataset.Classes, n: 4000, d: 16, set: "leaf=500",
		cost: "a machine for each leaf of 500 rows; k-means on each level", axes: []axis{{"n", 2000, 2, 1, 1}, {"d", 16, 2, 1, 1}, {"m", 16, 1.6, 2, 2}}},
	{method: "ldkl", group: trees, task: dataset.Classes, n: 4000, d: 16, set: "passes=6",
		cost: "n·d·depth a pass", axes: []axis{{"n", 2000, 2, 1, 1}, {"d", 16, 2, 1, 1}}},
	{method: "gbdt", group: trees, task: dataset.Classes, n: 10000, d: 20, set: "rounds=10",
		cost: "n·d·depth a round", axes: []axis{{"n", 8000, 2, 1, 1}, {"d", 16, 2, 1, 1}, {"rounds", 10, 2, 1, 1}, {"leaves", 16, 2, 1, 1}}},
	{method: "gbdt", variant: "values", group: trees, task: dataset.Regression, n: 10000, d: 20, set: "rounds=10",
		cost: "n·d·depth a round", axes: []axis{{"n", 8000, 2, 1, 1}}},
	{method: "leml", group: labelSets, task: dataset.MultiLabel, n: 4000, d: 1000, labels: 500, set: "rank=16 lambda=1 rounds=3 tol=1e-9",
		cost: "(nnz(Y) + c·nnz(X))·k + (n+L)·k² + k³ a round", axes: []axis{{"n", 2000, 2, 1, 1}, {"d", 500, 2, 1, 1}, {"L", 500, 2, 1, 1}, {"rank", 16, 1.6, 2, 2}}},
	{method: "gimc-lff", group: labelSets, task: dataset.MultiLabel, n: 4000, d: 1000, labels: 500, set: "m=32 steps=2",
		cost: "(nnz(X) + nnz(Y))·m + (n+L)·m² a step", axes: []axis{{"n", 2000, 2, 1, 1}, {"d", 500, 2, 1, 1}, {"L", 500, 2, 1, 1}, {"m", 16, 1.6, 2, 2}}},
	{method: "gbml", group: labelSets, task: dataset.MultiLabel, n: 4000, d: 1000, labels: 500, set: "trees=3 depth=4 rank=16 projection-rounds=2",
		cost: "depth·r·nnz(c) a tree, nnz(c) ≤ nnz(Y) + n·trees·keep; leml", axes: []axis{{"n", 2000, 2, 1, 1}, {"d", 500, 2, 1, 1}, {"L", 500, 2, 1, 1}, {"rank", 16, 1.6, 2, 2}, {"trees", 2, 2, 2, 1}}},
	{method: "fastxml", group: labelSets, task: dataset.MultiLabel, n: 4000, d: 1000, labels: 500, set: "trees=2",
		cost: "nnz(X)·log(n/leaf) and the passes of coordinate descent a tree", axes: []axis{{"n", 2000, 2, 1, 1}, {"d", 500, 2, 1, 1}, {"L", 500, 2, 1, 1}, {"trees", 2, 2, 1, 1}}},
	{method: "plt", group: labelSets, task: dataset.MultiLabel, n: 4000, d: 1000, labels: 500,
		cost: "nnz(X)·c·log(L/leaf) and the passes of coordinate descent, c labels of a row", axes: []axis{{"n", 2000, 2, 1, 1}, {"d", 500, 2, 1, 1}, {"L", 500, 2, 1, 1}}},
	{method: "sleec", group: labelSets, task: dataset.MultiLabel, n: 4000, d: 1000, labels: 500, set: "learners=1 cluster=1000 rank=16 steps=5 k=5",
		cost: "(|Ω| + n·r)·r a step", axes: []axis{{"n", 2000, 2, 1, 1}, {"d", 500, 2, 1, 1}, {"L", 500, 2, 1, 1}, {"rank", 16, 1.6, 2, 2}}},
	{method: "inductive", group: byPairs, task: dataset.Classes, n: 2000, d: 16, set: "pairs=80",
		cost: "n'²·d + r³, 6·m·r² + m²·r + m³ a step, m pairs, n' ≤ 2m rows, r ≤ m; 50000 distances", axes: []axis{{"n", 2000, 2, 1, 1}, {"d", 16, 2, 1, 1}, {"pairs", 40, 1.5, 3, 2}}},
	{method: "sideinfo", group: byPairs, task: dataset.Classes, n: 2000, d: 16, set: "m=48 prior=1e-4",
		cost: "n·m·(d+m) + 9·m³ a step", axes: []axis{{"n", 2000, 2, 1, 1}, {"d", 16, 2, 1, 1}, {"m", 24, 1.5, 3, 2}}},
	{method: "bregman", group: byPairs, task: dataset.Classes, n: 2000, d: 16, set: "m=48 pairs=80",
		cost: "r² a projection; n·m·(d+r) and 9·m³ for the features", axes: []axis{{"n", 2000, 2, 1, 1}, {"d", 16, 2, 1, 1}, {"m", 24, 1.5, 3, 2}, {"pairs", 40, 1.6, 1, 1}}},
	{method: "pairwise", group: byPairs, task: dataset.Classes, n: 2000, d: 16, set: "m=32 lambda=1 rounds=5",
		cost: "(|Ω| + n·m)·k a product", axes: []axis{{"n", 1000, 2, 1, 1}, {"d", 16, 2, 1, 1}, {"m", 16, 1.6, 1, 1}}},
}

// How the seconds and the bytes of every method grow: one size of a generated problem
// grows, the others stay, and the exponent is the slope of the logarithms. The figure
// beside it is the highest power of that size in the cost that the documentation
// states. Seconds are those of the processor, with one goroutine. Bytes are the growth of the
// heap during the fit, without the data.
//
// A ladder of sizes ends when its last step is near the stated power, or when the next size is not expected within
// the budget. The planned flops and the seconds of all ladders of a method with one kind of
// target give its rate, and the rate predicts a size four times as large as the last one, which is
// fitted then.
func growth(r *run) {
	limits := climbing{
		least:   r.int("points", cut(r, "sizes", 3, 2), 2, "sizes of a ladder before its last step may end it"),
		budget:  r.float("budget", cut(r, "budget", 2, .1), 0, "seconds of the processor for each ladder; it has two sizes at least"),
		ahead:   r.float("ahead", cut(r, "ahead", 30, .5), 0, "seconds of the processor for the fit of the size four times as large"),
		repeats: r.repeats(2, 1),
	}
	var groups [][]growing
	eachOf(r, "methods", growings, func(g growing) {
		i := slices.IndexFunc(groups, func(o []growing) bool { return o[0].method == g.method && o[0].task == g.task })
		if i < 0 {
			i, groups = len(groups), append(groups, nil)
		}
		groups[i] = append(groups[i], g)
	})
	for _, group := range groups {
		named(group[0].method, func() { r.grow(group, limits) })
	}
	here := cost.Here()
	r.emitValue(machineRows, "one goroutine", peakMetric, "", here.Peak)
	r.emitValue(machineRows, "one goroutine", plainMetric, "", here.Plain)
}

// climbing limits how far sizes are doubled when growth is measured.
type climbing struct {
	least         int     // sizes before the last step may end a ladder
	budget, ahead float64 // seconds that a ladder may take, and that its next size may take
	repeats       int
}

// Names of rows that are not about the growth by a size. Package rates is made from them.
const (
	machineRows = "the machine"
	rateRows    = "all sizes"
	fixedMetric = "fixed seconds"
	flopMetric  = "seconds of a planned GFLOP"
	shareMetric = "parallel share"
	peakMetric  = "peak, GFLOP/s"
	plainMetric = "plain code, GFLOP/s"
)

// near is how far the exponent of the last step may be from the stated power for a ladder to end.
// A fit is predicted well within a factor of wide.
const near, wide, further = .2, 2, 4

// ladderOf are the measurements of a method at growing sizes of one axis.
type ladderOf struct {
	growing
	axis         axis
	sizes        []float64
	times        [][]float64 // of each size, one a repeat
	mean, peaks  []float64   // seconds and bytes of each size
	flops, bytes []float64   // flops and bytes of each size, as Plan expects them
	end          string      // why there are no more sizes
	used         float64     // seconds that the ladder has taken so far
}

// grow emits the rows of a method with one kind of target.
func (r *run) grow(group []growing, o climbing) {
	var ladders []*ladderOf
	var points []cost.Point
	share := math.NaN()
	for _, g := range group {
		for _, a := range g.axes {
			named(a.name, func() { ladders = append(ladders, r.climb(g, a, o)) })
			l := ladders[len(ladders)-1]
			for i, f := range l.flops {
				points = append(points, cost.Point{Flops: f, Seconds: l.mean[i]})
			}
			if a.name == "n" && math.IsNaN(share) {
				share = r.share(l)
			}
		}
	}
	rate := cost.Fit(points)
	var off []string
	for _, l := range ladders {
		named(l.axis.name, func() { r.emitLadder(l); points = append(points, r.ahead(l, rate, o)...) })
		if low, high := l.fits(rate); low < 1./wide || high > wide {
			off = append(off, fmt.Sprintf("%s by %s (fitted/measured %.2g–%.2g)", l.name(), l.axis.name, low, high))
		}
	}
	note := ""
	if off != nil {
		note = "the plan is off by more than a factor of 2: " + strings.Join(off, ", ")
	}
	rate = cost.Fit(points) // with the sizes four times as large
	name := fmt.Sprintf("%s of %s", group[0].method, group[0].task)
	r.emitValue(rateRows, name, fixedMetric, "", rate.Fixed)
	r.emitValue(rateRows, name, flopMetric, note, 1e9*rate.PerFlop)
	if !math.IsNaN(share) {
		r.emitValue(rateRows, name, shareMetric, "", share)
	}
}

// emitValue emits a row that is not about the growth by one size.
func (r *run) emitValue(set, method, metric, note string, v float64) {
	f := protocol.NewFigure(1)
	f.AddValue(v, 0, 0)
	r.emit(Row{Dataset: set, Method: method, Metric: metric, Note: note}.Of(f))
}

// climb measures a method at growing sizes of one axis, until enough says why to stop or, after two sizes, the axis ends.
func (r *run) climb(g growing, a axis, o climbing) *ladderOf {
	l := &ladderOf{growing: g, axis: a}
	for {
		fail(r.ctx.Err())
		if l.end = l.enough(o); l.end != "" {
			break
		}
		size := a.size(len(l.sizes))
		p, plan, err := l.at(size)
		if err != nil && len(l.sizes) >= 2 {
			l.end = "ended by the range of " + a.name
			break
		}
		fail(err)
		r.step(l, p, plan, size, o.repeats)
	}
	return l
}

// enough says why a ladder needs no further size; "" if it does: its last step has nearly the stated power, or another one would exceed
// the budget.
func (l *ladderOf) enough(o climbing) string {
	k := len(l.sizes)
	if k < 2 {
		return ""
	}
	next := l.mean[k-1] * math.Pow(l.axis.factor, math.Max(l.last(), l.axis.seconds)) * float64(o.repeats+1)
	switch {
	case k >= o.least && math.Abs(l.last()-l.axis.seconds) <= near:
		return "ended by its last step"
	case l.used+next > o.budget:
		return fmt.Sprintf("ended by the budget of %g s", o.budget)
	}
	return ""
}

// at returns the problem of a size and its plan; an error if the method refuses the size.
func (l *ladderOf) at(size int) (p problem, plan gram.Plan, err error) {
	err = try(func() {
		p = l.with(l.axis, size)
		plan = must(p.plan())
	})
	return p, plan, err
}

// step measures the next size of the ladder and notes its seconds and bytes.
func (r *run) step(l *ladderOf, p problem, plan gram.Plan, size, repeats int) {
	var times []float64
	var peak float64
	for i := range repeats {
		how := r.repeat(i)
		d := p.data(how.Seed)
		times = append(times, cpuSeconds(func() { p.fit(r, d, how, 1) }))
		l.used += times[i]
		if i == 0 {
			begin, _ := bench.CPUTime()
			_, heap := bench.PeakMemory(func() { p.fit(r, d, how, 1) })
			end, _ := bench.CPUTime()
			peak, l.used = float64(max(heap, 1)), l.used+(end-begin).Seconds()
		}
	}
	l.sizes, l.times, l.mean = append(l.sizes, float64(size)), append(l.times, times), append(l.mean, stat.Mean(times, nil))
	l.peaks, l.flops, l.bytes = append(l.peaks, peak), append(l.flops, plan.Flops), append(l.bytes, float64(plan.PeakBytes))
}

// last returns the exponent of the seconds of the last step.
func (l *ladderOf) last() float64 {
	i := len(l.sizes) - 1
	return math.Log(l.mean[i]/l.mean[i-1]) / math.Log(l.sizes[i]/l.sizes[i-1])
}

// fits returns the least and the largest ratio of the seconds by a rate and the measured ones.
func (l *ladderOf) fits(rate cost.Rate) (low, high float64) {
	low, high = math.Inf(1), 0
	for i, f := range l.flops {
		q := (rate.Fixed + rate.PerFlop*f) / l.mean[i]
		low, high = math.Min(low, q), math.Max(high, q)
	}
	return low, high
}

// share returns the share of the fit of the last size that several goroutines divide, by the least seconds by the clock of three fits,
// NaN if the table has one goroutine.
func (r *run) share(l *ladderOf) float64 {
	workers := r.NumWorkers()
	if workers < 2 {
		return math.NaN()
	}
	p := l.with(l.axis, int(l.sizes[len(l.sizes)-1]))
	how := r.repeat(0)
	d := p.data(how.Seed)
	least := map[int]float64{1: math.Inf(1), workers: math.Inf(1)}
	for range 3 {
		for w, s := range least {
			begin := time.Now()
			p.fit(r, d, how, w)
			least[w] = min(s, time.Since(begin).Seconds())
		}
	}
	return cost.Share(least[1], least[workers], workers)
}

// ahead emits what the rate predicts for a size four times as large as the last one, beside what it takes. It returns that
// fit, if there is time and memory for it.
func (r *run) ahead(l *ladderOf, rate cost.Rate, o climbing) []cost.Point {
	k := len(l.sizes) - 1
	size := int(further * l.sizes[k])
	row := Row{Dataset: l.axis.name, Method: l.name(), Metric: "seconds at 4 times the size"}
	p, plan, err := l.at(size)
	if err != nil {
		return nil // there is no such size
	}
	predicted := rate.Fixed + rate.PerFlop*plan.Flops
	if math.Max(predicted, l.mean[k]*math.Pow(further, l.axis.seconds)) > o.ahead || plan.PeakBytes > bench.Memory()/4 {
		return nil
	}
	how := r.repeat(0)
	d := p.data(how.Seed)
	seconds := cpuSeconds(func() { p.fit(r, d, how, 1) })
	note := ""
	if q := predicted / seconds; q < 1./wide || q > wide {
		note = "the prediction is off by more than a factor of 2"
	}
	f := protocol.NewFigure(1)
	f.AddValue(seconds, seconds, 0)
	row.Paper, row.Note = &predicted, notes(note, fmt.Sprintf("%s %g, predicted by %s of up to %g", l.axis.name, float64(size), l.axis.name, l.sizes[k]),
		fmt.Sprintf("predicted/measured %.2f", predicted/seconds))
	r.emit(row.Of(f))
	return []cost.Point{{Flops: plan.Flops, Seconds: seconds}}
}

// emitLadder emits the exponents of a method in one size, and the points they come from.
func (r *run) emitLadder(l *ladderOf) {
	repeats, total := len(l.times[0]), 0.0
	seconds, last, memory := protocol.NewFigure(repeats), protocol.NewFigure(1), protocol.NewFigure(1)
	for i := range repeats {
		one, sum := make([]float64, len(l.sizes)), 0.0
		for j, t := range l.times {
			one[j] = t[i]
			sum += t[i]
		}
		seconds.AddValue(slope(l.sizes, one).power, sum, 0)
		total += sum
	}
	last.AddValue(l.last(), total, 0)
	memory.AddValue(slope(l.sizes, l.peaks).power, 0, int64(slices.Max(l.peaks)))
	from := fmt.Sprintf("%s %g–%g", l.axis.name, l.sizes[0], l.sizes[len(l.sizes)-1])
	plan := func(v []float64) string { return fmt.Sprintf("plan %.2f", slope(l.sizes, v).power) }
	line, bytes := slope(l.sizes, l.mean), slope(l.sizes, l.peaks)
	row := Row{Dataset: l.axis.name, Method: l.name(), Metric: "exponent of seconds", Paper: &l.axis.seconds}
	row.Note = notes(line.above(l.axis.seconds), from, l.cost, line.String(), plan(l.flops))
	r.emit(row.Of(seconds))
	row.Metric, row.Note = "exponent of the last step", l.end
	r.emit(row.Of(last))
	row.Metric, row.Paper, row.Note = "exponent of bytes", &l.axis.bytes, notes(bytes.above(l.axis.bytes), from, bytes.String(), plan(l.bytes))
	r.emit(row.Of(memory))
	for i := range l.sizes {
		point := Row{Dataset: l.group + " by " + l.axis.name, Method: l.name(), Metric: "seconds", Series: l.name(), X: l.sizes[i]}
		f := protocol.NewFigure(repeats)
		for _, s := range l.times[i] {
			f.AddValue(s, s, int64(l.peaks[i]))
		}
		r.emit(point.Of(f))
	}
}

// problem is a growing method at one size.
type problem struct {
	growing
	fitter catalog.Fitter
}

// with returns the problem with the given size of the axis a and the other sizes of g.
func (g growing) with(a axis, size int) problem {
	set := strings.Fields(g.set)
	switch a.name {
	case "n":
		g.n = size
	case "d":
		g.d = size
	case "L":
		g.labels = size
	default:
		set = append(set, fmt.Sprintf("%s=%d", a.name, size))
	}
	p := problem{g, must(catalog.Find(g.method)).New()}
	fail(p.fitter.Settings().Set(set...))
	return p
}

// plan returns the planned cost of a fit to data of the problem's sizes.
func (p problem) plan() (gram.Plan, error) {
	fail(p.fitter.Settings().Complete(nil, 0))
	s := gram.Shape{N: p.n, D: p.d, Outputs: 1}
	if p.task == dataset.Classes {
		s.Outputs = growthClasses
	}
	if p.task == dataset.MultiLabel {
		s.Outputs, s.NNZ = p.labels, int64(p.n*growthEntries)
	}
	return p.fitter.Plan(p.task, s, gram.Run{})
}

const (
	growthClasses = 2
	growthEntries = 20 // of a sparse row
	growthTags    = 5  // of a row
)

// data are the rows: two Gaussians that overlap, a smooth function with noise, or
// sparse rows with topics.
func (p problem) data(seed uint64) *dataset.Set {
	switch p.task {
	case dataset.Classes:
		x, y := dataset.Blobs(p.n, p.d, growthClasses, 2, seed)
		return &dataset.Set{X: x, Labels: y}
	case dataset.MultiLabel:
		x, y := dataset.Tagged(p.n, p.d, growthEntries, p.labels, growthTags, seed)
		return &dataset.Set{X: x, Tags: y}
	}
	x, y := dataset.Smooth(p.n, p.d, .1, seed)
	return &dataset.Set{X: x, Value: y}
}

// fit fits with so many goroutines. A fit that ends before its tolerance has done its work.
func (p problem) fit(r *run, d *dataset.Set, how gram.Run, workers int) {
	how.Workers = workers
	fail(p.fitter.Settings().Complete(d.X, how.Seed))
	m, err := p.fitter.Fit(r.ctx, d, how)
	fitted(m, err)
}

// cpuSeconds returns the seconds of the processor that f takes, of the wall where these are
// not known: the mean over as many calls as take a fiftieth of a second.
func cpuSeconds(f func()) float64 {
	const least = time.Second / 50
	runtime.GC()
	begin, used := time.Now(), func() time.Duration {
		t, _ := bench.CPUTime()
		return t
	}
	_, known := bench.CPUTime()
	first := used()
	for calls := 1; ; calls++ {
		f()
		t := used() - first
		if !known {
			t = time.Since(begin)
		}
		if t >= least {
			return t.Seconds() / float64(calls)
		}
	}
}

// power is an exponent with the standard error of the line it comes from, NaN if two
// points make the line.
type power struct{ power, deviation float64 }

// String returns the standard error as notes say it, "" if two points make the line.
func (p power) String() string {
	if math.IsNaN(p.deviation) {
		return ""
	}
	return fmt.Sprintf("line ±%.2g", p.deviation)
}

// above says by how much the exponent is above the stated one, if that is more than
// measurements of a few sizes leave open.
func (p power) above(stated float64) string {
	if p.power <= stated+.15 {
		return ""
	}
	return fmt.Sprintf("%.2f above the stated one", p.power-stated)
}

// slope returns the least-squares slope of log y by log x.
func slope(x, y []float64) power {
	lx, ly := make([]float64, len(x)), make([]float64, len(y))
	for i := range x {
		lx[i], ly[i] = math.Log(x[i]), math.Log(y[i])
	}
	a, b := stat.LinearRegression(lx, ly, nil, false)
	rest := 0.0
	for i := range lx {
		rest += (ly[i] - a - b*lx[i]) * (ly[i] - a - b*lx[i])
	}
	if len(x) < 3 {
		return power{b, math.NaN()}
	}
	n := float64(len(x))
	return power{b, math.Sqrt(rest / (n - 2) / (stat.Variance(lx, nil) * (n - 1)))}
}
