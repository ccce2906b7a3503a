package svm

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/cluster/kmeans"
	"github.com/gramworks/gram/internal/rows"
	"github.com/gramworks/gram/kernel"
	"github.com/gramworks/gram/num/rng"
	"github.com/gramworks/gram/settings"
	"gonum.org/v1/gonum/mat"
)

// Start says what a fit starts from. The model is optimal to its tolerance whatever that is.
type Start uint8

// A fit can start from these coefficients.
const (
	AutoStart    Start = iota // ClusterStart for problems of at least 10 000 rows, except for a kernel.Precomputed or kernel.Matrix; else ZeroStart
	ZeroStart                 // coefficients of zero
	ClusterStart              // coefficients of the problems of clusters; see Clusters
)

// String returns the name as the command line takes it: auto, zero or clusters.
func (s Start) String() string { return settings.Name(s, "auto", "zero", "clusters") }

// clusteredRows is the number of rows of a problem from which clusters save more time
// than they take: half of it for ijcnn1 and a9a, nothing at 6000 rows, and the pairs of
// classes of pendigits and usps take twice as long with them.
const clusteredRows = 10000

// clustered reports whether a fit to n rows of that many classes starts from clusters.
func (c Config) clustered(n, classes int) bool {
	if c.Start != AutoStart {
		return c.Start == ClusterStart
	}
	switch c.Kernel.(type) {
	case *kernel.Precomputed, kernel.Matrix:
		return false
	}
	if c.pairs(classes) {
		n = 2 * n / classes
	}
	return n >= clusteredRows
}

// Clusters holds the settings of the divide-and-conquer solver (DC-SVM) of the exact problem of Config, which starts
// from the problems of clusters. Package dcsvm describes it.
//
// A fit takes settings that are not given at their defaults; crossval.Tune chooses C by the data.
type Clusters struct {
	Machine Config
	Branch  int           // number of clusters that are joined from one level to the next; default 32
	Levels  gram.Opt[int] // number of levels of clusters, below that of all rows; default as many as it takes that clusters have at most 2000 rows
	// Given holds clusters of each level, the lowest level first, to be used instead of a tree.
	// Branch is then ignored, and Levels is len(Given).
	Given    []kmeans.Partition `json:"-"`
	LevelTol float64            // Tol of the problems before the last one; default 0.1, or Tol if that is more
}

// Level holds figures of one level of a fit of Clusters, in which the problem of each part is solved for the rows of that part
// alone.
type Level struct {
	Parts      int     // number of clusters; 1 for all rows and for the support vectors alone
	Labels     []int   // cluster of every row; nil for all rows and for the support vectors alone
	Rows       int     // number of rows of all parts
	Support    int     // number of support vectors after the level
	Iterations int     // iterations of all problems
	Objective  float64 // sum of the duals of all parts and functions
	Seconds    float64
}

// ClusterStats describes a finished fit from clusters. Levels begin with the lowest. The last two are the support
// vectors alone and all rows.
type ClusterStats struct {
	Levels           []Level
	PartitionSeconds float64
}

// Settings gives the name, default, range and help of every setting, from which fits, flags and the reference page
// follow.
func (c *Clusters) Settings(s *settings.Fields) {
	s.Embedded(&c.Machine, "start")
	kernel.NoMatrix(s, &c.Machine.Kernel)
	s.Int(&c.Branch, "branch", "clusters that are joined from one level to the next").Default(32).AtLeast(2)
	levels := 0
	for size := s.Shape.N; size > 2000 && c.Branch > 1; size /= c.Branch {
		levels++
	}
	if c.Given != nil && s.Resolving() {
		levels = len(c.Given)
		s.Require(!c.Levels.Given() || c.Levels.Value() == levels, &c.Levels, "%d, the levels that are given", levels)
		for i, p := range c.Given {
			if s.Check(p.Fits(s.Shape)); p.IsZero() {
				s.Refuse(&c.Given, fmt.Sprintf("nothing for level %d", i), "the clusters of each level")
			}
		}
	}
	s.OptInt(&c.Levels, "levels", "levels of clusters; 0: none").
		DefaultRule(levels, "as many as it takes that clusters have at most 2000 rows").AtLeast(0).AtMost(20)
	s.Float(&c.LevelTol, "level-tol", "tol of the problems before the last one").DefaultRule(max(0.1, c.Machine.Tol), "0.1, or tol if that is more").Above(0)
}

// SetRun sets the seed, the workers, the memory limit and the progress function of a fit.
func (c *Clusters) SetRun(run gram.Run) { c.Machine.SetRun(run) }

// GetRun returns the seed, the workers, the memory limit and the progress function of a fit.
func (c *Clusters) GetRun() gram.Run { return c.Machine.Run }

// tree returns the settings of the clusters. The work of k-means is bounded, because more of it
// would hardly improve the start.
func (c Clusters) tree(run gram.Run) kmeans.Tree {
	return kmeans.Tree{Branch: c.Branch, Depth: max(1, c.Levels.Value()), Leaf: 100, Split: kmeans.Config{MaxIter: 10, Sample: 100 * min(c.Branch, 1<<20)}, Run: run}
}

