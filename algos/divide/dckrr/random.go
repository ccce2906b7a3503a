package dckrr

import (
	"context"
	"math"
	"slices"
	"time"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/cluster/kmeans"
	"github.com/gramworks/gram/algos/krr"
	"github.com/gramworks/gram/internal/linalg"
	"github.com/gramworks/gram/internal/rows"
	"github.com/gramworks/gram/settings"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"
)

// Random holds the settings of kernel ridge regression by averaging (Random-KRR, [ZDW13]). It
// divides the rows at random into Parts problems of equal size, and the model is the mean of
// their functions. The mean is one expansion in all rows and costs as much to evaluate as a
// model that was fitted to all rows at once.
type Random struct {
	// Local is the problem of a part, as in Config. λ must be chosen for all n rows, although it
	// is too weak a penalty for a single part: the mean lowers the variance but not the bias.
	Local krr.Config
	Parts int // number of parts; default ⌈n/1000⌉
	// Given is a partition of the rows to be used instead of a random one. Parts then is its
	// number of parts.
	Given kmeans.Partition `json:"-"`
	gram.Run
}

// Settings gives the name, default, range and help of every setting, from which fits, flags and the reference page
// follow.
func (c *Random) Settings(s *settings.Fields) {
	c.Given.Check(s, &c.Parts)
	describe(s, &c.Local, c.Run, &c.Parts, false)
}

// Deal returns the part of each of n rows as Fit divides them. Parts must be from 1 to n.
func (c Random) Deal(n int) []int {
	return kmeans.Random(n, c.Parts, partitionSeed(c.Seed))
}

// Plan returns the expected cost of Fit for data of shape s.
func (c Random) Plan(s gram.Shape) (gram.Plan, error) {
	c, err := settings.Resolved(c, s)
	if err != nil {
		return gram.Plan{}, err
	}
	one := int(math.Ceil(float64(s.N) / float64(c.Parts)))
	p, err := planParts(c.Local, gram.Plan{}, s, c.Parts, one, c.NumWorkers())
	p.PeakBytes += 8 * int64(s.N) * int64(2*s.D+max(1, s.Outputs))
	return p, err
}

// Fit trains on the rows of x with targets y and weights w; nil means ones. It neither keeps nor
// changes x. If ctx ends the fit, there is no model. If CG of a part does not converge, Fit
// returns the model and a *gram.ConvergenceError.
func (c Random) Fit(ctx context.Context, x mat.Matrix, y, w []float64) (*krr.Model, error) {
	return c.FitAll(ctx, x, rows.Column(y), w)
}

// FitAll is Fit for several targets at once, the columns of the n×t matrix y.
func (c Random) FitAll(ctx context.Context, x mat.Matrix, y *mat.Dense, w []float64) (*krr.Model, error) {
	start, err := rows.Begin(&c, c.Run, x, y, w, rows.Picked(&c.Given.Labels))
	if err != nil {
		return nil, err
	}
	s, y, w := start.X, start.Y, start.W
	n := s.N()
	begin := time.Now()
	var label []int
	if c.Given.IsZero() {
		label = c.Deal(n)
	} else {
		if label, _, err = c.Given.Divide(s); err != nil {
			return nil, err
		}
	}
	local := c.Local
	local.Seed = c.Seed
	used := slices.DeleteFunc(rows.Groups(label, c.Parts), func(g []int) bool { return len(g) == 0 })
	parts, err := fitParts(ctx, local, s, y, w, used, c.Run)
	if parts == nil {
		return nil, err
	}
	_, t := y.Dims()
	alpha, bias := mat.NewDense(n, t, nil), make([]float64, t)
	share := 1 / float64(len(parts))
	st := krr.Stats{Rows: n}
	for p, m := range parts {
		_, own, constants := m.Expand()
		for k, i := range used[p] {
			blas64.Axpy(share, linalg.Vector(own.Row(k)), linalg.Vector(alpha.RawRowView(i)))
		}
		for j, b := range constants {
			bias[j] += share * b
		}
		of := m.Stats()
		st.Solver, st.Shift = of.Solver, max(st.Shift, of.Shift)
		st.Iterations += of.Iterations
		st.Residual = max(st.Residual, of.Residual)
	}
	st.SolveSeconds = time.Since(begin).Seconds()
	local.Run = c.Run
	return krr.NewModel(local, rows.Dense(s, nil), alpha, bias, st), err
}
