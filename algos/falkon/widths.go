package falkon

import (
	"context"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/krr"
	"github.com/gramworks/gram/algos/learned/widths"
	"gonum.org/v1/gonum/mat"
)

// WithWidths returns c with a kernel that has a width for each column, and with the λ that is learned together with them unless c
// has one, as the method of that name of krr.Config does. The landmarks have no part in it; by.Inducing may have points.
func (c Config) WithWidths(ctx context.Context, by widths.Config, x mat.Matrix, y *mat.Dense, w []float64) (Config, widths.Stats, error) {
	return c.like(c.penalized().WithWidths(ctx, by, x, y, w))
}

// WithWidthsClasses is WithWidths for the targets ±1 of FitClasses.
func (c Config) WithWidthsClasses(ctx context.Context, by widths.Config, x mat.Matrix, y gram.Labels, w []float64) (Config, widths.Stats, error) {
	return c.like(c.penalized().WithWidthsClasses(ctx, by, x, y, w))
}

// PlanWithWidths returns the expected cost of WithWidths and of Fit after it for data of shape s, where s.Outputs is the number of
// functions.
func (c Config) PlanWithWidths(by widths.Config, s gram.Shape) (gram.Plan, error) {
	p, err := c.Plan(s)
	if err != nil {
		return p, err
	}
	return c.penalized().Learner(by).PlanBefore(s, p)
}

// penalized is the configuration on all rows with the same λ.
func (c Config) penalized() krr.Config {
	all := c.exact()
	all.Lambda = c.Lambda
	return all
}

// like returns c with the kernel and λ of one on all rows.
func (c Config) like(all krr.Config, stats widths.Stats, err error) (Config, widths.Stats, error) {
	c.Kernel, c.Lambda = all.Kernel, all.Lambda
	return c, stats, err
}
