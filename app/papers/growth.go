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

// sizes are the first k sizes, multiples of 8 from 64 on.
func (a axis) sizes(k int) []int {
	var out []int
	for i := range k {
		s := int(math.Round(float64(a.from) * math.Pow(a.factor, float64(i))))
		if s >= 64 {
			s = (s + 4) / 8 * 8
		}
		out = append(out, s)
	}
	return out
}

const (
	ridgeOn    = " model=ridge lambda=0.1"
	machines   = "kernel machines"
	features   = "features"
	trees      = "trees"
	labelSets  = "sets of labels"
	byPairs    = "learned kernels"
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
// heap during the fit, without the data. Each size of a method has an equal share of the
// time that is left of the budget, and grows as long as the next fits are expected within it.
func growth(r *run) {
	points := r.int("points", cut(r, "sizes", 4, 3), 2, "sizes of each problem")
	budget := r.float("budget", 600, 0, "seconds by the clock; sizes beyond their share are left out, but for the first two")
	repeats := r.repeats(3, 1)
	end := time.Now().Add(time.Duration(budget * float64(time.Second)))
	var chosen []growing
	left := 0
	eachOf(r, "methods", growings, func(g growing) {
		chosen = append(chosen, g)
		left += len(g.axes)
	})
	for _, g := range chosen {
		for _, a := range g.axes {
			share := time.Until(end) / time.Duration(left)
			named(g.method, func() { named(a.name, func() { r.grow(g, a, a.sizes(points), repeats, share) }) })
			left--
		}
	}
}

// grow emits the exponents of a method in one size, and the points they come from. It leaves
// out sizes, but for the first two, for which share is too little.
func (r *run) grow(g growing, a axis, sizes []int, repeats int, share time.Duration) {
	times, peaks := make([][]float64, len(sizes)), make([]float64, len(sizes))
	left := "" // the sizes that are left out
	begin := time.Now()
	x := make([]float64, len(sizes))
	for i, size := range sizes {
		x[i] = float64(size)
	}
	seconds, _ := r.collect([]Row{{Dataset: a.name, Method: g.name(), Metric: "exponent of seconds"}}, repeats, func(t *trial) {
		total := 0.0
		last := time.Duration(0)
		for i, size := range sizes {
			// The first repeat fits twice. A size takes as long as the last one times the growth stated.
			used := time.Since(begin)
			next := time.Duration(float64(last) * math.Pow(a.factor, a.seconds))
			if t.index == 0 && i >= 2 && (used+next)*time.Duration(repeats+1)/2 > share {
				left = fmt.Sprintf("left out %s %s", a.name, strings.Trim(fmt.Sprint(sizes[i:]), "[]"))
				sizes = sizes[:i]
				times, peaks = times[:i], peaks[:i]
				break
			}
			problem := g.with(a, size)
			d := problem.data(t.Seed)
			s := spent(func() { problem.fit(r, d, t.Run) })
			times[i] = append(times[i], s)
			total += s
			if t.index == 0 {
				_, heap := bench.PeakMemory(func() { problem.fit(r, d, t.Run) })
				peaks[i] = float64(max(heap, 1))
			}
			last = time.Since(begin) - used
		}
		x = x[:len(sizes)]
		one := make([]float64, len(sizes))
		for i := range sizes {
			one[i] = times[i][t.index]
		}
		t.addValues(total, 0, slope(x, one).power)
	})
	mean := make([]float64, len(sizes))
	var flops, bytes []float64 // as planned
	for i, size := range sizes {
		mean[i] = stat.Mean(times[i], nil)
		plan := must(g.with(a, size).plan())
		flops, bytes = append(flops, plan.Flops), append(bytes, float64(plan.PeakBytes))
	}
	memory, _ := r.collect([]Row{{Dataset: a.name, Method: g.name(), Metric: "exponent of bytes"}}, 1, func(t *trial) {
		t.addValues(0, int64(slices.Max(peaks)), slope(x, peaks).power)
	})
	from := fmt.Sprintf("%s %d–%d", a.name, sizes[0], sizes[len(sizes)-1])
	for i, row := range []*Row{&seconds[0], &memory[0]} {
		fitted, planned, stated := slope(x, mean), slope(x, flops), a.seconds
		if i == 1 {
			fitted, planned, stated = slope(x, peaks), slope(x, bytes), a.bytes
		}
		row.Paper = &stated
		row.Note = notes(fitted.above(stated), from, g.cost, fitted.String(), fmt.Sprintf("plan %.2f", planned.power), left)
		r.emit(*row)
	}
	for i := range sizes {
		point := Row{Dataset: g.group + " by " + a.name, Method: g.name(), Metric: "seconds", Series: g.name(), X: x[i]}
		f := protocol.NewFigure(repeats)
		for _, s := range times[i] {
			f.AddValue(s, s, int64(peaks[i]))
		}
		r.emit(point.Of(f))
	}
}

// problem is a growing method at one size.
type problem struct {
	growing
	fitter catalog.Fitter
}

// with returns the problem of that size.
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

// plan is the planned cost.
func (p problem) plan() (gram.Plan, error) {
	fail(p.fitter.Settings().Complete(nil, 0))
	s := gram.Shape{N: p.n, D: p.d, Outputs: 1}
	if p.task == dataset.Classes {
		s.Outputs = growthClasses
	}
	if p.task == dataset.MultiLabel {
		s.Outputs, s.NNZ = p.labels, int64(p.n*growthEntries)
	}
	return p.fitter.Plan(s, gram.Run{})
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

// fit fits on one goroutine. A fit that ends before its tolerance has done its work.
func (p problem) fit(r *run, d *dataset.Set, how gram.Run) {
	how.Workers = 1
	fail(p.fitter.Settings().Complete(d.X, how.Seed))
	m, err := p.fitter.Fit(r.ctx, d, how)
	fitted(m, err)
}

// spent returns the seconds of the processor that f takes, of the wall where these are
// not known: the mean over as many calls as take a fiftieth of a second.
func spent(f func()) float64 {
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

// String is the standard error in words.
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
