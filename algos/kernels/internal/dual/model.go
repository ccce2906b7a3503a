package dual

import (
	"context"
	"math"

	"github.com/gramworks/gram/internal/linalg"
	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/lapack/lapack64"
	"gonum.org/v1/gonum/mat"
)

// model is the quadratic model g·x − ½xᵀ(H + Ξ)x of the dual on some rows, in the
// variables x/√diag(H+Ξ), in which nothing depends on the units of the constraints. A
// ridge, of the size of the rounding errors of the diagonal, which is 1, keeps it definite
// where constraints depend on each other.
type model struct {
	s     *State
	rows  []int
	unit  []float64 // 1/√diag
	g     []float64
	lo    []float64 // of x
	hi    []float64
	flat  []bool // rows where the dual is flat: their diagonal is that of a steep place
	ridge float64
	dense *mat.SymDense // H + Ξ + ridge in these variables; nil: by products
	root  *mat.Dense    // H + Ξ as the product of this with its transpose, or nil
	omega *mat.Dense    // divided differences, nil for LogDet
}

// solve returns the maximum by cycles of coordinate ascent and of a Newton step on the
// variables that no sign stops.
func (m *model) solve(ctx context.Context) ([]float64, error) {
	if err := m.prepare(ctx); err != nil {
		return nil, err
	}
	n := len(m.rows)
	x, r := make([]float64, n), append([]float64(nil), m.g...) // r: the residual g − Hx
	product := make([]float64, n)
	// A residual says little of the solution where rows depend on each other: equations
	// that are solved directly are solved until no sign changes any more.
	least, accuracy := 0x1p-45*m.projected(x, r), 0.0
	if m.dense == nil {
		accuracy = min(0.1, math.Sqrt(max(m.s.Violation, m.s.Gap)))
		least = accuracy * m.projected(x, r)
	}
	for range 30 {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if !(m.projected(x, r) > least) {
			break
		}
		if m.dense != nil {
			m.ascend(x, r)
		} else {
			m.steepest(x, r)
		}
		if m.root != nil { // the dense matrix has rounding errors that matter
			m.multiply(r, x)
			for i, g := range m.g {
				r[i] = g - r[i]
			}
		}
		var free []int
		for i := range x {
			if x[i] > m.lo[i] && x[i] < m.hi[i] {
				free = append(free, i)
			}
		}
		d, err := m.subspace(ctx, free, r, accuracy)
		if err != nil {
			return nil, err
		}
		// The projected step if it is the better one, else up to the first sign.
		whole, most := make([]float64, n), 1.0
		for _, i := range free {
			whole[i] = min(max(x[i]+d[i], m.lo[i]), m.hi[i]) - x[i]
			if d[i] != 0 && whole[i] != d[i] {
				most = min(most, max(0, whole[i]/d[i]))
			}
		}
		part := make([]float64, n)
		blas64.Axpy(most, linalg.Vector(d), linalg.Vector(part))
		m.multiply(product, whole)
		gain := linalg.Dot(r, whole) - linalg.Dot(whole, product)/2
		step := whole
		if most < 1 {
			another := make([]float64, n)
			m.multiply(another, part)
			if v := linalg.Dot(r, part) - linalg.Dot(part, another)/2; !(gain >= v) {
				step, product, gain = part, another, v
			}
		}
		if !(gain > 0) && (m.root == nil || most < 1) {
			break
		}
		for i := range x {
			x[i] = min(max(x[i]+step[i], m.lo[i]), m.hi[i])
			r[i] -= product[i]
		}
		if m.dense != nil && most == 1 && !m.inward(x, r, least) {
			break
		}
	}
	d := make([]float64, len(m.s.Y))
	for k, i := range m.rows {
		d[i] = m.unit[k] * x[k]
	}
	return d, nil
}

// inward tells whether the residual moves a variable away from its limit.
func (m *model) inward(x, r []float64, least float64) bool {
	for i, v := range r {
		if x[i] == m.lo[i] && v > least || x[i] == m.hi[i] && v < -least {
			return true
		}
	}
	return false
}

