package bregman

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/kernels/constraint"
	"github.com/gramworks/gram/algos/kernels/internal/dual"
	"github.com/gramworks/gram/internal/linalg"
	"github.com/gramworks/gram/num/rng"
	"github.com/gramworks/gram/settings"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"
)

// problem is the learning problem for X with K = F·X·Fᵀ: F is G₀ for Burg, and the orthonormal basis V of its columns
// for von Neumann. The vectors of its rows are Fᵀz.
type problem struct {
	dual.Problem
	in      []constraint.Linear
	dropped []int // constraints whose value no kernel changes
	f       *mat.Dense
	start   *spectral
}

// compile sets up the problem. noise is at least the largest eigenvalue of what rounding has added to G₀G₀ᵀ.
func (c Config) compile(f *mat.Dense, noise float64, start *spectral, in []constraint.Linear) (*problem, error) {
	p := &problem{in: in, f: f, start: start, Problem: dual.Problem{F: dual.LogDet{}, N: len(in)}}
	var vectors []float64 // Fᵀz for F = G₀, one after the other
	for i := range in {
		row, of, err := c.row(p, i, noise)
		if err != nil {
			return nil, err
		}
		if row == nil {
			p.dropped = append(p.dropped, i)
			continue
		}
		row.First = len(vectors) / f.RawMatrix().Cols
		vectors = append(vectors, of...)
		p.Rows = append(p.Rows, *row)
	}
	shuffle := rng.New(rng.Derive(c.Seed, "order of constraints"), 0)
	shuffle.Shuffle(len(p.Rows), func(i, j int) { p.Rows[i], p.Rows[j] = p.Rows[j], p.Rows[i] })
	r := f.RawMatrix().Cols
	if len(vectors) == 0 {
		vectors = make([]float64, r)
	}
	p.T = mat.NewDense(len(vectors)/r, r, vectors)
	if c.Divergence == VonNeumann {
		var t mat.Dense
		t.Mul(p.T, start.right)
		p.F, p.T = dual.VonNeumann{}, &t
		for _, s := range start.sigma {
			p.Base = append(p.Base, 2*math.Log(s))
		}
		p.Unit = start.trace()
		p.Constant = p.Unit
	}
	return p, nil
}

// row brings constraint i into the coordinates of F = G₀ and returns the vectors of its terms beside it, one after the
// other. The row is nil if the value of the constraint does not depend on K.
func (c Config) row(p *problem, i int, noise float64) (*dual.Row, []float64, error) {
	in := &p.in[i]
	r := p.f.RawMatrix().Cols
	row := &dual.Row{At: i, Relation: in.Relation, Identity: in.Identity, Bound: dual.Bound{B: in.Bound}}
	if p.start.empty {
		row.Identity = 0
	}
	var vectors []float64
	var scale float64 // tr(K₀|A|)
	add := func(weight float64, v []float64) {
		row.Weight = append(row.Weight, weight)
		vectors = append(vectors, v...)
		scale += math.Abs(weight) * linalg.Dot(v, v)
	}
	v := make([]float64, r)
	for _, t := range in.Terms {
		length, size := p.project(v, t.Z)
		if size-size != 0 || t.Weight*size*size-t.Weight*size*size != 0 {
			return nil, nil, settings.Refuse(fmt.Sprintf("constraints[%d]", i), size*size, "rows and weights whose squares are finite numbers")
		}
		// Rows that are equal in exact arithmetic differ by rounding errors at most.
		if t.Weight == 0 || length <= 4*0x1p-53*size || length*length <= noise*linalg.Dot(t.Z.Value, t.Z.Value) {
			continue
		}
		add(t.Weight, v)
	}
	if c.Divergence == Burg && row.Identity != 0 {
		// tr K = tr X·leftᵀ·left: as many terms as the rank.
		for k := range p.start.rank() {
			add(row.Identity, p.start.left.RawRowView(k))
		}
		row.Identity = 0
	}
	scale += math.Abs(row.Identity) * p.start.trace()
	if len(row.Weight) == 0 && row.Identity == 0 {
		if in.Relation.Excess(0, in.Bound) == 0 || c.Slack > 0 {
			return nil, nil, nil
		}
		farkas := make([]float64, len(p.in))
		farkas[i] = math.Copysign(1, in.Bound)
		return nil, nil, &constraint.InfeasibleError{Constraints: []int{i}, Farkas: farkas,
			Reason: fmt.Sprintf("its value is 0 for every kernel in the range of the start, the bound is %g", in.Bound)}
	}
	row.Bound = c.bound(row, scale)
	return row, vectors, nil
}

