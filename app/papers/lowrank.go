package papers

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/lowrank/fastnys"
	"github.com/gramworks/gram/algos/lowrank/landmark"
	"github.com/gramworks/gram/algos/lowrank/meka"
	"github.com/gramworks/gram/algos/lowrank/nystrom"
	"github.com/gramworks/gram/algos/lowrank/pseudo"
	"github.com/gramworks/gram/algos/lowrank/rff"
	"github.com/gramworks/gram/algos/solve"
	"github.com/gramworks/gram/app/papers/protocol"
	"github.com/gramworks/gram/dataset"
	"github.com/gramworks/gram/kernel"
	"github.com/gramworks/gram/num/rng"
	"github.com/gramworks/gram/structured"
	"gonum.org/v1/gonum/mat"
)

// The tables of low-rank approximations are one family: data sets, and for each
// of them cells, a method at a rank whose relative error is measured.

// approximation is a fitted approximation of the kernel matrix of some rows: a map
// that has features for other rows, too, and the matrix with the bytes that it
// takes, those of the features of all rows and of the map's own parameters.
type approximation struct {
	gram.FeatureMap
	matrix func() (kernelMatrix, int64)
}

// kernelMatrix is an approximate kernel matrix, which multiplies vectors and gives single rows to measure its error.
type kernelMatrix interface {
	gram.Operator
	solve.Approximation
}

// lowRank is a method of Table 3.7 with its name. fit approximates the kernel matrix
// of x at a rank.
type lowRank struct {
	name string
	fit  func(ctx context.Context, k kernel.Kernel, x mat.Matrix, rank int, run gram.Run) approximation
}

// baselines are the six columns of Table 3.7 beside MEKA. Nys and RNys take 2k
// columns and the best rank k, KNys the k centroids of the best of four k-means
// starts, ENys three experts of rank k/3
// from 2k/3 columns each, RKS and Fastfood k frequencies: 2k features.
var baselines = []lowRank{
	mapped("Nys", func(k kernel.Kernel, rank int, run gram.Run) mapping[*nystrom.Model] {
		return nystrom.Config{Kernel: k, Landmarks: landmark.Uniform{}, M: 2 * rank, Rank: rank, Run: run}
	}),
	mapped("RNys", func(k kernel.Kernel, rank int, run gram.Run) mapping[*nystrom.Model] {
		return nystrom.Config{Kernel: k, Landmarks: landmark.Uniform{}, M: 2 * rank, Rank: rank, Core: nystrom.Randomized, Run: run}
	}),
	landmarkMethod("KNys", landmark.KMeans{Starts: 4}),
	mapped("ENys", func(k kernel.Kernel, rank int, run gram.Run) mapping[*nystrom.EnsembleModel] {
		return nystrom.Ensemble{Config: nystrom.Config{Kernel: k, Landmarks: landmark.Uniform{}, M: 2 * rank / 3, Rank: rank / 3, Run: run}, Experts: 3}
	}),
	frequencyMethod("RKS", rff.Independent),
	frequencyMethod("Fastfood", rff.Fastfood),
}

func landmarkMethod(name string, by landmark.Selector) lowRank {
	return mapped(name, func(k kernel.Kernel, m int, run gram.Run) mapping[*nystrom.Model] {
		return nystrom.Config{Kernel: k, Landmarks: by, M: m, Run: run}
	})
}

func frequencyMethod(name string, by rff.Frequencies) lowRank {
	return mapped(name, func(k kernel.Kernel, m int, run gram.Run) mapping[*rff.Model] {
		return rff.Config{Kernel: k, M: m, Frequencies: by, Run: run}
	})
}

func structuredMethod(name string, c fastnys.Config) lowRank {
	return mapped(name, func(k kernel.Kernel, m int, run gram.Run) mapping[*fastnys.Model] {
		c := c
		c.Kernel, c.M, c.Run = k, m, run
		return c
	})
}

// mapping are the settings of a feature map.
type mapping[M gram.FeatureMap] interface {
	Plan(gram.Shape) (gram.Plan, error)
	Fit(context.Context, mat.Matrix) (M, error)
}

