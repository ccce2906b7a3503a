package catalog

import (
	"context"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/labels/plt"
	"github.com/gramworks/gram/dataset"
	"github.com/gramworks/gram/modelfile"
)

var pltMethod = Method{
	Name:    "plt",
	Summary: "label tree of linear functions for sets of very many labels (Parabel, Bonsai)",
	Tasks:   []dataset.Task{dataset.MultiLabel},
	New: func() Fitter {
		return pltFitter{of(plt.Config{}, tags(plt.Config.Fit))().(*estimator[plt.Config, *plt.Config])}
	},
	Decode: func(f *modelfile.File) (modelfile.Model, error) { return plt.Decode(f) },
}

// pltFitter is the Fitter of label trees, whose fits can also be made in pieces.
type pltFitter struct {
	*estimator[plt.Config, *plt.Config]
}

// Passes are the names of the passes: the trees, and the functions of their nodes.
func (f pltFitter) Passes() []string { return []string{"divide", "nodes"} }

// Piece returns an empty tree, or empty functions.
func (f pltFitter) Piece(pass int) Piece {
	if pass == dividePass {
		return &plt.Tree{}
	}
	return &plt.Piece{}
}

// Cut returns the fit to d as passes whose pieces can be made by different processes.
func (f pltFitter) Cut(d *dataset.Set, run gram.Run) (Cut, error) {
	if _, err := f.complete(d.X, run); err != nil {
		return nil, err
	}
	p, err := f.config.Pieces(d.X, d.Tags)
	if err != nil {
		return nil, f.bound.Named(err)
	}
	return pltCut{p}, nil
}

// pltCut is a fit of label trees in pieces.
type pltCut struct{ fit *plt.Pieces }

// Pieces is the number of trees, or of the pieces of their nodes.
func (c pltCut) Pieces(pass int) int {
	if pass == dividePass {
		return c.fit.Trees()
	}
	return c.fit.Number()
}

// Plan returns the expected cost of Make for piece k of the pass.
func (c pltCut) Plan(pass, k int, run gram.Run) gram.Plan {
	if pass == dividePass {
		return c.fit.PlanDivide(k, run)
	}
	return c.fit.PlanTrain(k, run)
}

// Make makes a tree, or functions of nodes.
func (c pltCut) Make(ctx context.Context, pass, k int, run gram.Run) (Piece, error) {
	if pass == dividePass {
		return c.fit.Divide(ctx, k, run)
	}
	return c.fit.Train(ctx, k, run)
}

// Take gives the fit the trees that the first pass has made, in the order of the pieces.
func (c pltCut) Take(ctx context.Context, _ int, all []Piece) error {
	trees := make([]*plt.Tree, len(all))
	for k, t := range all {
		trees[k] = t.(*plt.Tree)
	}
	return c.fit.SetTrees(ctx, trees)
}

// Join returns the model of the trees and of the functions of their nodes, which piece returns in the order of the pieces.
func (c pltCut) Join(ctx context.Context, piece func(k int) (Piece, error), run gram.Run) (modelfile.Model, error) {
	return result(c.fit.Join(ctx, func(k int) (*plt.Piece, error) {
		s, err := piece(k)
		if err != nil {
			return nil, err
		}
		return s.(*plt.Piece), nil
	}, run))
}
