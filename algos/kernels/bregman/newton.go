package bregman

import (
	"context"
	"math"

	"github.com/gramworks/gram/algos/kernels/constraint"
	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"
)

// curvature is the Hessian H ⪰ 0 of the negative dual function for some multipliers.
type curvature interface {
	diagonal() []float64
	matrix() *mat.SymDense    // of order len(diagonal())
	product(dst, d []float64) // dst = H·d
}

// mostDense is the number of multipliers up to which the Hessian is formed and
// factored; for more there are conjugate gradients.
const mostDense = 1000

// step maximizes gᵀd − dᵀHd/2 over the d for which y+d keeps the signs of relation, by
// block pivoting ([JP94]): a set of free multipliers for which Hd = g, the others at
// zero, from which every multiplier that has the wrong sign or the wrong gradient
// leaves at once; where that does not lessen their number, one of them at a time. free
// is the first set and becomes the last.
//
// A ridge of 10⁻¹³ of its diagonal makes H definite: constraints may depend on each other.
func step(ctx context.Context, h curvature, g, y []float64, relation []constraint.Relation, free []bool, precision float64) ([]float64, error) {
	n := len(g)
	scale := make([]float64, n)
	for i, v := range h.diagonal() {
		scale[i] = 1
		if v > 0 {
			scale[i] = 1 / math.Sqrt(v)
		}
	}
	s := newSystem(h, scale)
	d, rest := make([]float64, n), make([]float64, n)
	fewest, chances := n+1, 3
	for round := 0; ; round++ {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		for i := range d {
			d[i] = 0
			if !free[i] {
				d[i] = -y[i]
			}
		}
		s.multiply(rest, d)
		for i := range rest {
			rest[i] = g[i] - rest[i]
		}
		if err := s.solve(ctx, d, rest, free, precision); err != nil {
			return nil, err
		}
		s.multiply(rest, d)
		wrong, last := 0, -1
		leaves := func(i int) bool {
			if relation[i] == constraint.Equal {
				return !free[i]
			}
			sign := 1.
			if relation[i] == constraint.AtMost {
				sign = -1
			}
			if free[i] {
				return sign*(y[i]+d[i]) < 0
			}
			return sign*(g[i]-rest[i])*scale[i] > 1e-12*math.Abs(g[i])*scale[i]
		}
		for i := range d {
			if leaves(i) {
				wrong, last = wrong+1, i
			}
		}
		if wrong == 0 || round > 50+n {
			break
		}
		if wrong < fewest {
			fewest, chances = wrong, 3
		} else {
			chances--
		}
		if chances < 0 {
			free[last] = !free[last]
			continue
		}
		// All decide by the same d.
		flip := make([]int, 0, wrong)
		for i := range d {
			if leaves(i) {
				flip = append(flip, i)
			}
		}
		for _, i := range flip {
			free[i] = !free[i]
		}
	}
	// What rounding or an early end has left.
	for i := range d {
		switch z := y[i] + d[i]; {
		case !free[i] && relation[i] != constraint.Equal, relation[i] == constraint.AtMost && z > 0, relation[i] == constraint.AtLeast && z < 0:
			d[i] = -y[i]
		}
	}
	return d, nil
}

// system solves equations with the Hessian, scaled to a unit diagonal.
type system struct {
	h     curvature
	scale []float64
	dense *mat.SymDense // or nil
	room  []float64
}

const ridge = 1e-13

func newSystem(h curvature, scale []float64) *system {
	s := &system{h: h, scale: scale, room: make([]float64, len(scale))}
	if len(scale) > mostDense {
		return s
	}
	s.dense = h.matrix()
	for i, a := range scale {
		for j := i; j < len(scale); j++ {
			s.dense.SetSym(i, j, s.dense.At(i, j)*a*scale[j])
		}
	}
	return s
}

// multiply sets dst = H·d.
func (s *system) multiply(dst, d []float64) {
	if s.dense == nil {
		s.h.product(dst, d)
		return
	}
	for i, v := range d {
		s.room[i] = v / s.scale[i]
	}
	n := len(d)
	blas64.Symv(1, s.dense.RawSymmetric(), blas64.Vector{N: n, Data: s.room, Inc: 1}, 0, blas64.Vector{N: n, Data: dst, Inc: 1})
	for i := range dst {
		dst[i] /= s.scale[i]
	}
}

