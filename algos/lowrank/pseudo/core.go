package pseudo

import (
	"context"
	"math"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/basis"
	"github.com/gramworks/gram/eig"
	"github.com/gramworks/gram/internal/rows"
	"github.com/gramworks/gram/kernel"
	"gonum.org/v1/gonum/mat"
)

// truncation says which directions of the range of C̄_I are left out.
type truncation struct {
	floor float64 // columns shorter than that share of the longest are scaled as one of that length
	cut   float64 // of the singular values, relative to the largest of C_I
}

// leastColumn is the floor to begin with. A column that is nearly zero on the sample, such
// as the product of the kernel values of two landmarks far from each other, would be
// multiplied up to what any row elsewhere has in it.
const leastColumn = 1e-3

const (
	mostStretch = 100  // largest accepted ‖φ(z)‖²/K(z,z) of the probes; for Nyström features it is at most 1
	mostCut     = 1e-2 // largest value to which the cut is raised
)

// core computes the root of W̄ from the sample. With adapt, it raises the cut until the features of the
// probes are short enough or the cut reaches mostCut.
func (c Config) core(ctx context.Context, m *Model, x gram.Samples[float64], adapt bool) error {
	part := x
	if m.given.Sample != nil {
		part = x.Select(m.given.Sample)
	}
	var probes *mat.Dense
	if _, known := c.Kernel.(*kernel.Precomputed); !known {
		probes = m.probes()
	}
	for t := (truncation{leastColumn, c.Cut}); ; t = (truncation{1, min(mostCut, max(1e-6, 10*t.cut))}) { // then all columns keep their lengths
		f, err := c.solve(ctx, m.c, part, t)
		if err != nil {
			return err
		}
		m.Rooted, m.cfg.Cut = f.Rooted, t.cut
		m.stats.Rank, m.stats.Own, m.stats.Sample, m.stats.SampleError = f.rank, f.own, c.Sample, f.err
		if probes != nil {
			m.stats.Stretch = stretch(c.Kernel, f, gram.Of(probes))
		}
		if !adapt || t.cut >= mostCut || !(m.stats.Stretch > mostStretch) {
			return nil
		}
	}
}

// probes are points at which the columns are large whatever the rows of the sample are:
// the landmarks, and the middle between those of every product.
func (m *Model) probes() *mat.Dense {
	u := m.c.Landmarks()
	n, d := u.Dims()
	all := mat.NewDense(n+len(m.given.Pairs), d, nil)
	all.Slice(0, n, 0, d).(*mat.Dense).Copy(u)
	for k, p := range m.given.Pairs {
		row, a, b := all.RawRowView(n+k), u.RawRowView(p[0]), u.RawRowView(p[1])
		for j := range row {
			row[j] = (a[j] + b[j]) / 2
		}
	}
	return all
}

// stretch returns the largest ‖φ(x)‖²/K(x,x) of the rows with K(x,x) > 0.
func stretch(k kernel.Kernel, f gram.FeatureMap, x gram.Samples[float64]) float64 {
	n, d := x.Dims()
	phi := f.Map(nil, x)
	buffer := make([]float64, d)
	var most float64
	for i := range n {
		row := x.Row(buffer, i)
		if of := k.Eval(row, row); of > 0 {
			var s float64
			for _, v := range phi.RawRowView(i) {
				s += v * v
			}
			most = max(most, s/of)
		}
	}
	return most
}

// fitted are features with what is known of them.
type fitted struct {
	*basis.Rooted
	rank, own int
	err       float64 // relative, on the rows they are fitted to
}

