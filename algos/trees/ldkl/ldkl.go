package ldkl

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/linear"
	"github.com/gramworks/gram/algos/multiclass"
	"github.com/gramworks/gram/internal/rows"
	"github.com/gramworks/gram/settings"
	"github.com/gramworks/gram/sparse"
	"gonum.org/v1/gonum/mat"
)

// Config holds the settings of a fit.
//
// A fit takes settings that are not given at their defaults; crossval.Tune chooses C by the data.
type Config struct {
	Depth    int               // nodes on the path of a row; the tree has 2^Depth−1; default 4
	C        float64           // weight of the loss; default 1
	Ridge    gram.Opt[float64] // weight of ‖V‖² + ‖Θ‖² against ‖W‖²; default 1; 0: none; with a tenth of it the tree fits many columns, and few rows, by heart
	Sigma    float64           // factor in tanh; default 1
	Soft     float64           // sharpness of the decisions of nodes at the start; default 1
	Passes   int               // passes over the rows in stages 1 and 2; default 30
	Batch    int               // rows of a gradient; default 64
	Step     float64           // size of the first steps: how much a step may change a product with a row of typical length; default 0.3
	Tol      float64           // largest relative duality gap of stage 3; default 1e-3
	MaxIter  int               // largest number of passes of stage 3; default 1000
	gram.Run `json:"-"`
}

// Stats holds figures of a finished fit, for reports and comparisons. Predictions do not depend on them.
type Stats struct {
	Objective []float64 // mean of the objective over the batches of each pass
	Primal    []float64 // ½‖w‖² + loss of each function
	Gap       []float64 // relative duality gap of each function, given V and Θ
	Leaves    []int     // number of rows that end in each node of the last level
}

// Settings gives the name, default, range and help of every setting, from which fits, flags and the reference page
// follow.
func (c *Config) Settings(s *settings.Fields) {
	s.Int(&c.Depth, "depth", "nodes on the path of a row").Default(4).AtLeast(1).AtMost(maxDepth).SearchLinear(2, 6)
	s.Float(&c.C, "c", "weight of the loss against the norm").Default(1).Above(0).SearchLog(1e-2, 1e3).Tries(10, 100).Tries(.1, .01)
	s.OptFloat(&c.Ridge, "ridge", "weight of the norms of decisions and of the arguments of tanh; 0: none").Default(1).AtLeast(0).SearchLog(1e-3, 10)
	s.Float(&c.Sigma, "sigma", "factor in tanh").Default(1).Above(0)
	s.Float(&c.Soft, "soft", "sharpness of the decisions at the start").Default(1).Above(0)
	s.Int(&c.Passes, "passes", "passes of stochastic gradient steps").Default(30).AtLeast(1)
	s.Int(&c.Batch, "batch", "rows of a gradient").Default(64).AtLeast(1)
	s.Float(&c.Step, "step", "size of the first steps").Default(.3).Above(0)
	s.Float(&c.Tol, "tol", "relative duality gap").Default(1e-3).Above(0)
	s.Int(&c.MaxIter, "max-iter", "passes of the exact stage at most").Default(1000).AtLeast(1)
}

// maxDepth bounds the tree to a million nodes.
const maxDepth = 20

