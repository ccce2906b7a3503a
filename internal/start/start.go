// Package start holds what every Fit does before its own work.
package start

import (
	"github.com/gramworks/gram"
	"github.com/gramworks/gram/internal/rows"
	"gonum.org/v1/gonum/mat"
)

// Planner is a Config.
type Planner = gram.Planner

// Fit holds the plan of c for x, with the copy that x may need, against the
// limit of run, looks for NaN and infinities, and returns x as a *mat.Dense or
// a *sparse.CSR. Nothing is allocated before the limit is checked.
func Fit(run gram.Run, c Planner, x mat.Matrix, outputs int) (mat.Matrix, error) {
	s, err := run.Samples(c, x, outputs)
	if err != nil {
		return nil, err
	}
	return rows.Of(s), nil
}

// Shape is the shape of a problem with that many outputs.
func Shape(x mat.Matrix, outputs int) gram.Shape {
	return gram.ShapeOf(x, outputs)
}
