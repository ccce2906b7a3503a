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
	New:     of(recursive{}, fitRecursive),
	Decode:  rfm.DecodeAny,
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

// FitValues trains on values.
func (c recursive) FitValues(ctx context.Context, x mat.Matrix, y, w []float64) (*krr.Regressor, error) {
	m, err := c.Fit(ctx, x, y, w)
	return regressor(m, rfm.Method, err)
}
