package krr

import (
	"context"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/learned/widths"
	"gonum.org/v1/gonum/mat"
)

// WithWidths returns c with a kernel that has a width for each column, a *kernel.Scaled, and with the λ that is learned together with
// the widths unless c has one. The fit with that configuration may use other rows, and more. y holds n×t targets and w the weights of
// the rows, nil for ones, as for FitAll.
//
// by says how widths are learned: with its criterion LeaveOneOut, by the error by which ChooseLambda chooses λ. The kernel, λ and the
// other settings that both have are taken from c; see Learner. WithWidths returns the errors of widths.Config.Learn.
func (c Config) WithWidths(ctx context.Context, by widths.Config, x mat.Matrix, y *mat.Dense, w []float64) (Config, widths.Stats, error) {
	learned, err := c.Learner(by).Learn(ctx, x, y, w)
	if err != nil {
		return c, widths.Stats{}, err
	}
	c.Kernel = learned.Kernel
	if !c.Lambda.Given() {
		c.Lambda = gram.Set(learned.Lambda)
	}
	return c, learned.Stats, nil
}

// WithWidthsClasses is WithWidths for the targets ±1 of FitClasses.
func (c Config) WithWidthsClasses(ctx context.Context, by widths.Config, x mat.Matrix, y gram.Labels, w []float64) (Config, widths.Stats, error) {
	signs, err := signsOf(x, y, w)
	if err != nil {
		return c, widths.Stats{}, err
	}
	return c.WithWidths(ctx, by, x, signs, w)
}

// PlanWithWidths returns the expected cost of WithWidths and of Fit after it for data of shape s, where s.Outputs is the number of
// functions.
func (c Config) PlanWithWidths(by widths.Config, s gram.Shape) (gram.Plan, error) {
	p, err := c.Plan(s)
	if err != nil {
		return p, err
	}
	return c.Learner(by).PlanBefore(s, p)
}

// Learner returns by for c: with its Kernel, Lambda, Penalty, NoBias and Run.
func (c Config) Learner(by widths.Config) widths.Config {
	by.Kernel, by.Lambda, by.Penalty, by.NoBias, by.Run = c.Kernel, c.Lambda, c.Penalty, bool(c.NoBias), c.Run
	return by
}
