package pipeline

import (
	"context"
	"fmt"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/predict"
	"github.com/gramworks/gram/predict/approx"
	"gonum.org/v1/gonum/mat"
)

// Predictions are the predictions for some rows. The task of the model says which
// fields are set.
type Predictions struct {
	Class  []int           // for classes: indices into Model.Names, −1 for a row with NaN
	Scores *mat.Dense      // for classes, if asked for
	Value  []float64       // for values
	Top    [][]gram.Scored // for label sets: the best labels
}

// Predict scales the rows of x and predicts them. top is the number of labels per
// row for a model of label sets. It returns an error that states both numbers if
// x has another number of columns than the training data.
func (p *Model) Predict(x mat.Matrix, scores bool, top int) (Predictions, error) {
	x, err := p.Scaled(x)
	if err != nil {
		return Predictions{}, err
	}
	var out Predictions
	switch m := p.Model.(type) {
	case gram.Classifier:
		out.Class = m.Predict(nil, x)
		if scores {
			out.Scores = m.Scores(nil, x)
		}
	case gram.Regressor:
		out.Value = m.Predict(nil, x)
	case gram.Ranker:
		out.Top = m.Top(nil, x, top)
	default:
		return out, fmt.Errorf("models of method %s do not predict", p.Method)
	}
	return out, nil
}

// Compile returns p with its model compiled. o.Points are rows of unscaled data.
// If o names no candidates, the approximations of package approx are the
// candidates.
func (p *Model) Compile(ctx context.Context, o predict.Options) (*Model, predict.Compiled, error) {
	if o.Points != nil {
		x, err := p.Scaled(o.Points)
		if err != nil {
			return nil, nil, err
		}
		o.Points = x
	}
	if o.Candidates == nil {
		o.Candidates = approx.Candidates()
	}
	m, err := predict.Compile(ctx, p.Model, o)
	if err != nil {
		return nil, nil, err
	}
	out := *p
	out.Method, out.Model = predict.FileMethod, m
	return &out, m, nil
}
