package nystrom

import (
	"context"

	"github.com/gramworks/gram/algos/solve"
	"github.com/gramworks/gram/eig"
	"github.com/gramworks/gram/num/rng"
	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"
)

// randomized decomposes w by projection on the range of w^(q+1)·Ω, with a
// Gaussian Ω of Rank+Oversample columns ([LKL10], [HMT11] algorithms 4.4 and
// 5.3): Q spans the range, and the eigenvectors of w are Q times those of
// QᵀwQ. The basis is made orthonormal after every product, so that small
// eigenvalues are not lost.
func (c Config) randomized(ctx context.Context, w *mat.SymDense) (*mat.Dense, []float64, error) {
	cols := c.Rank + c.Oversample.Value()
	r := rng.New(rng.Derive(c.Seed, "projection"), 0)
	q := mat.NewDense(c.M, cols, nil)
	for i := range c.M {
		row := q.RawRowView(i)
		for j := range row {
			row[j] = r.NormFloat64()
		}
	}
	y := mat.NewDense(c.M, cols, nil)
	for range c.Power.Value() + 1 {
		if err := ctx.Err(); err != nil {
			return nil, nil, err
		}
		blas64.Symm(blas.Left, 1, w.RawSymmetric(), q.RawMatrix(), 0, y.RawMatrix())
		eig.Orthonormal(y)
		q, y = y, q
	}
	blas64.Symm(blas.Left, 1, w.RawSymmetric(), q.RawMatrix(), 0, y.RawMatrix())
	var b mat.Dense
	b.Mul(q.T(), y)
	small := mat.NewSymDense(cols, nil)
	for i := range cols {
		for j := i; j < cols; j++ {
			small.SetSym(i, j, (b.At(i, j)+b.At(j, i))/2)
		}
	}
	all, v, err := eig.SymAll(ctx, small)
	if err != nil {
		return nil, nil, err
	}
	y.Mul(q, v)
	root, values := solve.Truncate(y, all, c.Rank, c.Cut)
	return root, values, nil
}
