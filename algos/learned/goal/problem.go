package goal

import (
	"context"
	"math"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/basis"
	"github.com/gramworks/gram/internal/linalg"
	"github.com/gramworks/gram/internal/rows"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"
)

const blockRows = 1024 // rows that pass at a time, between two looks at the context

// problem is the objective on some rows,
//
//	F(U,W) = ½·Σ_k (ridge·‖w_k‖² + ridgeBias·b_k²) + Σ_ik cost_i·loss(f_ik, y_ik),
//
// with coefficients as q×k matrices: p features and, unless there is none, the
// constant b as the last row.
type problem struct {
	basis            basis.Learnable // with some points
	loss             Loss
	ridge, ridgeBias float64
	x                gram.Samples[float64]
	y                *mat.Dense // n×k
	weight           []float64  // of the rows; nil: ones
	c                float64    // cost_i = c·weight_i
	n, d, m, p, q, k int
	workers          int

	phi   *mat.Dense // block×q: features of a block of rows and the constant
	work  *mat.Dense // block×q
	slope *mat.Dense // block×k
}

func (c Config) problem(x gram.Samples[float64], y *mat.Dense, w []float64, loss Loss) *problem {
	n, d := x.Dims()
	_, k := y.Dims()
	t := &problem{
		loss: loss, x: x, y: y, weight: w, workers: c.Workers,
		n: n, d: d, m: c.M, p: c.Features.width(c.M), k: k,
	}
	t.ridge, t.ridgeBias, t.c = 1, 1, c.C
	if loss == Squared {
		t.ridge, t.ridgeBias, t.c = 2*c.Lambda.Value(), 0, 1
	}
	t.q = t.p
	if !c.NoBias {
		t.q++
	}
	b := min(n, blockRows)
	t.phi, t.work, t.slope = mat.NewDense(b, t.q, nil), mat.NewDense(b, t.q, nil), mat.NewDense(b, k, nil)
	for i := range b {
		t.phi.Set(i, t.q-1, 1) // features overwrite it where there is no constant
	}
	return t
}

func (t *problem) cost(i int) float64 {
	if t.weight == nil {
		return t.c
	}
	return t.c * t.weight[i]
}

// each calls body for blocks of rows lo, …, lo+n−1 with their features, n×q.
func (t *problem) each(ctx context.Context, f basis.Learnable, body func(x gram.Samples[float64], phi *mat.Dense, lo, n int)) error {
	for lo := 0; lo < t.n; lo += blockRows {
		if err := ctx.Err(); err != nil {
			return err
		}
		n := min(blockRows, t.n-lo)
		x := t.x.Slice(lo, lo+n)
		if err := f.Fill(ctx, t.workers, top(t.phi, n, t.p), x); err != nil {
			return err
		}
		body(x, top(t.phi, n, t.q), lo, n)
	}
	return ctx.Err()
}

// top is the n×c block of a at its upper left.
func top(a *mat.Dense, n, c int) *mat.Dense { return a.Slice(0, n, 0, c).(*mat.Dense) }

// norm is the part of the objective for the coefficients of function k.
func (t *problem) norm(w *mat.Dense, k int) float64 {
	var s float64
	for j := range t.p {
		v := w.At(j, k)
		s += v * v
	}
	s *= t.ridge
	if t.q > t.p {
		b := w.At(t.p, k)
		s += t.ridgeBias * b * b
	}
	return s / 2
}

