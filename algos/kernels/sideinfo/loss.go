package sideinfo

import (
	"context"
	"math"
	"slices"

	"github.com/gramworks/gram/algos/kernels/constraint"
	"github.com/gramworks/gram/algos/multiclass"
	"gonum.org/v1/gonum/mat"
)

// loss is the second term of the objective.
type loss interface {
	// at returns its value at s and writes its gradient.
	at(gradient, s *mat.Dense) float64
	// alignment is ρ(ESEᵀ, K*) on what is known.
	alignment(s *mat.Dense) float64
	// scaled is the loss in the variables S̃ with S = Q·T·S̃·T·Qᵀ, for the eigenvectors Q of
	// P = EᵀE, its eigenvalues and T.
	scaled(q *mat.Dense, values, t []float64) quadratic
}

// classLoss is ‖E·S·Eᵀ − YYᵀ‖² for the one-hot matrix Y of the labeled rows.
type classLoss struct {
	e       *mat.Dense
	class   []int
	classes int
	p, r    *mat.Dense // EᵀE and EᵀYYᵀE
	ey      *mat.Dense // EᵀY
	squares float64    // ‖YYᵀ‖²
	a, b    mat.Dense

	// cp, cr and csquares are p, r and squares for E and Y with centered columns.
	cp, cr   *mat.Dense
	csquares float64
}

// newClassLoss computes the products. The error is ctx.Err().
func newClassLoss(ctx context.Context, e *mat.Dense, class []int, classes int) (*classLoss, error) {
	y := multiclass.OneHot(class, classes)
	c := &classLoss{e: e, class: class, classes: classes}
	c.p, c.ey, c.r, c.squares = products(e, y)
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	c.cp, _, c.cr, c.csquares = products(centerColumns(e), centerColumns(y))
	return c, ctx.Err()
}

// products returns EᵀE, EᵀY, EᵀYYᵀE and ‖YYᵀ‖², all that the loss of classes needs of the rows.
func products(e, y *mat.Dense) (p, ey, r *mat.Dense, squares float64) {
	var yy mat.Dense
	p, ey, r = &mat.Dense{}, &mat.Dense{}, &mat.Dense{}
	p.Mul(e.T(), e)
	ey.Mul(e.T(), y)
	r.Mul(ey, ey.T())
	yy.Mul(y.T(), y)
	return p, ey, r, dot(&yy, &yy)
}

// centerColumns returns H·a, which subtracts its mean from every column of a.
func centerColumns(a *mat.Dense) *mat.Dense {
	n, m := a.Dims()
	mean := make([]float64, m)
	for i := range n {
		axpy(mean, 1/float64(n), a.RawRowView(i))
	}
	out := mat.DenseCopyOf(a)
	for i := range n {
		axpy(out.RawRowView(i), -1, mean)
	}
	return out
}

func (c *classLoss) at(gradient, s *mat.Dense) float64 {
	c.a.Mul(c.p, s) // PS
	c.b.Mul(&c.a, c.p)
	// tr(SPSP) − 2·tr(SR) + ‖K*‖²
	value := dot(s, &c.b) - 2*dot(s, c.r) + c.squares
	gradient.Sub(&c.b, c.r)
	gradient.Scale(2, gradient)
	return max(0, value)
}

// alignment is Alignment of ESEᵀ and YYᵀ from m×m matrices: ‖HESEᵀH‖² =
// tr(S·P·S·P) and ⟨HESEᵀH, YYᵀ⟩ = tr(S·R) for P and R of the centered matrices.
func (c *classLoss) alignment(s *mat.Dense) float64 {
	square := func(p *mat.Dense) float64 {
		c.a.Mul(p, s)
		c.b.Mul(&c.a, p)
		return dot(s, &c.b)
	}
	aa, all := square(c.cp), square(c.p)
	m, _ := s.Dims()
	if eps := float64(m) * 0x1p-52; aa <= eps*all || c.csquares <= eps*c.squares {
		return 0
	}
	return ratio(dot(s, c.cr), aa, c.csquares)
}

// scaledClasses is a classLoss in scaled variables, where it is diagonal.
type scaledClasses struct {
	m, r    *mat.Dense // M_ij, R̃
	squares float64
}