// mapped is a method that fits a feature map with these settings.
func mapped[M gram.FeatureMap](name string, settings func(k kernel.Kernel, rank int, run gram.Run) mapping[M]) lowRank {
	return lowRank{name, func(ctx context.Context, k kernel.Kernel, x mat.Matrix, rank int, run gram.Run) approximation {
		return fitMap(ctx, settings(k, rank, run), x)
	}}
}

// fitMap fits a feature map to x. The approximate matrix is made when it is asked for; its bytes are those of the features of all
// rows in float64 and of the model.
func fitMap[M gram.FeatureMap](ctx context.Context, c mapping[M], x mat.Matrix) approximation {
	m := must(c.Fit(ctx, x))
	return approximation{m, func() (kernelMatrix, int64) {
		n, d := x.Dims()
		plan := must(c.Plan(gram.Shape{N: n, D: d}))
		a := must(solve.Approximate(ctx, m, x))
		_, features := a.Phi.Dims()
		return a, 8*int64(n)*int64(features) + plan.ModelBytes
	}}
}

// memoryEfficient is MEKA with settings c. Its rank is the rank of the basis of each cluster.
func memoryEfficient(name string, c meka.Config) lowRank {
	return lowRank{name, func(ctx context.Context, k kernel.Kernel, x mat.Matrix, rank int, run gram.Run) approximation {
		c := c
		c.Kernel, c.Rank, c.Run = k, rank, run
		m := must(c.Fit(ctx, x))
		return approximation{m, func() (kernelMatrix, int64) { return m.Operator(), m.Stats().Bytes + m.Stats().MapBytes }}
	}}
}

// withMEKA is the baselines and MEKA with c clusters.
func withMEKA(c int) []lowRank {
	return append(slices.Clip(baselines), memoryEfficient("MEKA", meka.Config{Clusters: c}))
}

// baselinesNamed returns the baselines with these names, in the order of baselines.
func baselinesNamed(names ...string) []lowRank {
	return slices.DeleteFunc(slices.Clone(baselines), func(m lowRank) bool { return !slices.Contains(names, m.name) })
}

// equalKNys is KNys with the memory of MEKA with c clusters of its rank.
func equalKNys(c int) lowRank {
	return lowRank{"KNys, n·k+(ck)²", func(ctx context.Context, k kernel.Kernel, x mat.Matrix, rank int, run gram.Run) approximation {
		n, _ := x.Dims()
		return baselinesNamed("KNys")[0].fit(ctx, k, x, min(n, sameMemory(n, c, rank)), run)
	}}
}

// sameMemory returns the rank of a low-rank approximation of n rows that takes
// the memory of MEKA with c clusters of rank k: n·k+(c·k)² numbers.
func sameMemory(n, c, k int) int {
	return (n*k + c*c*k*k + n - 1) / n
}

// mekaRank returns the largest rank with which MEKA with c clusters takes no
// more memory than a low-rank approximation of rank k, and at least 1.
func mekaRank(n, c, k int) int {
	// n·r + c²r² = n·k
	a, b := float64(c*c), float64(n)
	return max(1, int((math.Sqrt(b*b+4*a*b*float64(k))-b)/(2*a)))
}

// mekaClusters is the number of clusters of Table 3.7 for its data sets, and
// that of ijcnn1 for others.
func mekaClusters(set string) int {
	switch set {
	case "pendigits":
		return 5
	case "covtype":
		return 15
	}
	return 10
}

// kernelSet is a data set of chapters 3 and 4 with its kernel.
type kernelSet struct {
	name   string
	file   string // empty: not at hand
	kernel kernel.Kernel
	rank   int
	draw   func(seed uint64) *mat.Dense // of generated rows, which have no file
}

// String returns the name of the data set.
func (s kernelSet) String() string { return s.name }

// onSet is a data set that has the name of its file.
func onSet(k kernel.Kernel, name string) kernelSet {
	return kernelSet{name: name, file: name, kernel: k}
}

// gauss is a data set with the Gaussian kernel.
func gauss(name string, gamma float64) kernelSet { return onSet(kernel.Gaussian{Gamma: gamma}, name) }

// absent is a data set of the paper that is not at hand.
func absent(s kernelSet) kernelSet {
	s.file = ""
	return s
}

// covtype20k is what is at hand of covtype.
func covtype20k(k kernel.Kernel) kernelSet {
	return kernelSet{name: "covtype", file: "covtype-first20k", kernel: k}
}

