package widths

import (
	"context"
	"math"
	"slices"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/solve"
	"github.com/gramworks/gram/internal/linalg"
	"github.com/gramworks/gram/internal/par"
	"github.com/gramworks/gram/internal/rows"
	"github.com/gramworks/gram/kernel"
	"github.com/gramworks/gram/settings"
	"github.com/gramworks/gram/vec"
	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/lapack/lapack64"
	"gonum.org/v1/gonum/mat"
)

// shape is a kernel φ(r²) with the derivative of φ.
type shape struct {
	kernel.Kernel
	length float64            // its width
	top    float64            // φ(0)
	value  func(to []float64) // replaces values r² by φ(r²)
	slope  func(to []float64) // replaces them by φ'(r²)
}

// shapeOf returns the shape of a kernel and the factors of its columns, nil for ones.
func shapeOf(k kernel.Kernel) (shape, []float64, error) {
	var factors []float64
	if s, is := k.(*kernel.Scaled); is {
		k, factors = s.Base(), s.Scale()
	}
	switch k := k.(type) {
	case kernel.Gaussian:
		return shape{k, 1 / math.Sqrt(2*k.Gamma), 1, k.Radial, func(to []float64) {
			k.Radial(to)
			blas64.Scal(-k.Gamma, linalg.Vector(to))
		}}, factors, nil
	case kernel.Matern:
		return shape{k, k.Length, 1, k.Radial, func(to []float64) { maternSlope(k, to) }}, factors, nil
	case kernel.RationalQuadratic:
		l := k.Length * k.Length
		return shape{k, k.Length, 1, k.Radial, func(to []float64) {
			for i, v := range to {
				to[i] = -math.Exp(-(k.Alpha+1)*math.Log1p(v/(2*k.Alpha*l))) / (2 * l)
			}
		}}, factors, nil
	case *kernel.Composite:
		s, err := composite(k)
		return s, factors, err
	}
	return shape{}, nil, settings.Refuse("Kernel", k.Spec().Name, "gaussian, matern or rational-quadratic, or sums and products of these: widths of columns are learned for these")
}

// composite returns the shape of a sum or a product, whose width is the geometric mean of those of the parts.
func composite(k *kernel.Composite) (shape, error) {
	parts, weights := k.Parts()
	shapes, length := make([]shape, len(parts)), 1.0
	for p, part := range parts {
		s, factors, err := shapeOf(part)
		if err != nil {
			return s, err
		}
		if factors != nil { // SumOf and ProductOf refuse it
			panic("widths: a part has factors of its own")
		}
		shapes[p] = s
		length *= math.Pow(s.length, 1/float64(len(parts)))
	}
	top := []float64{0}
	compositeValue(shapes, weights, top)
	return shape{k, length, top[0], func(to []float64) { compositeValue(shapes, weights, to) }, func(to []float64) { compositeSlope(shapes, weights, to) }}, nil
}

// compositeValue replaces squared distances by values of the weighted sum of shapes, or of their product without weights.
func compositeValue(shapes []shape, weights, to []float64) {
	squared, one := slices.Clone(to), make([]float64, len(to))
	for p, s := range shapes {
		copy(one, squared)
		s.value(one)
		for i, v := range one {
			switch {
			case weights == nil && p > 0:
				to[i] *= v
			case weights == nil:
				to[i] = v
			case p > 0:
				to[i] += weights[p] * v
			default:
				to[i] = weights[p] * v
			}
		}
	}
}

// compositeSlope replaces squared distances by the derivatives of what compositeValue computes.
func compositeSlope(shapes []shape, weights, to []float64) {
	squared, one := slices.Clone(to), make([]float64, len(to))
	clear(to)
	for p, s := range shapes {
		copy(one, squared)
		s.slope(one)
		factor := 1.0
		if weights != nil {
			factor = weights[p]
		} else if len(shapes) > 1 {
			others := slices.Clone(squared)
			compositeValue(slices.Delete(slices.Clone(shapes), p, p+1), nil, others)
			for i, v := range others {
				one[i] *= v
			}
		}
		blas64.Axpy(factor, linalg.Vector(one), linalg.Vector(to))
	}
}