// solve computes the root of W̄ for the rows of part.
func (c Config) solve(ctx context.Context, columns *basis.Pseudo, part gram.Samples[float64], by truncation) (*fitted, error) {
	cbar := columns.Map(nil, part)
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	q, t, own, err := c.basis(cbar, by)
	if err != nil {
		return nil, err
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	gq, err := c.product(ctx, part, q)
	if err != nil {
		return nil, err
	}
	_, r := q.Dims()
	var b mat.Dense
	b.Mul(q.T(), gq.of)
	small := mat.NewSymDense(r, nil)
	for i := range r {
		for j := i; j < r; j++ {
			small.SetSym(i, j, (b.At(i, j)+b.At(j, i))/2)
		}
	}
	values, v, err := eig.SymAllContext(ctx, small)
	if err != nil {
		return nil, err
	}
	kept := 0
	for kept < r && values[r-1-kept] > float64(r)*0x1p-53*values[r-1] {
		kept++
	}
	// Columns in the order of descending eigenvalues; a matrix has at least one.
	half := mat.NewDense(r, max(1, kept), nil)
	var squares float64
	for k := range kept {
		s := math.Sqrt(values[r-1-k])
		squares += values[r-1-k] * values[r-1-k]
		for i := range r {
			half.Set(i, k, s*v.At(i, r-1-k))
		}
	}
	root := new(mat.Dense)
	root.Mul(t, half)
	f := &fitted{Rooted: basis.NewRooted(columns, root), rank: kept, own: own}
	if gq.squares > 0 {
		// G − QQᵀGQQᵀ is orthogonal to QQᵀGQQᵀ.
		f.err = math.Sqrt(max(0, 1-squares/gq.squares))
	}
	return f, nil
}

// times is the product of a kernel matrix with a matrix, and its own ‖G‖².
type times struct {
	of      *mat.Dense
	squares float64
}

// product computes G·q for the kernel matrix G of the rows of x, in blocks of
// rows.
func (c Config) product(ctx context.Context, x gram.Samples[float64], q *mat.Dense) (times, error) {
	n, r := q.Dims()
	all := kernel.Against[float64](c.Kernel, x).Limit(c.Workers)
	const block = 256
	g := mat.NewDense(min(n, block), n, nil)
	out := times{of: mat.NewDense(n, r, nil)}
	for lo := 0; lo < n; lo += block {
		if err := ctx.Err(); err != nil {
			return out, err
		}
		hi := min(lo+block, n)
		part := g.Slice(0, hi-lo, 0, n).(*mat.Dense)
		all.Fill(gram.View(part), x.Slice(lo, hi))
		for i := range hi - lo {
			for _, v := range part.RawRowView(i) {
				out.squares += v * v
			}
		}
		rows.Mul(out.of.Slice(lo, hi, 0, r).(*mat.Dense), gram.Of(part), q)
	}
	return out, nil
}

// basis returns an orthonormal basis q of the range of cbar, singular values
// below the cut dropped, and t with q = cbar·t. The first own columns are a basis
// of the range of cbar's first M columns, the others of what the rest adds. It
// overwrites cbar.
func (c Config) basis(cbar *mat.Dense, by truncation) (q, t *mat.Dense, own int, err error) {
	n, width := cbar.Dims()
	scale := normalize(cbar, by.floor)
	first := cbar.Slice(0, n, 0, c.M).(*mat.Dense)
	rest := cbar.Slice(0, n, c.M, width).(*mat.Dense)
	q0, t0, top, err := truncated(first, 0, by.cut)
	if err != nil {
		return nil, nil, 0, err
	}
	var along *mat.Dense // q0ᵀ·rest
	if q0 != nil {
		_, own = q0.Dims()
		along = project(rest, q0)
	}
	q1, t1, _, err := truncated(rest, top, by.cut)
	if err != nil {
		return nil, nil, 0, err
	}
	more := 0
	if q1 != nil {
		_, more = q1.Dims()
	}
	// A matrix has at least one column: zeros, if all values are.
	q, t = mat.NewDense(n, max(1, own+more), nil), mat.NewDense(width, max(1, own+more), nil)
	if own > 0 {
		q.Slice(0, n, 0, own).(*mat.Dense).Copy(q0)
		t.Slice(0, c.M, 0, own).(*mat.Dense).Copy(t0)
	}
	if more > 0 {
		q.Slice(0, n, own, own+more).(*mat.Dense).Copy(q1)
		t.Slice(c.M, width, own, own+more).(*mat.Dense).Copy(t1)
	}
	if own > 0 && more > 0 {
		// q1 = (rest − q0·along)·t1 = rest·t1 − first·t0·along·t1.
		var b mat.Dense
		b.Mul(along, t1)
		upper := t.Slice(0, c.M, own, own+more).(*mat.Dense)
		upper.Mul(t0, &b)
		upper.Scale(-1, upper)
	}
	for j, s := range scale {
		row := t.RawRowView(j)
		for k := range row {
			row[k] *= s
		}
	}
	return q, t, own, nil
}

// project takes its part in the range of q, orthonormal, off a and returns qᵀ·a.
// It does so twice, so that a is orthogonal to q to working precision.
func project(a, q *mat.Dense) *mat.Dense {
	var sum, part, along mat.Dense
	for i := range 2 {
		part.Mul(q.T(), a)
		along.Mul(q, &part)
		a.Sub(a, &along)
		if i == 0 {
			sum.CloneFrom(&part)
		} else {
			sum.Add(&sum, &part)
		}
	}
	return &sum
}

// normalize scales the columns of a to length one, but those that are shorter than floor
// times the longest as one of that length, and returns the factors: ones if all are
// zeros.
func normalize(a *mat.Dense, floor float64) []float64 {
	n, width := a.Dims()
	scale := make([]float64, width)
	largest := make([]float64, width) // squares of large values might overflow
	for i := range n {
		for j, v := range a.RawRowView(i) {
			largest[j] = max(largest[j], math.Abs(v))
		}
	}
	for i := range n {
		for j, v := range a.RawRowView(i) {
			if largest[j] > 0 {
				scale[j] += (v / largest[j]) * (v / largest[j])
			}
		}
	}
	var most float64
	for j, s := range scale {
		scale[j] = largest[j] * math.Sqrt(s)
		most = max(most, scale[j])
	}
	for j, length := range scale {
		scale[j] = 1
		if most > 0 {
			scale[j] = 1 / max(length, floor*most)
		}
	}
	for i := range n {
		row := a.RawRowView(i)
		for j := range row {
			row[j] *= scale[j]
		}
	}
	return scale
}

// truncated returns an orthonormal basis q of the range of a and t with q = a·t,
// from the singular values above cut·top, top 0 meaning the largest, and top.
// Where there are none q and t are nil.
func truncated(a *mat.Dense, top, cut float64) (q, t *mat.Dense, reference float64, err error) {
	var d mat.SVD
	if !d.Factorize(a, mat.SVDThin) {
		return nil, nil, 0, &gram.ConvergenceError{Residual: math.NaN()}
	}
	s := d.Values(nil)
	if top == 0 {
		top = s[0]
	}
	r := 0
	for r < len(s) && s[r] > cut*top {
		r++
	}
	n, width := a.Dims()
	if r == 0 {
		return nil, nil, top, nil
	}
	var u, v mat.Dense
	d.UTo(&u)
	d.VTo(&v)
	q, t = mat.DenseCopyOf(u.Slice(0, n, 0, r)), mat.DenseCopyOf(v.Slice(0, width, 0, r))
	for i := range width {
		row := t.RawRowView(i)
		for k := range row {
			row[k] /= s[k]
		}
	}
	return q, t, top, nil
}
