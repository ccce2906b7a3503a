package rows

import (
	"context"
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/internal/looktest"
	"github.com/gramworks/gram/num/rng"
	"github.com/gramworks/gram/sparse"
	"gonum.org/v1/gonum/mat"
)

// Products end with the error of their context at whichever look it ends.
func TestProductLooks(t *testing.T) {
	const n, d, k = 600, 1100, 1000 // three blocks of rows
	r := rng.New(2, 0)
	x, b, c := mat.NewDense(n, d, nil), mat.NewDense(d, k, nil), mat.NewDense(n, k, nil)
	for i := range n {
		x.Set(i, r.IntN(d), r.NormFloat64())
		c.Set(i, r.IntN(k), r.NormFloat64())
	}
	for j := range d {
		b.Set(j, r.IntN(k), r.NormFloat64())
	}
	for _, workers := range []int{1, 2} {
		for _, m := range []mat.Matrix{x, sparse.FromDense(x)} {
			p := NewProducts(gram.Of(m), workers)
			looktest.Every(t, func(ctx context.Context) (any, error) {
				dst := mat.NewDense(n, k, nil)
				err := p.Mul(ctx, dst, b)
				return dst, err
			})
			looktest.Every(t, func(ctx context.Context) (any, error) {
				dst := mat.NewDense(d, k, nil)
				err := p.MulTrans(ctx, dst, c)
				return dst, err
			})
		}
	}
}
