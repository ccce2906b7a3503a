package imc

import (
	"context"
	"fmt"
	"math"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/asm/vec"
	"github.com/gramworks/gram/internal/par"
	"github.com/gramworks/gram/internal/rows"
	"github.com/gramworks/gram/kernel"
	"github.com/gramworks/gram/sparse"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"
)

// Kind says how rows of side information become features.
type Kind uint8

const (
	// Linear takes them as they are.
	Linear Kind = iota
	// Fourier features ([S16] eq. 5.9): m^{−½}·[cos u₁ᵀx … cos u_mᵀx,
	// sin u₁ᵀx … sin u_mᵀx] with frequencies u_j, drawn from N(0, 2γI).
	Fourier
	// Nystrom features ([S16] eq. 5.11 with M = I): [K(x,u₁) … K(x,u_m)] of the
	// Gaussian kernel exp(−γ‖x−u‖²) with landmarks u_j.
	Nystrom
)

// String returns the name as the command line takes it.
func (k Kind) String() string {
	if int(k) < len(kinds) {
		return kinds[k]
	}
	return fmt.Sprintf("kind(%d)", uint8(k))
}

var kinds = []string{"linear", "fourier", "nystrom"}

// Features is a map φ_U from rows to features whose parameters U, frequencies or
// landmarks, can be learned: for an objective f of the features Φ = φ_U(X),
// Gradient turns ∂f/∂Φ into ∂f/∂U. It is immutable and safe for concurrent use.
type Features struct {
	kind  Kind
	gamma float64    // of Nystrom
	u     *mat.Dense // d×m, a frequency a column; Nystrom: m×d, a landmark a row
}

var _ gram.FeatureMap = (*Features)(nil)

// NewFeatures returns the Fourier features of the frequencies in the columns of
// u, d×m, or the Nystrom features of the landmarks in the rows of u, m×d, for
// which gamma is above 0. It keeps u.
func NewFeatures(kind Kind, u *mat.Dense, gamma float64) *Features {
	if kind != Fourier && kind != Nystrom {
		panic("imc: features with parameters are Fourier or Nystrom")
	}
	return &Features{kind: kind, gamma: gamma, u: u}
}

// Parameters returns U. It is the map's own and must not be changed.
func (f *Features) Parameters() *mat.Dense { return f.u }

// Dims returns the number of columns of rows, d, and of features: 2m for
// Fourier, m for Nystrom.
func (f *Features) Dims() (d, features int) {
	r, c := f.u.Dims()
	if f.kind == Fourier {
		return r, 2 * c
	}
	return c, r
}

// blockRows is the number of rows that are mapped together.
const blockRows = 64

// Map computes the features of the rows of x, which do not depend on the other
// rows, in 2·nnz(x)·m flops and as many cosines, sines or exponentials as there
// are features.
func (f *Features) Map(dst *mat.Dense, x mat.Matrix) *mat.Dense {
	n, d := x.Dims()
	want, k := f.Dims()
	if d != want {
		panic("imc: x has the wrong number of columns")
	}
	if dst == nil {
		if n == 0 {
			return &mat.Dense{}
		}
		dst = mat.NewDense(n, k, nil)
	}
	if r, c := dst.Dims(); r != n || n > 0 && c != k {
		panic("imc: the destination has the wrong shape")
	}
	if n > 0 {
		_ = f.Fill(context.Background(), 0, dst, gram.Of(x))
	}
	return dst
}

// Fill is Map into dst of the right shape, on up to workers goroutines (≤ 0: GOMAXPROCS). If ctx ends it the error
// is ctx.Err().
func (f *Features) Fill(ctx context.Context, workers int, dst *mat.Dense, x gram.Samples[float64]) error {
	n, _ := x.Dims()
	if f.kind == Nystrom {
		thin := x.IsSparse()
		u := mat.Matrix(f.u)
		if thin {
			u = sparse.FromDense(f.u) // a block without a centre, whose values cost the nonzeros of x
		}
		b := kernel.Against[float64](kernel.Gaussian{Gamma: f.gamma}, u).Limit(1)
		return par.For(ctx, workers, n, blockRows, func(lo, hi int) {
			b.Fill(gram.View(dst).Slice(lo, hi), x.Slice(lo, hi))
		})
	}
	_, m := f.u.Dims()
	scale := 1 / math.Sqrt(float64(m))
	return par.For(ctx, workers, n, blockRows, func(lo, hi int) {
		z := rows.Borrow(hi-lo, m)
		rows.Mul(z, x.Slice(lo, hi), f.u)
		for i := range hi - lo {
			out := dst.RawRowView(lo + i)
			vec.SinCos(out[m:], out[:m], z.RawRowView(i))
			blas64.Scal(scale, blas64.Vector{N: 2 * m, Data: out, Inc: 1})
		}
		rows.Return(z)
	})
}

