package dual

import (
	"cmp"
	"context"
	"math"
	"slices"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/cholupdate"
	"github.com/gramworks/gram/internal/linalg"
	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"
)

// burg is the iterate of LogDet, X = BBᵀ with a lower triangular B ([K06] Algorithm 1).
type burg struct {
	p           *Problem
	tol         float64
	evaluations *int
	b           *mat.Dense

	// The loaded row: its vectors w_k = Bᵀt_k, then the eigenpairs of H in these coordinates.
	row *Row
	w   *mat.Dense
	mu  []float64
	q   *mat.Dense

	margin []float64 // 1/(1−aμ_k) of the last step
	order  []int

	factor cholupdate.IdentityPlusRankOne[float64]
	room   []float64
}

func newBurg(p *Problem, tol float64, evaluations *int) *burg {
	_, r := p.T.Dims()
	b := mat.NewDense(r, r, nil)
	for i := range r {
		b.Set(i, i, 1)
	}
	return &burg{p: p, tol: tol, evaluations: evaluations, b: b, w: &mat.Dense{}}
}

// turn sets dst, s×k, to v·m for an r×k matrix m; room holds it, and is returned, grown
// where it was too small.
func turn(dst *mat.Dense, v, m *mat.Dense, room []float64) []float64 {
	s, r := v.Dims()
	_, k := m.Dims()
	if len(room) < s*k {
		room = make([]float64, s*k)
	}
	dst.SetRawMatrix(blas64.General{Rows: s, Cols: k, Stride: k, Data: room[:s*k]})
	if s == 1 {
		blas64.Gemv(blas.Trans, 1, m.RawMatrix(), blas64.Vector{N: r, Data: v.RawRowView(0), Inc: 1}, 0, blas64.Vector{N: k, Data: dst.RawRowView(0), Inc: 1})
		return room
	}
	blas64.Gemm(blas.NoTrans, blas.NoTrans, 1, v.RawMatrix(), m.RawMatrix(), 0, dst.RawMatrix())
	return room
}

func (s *burg) load(r *Row) (value, size float64) {
	s.row, s.mu = r, nil
	s.room = turn(s.w, s.p.vectors(r), s.b, s.room)
	for k, weight := range r.Weight {
		w := s.w.RawRowView(k)
		v := weight * linalg.Dot(w, w)
		value += v
		size += math.Abs(v)
	}
	return value, size
}

func (s *burg) step(b position, least, most float64) (float64, error) {
	var err error
	if s.mu, s.q, err = eigenpairs(s.row.Weight, s.w); err != nil {
		return 0, err
	}
	xi, _ := b.at(0)
	if err := reachable(s.mu, xi, b.moves()); err != nil {
		return 0, err
	}
	s.margin = append(s.margin[:0], s.mu...)
	var a float64
	if len(s.mu) == 1 && (b.Price == Hard || b.Price == Inverse && b.offset == 0) {
		*s.evaluations++
		p := s.mu[0]
		a = (xi - p) / xi / p
		s.margin[0] = xi / p
		if b.Price == Inverse { // from 1/p − a = 1/ξ + a/γ; the article on ITML prints another form
			a *= b.Gamma / (b.Gamma + 1)
			s.margin[0] = (b.Gamma + 1) / (1 + b.Gamma*(p/xi))
		}
	} else {
		a = s.search(b, xi)
	}
	if clipped := min(max(a, least), most); clipped != a {
		a = clipped
		for k, mu := range s.mu {
			s.margin[k] = 1 / math.FMA(-a, mu, 1)
		}
	}
	return a, nil
}

