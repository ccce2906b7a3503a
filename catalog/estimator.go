package catalog

import (
	"context"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/dataset"
	"github.com/gramworks/gram/modelfile"
	"github.com/gramworks/gram/pipeline"
	"gonum.org/v1/gonum/mat"
)

// planOf is the plan of the estimator that config makes of the settings.
func planOf[C interface {
	Plan(gram.Shape) (gram.Plan, error)
}](config func(mat.Matrix, gram.Run) (C, error), s gram.Shape) (gram.Plan, error) {
	c, err := config(nil, gram.Run{})
	if err != nil {
		return gram.Plan{}, err
	}
	return c.Plan(s)
}

// fitOn fits the feature map that config makes of the settings, then the linear
// model on it. The map is there if the model is.
func fitOn[M pipeline.Map, C interface {
	Fit(context.Context, mat.Matrix) (M, error)
}](ctx context.Context, method string, config func(mat.Matrix, gram.Run) (C, error), l *linearFlags, d *dataset.Set, run gram.Run) (modelfile.Model, M, error) {
	var none M
	c, err := config(d.X, run)
	if err != nil {
		return nil, none, err
	}
	if err := l.check(); err != nil {
		return nil, none, err
	}
	m, err := c.Fit(ctx, d.X)
	if err != nil {
		return nil, none, err
	}
	model, err := l.fit(ctx, method, m, d, run)
	return model, m, err
}