const covtypeNote = "of its first 20000 rows, scaled to [0,1]"

// load returns the rows: of some sets training and test part together, scaled to
// [0,1], of MNIST the training images, pixels divided by 255, of the others the
// training part as it is.
func (s kernelSet) load(r *run) *mat.Dense {
	if s.draw != nil {
		return s.draw(r.Seed)
	}
	scaled := slices.Contains([]string{"pendigits", "cadata", "covtype-first20k"}, s.file)
	x, _ := loaded(r, func() (mat.Matrix, error) {
		return r.Data.Rows(s.file, scaled, dataset.Options{Storage: dataset.Dense})
	}).(*mat.Dense)
	if x != nil && scaled {
		x = must(unitRange(x)).Apply(x).(*mat.Dense)
	}
	if x != nil && s.file == "mnist" {
		x.Scale(1./255, x)
	}
	return x
}

// cell is a low-rank method with the rank and the kernel of one row of a table.
type cell struct {
	lowRank
	rank    int
	k       kernel.Kernel // nil: that of the set
	label   string        // of the row's method
	series  string        // of the figure; empty: none
	x       float64       // its place, if approximations have no at
	note    string
	repeats int // repeats; 0: those of the table
}

// approximations describes a table of approximate kernel matrices: its data sets, and for each of them the cells.
type approximations struct {
	sets    []kernelSet
	repeats int
	count   int // rows at most; 0: all
	cells   func(s kernelSet, n int) []cell
	at      func(f *protocol.Figure) float64 // the place of a cell by what it took; nil: x
	after   func(s kernelSet, x *mat.Dense)
}

// bySeconds and byBytes give the horizontal place of a cell in a figure.
var (
	bySeconds = (*protocol.Figure).Seconds
	byBytes   = func(f *protocol.Figure) float64 { return float64(f.Bytes()) }
)

// ladder are the cells of a method at some sizes.
func ladder(m lowRank, letter string, sizes []int) (out []cell) {
	for _, size := range sizes {
		out = append(out, cell{lowRank: m, rank: size, label: fmt.Sprintf("%s %s=%d", m.name, letter, size), series: m.name, x: float64(size)})
	}
	return out
}

// ladders are the cells of some methods at the same sizes.
func ladders(methods []lowRank, letter string, sizes []int) (out []cell) {
	for _, m := range methods {
		out = append(out, ladder(m, letter, sizes)...)
	}
	return out
}

// approximate measures the relative errors of all cells.
func (r *run) approximate(a approximations) {
	eachSet(r, a.sets, func(s kernelSet) {
		x, n := s.load(r), 0
		if x != nil {
			if a.count > 0 {
				x = sampled(x, a.count, r.Seed)
			}
			n, _ = x.Dims()
		}
		for _, c := range a.cells(s, n) {
			r.relativeError(s, c, x, a)
		}
		if a.after != nil {
			a.after(s, x)
		}
	})
}

// relativeError measures a cell, from at most 20 000 rows of G.
func (r *run) relativeError(s kernelSet, c cell, x *mat.Dense, a approximations) {
	k, repeats := c.k, c.repeats
	if k == nil {
		k = s.kernel
	}
	if repeats == 0 {
		repeats = a.repeats
	}
	rows := cut(r, "rows for the error", 20_000, 1000)
	row := Row{Dataset: s.name, Method: c.label, Metric: "rel_error", Series: c.series, X: c.x}
	r.measure([]Row{row}, repeats, func(t *trial) {
		of, bytes := c.fit(r.ctx, k, x, c.rank, t.Run).matrix()
		seconds := t.seconds()
		got := must(solve.RelativeError(r.ctx, k, x, of, solve.ErrorOptions{MaxRows: rows, Run: t.Run}))
		if math.IsNaN(got.Value) {
			fail(errors.New("the error is not a number"))
		}
		t.addValues(seconds, bytes, got.Value)
		if a.at != nil {
			t.rows[0].X = a.at(t.figures[0])
		}
		n, _ := x.Dims()
		sample := ""
		if rows < n {
			sample = fmt.Sprintf("error from %d sampled rows of %d", rows, n)
		}
		t.note(c.note, kernelNote(k), sample)
	})
}