// nearest is the square of the distance, in units of the width, below which the Matérn kernel of ν = ½ has no
// derivative.
const nearest = 1e-24

// maternSlope replaces squared distances by the derivatives of the kernel with respect to them; for ν = ½ they are 0 where the
// distance is below nearest.
func maternSlope(k kernel.Matern, to []float64) {
	scale, unit := math.Sqrt(2*k.Nu)/k.Length, k.Length*k.Length
	fall := make([]float64, len(to))
	for i, v := range to {
		fall[i] = math.Sqrt(v) * scale // and later exp of minus that
	}
	if k.Nu == .5 {
		least := nearest * unit
		for i, v := range to {
			if v <= least {
				to[i] = 0
				continue
			}
			to[i] = -1 / (2 * fall[i] * unit)
		}
	} else if k.Nu == 1.5 {
		for i := range to {
			to[i] = -3 / (2 * unit)
		}
	} else {
		for i, t := range fall {
			to[i] = -5 / (6 * unit) * (1 + t)
		}
	}
	blas64.Scal(-1, linalg.Vector(fall))
	vec.Exp(fall, fall)
	for i, v := range fall {
		to[i] *= v
	}
}

// squares has squared distances in place of kernel values.
type squares struct{}

// Spec has a name that no kernel has: it is not stored.
func (squares) Spec() kernel.Spec { return kernel.Spec{Name: "squared distance"} }

// Eval returns ‖x−y‖².
func (squares) Eval(x, y []float64) float64 { return vec.SquaredDistance(x, y) }

// Radial leaves squared distances as they are.
func (squares) Radial([]float64) {}

// problem is the criterion as a function of the parameters ln λ and ln s.
type problem struct {
	kernel    shape
	criterion Criterion
	bias      bool
	x         *mat.Dense // n×d: the columns that are not constant, less their means, over their deviations
	columns   []int      // of x, among those of the data
	deviation []float64  // of all columns; 0: constant
	u         *mat.Dense // inducing points, as x; nil: the criterion is exact
	y         *mat.Dense // n×t, less their means if there is a bias
	w         []float64  // weights; nil: ones
	workers   int
}

// problem returns the criterion for c.Rows rows drawn at random, or for all if there are fewer. Columns are standardized, and
// targets are less their means if there is a bias.
func (c Config) problem(s gram.Samples[float64], y *mat.Dense, w []float64) (*problem, error) {
	n, d := s.Dims()
	p := &problem{criterion: c.Criterion, bias: !c.NoBias && c.Criterion != Laplace, workers: c.Workers}
	var err error
	if p.kernel, _, err = shapeOf(c.Kernel); err != nil {
		return nil, err
	}
	index := sample(n, min(n, c.Rows), c.Seed)
	all := rows.Dense(s, index)
	p.w = rows.Pick(w, index)
	p.deviation = make([]float64, d)
	mean := make([]float64, d)
	for k := range d {
		mean[k], p.deviation[k] = spread(mat.Col(nil, k, all), nil)
		if p.deviation[k] > 0 {
			p.columns = append(p.columns, k)
		}
	}
	p.x = p.standard(all, mean)
	if c.Inducing != nil {
		p.u = p.standard(c.Inducing, mean)
	}
	p.y = rows.Dense(gram.Of(y), index)
	_, t := p.y.Dims()
	for k := range t {
		if col := mat.Col(nil, k, p.y); p.bias {
			m, _ := spread(col, p.w)
			for i, v := range col {
				p.y.Set(i, k, v-m)
			}
		}
	}
	return p, nil
}

// standard returns the columns of x that are not constant less their means, over their deviations; one of zeros if all are.
func (p *problem) standard(x *mat.Dense, mean []float64) *mat.Dense {
	n, _ := x.Dims()
	out := mat.NewDense(n, max(1, len(p.columns)), nil)
	for i := range n {
		row, to := x.RawRowView(i), out.RawRowView(i)
		for j, k := range p.columns {
			to[j] = (row[k] - mean[k]) / p.deviation[k]
		}
	}
	return out
}