// evaluate returns the objective and sets s, n×k, to the scores. With g, d×m, it
// sets that to the gradient by the points, with gw, q×k, to that by the coefficients.
func (t *problem) evaluate(ctx context.Context, u, w, s, g, gw *mat.Dense) (float64, error) {
	f := t.basis.With(u)
	if g != nil {
		g.Zero()
	}
	if gw != nil {
		gw.Apply(func(j, _ int, v float64) float64 {
			if j < t.p {
				return t.ridge * v
			}
			return t.ridgeBias * v
		}, w)
	}
	var value float64
	for k := range t.k {
		value += t.norm(w, k)
	}
	coef := top(w, t.p, t.k)
	err := t.each(ctx, f, func(x gram.Samples[float64], phi *mat.Dense, lo, n int) {
		scores := s.Slice(lo, lo+n, 0, t.k).(*mat.Dense)
		rows.Mul(scores, gram.Of(phi), w)
		slope := top(t.slope, n, t.k)
		for i := range n {
			cost := t.cost(lo + i)
			y, r := t.y.RawRowView(lo+i), slope.RawRowView(i)
			for k, v := range scores.RawRowView(i) {
				value += cost * t.loss.value(v, y[k])
				first, _ := t.loss.slopes(v, y[k])
				r[k] = cost * first
			}
		}
		if gw != nil {
			rows.AddMulTrans(gw, gram.Of(phi), slope)
		}
		if g != nil {
			a := top(t.work, n, t.p)
			outer(a, slope, coef)
			pull(f, g, x, phi.Slice(0, n, 0, t.p).(*mat.Dense), a)
		}
	})
	return value, err
}

// state is a pair of points and coefficients with what is known about it.
type state struct {
	u, w *mat.Dense // d×m, q×k
	s    *mat.Dense // n×k scores
	step float64    // length of the next gradient step; 0: not known yet
}

// descend makes up to steps gradient steps on the points; the coefficients follow in
// every trial, so that what falls is the least objective for the points, whose
// gradient is that for fixed coefficients. It starts from coefficients that are
// optimal and returns the objective after the last step, and how many there were:
// fewer only where no step leads down.
func (t *problem) descend(ctx context.Context, at *state, steps int) (value float64, made int, err error) {
	g, h := mat.NewDense(t.d, t.m, nil), mat.NewDense(t.d, t.m, nil)
	next := &state{u: mat.NewDense(t.d, t.m, nil), w: mat.NewDense(t.q, t.k, nil), s: mat.NewDense(t.n, t.k, nil)}
	if value, err = t.evaluate(ctx, at.u, at.w, at.s, g, nil); err != nil {
		return value, 0, err
	}
	newton := turnSteps
	if t.loss == Squared {
		newton = 1 // is exact
	}
	for ; made < steps; made++ {
		slope := linalg.Inner(g, g)
		if slope == 0 {
			break
		}
		if at.step == 0 {
			at.step = firstStep * math.Sqrt(max(linalg.Inner(at.u, at.u), 1e-300)/slope)
		}
		accepted := false
		for range maxHalvings {
			axpy(next.u, at.u, -at.step, g)
			next.w.Copy(at.w)
			if _, _, _, err := t.solve(ctx, next, turnTol, newton); err != nil {
				return value, made, err
			}
			v, err := t.evaluate(ctx, next.u, next.w, next.s, h, nil)
			if err != nil {
				return value, made, err
			}
			if v <= value-armijo*at.step*slope && v < value {
				value, accepted = v, true
				break
			}
			at.step /= 2
		}
		if !accepted {
			break
		}
		at.u, next.u = next.u, at.u
		at.w, next.w = next.w, at.w
		at.s, next.s = next.s, at.s
		// The step ‖s‖²/⟨s,y⟩ of [BB88], for s = −step·g and y = h−g.
		curve := slope - linalg.Inner(g, h)
		if long := longestGrowth * at.step; curve*long > at.step*slope {
			at.step *= slope / curve
		} else {
			at.step = long
		}
		g, h = h, g
	}
	return value, made, nil
}

const (
	armijo        = 1e-4 // share of the decrease by the gradient that a step must reach
	maxHalvings   = 40
	longestGrowth = 10.0
	firstStep     = 1e-3 // relative to the size of the points
)

// axpy sets dst = x + a·y for matrices of one shape without gaps.
func axpy(dst, x *mat.Dense, a float64, y *mat.Dense) {
	dst.Copy(x)
	blas64.Axpy(a, linalg.Elements(y), linalg.Elements(dst))
}