// kernelNote says in a note which parameters a kernel has, and its name unless it is clear from γ.
func kernelNote(k kernel.Kernel) string {
	switch k := k.(type) {
	case kernel.Gaussian:
		return fmt.Sprintf("γ %g", k.Gamma)
	case kernel.Laplacian:
		return fmt.Sprintf("γ %g", k.Gamma)
	}
	return fmt.Sprintf("%s %v", k.Spec().Name, k.Spec().Params)
}

// sampled draws n rows of x without replacement, all if there are not more.
func sampled(x *mat.Dense, n int, seed uint64) *mat.Dense {
	all, _ := x.Dims()
	if all <= n {
		return x
	}
	index := rng.New(rng.Derive(seed, "rows"), 0).Perm(all)[:n]
	slices.Sort(index)
	return selected(x, index)
}

// selected returns a copy of some rows of x.
func selected(x *mat.Dense, rows []int) *mat.Dense {
	_, d := x.Dims()
	out := mat.NewDense(len(rows), d, nil)
	for to, from := range rows {
		out.SetRow(to, x.RawRowView(from))
	}
	return out
}

// crossMatrix returns the n×m matrix K(x,z) for n rows x and m rows z.
func crossMatrix(k kernel.Kernel, x, z *mat.Dense, workers int) *mat.Dense {
	n, _ := x.Dims()
	m, _ := z.Dims()
	g := mat.NewDense(n, m, nil)
	kernel.Against[float64](k, z).Limit(workers).Fill(gram.View(g), gram.Of(x))
	return g
}

// parted returns the rows of x of every part.
func parted(x *mat.Dense, label []int, parts int) (out []*mat.Dense) {
	index := make([][]int, parts)
	for i, part := range label {
		index[part] = append(index[part], i)
	}
	for _, rows := range index {
		out = append(out, selected(x, rows))
	}
	return out
}

// Table 3.7 of [S16]: relative error of low-rank approximations of the
// Gaussian kernel at equal memory. pendigits is scaled to [0,1], both parts;
// ijcnn1 is its training part as it is. The paper calls memory equal where MEKA
// has n·k+(ck)² numbers and the others n·k; the last row gives KNys all that MEKA
// has.
func table37(r *run) {
	rank := r.int("k", 0, 0, "rank; 0: the table's")
	gamma := r.float("gamma", 0, 0, "γ of the Gaussian kernel; 0: the table's")
	few := r.repeats(20, 6)
	r.approximate(approximations{sets: sets37, repeats: r.repeats(5, 3), cells: func(s kernelSet, _ int) (out []cell) {
		if rank > 0 {
			s.rank = rank
		}
		if gamma > 0 {
			s.kernel = kernel.Gaussian{Gamma: gamma}
		}
		c := mekaClusters(s.name)
		for _, m := range append(withMEKA(c), equalKNys(c)) {
			at := cell{lowRank: m, rank: s.rank, k: s.kernel, label: m.name, note: fmt.Sprintf("k %d", s.rank)}
			if s.name == "pendigits" {
				at.repeats = few
			}
			// Between seeds the error of uniform landmarks has a standard
			// deviation of 6 to 8 % of its mean.
			if s.name == "pendigits" && (m.name == "Nys" || m.name == "RNys") && r.Repeats == 0 {
				at.repeats = 20
			}
			if m.name == "MEKA" {
				at.note += fmt.Sprintf(", c %d", c)
			}
			out = append(out, at)
		}
		return out
	}})
}

var sets37 = []kernelSet{
	{name: "pendigits", file: "pendigits", kernel: kernel.Gaussian{Gamma: 2}, rank: 128},
	{name: "ijcnn1", file: "ijcnn1", kernel: kernel.Gaussian{Gamma: 1}, rank: 128},
	{name: "covtype", kernel: kernel.Gaussian{Gamma: 10}, rank: 256},
}

// mekaSets are the data sets of figures 3.4 to 3.6. The paper gives no γ for cadata.
var mekaSets = []kernelSet{gauss("ijcnn1", 1), gauss("cadata", 10)}

// Figures 3.4 and 3.6 of [S16]: relative error of MEKA against its time for
// bases by Nyström, k-means Nyström (with as many centers as the rank) and
// randomized Nyström, and against its memory for the ways to share out ranks. The
// paper draws curves and prints no figures.
func fig34(r *run) {
	r.variants(bySeconds, variant{"Nys", meka.Config{Basis: meka.Nystrom}}, variant{"KNys", meka.Config{Basis: meka.KMeansNystrom}},
		variant{"RNys", meka.Config{Basis: meka.RandomizedNystrom}})
}