// spread returns the weighted mean and standard deviation of v, whose numbers all count the same for nil weights.
func spread(v, w []float64) (mean, deviation float64) {
	var total, sum float64
	for i, u := range v {
		weight := 1.0
		if w != nil {
			weight = w[i]
		}
		total += weight
		delta := u - mean
		mean += delta * weight / total
		sum += weight * delta * (u - mean)
	}
	if slices.Max(v) == slices.Min(v) {
		return v[0], 0
	}
	return mean, math.Sqrt(sum / total)
}

// rows returns the exact problem of some of the rows.
func (p *problem) rows(index []int) *problem {
	q := *p
	q.u = nil
	q.x, q.y, q.w = rows.Dense(gram.Of(p.x), index), rows.Dense(gram.Of(p.y), index), rows.Pick(p.w, index)
	return &q
}

// given returns the logarithms of the factors of a kernel for the columns of p.x.
func (p *problem) given(k *kernel.Scaled) []float64 {
	_, d := p.x.Dims()
	out := make([]float64, d)
	scale := k.Scale()
	for j, c := range p.columns {
		out[j] = math.Log(max(scale[c]*p.deviation[c], 1e-4*p.kernel.length))
	}
	return out
}

// median returns the median distance of two rows, or 1 if it is 0.
func (p *problem) median(seed uint64) float64 {
	if g := kernel.MedianGamma(p.x, seed); g > 0 {
		return 1 / math.Sqrt(2*g)
	}
	return 1
}

// leastLambda is added to the λ of the parameters, so that every matrix has an inverse.
const leastLambda = 1e-9

// learned returns the kernel and λ of the parameters at; constant columns have the factor 0.
func (p *problem) learned(at []float64, stats Stats) (*Learned, error) {
	scale := make([]float64, len(p.deviation))
	for j, k := range p.columns {
		scale[k] = math.Exp(at[1+j]) / p.deviation[k]
	}
	k, err := kernel.NewScaled(p.kernel.Kernel, scale)
	if err != nil {
		return nil, err
	}
	return &Learned{Kernel: k, Lambda: leastLambda + math.Exp(at[0]), Stats: stats}, nil
}

// noise returns 1/w_i, or 1 without weights: λ times this is added to the diagonal for row i.
func (p *problem) noise(i int) float64 {
	if p.w == nil {
		return 1
	}
	return 1 / p.w[i]
}

// weighed is the matrix W of a criterion: own·M + Σ_k factor_k·(left_k·right_kᵀ + right_k·left_kᵀ)/2, where M is symmetric, and
// its elements below the diagonal are not used.
type weighed struct {
	m           *mat.Dense
	own         float64
	left, right [][]float64
	factor      []float64
}

func (w *weighed) add(factor float64, left, right []float64) {
	w.left, w.right, w.factor = append(w.left, left), append(w.right, right), append(w.factor, factor)
}

// row sets dst to the elements j ≥ first of row i, first ≤ i.
func (w *weighed) row(dst []float64, i, first int) {
	for j := first; j < i; j++ {
		dst[j-first] = w.own * w.m.At(j, i)
	}
	for j, v := range w.m.RawRowView(i)[i:] {
		dst[i-first+j] = w.own * v
	}
	for k, f := range w.factor {
		l, r := w.left[k], w.right[k]
		blas64.Axpy(f/2*l[i], linalg.Vector(r[first:]), linalg.Vector(dst))
		blas64.Axpy(f/2*r[i], linalg.Vector(l[first:]), linalg.Vector(dst))
	}
}

