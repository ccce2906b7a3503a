package catalog

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/basis"
	"github.com/gramworks/gram/algos/kernels/constraint"
	"github.com/gramworks/gram/algos/kernels/itml"
	"github.com/gramworks/gram/algos/linear"
	"github.com/gramworks/gram/algos/lowrank/machine"
	"github.com/gramworks/gram/algos/neighbors"
	"github.com/gramworks/gram/app/internal/par"
	"github.com/gramworks/gram/app/pipeline"
	"github.com/gramworks/gram/dataset"
	"github.com/gramworks/gram/kernel"
	"github.com/gramworks/gram/modelfile"
	"github.com/gramworks/gram/predict"
	"github.com/gramworks/gram/settings"
	"gonum.org/v1/gonum/mat"
)

// pairsFitter is the name of a file of pairs of rows to learn from, instead of pairs that are
// drawn from the classes; empty: none.
type pairsFitter string

const PairsFile = "pairs-file"

// describe adds the setting that names the file of pairs.
func (p *pairsFitter) describe(s *settings.Fields) {
	s.Add(p, PairsFile, "file", "file of pairs of rows to learn from, lines i,j,same or i,j,different of row numbers from 0; without it pairs are drawn from the classes", "",
		func(text string) error { *p = pairsFitter(text); return nil }, func() string { return string(*p) })
}

// read returns what the file says of the rows of d, nil without a file.
func (p pairsFitter) read(ctx context.Context, d *dataset.Set) ([]constraint.Statement, error) {
	if p == "" {
		return nil, nil
	}
	n, _ := d.Dims()
	return par.Await(ctx, func() ([]constraint.Statement, error) { return constraint.ReadFile(string(p), n) })
}

// onLearned holds the settings of a machine on features that are learned from classes or from
// pairs of rows: a linear model, or the nearest neighbors.
type onLearned[C any, P mapConfig[C]] struct {
	Map       C
	Linear    linear.Config
	File      pairsFitter
	Neighbors int
	gram.Run
}

// Settings describes those of the features and of both machines.
func (c *onLearned[C, P]) Settings(s *settings.Fields) {
	c.File.describe(s)
	s.Int(&c.Neighbors, "neighbors", "nearest neighbors, by distances in the learned kernel, that vote instead of the linear model; 0: the linear model").AtLeast(0)
	s.Part(P(&c.Map))
	s.Part(&c.Linear)
}

// SetRun sets the run of the learned kernel and of the functions on its features.
func (c *onLearned[C, P]) SetRun(run gram.Run) {
	P(&c.Map).SetRun(run)
	c.Linear.SetRun(run)
}

// Plan returns the expected cost of learning the kernel and of what is fitted to it: neighbors or linear
// functions.
func (c *onLearned[C, P]) Plan(s gram.Shape) (gram.Plan, error) {
	if c.Neighbors == 0 {
		return machine.Plan(P(&c.Map), c.Linear, s)
	}
	m, err := P(&c.Map).Features(s)
	if err != nil {
		return gram.Plan{}, err
	}
	p, err := P(&c.Map).Plan(s)
	features := 8 * int64(s.N) * int64(m)
	p.PeakBytes = max(p.PeakBytes, p.ModelBytes+3*features) // once packed
	p.ModelBytes += 2 * features
	p.Description += fmt.Sprintf("; %d nearest neighbors", c.Neighbors)
	return p, err
}

// learned returns what makes a Fitter of a machine on features that are learned by fit, from
// the classes where there are no statements.
func learned[C any, B basis.Basis, P mapConfig[C]](method string, c C, fit func(c C, ctx context.Context, x mat.Matrix, y gram.Labels, statements []constraint.Statement) (B, error)) func() Fitter {
	return of(onLearned[C, P]{Map: c}, func(ctx context.Context, c onLearned[C, P], d *dataset.Set) (modelfile.Model, error) {
		statements, err := c.File.read(ctx, d)
		if err != nil {
			return nil, err
		}
		b, err := fit(c.Map, ctx, d.X, d.Labels, statements)
		var slow *gram.ConvergenceError
		if err != nil && !(errors.As(err, &slow) && slow.Residual == slow.Residual) { // NaN: there is no model
			return nil, err
		}
		if c.Neighbors == 0 {
			m, failed := fitLinear(ctx, method, c.Linear, b, d)
			return m, cmp.Or(failed, err)
		}
		p, failed := c.Plan(gram.ShapeOf(d.X, len(d.Labels.Names)))
		if failed = cmp.Or(failed, c.Check(p)); failed != nil {
			return nil, failed
		}
		near, failed := neighbors.Config{Kernel: kernel.Linear{}, K: c.Neighbors, Run: c.Run}.Fit(ctx, b.Map(nil, d.X), d.Labels, d.Weight)
		if failed != nil {
			return nil, failed
		}
		return predict.OnFeatures(method, b, near), err
	})
}

// decodeLearned returns the decoder of models that the method stores: with neighbors, or linear functions of
// its features.
func decodeLearned[B basis.Basis](method string, decode func(*modelfile.File) (B, error)) func(*modelfile.File) (modelfile.Model, error) {
	return func(f *modelfile.File) (modelfile.Model, error) {
		if f.HasSub("machine") {
			return predict.DecodeFeatured(f, method, decode, decodeNeighbors)
		}
		return pipeline.DecodeLinear(f, method, decode)
	}
}

// decodeNeighbors reads the nearest neighbors in learned features. Earlier programs stored them as a model of package itml.
func decodeNeighbors(f *modelfile.File) (predict.Storable, error) {
	if f.Method() == "inductive" {
		return itml.DecodeClassifier(f)
	}
	return neighbors.Decode(f)
}
