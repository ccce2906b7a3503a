package sideinfo

import (
	"context"
	"math"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/crossval"
	"github.com/gramworks/gram/algos/multiclass"
	"github.com/gramworks/gram/eig"
	"github.com/gramworks/gram/internal/linalg"
	"github.com/gramworks/gram/internal/rows"
	"github.com/gramworks/gram/num/rng"
	"gonum.org/v1/gonum/mat"
)

// ridges are the penalties of the regression that judges λ, in units of the mean
// squared norm of the centered features.
var ridges = []float64{1e-6, 1e-4, 1e-3, 1e-2, 1e-1, 1}

// validate returns, for every λ of the grid, the least mean squared error of a
// ridge regression of the one-hot classes on features learned without the rows
// that it is judged on. S is the projected start.
func (t *task) validate(ctx context.Context, c *classLoss, grid []float64) ([]float64, error) {
	n := len(c.class)
	sums := make([][]float64, len(grid))
	for i := range sums {
		sums[i] = make([]float64, len(ridges))
	}
	for _, split := range crossval.Folds(n, min(t.cfg.Folds, n), c.class, rng.Derive(t.cfg.Seed, "folds")) {
		e, class := pick(c, split.Train)
		held, truth := pick(c, split.Held)
		l, err := newClassLoss(ctx, e, class, c.classes)
		if err != nil {
			return nil, err
		}
		sub := &task{cfg: t.cfg, loss: l, half: t.half, s0: t.s0, p: l.p}
		if sub.scale = dot(l.p, l.p); sub.scale == 0 {
			sub.scale = 1
		}
		if err := sub.rotate(ctx); err != nil {
			return nil, err
		}
		j := newJudge(sub, l, held, truth)
		for i, lambda := range grid {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			root, err := squareRoot(ctx, sub.start(lambda*sub.scale))
			if err != nil {
				return nil, err
			}
			j.add(sums[i], root)
		}
	}
	out := make([]float64, len(grid))
	for i, s := range sums {
		out[i] = math.Inf(1)
		for _, v := range s {
			out[i] = min(out[i], v/float64(n))
		}
	}
	return out, nil
}

// pick returns rows of E with their classes.
func pick(c *classLoss, index []int) (*mat.Dense, []int) {
	class := make([]int, len(index))
	for k, i := range index {
		class[k] = c.class[i]
	}
	return rows.Dense(gram.Of(c.e), index), class
}

// judge holds what the regressions of one fold share, in the coordinates of the
// eigenvectors of P: all but the held-out rows comes as m×m and m×classes.
type judge struct {
	p, r   *mat.Dense // of the centered rows: EᵀE, EᵀY
	held   *mat.Dense // held-out rows less the mean of the others
	target *mat.Dense // their one-hot classes less the shares of the others
	count  float64
}

func newJudge(t *task, c *classLoss, held *mat.Dense, truth []int) *judge {
	l, m := c.e.Dims()
	j := &judge{count: float64(l)}
	mean, share := make([]float64, m), make([]float64, c.classes)
	ey := mat.NewDense(c.classes, m, nil)
	for i, k := range c.class {
		axpy(mean, 1/j.count, c.e.RawRowView(i))
		axpy(ey.RawRowView(k), 1, c.e.RawRowView(i))
		share[k] += 1 / j.count
	}
	for k, v := range share {
		axpy(ey.RawRowView(k), -v*j.count, mean)
	}
	away := mat.DenseCopyOf(held)
	j.target = multiclass.OneHot(truth, c.classes)
	for i := range truth {
		axpy(away.RawRowView(i), -1, mean)
		axpy(j.target.RawRowView(i), -1, share)
	}
	j.p, j.r, j.held = t.turn(c.cp), &mat.Dense{}, &mat.Dense{}
	j.r.Mul(t.q.T(), ey.T())
	j.held.Mul(away, t.q)
	return j
}

// add adds the squared errors for S = root·rootᵀ: features E·root, and weights
// (root'P·root + δ)⁻¹root'R for each penalty δ.
func (j *judge) add(sums []float64, root *mat.Dense) {
	_, r := root.Dims()
	var a, c, b, w, f mat.Dense
	a.Mul(j.p, root)
	c.Mul(root.T(), &a)
	b.Mul(root.T(), j.r)
	unit := mat.Trace(&c) / j.count
	if !(unit > 0) {
		unit = 1
	}
	var chol mat.Cholesky
	for i, ridge := range ridges {
		s := linalg.Symmetric(&c)
		for k := range r {
			s.SetSym(k, k, s.At(k, k)+ridge*unit)
		}
		if !chol.Factorize(s) {
			sums[i] = math.Inf(1)
			continue
		}
		_ = chol.SolveTo(&w, &b) // an error tells the condition
		f.Mul(root, &w)
		a.Reset()
		a.Mul(j.held, &f)
		a.Sub(&a, j.target)
		sums[i] += dot(&a, &a)
		a.Reset()
		f.Reset()
		w.Reset()
	}
}

// rotate finds the eigenvectors of P, and S₀ and, for classes, R in their coordinates.
func (t *task) rotate(ctx context.Context) error {
	if t.q != nil {
		return nil
	}
	var err error
	if t.values, t.q, err = eig.SymAll(ctx, linalg.Symmetric(t.p)); err != nil {
		return err
	}
	t.s0q = t.square(t.half)
	if c, ok := t.loss.(*classLoss); ok {
		t.rq = t.square(c.ey)
	}
	return nil
}

// square is a·aᵀ in the coordinates of the eigenvectors of P.
func (t *task) square(a *mat.Dense) *mat.Dense {
	var b, s mat.Dense
	b.Mul(t.q.T(), a)
	s.Mul(&b, b.T())
	return &s
}

// turn is s in the coordinates of the eigenvectors of P.
func (t *task) turn(s *mat.Dense) *mat.Dense {
	var a, b mat.Dense
	a.Mul(t.q.T(), s)
	b.Mul(&a, t.q)
	return &b
}

// start is the solution without S ⪰ 0 in the coordinates of the eigenvectors of P.
func (t *task) start(lambda float64) *mat.Dense {
	m := len(t.values)
	a := mat.NewDense(m, m, nil)
	for i := range m {
		row, s, r := a.RawRowView(i), t.s0q.RawRowView(i), t.rq.RawRowView(i)
		for j := range row {
			row[j] = (s[j] + r[j]/lambda) / (1 + max(0, t.values[i])*max(0, t.values[j])/lambda)
		}
	}
	return a
}
