package bregman

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/basis"
	"github.com/gramworks/gram/algos/kernels/constraint"
	"github.com/gramworks/gram/algos/lowrank/nystrom"
	"github.com/gramworks/gram/internal/check"
	"github.com/gramworks/gram/modelfile"
	"github.com/gramworks/gram/settings"
	"gonum.org/v1/gonum/mat"
)

// Features are the settings of a kernel that is learned from pairs of rows and defined for
// all rows: with features φ of a base kernel, Nyström's unless others are given, the start
// is G₀ = φ(X), and the learned kernel is
//
//	K(x, y) = φ(x)·T·Tᵀ·φ(y)ᵀ,
//
// so φ(x)·T are its features, for a linear machine, nearest neighbors or kernel k-means.
type Features struct {
	Basis    basis.Basis       `json:"-"` // φ; default that of Nystrom, fitted to the rows
	Nystrom  nystrom.Config    // landmarks, their kernel and the rank; not used where there is a Basis
	Learn    Config            // how T is found; Slack defaults to 1, unless Hard
	Hard     bool              // the constraints have no slack; those of many pairs usually contradict each other
	Pairs    int               // pairs that are drawn from the classes; default 40·c·(c−1) for c classes, at least 80 and at most 2000
	Margin   gram.Opt[float64] // pairs of one class are to come closer by this share of their squared distance, others to go apart by it; default .25
	gram.Run `json:"-"`
}

// Settings gives the name, default, range and help of every setting, from which fits, flags and the reference page
// follow.
func (c *Features) Settings(s *settings.Fields) {
	s.Bool(&c.Hard, "hard", "constraints have no slack")
	if s.Resolving() && c.Hard {
		s.Require(c.Learn.Slack == 0, &c.Learn.Slack, "0 with Hard")
	} else {
		s.Float(&c.Learn.Slack, "slack", "price of moving bounds").Default(1).Above(0)
	}
	k := s.Shape.Outputs
	s.Int(&c.Pairs, "pairs", "constraints, on pairs of rows").
		DefaultRule(min(2000, max(80, 40*k*(k-1))), "40·c·(c-1) for c classes, from 80 to 2000").AtLeast(1)
	s.OptFloat(&c.Margin, "margin", "share of its squared distance by which a pair comes closer or goes apart").Default(.25).AtLeast(0).Below(1)
	s.EmbeddedAs("learn-", &c.Learn, "slack")
	if c.Basis == nil || !s.Resolving() {
		s.Embedded(&c.Nystrom)
		s.Untried()
	}
}

// Features is the number of features that a fit to data of shape s will have at most.
func (c Features) Features(s gram.Shape) (int, error) {
	if c.Basis != nil {
		_, m := c.Basis.Dims()
		return m, nil
	}
	return c.Nystrom.Features(s)
}

// Plan estimates the flops and the bytes that Fit needs for data of shape s, before there are data.
func (c Features) Plan(s gram.Shape) (gram.Plan, error) {
	c, err := settings.Resolved(c, s)
	if err != nil {
		return gram.Plan{}, err
	}
	c.Nystrom.Run, c.Learn.Run = c.Run, c.Run
	r, err := c.Features(s)
	if err != nil {
		return gram.Plan{}, err
	}
	var p gram.Plan
	if c.Basis == nil {
		if p, err = c.Nystrom.Plan(s); err != nil {
			return p, err
		}
	}
	q, err := c.Learn.Plan(gram.Shape{N: s.N, D: r, Outputs: c.Pairs})
	features := 8 * int64(s.N) * int64(r)
	return gram.Plan{
		Flops:       p.Flops + q.Flops + 2*float64(s.N)*float64(s.D+r)*float64(r),
		PeakBytes:   max(p.PeakBytes, p.ModelBytes+features+q.PeakBytes),
		ModelBytes:  p.ModelBytes + q.ModelBytes,
		Description: fmt.Sprintf("%s; %s", p.Description, q.Description),
	}, err
}

