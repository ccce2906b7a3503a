package tables

import (
	"github.com/gramworks/gram/dataset"
	"gonum.org/v1/gonum/mat"
)

// unitPixels loads the training images of MNIST, pixels divided by 255.
func unitPixels(e Env) (mat.Matrix, bool, error) {
	train, _, ok, err := e.load("mnist", dataset.Options{Storage: dataset.Dense})
	if !ok {
		return nil, false, err
	}
	x := train.X.(*mat.Dense)
	x.Scale(1./255, x)
	return x, true, nil
}
