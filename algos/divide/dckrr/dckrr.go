package dckrr

import (
	"context"
	"fmt"
	"math"
	"time"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/cluster/kernelkmeans"
	"github.com/gramworks/gram/algos/cluster/kmeans"
	"github.com/gramworks/gram/algos/krr"
	"github.com/gramworks/gram/internal/enum"
	"github.com/gramworks/gram/internal/program"
	"github.com/gramworks/gram/internal/rows"
	"github.com/gramworks/gram/settings"
	"gonum.org/v1/gonum/mat"
)

// Partition selects how a Config divides the rows.
type Partition uint8

const (
	// KMeans uses k-means clusters in the space of the data. To route a row takes its distance from each center.
	KMeans Partition = iota
	// KernelKMeans uses clusters in the kernel's space, found on at most 2000 rows. To route a
	// row takes as many kernel values.
	KernelKMeans
	// Voronoi uses the cells of centers that cover the rows by balls ([EC16]). The cells are
	// not balanced: one may hold almost all rows.
	Voronoi
)

// String returns "kmeans", "kernel-kmeans" or "voronoi".
func (p Partition) String() string {
	return enum.Name(p, "kmeans", "kernel-kmeans", "voronoi")
}

// Config holds the settings of divide-and-conquer kernel ridge regression (DC-KRR, [S16] 3.3). It
// solves one problem for each part of the rows and predicts by the model of the row's part. The
// same distances assign rows to parts in the fit and in predictions.
//
// A fit takes settings that are not given at their defaults; crossval.Tune chooses Lambda of Local by the data.
type Config struct {
	// Local is the problem of a part. Its Lambda is 1/n by default, where n counts the rows of
	// all parts. With solve.Total it is added to the diagonal of every G_i; with solve.PerRow it
	// is multiplied by the number n_i of rows of the part. M is at most n_i. Its Run is ignored.
	Local     krr.Config
	Partition Partition
	// Given is a partition of the rows to be used instead of Partition, which is then ignored,
	// as are Radius and Starts. Its Router must be a *kmeans.Model or a *kernelkmeans.Model.
	// Parts then is its number of parts.
	Given  kmeans.Partition `json:"-"`
	Parts  int              // number of parts; default ⌈n/1000⌉; for Voronoi the largest number, default 1000
	Radius float64          // Voronoi: radius of the balls, as a share of the largest distance; default 0.5
	Starts int              // KMeans, KernelKMeans: number of seedings, of which the best is used; default 1

	// Soft mixes the models of the Soft nearest parts, with the weight 1/d⁸ − 1/D⁸ for a part at
	// distance d, where D is the distance of the next part. The prediction is then continuous:
	// between two parts at the same distance it is half of each, and if all others are twice as
	// far it is almost the model of the nearest part. Default 1: the nearest part alone.
	Soft int

	gram.Run `json:"-"`
}

// Stats holds figures of a finished fit, for reports and comparisons. Predictions do not depend on them.
type Stats struct {
	Sizes            []int // rows with a weight in each part that has any, in the order of the parts
	Iterations       int   // CG: iterations of all parts
	Residual         float64
	PartitionSeconds float64
	FitSeconds       float64
}

// Model has a function for each part and holds a copy of the rows it was trained on. It is safe
// for concurrent use.
type Model struct {
	cfg    Config
	route  router
	labels []int // the cluster of every row of the fit
	parts  []*krr.Model
	stats  Stats

	program gram.Program[float64]
}

var _ gram.Regressor = (*Model)(nil)

// Settings gives the name, default, range and help of every setting, from which fits, flags and the reference page
// follow.
func (c *Config) Settings(s *settings.Fields) {
	settings.Choice(s, &c.Partition, "partition", "how the rows are divided", KMeans, KernelKMeans, Voronoi)
	c.Given.Check(s, &c.Parts)
	if r := c.Given.Router; r != nil {
		_, measures := r.(clusters)
		s.Require(measures, &c.Given.Router, "a *kmeans.Model or a *kernelkmeans.Model")
	}
	describe(s, &c.Local, c.Run, &c.Parts, c.Partition == Voronoi)
	s.Float(&c.Radius, "radius", "voronoi: radius of the cells as a share of the largest distance").Default(0.5).Above(0).AtMost(1)
	s.Int(&c.Soft, "soft", "parts that a prediction mixes, by distance; 1: the nearest alone").Default(1).AtLeast(1)
	s.Int(&c.Starts, "starts", "kmeans, kernel-kmeans: seedings, of which the best counts").Default(1).AtLeast(1)
}