// projected is the length of the residual without what the signs forbid.
func (m *model) projected(x, r []float64) float64 {
	var sum float64
	for i, v := range r {
		if !(v > 0 && x[i] == m.hi[i] || v < 0 && x[i] == m.lo[i]) {
			sum += v * v
		}
	}
	return math.Sqrt(sum)
}

// ascend maximizes over one coordinate after the other.
func (m *model) ascend(x, r []float64) {
	raw := m.dense.RawSymmetric()
	for i := range x {
		row := raw.Data[i*raw.Stride : i*raw.Stride+raw.N]
		next := min(max(x[i]+r[i]/row[i], m.lo[i]), m.hi[i])
		d := next - x[i]
		if d == 0 {
			continue
		}
		x[i] = next
		blas64.Axpy(-d, linalg.Vector(row), linalg.Vector(r))
	}
}

// steepest goes along the residual to the maximum, cut off at the limits, or half as far
// until that ascends.
func (m *model) steepest(x, r []float64) {
	n := len(x)
	d, hd := make([]float64, n), make([]float64, n)
	for i, v := range r {
		if !(v > 0 && x[i] == m.hi[i] || v < 0 && x[i] == m.lo[i]) {
			d[i] = v
		}
	}
	m.multiply(hd, d)
	alpha := linalg.Dot(d, d) / linalg.Dot(d, hd)
	for range 20 {
		for i := range x {
			d[i] = min(max(x[i]+alpha*d[i], m.lo[i]), m.hi[i]) - x[i]
		}
		m.multiply(hd, d)
		if linalg.Dot(r, d)-linalg.Dot(d, hd)/2 > 0 {
			for i := range x {
				x[i] = min(max(x[i]+d[i], m.lo[i]), m.hi[i])
				r[i] -= hd[i]
			}
			return
		}
		alpha = 0.5
	}
}

// multiply sets dst = (H + Ξ + ridge)·v.
func (m *model) multiply(dst, v []float64) {
	if m.root != nil {
		_, width := m.root.Dims()
		sum := make([]float64, width)
		blas64.Gemv(blas.Trans, 1, m.root.RawMatrix(), linalg.Vector(v), 0, linalg.Vector(sum))
		blas64.Gemv(blas.NoTrans, 1, m.root.RawMatrix(), linalg.Vector(sum), 0, linalg.Vector(dst))
		return
	}
	if m.dense != nil {
		raw := m.dense.RawSymmetric()
		blas64.Gemv(blas.NoTrans, 1, general(raw.N, raw.N, raw.Data), linalg.Vector(v), 0, linalg.Vector(dst))
		return
	}
	y := make([]float64, len(m.s.Y))
	for k, i := range m.rows {
		y[i] = m.unit[k] * v[k]
	}
	hv := m.s.hessian(y, m.omega)
	for k, i := range m.rows {
		dst[k] = m.unit[k]*(hv[i]+m.s.slope[i]*y[i]) + m.ridge*v[k]
		if m.flat[k] {
			dst[k] = v[k] + m.ridge*v[k]
		}
	}
}

// subspace solves the equations of the free variables for the residual: by a Cholesky
// factor or by conjugate gradients.
func (m *model) subspace(ctx context.Context, free []int, r []float64, accuracy float64) ([]float64, error) {
	d := make([]float64, len(r))
	n := len(free)
	if n == 0 {
		return d, nil
	}
	if m.root != nil {
		if n > 0 {
			m.triangular(d, free, r)
		}
		return d, nil
	}
	if m.dense == nil {
		return d, m.conjugate(ctx, d, free, r, accuracy)
	}
	for {
		a := make([]float64, n*n)
		b := make([]float64, n)
		for i, p := range free {
			b[i] = r[p]
			for j := i; j < n; j++ {
				a[i*n+j] = m.dense.At(p, free[j])
			}
		}
		u, ok := lapack64.Potrf(blas64.Symmetric{Uplo: blas.Upper, N: n, Stride: max(1, n), Data: a})
		if ok {
			lapack64.Potrs(u, general(n, 1, b))
			for i, p := range free {
				d[p] = b[i]
			}
			return d, nil
		}
		more := 9 * m.ridge
		m.ridge *= 10
		for i := range r {
			m.dense.SetSym(i, i, m.dense.At(i, i)+more)
		}
	}
}