// Plan returns the expected cost of Fit for data of shape s, where s.Outputs is the number
// of classes.
func (c Config) Plan(s gram.Shape) (gram.Plan, error) {
	c, err := settings.Resolved(c, s)
	if err != nil {
		return gram.Plan{}, err
	}
	k := multiclass.Functions(s.Outputs)
	total := 1<<c.Depth - 1
	if float64(total)*float64(s.D+1) > math.MaxInt32 {
		return gram.Plan{}, settings.Refuse("Depth", c.Depth, "lower: %d nodes with linear functions of %d columns have more than 2³¹ coefficients for a class", total, s.D+1)
	}
	p := layout{depth: c.Depth, d: s.D + 1, k: k}
	entries := int64(s.N) * int64(s.D+1)
	if s.NNZ > 0 {
		entries = s.NNZ + int64(s.N)
	}
	local := gram.Shape{N: s.N, D: total * (s.D + 1), Outputs: s.Outputs, NNZ: entries * int64(c.Depth)}
	last, err := c.machine().Plan(nil, local)
	if err != nil {
		return last, err
	}
	last.PeakBytes += 12*local.NNZ + 16*int64(s.N)
	parameters := 8 * int64(p.rows()) * int64(p.d)
	batch := int64(min(c.Batch, max(1, s.N)))
	first := 5*parameters + 8*batch*int64(2*p.rows()+p.d+4*total+2*k) + 24*int64(s.N)
	return gram.Plan{
		Flops:       last.Flops + 6*float64(c.Passes)*float64(s.N)*float64(p.rows())*float64(p.d),
		PeakBytes:   max(first, last.PeakBytes+parameters),
		ModelBytes:  parameters,
		Description: fmt.Sprintf("local deep kernel learning with %d nodes; %s", total, last.Description),
	}, nil
}

// machine returns the settings of stage 3, a linear machine with the hinge loss and without a bias.
func (c Config) machine() linear.SVM {
	return linear.SVM{C: c.C, Loss: linear.Hinge, NoBias: true, Tol: c.Tol, MaxIter: c.MaxIter, Run: c.Run}
}

// Fit trains on the rows of x with classes y; w are weights of the rows; nil means ones. It
// neither keeps nor changes x. If ctx ends the fit, there is no model. If stage 3 does not
// reach its tolerance, Fit returns the model with a *gram.ConvergenceError.
func (c Config) Fit(ctx context.Context, x mat.Matrix, y gram.Labels, w []float64) (*Classifier, error) {
	start, err := rows.Begin(&c, c.Run, x, y, w)
	if err != nil {
		return nil, err
	}
	s, y, w := start.X, start.Y, start.W
	t := newTraining(c, s, multiclass.Signs(y.Class, len(y.Names)), w)
	if err := t.descend(ctx); err != nil {
		return nil, err
	}
	out := &Classifier{cfg: c, names: slices.Clone(y.Names), tree: tree{t.layout, c.Sigma, t.p}}
	out.stats.Objective = t.trace
	err = out.polish(ctx, s, y, w)
	var rough *gram.ConvergenceError
	if err != nil && !errors.As(err, &rough) {
		return nil, err
	}
	return out.ready(), err
}

// polish makes the W of the model the best ones.
func (m *Classifier) polish(ctx context.Context, s gram.Samples[float64], y gram.Labels, w []float64) error {
	n := s.N()
	entries := n * m.d
	if s.IsSparse() {
		entries = s.NNZ() + n
	}
	local := &sparse.CSR{N: n, D: m.nodes() * m.d, Ptr: make([]int, n+1), Col: make([]int32, 0, entries*m.depth), Val: make([]float64, 0, entries*m.depth)}
	first := m.nodes() / 2 // the first node of the last level
	m.stats.Leaves = make([]int, first+1)
	row := make([]float64, m.d)
	path := make([]int, m.depth)
	const between = 4096 // looks at the context
	for i := range n {
		if i%between == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		s.CopyRow(row[:m.d-1], i)
		row[m.d-1] = 1
		m.path(path, row)
		m.stats.Leaves[path[m.depth-1]-first]++
		for _, k := range path {
			a := m.local(k, row)
			add := func(j int, v float64) {
				local.Col, local.Val = append(local.Col, int32(k*m.d+j)), append(local.Val, a*v)
			}
			s.Each(i, add)
			add(m.d-1, 1)
		}
		local.Ptr[i+1] = len(local.Col)
	}
	machine, err := m.cfg.machine().Fit(ctx, nil, local, y, w)
	if machine == nil {
		return err
	}
	coef, _ := machine.Weights()
	for k := range m.nodes() {
		for f := range m.k {
			to := m.p.RawRowView(m.row(k) + function + f)
			for j := range to {
				to[j] = coef.At(k*m.d+j, f)
			}
		}
	}
	stats := machine.Stats()
	m.stats.Primal, m.stats.Gap = stats.Primal, stats.Gap
	return err
}