func fig36(r *run) {
	r.variants(byBytes, variant{"equal", meka.Config{Ranks: meka.Equal}}, variant{"by size", meka.Config{Ranks: meka.Proportional}},
		variant{"by eigenvalues", meka.Config{Ranks: meka.PooledEigenvalues}})
}

// variant is MEKA with some of its settings.
type variant struct {
	name string
	c    meka.Config
}

// variants compares variants of MEKA over a range of ranks.
func (r *run) variants(at func(*protocol.Figure) float64, variants ...variant) {
	c := r.int("c", 10, 1, "clusters")
	ranks := cut(r, "ranks", []int{16, 32, 64, 128, 192}, []int{16, 64})
	r.approximate(approximations{sets: mekaSets, repeats: r.repeats(5, 2), at: at, cells: func(kernelSet, int) (out []cell) {
		for _, v := range variants {
			v.c.Clusters = c
			out = append(out, ladder(memoryEfficient(v.name, v.c), "k", ranks)...)
		}
		return out
	}})
}

// Figure 3.5 of [S16]: time and relative error of MEKA against the threshold
// ε below which links are dropped. The paper draws curves and prints no figures.
// The seconds are in each row.
func fig35(r *run) {
	rank, clusters := r.int("k", 128, 1, "rank"), r.int("c", 10, 1, "clusters")
	thresholds := cut(r, "ε", []float64{1e-4, 1e-3, 1e-2, 3e-2, 1e-1, 3e-1, 1}, []float64{1e-4, 1e-1, 1})
	r.approximate(approximations{sets: mekaSets, repeats: r.repeats(5, 2), cells: func(kernelSet, int) (out []cell) {
		for _, e := range thresholds {
			m := memoryEfficient("MEKA", meka.Config{Clusters: clusters, Epsilon: e})
			out = append(out, cell{lowRank: m, rank: rank, label: fmt.Sprintf("MEKA ε=%g", e), series: "MEKA", x: e, note: fmt.Sprintf("k %d, c %d", rank, clusters)})
		}
		return out
	}})
}

// Figure 3.7 of [S16]: relative error against memory and time for a range of
// ranks, pendigits with γ 2 and 10 and ijcnn1 with γ 1 and 10. The paper draws
// curves and prints no figures.
func fig37(r *run) {
	sets := []kernelSet{
		gauss("pendigits", 2), gauss("ijcnn1", 1), absent(gauss("covtype", 1)),
		gauss("pendigits", 10), gauss("ijcnn1", 10),
	}
	low := cut(r, "ranks", []int{20, 50, 100, 150, 200}, []int{20, 50})
	high := cut(r, "ranks", []int{100, 200, 400, 600}, []int{100, 200})
	r.approximate(approximations{sets: sets, repeats: r.repeats(3, 1), at: byBytes, cells: func(s kernelSet, _ int) (out []cell) {
		ranks := map[string][]int{"pendigits": low, "ijcnn1": high, "covtype": {100}}[s.name]
		for _, c := range ladders(withMEKA(mekaClusters(s.name)), "k", ranks) {
			gamma := fmt.Sprintf(" γ=%g", s.kernel.(kernel.Gaussian).Gamma)
			c.label, c.series = c.label+gamma, c.series+gamma
			out = append(out, c)
		}
		return out
	}})
}

// Figure 3.8 of [S16]: relative error against γ at equal memory, ijcnn1 and
// cadata (scaled to [0,1]). The paper draws curves and prints no figures.
func fig38(r *run) {
	rank := r.int("k", 100, 1, "rank")
	gammas := cut(r, "γ", []float64{1e-3, 1e-2, 1e-1, 1, 10, 100}, []float64{1e-2, 1, 10})
	r.approximate(approximations{sets: mekaSets, repeats: r.repeats(3, 1), cells: func(s kernelSet, n int) []cell {
		c := mekaClusters(s.name)
		return atGammas(withMEKA(c), gammas, n, c, rank)
	}})
}