func (c Config) kmeans(run gram.Run) kmeans.Config {
	return kmeans.Config{K: c.Parts, Starts: c.Starts, Run: run}
}

func (c Config) kernelKMeans(run gram.Run) kernelkmeans.Config {
	return kernelkmeans.Config{Kernel: c.Local.Kernel, K: c.Parts, Starts: c.Starts, Run: run}
}

func (c Config) voronoi(run gram.Run) kmeans.Voronoi {
	return kmeans.Voronoi{Alpha: c.Radius, MaxParts: c.Parts, Run: run}
}

// Plan returns the expected cost of Fit for data of shape s. It assumes that no cluster has more
// than 1.5 times the mean number of rows, and that a Voronoi cell can have almost all rows. Fit
// checks the cost again when it knows the parts.
func (c Config) Plan(s gram.Shape) (gram.Plan, error) {
	c, err := settings.Resolved(c, s)
	if err != nil {
		return gram.Plan{}, err
	}
	var p gram.Plan
	parts, largest := c.Parts, int(math.Ceil(1.5*float64(s.N)/float64(c.Parts)))
	switch {
	case !c.Given.IsZero():
		p.PeakBytes = 8 * int64(s.N)
	case c.Partition == KMeans:
		p, err = c.kmeans(c.Run).Plan(s)
	case c.Partition == KernelKMeans:
		p, err = c.kernelKMeans(c.Run).Plan(s)
		p.FullKernel = false
	case c.Partition == Voronoi:
		p, err = c.voronoi(c.Run).Plan(s)
		parts, largest = 1, s.N
	}
	if err != nil {
		return gram.Plan{}, err
	}
	return planParts(c.Local, p, s, parts, min(largest, s.N), c.NumWorkers())
}

// Fit trains on the rows of x with targets y and weights w; nil means ones. It neither keeps nor
// changes x. If ctx ends the fit, there is no model. If CG of a part does not converge, Fit
// returns the model and a *gram.ConvergenceError.
func (c Config) Fit(ctx context.Context, x mat.Matrix, y, w []float64) (*Model, error) {
	return c.FitAll(ctx, x, rows.Column(y), w)
}

// FitAll is Fit for several targets at once, the columns of the n×t matrix y.
func (c Config) FitAll(ctx context.Context, x mat.Matrix, y *mat.Dense, w []float64) (*Model, error) {
	given := c.Given.Labels
	start, err := rows.Begin(&c, c.Run, x, y, w, rows.Picked(&c.Given.Labels))
	if err != nil {
		return nil, err
	}
	s, y, w := start.X, start.Y, start.W
	begin := time.Now()
	m := &Model{cfg: c}
	run := c.Run
	run.MemoryLimit = 0 // the plan has checked it
	run.Seed = partitionSeed(c.Seed)
	switch {
	case !c.Given.IsZero():
		label, router, err := c.Given.Divide(s)
		if err != nil {
			return nil, err
		}
		m.route.clusters, m.labels, m.cfg.Given = router.(clusters), label, kmeans.Partition{}
	case c.Partition == KMeans:
		m.route.clusters, err = c.kmeans(run).FitWeighted(ctx, s, w)
	case c.Partition == KernelKMeans:
		m.route.clusters, err = c.kernelKMeans(run).FitWeighted(ctx, s, w)
	case c.Partition == Voronoi:
		m.route.clusters, err = c.voronoi(run).Fit(ctx, s)
	}
	if err != nil {
		if e := ctx.Err(); e != nil {
			return nil, e
		}
		return nil, fmt.Errorf("partition: %w", err)
	}
	if m.labels == nil {
		m.labels = make([]int, s.N())
		if err := m.route.each(ctx, s, func(i int, dist []float64) { m.labels[i] = nearest(dist) }); err != nil {
			return nil, err
		}
	}
	groups := m.route.divide(m.labels)
	for _, g := range groups {
		m.stats.Sizes = append(m.stats.Sizes, len(g))
	}
	m.stats.PartitionSeconds = time.Since(begin).Seconds()
	begin = time.Now()
	local := c.Local
	local.Seed = c.Seed
	m.parts, err = fitParts(ctx, local, s, y, w, groups, c.Run)
	if m.parts == nil {
		return nil, err
	}
	m.cfg.Local.Run = gram.Run{}
	m.program = newProgram[float64](m)
	for _, p := range m.parts {
		m.stats.Iterations += p.Stats().Iterations
		m.stats.Residual = max(m.stats.Residual, p.Stats().Residual)
	}
	m.stats.FitSeconds = time.Since(begin).Seconds()
	m.labels = start.Labels(m.labels, given, m.route.clusters.Assign)
	return m, err
}

