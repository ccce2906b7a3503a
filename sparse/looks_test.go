package sparse

import (
	"context"
	"math/rand/v2"
	"testing"

	"github.com/gramworks/gram/internal/looktest"
	"gonum.org/v1/gonum/mat"
)

// Products end with the error of their context at whichever look it ends.
func TestProductLooks(t *testing.T) {
	const n, d, s = 3000, 3000, 400 // several blocks of rows
	r := rand.New(rand.NewPCG(3, 4))
	a := &CSR{N: n, D: d, Ptr: make([]int, 1, n+1)}
	for range n {
		a.Col = append(a.Col, int32(r.IntN(d/2)), int32(d/2+r.IntN(d/2)))
		a.Val = append(a.Val, r.NormFloat64(), r.NormFloat64())
		a.Ptr = append(a.Ptr, len(a.Col))
	}
	b := mat.NewDense(n, s, nil)
	for i := range n {
		b.Set(i, r.IntN(s), r.NormFloat64())
	}
	for _, workers := range []int{1, 2} {
		for _, product := range []func(ctx context.Context, workers int, dst, b *mat.Dense) error{a.Mul, a.MulTrans} {
			looktest.Every(t, func(ctx context.Context) (any, error) {
				dst := mat.NewDense(n, s, nil)
				err := product(ctx, workers, dst, b)
				return dst, err
			})
		}
	}
}
