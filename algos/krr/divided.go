package krr

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/cluster/kernelkmeans"
	"github.com/gramworks/gram/algos/cluster/kmeans"
	"github.com/gramworks/gram/internal/check"
	"github.com/gramworks/gram/internal/par"
	"github.com/gramworks/gram/internal/program"
	"github.com/gramworks/gram/internal/rng"
	"github.com/gramworks/gram/internal/rows"
	"github.com/gramworks/gram/settings"
	"gonum.org/v1/gonum/mat"
)

// Partition is how Divided cuts the rows into parts.
type Partition uint8

const (
	// KMeans takes k-means clusters.
	KMeans Partition = iota
	// KernelKMeans takes clusters in the kernel's space, found on at most 2000
	// rows. Routing a row costs as many kernel values.
	KernelKMeans
	// Voronoi takes the cells of centres that cover the rows by balls ([EC16]).
	// The cells are not balanced: one may hold almost all rows.
	Voronoi
)

// String returns the name of the partition.
func (p Partition) String() string {
	return [...]string{"kmeans", "kernel-kmeans", "voronoi"}[min(p, Voronoi)]
}

// Divided are the settings of divide-and-conquer kernel ridge regression ([S16]
// 3.3, DC-KRR): one problem for each part of the rows, predictions by the model
// of the row's part. Rows are routed by the same distances in the fit and in
// predictions.
type Divided struct {
	// Local is the problem of a part. Its Lambda is 1/n by default for the n rows
	// of all parts. With solve.Total it is added to the diagonal of every G_i; with
	// solve.PerRow it is multiplied by the n_i rows of the part. M is at most n_i.
	// Its Run is not used.
	Local     Config
	Partition Partition
	Parts     int     // default ⌈n/1000⌉; for Voronoi the most parts, default 1000
	Radius    float64 // Voronoi: of the balls, as a share of the largest distance; default 0.5
	Starts    int     // KMeans, KernelKMeans: seedings, of which the best counts; default 1

	// Soft mixes the models of the Soft nearest parts, weighted with
	// 1/d⁸ − 1/D⁸ for a part at distance d, where D is the distance of the
	// next part: a continuous function (between two parts at the same distance
	// half of each), and all but the model of the nearest part where others are
	// twice as far. Default 1: the nearest part alone.
	Soft int

	gram.Run `json:"-"`
}

// DividedStats says how a fit went.
type DividedStats struct {
	Sizes            []int // rows with a weight of each part that has any, in the order of the parts
	Iterations       int   // of CG, all parts together
	Residual         float64
	PartitionSeconds float64
	FitSeconds       float64
}

// DividedModel is a function for each part. It is safe for concurrent use, and
// holds a copy of the rows it was trained on.
type DividedModel struct {
	cfg   Divided
	route router
	parts []*Model
	stats DividedStats

	program gram.Program[float64]
}

var _ gram.Regressor = (*DividedModel)(nil)

// Settings describes the settings.
func (c *Divided) Settings(s *settings.Set) {
	settings.Choice(s, &c.Partition, "partition", "how the rows are divided", KMeans, KernelKMeans, Voronoi)
	parts(s, &c.Local, c.Run, &c.Parts, c.Partition == Voronoi)
	s.Float(&c.Radius, "radius", "voronoi: radius of the cells as a share of the largest distance").Default(0.5).Above(0).AtMost(1)
	s.Int(&c.Soft, "soft", "parts that a prediction mixes, by distance; 1: the nearest alone").Default(1).AtLeast(1)
	s.Int(&c.Starts, "starts", "kmeans, kernel-kmeans: seedings, of which the best counts").Default(1).AtLeast(1)
}