// atGammas are the cells of methods at widths of the Gaussian kernel, with the
// memory of n·k numbers.
func atGammas(methods []lowRank, gammas []float64, n, c, k int) (out []cell) {
	for _, m := range methods {
		rank := k
		if m.name == "MEKA" && n > 0 {
			rank = mekaRank(n, c, k)
		}
		for _, g := range gammas {
			out = append(out, cell{lowRank: m, rank: rank, k: kernel.Gaussian{Gamma: g}, label: fmt.Sprintf("%s γ=%g", m.name, g), series: m.name, x: g, note: fmt.Sprintf("k %d", rank)})
		}
	}
	return out
}

// Figure 3.9 of [S16]: MEKA with a growing number of clusters c on ijcnn1, γ
// 1, k 100: (a) its relative error beside that of Nyström approximations with the
// same memory, n·k+(ck)² numbers; (b) the time of its steps. The paper draws
// curves and prints no figures.
func fig39(r *run) {
	rank := r.int("k", 100, 1, "rank of a cluster's basis")
	gamma := r.float("gamma", 1, 0, "γ of the Gaussian kernel")
	clusters := cut(r, "clusters", []int{5, 10, 15, 20, 25}, []int{5, 15, 25})
	repeats := r.repeats(3, 1)
	cells := func(_ kernelSet, n int) (out []cell) {
		for _, c := range clusters {
			for _, m := range append([]lowRank{memoryEfficient("MEKA", meka.Config{Clusters: c})}, baselinesNamed("Nys", "RNys", "KNys")...) {
				k := rank
				if m.name != "MEKA" && n > 0 {
					k = sameMemory(n, c, rank)
				}
				out = append(out, cell{lowRank: m, rank: k, label: fmt.Sprintf("%s c=%d", m.name, c), series: m.name, x: float64(c), note: fmt.Sprintf("rank %d", k)})
			}
		}
		return out
	}
	r.approximate(approximations{sets: []kernelSet{gauss("ijcnn1", gamma)}, repeats: repeats, cells: cells, after: func(s kernelSet, x *mat.Dense) {
		for _, c := range clusters {
			r.mekaSteps(s, x, c, rank, repeats, float64(c), fmt.Sprintf(" c=%d", c))
		}
	}})
}

// Table 3.5 of [S16]: seconds for the steps of MEKA at the settings of Table
// 3.7. The paper's machine is an Intel Xeon X5440 of 2007, and its program has no
// step that restores definiteness.
func table35(r *run) {
	repeats := r.repeats(5, 3)
	eachSet(r, sets37, func(s kernelSet) {
		x := s.load(r)
		r.mekaSteps(s, x, mekaClusters(s.name), s.rank, repeats, 0, "")
	})
}

// steps are the parts of a fit of MEKA; the paper has the first three.
var steps = []struct {
	name    string
	seconds func(meka.Stats) float64
}{
	{"T_C clusters", func(s meka.Stats) float64 { return s.ClusterSeconds }},
	{"T_W bases", func(s meka.Stats) float64 { return s.BasisSeconds }},
	{"T_L links", func(s meka.Stats) float64 { return s.LinkSeconds }},
	{"definiteness", func(s meka.Stats) float64 { return s.RepairSeconds }},
}

// mekaSteps emits the seconds of the steps. With a label the rows are points of a
// figure.
func (r *run) mekaSteps(s kernelSet, x *mat.Dense, c, rank, repeats int, at float64, label string) {
	var rows []Row
	for _, step := range steps {
		row := Row{Dataset: s.name, Method: "MEKA " + step.name + label, Metric: "seconds"}
		if label != "" {
			row.Series, row.X = step.name, at
		}
		rows = append(rows, row)
	}
	r.measure(rows, repeats, func(t *trial) {
		m := must(meka.Config{Kernel: s.kernel, Clusters: c, Rank: rank, Run: t.Run}.Fit(r.ctx, x))
		for i, step := range steps {
			seconds := step.seconds(m.Stats())
			t.figures[i].AddValue(seconds, seconds, m.Stats().Bytes)
		}
		t.note(fmt.Sprintf("k %d, c %d", rank, c), kernelNote(s.kernel))
	})
}