// value returns the criterion and its derivatives by the parameters, or none. The error is a *gram.NotPDError or ctx.Err().
func (p *problem) value(ctx context.Context, at []float64, derive bool) (float64, []float64, error) {
	switch {
	case p.u != nil:
		return p.bound(ctx, at, derive)
	case p.criterion == Laplace:
		return p.byLaplace(ctx, at, derive)
	}
	n, _ := p.x.Dims()
	a := p.scaled(at[1:])
	lambda := leastLambda + math.Exp(at[0])
	c := mat.NewDense(n, n, nil)
	if err := p.fill(ctx, c, a, lambda); err != nil {
		return 0, nil, err
	}
	if err := solve.Cholesky(ctx, c, gram.Run{}.Meter()); err != nil {
		return 0, nil, err
	}
	s := p.solve(c)
	if !derive && p.criterion == Likelihood {
		return s.likelihood(), nil, nil
	}
	if err := invert(ctx, c); err != nil {
		return 0, nil, err
	}
	var v float64
	var w *weighed
	if p.criterion == Likelihood {
		v, w = s.likelihood(), s.byLikelihood(c)
	} else {
		var err error
		if v, w, err = p.byLeaveOneOut(ctx, s, c); err != nil {
			return 0, nil, err
		}
	}
	if !derive {
		return v, nil, nil
	}
	grad, err := p.chain(ctx, a, w)
	if err != nil {
		return 0, nil, err
	}
	grad[0] *= lambda - leastLambda
	return v, grad, nil
}

// scaled returns a copy of the rows with column j multiplied by exp(logs[j]).
func (p *problem) scaled(logs []float64) *mat.Dense {
	a := mat.DenseCopyOf(p.x)
	n, _ := a.Dims()
	factor := make([]float64, len(logs))
	for j, v := range logs {
		factor[j] = math.Exp(v)
	}
	for i := range n {
		row := a.RawRowView(i)
		for j, f := range factor {
			row[j] *= f
		}
	}
	return a
}

// blockRows is the number of rows whose kernel values are computed together.
const blockRows = 128

// fill sets the upper triangle of c to K + diag(λ/w).
func (p *problem) fill(ctx context.Context, c, a *mat.Dense, lambda float64) error {
	n, d := a.Dims()
	for lo := 0; lo < n; lo += blockRows {
		if err := ctx.Err(); err != nil {
			return err
		}
		hi := min(lo+blockRows, n)
		block := kernel.Against[float64](p.kernel.Kernel, a.Slice(lo, n, 0, d)).Limit(p.workers)
		block.Fill(gram.View(c.Slice(lo, hi, lo, n).(*mat.Dense)), gram.Of(a).Slice(lo, hi))
		for i := lo; i < hi; i++ {
			c.Set(i, i, c.At(i, i)+lambda*p.noise(i))
		}
	}
	return nil
}

// solution is what the criteria have in common.
type solution struct {
	alpha       [][]float64 // P·y of each output
	square      []float64   // yᵀPy of each output
	ones        []float64   // C⁻¹1 with a bias
	sum         float64     // 1ᵀC⁻¹1
	determinant float64     // ln|C|, and ln 1ᵀC⁻¹1 with a bias
	free        float64     // ν
}

// solve solves the systems with the factor u of C.
func (p *problem) solve(u *mat.Dense) *solution {
	n, t := p.y.Dims()
	s := &solution{free: float64(n), square: make([]float64, t)}
	columns := t
	if p.bias {
		columns++
	}
	z := mat.NewDense(n, columns, nil)
	for i := range n {
		copy(z.RawRowView(i), p.y.RawRowView(i))
		if p.bias {
			z.Set(i, t, 1)
		}
		s.determinant += 2 * math.Log(u.At(i, i))
	}
	blas64.Trsm(blas.Left, blas.Trans, 1, upper(u), z.RawMatrix())
	blas64.Trsm(blas.Left, blas.NoTrans, 1, upper(u), z.RawMatrix())
	if p.bias {
		s.ones = mat.Col(nil, t, z)
		for _, v := range s.ones {
			s.sum += v
		}
		s.determinant += math.Log(s.sum)
		s.free--
	}
	for k := range t {
		alpha := mat.Col(nil, k, z)
		if p.bias {
			var total float64
			for _, v := range alpha {
				total += v
			}
			blas64.Axpy(-total/s.sum, linalg.Vector(s.ones), linalg.Vector(alpha))
		}
		s.alpha = append(s.alpha, alpha)
		s.square[k] = max(linalg.Dot(alpha, mat.Col(nil, k, p.y)), leastSquare)
	}
	return s
}

// leastSquare takes the place of yᵀPy for targets that the constant explains.
const leastSquare = 1e-300