// search solves Σ μ_k/(1−aμ_k) = ξ(y+a) and sets the margins 1/(1−aμ_k).
//
// With the signs turned so that a ≥ 0, the nearest pole on the way is at 1/μ for the
// largest μ > 0. There a = t/((1+t)μ) and 1−aμ_k = (1+t(1−μ_k/μ))/(1+t), in which
// nothing cancels however close to the pole t leads, and the left side is concave
// in t: Newton's method comes from the left. Where all μ_k ≤ 0 the unknown is a.
func (s *burg) search(b position, xi float64) float64 {
	var at, sum float64
	for _, mu := range s.mu {
		at += mu
		sum += math.Abs(mu)
	}
	sign := 1.
	if at > xi {
		sign = -1
	}
	top := 0.
	for _, mu := range s.mu {
		top = max(top, sign*mu)
	}
	first, end := 1/sum, math.Inf(1)
	if top > 0 {
		first = 1
	} else if sign < 0 {
		end = -b.lowest()
	}
	step := func(t float64) (a, slope float64) {
		if top > 0 {
			return t / ((1 + t) * top), 1 / ((1 + t) * (1 + t) * top)
		}
		return t, 1
	}
	margins := func(t float64) {
		for k, mu := range s.mu {
			if mu *= sign; top > 0 {
				s.margin[k] = (1 + t) / (1 + t*((top-mu)/top))
			} else {
				s.margin[k] = 1 / (1 - t*mu)
			}
		}
	}
	t, n := root(func(t float64) (value, slope, size float64) {
		margins(t)
		a, da := step(t)
		for k, m := range s.margin {
			v := s.mu[k] * m
			value += sign * v
			slope += v * v * da
			size += math.Abs(v)
		}
		xi, falls := b.at(sign * a)
		return value - sign*xi, slope - falls*da, size + math.Abs(xi)
	}, 0, end, first)
	*s.evaluations += n
	margins(t)
	a, _ := step(t)
	return sign * a
}

// move multiplies B by the Cholesky factors of I + β_k·q_kq_kᵀ, 1+β_k = 1/(1−aμ_k). As
// the q_k are orthogonal, the later ones become Lᵀq_k in the coordinates of BL:
// L⁻¹q = Lᵀ(LLᵀ)⁻¹q = Lᵀq. Directions that shrink go first: their L is not large.
func (s *burg) move() error {
	order := s.order[:0]
	for k := range s.mu {
		order = append(order, k)
	}
	s.order = order
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(s.margin[i], s.margin[j]) })
	for i, k := range order {
		if err := s.factor.SetMargin(s.margin[k], s.q.RawRowView(k)); err != nil {
			return err
		}
		s.factor.ApplyRight(gram.View(s.b), 1)
		for _, l := range order[i+1:] {
			s.factor.ApplyVec(s.q.RawRowView(l))
		}
	}
	return nil
}

// rebuild computes X⁻¹ = I − Σ y_c·H_c = LLᵀ and the lower triangular factor of its
// inverse: with the order of rows and columns reversed, JX⁻¹J = UᵀU with U upper
// triangular gives X = (JU⁻¹J)(JU⁻¹J)ᵀ. Where X⁻¹ is so ill-conditioned that float64
// would lose the tolerance it is summed and factored in twice the precision.
func (s *burg) rebuild(ctx context.Context, y []extended) (ok bool, err error) {
	high, _ := split(y)
	h := s.p.weighted(s.p.T, high)
	if err := ctx.Err(); err != nil {
		return false, err
	}
	r := h.SymmetricDim()
	inverse := mat.NewSymDense(r, nil)
	for i := range r {
		for j := i; j < r; j++ {
			v := -h.At(i, j)
			if i == j {
				v++
			}
			inverse.SetSym(r-1-i, r-1-j, v)
		}
	}
	if b, cond, ok := lowerInverse(inverse); ok && cond*0x1p-52 <= 0.01*s.tol {
		s.b = b
		return true, nil
	}
	return s.factorExtended(ctx, y)
}

// lowerInverse returns the lower triangular L with LLᵀ = S⁻¹ for a, which is S with the
// order of rows and columns reversed, and the condition of S.
func lowerInverse(a *mat.SymDense) (l *mat.Dense, cond float64, ok bool) {
	r := a.SymmetricDim()
	var chol mat.Cholesky
	if !chol.Factorize(a) {
		return nil, 0, false
	}
	var u mat.TriDense
	chol.UTo(&u)
	// A warning of bad condition is left to the caller.
	_ = u.InverseTri(&u)
	l = mat.NewDense(r, r, nil)
	for i := range r {
		for j := range i + 1 {
			l.Set(i, j, u.At(r-1-i, r-1-j))
		}
	}
	return l, chol.Cond(), true
}

