package goal

import (
	"context"
	"math"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/basis"
	"github.com/gramworks/gram/internal/rows"
	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/lapack/lapack64"
	"gonum.org/v1/gonum/mat"
)

// hessianBytes bounds the memory of second derivatives; functions that do not fit
// wait for their turn.
const hessianBytes = 256 << 20

// group is the number of functions whose Hessians are held at a time: all of them
// for the squared loss, where they share one.
func (l Loss) group(q, k int) int {
	if l == Squared {
		return k
	}
	return max(1, min(k, hessianBytes/(8*q*q)))
}

// solve minimizes the objective over the coefficients, at.w, and leaves at.s as
// their scores. It starts with the coefficients at hand and stops when the
// decrease that the next step promises is below tol times the objective of its
// function, or after maxIter steps. It returns the steps and the objective, which
// is never above that of the start, and the promise relative to it.
func (t *problem) solve(ctx context.Context, at *state, tol float64, maxIter int) (steps int, value, residual float64, err error) {
	f := t.basis.With(at.u)
	if err := t.each(ctx, f, func(_ gram.Samples[float64], phi *mat.Dense, lo, n int) {
		rows.Mul(at.s.Slice(lo, lo+n, 0, t.k).(*mat.Dense), gram.Of(phi), at.w)
	}); err != nil {
		return 0, 0, 0, err
	}
	size := t.loss.group(t.q, t.k)
	for lo := 0; lo < t.k; lo += size {
		n := &newton{problem: t, features: f, at: at}
		for k := lo; k < min(lo+size, t.k); k++ {
			n.todo = append(n.todo, k)
		}
		made, v, r, err := n.run(ctx, tol, maxIter)
		if err != nil {
			return steps, 0, 0, err
		}
		steps, value, residual = max(steps, made), value+v, max(residual, r)
	}
	return steps, value, residual, nil
}

// newton is the state of Newton's method for some of the functions.
type newton struct {
	*problem
	features basis.Learnable
	at       *state
	todo     []int // functions that are not done
	chol     []blas64.Triangular
}

func (n *newton) run(ctx context.Context, tol float64, maxIter int) (steps int, value, residual float64, err error) {
	values := make([]float64, n.k)
	for _, k := range n.todo {
		values[k] = n.along(k, 0, 0, nil, nil)
	}
	for ; steps < maxIter && len(n.todo) > 0; steps++ {
		direction, promise, err := n.directions(ctx)
		if err != nil {
			return steps, 0, 0, err
		}
		residual = 0
		for j, k := range n.todo {
			residual = max(residual, promise[j]/max(values[k], math.SmallestNonzeroFloat64))
		}
		if residual <= tol {
			break
		}
		change := mat.NewDense(n.n, len(n.todo), nil)
		if err := n.each(ctx, n.features, func(_ gram.Samples[float64], phi *mat.Dense, lo, here int) {
			rows.Mul(change.Slice(lo, lo+here, 0, len(n.todo)).(*mat.Dense), gram.Of(phi), direction)
		}); err != nil {
			return steps, 0, 0, err
		}
		var left []int
		for j, k := range n.todo {
			if promise[j] <= tol*values[k] {
				continue
			}
			length, v, ok := n.search(k, j, values[k], promise[j], direction, change)
			if !ok {
				continue // what the step promises is lost in round-off
			}
			values[k] = v
			for i := range n.q {
				n.at.w.Set(i, k, n.at.w.At(i, k)+length*direction.At(i, j))
			}
			for i := range n.n {
				n.at.s.Set(i, k, n.at.s.At(i, k)+length*change.At(i, j))
			}
			left = append(left, k)
		}
		if n.todo = left; len(left) == 0 {
			residual = 0
		}
	}
	for _, v := range values {
		value += v
	}
	return steps, value, residual, nil
}

// along is the part of the objective that belongs to function k, with its
// coefficients moved by length times column j of direction, and the scores by
// as much of change.
func (n *newton) along(k, j int, length float64, direction, change *mat.Dense) float64 {
	var s, v float64
	for i := range n.q {
		c := n.at.w.At(i, k)
		if length != 0 {
			c += length * direction.At(i, j)
		}
		if i < n.p {
			s += n.ridge * c * c
		} else {
			s += n.ridgeBias * c * c
		}
	}
	for i := range n.n {
		c := n.at.s.At(i, k)
		if length != 0 {
			c += length * change.At(i, j)
		}
		v += n.cost(i) * n.loss.value(c, n.y.At(i, k))
	}
	return s/2 + v
}