// Transposed multiplies by Xᵀ: dst = Xᵀ·b for b of n rows.
type Transposed interface {
	MulTrans(ctx context.Context, dst, b *mat.Dense) error
}

// Gradient sets dst, of the shape of U, to ∂f/∂U, where x are the rows, phi
// their features and e = ∂f/∂phi, both n×features; e is overwritten. With Φ =
// [Φ_c Φ_s] and E = [E_c E_s] it is Xᵀ(Φ_c∘E_s − Φ_s∘E_c) for Fourier, and with
// B = E∘Φ it is 2γ(BᵀX − diag(Bᵀ1)·U) for Nystrom. It costs 2·nnz(x)·m flops.
func (f *Features) Gradient(ctx context.Context, workers int, dst, e, phi *mat.Dense, x Transposed) error {
	n, k := phi.Dims()
	m := k
	if f.kind == Fourier {
		m = k / 2
	}
	sums, err := par.Sum(ctx, workers, n, 1024, func(lo, hi int) []float64 {
		var sums []float64
		if f.kind == Nystrom {
			sums = make([]float64, m)
		}
		for i := lo; i < hi; i++ {
			g, p := e.RawRowView(i), phi.RawRowView(i)
			if f.kind == Fourier {
				for j, c := range p[:m] {
					g[j] = float64(c*g[m+j]) - float64(p[m+j]*g[j])
				}
				continue
			}
			for j, v := range p {
				g[j] *= v
				sums[j] += g[j]
			}
		}
		return sums
	}, func(a, b []float64) []float64 {
		for j, v := range b {
			a[j] += v
		}
		return a
	})
	if err != nil {
		return err
	}
	b := e.Slice(0, n, 0, m).(*mat.Dense)
	if f.kind == Fourier {
		return x.MulTrans(ctx, dst, b)
	}
	d, _ := f.Dims()
	t := mat.NewDense(d, m, nil)
	if err := x.MulTrans(ctx, t, b); err != nil {
		return err
	}
	for i := range m {
		row, u := dst.RawRowView(i), f.u.RawRowView(i)
		for j := range row {
			row[j] = 2 * f.gamma * (t.At(j, i) - float64(sums[i]*u[j]))
		}
	}
	return nil
}

// Search is a descent on the parameters of a map by gradients with steps of
// Armijo's rule. It remembers the size of the last step.
type Search struct {
	step float64
}

const (
	armijo    = 1e-4 // of the decrease a gradient promises
	longest   = 1    // step at most, relative to the parameters' scale
	halvings  = 40
	firstStep = 0.03
)

// Step looks for a step η with f(U−ηG) ≤ f(U) − 10⁻⁴η‖G‖², halving it from four
// times the last one, and never moves U by more than its scale: the norm of the
// frequencies, or the kernel's width (2γ)^{−½} for each landmark. value is f(U),
// and at returns f of the map it is given. Step returns the new map and f there,
// or nil if no step is left that lowers f.
func (s *Search) Step(f *Features, g *mat.Dense, value float64, at func(*Features) (float64, error)) (*Features, float64, error) {
	slope := squares(g)
	scale := math.Sqrt(squares(f.u))
	if f.kind == Nystrom {
		m, _ := f.u.Dims()
		scale = math.Sqrt(float64(m) / (2 * f.gamma))
	}
	if slope == 0 || scale == 0 || math.IsInf(slope, 0) || math.IsNaN(slope) {
		return nil, value, nil
	}
	unit := scale / math.Sqrt(slope)
	if s.step == 0 {
		s.step = firstStep * unit
	}
	eta := min(4*s.step, longest*unit)
	r, c := f.u.Dims()
	next := &Features{kind: f.kind, gamma: f.gamma, u: mat.NewDense(r, c, nil)}
	for range halvings {
		next.u.Scale(-eta, g)
		next.u.Add(next.u, f.u)
		v, err := at(next)
		if err != nil {
			return nil, value, err
		}
		if v <= value-armijo*eta*slope && v < value {
			s.step = eta
			return next, v, nil
		}
		eta /= 2
	}
	return nil, value, nil
}

func squares(a *mat.Dense) float64 {
	var s float64
	n, _ := a.Dims()
	for i := range n {
		r := blas64.Vector{N: len(a.RawRowView(i)), Data: a.RawRowView(i), Inc: 1}
		s += blas64.Dot(r, r)
	}
	return s
}