// conjugate is subspace by conjugate gradients with products.
func (m *model) conjugate(ctx context.Context, d []float64, free []int, from []float64, accuracy float64) error {
	n := len(from)
	r, v, hv := make([]float64, n), make([]float64, n), make([]float64, n)
	for _, i := range free {
		r[i] = from[i]
	}
	copy(v, r)
	rho := linalg.Dot(r, r)
	stop := rho * accuracy * accuracy
	for range min(2*len(free)+10, 500) {
		if err := ctx.Err(); err != nil {
			return err
		}
		if rho <= stop {
			break
		}
		m.multiply(hv, v)
		curvature := linalg.Dot(v, hv)
		if !(curvature > 0) {
			break
		}
		alpha := rho / curvature
		for _, i := range free {
			d[i] += alpha * v[i]
			r[i] -= alpha * hv[i]
		}
		next := linalg.Dot(r, r)
		for _, i := range free {
			v[i] = r[i] + next/rho*v[i]
		}
		rho = next
	}
	return nil
}

// prepare computes the diagonal, the divided differences and, where that is cheaper than
// the products of conjugate gradients, the matrix. The error is ctx.Err().
func (m *model) prepare(ctx context.Context) error {
	s, p := m.s, m.s.p
	n := len(m.rows)
	_, q := s.r.Dims()
	if s.b == nil {
		m.omega = mat.NewDense(q, q, nil)
		for a := range q {
			for b := range q {
				m.omega.Set(a, b, p.F.Difference(s.sigma[a], s.sigma[b]))
			}
		}
	}
	m.ridge = float64(n) * 0x1p-52
	m.unit, m.g, m.lo, m.hi = make([]float64, n), make([]float64, n), make([]float64, n), make([]float64, n)
	m.flat = make([]bool, n)
	level := 1e-12
	if _, entropy := p.F.(VonNeumann); entropy {
		level = 0
	}
	diagonal, all, err := s.diagonal(ctx, m.rows, m.omega)
	if err != nil {
		return err
	}
	for k, i := range m.rows {
		diag, full := diagonal[k]+s.slope[i], all[k]
		// Where the dual is flat, the Hessian of a steep place stands in. An exponential is
		// nowhere flat, if many orders of magnitude smaller here than there.
		if m.flat[k] = !(diag > level*full); m.flat[k] {
			diag = full
		}
		// A row that X has no part in does not move.
		if size := p.size(&p.Rows[i]); full > 0x1p-96*size*size {
			m.unit[k] = 1 / math.Sqrt(diag)
		}
		m.g[k] = s.grad[i] * m.unit[k]
		m.lo[k], m.hi[k] = math.Inf(-1), math.Inf(1)
		if p.Rows[i].Project(1) == 0 {
			m.hi[k] = m.scaled(-s.Y[i], k)
		}
		if p.Rows[i].Project(-1) == 0 {
			m.lo[k] = m.scaled(-s.Y[i], k)
		}
	}
	_, r := p.T.Dims()
	atoms := 0
	for _, i := range m.rows {
		atoms += len(p.Rows[i].Weight)
	}
	const products = 200 // of conjugate gradients, in all cycles of solve
	cost := float64(atoms) * float64(q) * float64(r) * 4 * products
	// Where the divided differences are 1, the sums over pairs of eigenvectors are squares.
	ones := 0 // the first of the last columns where they are
	if s.b == nil {
		for ones < q && (m.omega.At(ones, ones) != 1 || m.omega.At(ones, q-1) != 1) {
			ones++
		}
	}
	fill := float64(n)*float64(n)*float64(ones)*(float64(q)-float64(ones)/2) + float64(atoms)*float64(atoms)*float64(q-ones)
	if q < r || fill+2*float64(n)*float64(n)*float64(n) > cost+1e7 {
		return nil
	}
	return m.assemble(ctx, ones)
}

