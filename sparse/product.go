package sparse

import (
	"context"

	"github.com/gramworks/gram/internal/par"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"
)

// DotRow returns the inner product of row i and v, which has length D. Terms
// are added in the order of the columns.
func (a *CSR) DotRow(i int, v []float64) float64 {
	if len(v) != a.D {
		panic("sparse: vector has the wrong length")
	}
	col, val := a.Row(i)
	var s float64
	if val == nil {
		for _, j := range col {
			s += v[j]
		}
		return s
	}
	for k, j := range col {
		s += float64(val[k] * v[j])
	}
	return s
}

// AddRow adds alpha times row i to dst, which has length D.
func (a *CSR) AddRow(dst []float64, alpha float64, i int) {
	if len(dst) != a.D {
		panic("sparse: destination has the wrong length")
	}
	col, val := a.Row(i)
	if val == nil {
		for _, j := range col {
			dst[j] += alpha
		}
		return
	}
	for k, j := range col {
		dst[j] += float64(alpha * val[k])
	}
}

// SumSquares returns the sum of the squares of row i.
func (a *CSR) SumSquares(i int) float64 {
	col, val := a.Row(i)
	if val == nil {
		return float64(len(col))
	}
	var s float64
	for _, v := range val {
		s += float64(v * v)
	}
	return s
}

// MulTo sets dst = A·B. B is D×s and dst is N×s; they must not overlap. Row i
// of the result depends on row i of A alone. Cost: 2·nnz·s flops.
func (a *CSR) MulTo(dst, b *mat.Dense) {
	db, s := b.Dims()
	if n, t := dst.Dims(); db != a.D || n != a.N || t != s {
		panic("sparse: shapes do not fit")
	}
	br, dr := b.RawMatrix(), dst.RawMatrix()
	if s == 1 && br.Stride == 1 {
		for i := range a.N {
			dr.Data[i*dr.Stride] = a.DotRow(i, br.Data[:a.D])
		}
		return
	}
	for i := range a.N {
		row := dr.Data[i*dr.Stride : i*dr.Stride+s]
		clear(row)
		col, val := a.Row(i)
		y := blas64.Vector{N: s, Data: row, Inc: 1}
		for k, j := range col {
			v := 1.0
			if val != nil {
				v = val[k]
			}
			o := int(j) * br.Stride
			blas64.Axpy(v, blas64.Vector{N: s, Data: br.Data[o : o+s], Inc: 1}, y)
		}
	}
}

// AddMulTransTo adds Aᵀ·B to dst. B is N×s and dst is D×s; they must not
// overlap. Rows are added in ascending order. Cost: 2·nnz·s flops.
func (a *CSR) AddMulTransTo(dst, b *mat.Dense) {
	nb, s := b.Dims()
	if d, t := dst.Dims(); nb != a.N || d != a.D || t != s {
		panic("sparse: shapes do not fit")
	}
	br, dr := b.RawMatrix(), dst.RawMatrix()
	if s == 1 && dr.Stride == 1 {
		for i := range a.N {
			a.AddRow(dr.Data[:a.D], br.Data[i*br.Stride], i)
		}
		return
	}
	for i := range a.N {
		x := blas64.Vector{N: s, Data: br.Data[i*br.Stride : i*br.Stride+s], Inc: 1}
		col, val := a.Row(i)
		for k, j := range col {
			v := 1.0
			if val != nil {
				v = val[k]
			}
			o := int(j) * dr.Stride
			blas64.Axpy(v, x, blas64.Vector{N: s, Data: dr.Data[o : o+s], Inc: 1})
		}
	}
}

// grain is about the number of entries of A in a block of a parallel product.
const grain = 1 << 14

// Mul computes the same bits as MulTo on up to workers goroutines (≤ 0:
// GOMAXPROCS). When ctx is done it stops between blocks of rows and returns
// ctx.Err().
func (a *CSR) Mul(ctx context.Context, workers int, dst, b *mat.Dense) error {
	db, s := b.Dims()
	if n, t := dst.Dims(); db != a.D || n != a.N || t != s {
		panic("sparse: shapes do not fit")
	}
	rows := 1
	if a.N > 0 {
		rows = max(1, int(int64(grain)*int64(a.N)/int64(max(1, a.NNZ()*s))))
	}
	return par.For(ctx, workers, a.N, min(rows, max(1, a.N)), func(lo, hi int) {
		a.Slice(lo, hi).MulTo(dst.Slice(lo, hi, 0, s).(*mat.Dense), b)
	})
}

// MulTrans sets dst = Aᵀ·B on up to workers goroutines (≤ 0: GOMAXPROCS). B is
// N×s and dst is D×s; they must not overlap. The bits are those of
// AddMulTransTo with zeros in dst. It makes a transposed copy of A of 12 bytes
// per entry; for many products with the same A, call Transpose once and then
// Mul. When ctx is done it returns ctx.Err().
func (a *CSR) MulTrans(ctx context.Context, workers int, dst, b *mat.Dense) error {
	nb, s := b.Dims()
	if d, t := dst.Dims(); nb != a.N || d != a.D || t != s {
		panic("sparse: shapes do not fit")
	}
	return a.Transpose().Mul(ctx, workers, dst, b)
}
