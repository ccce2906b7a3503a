package dual

import (
	"context"
	"errors"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/eig"
	"github.com/gramworks/gram/internal/linalg"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"
)

// Lanczos is the spectrum above the Tau of a Quadratic by eig.TopK on products with
// Σ y_cH_c, which is never formed. It asks for two more pairs than there were last time, and
// decomposes the matrix where these are many. Base and Identity must be 0.
type Lanczos struct {
	Seed uint64
	last int
}

// Spectrum is the Spectrum of a problem whose F is a Quadratic.
func (l *Lanczos) Spectrum(ctx context.Context, p *Problem, y []float64) ([]float64, *mat.Dense, error) {
	_, r := p.T.Dims()
	tau := p.F.(Quadratic).Tau
	for k := min(r, l.last+2); ; k = min(r, 2*k) {
		if k > r/3 {
			return Dense(ctx, p, y)
		}
		values, u, err := eig.TopK(ctx, operator{p, y}, k, eig.Options{Tol: 1e-12, Seed: l.Seed})
		var ce *gram.ConvergenceError
		if errors.As(err, &ce) {
			return Dense(ctx, p, y)
		}
		if err != nil {
			return nil, nil, err
		}
		if values[k-1] > tau {
			continue
		}
		above := 0
		for above < k && values[above] > tau {
			above++
		}
		l.last = above
		above = max(above, 1)
		return values[:above], u.Slice(0, r, 0, above).(*mat.Dense), nil
	}
}

// operator multiplies by Σ y_cH_c, for eig.TopK.
type operator struct {
	p *Problem
	y []float64
}

// Dim returns r, the order of the matrix.
func (o operator) Dim() int { _, r := o.p.T.Dims(); return r }

// Apply sets dst to the product with x.
func (o operator) Apply(dst, x *mat.Dense) {
	var tx mat.Dense
	tx.Mul(o.p.T, x)
	o.p.scale(&tx, o.y)
	dst.Mul(o.p.T.T(), &tx)
}

// scale multiplies the rows of a by the weights of their atoms times y.
func (p *Problem) scale(a *mat.Dense, y []float64) {
	for i := range p.Rows {
		for j, w := range p.Rows[i].Weight {
			blas64.Scal(w*y[i], linalg.Vector(a.RawRowView(p.Rows[i].First+j)))
		}
	}
}

// below is what a change of y does to T·u outside of the span of u, for n = uᵀΣ y_cH_cu:
// T(Hu − un), each column times twice the divided difference between its eigenvalue and the
// mean of those below.
func (s *State) below(y []float64, n blas64.General) *mat.Dense {
	p := s.p
	_, r := p.T.Dims()
	q := n.Rows
	var mean float64 // of the eigenvalues that are not known
	for i := range p.Rows {
		for j, w := range p.Rows[i].Weight {
			t := p.T.RawRowView(p.Rows[i].First + j)
			mean += s.Y[i] * w * linalg.Dot(t, t)
		}
	}
	for _, v := range s.sigma {
		mean -= v
	}
	mean /= float64(r - q)
	scaled := mat.DenseCopyOf(s.r)
	p.scale(scaled, y)
	var h, out, in mat.Dense
	h.Mul(p.T.T(), scaled)
	out.Mul(p.T, &h)
	in.Mul(s.r, mat.NewDense(q, q, n.Data))
	out.Sub(&out, &in)
	atoms, _ := out.Dims()
	for b, v := range s.sigma {
		f := 2 * p.F.Difference(v, min(mean, v))
		for k := range atoms {
			out.Set(k, b, f*out.At(k, b))
		}
	}
	return &out
}