func (c *classLoss) scaled(q *mat.Dense, values, t []float64) quadratic {
	n := len(t)
	s := &scaledClasses{m: mat.NewDense(n, n, nil), r: mat.NewDense(n, n, nil), squares: c.squares}
	var y mat.Dense // T·QᵀEᵀY, of which R̃ is the product
	y.Mul(q.T(), c.ey)
	for i, a := range t {
		for k, v := range y.RawRowView(i) {
			y.Set(i, k, a*v)
		}
		for j, b := range t {
			s.m.Set(i, j, max(0, values[i])*(a*a)*max(0, values[j])*(b*b))
		}
	}
	s.r.Mul(&y, y.T())
	return s
}

func (s *scaledClasses) add(dst, x *mat.Dense) {
	n, _ := x.Dims()
	for i := range n {
		to, w := dst.RawRowView(i), s.m.RawRowView(i)
		for j, v := range x.RawRowView(i) {
			to[j] += w[j] * v
		}
	}
}

func (s *scaledClasses) target() *mat.Dense { return s.r }

func (s *scaledClasses) curvature(dst, u *mat.Dense) {
	var square, a, b mat.Dense
	square.MulElem(u, u)
	a.Mul(square.T(), s.m)
	b.Mul(&a, &square)
	dst.Add(dst, &b)
}

func (s *scaledClasses) floor() *mat.Dense { return mat.DenseCopyOf(s.m) }

func (s *scaledClasses) most() float64 { return 1 }

func (s *scaledClasses) ideal() float64 { return s.squares }

// pairLoss is Σ(e_iᵀSe_j − K*_ij)² over the pairs, both ways round.
type pairLoss struct {
	e     *mat.Dense        // the rows of some pair
	pairs []constraint.Pair // by rows of e
	se, f mat.Dense
}

func (c *pairLoss) at(gradient, s *mat.Dense) float64 {
	c.se.Mul(c.e, s)
	l, m := c.e.Dims()
	c.f.Reset()
	c.f.ReuseAs(l, m)
	var value float64
	for _, p := range c.pairs {
		d := c.residual(p)
		value += 2 * d * d
		axpy(c.f.RawRowView(p.I), d, c.e.RawRowView(p.J))
		axpy(c.f.RawRowView(p.J), d, c.e.RawRowView(p.I))
	}
	gradient.Mul(c.e.T(), &c.f)
	gradient.Scale(2, gradient)
	return value
}

func (c *pairLoss) residual(p constraint.Pair) float64 {
	var sum float64
	b := c.e.RawRowView(p.J)
	for k, v := range c.se.RawRowView(p.I) {
		sum += v * b[k]
	}
	if p.Same {
		sum--
	}
	return sum
}

// scaledPairs is a pairLoss in scaled variables: that of E·Q·T.
type scaledPairs struct {
	pairLoss
	r       *mat.Dense
	a       mat.Dense
	squares float64
	times   float64 // that a pair is given at most
}

func (c *pairLoss) scaled(q *mat.Dense, _, t []float64) quadratic {
	s := &scaledPairs{pairLoss: pairLoss{e: &mat.Dense{}, pairs: c.pairs}}
	s.e.Mul(c.e, q)
	l, m := s.e.Dims()
	for i := range l {
		row := s.e.RawRowView(i)
		for j, v := range t {
			row[j] *= v
		}
	}
	times := map[[2]int]float64{}
	s.f.ReuseAs(l, m)
	for _, p := range c.pairs {
		at := [2]int{min(p.I, p.J), max(p.I, p.J)}
		times[at]++
		s.times = max(s.times, times[at])
		if p.Same {
			s.squares += 2
			axpy(s.f.RawRowView(p.I), 1, s.e.RawRowView(p.J))
			axpy(s.f.RawRowView(p.J), 1, s.e.RawRowView(p.I))
		}
	}
	s.r = mat.NewDense(m, m, nil)
	s.r.Mul(s.e.T(), &s.f)
	return s
}

func (s *scaledPairs) add(dst, x *mat.Dense) {
	s.se.Mul(s.e, x)
	s.f.Zero()
	for _, p := range s.pairs {
		v := inner(s.se.RawRowView(p.I), s.e.RawRowView(p.J))
		axpy(s.f.RawRowView(p.I), v, s.e.RawRowView(p.J))
		axpy(s.f.RawRowView(p.J), v, s.e.RawRowView(p.I))
	}
	s.a.Mul(s.e.T(), &s.f)
	dst.Add(dst, &s.a)
}

