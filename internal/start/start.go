// Package start holds what every Fit does before its own work.
package start

import (
	"github.com/gramworks/gram"
	"github.com/gramworks/gram/internal/check"
	"github.com/gramworks/gram/internal/rows"
	"github.com/gramworks/gram/sparse"
	"gonum.org/v1/gonum/mat"
)

// Planner is a Config.
type Planner interface {
	Plan(gram.Shape) (gram.Plan, error)
}

// Fit holds the plan of c for x, with the copy that x may need, against the
// limit of run, looks for NaN and infinities, and returns x as a *mat.Dense or
// a *sparse.CSR. Nothing is allocated before the limit is checked.
func Fit(run gram.Run, c Planner, x mat.Matrix, outputs int) (mat.Matrix, error) {
	plan, err := c.Plan(Shape(x, outputs))
	if err != nil {
		return nil, err
	}
	plan.PeakBytes += rows.CopyBytes(x)
	if err := run.Check(plan); err != nil {
		return nil, err
	}
	if err := check.Finite(x); err != nil {
		return nil, err
	}
	return rows.Of(x), nil
}

// Shape is the shape of a problem with that many outputs.
func Shape(x mat.Matrix, outputs int) gram.Shape {
	n, d := x.Dims()
	s := gram.Shape{N: n, D: d, Outputs: outputs}
	if a, ok := x.(*sparse.CSR); ok {
		s.NNZ = int64(a.NNZ())
	}
	return s
}