// Fit learns from pairs that are drawn from the classes of the rows, −1 meaning that a class
// is not known. Where all of them coincide nothing is learned. Errors as constraint.FromLabels and Config.Fit, whose model so far comes
// with a *gram.ConvergenceError or ctx.Err() here, too.
func (c Features) Fit(ctx context.Context, x mat.Matrix, y gram.Labels) (*Map, error) {
	return c.FitStatements(ctx, x, y, nil)
}

// FitStatements learns from statements on pairs of rows, nil meaning pairs that are drawn
// from the classes, for which alone there must be labels. Bounds that are not given are as
// constraint.FromMargin has them.
func (c Features) FitStatements(ctx context.Context, x mat.Matrix, y gram.Labels, statements []constraint.Statement) (*Map, error) {
	n, d := check.Dims(x)
	if statements != nil {
		c.Pairs = max(1, len(statements))
	} else if err := check.Known(y, n); err != nil {
		return nil, err
	}
	c, err := settings.Resolved(c, gram.Shape{N: n, D: d, Outputs: len(y.Names)})
	if err != nil {
		return nil, err
	}
	s, err := c.Samples(c, x, len(y.Names))
	if err != nil {
		return nil, err
	}
	c.Nystrom.Run, c.Learn.Run = c.Run, c.Run
	m := &Map{cfg: c}
	b := c.Basis
	if b == nil {
		if b, err = c.Nystrom.Fit(ctx, s); err != nil {
			return nil, err
		}
	}
	g0 := b.Map(nil, s)
	var constraints []constraint.Linear
	if statements != nil {
		constraints, err = constraint.FromMargin(g0, statements, c.Margin.Value())
	} else {
		constraints, err = constraint.FromLabels(g0, y.Class, c.Pairs, c.Margin.Value(), c.Seed)
		var none *gram.DataError
		if errors.As(err, &none) && slices.ContainsFunc(y.Class, func(c int) bool { return c >= 0 }) {
			err = nil // all rows coincide
		}
	}
	if err != nil {
		return nil, err
	}
	if m.learned, err = c.Learn.Fit(ctx, g0, constraints); m.learned == nil {
		return nil, err
	}
	m.Rooted = basis.NewRooted(b, m.learned.Transform())
	return m, err
}

// Map is a learned kernel for all rows: the features φ(x)·T, whose inner products are the
// kernel. It is safe for concurrent use, and keeps the basis, but not the rows of the fit.
type Map struct {
	*basis.Rooted
	cfg     Features
	learned *Model
}

var _ basis.Basis = (*Map)(nil)

// Learned returns the kernel in the coordinates of the basis: T, the duals, and how the fit
// went.
func (m *Map) Learned() *Model { return m.learned }

// Config returns the settings with all defaults filled in. For a model that was read from a
// file Basis is the one that it has.
func (m *Map) Config() Features { return m.cfg }

// Stats says how the fit went, see Model.Stats.
func (m *Map) Stats() Stats { return m.learned.Stats() }

// Encode writes the settings, the basis and T.
func (m *Map) Encode(w *modelfile.Writer) error { return modelfile.Put(w, m.form) }

// DecodeMap reads what Map.Encode wrote. A basis that is not Nyström's must be one that
// basis.Decode reads.
func DecodeMap(f *modelfile.File) (*Map, error) { return modelfile.Get(f, &Map{}, (*Map).form) }

// form lists what a file holds of the model. Writing and reading a file go through these same statements.
func (m *Map) form(x *modelfile.Exchange) {
	var b basis.Basis
	if x.Writing() {
		b, _ = m.Inner()
	}
	x.Header("bregman.features", 1, &m.cfg)
	modelfile.Part(x, "basis", &b, func(f *modelfile.File) (basis.Basis, error) {
		if f.Method() == "nystrom" {
			return nystrom.Decode(f)
		}
		return basis.Decode(f)
	})
	modelfile.Part(x, "learned", &m.learned, Decode)
	if x.Reading() {
		_, k := b.Dims()
		r, _ := m.learned.Dims()
		x.Require(k == r, "", "a kernel of %d features on a basis that has %d", r, k)
	}
	if x.Reading() {
		m.cfg.Basis = b
		m.Rooted = basis.NewRooted(b, m.learned.Transform())
	}
}
