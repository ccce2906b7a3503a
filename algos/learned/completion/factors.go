package completion

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/basis"
	"github.com/gramworks/gram/algos/internal/descent"
	"github.com/gramworks/gram/algos/solve"
	"github.com/gramworks/gram/internal/enum"
	"github.com/gramworks/gram/internal/linalg"
	"github.com/gramworks/gram/internal/par"
	"github.com/gramworks/gram/internal/rows"
	"github.com/gramworks/gram/num/rng"
	"github.com/gramworks/gram/settings"
	"github.com/gramworks/gram/sparse"
	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/lapack/lapack64"
	"gonum.org/v1/gonum/mat"
)

// armijo is the part of the decrease that a gradient promises which a step must reach.
const armijo = 1e-4

// Loss is ℓ(b, a) of a score b for an observed entry a.
type Loss uint8

const (
	Squared  Loss = iota // ½(b−a)²
	Logistic             // log(1+exp(−s·b)), s = 1 for a = 1 and −1 for a = 0 or −1
)

// String returns the name as the command line takes it.
func (l Loss) String() string {
	return enum.Name(l, "squared", "logistic")
}

// at returns ℓ, ℓ′ and ℓ″ in b.
func (l Loss) at(b, a float64) (v, d1, d2 float64) {
	if l == Squared {
		r := b - a
		return r * r / 2, r, 1
	}
	s := 1.0
	if a != 1 {
		s = -1
	}
	e := math.Exp(-math.Abs(b)) // never overflows
	p := e / (1 + e)            // the smaller of the two probabilities
	v, d1 = math.Log1p(e), -s*p
	if s*b < 0 {
		v, d1 = v-s*b, -s*(1-p)
	}
	return v, d1, p * (1 - p)
}

// factorSide is one factor, P = ΦW for the rows or for the columns, with the entries of
// the matrix as this side sees them.
type factorSide struct {
	a        *sparse.CSR     // this × other, observed
	x        *rows.Products  // side information; nil: none
	f        basis.Learnable // nil: x itself, or none
	phi      *rows.Products  // Φ; nil: the identity
	features *mat.Dense      // Φ where f is not nil
	w, p     *mat.Dense      // features×k, n×k; the same matrix where Φ is the identity
	curve    []float64       // ℓ″ of the entries; nil: ones
	search   descent.Search
	learned  bool
	given    *mat.Dense // where W starts; nil: it is drawn
	gamma    float64    // that was taken; 0 without a kernel
	c        *Config
}

// grain is the number of rows in a block of a loop over the entries.
func (s *factorSide) grain() int {
	const entries = 1 << 12
	return max(1, entries*s.a.N/max(1, s.a.NNZ()))
}

// start draws W so that the entries of PQᵀ have about the mean square of A's for
// a Q like P.
func (s *factorSide) start(ctx context.Context, part string) error {
	k := s.c.Rank
	var sum float64
	for i := range s.a.N {
		sum += s.a.SumSquares(i)
	}
	std := math.Pow(sum/float64(max(1, s.a.NNZ()))/float64(k), .25)
	if std == 0 || s.c.Loss == Logistic {
		std = math.Pow(float64(k), -.25)
	}
	n := s.a.N
	if s.phi != nil {
		var size float64
		for i := range n {
			size += rows.SumSquares(s.phi.X, i)
		}
		if size > 0 {
			std /= math.Sqrt(size / float64(n))
		}
		_, n = s.phi.X.Dims()
	}
	s.w = mat.NewDense(n, k, nil)
	if s.given != nil {
		if r, columns := s.given.Dims(); r != n || columns != k {
			return settings.Refuse("Given.Factor", fmt.Sprintf("%d×%d", r, columns), "%d×%d for the %s", n, k, part)
		}
		if err := gram.Of(s.given).Finite(); err != nil {
			return fmt.Errorf("the given factor of the %s: %w", part, err)
		}
		s.w.Copy(s.given)
		return s.product(ctx)
	}
	seed := rng.Derive(s.c.Seed, part)
	for i := range n {
		r := rng.New(seed, uint64(i))
		row := s.w.RawRowView(i)
		for j := range row {
			row[j] = std * r.NormFloat64()
		}
	}
	return s.product(ctx)
}

// product sets P = ΦW. Without side information P is W, in the same memory.
func (s *factorSide) product(ctx context.Context) error {
	s.p = s.w
	if s.phi == nil {
		return ctx.Err()
	}
	s.p = mat.NewDense(s.a.N, s.c.Rank, nil)
	return s.phi.Mul(ctx, s.p, s.w)
}

