package itml

import (
	"context"
	"slices"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/internal/selection"
	"github.com/gramworks/gram/algos/kernels/constraint"
	"github.com/gramworks/gram/algos/multiclass"
	"github.com/gramworks/gram/internal/check"
	"github.com/gramworks/gram/internal/rows"
	"github.com/gramworks/gram/kernel"
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

// Settings describes the settings.
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

// Plan returns what Fit will cost.
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
	out, fault := newClassifier(ctx, m.f, s, y, w, c.K, c.Workers)
	m.f.ctx = nil
	if fault != nil {
		return nil, fault
	}
	out.cfg, out.stats = c, m.stats
	out.cfg.Given = Given{}
	rows.Renumber(m.f.index, kept)
	return out, err
}

// Classifier predicts by the votes of the K nearest rows in a kernel. It is safe
// for concurrent use.
type Classifier struct {
	cfg    KNN
	k      kernel.Kernel
	x      *mat.Dense
	class  []int
	weight []float64
	names  []string
	diag   []float64
	block  *kernel.Block[float64]
	stats  Stats
}

var _ gram.Classifier = (*Classifier)(nil)

// Neighbors returns the classifier by the k nearest rows of x in a given
// kernel, learned or not. w are the weights of the votes, nil meaning ones.
func Neighbors(kern kernel.Kernel, x mat.Matrix, y gram.Labels, w []float64, k int) (*Classifier, error) {
	n, _ := x.Dims()
	if err := kernel.Check(kern); err != nil {
		return nil, err
	}
	if k < 1 || k > n {
		return nil, settings.Refuse("K", k, "from 1 to the number of rows")
	}
	s := gram.Of(x)
	if err := s.Finite(); err != nil {
		return nil, err
	}
	if err := check.Classes(y, n); err != nil {
		return nil, err
	}
	if err := check.Weights(w, n); err != nil {
		return nil, err
	}
	c, err := newClassifier(context.Background(), kern, s, y, w, k, 0)
	if err != nil {
		return nil, err
	}
	c.cfg = KNN{Config: Config{Kernel: kern}, K: k}
	return c, nil
}

// newClassifier returns the classifier. The error is ctx.Err().
func newClassifier(ctx context.Context, k kernel.Kernel, x gram.Samples[float64], y gram.Labels, w []float64, neighbors, workers int) (*Classifier, error) {
	if w == nil {
		w = slices.Repeat([]float64{1}, x.N())
	}
	var voters []int
	for i, v := range w {
		if v > 0 {
			voters = append(voters, i)
		}
	}
	if neighbors > len(voters) {
		return nil, settings.Refuse("K", neighbors, "from 1 to the number of rows that have a weight, %d", len(voters))
	}
	c := &Classifier{k: k, x: rows.Dense(x, voters), class: rows.Pick(y.Class, voters), weight: rows.Pick(w, voters), names: slices.Clone(y.Names)}
	c.cfg.K = neighbors
	return c, c.prepare(ctx, workers)
}

// prepare computes what follows from the rows. The error is ctx.Err().
func (c *Classifier) prepare(ctx context.Context, workers int) error {
	n, _ := c.x.Dims()
	c.diag = make([]float64, n)
	for lo := 0; lo < n; lo += tileRows {
		if err := ctx.Err(); err != nil {
			return err
		}
		hi := min(lo+tileRows, n)
		kernel.Diagonal(c.diag[lo:hi], c.k, gram.Of(c.x).Slice(lo, hi))
	}
	c.block = kernel.Against[float64](c.k, c.x).Limit(workers)
	return ctx.Err()
}

// Classes returns the names of the classes.
func (c *Classifier) Classes() []string { return c.names }

// Kernel returns the kernel in which neighbors are near.
func (c *Classifier) Kernel() kernel.Kernel { return c.k }

// Config returns the settings with all defaults filled in.
func (c *Classifier) Config() KNN { return c.cfg }

// Stats says how the fit of the kernel went. A model that was read from a file
// has none.
func (c *Classifier) Stats() Stats { return c.stats }

// Dim returns the number of columns of the data.
func (c *Classifier) Dim() int { _, d := c.x.Dims(); return d }

// Scores returns the share of the votes of the neighbors that each class gets,
// n×classes; of classes with equal votes the one whose nearest neighbor is
// nearer gets up to half a vote of weight 1 more. For two classes it is n×1, the
// difference between class 1 and class 0.
func (c *Classifier) Scores(dst *mat.Dense, x mat.Matrix) *mat.Dense {
	n, _ := x.Dims()
	dst = rows.Destination("inductive", dst, x, c.Dim(), c.width())
	all := gram.Of(x)
	step := rows.BlockRows(n, len(c.class))
	w := &poll{votes: make([]float64, len(c.names))}
	for lo := 0; lo < n; lo += step {
		hi := min(lo+step, n)
		values := rows.Borrow(hi-lo, len(c.class))
		c.block.Fill(gram.View(values), all.Slice(lo, hi))
		for i := lo; i < hi; i++ {
			scores(c, w, dst.RawRowView(i), values.RawRowView(i-lo))
		}
		rows.Return(values)
	}
	return dst
}

// width is the number of scores of a row.
func (c *Classifier) width() int { return multiclass.Functions(len(c.names)) }

// count adds up the votes of the neighbors, nearest first.
func (c *Classifier) count(votes []float64, near []int) {
	clear(votes)
	for at, j := range near {
		first := true
		for _, i := range near[:at] {
			first = first && c.class[i] != c.class[j]
		}
		v := c.weight[j]
		if first {
			v += 0.5 * (1 - float64(at)/float64(len(near)))
		}
		votes[c.class[j]] += v / float64(len(near))
	}
}

// Predict returns the class with the most votes, −1 for a row with NaN.
func (c *Classifier) Predict(dst []int, x mat.Matrix) []int {
	return rows.Decide("inductive", dst, x, c.width(), c.Scores)
}
