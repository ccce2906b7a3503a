package rows

import (
	"github.com/gramworks/gram"
	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"
)

// gemm sets dst = x·b. If b has one column, it uses the matrix-vector
// product, which reads x once along its rows.
func gemm(dst *mat.Dense, x gram.Rows[float64], b *mat.Dense) {
	xr, br, dr := general(x), b.RawMatrix(), dst.RawMatrix()
	if xr.Cols != br.Rows || dr.Rows != xr.Rows || dr.Cols != br.Cols {
		panic("rows: shapes do not fit")
	}
	if br.Cols == 1 {
		blas64.Gemv(blas.NoTrans, 1, xr, columnVector(br), 0, columnVector(dr))
		return
	}
	blas64.Gemm(blas.NoTrans, blas.NoTrans, 1, xr, br, 0, dr)
}

// gemmTrans adds xᵀ·b to dst. If b has one column, it uses the matrix-vector product, as gemm does.
func gemmTrans(dst *mat.Dense, x gram.Rows[float64], b *mat.Dense) {
	xr, br, dr := general(x), b.RawMatrix(), dst.RawMatrix()
	if xr.Rows != br.Rows || dr.Rows != xr.Cols || dr.Cols != br.Cols {
		panic("rows: shapes do not fit")
	}
	if br.Cols == 1 {
		blas64.Gemv(blas.Trans, 1, xr, columnVector(br), 1, columnVector(dr))
		return
	}
	blas64.Gemm(blas.Trans, blas.NoTrans, 1, xr, br, 1, dr)
}

func general(r gram.Rows[float64]) blas64.General {
	return blas64.General{Rows: r.N, Cols: r.D, Stride: r.Stride, Data: r.Data}
}

func columnVector(a blas64.General) blas64.Vector {
	return blas64.Vector{N: a.Rows, Data: a.Data, Inc: a.Stride}
}
