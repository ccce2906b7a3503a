package pseudo

import (
	"context"
	"math"
	"slices"
	"time"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/basis"
	"github.com/gramworks/gram/algos/crossval"
	"github.com/gramworks/gram/algos/lowrank/landmark"
	"github.com/gramworks/gram/algos/solve"
	"github.com/gramworks/gram/eig"
	"github.com/gramworks/gram/internal/rows"
	"github.com/gramworks/gram/kernel"
	"github.com/gramworks/gram/num/rng"
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
	maxStretch = 100  // largest accepted ‖φ(z)‖²/K(z,z) of the probes; for Nyström features it is at most 1
	maxCut     = 1e-2 // largest value to which the cut is raised
)

// choices says what a fit chooses by the data because the settings leave it open.
type choices struct {
	cut     bool // the cut is raised until the features of the probes are short enough
	columns bool // the columns of the pseudo-landmarks are left out if they do not help on rows that are held out
}

// few reports whether n rows are few for the landmarks: p is then less than 2m, and landmarks are so
// near to the rows that they were chosen from that these rows are not like new ones.
func (c Config) few(n int) bool { return n < 3*fewRows*c.M }

// train fits a model to rows and settings that have been checked.
func (c Config) train(ctx context.Context, x gram.Samples[float64], w []float64, open choices) (*Model, error) {
	begin := time.Now()
	run := c.Run
	run.Seed = rng.Derive(c.Seed, "landmarks")
	points, err := c.Landmarks.Select(ctx, c.Kernel, x, w, c.M, run)
	if err != nil {
		return nil, err
	}
	selected := time.Now()
	m := &Model{cfg: c, given: c.draw(x)}
	m.c = c.columns(points.U, m.given)
	m.cfg.Given = Given{}
	f, err := c.best(ctx, m, x, w, open)
	if err != nil {
		return nil, err
	}
	m.Rooted, m.cfg.Cut, m.nystrom = f.Rooted, f.by.cut, f.nystrom
	m.stats = Stats{Rank: f.rank, Own: f.own, Sample: c.Sample, Stretch: f.stretch, SampleError: f.err,
		SelectSeconds: selected.Sub(begin).Seconds(), CoreSeconds: time.Since(selected).Seconds()}
	return m, nil
}

// best computes the root of W̄ from the sample.
func (c Config) best(ctx context.Context, m *Model, x gram.Samples[float64], w []float64, open choices) (*fitted, error) {
	part := x
	if m.given.Sample != nil {
		part = x.Select(m.given.Sample)
	}
	n := part.N()
	if !open.columns || !c.few(n) {
		return c.fit(ctx, m, part, open.cut)
	}
	plain := func(m *Model) (*fitted, error) {
		f, err := c.nystrom(ctx, m.c, part)
		if err != nil {
			return nil, err
		}
		return c.stretched(m, f), nil
	}
	if n < 3*(c.M+c.P) { // a few rows that are held out do not show how long features can be
		return plain(m)
	}
	from, t := *m, c
	if !c.few(x.N()) { // landmarks of many rows serve without the few, too
		x, w, from.given.Sample = part, nil, nil
		t.Landmarks = landmark.Fixed{U: m.c.Landmarks()}
	}
	trial, held, err := t.without(ctx, &from, x, w, from.given.Sample, n/4, c.Seed, choices{cut: open.cut})
	if err != nil {
		return nil, err
	}
	with, err := c.errorOn(ctx, trial, held, n)
	if err != nil {
		return nil, err
	}
	alone, err := plain(trial)
	if err != nil {
		return nil, err
	}
	without, err := c.errorOn(ctx, alone, held, n)
	if err != nil {
		return nil, err
	}
	if !(with.Value <= without.Value) {
		return plain(m)
	}
	return c.fit(ctx, m, part, open.cut)
}

// without fits a model like m without count of the given rows, nil for all, and returns these rows,
// too.
func (c Config) without(ctx context.Context, m *Model, x gram.Samples[float64], w []float64, among []int, count int, seed uint64, open choices) (*Model, gram.Samples[float64], error) {
	n := x.N()
	order := crossval.Order(n, seed)
	if among != nil {
		order = rows.Pick(among, crossval.Order(len(among), seed))
	}
	held := slices.Sorted(slices.Values(order[:count]))
	left := make([]int, 0, n-count)
	for i := range n {
		if _, found := slices.BinarySearch(held, i); !found {
			left = append(left, i)
		}
	}
	c.Certificate, c.Progress, c.Seed = 0, nil, rng.Derive(seed, "trial")
	c.Given.Pairs, c.Given.Sample = m.given.Pairs, nil
	if _, fixed := c.Landmarks.(landmark.Fixed); fixed || !c.few(n) {
		c.Landmarks = landmark.Fixed{U: m.c.Landmarks()}
	}
	if c.Kind != Products {
		c.P = min(c.P, len(left))
		if points := c.Given.Points; points != nil {
			c.P, _ = points.Dims()
		}
	}
	if sample := m.given.Sample; sample != nil {
		for k, i := range left {
			if _, found := slices.BinarySearch(sample, i); found {
				c.Given.Sample = append(c.Given.Sample, k)
			}
		}
		c.Sample = len(c.Given.Sample)
	} else {
		c.Sample = len(left)
	}
	trial, err := c.train(ctx, x.Select(left), rows.Pick(w, left), open)
	return trial, x.Select(held), err
}