// solve sets the free elements of d so that those of H·d are rest.
func (s *system) solve(ctx context.Context, d, rest []float64, free []bool, precision float64) error {
	var at []int
	for i, f := range free {
		if f {
			at = append(at, i)
		}
	}
	if len(at) == 0 {
		return nil
	}
	if s.dense == nil {
		return s.conjugate(ctx, d, rest, at, precision)
	}
	b := mat.NewVecDense(len(at), nil)
	a := mat.NewSymDense(len(at), nil)
	for k, i := range at {
		b.SetVec(k, rest[i]*s.scale[i])
		for l := k; l < len(at); l++ {
			a.SetSym(k, l, s.dense.At(i, at[l]))
		}
	}
	var chol mat.Cholesky
	for shift := ridge; ; shift *= 100 {
		for k, i := range at {
			a.SetSym(k, k, s.dense.At(i, i)+shift)
		}
		if chol.Factorize(a) || shift > 1 {
			break
		}
	}
	var x mat.VecDense
	// A warning of bad condition is expected.
	_ = chol.SolveVecTo(&x, b)
	for k, i := range at {
		d[i] = x.AtVec(k) * s.scale[i]
	}
	return nil
}

// conjugate is solve by conjugate gradients to the relative precision.
func (s *system) conjugate(ctx context.Context, d, rest []float64, at []int, precision float64) error {
	n := len(at)
	x, r, p, hp := make([]float64, n), make([]float64, n), make([]float64, n), make([]float64, n)
	full, product := make([]float64, len(d)), make([]float64, len(d))
	for k, i := range at {
		r[k] = rest[i] * s.scale[i]
	}
	copy(p, r)
	rho := dot(r, r)
	for stop, n := precision*precision*rho, 0; rho > stop && n < 300; n++ {
		if err := ctx.Err(); err != nil {
			return err
		}
		for k, i := range at {
			full[i] = p[k] * s.scale[i]
		}
		s.h.product(product, full)
		for k, i := range at {
			hp[k] = product[i]*s.scale[i] + ridge*p[k]
		}
		curvature := dot(p, hp)
		if !(curvature > 0) {
			break
		}
		a := rho / curvature
		for k := range x {
			x[k] += a * p[k]
			r[k] -= a * hp[k]
		}
		next := dot(r, r)
		for k := range p {
			p[k] = r[k] + next/rho*p[k]
		}
		rho = next
	}
	for k, i := range at {
		d[i] = x[k] * s.scale[i]
	}
	return nil
}

// divided is the Hessian
//
//	H_cd = Σ_kl w_kw_l·Σ_ij Φ_ij·z_ki·z_kj·z_li·z_lj   (terms k of c and l of d)
//
// and a diagonal, for directions z_k in coordinates in which the derivative of X
// multiplies elements by Φ: all ones where phi is nil.
type divided struct {
	terms    *mat.Dense // z_k as rows
	weight   []float64
	first    []int     // constraint c has the terms first[c] to first[c+1]−1
	identity []float64 // and this multiple of the identity
	phi      *mat.SymDense
	slope    []float64
}

// sum returns N = Σ d_c·H_c.
func (h *divided) sum(d []float64) *mat.SymDense {
	t, r := h.terms.Dims()
	scaled := mat.NewDense(max(1, t), r, nil)
	n := mat.NewSymDense(r, nil)
	var shift float64
	for c, v := range d {
		shift += v * h.identity[c]
		for k := h.first[c]; k < h.first[c+1]; k++ {
			if f := v * h.weight[k]; f != 0 {
				blas64.Axpy(f, blas64.Vector{N: r, Data: h.terms.RawRowView(k), Inc: 1}, blas64.Vector{N: r, Data: scaled.RawRowView(k), Inc: 1})
			}
		}
	}
	raw := n.RawSymmetric()
	blas64.Gemm(blas.Trans, blas.NoTrans, 1, h.terms.RawMatrix(), scaled.RawMatrix(), 0, blas64.General{Rows: r, Cols: r, Stride: raw.Stride, Data: raw.Data})
	for j := range r {
		n.SetSym(j, j, n.At(j, j)+shift)
	}
	return n
}

