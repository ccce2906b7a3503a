package catalog

import (
	"context"
	"math"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/crossval"
	"github.com/gramworks/gram/dataset"
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

// BestC is the weight of the loss of a linear machine that suits the rows of held best.
var BestC = bestC

// MeanLoss is the mean by which f compares settings on d.
func MeanLoss(ctx context.Context, f Fitter, d *dataset.Set, splits []crossval.Split, run gram.Run) (float64, error) {
	losses, err := f.(*trier).losses(ctx, d, splits, nil, math.Inf(1), run)
	return meanOf(losses), err
}