func (s *scaledPairs) target() *mat.Dense { return s.r }

func (s *scaledPairs) curvature(dst, u *mat.Dense) {
	var square mat.Dense
	square.Mul(s.e, u)
	square.MulElem(&square, &square)
	s.f.Zero()
	for _, p := range s.pairs {
		axpy(s.f.RawRowView(p.I), 1, square.RawRowView(p.J))
		axpy(s.f.RawRowView(p.J), 1, square.RawRowView(p.I))
	}
	s.a.Mul(square.T(), &s.f)
	dst.Add(dst, &s.a)
}

func (s *scaledPairs) floor() *mat.Dense {
	_, m := s.e.Dims()
	return mat.NewDense(m, m, nil)
}

func (s *scaledPairs) most() float64 { return s.times }

func (s *scaledPairs) ideal() float64 { return s.squares }

// alike tells whether K* has one value on all pairs.
func (c *pairLoss) alike() bool {
	return !slices.ContainsFunc(c.pairs, func(p constraint.Pair) bool { return p.Same != c.pairs[0].Same })
}

// alignment centers the values of the pairs by their mean.
func (c *pairLoss) alignment(s *mat.Dense) float64 {
	if c.alike() {
		return 0
	}
	c.se.Mul(c.e, s)
	n := len(c.pairs)
	k, ideal := make([]float64, n), make([]float64, n)
	var km, im float64
	for i, p := range c.pairs {
		k[i] = c.residual(p)
		if p.Same {
			ideal[i] = 1
			k[i]++
		}
		km += k[i] / float64(n)
		im += ideal[i] / float64(n)
	}
	var ab, aa, bb float64
	for i := range k {
		u, v := k[i]-km, ideal[i]-im
		ab, aa, bb = ab+u*v, aa+u*u, bb+v*v
	}
	return ratio(ab, aa, bb)
}

func axpy(dst []float64, a float64, x []float64) {
	for i, v := range x {
		dst[i] += a * v
	}
}

// dot returns the inner product Σ a_ij·b_ij of two matrices.
func dot(a, b *mat.Dense) float64 {
	n, m := a.Dims()
	var sum float64
	for i := range n {
		u, v := a.RawRowView(i)[:m], b.RawRowView(i)[:m]
		var row float64
		for j := range u {
			row += u[j] * v[j]
		}
		sum += row
	}
	return sum
}

// ratio is ab/√(aa·bb), 0 where that is not defined.
func ratio(ab, aa, bb float64) float64 {
	if !(aa > 0 && bb > 0) {
		return 0
	}
	return ab / math.Sqrt(aa) / math.Sqrt(bb)
}

// Alignment is the normalized alignment of two symmetric n×n kernel matrices after
// centering, ⟨HKH, HK'H⟩/(‖HKH‖·‖HK'H‖) ([CMR10]), at most 1 in size; 0 where one
// of the centered matrices is 0 up to rounding. Neither is changed.
func Alignment(k, ideal *mat.Dense) float64 {
	a, b := center(k), center(ideal)
	aa, bb := dot(a, a), dot(b, b)
	n, _ := k.Dims()
	eps := float64(n) * 0x1p-52
	if aa <= eps*eps*dot(k, k) || bb <= eps*eps*dot(ideal, ideal) {
		return 0
	}
	return ratio(dot(a, b), aa, bb)
}

// center returns H·K·H, the kernel matrix of rows whose mean in the feature space has been subtracted.
func center(k *mat.Dense) *mat.Dense {
	n, _ := k.Dims()
	mean := make([]float64, n)
	var all float64
	for i := range n {
		for _, v := range k.RawRowView(i) {
			mean[i] += v / float64(n)
		}
		all += mean[i] / float64(n)
	}
	out := mat.NewDense(n, n, nil)
	for i := range n {
		row := out.RawRowView(i)
		for j, v := range k.RawRowView(i) {
			row[j] = v - mean[i] - mean[j] + all
		}
	}
	return out
}