// fit computes the root of W̄ by (4.4) for the rows of part. With adapt, it raises the cut until the
// features of the probes are short enough or the cut reaches maxCut.
func (c Config) fit(ctx context.Context, m *Model, part gram.Samples[float64], adapt bool) (*fitted, error) {
	for t := (truncation{leastColumn, c.Cut}); ; t = (truncation{1, min(maxCut, max(1e-6, 10*t.cut))}) { // then all columns keep their lengths
		f, err := c.solve(ctx, m.c, part, t)
		if err != nil {
			return nil, err
		}
		f.by = t
		if c.stretched(m, f); !adapt || t.cut >= maxCut || !(f.stretch > maxStretch) {
			return f, nil
		}
	}
}

// stretched sets the stretch of f and returns f.
func (c Config) stretched(m *Model, f *fitted) *fitted {
	if _, known := c.Kernel.(*kernel.Precomputed); !known {
		f.stretch = stretch(c.Kernel, f, gram.Of(m.probes()))
	}
	return f
}

// nystrom returns the features of the Nyström method, in which the pseudo-landmarks have
// coefficients 0.
func (c Config) nystrom(ctx context.Context, columns *basis.Pseudo, part gram.Samples[float64]) (*fitted, error) {
	u := columns.Landmarks()
	w := mat.NewDense(c.M, c.M, nil)
	kernel.Against[float64](c.Kernel, u).Limit(c.Workers).Fill(gram.View(w), gram.Of(u))
	half, values, err := solve.InvSqrt(ctx, mat.NewSymDense(c.M, w.RawMatrix().Data), 0, 0)
	if err != nil {
		return nil, err
	}
	_, r := half.Dims()
	root := mat.NewDense(c.M+c.P, r, nil)
	root.Slice(0, c.M, 0, r).(*mat.Dense).Copy(half)
	f := &fitted{Rooted: basis.NewRooted(columns, root), rank: len(values), own: len(values), by: truncation{leastColumn, c.Cut}, nystrom: true}
	e, err := solve.RelativeError(ctx, c.Kernel, part, &solve.LowRank{Phi: f.Map(nil, part)}, solve.ErrorOptions{MaxRows: part.N(), Run: gram.Run{Workers: c.Workers}})
	f.err = e.Value
	return f, err
}

// errorOn returns the relative error of the kernel matrix of n rows that x represents.
func (c Config) errorOn(ctx context.Context, f gram.FeatureMap, x gram.Samples[float64], n int) (solve.Error, error) {
	return solve.CertificateFor(ctx, n, c.Kernel, func(x mat.Matrix) *solve.LowRank { return &solve.LowRank{Phi: f.Map(nil, x)} }, x, gram.Run{Workers: c.Workers})
}

const leastError = 2 // rows from which an error is estimated

// certificate estimates the error on rows that W̄ is not fitted to.
func (c Config) certificate(ctx context.Context, m *Model, x gram.Samples[float64], w []float64, open choices) (solve.Error, error) {
	seed, n := rng.Derive(c.Seed, "certificate"), x.N()
	var outside []int
	for i := range n {
		if _, found := slices.BinarySearch(m.given.Sample, i); !found && m.given.Sample != nil {
			outside = append(outside, i)
		}
	}
	count, among := min(c.Certificate, n/4), m.given.Sample
	if len(outside) >= leastError {
		if !c.few(n) {
			held := rows.Pick(outside, crossval.Order(len(outside), seed)[:min(len(outside), c.Certificate)])
			return c.errorOn(ctx, m, x.Select(held), n)
		}
		count, among = min(count, len(outside)), outside
	}
	if count < leastError || n-count < c.M {
		return c.errorOn(ctx, m, x, n)
	}
	trial, held, err := c.without(ctx, m, x, w, among, count, seed, open)
	if err != nil {
		return solve.Error{}, err
	}
	return c.errorOn(ctx, trial, held, n)
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
	by        truncation
	stretch   float64
	nystrom   bool // without the pseudo-landmarks
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
	values, v, err := eig.SymAll(ctx, small)
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