// loss returns Σℓ over the entries for factors p of this side and q of the other.
func (s *factorSide) loss(ctx context.Context, p, q *mat.Dense) (float64, error) {
	return par.Sum(ctx, s.c.Workers, s.a.N, s.grain(), func(lo, hi int) float64 {
		var sum float64
		for i := lo; i < hi; i++ {
			col, val := s.a.Row(i)
			u := linalg.Vector(p.RawRowView(i))
			for e, j := range col {
				v, _, _ := s.c.Loss.at(blas64.Dot(u, linalg.Vector(q.RawRowView(int(j)))), value(val, e))
				sum += v
			}
		}
		return sum
	}, add)
}

// slope sets g = ∂/∂P Σℓ, n×k, and the entries' curvature, and returns Σℓ.
func (s *factorSide) slope(ctx context.Context, g, q *mat.Dense) (float64, error) {
	if s.c.Loss != Squared && s.curve == nil {
		s.curve = make([]float64, s.a.NNZ())
	}
	first := s.a.Ptr[0]
	return par.Sum(ctx, s.c.Workers, s.a.N, s.grain(), func(lo, hi int) float64 {
		var sum float64
		for i := lo; i < hi; i++ {
			col, val := s.a.Row(i)
			at := s.a.Ptr[i] - first
			u, out := linalg.Vector(s.p.RawRowView(i)), linalg.Vector(g.RawRowView(i))
			clear(out.Data)
			for e, j := range col {
				other := linalg.Vector(q.RawRowView(int(j)))
				v, d1, d2 := s.c.Loss.at(blas64.Dot(u, other), value(val, e))
				sum += v
				blas64.Axpy(d1, other, out)
				if s.curve != nil {
					s.curve[at+e] = d2
				}
			}
		}
		return sum
	}, add)
}

// curvature returns the second derivatives of Σℓ in the rows of P, C_i =
// Σ_j ℓ″_ij·q_jq_jᵀ, one k×k matrix after the other: nil where the entries are fewer
// numbers to go through.
func (s *factorSide) curvature(ctx context.Context, q *mat.Dense) ([]float64, error) {
	n, k := s.p.Dims()
	if !small(n, k, int64(s.a.NNZ())) {
		return nil, nil
	}
	first := s.a.Ptr[0]
	c := make([]float64, n*k*k)
	err := par.For(ctx, s.c.Workers, n, s.grain(), func(lo, hi int) {
		for i := lo; i < hi; i++ {
			col, _ := s.a.Row(i)
			at := s.a.Ptr[i] - first
			out := blas64.General{Rows: k, Cols: k, Stride: k, Data: c[i*k*k : (i+1)*k*k]}
			for e, j := range col {
				other := linalg.Vector(q.RawRowView(int(j)))
				d2 := 1.0
				if s.curve != nil {
					d2 = s.curve[at+e]
				}
				blas64.Ger(d2, other, other, out)
			}
		}
	})
	return c, err
}

// small says whether n matrices k×k are multiplied faster than the entries
// one by one. They take at most 64 bytes an entry.
func small(n, k int, entries int64) bool {
	return int64(n)*int64(k*k+8) <= 8*entries
}

// bend sets g to the second derivative of Σℓ along d: row i is C_i·d_i =
// Σ_j ℓ″_ij⟨d_i,q_j⟩q_j. c is what curvature returned.
func (s *factorSide) bend(ctx context.Context, g, d, q *mat.Dense, c []float64) error {
	first := s.a.Ptr[0]
	_, k := s.p.Dims()
	return par.For(ctx, s.c.Workers, s.a.N, s.grain(), func(lo, hi int) {
		for i := lo; i < hi; i++ {
			u, out := linalg.Vector(d.RawRowView(i)), linalg.Vector(g.RawRowView(i))
			if c != nil {
				blas64.Gemv(blas.NoTrans, 1, blas64.General{Rows: k, Cols: k, Stride: k, Data: c[i*k*k : (i+1)*k*k]}, u, 0, out)
				continue
			}
			col, _ := s.a.Row(i)
			at := s.a.Ptr[i] - first
			clear(out.Data)
			for e, j := range col {
				other := linalg.Vector(q.RawRowView(int(j)))
				t := blas64.Dot(u, other)
				if s.curve != nil {
					t *= s.curve[at+e]
				}
				blas64.Axpy(t, other, out)
			}
		}
	})
}