// Predict returns the value of the first function for every row.
func (m *Model) Predict(dst []float64, x mat.Matrix) []float64 {
	_, t := m.Dims()
	return rows.First("dckrr", dst, x, t, m.PredictAll)
}

// PredictAll returns the n×t values of all functions. It works on blocks of rows. A row costs
// n_i·d flops for a part of n_i rows.
func (m *Model) PredictAll(dst *mat.Dense, x mat.Matrix) *mat.Dense {
	d, t := m.Dims()
	dst = rows.Destination("dckrr", dst, x, d, t)
	program.Evaluate(m.cfg.Workers, softRows, m.program, dst, x)
	return dst
}

// Dims returns the number of columns of the data and of outputs.
func (m *Model) Dims() (d, outputs int) { return m.parts[0].Dims() }

// Parts returns the models of all parts. The slice must not be changed.
func (m *Model) Parts() []*krr.Model { return m.parts }

// Given returns the partition that the model was fitted with, in the form of Config.Given. Its
// clusters are the parts; clusters without a row that has a weight have no model. The partition
// must not be changed. That of a model read from a file has no labels.
func (m *Model) Given() kmeans.Partition {
	return kmeans.Partition{Labels: m.labels, Router: m.route.clusters}
}

// Clusters returns what assigns rows to clusters, a *kmeans.Model or a *kernelkmeans.Model, and
// the part of each cluster, −1 for one without a model, to which no row goes. They must not be
// changed.
func (m *Model) Clusters() (c kmeans.Assigner, part []int) { return m.route.clusters, m.route.part }

// Assign returns the part of every row of x, −1 for a row with NaN.
func (m *Model) Assign(dst []int, x mat.Matrix) []int {
	n, xd := x.Dims()
	if d, _ := m.Dims(); d != xd {
		panic("dckrr: x has the wrong number of columns")
	}
	if dst == nil {
		dst = make([]int, n)
	}
	if len(dst) != n {
		panic("dckrr: the destination has the wrong length")
	}
	var near []share
	_ = m.route.each(context.Background(), gram.Of(x), func(i int, dist []float64) {
		dst[i] = -1
		if near = shares(near[:0], m.route.part, dist, 1); len(near) > 0 {
			dst[i] = near[0].part
		}
	})
	return dst
}

// Config returns the settings with all defaults filled in.
func (m *Model) Config() Config { return m.cfg }

// Stats returns statistics of the fit. A model that was read from a file has only the sizes.
func (m *Model) Stats() Stats { return m.stats }

// ChooseLambda returns the λ of least leave-one-out error of kernel ridge regression on all rows at once, without parts.
func (c Config) ChooseLambda(ctx context.Context, x mat.Matrix, y *mat.Dense, w []float64) (float64, error) {
	return c.whole().ChooseLambda(ctx, x, y, w)
}

// ChooseLambdaClasses is ChooseLambda for the targets ±1 of FitClasses.
func (c Config) ChooseLambdaClasses(ctx context.Context, x mat.Matrix, y gram.Labels, w []float64) (float64, error) {
	return c.whole().ChooseLambdaClasses(ctx, x, y, w)
}

// whole is the configuration of one part with all rows.
func (c Config) whole() krr.Config {
	local := c.Local
	local.Run = c.Run
	return local
}