// inverse returns X⁻¹ of the duals in twice the precision, rows and columns in reverse
// order, as an upper triangle whose rows begin with the diagonal.
func (s *burg) inverse(ctx context.Context, y []extended) ([][]extended, error) {
	r, _ := s.b.Dims()
	u := make([][]extended, r)
	for i := range u {
		u[i] = make([]extended, r-i)
		u[i][0] = extended{hi: 1}
	}
	for n, y := range y {
		if n%64 == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if y == (extended{}) {
			continue
		}
		c := &s.p.Rows[n]
		for k, weight := range c.Weight {
			scale, row := y.times(extended{hi: -weight}), s.p.T.RawRowView(c.First+k)
			for i := range r {
				f := scale.times(extended{hi: row[r-1-i]})
				for j := range u[i] {
					u[i][j] = u[i][j].plus(f.times(extended{hi: row[r-1-i-j]}))
				}
			}
		}
	}
	return u, nil
}

func (s *burg) save() func() {
	b := mat.DenseCopyOf(s.b)
	return func() { s.b = b }
}

// distance is ‖BᵀX⁻¹B − I‖ for the X⁻¹ of the duals.
func (s *burg) distance(ctx context.Context, y []extended) (float64, error) {
	u, err := s.inverse(ctx, y)
	if err != nil {
		return 0, err
	}
	r := len(u)
	var off float64
	line := make([]extended, r) // a column of X⁻¹B
	for j := range r {
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		for i := range r {
			line[i] = extended{}
			for k := j; k < r; k++ { // B is lower triangular
				p, q := max(i, k), min(i, k) // in reverse order
				line[i] = line[i].plus(u[r-1-p][p-q].times(extended{hi: s.b.At(k, j)}))
			}
		}
		for i := range r {
			var sum extended
			if i == j {
				sum.hi = -1
			}
			for k := i; k < r; k++ {
				sum = sum.plus(line[k].times(extended{hi: s.b.At(k, i)}))
			}
			off += sum.hi * sum.hi
		}
	}
	return math.Sqrt(off), nil
}

// factorExtended does what rebuild does in twice the precision, in as many operations of about 20 flops each.
func (s *burg) factorExtended(ctx context.Context, y []extended) (ok bool, err error) {
	u, err := s.inverse(ctx, y)
	if err != nil {
		return false, err
	}
	r := len(u)
	for k := range u {
		if err := ctx.Err(); err != nil {
			return false, err
		}
		pivot := u[k][0].sqrt()
		if !(pivot.hi > 0) {
			return false, nil
		}
		u[k][0] = pivot
		for j := range u[k][1:] {
			u[k][1+j] = u[k][1+j].over(pivot)
		}
		for i := k + 1; i < r; i++ {
			f := u[k][i-k].minus()
			for j := range u[i] {
				u[i][j] = u[i][j].plus(f.times(u[k][i-k+j]))
			}
		}
	}
	b := mat.NewDense(r, r, nil) // which B becomes at the end
	rest := make([]extended, r)
	for i := range r { // row i of U⁻¹
		if err := ctx.Err(); err != nil {
			return false, err
		}
		clear(rest)
		rest[i] = extended{hi: 1}
		for k := i; k < r; k++ {
			x := rest[k].over(u[k][0])
			b.Set(r-1-i, r-1-k, x.hi)
			for j := k + 1; j < r; j++ {
				rest[j] = rest[j].plus(x.times(u[k][j-k]).minus())
			}
		}
	}
	s.b = b
	return true, nil
}

// divergence is tr X − log det X − r.
func (s *burg) divergence() float64 {
	r, _ := s.b.Dims()
	n := mat.Norm(s.b, 2)
	d := n*n - float64(r)
	for i := range r {
		d -= 2 * math.Log(math.Abs(s.b.At(i, i)))
	}
	return max(0, d)
}

func (s *burg) state(y []extended) *State {
	high, low := split(y)
	return s.p.with(high, low, mat.DenseCopyOf(s.b))
}

// take makes the factor lower triangular: for Fᵀ = QR it is Rᵀ, up to signs of columns.
func (s *burg) take(t *State) {
	var qr mat.QR
	qr.Factorize(t.Factor().T())
	var r mat.Dense
	qr.RTo(&r)
	s.b.Copy(r.T())
	for j := range s.b.RawMatrix().Cols {
		if s.b.At(j, j) < 0 {
			for i := j; i < s.b.RawMatrix().Rows; i++ {
				s.b.Set(i, j, -s.b.At(i, j))
			}
		}
	}
}
