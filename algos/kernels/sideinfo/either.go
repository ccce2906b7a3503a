package sideinfo

import (
	"context"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/kernels/constraint"
	"github.com/gramworks/gram/settings"
	"gonum.org/v1/gonum/mat"
)

// Either are the settings of features from classes where the method is a setting, too.
// Run holds for both.
type Either struct {
	ByCSI   bool // Cholesky with side information; else the features are learned
	Learned Config
	CSI     CSI
	gram.Run
}

// Settings gives the name, default, range and help of every setting, from which fits, flags and the reference page
// follow.
func (c *Either) Settings(s *settings.Fields) {
	s.Bool(&c.ByCSI, "csi", "Cholesky with side information instead: landmarks chosen by the classes")
	s.Alternatives(settings.Alternative{Name: "learned", Described: &c.Learned}, settings.Alternative{Name: "csi", Described: &c.CSI})
}

// Features is the number of features that a fit to data of shape s will have at most.
func (c Either) Features(s gram.Shape) (int, error) {
	if c.ByCSI {
		r, err := settings.Resolved(c.CSI, s)
		return r.M, err
	}
	r, err := settings.Resolved(c.Learned, s)
	return r.M, err
}

// Plan estimates the flops and the bytes that Fit needs for data of shape s, before there are data.
func (c Either) Plan(s gram.Shape) (gram.Plan, error) {
	if c.ByCSI {
		return c.CSI.Plan(s)
	}
	c.Learned.Run = c.Run
	return c.Learned.Plan(s)
}

// Fit learns by Config.Fit or by CSI.Fit, whichever the settings choose.
func (c Either) Fit(ctx context.Context, x mat.Matrix, y gram.Labels) (*Model, error) {
	return c.FitStatements(ctx, x, y, nil)
}

// FitStatements is Fit, or Config.FitPairs where there are statements on pairs of rows,
// which must have no bounds and are not for CSI.
func (c Either) FitStatements(ctx context.Context, x mat.Matrix, y gram.Labels, statements []constraint.Statement) (*Model, error) {
	c.Learned.Run, c.CSI.Run = c.Run, c.Run
	pairs, err := constraint.Unbounded(statements)
	switch {
	case err != nil:
		return nil, err
	case c.ByCSI && statements != nil:
		return nil, settings.Refuse("ByCSI", true, "false for pairs of rows")
	case c.ByCSI:
		return c.CSI.Fit(ctx, x, y)
	case statements != nil:
		return c.Learned.FitPairs(ctx, x, pairs)
	}
	return c.Learned.Fit(ctx, x, y)
}
