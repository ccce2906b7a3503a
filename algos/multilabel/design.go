package multilabel

import (
	"context"

	"github.com/gramworks/gram/internal/rows"
	"github.com/gramworks/gram/sparse"
	"gonum.org/v1/gonum/mat"
)

// design is X, or [X 1], as products with thin matrices see it.
type design struct {
	x        mat.Matrix  // a result of rows.Of
	xt       *sparse.CSR // its transpose, for sparse x
	n, d     int         // of x
	p        int         // columns with the constant
	workers  int
	constant bool
}

func newDesign(x mat.Matrix, constant bool, workers int) *design {
	n, d := x.Dims()
	g := &design{x: x, n: n, d: d, p: d, workers: workers, constant: constant}
	if a, ok := x.(*sparse.CSR); ok {
		g.xt = a.Transpose()
	}
	if constant {
		g.p++
	}
	return g
}

// mul sets dst, n×k, to [X 1]·w.
func (g *design) mul(ctx context.Context, dst, w *mat.Dense) error {
	_, k := w.Dims()
	if err := project(ctx, g.workers, dst, g.x, w.Slice(0, g.d, 0, k).(*mat.Dense)); err != nil {
		return err
	}
	if g.constant {
		addRow(dst, w.RawRowView(g.d))
	}
	return nil
}

// project sets dst = x·w.
func project(ctx context.Context, workers int, dst *mat.Dense, x mat.Matrix, w *mat.Dense) error {
	if a, ok := x.(*sparse.CSR); ok {
		return a.Mul(ctx, workers, dst, w)
	}
	rows.Mul(dst, x, w)
	return ctx.Err()
}

// addRow adds b to every row of dst.
func addRow(dst *mat.Dense, b []float64) {
	n, _ := dst.Dims()
	for i := range n {
		row := dst.RawRowView(i)
		for j, v := range b {
			row[j] += v
		}
	}
}

// mulTrans sets dst, p×k, to [X 1]ᵀ·b.
func (g *design) mulTrans(ctx context.Context, dst, b *mat.Dense) error {
	_, k := b.Dims()
	top := dst.Slice(0, g.d, 0, k).(*mat.Dense)
	if g.xt != nil {
		if err := g.xt.Mul(ctx, g.workers, top, b); err != nil {
			return err
		}
	} else {
		top.Zero()
		rows.AddMulTrans(top, g.x, b)
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
	return ctx.Err()
}
