package linear

import (
	"math"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/internal/check"
	"github.com/gramworks/gram/internal/linalg"
	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"
)

// LeftOut returns the leave-one-out predictions of the rows that the model was fitted
// to: for each of the n rows of x the prediction of a model fitted without that row, on
// the same features and with the same λ. y are the n×t targets and w the weights of the
// fit. With the leverage h_i of row i,
//
//	y_i − f_{−i}(x_i) = (y_i − f(x_i))/(1 − h_i),   h_i = w_i·(1/Σw + ‖R⁻ᵀ(φ_i − φ̄)‖²),
//
// where RᵀR = Σ w_i(φ_i − φ̄)(φ_i − φ̄)ᵀ + λI. Without a constant, 1/Σw and φ̄ are replaced
// by 0. A row without a weight has the same prediction with and without it. A row with
// h_i = 1, which alone determines a part of the function, has NaN.
//
// Cost: the features of all rows in memory and 2·n·p² + p³/3 flops for p features. The
// error is a *gram.NotPDError if λ is 0 and the features are linearly dependent.
func (m *Regressor) LeftOut(x mat.Matrix, y *mat.Dense, w []float64) (*mat.Dense, error) {
	n, _ := x.Dims()
	if err := check.Targets(y, n); err != nil {
		return nil, err
	}
	if err := check.Weights(w, n); err != nil {
		return nil, err
	}
	var phi *mat.Dense
	if m.m == nil {
		phi = mat.DenseCopyOf(x)
	} else {
		phi = m.m.Map(nil, x)
	}
	_, p := phi.Dims()
	weight := func(i int) float64 {
		if w == nil {
			return 1
		}
		return w[i]
	}
	var total, share float64
	mean := make([]float64, p)
	for i := range n {
		total += weight(i)
		if !m.cfg.NoBias {
			blas64.Axpy(weight(i), linalg.Vector(phi.RawRowView(i)), linalg.Vector(mean))
		}
	}
	if !m.cfg.NoBias {
		share = 1 / total
		blas64.Scal(share, linalg.Vector(mean))
	}
	scaled := mat.NewDense(n, p, nil)
	for i := range n {
		row := phi.RawRowView(i)
		blas64.Axpy(-1, linalg.Vector(mean), linalg.Vector(row))
		blas64.Axpy(math.Sqrt(weight(i)), linalg.Vector(row), linalg.Vector(scaled.RawRowView(i)))
	}
	normal := mat.NewSymDense(p, nil)
	for j := range p {
		normal.SetSym(j, j, m.stats.Lambda)
	}
	blas64.Syrk(blas.Trans, 1, scaled.RawMatrix(), 1, normal.RawSymmetric())
	var chol mat.Cholesky
	if !chol.Factorize(normal) {
		return nil, &gram.NotPDError{}
	}
	var u mat.TriDense
	chol.UTo(&u)
	blas64.Trsm(blas.Right, blas.NoTrans, 1, u.RawTriangular(), scaled.RawMatrix())
	out := m.PredictAll(nil, x)
	for i := range n {
		if weight(i) == 0 {
			continue
		}
		row := linalg.Vector(scaled.RawRowView(i))
		rest := 1 - weight(i)*share - blas64.Dot(row, row)
		for c, v := range out.RawRowView(i) {
			left := math.NaN()
			if rest > 1e-10 {
				left = y.At(i, c) - (y.At(i, c)-v)/rest
			}
			out.Set(i, c, left)
		}
	}
	return out, nil
}
