package catalog

import (
	"context"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/learned/widths"
	"github.com/gramworks/gram/algos/multiclass"
	"gonum.org/v1/gonum/mat"
)

// Widths holds the settings of ridge regressions whose kernel gets its widths, and λ, before the fit, by the
// leave-one-out error.
type Widths struct {
	ARD     bool `json:"-"`
	ARDRows int  `json:"-"`
	learned bool // the configuration has them
}

// by returns the configuration for learning length scales: the leave-one-out error of ARDRows rows.
func (l *Widths) by() widths.Config {
	return widths.Config{Criterion: widths.LeaveOneOut, Rows: l.ARDRows}
}

// wide is the configuration of a ridge regression, C, that learns widths.
type wide[C any] interface {
	Plan(s gram.Shape) (gram.Plan, error)
	PlanWithWidths(by widths.Config, s gram.Shape) (gram.Plan, error)
	WithWidths(ctx context.Context, by widths.Config, x mat.Matrix, y *mat.Dense, w []float64) (C, widths.Stats, error)
	WithWidthsClasses(ctx context.Context, by widths.Config, x mat.Matrix, y gram.Labels, w []float64) (C, widths.Stats, error)
}

// planClasses returns the plan of the functions of s.Outputs classes.
func planClasses[C wide[C]](l *Widths, c C, s gram.Shape) (gram.Plan, error) {
	s.Outputs = multiclass.Functions(s.Outputs)
	if !l.ARD {
		return c.Plan(s)
	}
	return c.PlanWithWidths(l.by(), s)
}

// learn gives c its widths, once, for the columns of y.
func learn[C wide[C]](ctx context.Context, l *Widths, c *C, x mat.Matrix, y *mat.Dense, w []float64) (err error) {
	if !l.ARD || l.learned {
		return nil
	}
	*c, _, err = (*c).WithWidths(ctx, l.by(), x, y, w)
	l.learned = err == nil
	return err
}

// learnValues learns the length scales for targets of one output and sets them in c.
func learnValues[C wide[C]](ctx context.Context, l *Widths, c *C, x mat.Matrix, y, w []float64) error {
	if len(y) == 0 { // the fit refuses it
		return nil
	}
	return learn(ctx, l, c, x, mat.NewDense(len(y), 1, y), w)
}

// learnClasses learns the length scales for classes and sets them in c, once.
func learnClasses[C wide[C]](ctx context.Context, l *Widths, c *C, x mat.Matrix, y gram.Labels, w []float64) (err error) {
	if !l.ARD || l.learned {
		return nil
	}
	*c, _, err = (*c).WithWidthsClasses(ctx, l.by(), x, y, w)
	l.learned = err == nil
	return err
}