// Plan returns the expected cost of Fit for data of shape s: that of the exact problem and of the
// partition.
func (c Clusters) Plan(s gram.Shape) (gram.Plan, error) {
	c, err := settings.Resolved(c, s)
	if err != nil {
		return gram.Plan{}, err
	}
	start := 16 * int64(s.N) * int64(c.Machine.Functions(s.Outputs)) // coefficients of a level and of its parts
	if c.Machine.MemoryLimit > 0 {
		c.Machine.MemoryLimit = max(1, c.Machine.MemoryLimit-start)
	}
	c.Machine.Start = ZeroStart // the plan of the last problem
	p, err := c.Machine.Plan(s)
	if err != nil {
		return gram.Plan{}, err
	}
	var t gram.Plan
	if c.Given == nil {
		if t, err = c.tree(c.Machine.Run).Plan(s); err != nil {
			return gram.Plan{}, err
		}
	}
	p.Flops += t.Flops
	p.PeakBytes = max(p.PeakBytes, t.PeakBytes) + start
	p.Description = fmt.Sprintf("%s; %d levels of clusters first", p.Description, c.Levels.Value())
	return p, nil
}

// Fit trains level by level. The model solves the problem that Machine has on all rows, up to its Tol. w are
// weights of the rows; nil means ones. If ctx ends the fit, the model has the coefficients so far,
// and zero constants before the last level.
func (c Clusters) Fit(ctx context.Context, x mat.Matrix, y gram.Labels, w []float64) (*Model, ClusterStats, error) {
	var stats ClusterStats
	levels := c.Given
	c.Given = slices.Clone(levels)
	var keep []func(kept []int) error
	for i := range c.Given {
		keep = append(keep, rows.Picked(&c.Given[i].Labels))
	}
	start, err := rows.Begin(&c, c.Machine.Run, x, y, w, keep...)
	if err != nil {
		return nil, stats, err
	}
	s, y, w := start.X, start.Y, start.W
	begin := time.Now()
	run := c.Machine.Run
	run.Seed = rng.Derive(c.Machine.Seed, "partition")
	var tree *kmeans.TreeModel
	if c.Levels.Value() > 0 && c.Given == nil {
		if tree, err = c.tree(run).Fit(ctx, s); err != nil {
			return nil, stats, err
		}
	}
	stats.PartitionSeconds = time.Since(begin).Seconds()
	level := c.Machine
	level.Tol = c.LevelTol
	var coef *mat.Dense
	for depth := c.Levels.Value(); depth >= 1; depth-- {
		var label, labels []int
		var parts int
		var assign func(dst []int, x mat.Matrix) []int // for the rows that were left out
		if c.Given != nil {
			var router kmeans.Assigner
			given := c.Given[c.Levels.Value()-depth]
			if label, router, err = given.Divide(s); err != nil {
				break
			}
			parts, labels, assign = given.Parts(), levels[c.Levels.Value()-depth].Labels, router.Assign
		} else {
			var part []int
			part, parts = tree.Level(depth)
			label = rows.Pick(part, tree.Labels())
			assign = func(dst []int, x mat.Matrix) []int { return rows.Pick(part, tree.Assign(dst, x)) }
		}
		err = c.level(ctx, level, s, y, w, rows.Groups(label, parts), &coef, &stats)
		stats.Levels[len(stats.Levels)-1].Labels = start.Labels(label, labels, assign)
		if err != nil {
			break
		}
	}
	// After an error of a level the start is worse, but the last problem determines the result.
	if coef != nil && err == nil {
		support := supportOf(coef)
		if len(support) > 0 && len(support) < s.N() {
			_ = c.level(ctx, level, s, y, w, [][]int{support}, &coef, &stats)
		}
	}
	if stopped := ctx.Err(); stopped != nil {
		if coef == nil {
			return nil, stats, stopped
		}
		_, functions := coef.Dims()
		m, e := NewModel(c.Machine, y.Names, s, coef, make([]float64, functions))
		if e != nil {
			return nil, stats, e
		}
		rows.Renumber(m.Support(), start.Kept)
		return m, stats, stopped
	}
	begin = time.Now()
	m, err := c.Machine.FitFrom(ctx, s, y, w, coef)
	if m != nil {
		rows.Renumber(m.Support(), start.Kept)
		last := Level{Parts: 1, Rows: s.N(), Support: m.Stats().Support, Seconds: time.Since(begin).Seconds()}
		for _, s := range m.Stats().Problems {
			last.Iterations += s.Iterations
			last.Objective += s.Objective
		}
		stats.Levels = append(stats.Levels, last)
	}
	return m, stats, err
}

// level solves the problems of all parts. It starts from the coefficients in coef and replaces them
// by the results.
func (c Clusters) level(ctx context.Context, machine Config, x gram.Samples[float64], y gram.Labels, w []float64, index [][]int, coef **mat.Dense, stats *ClusterStats) error {
	begin := time.Now()
	n, _ := x.Dims()
	l := Level{Parts: len(index)}
	solved, err := machine.TrainParts(ctx, fmt.Sprintf("%d clusters", len(index)), x, y, w, index, *coef)
	for k, s := range solved {
		l.Rows += len(index[k])
		if s.Coef == nil {
			continue
		}
		if *coef == nil {
			*coef = mat.NewDense(n, len(s.Bias), nil)
		}
		for j, i := range index[k] {
			(*coef).SetRow(i, s.Coef.RawRowView(j))
		}
		for _, t := range s.Stats {
			l.Iterations += t.Iterations
			l.Objective += t.Objective
		}
	}
	if *coef != nil {
		l.Support = len(supportOf(*coef))
	}
	l.Seconds = time.Since(begin).Seconds()
	stats.Levels = append(stats.Levels, l)
	if ctx.Err() == nil {
		return nil // coefficients that have not converged can still serve as a start
	}
	return err
}

// supportOf returns the numbers of the rows of coef that are not all zeros, ascending.
func supportOf(coef *mat.Dense) []int {
	n, _ := coef.Dims()
	var index []int
	for i := range n {
		for _, v := range coef.RawRowView(i) {
			if v != 0 {
				index = append(index, i)
				break
			}
		}
	}
	return index
}