// bound is the bound of a row with the price of moving it, for scale = tr(K₀|A|).
func (c Config) bound(row *dual.Row, scale float64) dual.Bound {
	definite := row.Identity >= 0 && !slices.ContainsFunc(row.Weight, func(w float64) bool { return w < 0 })
	b := dual.Bound{B: row.Bound.B, Gamma: c.Slack}
	switch {
	case c.Slack == 0:
	case (!definite || b.B <= 0) && c.Divergence == Burg:
		b.Price, b.Gamma = dual.Square, c.Slack/scale/scale
	case !definite || b.B <= 0:
		b.Price, b.Gamma = dual.Square, c.Slack/scale
	case c.Divergence == Burg:
		b.Price = dual.Inverse
	default:
		b.Price = dual.Entropy
	}
	return b
}

// project sets v = Fᵀz for F = G₀ and returns ‖v‖ and Σ|z_i|·‖F_i‖.
func (p *problem) project(v []float64, z constraint.Vector) (length, size float64) {
	clear(v)
	for k, value := range z.Value {
		i := k
		if z.Index != nil {
			i = z.Index[k]
		}
		if value == 0 {
			continue
		}
		row := p.f.RawRowView(i)
		blas64.Axpy(value, linalg.Vector(row), linalg.Vector(v))
		size += math.Abs(value) * math.Sqrt(linalg.Dot(row, row))
	}
	return math.Sqrt(linalg.Dot(v, v)), size
}

// transform returns T with K = G₀TTᵀG₀ᵀ for the X of a solution.
func (p *problem) transform(s *dual.State) *mat.Dense {
	if b := s.Factor(); b != nil {
		return b
	}
	_, lambda, u, _, _ := s.Spectrum(context.Background()) // which it has: there is no error
	var t mat.Dense
	t.Mul(p.start.right, u)
	t.Apply(func(_, j int, x float64) float64 { return x * math.Sqrt(lambda[j]) }, &t)
	return &t
}

// certify measures the constraints on the rows of x as the model maps them, and makes the violation of s theirs. It returns
// their gap.
func (p *problem) certify(s *dual.State, m *Model, x mat.Matrix) (gap float64) {
	n, d := x.Dims()
	_, r := m.Dims()
	const block = 256
	from, to := mat.NewDense(min(n, block), d, nil), mat.NewDense(min(n, block), r, nil)
	// each calls f with the position in index of every row, and with the row mapped.
	each := func(index []int, f func(k int, v []float64)) {
		for lo := 0; lo < len(index); lo += block {
			part := index[lo:min(lo+block, len(index))]
			for k, i := range part {
				mat.Row(from.RawRowView(k), i, x)
			}
			m.Map(to.Slice(0, len(part), 0, r).(*mat.Dense), from.Slice(0, len(part), 0, d))
			for k := range part {
				f(lo+k, to.RawRowView(k))
			}
		}
	}
	every := make([]int, n)
	for i := range every {
		every[i] = i
	}
	var trace float64
	if slices.ContainsFunc(p.in, func(c constraint.Linear) bool { return c.Identity != 0 }) {
		each(every, func(_ int, v []float64) { trace += linalg.Dot(v, v) })
	}
	value, size := make([]float64, len(p.Rows)), make([]float64, len(p.Rows))
	sum := make([]float64, r)
	for i := range p.Rows {
		in := &p.in[p.Rows[i].At]
		value[i], size[i] = in.Identity*trace, math.Abs(in.Identity)*trace
		for _, t := range in.Terms {
			index := t.Z.Index
			if index == nil {
				index = every
			}
			clear(sum)
			each(index, func(k int, v []float64) { blas64.Axpy(t.Z.Value[k], linalg.Vector(v), linalg.Vector(sum)) })
			square := linalg.Dot(sum, sum)
			value[i] += t.Weight * square
			size[i] += math.Abs(t.Weight) * square
		}
	}
	return s.Certify(value, size)
}

// report adds what s says of the constraints and what the sweeps have counted to the statistics.
func (m *Model) report(p *problem, s *dual.State, r dual.Report) {
	t := &m.stats
	t.Certificate = s.Certificate(p.in, p.dropped)
	t.Iterations, t.NewtonSteps, t.Projections, t.Evaluations = r.Iterations, r.NewtonSteps, r.Projections, r.Evaluations
	t.Divergence, t.Price = r.Divergence, s.Price()
	t.ProjectionSeconds, t.RootSeconds, t.ProductSeconds = r.ProjectionSeconds, r.RootSeconds, r.ProductSeconds
}

// learning is the phase that a fit reports.
const learning = "kernel learning"

// event returns what a fit reports of its progress: steps of so many at most, and the divergence.
func event(done, total int, objective float64) gram.Event {
	return gram.Event{Phase: learning, Done: int64(done), Total: int64(total), Objective: objective}
}
