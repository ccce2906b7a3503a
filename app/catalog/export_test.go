package catalog

import (
	"github.com/gramworks/gram"
	"gonum.org/v1/gonum/mat"
)

// FewestTried is the number of rows from which settings are chosen.
const FewestTried = fewestTried

// Ridge is the configuration of krr.
type Ridge = ridge

// Completed is the configuration that f has after its settings, completed for x.
func Completed(f Fitter, x mat.Matrix, run gram.Run) (any, error) {
	return Plain(f).(interface {
		complete(mat.Matrix, gram.Run) (any, error)
	}).complete(x, run)
}

// Left is the number of choices that f makes for such data.
func Left(f Fitter, n, outputs int) int { return len(f.(*trier).left(n, outputs)) }
