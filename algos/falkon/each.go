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
	room, each := int64(togetherBytes), 8*int64(m)*int64(m+8*columns)
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

// stacked is the system of several λ: the columns of a vector are those of the first λ, then those of the next one. All share the passes.
type stacked struct {
	*system
	shift   []float64
	columns int // of each λ
}

// Apply sets dst = (ΦᵀSΦ + shift·I)·z, with the shift of each column.
func (s *stacked) Apply(dst, z *mat.Dense) {
	if s.multiply(dst, z, false); s.err != nil {
		return
	}
	for i := range s.Dim() {
		from, to := z.RawRowView(i), dst.RawRowView(i)
		for k, shift := range s.shift {
			for j := k * s.columns; j < (k+1)*s.columns; j++ {
				to[j] += float64(shift * from[j])
			}
		}
	}
}

// inverses are the preconditioners of a stacked system.
type inverses struct {
	each    []inverse
	columns int
}

// Dim is the order of the preconditioners.
func (a inverses) Dim() int { return a.each[0].Dim() }

// Apply sets the columns of dst to the products of the preconditioner of their λ with those of x.
func (a inverses) Apply(dst, x *mat.Dense) {
	for k, r := range a.each {
		r.Apply(columnsOf(dst, k, a.columns), columnsOf(x, k, a.columns))
	}
}

// columnsOf returns the columns of λ number k of a.
func columnsOf(a *mat.Dense, k, columns int) *mat.Dense {
	n, _ := a.Dims()
	return a.Slice(0, n, k*columns, (k+1)*columns).(*mat.Dense)
}

// fitTogether solves the problem for several λ by conjugate gradients whose passes all of them share. Its errors are those of fit;
// with a *gram.ConvergenceError all models are returned, and with any other none.
func (p *problem) fitTogether(ctx context.Context, lambda []float64) ([]*Model, error) {
	begin := time.Now()
	m, columns := p.rhs.Dims()
	q := &problem{c: p.c, x: p.x, w: p.w, block: p.block, t: p.t, meter: p.meter} // whose work memory is for more columns
	s := &stacked{system: q.system(ctx), columns: columns}
	pre := inverses{columns: columns}
	rhs, z := mat.NewDense(m, len(lambda)*columns, nil), mat.NewDense(m, len(lambda)*columns, nil)
	for k, l := range lambda {
		s.shift = append(s.shift, p.c.Penalty.Scale(l, p.total))
		r, err := p.preconditioner(ctx, s.shift[k])
		if err != nil {
			return nil, err
		}
		pre.each = append(pre.each, r)
		columnsOf(rhs, k, columns).Copy(p.rhs)
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
		st.Shift, st.FactorSeconds, st.SolveSeconds = s.shift[k], st.FactorSeconds+factored, time.Since(begin).Seconds()
		own := res
		own.Residual = slices.Clone(res.Residual[k*columns : (k+1)*columns])
		models[k] = p.model(mat.DenseCopyOf(columnsOf(z, k, columns)), solution{Stats: own, made: true}, st)
	}
	return models, err
}