// likelihood returns Σ_t −½·(f·(1+log(2π·q_t/f)) + log det), where q_t is square, f is free and log det is determinant: the log
// likelihood with the best variance of each output.
func (s *solution) likelihood() float64 {
	free := max(1, s.free)
	var sum float64
	for _, q := range s.square {
		sum -= .5 * (free*(1+math.Log(2*math.Pi*q/free)) + s.determinant)
	}
	return sum
}

// byLikelihood returns W = ½·Σ(ν·ααᵀ/yᵀα − P), where inverse is C⁻¹.
func (s *solution) byLikelihood(inverse *mat.Dense) *weighed {
	t := float64(len(s.alpha))
	w := &weighed{m: inverse, own: -t / 2}
	if s.ones != nil {
		w.add(t/2/s.sum, s.ones, s.ones)
	}
	for k, alpha := range s.alpha {
		w.add(max(1, s.free)/(2*s.square[k]), alpha, alpha)
	}
	return w
}

// byLeaveOneOut returns the criterion LeaveOneOut and its W. With e_i = α_i/P_ii and v_i = w_i·e_i/P_ii, the derivative
// of Σw·e² by C is Σ(−2·Pv·αᵀ) + 2·P·diag(Σv·e)·P. It overwrites the inverse of C.
func (p *problem) byLeaveOneOut(ctx context.Context, s *solution, inverse *mat.Dense) (float64, *weighed, error) {
	n, t := p.y.Dims()
	if s.ones != nil { // P
		for i := range n {
			blas64.Axpy(-s.ones[i]/s.sum, linalg.Vector(s.ones[i:]), linalg.Vector(inverse.RawRowView(i)[i:]))
		}
	}
	total, sum, root := 0.0, 0.0, make([]float64, n)
	v := make([][]float64, t)
	for k := range v {
		v[k] = make([]float64, n)
	}
	for i := range n {
		own := max(inverse.At(i, i), math.SmallestNonzeroFloat64)
		weight := 1 / p.noise(i)
		total += weight
		var g float64
		for k, alpha := range s.alpha {
			e := alpha[i] / own
			v[k][i] = weight * e / own
			sum += weight * e * e
			g += v[k][i] * e
		}
		root[i] = math.Sqrt(g)
	}
	sum = max(sum, leastSquare)
	value := -.5 * float64(n) * math.Log(sum/total)
	unit := -.5 * float64(n) / sum
	w := &weighed{m: mat.NewDense(n, n, nil), own: 2 * unit}
	for k := range v {
		w.add(-2*unit, symmetricTimes(inverse, v[k]), s.alpha[k])
	}
	// P·diag(g)·P by rows of P, whose elements are scaled by the roots.
	if err := par.For(ctx, p.workers, n, blockRows, func(lo, hi int) { mirror(inverse, lo, hi) }); err != nil {
		return 0, nil, err
	}
	if err := par.For(ctx, p.workers, n, blockRows, func(lo, hi int) {
		for i := lo; i < hi; i++ {
			for j, g := range root {
				inverse.RawRowView(i)[j] *= g
			}
		}
	}); err != nil {
		return 0, nil, err
	}
	for lo := 0; lo < n; lo += blockRows {
		if err := ctx.Err(); err != nil {
			return 0, nil, err
		}
		hi := min(lo+blockRows, n)
		blas64.Gemm(blas.NoTrans, blas.Trans, 1, inverse.Slice(lo, hi, 0, n).(*mat.Dense).RawMatrix(), inverse.Slice(lo, n, 0, n).(*mat.Dense).RawMatrix(),
			0, w.m.Slice(lo, hi, lo, n).(*mat.Dense).RawMatrix())
	}
	return value, w, nil
}

// symmetricTimes returns the product of a symmetric matrix, of which a has the upper triangle, with v.
func symmetricTimes(a *mat.Dense, v []float64) []float64 {
	out, r := make([]float64, len(v)), a.RawMatrix()
	blas64.Symv(1, blas64.Symmetric{Uplo: blas.Upper, N: r.Rows, Stride: r.Stride, Data: r.Data}, linalg.Vector(v), 0, linalg.Vector(out))
	return out
}

// mirror copies the elements above the diagonal to rows lo … hi−1 below it.
func mirror(a *mat.Dense, lo, hi int) {
	for i := lo; i < hi; i++ {
		row := a.RawRowView(i)
		for j := range i {
			row[j] = a.At(j, i)
		}
	}
}