// improve takes one Newton step on W for the other side's q, with the step
// halved until the objective is lower. penalty is ½λ‖H‖², the other side's, and
// the result the objective. For squared losses the step solves the problem, as
// far as its conjugate gradients go.
func (s *factorSide) improve(ctx context.Context, q *mat.Dense, penalty float64) (float64, error) {
	lambda := s.c.Lambda.Value()
	n, k := s.p.Dims()
	g := mat.NewDense(n, k, nil)
	value, err := s.slope(ctx, g, q)
	if err != nil {
		return 0, err
	}
	value += lambda/2*rows.Squares(s.w) + penalty
	var d, dp *mat.Dense // the direction in W and in P
	if s.phi == nil {
		d, err = s.rowwise(ctx, g, q)
		dp = d
	} else {
		d, dp, err = s.conjugate(ctx, g, q)
	}
	if err != nil {
		return 0, err
	}
	slope := linalg.Inner(g, dp) + lambda*linalg.Inner(s.w, d)
	if !(slope < 0) {
		return value, nil
	}
	for t := 1.0; t > 1e-10; t /= 2 {
		w := moved(s.w, t, d)
		p := w
		if s.phi != nil {
			p = moved(s.p, t, dp)
		}
		v, err := s.loss(ctx, p, q)
		if err != nil {
			return 0, err
		}
		v += lambda/2*rows.Squares(w) + penalty
		if v < value && v <= value+armijo*t*slope {
			s.w, s.p = w, p
			return v, nil
		}
	}
	return value, nil
}

// rowwise is the Newton step without side information: a k×k system a row.
func (s *factorSide) rowwise(ctx context.Context, g, q *mat.Dense) (*mat.Dense, error) {
	n, k := s.w.Dims()
	d := mat.NewDense(n, k, nil)
	first := s.a.Ptr[0]
	failed := make([]bool, n)
	err := par.For(ctx, s.c.Workers, n, max(1, min(s.grain(), 1<<20/(k*k*k))), func(lo, hi int) {
		h := blas64.Symmetric{N: k, Stride: k, Data: make([]float64, k*k), Uplo: blas.Upper}
		for i := lo; i < hi; i++ {
			clear(h.Data)
			for j := range k {
				h.Data[j*k+j] = s.c.Lambda.Value()
			}
			col, _ := s.a.Row(i)
			for e, j := range col {
				c := 1.0
				if s.curve != nil {
					c = s.curve[s.a.Ptr[i]-first+e]
				}
				blas64.Syr(c, linalg.Vector(q.RawRowView(int(j))), h)
			}
			row := d.RawRowView(i)
			for j, v := range g.RawRowView(i) {
				row[j] = -v - s.c.Lambda.Value()*s.w.At(i, j)
			}
			if s.c.Lambda.Value() == 0 { // the step of least norm: a row may have fewer entries than columns
				if !leastNorm(ctx, row, h) {
					failed[i] = true
					return
				}
				continue
			}
			factor, ok := lapack64.Potrf(h)
			if !ok {
				failed[i] = true
				return
			}
			lapack64.Potrs(factor, blas64.General{Rows: k, Cols: 1, Stride: 1, Data: row})
		}
	})
	for i := range failed {
		if failed[i] && err == nil {
			err = &gram.NotPDError{Pivot: i}
		}
	}
	return d, err
}

// leastNorm sets b = h†b and reports whether the eigensolver succeeded.
func leastNorm(ctx context.Context, b []float64, h blas64.Symmetric) bool {
	root, _, err := solve.InvSqrt(ctx, mat.NewSymDense(h.N, h.Data), 0, 0)
	if err != nil {
		return false
	}
	var coordinates, x mat.VecDense
	coordinates.MulVec(root.T(), mat.NewVecDense(h.N, b))
	x.MulVec(root, &coordinates)
	copy(b, x.RawVector().Data)
	return true
}

