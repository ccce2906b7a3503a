package solve

import (
	"context"

	"github.com/gramworks/gram"
	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"
)

// lower returns g as a lower triangular matrix.
func lower(g blas64.General) blas64.Triangular {
	return blas64.Triangular{Uplo: blas.Lower, Diag: blas.NonUnit, N: g.Rows, Stride: g.Stride, Data: g.Data}
}

// CholeskyLower overwrites the lower triangle of the symmetric matrix a by L with LLᵀ = a, in n³/3 flops. It neither reads nor
// writes the elements above the diagonal, so that a factor of Cholesky may be in the same square.
// It looks at ctx, reports progress and returns errors as Cholesky does.
func CholeskyLower(ctx context.Context, a *mat.Dense, meter *gram.Meter) error {
	n, _ := a.Dims()
	diagonal := diagonalOf(a)
	for k := 0; k < n; k += tile {
		if err := ctx.Err(); err != nil {
			return err
		}
		b := min(tile, n-k)
		l, err := factorTile(a, k, b, blas.Lower, diagonal)
		if err != nil {
			return err
		}
		rest := k + b
		for i := rest; i < n; i += tileSpan {
			if err := ctx.Err(); err != nil {
				return err
			}
			blas64.Trsm(blas.Right, blas.Trans, 1, l, part(a, i, k, min(tileSpan, n-i), b))
		}
		for i := rest; i < n; {
			if err := ctx.Err(); err != nil {
				return err
			}
			r := min(n-i, max(tile, int(tileFlops/(2*float64(b)*float64(i-rest+tile)))), 2*tileSpan)
			strip := part(a, i, k, r, b)
			square := part(a, i, i, r, r)
			if left := i - rest; left > 0 {
				blas64.Gemm(blas.NoTrans, blas.Trans, -1, strip, part(a, rest, k, left, b), 1, part(a, i, rest, r, left))
			}
			blas64.Syrk(blas.NoTrans, -1, strip, 1, blas64.Symmetric{Uplo: blas.Lower, N: r, Stride: square.Stride, Data: square.Data})
			i += r
		}
		left := float64(n-rest) / float64(n)
		meter.Report(gram.Event{Phase: "Cholesky factor", Done: int64(1000 * (1 - left*left*left)), Total: 1000})
	}
	return nil
}

// CholeskyLowerSolve overwrites b by the solution x of LLᵀ·x = b, where a holds the L of CholeskyLower. It looks at ctx every
// few milliseconds; the error is ctx.Err().
func CholeskyLowerSolve(ctx context.Context, a, b *mat.Dense) error {
	n, t := b.Dims()
	for k := 0; k < n; k += tile {
		if err := ctx.Err(); err != nil {
			return err
		}
		r := min(tile, n-k)
		x := part(b, k, 0, r, t)
		blas64.Trsm(blas.Left, blas.NoTrans, 1, lower(part(a, k, k, r, r)), x)
		if rest := k + r; rest < n {
			subtract(blas.NoTrans, part(a, rest, k, n-rest, r), x, part(b, rest, 0, n-rest, t))
		}
	}
	for k := (n - 1) / tile * tile; k >= 0; k -= tile {
		if err := ctx.Err(); err != nil {
			return err
		}
		r := min(tile, n-k)
		x := part(b, k, 0, r, t)
		if rest := k + r; rest < n {
			subtract(blas.Trans, part(a, rest, k, n-rest, r), part(b, rest, 0, n-rest, t), x)
		}
		blas64.Trsm(blas.Left, blas.Trans, 1, lower(part(a, k, k, r, r)), x)
	}
	return nil
}
