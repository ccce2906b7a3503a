package bka

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/cluster/kmeans"
	"github.com/gramworks/gram/algos/svm"
	"github.com/gramworks/gram/internal/rows"
	"github.com/gramworks/gram/kernel"
	"github.com/gramworks/gram/num/rng"
	"github.com/gramworks/gram/settings"
	"gonum.org/v1/gonum/mat"
)

// SVM holds the settings of a support vector classifier on the block kernel approximation
// (BKA-SVM). It solves the dual of svm.Config with the kernel matrix replaced by its diagonal
// blocks: one problem for each cluster.
//
// A fit takes settings that are not given at their defaults; crossval.Tune chooses C by the data.
type SVM struct {
	Machine svm.Config // settings of every cluster; CacheBytes is for all clusters together
	Partition
	// Whole makes predictions with the coefficients of all clusters together, like the exact
	// model ([S16] (3.8)). It requires NoBias, because every cluster has its own constant. By
	// default only the model of the row's cluster is evaluated (early prediction), which takes
	// 1/Clusters of the time.
	Whole bool
}

// Stats holds figures of a finished fit, for reports and comparisons. Predictions do not depend on them.
type Stats struct {
	Sizes      []int   // number of rows of each cluster
	Constant   int     // number of clusters with a single class, including empty ones
	Support    int     // number of support vectors of all clusters
	Iterations int     // iterations of all problems
	Violation  float64 // largest violation of a problem
	Objective  float64 // sum of the duals of all problems

	PartitionSeconds float64
	SolveSeconds     float64
}

// Settings gives the name, default, range and help of every setting, from which fits, flags and the reference page
// follow.
func (c *SVM) Settings(s *settings.Fields) {
	s.Embedded(&c.Machine, "start")
	kernel.NoMatrix(s, &c.Machine.Kernel)
	if s.Resolving() {
		c.Machine.Start = svm.ZeroStart // clusters are small
	}
	if !s.Resolving() || c.Given.IsZero() {
		s.Int(&c.Clusters, "clusters", "clusters").DefaultRule(max(1, s.Shape.N/1000), "one for each 1000 rows").
			AtLeast(1).AtMostRule(s.Shape.N, "the number of rows")
	}
	s.Embedded(&c.Partition, "clusters")
	s.Bool(&c.Whole, "whole", "predict by the coefficients of all clusters; needs no-bias")
	s.Require(!c.Whole || c.Machine.NoBias, &c.Machine.NoBias, "true for the coefficients of all clusters, whose constants differ")
}

// SetRun sets the seed, the workers, the memory limit and the progress function of a fit.
func (c *SVM) SetRun(run gram.Run) { c.Machine.SetRun(run) }

// GetRun returns the seed, the workers, the memory limit and the progress function of a fit.
func (c *SVM) GetRun() gram.Run { return c.Machine.Run }

// Plan returns the expected cost of Fit for data of shape s. It assumes clusters of equal size.
func (c SVM) Plan(s gram.Shape) (gram.Plan, error) {
	c, err := settings.Resolved(c, s)
	if err != nil {
		return gram.Plan{}, err
	}
	p, err := c.plan(s, c.Machine.Run)
	if err != nil {
		return p, err
	}
	part := s
	part.N = max(1, s.N/c.Clusters)
	part.NNZ = s.NNZ / int64(c.Clusters)
	side := int64(1)
	if w := c.Machine.NumWorkers(); c.Clusters >= w {
		side = int64(w)
	}
	one := c.Machine
	one.MemoryLimit, one.Workers, one.CacheBytes = 0, 1, max(1, one.CacheBytes/side)
	q, err := one.Plan(part)
	if err != nil {
		return p, err
	}
	model := int64(c.Clusters) * q.ModelBytes
	part.Outputs, one.ClassWeights = 2, nil // a cluster may have rows of only two classes
	if q, err = one.Plan(part); err != nil {
		return p, err
	}
	coef := 8 * int64(s.N) * int64(one.Functions(s.Outputs)) // of all rows in all functions
	return gram.Plan{
		Flops:       p.Flops + float64(c.Clusters)*q.Flops,
		PeakBytes:   max(p.PeakBytes, side*q.PeakBytes+coef+2*model),
		ModelBytes:  model,
		Description: fmt.Sprintf("support vector machines of %d clusters; %s", c.Clusters, p.Description),
	}, nil
}

