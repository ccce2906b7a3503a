package rows

import (
	"context"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/sparse"
	"gonum.org/v1/gonum/mat"
)

// Products multiplies by X and Xᵀ many times. It checks the context between blocks
// of rows. The results have the same bits for any number of workers.
type Products struct {
	X       gram.Samples[float64]
	t       *sparse.CSR // Xᵀ, if X is sparse
	workers int
}

// NewProducts returns a Products for x. A sparse x is transposed once, which takes
// 12 bytes per entry.
func NewProducts(x gram.Samples[float64], workers int) *Products {
	p := &Products{X: x, workers: workers}
	if a := x.CSR(); a != nil {
		p.t = a.Transpose()
	}
	return p
}

// blockFlops is the work of a dense product between two checks of the context.
const blockFlops = 1 << 29

func (p *Products) block(k, least int) int {
	_, d := p.X.Dims()
	return max(least, blockFlops/max(1, 2*d*k))
}

// Mul sets dst = X·b; X is n×d, b d×k and dst n×k.
func (p *Products) Mul(ctx context.Context, dst, b *mat.Dense) error {
	if a := p.X.CSR(); a != nil {
		return a.Mul(ctx, p.workers, dst, b)
	}
	n := p.X.N()
	_, k := b.Dims()
	step := p.block(k, 256) // b is packed once per block
	for lo := 0; lo < n; lo += step {
		if err := ctx.Err(); err != nil {
			return err
		}
		hi := min(lo+step, n)
		Mul(dst.Slice(lo, hi, 0, k).(*mat.Dense), p.X.Slice(lo, hi), b)
	}
	return ctx.Err()
}

// MulTrans sets dst = Xᵀ·b; b is n×k and dst d×k.
func (p *Products) MulTrans(ctx context.Context, dst, b *mat.Dense) error {
	if p.t != nil {
		return p.t.Mul(ctx, p.workers, dst, b)
	}
	n := p.X.N()
	_, k := b.Dims()
	step := p.block(k, 64)
	dst.Zero()
	for lo := 0; lo < n; lo += step {
		if err := ctx.Err(); err != nil {
			return err
		}
		hi := min(lo+step, n)
		AddMulTrans(dst, p.X.Slice(lo, hi), b.Slice(lo, hi, 0, k).(*mat.Dense))
	}
	return ctx.Err()
}