// search halves the length of a step until the objective of function k falls.
func (n *newton) search(k, j int, value, promise float64, direction, change *mat.Dense) (length, reached float64, ok bool) {
	length = 1
	for range maxHalvings {
		if v := n.along(k, j, length, direction, change); v < value && v <= value-2*armijo*length*promise {
			return length, v, true
		}
		length /= 2
	}
	return 0, value, false
}

// directions returns −H⁻¹g for every function that is not done, in columns, and
// ½gᵀH⁻¹g, the decrease of the quadratic model.
func (n *newton) directions(ctx context.Context) (*mat.Dense, []float64, error) {
	count := len(n.todo)
	var hessians []*mat.SymDense
	switch {
	case n.loss != Squared:
		hessians = make([]*mat.SymDense, count)
		n.chol = make([]blas64.Triangular, count)
	case n.chol == nil: // one for all functions and steps
		hessians = make([]*mat.SymDense, 1)
		n.chol = make([]blas64.Triangular, 1)
	}
	for h := range hessians {
		hessians[h] = mat.NewSymDense(n.q, nil)
		for i := range n.p {
			hessians[h].SetSym(i, i, n.ridge)
		}
		if n.q > n.p {
			hessians[h].SetSym(n.p, n.p, n.ridgeBias)
		}
	}
	g := mat.NewDense(n.q, count, nil)
	err := n.each(ctx, n.features, func(_ gram.Samples[float64], phi *mat.Dense, lo, here int) {
		slope := top(n.slope, here, count)
		for i := range here {
			cost, r := n.cost(lo+i), slope.RawRowView(i)
			for j, k := range n.todo {
				first, _ := n.loss.slopes(n.at.s.At(lo+i, k), n.y.At(lo+i, k))
				r[j] = cost * first
			}
		}
		rows.AddMulTrans(g, gram.Of(phi), slope)
		for h, hessian := range hessians {
			n.curvature(hessian, phi, n.todo[h], lo)
		}
	})
	if err != nil {
		return nil, nil, err
	}
	for h, hessian := range hessians {
		if err := ctx.Err(); err != nil {
			return nil, nil, err
		}
		var err error
		if n.chol[h], err = factor(hessian); err != nil {
			return nil, nil, err
		}
	}
	direction, promise := mat.NewDense(n.q, count, nil), make([]float64, count)
	b, v := mat.NewVecDense(n.q, nil), mat.NewDense(n.q, 1, nil)
	for j, k := range n.todo {
		for i := range n.p {
			b.SetVec(i, -g.At(i, j)-n.ridge*n.at.w.At(i, k))
		}
		if n.q > n.p {
			b.SetVec(n.p, -g.At(n.p, j)-n.ridgeBias*n.at.w.At(n.p, k))
		}
		v.Copy(b)
		lapack64.Potrs(n.chol[min(j, len(n.chol)-1)], v.RawMatrix())
		direction.SetCol(j, v.RawMatrix().Data)
		promise[j] = mat.Dot(b, v.ColView(0)) / 2
	}
	return direction, promise, nil
}

// curvature adds Σ_i cost_i·loss″(f_ik)·φ_iφ_iᵀ of a block of rows.
func (n *newton) curvature(hessian *mat.SymDense, phi *mat.Dense, k, lo int) {
	count, _ := phi.Dims()
	used := 0
	for i := range count {
		_, second := n.loss.slopes(n.at.s.At(lo+i, k), n.y.At(lo+i, k))
		second *= n.cost(lo + i)
		if second == 0 {
			continue
		}
		root := math.Sqrt(second)
		row := n.work.RawRowView(used)
		for j, v := range phi.RawRowView(i) {
			row[j] = root * v
		}
		used++
	}
	if used > 0 {
		blas64.Syrk(blas.Trans, 1, top(n.work, used, n.q).RawMatrix(), 1, hessian.RawSymmetric())
	}
}

// factor decomposes a. If a is not numerically positive definite its diagonal is
// raised, which leaves the direction one of descent.
func factor(a *mat.SymDense) (blas64.Triangular, error) {
	q := a.SymmetricDim()
	b := mat.NewSymDense(q, nil)
	b.CopySym(a)
	if t, ok := lapack64.Potrf(b.RawSymmetric()); ok {
		return t, nil
	}
	var size float64
	for i := range q {
		size = max(size, a.At(i, i))
	}
	if size == 0 {
		size = 1
	}
	for shift := 1e-15 * size * float64(q); shift <= size && !math.IsInf(size, 1); shift *= 10 {
		b.CopySym(a)
		for i := range q {
			b.SetSym(i, i, a.At(i, i)+shift)
		}
		if t, ok := lapack64.Potrf(b.RawSymmetric()); ok {
			return t, nil
		}
	}
	return blas64.Triangular{}, &gram.NotPDError{Margin: math.NaN()}
}