// Fit divides the rows of x and trains the machines of the clusters, several at a time. w are
// weights of the rows; nil means ones. Fit neither keeps nor changes x. A cluster with a single
// class predicts a constant, ±1 or all votes; with NoBias it is the kernel expansion that solves
// its dual, like any other cluster. If ctx ends the fit after the partition, clusters that were
// not trained predict their most frequent class.
func (c SVM) Fit(ctx context.Context, x mat.Matrix, y gram.Labels, w []float64) (*Model, error) {
	given := c.Given.Labels
	start, err := rows.Begin(&c, c.Machine.Run, x, y, w, rows.Picked(&c.Given.Labels))
	if err != nil {
		return nil, err
	}
	all, y, w := start.X, start.Y, start.W
	begin := time.Now()
	run := c.Machine.Run
	run.Seed = rng.Derive(c.Machine.Seed, "partition")
	label, clusters, r, err := c.divide(ctx, all, run)
	if err != nil {
		return nil, err
	}
	index := rows.Groups(label, clusters)
	m := &Model{cfg: c, names: y.Names, router: r, labels: start.Labels(label, given, r.Assign), constant: make([]int, len(index))}
	m.cfg.Given = kmeans.Partition{}
	for _, list := range index {
		m.stats.Sizes = append(m.stats.Sizes, len(list))
	}
	m.stats.PartitionSeconds = time.Since(begin).Seconds()
	begin = time.Now()
	// The class of clusters with a single class and, for clusters without rows, the most
	// frequent class of all rows.
	overall, _ := commonest(y.Class, w, nil, len(y.Names))
	for k, list := range index {
		m.constant[k] = -1
		if len(list) == 0 {
			m.constant[k] = overall
		} else if class, only := commonest(y.Class, w, list, len(y.Names)); only {
			m.constant[k] = class
		}
		if m.constant[k] >= 0 {
			m.stats.Constant++
		}
	}
	// With a constant, zero coefficients solve the dual of a cluster with one class. Without a
	// constant the solution is an expansion like any other.
	train := slices.Clone(index)
	for k, class := range m.constant {
		switch {
		case class >= 0 && !c.Machine.NoBias:
			train[k] = nil
		case len(index[k]) > 0 && !c.Whole:
			m.constant[k] = -1
		}
	}
	parts, err := c.Machine.TrainParts(ctx, "clusters", all, y, w, train, nil)
	var wholeCoef *mat.Dense
	m.local = make([]*svm.Model, len(index))
	for k, s := range parts {
		if s.Coef == nil || slices.ContainsFunc(s.Stats, func(s svm.SolveStats) bool { return s.Seconds == 0 }) {
			if m.constant[k] < 0 {
				m.constant[k], _ = commonest(y.Class, w, index[k], len(y.Names))
			}
			continue
		}
		for _, t := range s.Stats {
			m.stats.Iterations += t.Iterations
			m.stats.Support += t.Support
			m.stats.Objective += t.Objective
			m.stats.Violation = max(m.stats.Violation, t.Violation)
		}
		if c.Whole {
			if wholeCoef == nil {
				wholeCoef = mat.NewDense(all.N(), len(s.Bias), nil)
			}
			for j, i := range index[k] {
				wholeCoef.SetRow(i, s.Coef.RawRowView(j))
			}
			continue
		}
		local, e := svm.NewModel(c.Machine, y.Names, all.Select(index[k]), s.Coef, s.Bias)
		if e != nil {
			return nil, e
		}
		m.local[k] = local
	}
	if c.Whole {
		if wholeCoef == nil {
			return nil, err
		}
		_, functions := wholeCoef.Dims()
		whole, e := svm.NewModel(c.Machine, y.Names, all, wholeCoef, make([]float64, functions))
		if e != nil {
			return nil, e
		}
		m.whole = whole
	}
	m.stats.SolveSeconds = time.Since(begin).Seconds()
	return m, err
}

// commonest returns the class with the largest sum of weights among the given rows, the first of
// equals, and whether the rows have no other class. A nil index means all rows; a nil w means
// ones.
func commonest(class []int, w []float64, index []int, classes int) (best int, only bool) {
	weight := make([]float64, classes)
	add := func(i int) {
		if w == nil {
			weight[class[i]]++
		} else {
			weight[class[i]] += w[i]
		}
	}
	if index != nil {
		for _, i := range index {
			add(i)
		}
	} else {
		for i := range class {
			add(i)
		}
	}
	others := 0
	for c, v := range weight {
		if v > 0 {
			others++
		}
		if v > weight[best] {
			best = c
		}
	}
	return best, others <= 1
}