// parts describes the problem of a part of the rows, and how many parts there are.
func parts(s *settings.Set, local *Config, run gram.Run, count *int, cells bool) {
	landmarks := local.M
	if s.Embedded(local); s.Resolving() {
		local.M = landmarks // the default follows from the rows of a part
		local.Run = gram.Run{Workers: run.Workers, MemoryLimit: run.MemoryLimit}
	}
	most := (s.Shape.N + 999) / 1000
	if cells {
		most = 1000
	}
	s.Int(count, "parts", "parts").DefaultRule(most, "one for 1000 rows; voronoi: at most 1000").AtLeast(1)
	s.Require(cells || *count <= s.Shape.N, count, "at most the number of rows, %d", s.Shape.N)
}

func (c Divided) kmeans(run gram.Run) kmeans.Config {
	return kmeans.Config{K: c.Parts, Starts: c.Starts, Run: run}
}

func (c Divided) kernelKMeans(run gram.Run) kernelkmeans.Config {
	return kernelkmeans.Config{Kernel: c.Local.Kernel, K: c.Parts, Starts: c.Starts, Run: run}
}

func (c Divided) voronoi(run gram.Run) kmeans.Voronoi {
	return kmeans.Voronoi{Alpha: c.Radius, MaxParts: c.Parts, Run: run}
}

// Plan returns what Fit will cost for data of shape s if no cluster has more
// than 1.5 times the rows of the mean one, and a Voronoi cell almost all rows.
// Fit looks again when it knows the parts.
func (c Divided) Plan(s gram.Shape) (gram.Plan, error) {
	c, err := settings.Resolved(c, s)
	if err != nil {
		return gram.Plan{}, err
	}
	var p gram.Plan
	parts, largest := c.Parts, int(math.Ceil(1.5*float64(s.N)/float64(c.Parts)))
	switch c.Partition {
	case KMeans:
		p, err = c.kmeans(c.Run).Plan(s)
	case KernelKMeans:
		p, err = c.kernelKMeans(c.Run).Plan(s)
		p.FullKernel = false
	case Voronoi:
		p, err = c.voronoi(c.Run).Plan(s)
		parts, largest = 1, s.N
	}
	if err != nil {
		return gram.Plan{}, err
	}
	return c.Local.planParts(p, s, parts, min(largest, s.N), c.NumWorkers())
}

// planParts adds to a plan p that of the problems of so many parts.
func (c Config) planParts(p gram.Plan, s gram.Shape, parts, largest, workers int) (gram.Plan, error) {
	one := s
	one.N = largest
	local, err := c.forPart(0).planOf(one)
	if err != nil {
		return gram.Plan{}, err
	}
	t := int64(max(1, s.Outputs))
	models := 8 * int64(s.N) * (2*int64(s.D) + t)
	own := 8 * int64(largest) * (2*int64(s.D) + t)
	p.Flops += float64(parts) * local.Flops
	p.PeakBytes = max(p.PeakBytes, p.ModelBytes+models+int64(min(parts, workers))*(local.PeakBytes-own)+16*int64(s.N))
	p.ModelBytes = 8 * int64(s.N) * (int64(s.D) + t)
	p.FullKernel = local.FullKernel && parts == 1
	p.Description = fmt.Sprintf("%d parts; %s", parts, local.Description)
	return p, nil
}

// planOf is the plan of a part.
func (c Config) planOf(s gram.Shape) (gram.Plan, error) {
	c.M = min(c.M, s.N)
	c, err := settings.Resolved(c, s)
	if err != nil {
		return gram.Plan{}, err
	}
	return c.plan(s)
}

// forPart returns the settings for part i.
func (c Config) forPart(i int) Config {
	c.Seed = rng.Derive(c.Seed, fmt.Sprint("part ", i))
	c.Progress = nil
	return c
}

// Fit trains on the rows of x with targets y and weights w, nil meaning ones. It
// neither keeps nor changes x. If ctx ends the fit there is no model; with a
// *gram.ConvergenceError of a part's CG the model is returned.
func (c Divided) Fit(ctx context.Context, x mat.Matrix, y, w []float64) (*DividedModel, error) {
	n, _ := x.Dims()
	if err := check.Target(y, n); err != nil {
		return nil, err
	}
	if n == 0 {
		_, err := settings.Resolved(c, gram.Shape{N: n})
		return nil, err
	}
	return c.FitAll(ctx, x, mat.NewDense(n, 1, y), w)
}