// Figure 3.10 of [S16]: relative error against memory and time for the
// Laplacian kernel exp(−γ‖x−y‖₁), pendigits and ijcnn1. The paper draws curves
// and prints no figures, and gives no γ: the default here is one at which rank
// 128 leaves errors like those of the Gaussian kernel in Table 3.7.
func fig310(r *run) {
	k := kernel.Laplacian{Gamma: r.float("gamma", 0.1, 0, "γ of the Laplacian kernel")}
	low := cut(r, "ranks", []int{20, 50, 100, 150, 200}, []int{50, 100})
	high := cut(r, "ranks", []int{50, 100, 200, 400}, []int{100, 200})
	sets := []kernelSet{onSet(k, "pendigits"), onSet(k, "ijcnn1")}
	r.approximate(approximations{sets: sets, repeats: r.repeats(3, 1), at: byBytes, cells: func(s kernelSet, _ int) []cell {
		methods := append(baselinesNamed("Nys", "RNys", "KNys"), memoryEfficient("MEKA", meka.Config{Clusters: mekaClusters(s.name)}))
		return ladders(methods, "k", map[string][]int{"pendigits": low, "ijcnn1": high}[s.name])
	}})
}

// Figure 4.1 of [S16]: relative error with and without pseudo-landmarks for
// few landmarks. usps is in [0,1] with γ = 2⁻⁵; 2 000 rows, of which all are the
// index set I. The paper also has mnist and protein, draws curves and prints no
// figures.
func fig41(r *run) {
	count := r.int("n", 2000, 30, "rows")
	sample := r.int("sample", 0, 0, "rows of the index set; 0: all")
	dropped := r.float("cut", 0, 0, "relative cut of the pseudo-inverse; 0: the default")
	if sample > count {
		r.wrong("sample", sample, "at most the number of rows")
	}
	pseudoMethod := func(name string, c pseudo.Config) lowRank {
		return lowRank{name, func(ctx context.Context, k kernel.Kernel, x mat.Matrix, m int, run gram.Run) approximation {
			n, _ := x.Dims()
			c := c
			c.Kernel, c.Landmarks, c.M, c.Run, c.Cut = k, landmark.KMeans{}, m, run, dropped
			if c.Sample = min(n, sample); sample == 0 {
				c.Sample = n
			}
			if !c.All {
				c.P = min(2*m, m*(m+1)/2)
			}
			return fitMap[*pseudo.Model](ctx, c, x)
		}}
	}
	methods := []lowRank{
		landmarkMethod("Nys", landmark.KMeans{}),
		pseudoMethod("triangle lower", pseudo.Config{Kind: pseudo.Lower}),
		pseudoMethod("triangle upper", pseudo.Config{Kind: pseudo.Upper}),
		pseudoMethod("triangle mid", pseudo.Config{Kind: pseudo.Mid}),
		pseudoMethod("products", pseudo.Config{}),
		pseudoMethod("all products", pseudo.Config{All: true}),
	}
	sizes := cut(r, "m", []int{2, 4, 6, 8, 10, 15, 20, 25, 30}, []int{2, 10, 30})
	sets := []kernelSet{gauss("usps", 1./32), gauss("mnist", 1./1024), absent(gauss("protein", 1))}
	r.approximate(approximations{sets: sets, repeats: r.repeats(10, 3), count: count, cells: func(kernelSet, int) (out []cell) {
		for _, c := range ladders(methods, "m", sizes) {
			all := c.rank * (c.rank + 1) / 2
			c.note = fmt.Sprintf("p %d", min(2*c.rank, all))
			switch c.name {
			case "Nys":
				c.note = ""
			case "all products":
				c.note = fmt.Sprintf("p %d", all)
			}
			out = append(out, c)
		}
		return out
	}})
}

// Figure 4.2 of [S16] is a picture of landmarks in the plane. Here is the error
// of both kinds on such data, 1 000 rows of a normal distribution, where s seeds
// make 2s Haar landmarks for the price of s of their own.
func fig42(r *run) {
	gamma := r.float("gamma", 1, 0, "γ of the Gaussian kernel")
	draw := func(seed uint64) *mat.Dense { return dataset.Normal(1000, 2, rng.Derive(seed, "plane")) }
	plane := kernelSet{name: "plane", kernel: kernel.Gaussian{Gamma: gamma}, draw: draw}
	r.approximate(approximations{sets: []kernelSet{plane}, repeats: r.repeats(20, 5), cells: func(kernelSet, int) []cell {
		own := ladder(landmarkMethod("KNys", landmark.KMeans{}), "m", []int{2, 4, 8, 16, 32})
		pairs := ladder(structuredMethod("Fast-Nys", fastnys.Config{Rows: 2}), "m", []int{4, 8, 16, 32, 64})
		for i := range pairs {
			pairs[i].x /= 2
		}
		return append(own, pairs...)
	}})
}