// assemble computes the matrix and, for VonNeumann, its root. From column ones on all divided differences are 1. The
// error is ctx.Err().
func (m *model) assemble(ctx context.Context, ones int) error {
	s, n := m.s, len(m.rows)
	m.dense = mat.NewSymDense(n, nil)
	if err := m.outer(ctx, ones); err != nil {
		return err
	}
	if err := m.squares(ctx, ones); err != nil {
		return err
	}
	m.roots()
	for k, i := range m.rows {
		for l := k; l < n; l++ {
			m.dense.SetSym(k, l, m.dense.At(k, l)*m.unit[k]*m.unit[l])
		}
		v := m.dense.At(k, k) + s.slope[i]*m.unit[k]*m.unit[k]
		if m.flat[k] {
			v = 1
		}
		m.dense.SetSym(k, k, v+m.ridge)
	}
	raw := m.dense.RawSymmetric()
	for k := range n { // both triangles, for ascend and multiply
		for l := range k {
			raw.Data[k*raw.Stride+l] = raw.Data[l*raw.Stride+k]
		}
	}
	return ctx.Err()
}

// scaled is v in the variable of row k.
func (m *model) scaled(v float64, k int) float64 {
	if m.unit[k] == 0 {
		return 0
	}
	return v / m.unit[k]
}

// squares adds Σ_kl w_kw_l(t_kᵀPt_l)², for LogDet the Hessian, P being X, and for others
// what the columns of r from first on are in it. The error is ctx.Err().
func (m *model) squares(ctx context.Context, first int) error {
	s := m.s
	_, r := s.r.Dims()
	r -= first
	if r == 0 {
		return nil
	}
	var at []int // row of the model that an atom belongs to
	var weight, active []float64
	for k, i := range m.rows {
		row := &s.p.Rows[i]
		for j, w := range row.Weight {
			at, weight = append(at, k), append(weight, w)
			active = append(active, s.r.RawRowView(row.First + j)[first:]...)
		}
	}
	const block = 128
	n := len(at)
	c := make([]float64, block*n)
	h := m.dense.RawSymmetric()
	for lo := 0; lo < n; lo += block {
		if err := ctx.Err(); err != nil {
			return err
		}
		hi := min(lo+block, n)
		g := general(hi-lo, n-lo, c[:(hi-lo)*(n-lo)])
		blas64.Gemm(blas.NoTrans, blas.Trans, 1, general(hi-lo, r, active[lo*r:hi*r]), general(n-lo, r, active[lo*r:]), 0, g)
		for k := lo; k < hi; k++ {
			row := g.Data[(k-lo)*g.Stride : (k-lo+1)*g.Stride]
			into := h.Data[at[k]*h.Stride:]
			for l := k; l < n; l++ {
				v := row[l-lo]
				v *= v * weight[k] * weight[l]
				if l > k && at[l] == at[k] {
					v *= 2 // the other triangle of the row's own terms
				}
				into[at[l]] += v
			}
		}
	}
	trace := make([]float64, len(m.rows)) // of the part of H without the identity
	for k := range at {
		trace[at[k]] += weight[k] * linalg.Dot(active[k*r:(k+1)*r], active[k*r:(k+1)*r])
	}
	for k, i := range m.rows {
		for l := k; l < len(m.rows); l++ {
			if a, b := s.p.Rows[i].Identity, s.p.Rows[m.rows[l]].Identity; a != 0 || b != 0 {
				h.Data[k*h.Stride+l] += a*trace[l] + b*trace[k] + a*b*float64(r)
			}
		}
	}
	return nil
}

// outer adds Σ_ab Ω_ab·(UᵀH_iU)_ab·(UᵀH_jU)_ab over the pairs of which one is before
// ones, as the product of a matrix with a column for each pair a ≤ b, some of them at a
// time. The error is ctx.Err().
func (m *model) outer(ctx context.Context, ones int) error {
	if ones == 0 {
		return nil
	}
	n := len(m.rows)
	const width = 2048
	part := make([]float64, n*width)
	h := m.dense.RawSymmetric()
	pairs := m.pairs(ones)
	for len(pairs) > 0 {
		if err := ctx.Err(); err != nil {
			return err
		}
		some := pairs[:min(width, len(pairs))]
		for k := range n {
			m.elements(part[k*width:k*width+len(some)], k, some)
		}
		blas64.Syrk(blas.NoTrans, 1, blas64.General{Rows: n, Cols: len(some), Stride: width, Data: part}, 1, h)
		pairs = pairs[len(some):]
	}
	return nil
}

