package gp

import (
	"context"
	"errors"
	"math"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/solve"
	"github.com/gramworks/gram/internal/linalg"
	"github.com/gramworks/gram/kernel"
	"github.com/gramworks/gram/num/rng"
	"github.com/gramworks/gram/settings"
	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"
)

// Sample returns k functions drawn from the posterior, at the n rows of x: an n×k matrix with a function in each column.
// The numbers of a column have the mean that Predict returns, the variances that Variance returns and the covariances
//
//	a·(K(x,z) − kᵀ(x)C⁻¹k(z) + (1 − kᵀ(x)s)(1 − kᵀ(z)s)/sᵀ1)
//
// of the rows; a target has the variance Noise more, which is independent of all else. The same seed gives the same functions, and the
// first of more. They need the rows together: functions drawn at other rows in another call are others.
//
// Sample takes n²·(d + m) + n³/3 flops for m rows of the fit or landmarks, and 2n² + n·m numbers. A multiple of the identity is
// added to the covariance, 10⁻¹² times n and the mean of its diagonal or, if round-off asks for it, some powers of ten
// more. The errors are a *gram.ConfigError for k < 1, a *gram.DataError for numbers of x that are not finite, ctx.Err(), and a
// *gram.NotPDError if 10⁻⁶ is not enough. It panics if x has not the columns of the fit.
func (m *Model) Sample(ctx context.Context, x mat.Matrix, k int, seed uint64) (*mat.Dense, error) {
	s := gram.Of(x)
	n, d := s.Dims()
	if d != m.Dim() {
		panic("gp: x has the wrong number of columns")
	}
	if k < 1 {
		return nil, settings.Refuse("k", k, "at least one function")
	}
	if err := s.Finite(); err != nil {
		return nil, err
	}
	out := mat.NewDense(max(1, n), k, nil)
	if n == 0 {
		return nil, settings.Refuse("rows", n, "at least one row")
	}
	c, err := m.covariance(ctx, s)
	if err != nil {
		return nil, err
	}
	u, err := rooted(ctx, c)
	if err != nil {
		return nil, err
	}
	for j := range k {
		r := rng.New(rng.Derive(seed, "sample"), uint64(j))
		for i := range n {
			out.Set(i, j, r.NormFloat64())
		}
	}
	blas64.Trmm(blas.Left, blas.Trans, math.Sqrt(m.amplitude), upper(u.RawMatrix()), out.RawMatrix())
	for i, v := range m.Predict(nil, x) {
		row := out.RawRowView(i)
		for j := range row {
			row[j] += v
		}
	}
	return out, ctx.Err()
}

// sampleRows is the number of rows between two looks at the context.
const sampleRows = 256

// covariance returns the upper triangle of the covariance of the function at the rows of s, over the amplitude.
func (m *Model) covariance(ctx context.Context, s gram.Samples[float64]) (*mat.Dense, error) {
	n, count := s.N(), m.count()
	c, t := mat.NewDense(n, n, nil), mat.NewDense(n, count, nil)
	own := kernel.Against[float64](m.cfg.Kernel, s).Limit(m.cfg.Workers)
	var constant []float64 // 1 − kᵀs
	if m.ones > 0 {
		constant = make([]float64, n)
	}
	for lo := 0; lo < n; lo += sampleRows {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		hi := min(lo+sampleRows, n)
		own.Fill(gram.View(c.Slice(lo, hi, 0, n).(*mat.Dense)), s.Slice(lo, hi))
		part := t.Slice(lo, hi, 0, count).(*mat.Dense)
		m.block.Fill(gram.View(part), s.Slice(lo, hi))
		for i := lo; i < hi && constant != nil; i++ {
			constant[i] = 1 - mat.Dot(t.RowView(i), m.coef.ColView(1))
		}
	}
	subtract := func(root blas64.General, sign float64) error {
		for lo := 0; lo < n; lo += sampleRows {
			if err := ctx.Err(); err != nil {
				return err
			}
			blas64.Trsm(blas.Right, blas.NoTrans, 1, upper(root), t.Slice(lo, min(lo+sampleRows, n), 0, count).(*mat.Dense).RawMatrix())
		}
		for lo := 0; lo < n; lo += sampleRows {
			if err := ctx.Err(); err != nil {
				return err
			}
			hi := min(lo+sampleRows, n)
			blas64.Gemm(blas.NoTrans, blas.Trans, sign, t.Slice(lo, hi, 0, count).(*mat.Dense).RawMatrix(), t.Slice(lo, n, 0, count).(*mat.Dense).RawMatrix(),
				1, c.Slice(lo, hi, lo, n).(*mat.Dense).RawMatrix())
		}
		return nil
	}
	if err := subtract(m.factor, -1); err != nil {
		return nil, err
	}
	if m.inner.Rows > 0 {
		if err := subtract(m.inner, 1); err != nil {
			return nil, err
		}
	}
	for i := 0; i < n && constant != nil; i++ {
		blas64.Axpy(constant[i]/m.ones, linalg.Vector(constant[i:]), linalg.Vector(c.RawRowView(i)[i:]))
	}
	return c, nil
}

// rooted returns U with UᵀU = c + a multiple of the identity.
func rooted(ctx context.Context, c *mat.Dense) (*mat.Dense, error) {
	n, _ := c.Dims()
	trace := max(mat.Trace(c), math.SmallestNonzeroFloat32)
	for share := 1e-12; ; share *= 10 {
		u := mat.DenseCopyOf(c)
		for i := range n {
			u.Set(i, i, u.At(i, i)+share*trace)
		}
		err := solve.Cholesky(ctx, u, gram.Run{}.Meter())
		var pd *gram.NotPDError
		if !errors.As(err, &pd) || share > 1e-6 {
			return u, err
		}
	}
}
