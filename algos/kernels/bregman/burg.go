package bregman

import (
	"math"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/cholupdate"
	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"
)

// burg is X = BBᵀ with a lower triangular B ([K06] Algorithm 1).
type burg struct {
	b     *mat.Dense
	stats *Stats

	// The loaded constraint: its directions w_k = Bᵀv_k as rows, then the
	// eigenpairs of H in these coordinates.
	c  *row
	w  *mat.Dense
	mu []float64
	q  *mat.Dense

	factor cholupdate.IdentityPlusRankOne[float64]
	room   []float64
}

func newBurg(r int, stats *Stats) *burg { return &burg{b: eye(r), stats: stats} }

// turn sets dst, s×r, to v·m for an r×r matrix m and returns it; room holds it.
func turn(dst *mat.Dense, v, m *mat.Dense, room []float64) []float64 {
	s, r := v.Dims()
	if len(room) < s*r {
		room = make([]float64, s*r)
	}
	dst.SetRawMatrix(blas64.General{Rows: s, Cols: r, Stride: r, Data: room[:s*r]})
	if s == 1 {
		blas64.Gemv(blas.Trans, 1, m.RawMatrix(), blas64.Vector{N: r, Data: v.RawRowView(0), Inc: 1}, 0, blas64.Vector{N: r, Data: dst.RawRowView(0), Inc: 1})
		return room
	}
	blas64.Gemm(blas.NoTrans, blas.NoTrans, 1, v.RawMatrix(), m.RawMatrix(), 0, dst.RawMatrix())
	return room
}

func (s *burg) load(c *row, v *mat.Dense) (value, size float64) {
	if s.w == nil {
		s.w = &mat.Dense{}
	}
	s.c, s.mu = c, nil
	s.room = turn(s.w, v, s.b, s.room)
	for k, weight := range c.weight {
		var sum float64
		for _, x := range s.w.RawRowView(k) {
			sum += x * x
		}
		value += weight * sum
		size += math.Abs(weight) * sum
	}
	return value, size
}

func (s *burg) step(b bound) (float64, error) {
	var err error
	if s.mu, s.q, err = spectrum(s.c.weight, s.w); err != nil {
		return 0, err
	}
	xi, _ := b.at(0)
	if err := reachable(s.mu, xi, b.price == quadratic); err != nil {
		return 0, err
	}
	if len(s.mu) == 1 && b.price != quadratic {
		s.stats.Evaluations++
		a := 1/s.mu[0] - 1/xi
		if b.price == inverse {
			a *= b.gamma / (b.gamma + 1)
		}
		return a, nil
	}
	lo, hi := b.lowest(), math.Inf(1)
	var sum float64
	for _, mu := range s.mu {
		if mu > 0 {
			hi = min(hi, 1/mu)
		} else {
			lo = max(lo, 1/mu)
		}
		sum += math.Abs(mu)
	}
	a, n := root(func(a float64) (value, slope, size float64) {
		for _, mu := range s.mu {
			d := 1 - a*mu
			value += mu / d
			slope += (mu / d) * (mu / d)
			size += math.Abs(mu / d)
		}
		xi, falls := b.at(a)
		return value - xi, slope - falls, size + math.Abs(xi)
	}, lo, hi, 1/sum)
	s.stats.Evaluations += n
	return a, nil
}

// move multiplies B by the Cholesky factors of I + β_k·q_kq_kᵀ. As the q_k are
// orthogonal, the later ones become Lᵀq_k in the coordinates of BL: L⁻¹q = Lᵀ(LLᵀ)⁻¹q
// = Lᵀq.
func (s *burg) move(a float64) error {
	for k, mu := range s.mu {
		if _, err := s.factor.Set(a*mu/(1-a*mu), s.q.RawRowView(k)); err != nil {
			return err
		}
		s.factor.ApplyRight(gram.View(s.b), 1)
		for l := k + 1; l < len(s.mu); l++ {
			s.factor.ApplyVec(s.q.RawRowView(l))
		}
	}
	return nil
}

// rebuild computes X⁻¹ = I − h = LLᵀ and the lower triangular factor of its
// inverse: with the order of rows and columns reversed, JX⁻¹J = UᵀU with U upper
// triangular gives X = (JU⁻¹J)(JU⁻¹J)ᵀ. Where the sum has lost its definiteness to
// rounding B stays as it is.
func (s *burg) rebuild(h *mat.SymDense) error {
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
	var chol mat.Cholesky
	if !chol.Factorize(inverse) || !(chol.Cond() < 1e12) {
		return nil
	}
	var u mat.TriDense
	chol.UTo(&u)
	if err := u.InverseTri(&u); err != nil {
		return nil
	}
	for i := range r {
		for j := range r {
			s.b.Set(i, j, u.At(r-1-i, r-1-j))
		}
	}
	return nil
}

func (s *burg) trace() float64 {
	n := mat.Norm(s.b, 2)
	return n * n
}

func (s *burg) unit() float64 {
	r, _ := s.b.Dims()
	return float64(r)
}

// divergence is tr X − log det X − r.
func (s *burg) divergence() float64 {
	r, _ := s.b.Dims()
	d := s.trace() - float64(r)
	for i := range r {
		d -= 2 * math.Log(math.Abs(s.b.At(i, i)))
	}
	return max(0, d)
}

func (s *burg) transform() *mat.Dense { return s.b }