// pair is an element of a symmetric matrix in the eigenvectors, with √Ω_ab, and √2 of that
// for a < b, where it stands for both triangles.
type pair struct {
	a, b   int
	factor float64
}

// pairs returns those of which one is before end and whose Ω is not 0.
func (m *model) pairs(end int) (all []pair) {
	for a := range end {
		for b, omega := range m.omega.RawRowView(a) {
			if b < a || omega == 0 {
				continue
			}
			if a < b {
				omega *= 2
			}
			all = append(all, pair{a, b, math.Sqrt(omega)})
		}
	}
	return all
}

// elements sets dst to those of UᵀHU of row k of the model, times their factors.
func (m *model) elements(dst []float64, k int, pairs []pair) {
	row := &m.s.p.Rows[m.rows[k]]
	clear(dst)
	for j, w := range row.Weight {
		v := m.s.r.RawRowView(row.First + j)
		for at, e := range pairs {
			dst[at] += w * v[e.a] * v[e.b]
		}
	}
	for at, e := range pairs {
		if e.a == e.b {
			dst[at] += row.Identity
		}
		dst[at] *= e.factor
	}
}

// roots sets the rows of root to what H + Ξ are the inner products of, if that is not large.
// Exponentials of far different size make rows nearly parallel, which their inner products
// no longer show.
func (m *model) roots() {
	n, q := len(m.rows), len(m.s.sigma)
	width := q*(q+1)/2 + n
	const most = 1 << 21
	if _, entropy := m.s.p.F.(VonNeumann); !entropy || n*width > most {
		return
	}
	pairs := m.pairs(q)
	at := len(pairs)
	m.root = mat.NewDense(n, at+n, nil)
	for k := range n {
		m.elements(m.root.RawRowView(k)[:at], k, pairs)
	}
	for k, i := range m.rows {
		m.root.Set(k, at+k, math.Sqrt(m.s.slope[i]))
		blas64.Scal(m.unit[k], linalg.Vector(m.root.RawRowView(k)))
	}
}

// triangular solves the equations of the free variables by the decomposition L·Q of their
// rows of the root, which are taken in the order of what is left of them. A row that
// the others make up, but for rounding, takes no part if its equation follows from theirs
// too; else it goes far, as the dual has no maximum in that direction.
func (m *model) triangular(d []float64, free []int, from []float64) {
	n := len(free)
	_, width := m.root.Dims()
	rest := mat.NewDense(n, width, nil)
	left := make([]float64, n)
	for k, i := range free {
		rest.SetRow(k, m.root.RawRowView(i))
		left[k] = blas64.Nrm2(linalg.Vector(rest.RawRowView(k)))
	}
	order := make([]int, n)
	for k := range order {
		order[k] = k
	}
	const dependent = 1e-11
	l := mat.NewDense(n, n, nil) // rows in the order of free
	rank := 0
	for ; rank < n; rank++ {
		best := rank
		for k := rank; k < n; k++ {
			if left[order[k]] > left[order[best]] {
				best = k
			}
		}
		order[rank], order[best] = order[best], order[rank]
		q := rest.RawRowView(order[rank])
		length := blas64.Nrm2(linalg.Vector(q))
		if !(length > dependent) {
			break
		}
		l.Set(order[rank], rank, length)
		blas64.Scal(1/length, linalg.Vector(q))
		for _, k := range order[rank+1:] {
			row := rest.RawRowView(k)
			for range 2 {
				f := linalg.Dot(q, row)
				l.Set(k, rank, l.At(k, rank)+f)
				blas64.Axpy(-f, linalg.Vector(q), linalg.Vector(row))
			}
			left[k] = blas64.Nrm2(linalg.Vector(row))
		}
	}
	z := make([]float64, n) // L·z = from
	for k, o := range order {
		b := from[free[o]]
		size := math.Abs(b)
		for j := range min(k, rank) {
			v := l.At(o, j) * z[j]
			b -= v
			size += math.Abs(v)
		}
		switch {
		case k < rank:
			z[k] = b / l.At(o, k)
		case math.Abs(b) > 1e-9*size:
			z[k] = b / m.ridge
		}
	}
	for k := n - 1; k >= 0; k-- { // Lᵀ·d = z
		v := z[k]
		if k < rank {
			for _, o := range order[k+1:] {
				v -= l.At(o, k) * d[free[o]]
			}
			v /= l.At(order[k], k)
		}
		d[free[order[k]]] = v
	}
}

