package falkon

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/solve"
	"gonum.org/v1/gonum/mat"
)

// togetherBytes is the memory for the preconditioners of the λ that are solved for together, unless MemoryLimit requires less.
const togetherBytes = 256 << 20

// together returns for how many λ the systems are solved together: each has a preconditioner and some vectors of its own. With Single it
// is one, because the kernel values stay from pass to pass.
func (p *problem) together() (int, error) {
	if p.c.Single {
		return 1, nil
	}
	m, columns := p.rhs.Dims()
	room, each := int64(togetherBytes), 8*int64(m)*int64(m+12*columns)
	if p.c.MemoryLimit > 0 {
		plan, _, err := p.c.plan(gram.ShapeOf(p.x, len(p.mean)))
		if err != nil {
			return 0, err
		}
		room = min(room, p.c.MemoryLimit-plan.PeakBytes)
	}
	return int(max(1, room/each)), nil
}

// pick returns the elements of v with the given numbers.
func pick(v []float64, index []int) (out []float64) {
	for _, i := range index {
		out = append(out, v[i])
	}
	return out
}

// fitGroup returns the models for some λ, together if it can: a λ so small that round-off stops conjugate gradients must not
// stop those of the others. With a *gram.ConvergenceError the models are returned too.
func (p *problem) fitGroup(ctx context.Context, lambda []float64) ([]*Model, error) {
	var pd *gram.NotPDError
	if len(lambda) > 1 {
		if models, err := p.fitTogether(ctx, lambda); !errors.As(err, &pd) {
			return models, err
		}
	}
	var models []*Model
	var short error
	for _, l := range lambda {
		p.c.Lambda = gram.Set(l)
		m, err := p.fit(ctx)
		var ce *gram.ConvergenceError
		if errors.As(err, &ce) && m != nil {
			short = err
		} else if err != nil {
			return nil, err
		}
		models = append(models, m)
	}
	return models, short
}

// stacked is the system of several λ: the columns of a vector are those of the first λ, then those of the next one. All share the
// passes. A column that is the same as in the product before, as conjugate gradients leave those that have converged, takes no part in a pass.
type stacked struct {
	system  func() *system // with work memory for any number of columns
	shift   []float64      // of each column
	z, az   *mat.Dense     // the vectors of the last product, and ΦᵀSΦ times them
	by      *system
	columns int // of by
	err     error
}

// Dim returns m, the number of landmarks.
func (s *stacked) Dim() int { m, _ := s.z.Dims(); return m }

// Apply sets dst = (ΦᵀSΦ + shift·I)·z, with the shift of each column.
func (s *stacked) Apply(dst, z *mat.Dense) {
	m := s.Dim()
	if index := changed(s.z, z); len(index) > 0 && s.err == nil {
		if s.by == nil || len(index) != s.columns {
			s.by, s.columns = s.system(), len(index)
		}
		v, av := mat.NewDense(m, len(index), nil), mat.NewDense(m, len(index), nil)
		for i := range m {
			for k, j := range index {
				v.Set(i, k, z.At(i, j))
			}
		}
		s.by.multiply(av, v, false)
		s.err = s.by.err
		for i := range m {
			for k, j := range index {
				s.z.Set(i, j, v.At(i, k))
				s.az.Set(i, j, av.At(i, k))
			}
		}
	}
	if s.err != nil { // a direction without curvature, as in system
		dst.Zero()
		return
	}
	for i := range m {
		from, to := z.RawRowView(i), dst.RawRowView(i)
		for j, v := range s.az.RawRowView(i) {
			to[j] = v + float64(s.shift[j]*from[j])
		}
	}
}

// changed returns the columns in which a and b differ.
func changed(a, b *mat.Dense) (index []int) {
	n, columns := a.Dims()
	for j := range columns {
		for i := range n {
			if a.At(i, j) != b.At(i, j) {
				index = append(index, j)
				break
			}
		}
	}
	return index
}

// inverses are the preconditioners of a stacked system. They keep the last product, as stacked does.
type inverses struct {
	each    []inverse
	columns int // of each λ
	x, ax   *mat.Dense
}

// Dim returns m, the number of landmarks.
func (a inverses) Dim() int { return a.each[0].Dim() }

// Apply sets the columns of dst to the products of the preconditioner of their λ with those of x.
func (a inverses) Apply(dst, x *mat.Dense) {
	for k, r := range a.each {
		if to, from := columnsOf(a.x, k, a.columns), columnsOf(x, k, a.columns); len(changed(to, from)) > 0 {
			to.Copy(from)
			r.Apply(columnsOf(a.ax, k, a.columns), from)
		}
	}
	dst.Copy(a.ax)
}

// columnsOf returns the columns of λ number k of a.
func columnsOf(a *mat.Dense, k, columns int) *mat.Dense {
	n, _ := a.Dims()
	return a.Slice(0, n, k*columns, (k+1)*columns).(*mat.Dense)
}

// fitTogether solves the problem for several λ by conjugate gradients whose passes all of them share. It returns the errors of
// fit: with a *gram.ConvergenceError all models, and with any other error none.
func (p *problem) fitTogether(ctx context.Context, lambda []float64) ([]*Model, error) {
	begin := time.Now()
	m, columns := p.rhs.Dims()
	room := func() *mat.Dense { return mat.NewDense(m, len(lambda)*columns, nil) }
	s := &stacked{z: room(), az: room(), system: func() *system {
		return (&problem{c: p.c, x: p.x, w: p.w, block: p.block, t: p.t, meter: p.meter}).system(ctx)
	}}
	pre := inverses{columns: columns, x: room(), ax: room()}
	rhs, z := room(), room()
	for k, l := range lambda {
		shift := p.c.Penalty.Scale(l, p.total)
		r, err := p.preconditioner(ctx, shift)
		if err != nil {
			return nil, err
		}
		pre.each = append(pre.each, r)
		columnsOf(rhs, k, columns).Copy(p.rhs)
		s.shift = append(s.shift, slices.Repeat([]float64{shift}, columns)...)
	}
	factored := time.Since(begin).Seconds()
	begin = time.Now()
	res, err := solve.CG(ctx, z, s, 0, rhs, solve.Options{Tol: p.c.Tol, MaxIter: p.c.MaxIter, Precondition: pre, Progress: p.meter.Report})
	if s.err != nil {
		err = s.err
	}
	var short *gram.ConvergenceError
	if err != nil && !errors.As(err, &short) {
		return nil, err
	}
	models := make([]*Model, len(lambda))
	for k, l := range lambda {
		p.c.Lambda = gram.Set(l)
		st := p.stats
		st.Shift, st.FactorSeconds, st.SolveSeconds = s.shift[k*columns], st.FactorSeconds+factored, time.Since(begin).Seconds()
		own := res
		own.Residual = slices.Clone(res.Residual[k*columns : (k+1)*columns])
		models[k] = p.model(mat.DenseCopyOf(columnsOf(z, k, columns)), solution{Stats: own, made: true}, st)
	}
	return models, err
}