// chain returns Σ W_ij·dC_ij by λ and by the parameters ln s, for scaled rows a.
func (p *problem) chain(ctx context.Context, a *mat.Dense, w *weighed) ([]float64, error) {
	n, d := a.Dims()
	return par.Sum(ctx, p.workers, n, blockRows, func(lo, hi int) []float64 {
		grad := make([]float64, 1+d)
		v, z := rows.Borrow(hi-lo, n-lo), mat.NewDense(hi-lo, d, nil)
		defer rows.Return(v)
		rest := a.Slice(lo, n, 0, d).(*mat.Dense)
		kernel.Against[float64](squares{}, rest).FillSerial(gram.View(v), gram.Of(a).Slice(lo, hi))
		weights, sums := make([]float64, n-lo), make([]float64, n-lo) // of a row, of columns
		for i := lo; i < hi; i++ {
			row := v.RawRowView(i - lo)
			p.kernel.slope(row)
			w.row(weights, i, lo)
			grad[0] += weights[i-lo] * p.noise(i)
			var total float64
			for j, u := range weights {
				if j >= hi-lo {
					u *= 2 // and the element on the other side of the diagonal
				}
				row[j] *= u
				sums[j] += row[j]
				total += row[j]
			}
			for k, u := range a.RawRowView(i) {
				grad[1+k] += total * u * u
			}
		}
		z.Mul(v, rest)
		for j, u := range sums {
			for k, t := range rest.RawRowView(j) {
				grad[1+k] += u * t * t
			}
		}
		for i := range hi - lo {
			for k, u := range z.RawRowView(i) {
				grad[1+k] -= 2 * rest.At(i, k) * u
			}
		}
		for k := range d {
			grad[1+k] *= 2
		}
		return grad
	}, func(a, b []float64) []float64 {
		if a == nil {
			return b
		}
		for i, v := range b {
			a[i] += v
		}
		return a
	})
}

// invertRows is the order of the diagonal blocks of an inverse.
const invertRows = 256

// invert overwrites the upper triangle of u, the factor of C = UᵀU, by that of C⁻¹, in 2n³/3 flops. It looks at ctx between blocks.
func invert(ctx context.Context, u *mat.Dense) error {
	n, _ := u.Dims()
	for lo := 0; lo < n; lo += invertRows { // U⁻¹
		if err := ctx.Err(); err != nil {
			return err
		}
		hi := min(lo+invertRows, n)
		corner := upper(u.Slice(lo, hi, lo, hi).(*mat.Dense))
		lapack64.Trtri(corner)
		if lo > 0 {
			above := u.Slice(0, lo, lo, hi).(*mat.Dense).RawMatrix()
			blas64.Trmm(blas.Left, blas.NoTrans, -1, upper(u.Slice(0, lo, 0, lo).(*mat.Dense)), above)
			blas64.Trmm(blas.Right, blas.NoTrans, 1, corner, above)
		}
	}
	buffer := make([]float64, invertRows*n)
	for lo := 0; lo < n; lo += invertRows { // U⁻¹·U⁻ᵀ
		if err := ctx.Err(); err != nil {
			return err
		}
		hi := min(lo+invertRows, n)
		part := mat.NewDense(hi-lo, n-lo, buffer[:(hi-lo)*(n-lo)])
		for i := lo; i < hi; i++ {
			row := part.RawRowView(i - lo)
			clear(row[:i-lo])
			copy(row[i-lo:], u.RawRowView(i)[i:])
		}
		blas64.Trmm(blas.Right, blas.Trans, 1, upper(u.Slice(lo, n, lo, n).(*mat.Dense)), part.RawMatrix())
		for i := lo; i < hi; i++ {
			copy(u.RawRowView(i)[i:], part.RawRowView(i - lo)[i-lo:])
		}
	}
	return nil
}

func upper(a *mat.Dense) blas64.Triangular {
	r := a.RawMatrix()
	return blas64.Triangular{Uplo: blas.Upper, Diag: blas.NonUnit, N: r.Rows, Stride: r.Stride, Data: r.Data}
}