// diagonal returns, for some rows, H_ii and what it is where all divided differences are 1:
// ‖UᵀH_iU‖². The error is ctx.Err().
func (s *State) diagonal(ctx context.Context, rows []int, omega *mat.Dense) (diag, full []float64, err error) {
	diag, full = make([]float64, len(rows)), make([]float64, len(rows))
	if omega == nil {
		diag = full
	}
	const block = 64
	q := len(s.sigma)
	type product struct {
		at     int
		factor float64
	}
	var some []product // of two terms of a row, their vectors multiplied elementwise in z
	z, oz := make([]float64, block*q), make([]float64, block*q)
	flush := func() {
		n := len(some)
		if n > 0 {
			blas64.Gemm(blas.NoTrans, blas.NoTrans, 1, general(n, q, z[:n*q]), omega.RawMatrix(), 0, general(n, q, oz[:n*q]))
		}
		for k, e := range some {
			diag[e.at] += e.factor * linalg.Dot(z[k*q:(k+1)*q], oz[k*q:(k+1)*q])
		}
		some = some[:0]
	}
	for k, i := range rows {
		row := &s.p.Rows[i]
		for j, w := range row.Weight {
			v := s.r.RawRowView(row.First + j)
			for l := j; l < len(row.Weight); l++ {
				u := s.r.RawRowView(row.First + l)
				f := w * row.Weight[l]
				if l > j {
					f *= 2
				}
				d := linalg.Dot(u, v)
				full[k] += f * d * d
				if omega == nil {
					continue
				}
				for a, x := range v {
					z[len(some)*q+a] = x * u[a]
				}
				if some = append(some, product{k, f}); len(some) == block {
					if err := ctx.Err(); err != nil {
						return nil, nil, err
					}
					flush()
				}
			}
			if row.Identity != 0 {
				for a, x := range v {
					full[k] += 2 * w * row.Identity * x * x
					diag[k] += 2 * w * row.Identity * x * x * omega.At(a, a)
				}
			}
		}
		if row.Identity != 0 {
			for a := range s.sigma {
				full[k] += row.Identity * row.Identity
				diag[k] += row.Identity * row.Identity * omega.At(a, a)
			}
		}
	}
	flush()
	return diag, full, nil
}

// hessian returns the changes of −value of the rows for a change of y. From a spectrum
// that ends at Tau, what lies below is taken as one eigenvalue, the mean: the steps are
// then not quite Newton's.
func (s *State) hessian(y []float64, omega *mat.Dense) []float64 {
	p := s.p
	raw := p.weighted(s.r, y).RawSymmetric()
	q := raw.N
	var below *mat.Dense
	if _, r := p.T.Dims(); q < r {
		below = s.below(y, general(q, q, raw.Data))
	}
	shift := p.identity(y)
	for a := range q {
		raw.Data[a*raw.Stride+a] += shift
		if omega != nil {
			row := raw.Data[a*raw.Stride : a*raw.Stride+q]
			for b, o := range omega.RawRowView(a) {
				row[b] *= o
			}
		}
	}
	atoms, _ := s.r.Dims()
	change := mat.NewDense(atoms, q, nil)
	blas64.Gemm(blas.NoTrans, blas.NoTrans, 1, s.r.RawMatrix(), general(q, q, raw.Data), 0, change.RawMatrix())
	var trace float64
	for a := range q {
		trace += raw.Data[a*raw.Stride+a]
	}
	out := make([]float64, len(p.Rows))
	for i := range p.Rows {
		row := &p.Rows[i]
		sum := row.Identity * trace
		for j, w := range row.Weight {
			v := linalg.Dot(change.RawRowView(row.First+j), s.r.RawRowView(row.First+j))
			if below != nil {
				v += linalg.Dot(below.RawRowView(row.First+j), s.r.RawRowView(row.First+j))
			}
			sum += w * v
		}
		out[i] = sum
	}
	return out
}