// conjugate is the Newton step on W by conjugate gradients, and its effect on P.
func (s *factorSide) conjugate(ctx context.Context, g, q *mat.Dense) (d, dp *mat.Dense, err error) {
	f, k := s.w.Dims()
	b := mat.NewDense(f, k, nil)
	if err := s.phi.MulTrans(ctx, b, g); err != nil {
		return nil, nil, err
	}
	r, w := b.RawMatrix().Data, s.w.RawMatrix().Data
	for i, v := range r {
		r[i] = -v - s.c.Lambda.Value()*w[i]
	}
	d, dp = mat.NewDense(f, k, nil), mat.NewDense(s.a.N, k, nil)
	c, err := s.curvature(ctx, q)
	if err != nil {
		return nil, nil, err
	}
	h := &hessian{ctx: ctx, s: s, q: q, c: c, p: dp, out: mat.NewDense(s.a.N, k, nil)}
	_, err = solve.CG(ctx, stack(d), h, s.c.Lambda.Value(), stack(b), solve.Options{Tol: 1e-6, MaxIter: s.c.Products})
	var ce *gram.ConvergenceError
	switch {
	case h.err != nil:
		return nil, nil, h.err
	case err != nil && !errors.As(err, &ce):
		return nil, nil, err
	}
	return d, dp, s.phi.Mul(ctx, dp, d)
}

// hessian multiplies W, stacked row by row, by the second derivative of Σℓ.
type hessian struct {
	ctx    context.Context
	s      *factorSide
	q      *mat.Dense
	c      []float64  // of curvature
	p, out *mat.Dense // n×k
	err    error
}

// Dim is the number of entries of W.
func (h *hessian) Dim() int { f, k := h.s.w.Dims(); return f * k }

// Apply sets dst = Φᵀg, where bend sets g from d = Φx. It keeps the first error in h.err, since an operator returns none.
func (h *hessian) Apply(dst, x *mat.Dense) {
	f, k := h.s.w.Dims()
	err := h.s.phi.Mul(h.ctx, h.p, mat.NewDense(f, k, x.RawMatrix().Data))
	if err == nil {
		err = h.s.bend(h.ctx, h.out, h.p, h.q, h.c)
	}
	if err == nil {
		err = h.s.phi.MulTrans(h.ctx, mat.NewDense(f, k, dst.RawMatrix().Data), h.out)
	}
	if err != nil && h.err == nil {
		h.err = err
	}
}

// gradient returns ∂/∂U of the objective for the other side's q.
func (s *factorSide) gradient(ctx context.Context, q *mat.Dense) (*mat.Dense, error) {
	phi := s.features
	n, m := phi.Dims()
	_, k := s.p.Dims()
	g, e := mat.NewDense(n, k, nil), mat.NewDense(n, m, nil)
	if _, err := s.slope(ctx, g, q); err != nil {
		return nil, err
	}
	if err := rows.NewProducts(gram.Of(g), s.c.Workers).Mul(ctx, e, mat.DenseCopyOf(s.w.T())); err != nil {
		return nil, err
	}
	return descent.Pull(ctx, s.c.Workers, s.f, e, phi, s.x)
}

// learn takes a gradient step on U and returns the objective. penalty is
// ½λ(‖W‖²+‖H‖²).
func (s *factorSide) learn(ctx context.Context, q *mat.Dense, penalty float64) (float64, error) {
	g, err := s.gradient(ctx, q)
	if err != nil {
		return 0, err
	}
	value, err := s.loss(ctx, s.p, q)
	if err != nil {
		return 0, err
	}
	n, m := s.phi.X.Dims()
	_, k := s.p.Dims()
	phi, p := mat.NewDense(n, m, nil), mat.NewDense(n, k, nil)
	next, value, err := s.search.Step(s.f, g, value+penalty, func(f basis.Learnable) (float64, error) {
		if err := f.Fill(ctx, s.c.Workers, phi, s.x.X); err != nil {
			return 0, err
		}
		if err := rows.NewProducts(gram.Of(phi), s.c.Workers).Mul(ctx, p, s.w); err != nil {
			return 0, err
		}
		v, err := s.loss(ctx, p, q)
		return v + penalty, err
	})
	if next != nil {
		s.f, s.features, s.phi, s.p = next, phi, rows.NewProducts(gram.Of(phi), s.c.Workers), p
	}
	return value, err
}

// moved returns a + t·d.
func moved(a *mat.Dense, t float64, d *mat.Dense) *mat.Dense {
	out := mat.DenseCopyOf(a)
	blas64.Axpy(t, linalg.Vector(d.RawMatrix().Data), linalg.Vector(out.RawMatrix().Data))
	return out
}

// stack returns a as one column, row after row, in the memory of a.
func stack(a *mat.Dense) *mat.Dense {
	r, c := a.Dims()
	return mat.NewDense(r*c, 1, a.RawMatrix().Data)
}

// value is entry e of a row's values, 1 where all are.
func value(val []float64, e int) float64 {
	if val == nil {
		return 1
	}
	return val[e]
}

func add(a, b float64) float64 { return a + b }