// Figure 4.3 of [S16]: relative error against the seconds of choosing
// landmarks, learning seeds, the decomposition and the features of all rows. Of
// its data sets ijcnn1 is at hand; its γ is that of Table 3.7. The paper draws
// curves and prints no figures.
func fig43(r *run) {
	count := r.int("n", cut(r, "rows", 0, 5000), 0, "rows; 0: all")
	sets := []kernelSet{gauss("ijcnn1", r.float("gamma", 1, 0, "γ of the Gaussian kernel")), absent(gauss("webspam", 0)), absent(gauss("magic", 0))}
	sizes := cut(r, "m", []int{16, 32, 64, 128, 256}, []int{32, 128})
	r.approximate(approximations{sets: sets, repeats: r.repeats(5, 2), count: count, at: bySeconds, cells: func(kernelSet, int) []cell {
		return ladders([]lowRank{
			structuredMethod("Haar, random seeds", fastnys.Config{NoLearning: true}),
			structuredMethod("Hadamard, random seeds", fastnys.Config{Matrix: structured.Hadamard, NoLearning: true}),
			structuredMethod("Haar, learned seeds", fastnys.Config{}),
			landmarkMethod("Nys", landmark.Uniform{}),
			landmarkMethod("KNys", landmark.KMeans{}),
		}, "m", sizes)
	}})
}

// Figure 4.4 of [S16]: relative error against seconds, those of learning
// included, for (1+⟨x,y⟩)³ on a9a and usps and the Gaussian on MNIST (pixels/255,
// γ = 2⁻¹⁰). The paper draws curves and prints no figures.
func fig44(r *run) {
	count := r.int("n", cut(r, "rows", 0, 3000), 0, "rows; 0: all")
	few := cut(r, "m", []int{10, 20, 40, 80}, []int{10, 40})
	many := cut(r, "structured m", []int{40, 80, 160, 320}, []int{40, 160})
	cubic := kernel.Polynomial{Degree: 3, Offset: 1}
	sets := []kernelSet{
		onSet(cubic, "a9a"), onSet(cubic, "usps"), absent(onSet(cubic, "covtype")),
		gauss("mnist", 1./1024), absent(gauss("cifar", 0)), absent(gauss("epsilon", 0)),
	}
	r.approximate(approximations{sets: sets, repeats: r.repeats(5, 2), count: count, at: bySeconds, cells: func(s kernelSet, _ int) []cell {
		out := ladders([]lowRank{landmarkMethod("Nys", landmark.Uniform{}), landmarkMethod("KNys", landmark.KMeans{})}, "m", few)
		out = append(out, ladder(structuredMethod("Fast-Nys", fastnys.Config{}), "m", many)...)
		if _, radial := s.kernel.(kernel.Radial); radial {
			out = append(out, ladders([]lowRank{frequencyMethod("RKS", rff.Independent), frequencyMethod("Fastfood", rff.Fastfood)}, "m", many)...)
		}
		return out
	}})
}

// selectors is no table of a paper: the error of the Nyström method against the
// number of landmarks, for every way of choosing them that needs nothing but the
// data.
func selectors(r *run) {
	sizes := cut(r, "m", []int{16, 32, 64, 128, 256, 512}, []int{32, 128})
	sets := []kernelSet{gauss("pendigits", 2), gauss("ijcnn1", 1), gauss("usps", 1./32)}
	r.approximate(approximations{sets: sets, repeats: r.repeats(3, 1), cells: func(kernelSet, int) []cell {
		return ladders([]lowRank{
			landmarkMethod("uniform", landmark.Uniform{}),
			landmarkMethod("column norm", landmark.ColumnNorm{}),
			landmarkMethod("leverage", landmark.Leverage{}),
			landmarkMethod("farthest", landmark.Farthest{}),
			landmarkMethod("k-means", landmark.KMeans{}),
		}, "m", sizes)
	}})
}
