package tables

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
	"github.com/gramworks/gram/algos/lowrank/rff"
	"github.com/gramworks/gram/algos/solve"
	"github.com/gramworks/gram/bench/tables/protocol"
	"github.com/gramworks/gram/dataset"
	"github.com/gramworks/gram/internal/rng"
	"github.com/gramworks/gram/internal/rows"
	"github.com/gramworks/gram/kernel"
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

// kernelMatrix is an approximate kernel matrix.
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

// memoryEfficient is MEKA with settings c. Its rank is that of a cluster's basis.
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

// some are the baselines of these names.
func some(names ...string) []lowRank {
	return slices.DeleteFunc(slices.Clone(baselines), func(m lowRank) bool { return !slices.Contains(names, m.name) })
}

// equalKNys is KNys with the memory of MEKA with c clusters of its rank.
func equalKNys(c int) lowRank {
	return lowRank{"KNys, n·k+(ck)²", func(ctx context.Context, k kernel.Kernel, x mat.Matrix, rank int, run gram.Run) approximation {
		n, _ := x.Dims()
		return some("KNys")[0].fit(ctx, k, x, min(n, sameMemory(n, c, rank)), run)
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

func (s kernelSet) String() string { return s.name }

// with is a data set that has the name of its file.
func with(k kernel.Kernel, name string) kernelSet {
	return kernelSet{name: name, file: name, kernel: k}
}

// gauss is a data set with the Gaussian kernel.
func gauss(name string, gamma float64) kernelSet { return with(kernel.Gaussian{Gamma: gamma}, name) }

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

// cell is a method at a rank.
type cell struct {
	lowRank
	rank   int
	k      kernel.Kernel // nil: that of the set
	label  string        // of the row's method
	series string        // of the figure; empty: none
	x      float64       // its place, if approximations have no at
	note   string
	more   int // repeats; 0: those of the table
}

// approximations are the cells of a table.
type approximations struct {
	sets    []kernelSet
	repeats int
	count   int // rows at most; 0: all
	cells   func(s kernelSet, n int) []cell
	at      func(f *protocol.Figure) float64 // the place of a cell by what it took; nil: x
	after   func(s kernelSet, x *mat.Dense)
}

// bySeconds and byBytes place a cell.
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
	each(r, a.sets, func(s kernelSet) {
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
	k, repeats := c.k, c.more
	if k == nil {
		k = s.kernel
	}
	if repeats == 0 {
		repeats = a.repeats
	}
	rows := cut(r, "rows for the error", 20_000, 1000)
	row := Row{Dataset: s.name, Method: c.label, Metric: "rel_error", Series: c.series, X: c.x}
	r.measure(row, repeats, func(t *trial) {
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

// kernelNote names a kernel with its parameters.
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
	return rows.Dense(gram.Of(x), index)
}

// crossMatrix returns K(x,z).
func crossMatrix(k kernel.Kernel, x, z *mat.Dense, workers int) *mat.Dense {
	n, _ := x.Dims()
	m, _ := z.Dims()
	g := mat.NewDense(n, m, nil)
	kernel.Against[float64](k, z).Limit(workers).Fill(gram.View(g), gram.Of(x))
	return g
}

// parted returns the rows of x of every part.
func parted(x *mat.Dense, label []int, parts int) (out []*mat.Dense) {
	for _, index := range rows.Groups(label, parts) {
		out = append(out, rows.Dense(gram.Of(x), index))
	}
	return out
}
