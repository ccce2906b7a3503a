package catalog

import (
	"context"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/krr"
	"github.com/gramworks/gram/algos/learned/rfm"
	"github.com/gramworks/gram/dataset"
	"github.com/gramworks/gram/modelfile"
	"gonum.org/v1/gonum/mat"
)

var rfmMethod = Method{
	Name:    rfm.Method,
	Summary: "recursive feature machine: kernel ridge regression with the Laplace kernel, whose metric is learned from its own gradients; classes as in krr",
	Tasks:   []dataset.Task{dataset.Classes, dataset.Regression},
	Scaled:  true,
	Blocks:  true,
	New: func() Fitter {
		return rfmFitter{of(recursive{}, fitRecursive)().(*estimator[recursive, *recursive])}
	},
	Decode: rfm.DecodeAny,
}

// recursive is a recursive feature machine for classes or for values.
type recursive struct{ rfm.Config }

// fitRecursive trains with a block of the metric for each category.
func fitRecursive(ctx context.Context, c recursive, d *dataset.Set) (modelfile.Model, error) {
	c.Given.Groups = blocksOf(d.Schema)
	return byTask(classes(recursive.FitClasses), values(recursive.FitValues))(ctx, c, d)
}

// blocksOf returns the columns that have a name in common, nil without any.
func blocksOf(s *dataset.Schema) (blocks [][]int) {
	if s == nil {
		return nil
	}
	for j, c := range s.Columns {
		switch {
		case c.Name == "" || j == 0 || c.Name != s.Columns[j-1].Name:
		case len(blocks) > 0 && s.Columns[blocks[len(blocks)-1][0]].Name == c.Name:
			blocks[len(blocks)-1] = append(blocks[len(blocks)-1], j)
		default:
			blocks = append(blocks, []int{j - 1, j})
		}
	}
	return blocks
}

// Plan returns what the functions of all classes cost together.
func (c recursive) Plan(s gram.Shape) (gram.Plan, error) { return c.PlanClasses(s) }

// FitValues fits a regression to values, with the method's name in its file.
func (c recursive) FitValues(ctx context.Context, x mat.Matrix, y, w []float64) (*krr.Regressor, error) {
	m, err := c.Fit(ctx, x, y, w)
	return regressor(m, rfm.Method, err)
}

// rfmFitter is the Fitter of recursive feature machines, whose fits can also be made in pieces.
type rfmFitter struct {
	*estimator[recursive, *recursive]
}

// Passes are the names of the passes: what the leaves share, and the leaves.
func (f rfmFitter) Passes() []string { return []string{"divide", "leaves"} }

// Piece returns an empty division, or an empty leaf.
func (f rfmFitter) Piece(pass int) Piece {
	if pass == dividePass {
		return &rfm.Division{}
	}
	return &rfm.Leaf{}
}

// Cut returns the fit to d as passes whose pieces can be made by different processes.
func (f rfmFitter) Cut(d *dataset.Set, run gram.Run) (Cut, error) {
	if _, err := f.complete(d.X, run); err != nil {
		return nil, err
	}
	c := f.config
	c.Given.Groups = blocksOf(d.Schema)
	cut := rfmCut{classes: d.Labels.Names, classifies: d.Task() == dataset.Classes}
	var err error
	if cut.classifies {
		if err := oneClass(d); err != nil {
			return nil, err
		}
		cut.fit, err = c.PiecesClasses(d.X, d.Labels, d.Weight)
	} else {
		y := &mat.Dense{}
		if len(d.Value) > 0 {
			y = mat.NewDense(len(d.Value), 1, d.Value)
		}
		cut.fit, err = c.Pieces(d.X, y, d.Weight)
	}
	return cut, f.bound.Named(err)
}

// rfmCut is a fit of a recursive feature machine in pieces.
type rfmCut struct {
	fit        *rfm.Pieces
	classifies bool
	classes    []string
}

// Pieces is one, or the number of leaves.
func (c rfmCut) Pieces(pass int) int {
	if pass == dividePass {
		return 1
	}
	return c.fit.Number()
}

// Plan returns the expected cost of Make for a piece of the pass.
func (c rfmCut) Plan(pass, _ int, run gram.Run) gram.Plan {
	if pass == dividePass {
		return c.fit.PlanDivide(run)
	}
	return c.fit.PlanTrain(run)
}

// Make divides the rows in the first pass and trains leaf k in the second.
func (c rfmCut) Make(ctx context.Context, pass, k int, run gram.Run) (Piece, error) {
	if pass == dividePass {
		return c.fit.Divide(ctx, run)
	}
	return c.fit.Train(ctx, k, run)
}

// Take gives the fit the division that the only piece of the first pass has made.
func (c rfmCut) Take(_ context.Context, _ int, all []Piece) error {
	return c.fit.SetDivision(all[0].(*rfm.Division))
}

// Join returns the model of the leaves, which piece returns in their order: a classifier if the data have classes.
func (c rfmCut) Join(ctx context.Context, piece func(k int) (Piece, error), run gram.Run) (modelfile.Model, error) {
	m, err := c.fit.Join(ctx, func(k int) (*rfm.Leaf, error) {
		s, err := piece(k)
		if err != nil {
			return nil, err
		}
		return s.(*rfm.Leaf), nil
	}, run)
	if err != nil {
		return nil, err
	}
	if c.classifies {
		return krr.NewClassifier(m, rfm.Method, c.classes), nil
	}
	return krr.NewRegressor(m, rfm.Method), nil
}
