package catalog

import (
	"context"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/crossval"
	"github.com/gramworks/gram/dataset"
	"gonum.org/v1/gonum/mat"
)

// Ridge is the configuration of krr.
type Ridge = krrFitter

// Completed is the configuration that f has after its settings, completed for x.
func Completed(f Fitter, x mat.Matrix, run gram.Run) (any, error) {
	return Plain(f).(interface {
		complete(mat.Matrix, gram.Run) (any, error)
	}).complete(x, run)
}

// Left is the number of choices that f makes for such data.
func Left(f Fitter, n, outputs int) int { return len(crossval.Open(f.Settings(), n, outputs)) }

// MeanLoss is the mean loss of f by which its settings are compared on d.
func MeanLoss(ctx context.Context, f Fitter, d *dataset.Set, splits []crossval.Split, run gram.Run) (float64, error) {
	return f.(*chooser).choice(d, run).Loss(ctx, nil, splits)
}