// FitAll is Fit for several targets at once, the columns of the n×t matrix y.
func (c Divided) FitAll(ctx context.Context, x mat.Matrix, y *mat.Dense, w []float64) (*DividedModel, error) {
	n, _ := x.Dims()
	c, err := settings.Resolved(c, gram.Shape{N: n})
	if err != nil {
		return nil, err
	}
	s, err := c.Local.check(c.Run, c.Plan, x, y, w)
	if err != nil {
		return nil, err
	}
	begin := time.Now()
	m := &DividedModel{cfg: c}
	run := c.Run
	run.MemoryLimit = 0 // it is part of the plan
	run.Seed = partitionSeed(c.Seed)
	switch c.Partition {
	case KMeans:
		m.route.clusters, err = c.kmeans(run).FitWeighted(ctx, s, w)
	case KernelKMeans:
		m.route.clusters, err = c.kernelKMeans(run).FitWeighted(ctx, s, w)
	case Voronoi:
		m.route.clusters, err = c.voronoi(run).Fit(ctx, s)
	}
	if err != nil {
		return nil, plain(ctx, fmt.Errorf("partition: %w", err))
	}
	groups, err := m.route.divide(ctx, s, w)
	if err != nil {
		return nil, err
	}
	for _, g := range groups {
		m.stats.Sizes = append(m.stats.Sizes, len(g))
	}
	m.stats.PartitionSeconds = time.Since(begin).Seconds()
	begin = time.Now()
	local := c.Local
	local.Seed = c.Seed
	m.parts, err = local.fitParts(ctx, s, y, w, groups, c.Run)
	if m.parts == nil {
		return nil, err
	}
	m.cfg.Local.Run = gram.Run{}
	m.program = newDivided[float64](m)
	for _, p := range m.parts {
		m.stats.Iterations += p.stats.Iterations
		m.stats.Residual = max(m.stats.Residual, p.stats.Residual)
	}
	m.stats.FitSeconds = time.Since(begin).Seconds()
	return m, err
}

// plain is the error of ctx if that is why err came about.
func plain(ctx context.Context, err error) error {
	if e := ctx.Err(); e != nil {
		return e
	}
	return err
}

// fitParts solves the problem of every group of rows of x, as many at a time as
// there are workers and memory for. On a *gram.ConvergenceError the models are
// returned too.
func (c Config) fitParts(ctx context.Context, x gram.Samples[float64], y *mat.Dense, w []float64, groups [][]int, run gram.Run) ([]*Model, error) {
	n, d := x.Dims()
	_, t := y.Dims()
	// Large parts first, so that they do not end up alone at the end.
	order := make([]int, len(groups))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(len(groups[b]), len(groups[a])) })
	together, err := c.concurrent(groups, order, gram.Shape{N: n, D: d, Outputs: t}, run)
	if err != nil {
		return nil, err
	}
	parts, errs := make([]*Model, len(groups)), make([]error, len(groups))
	done := make(chan int, len(groups))
	var stopped error
	go func() {
		defer close(done)
		stopped = par.For(ctx, together, len(order), 1, func(lo, _ int) {
			i := order[lo]
			parts[i], errs[i] = c.fitPart(ctx, i, x, y, w, groups[i])
			done <- len(groups[i])
		})
	}()
	meter := run.Meter()
	var ready, all int64
	for _, g := range groups {
		all += int64(len(g))
	}
	for rows := range done {
		ready += int64(rows)
		meter.Report(gram.Event{Phase: "parts", Done: ready, Total: all})
	}
	if stopped != nil {
		return nil, stopped
	}
	var short error
	for i, err := range errs {
		var ce *gram.ConvergenceError
		switch {
		case err == nil:
		case parts[i] != nil && errors.As(err, &ce):
			if short == nil {
				short = err
			}
		default:
			return nil, plain(ctx, fmt.Errorf("part %d: %w", i+1, err))
		}
	}
	return parts, short
}