func (h *divided) product(dst, d []float64) {
	n := h.sum(d)
	r := n.SymmetricDim()
	p := mat.NewDense(r, r, nil)
	var trace float64
	for i := range r {
		row := p.RawRowView(i)
		for j := range r {
			row[j] = n.At(i, j)
			if h.phi != nil {
				row[j] *= h.phi.At(i, j)
			}
		}
		trace += row[i]
	}
	var zp mat.Dense
	zp.Mul(h.terms, p)
	for c := range dst {
		dst[c] = h.slope[c]*d[c] + h.identity[c]*trace
		for k := h.first[c]; k < h.first[c+1]; k++ {
			dst[c] += h.weight[k] * dot(zp.RawRowView(k), h.terms.RawRowView(k))
		}
	}
}

func (h *divided) diagonal() []float64 {
	out := make([]float64, len(h.slope))
	t, r := h.terms.Dims()
	var squares, product mat.Dense
	if h.phi != nil && t == len(out) {
		squares.MulElem(h.terms, h.terms)
		product.Mul(&squares, h.phi)
	}
	row := make([]float64, r)
	for c := range out {
		out[c] = h.slope[c]
		first, last := h.first[c], h.first[c+1]
		switch {
		case h.phi == nil:
			for k := first; k < last; k++ {
				for l := first; l < last; l++ {
					v := dot(h.terms.RawRowView(k), h.terms.RawRowView(l))
					out[c] += h.weight[k] * h.weight[l] * v * v
				}
			}
		case !product.IsEmpty() && last == first+1 && h.identity[c] == 0:
			out[c] += h.weight[first] * h.weight[first] * dot(product.RawRowView(first), squares.RawRowView(first))
		default:
			for i := range r {
				h.row(row, c, i)
				out[c] += dot(row[i:], row[i:])
			}
		}
	}
	return out
}

// row sets dst[j], j ≥ i, to √Φ_ij times element i, j of H_c, and √2 of that for j > i:
// the inner products of these are the elements of the Hessian.
func (h *divided) row(dst []float64, c, i int) {
	clear(dst[i:])
	for k := h.first[c]; k < h.first[c+1]; k++ {
		z := h.terms.RawRowView(k)
		f := h.weight[k] * z[i]
		for j := i; j < len(dst); j++ {
			dst[j] += f * z[j]
		}
	}
	dst[i] += h.identity[c]
	for j := i; j < len(dst); j++ {
		f := 1.
		if h.phi != nil {
			f = h.phi.At(i, j)
		}
		if j > i {
			f *= 2
		}
		dst[j] *= math.Sqrt(f)
	}
}

func (h *divided) matrix() *mat.SymDense {
	m := len(h.slope)
	out := mat.NewSymDense(m, nil)
	_, r := h.terms.Dims()
	if h.phi == nil { // squares of inner products
		var g mat.SymDense
		g.SymOuterK(1, h.terms)
		for c := range m {
			for d := c; d < m; d++ {
				var sum float64
				for k := h.first[c]; k < h.first[c+1]; k++ {
					for l := h.first[d]; l < h.first[d+1]; l++ {
						v := g.At(k, l)
						sum += h.weight[k] * h.weight[l] * v * v
					}
				}
				out.SetSym(c, d, sum)
			}
		}
	} else {
		part := mat.NewDense(m, r, nil)
		for i := range r {
			for c := range m {
				h.row(part.RawRowView(c), c, i)
			}
			p := part.RawMatrix()
			p.Data, p.Cols = p.Data[i:], r-i
			blas64.Syrk(blas.NoTrans, 1, p, 1, out.RawSymmetric())
		}
	}
	for c, v := range h.slope {
		out.SetSym(c, c, out.At(c, c)+v)
	}
	return out
}

func dot(x, y []float64) float64 {
	return blas64.Dot(blas64.Vector{N: len(x), Data: x, Inc: 1}, blas64.Vector{N: len(y), Data: y, Inc: 1})
}
