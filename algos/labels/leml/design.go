package leml

import (
	"context"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/internal/rows"
	"gonum.org/v1/gonum/mat"
)

// design is X, or [X 1], as products with thin matrices see it.
type design struct {
	x        *rows.Products
	n, d     int // of x
	p        int // columns with the constant
	constant bool
}

func newDesign(x gram.Samples[float64], constant bool, workers int) *design {
	n, d := x.Dims()
	g := &design{x: rows.NewProducts(x, workers), n: n, d: d, p: d, constant: constant}
	if constant {
		g.p++
	}
	return g
}

// mul sets dst, n×k, to [X 1]·w.
func (g *design) mul(ctx context.Context, dst, w *mat.Dense) error {
	_, k := w.Dims()
	if err := g.x.Mul(ctx, dst, w.Slice(0, g.d, 0, k).(*mat.Dense)); err != nil {
		return err
	}
	if g.constant {
		rows.AddToAll(dst, w.RawRowView(g.d))
	}
	return nil
}

// mulTrans sets dst, p×k, to [X 1]ᵀ·b.
func (g *design) mulTrans(ctx context.Context, dst, b *mat.Dense) error {
	_, k := b.Dims()
	if err := g.x.MulTrans(ctx, dst.Slice(0, g.d, 0, k).(*mat.Dense), b); err != nil {
		return err
	}
	if g.constant {
		last := dst.RawRowView(g.d)
		clear(last)
		for i := range g.n {
			for j, v := range b.RawRowView(i) {
				last[j] += v
			}
		}
	}
	return nil
}