func (c Config) fitPart(ctx context.Context, i int, x gram.Samples[float64], y *mat.Dense, w []float64, index []int) (*Model, error) {
	c = c.forPart(i)
	c.M = min(c.M, len(index))
	c, err := settings.Resolved(c, gram.Shape{N: len(index)})
	if err != nil {
		return nil, err
	}
	var part []float64
	if w != nil {
		part = make([]float64, len(index))
		for k, i := range index {
			part[k] = w[i]
		}
	}
	return c.fit(ctx, rows.Dense(x, index), rows.Dense(gram.Of(y), index), part, gram.Run{}.Meter())
}

// concurrent returns how many parts, in the given order, can be solved at a time
// within the memory limit.
func (c Config) concurrent(groups [][]int, order []int, s gram.Shape, run gram.Run) (int, error) {
	need := 8 * int64(s.N) * int64(2*s.D+s.Outputs)
	workers := min(run.NumWorkers(), len(order))
	for q, i := range order[:workers] {
		p, err := c.planOf(gram.Shape{N: len(groups[i]), D: s.D, Outputs: s.Outputs})
		if err != nil {
			return 0, err
		}
		need += p.PeakBytes
		if run.MemoryLimit > 0 && need > run.MemoryLimit {
			if q == 0 {
				return 0, fmt.Errorf("the part of %d rows: %w", len(groups[i]), &gram.MemoryError{Need: need, Limit: run.MemoryLimit})
			}
			return q, nil
		}
	}
	return workers, nil
}

// Predict returns the value of the first function for every row.
func (m *DividedModel) Predict(dst []float64, x mat.Matrix) []float64 {
	return predictFirst(m, dst, x)
}

// PredictAll returns the n×t values of all functions, block of rows by block: a
// row costs n_i·d flops for a part of n_i rows.
func (m *DividedModel) PredictAll(dst *mat.Dense, x mat.Matrix) *mat.Dense {
	d, t := m.Dims()
	dst = rows.Destination("krr", dst, x, d, t)
	program.Evaluate(m.cfg.Workers, softRows, m.program, dst, x)
	return dst
}

// Dims returns the number of columns of the data and of outputs.
func (m *DividedModel) Dims() (d, outputs int) { return m.parts[0].Dims() }

// Parts returns the model of every part. They are the model's own.
func (m *DividedModel) Parts() []*Model { return m.parts }

// Assign returns the part of every row of x, −1 for a row with NaN.
func (m *DividedModel) Assign(dst []int, x mat.Matrix) []int {
	n, xd := x.Dims()
	if d, _ := m.Dims(); d != xd {
		panic("krr: x has the wrong number of columns")
	}
	if dst == nil {
		dst = make([]int, n)
	}
	if len(dst) != n {
		panic("krr: the destination has the wrong length")
	}
	s := gram.Of(x)
	var near []share
	for lo := 0; lo < n; lo += routeRows {
		hi := min(lo+routeRows, n)
		dist := rows.Borrow(hi-lo, len(m.route.part))
		m.route.clusters.Distances(dist, s.Slice(lo, hi))
		for i := lo; i < hi; i++ {
			dst[i] = -1
			if near = shares(near[:0], m.route.part, dist.RawRowView(i-lo), 1); len(near) > 0 {
				dst[i] = near[0].part
			}
		}
		rows.Return(dist)
	}
	return dst
}

// Config returns the settings with all defaults filled in.
func (m *DividedModel) Config() Divided { return m.cfg }

// Stats says how the fit went. A model that was read from a file has the sizes
// only.
func (m *DividedModel) Stats() DividedStats { return m.stats }

// partitionSeed is the seed of the partition of a fit with seed s.
func partitionSeed(s uint64) uint64 { return rng.Derive(s, "partition") }
