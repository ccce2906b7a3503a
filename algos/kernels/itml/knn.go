package itml

import (
	"context"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/internal/selection"
	"github.com/gramworks/gram/algos/kernels/constraint"
	"github.com/gramworks/gram/algos/neighbors"
	"github.com/gramworks/gram/internal/check"
	"github.com/gramworks/gram/internal/rows"
	"github.com/gramworks/gram/settings"
	"gonum.org/v1/gonum/mat"
)

// KNN are the settings of classification by the nearest neighbors in a kernel
// that is learned from the same rows: pairs of one class are brought together,
// others apart.
type KNN struct {
	Config                  // of the kernel; Slack defaults to 1 for LogDet and 100 for the others, unless Hard
	Hard   bool             // the constraints have no slack
	K      int              // neighbors; default 5, or the number of rows if that is less
	Pairs  constraint.Pairs // constraints
}

// Settings gives the name, default, range and help of every setting, from which fits, flags and the reference page
// follow.
func (c *KNN) Settings(s *settings.Fields) {
	s.Bool(&c.Hard, "hard", "constraints have no slack")
	if s.Resolving() && c.Hard {
		s.Require(c.Slack == 0, &c.Slack, "0 with Hard")
	} else {
		slack := 100.0
		if c.Regularizer == LogDet {
			slack = 1
		}
		s.Float(&c.Slack, "slack", "weight of violated constraints").DefaultRule(slack, "1 for logdet, 100 for the others").Above(0)
	}
	s.Int(&c.K, "k", "neighbors that vote").DefaultRule(min(5, s.Shape.N), "5, or the number of rows if that is less").
		AtLeast(1).AtMostRule(s.Shape.N, "the number of rows").SearchList(1, 3, 5, 9, 15)
	s.Embedded(&c.Pairs)
	s.Embedded(&c.Config, "slack")
}

// Plan estimates the flops and the bytes that Fit needs for data of shape s, before there are data.
func (c KNN) Plan(s gram.Shape) (gram.Plan, error) {
	c, err := settings.Resolved(c, s)
	if err != nil {
		return gram.Plan{}, err
	}
	p, err := c.Config.plan(s, c.Pairs.Count)
	if err != nil {
		return p, err
	}
	n, d := float64(s.N), float64(s.D)
	keep := 8 * n * (2*d + 2 + float64(min(c.Pairs.Count, s.N)))
	values, held := constraint.DistanceCost(s.N, s.D, constraint.PercentilePairs)
	pairs := 8 * (held + 8*min(constraint.PercentilePairs, n*n/2))
	p.Flops += 2 * values * d
	p.PeakBytes = max(p.PeakBytes, check.Bytes(pairs)) + check.Bytes(keep)
	p.ModelBytes += check.Bytes(keep)
	p.Description += ", nearest neighbors in it"
	return p, nil
}

// Fit learns the kernel and keeps all rows with their classes as neighbors. Rows of one class are an
// error: there would be no pairs to bring apart. w
// are the weights of their votes, nil meaning ones. A *gram.ConvergenceError
// comes with the classifier of the kernel so far. Errors otherwise as
// constraint.Pairs.FromLabels and Config.Fit.
func (c KNN) Fit(ctx context.Context, x mat.Matrix, y gram.Labels, w []float64) (*Classifier, error) {
	return c.FitStatements(ctx, x, y, w, nil)
}

// FitStatements is Fit where the kernel is learned from statements on pairs of rows, nil
// meaning pairs that are drawn from the classes. Errors otherwise as
// constraint.Pairs.FromStatements and Config.Fit.
func (c KNN) FitStatements(ctx context.Context, x mat.Matrix, y gram.Labels, w []float64, statements []constraint.Statement) (*Classifier, error) {
	var kept []int
	if statements == nil {
		var err error
		if x, y, w, kept, err = rows.Weighted(c, c.Run, x, y, w); err != nil {
			return nil, err
		}
		if c.Landmarks, err = selection.Kept(c.Landmarks, kept); err != nil {
			return nil, err
		}
		if kept != nil && c.Given.J != nil {
			c.Given.J = rows.Dense(gram.Of(c.Given.J), kept)
		}
	}
	n, _ := check.Dims(x)
	c, err := settings.Resolved(c, gram.Shape{N: n, Outputs: len(y.Names)})
	if err != nil {
		return nil, err
	}
	if statements != nil {
		c.Pairs.Count = max(1, len(statements))
	}
	s, err := c.Run.Samples(c, x, len(y.Names))
	if err != nil {
		return nil, err
	}
	if err := check.Classes(y, n); err != nil {
		return nil, err
	}
	if err := check.Weights(w, n); err != nil {
		return nil, err
	}
	var cons []constraint.Linear
	if statements == nil {
		cons, err = c.Pairs.FromLabels(ctx, c.Kernel, s, y, c.Seed)
	} else {
		cons, err = c.Pairs.FromStatements(ctx, c.Kernel, s, statements, c.Seed)
	}
	if err != nil {
		return nil, err
	}
	m, err := c.Config.fit(ctx, s, cons)
	if m == nil {
		return nil, err
	}
	m.f.ctx = ctx
	votes, fault := neighbors.Config{Kernel: m.f, K: c.K, Run: gram.Run{Workers: c.Workers}}.Fit(ctx, s, y, w)
	m.f.ctx = nil
	if fault != nil {
		return nil, fault
	}
	out := &Classifier{Classifier: votes, cfg: c, stats: m.stats}
	out.cfg.Given = Given{}
	rows.Renumber(m.f.index, kept)
	return out, err
}

// Classifier predicts by the votes of the K nearest rows in a learned kernel, see package neighbors. It is safe for
// concurrent use.
type Classifier struct {
	*neighbors.Classifier
	cfg   KNN
	stats Stats
}

var _ gram.Classifier = (*Classifier)(nil)

// Config returns the settings with all defaults filled in.
func (c *Classifier) Config() KNN { return c.cfg }

// Stats says how the fit of the kernel went. A model that was read from a file
// has none.
func (c *Classifier) Stats() Stats { return c.stats }
