package catalog

import (
	"context"
	"fmt"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/predict"
	"github.com/gramworks/gram/predict/approx"
	"gonum.org/v1/gonum/mat"
)

// Predictions are what a model says about rows. What is set depends on its task.
type Predictions struct {
	Class  []int           // classes: indices into Fitted.Names, −1 for a row with NaN
	Scores *mat.Dense      // classes, where asked for
	Value  []float64       // values
	Top    [][]gram.Scored // label sets: the best labels
}

// Predict scales the rows of x and predicts them; top is the number of labels
// of a model of label sets. The error names both numbers if x does not have the
// columns of the data the model was trained on.
func (f *Fitted) Predict(x mat.Matrix, scores bool, top int) (Predictions, error) {
	x, err := f.Scaled(x)
	if err != nil {
		return Predictions{}, err
	}
	var p Predictions
	switch m := f.Model.(type) {
	case gram.Classifier:
		p.Class = m.Predict(nil, x)
		if scores {
			p.Scores = m.Scores(nil, x)
		}
	case gram.Regressor:
		p.Value = m.Predict(nil, x)
	case gram.Ranker:
		p.Top = m.Top(nil, x, top)
	default:
		return p, fmt.Errorf("models of method %s do not predict", f.Method)
	}
	return p, nil
}

// Compile returns f with its model compiled; o.Points are rows of the data as
// they are.
func (f *Fitted) Compile(ctx context.Context, o predict.Options) (*Fitted, predict.Compiled, error) {
	if o.Points != nil {
		x, err := f.Scaled(o.Points)
		if err != nil {
			return nil, nil, err
		}
		o.Points = x
	}
	o.Candidates = approx.Candidates()
	m, err := predict.Compile(ctx, f.Model, o)
	if err != nil {
		return nil, nil, err
	}
	out := *f
	out.Method, out.Model = predict.FileMethod, m
	return &out, m, nil
}
