package solve

import (
	"context"
	"math"

	"github.com/gramworks/gram"
	_ "github.com/gramworks/gram/blas" // makes products run on the module's own backend
	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/lapack/lapack64"
	"gonum.org/v1/gonum/mat"
)

// Cholesky's method in pieces, so that ctx is looked at between them. LAPACK's routine
// does the same work without a break.

const (
	tile      = 256  // order of the diagonal blocks
	tileSpan  = 4096 // columns of a panel for which a triangular system is solved at a time
	tileFlops = 2e9  // largest piece of the update, in flops
)

// part returns the r×c block of a that begins at (i, j).
func part(a *mat.Dense, i, j, r, c int) blas64.General {
	raw := a.RawMatrix()
	return blas64.General{Rows: r, Cols: c, Stride: raw.Stride, Data: raw.Data[i*raw.Stride+j : (i+r-1)*raw.Stride+j+c]}
}

func triangle(g blas64.General) blas64.Triangular {
	return blas64.Triangular{Uplo: blas.Upper, Diag: blas.NonUnit, N: g.Rows, Stride: g.Stride, Data: g.Data}
}

// Cholesky overwrites the upper triangle of the symmetric matrix a by U with UᵀU = a, in
// n³/3 flops. It neither reads nor writes the elements below the diagonal. It looks at
// ctx every few milliseconds and reports progress to meter. The error is
// ctx.Err() or a *gram.NotPDError.
func Cholesky(ctx context.Context, a *mat.Dense, meter *gram.Meter) error {
	n, _ := a.Dims()
	diagonal := diagonalOf(a)
	for k := 0; k < n; k += tile {
		if err := ctx.Err(); err != nil {
			return err
		}
		b := min(tile, n-k)
		u, err := factorTile(a, k, b, blas.Upper, diagonal)
		if err != nil {
			return err
		}
		rest := k + b
		for j := rest; j < n; j += tileSpan {
			if err := ctx.Err(); err != nil {
				return err
			}
			blas64.Trsm(blas.Left, blas.Trans, 1, u, part(a, k, j, b, min(tileSpan, n-j)))
		}
		for i := rest; i < n; {
			if err := ctx.Err(); err != nil {
				return err
			}
			r := min(n-i, max(tile, int(tileFlops/(2*float64(b)*float64(n-i)))))
			strip := part(a, k, i, b, r)
			square := part(a, i, i, r, r)
			blas64.Syrk(blas.Trans, -1, strip, 1, blas64.Symmetric{Uplo: blas.Upper, N: r, Stride: square.Stride, Data: square.Data})
			if right := n - i - r; right > 0 {
				blas64.Gemm(blas.Trans, blas.NoTrans, -1, strip, part(a, k, i+r, b, right), 1, part(a, i, i+r, r, right))
			}
			i += r
		}
		left := float64(n-rest) / float64(n)
		meter.Report(gram.Event{Phase: "Cholesky factor", Done: int64(1000 * (1 - left*left*left)), Total: 1000})
	}
	return nil
}

// diagonalOf returns a copy of the diagonal of a.
func diagonalOf(a *mat.Dense) []float64 {
	n, _ := a.Dims()
	out := make([]float64, n)
	for i := range out {
		out[i] = a.At(i, i)
	}
	return out
}

// factorTile overwrites a triangle of the b×b block of a at (k, k) by its factor. The margin of a *gram.NotPDError is relative
// to the diagonal that the whole matrix had.
func factorTile(a *mat.Dense, k, b int, uplo blas.Uplo, diagonal []float64) (blas64.Triangular, error) {
	corner := part(a, k, k, b, b)
	t, ok := lapack64.Potrf(blas64.Symmetric{Uplo: uplo, N: b, Stride: corner.Stride, Data: corner.Data})
	if ok {
		return t, nil
	}
	for i := k; i < k+b; i++ {
		if v := a.At(i, i); !(v > 0) {
			return t, &gram.NotPDError{Pivot: i, Margin: v / max(math.Abs(diagonal[i]), math.SmallestNonzeroFloat64)}
		}
	}
	return t, &gram.NotPDError{Pivot: k}
}

// CholeskySolve overwrites b by the solution x of UᵀU·x = b, where a holds the U of
// Cholesky. It looks at ctx every few milliseconds; the error is ctx.Err().
func CholeskySolve(ctx context.Context, a, b *mat.Dense) error {
	n, t := b.Dims()
	for k := 0; k < n; k += tile {
		if err := ctx.Err(); err != nil {
			return err
		}
		r := min(tile, n-k)
		x := part(b, k, 0, r, t)
		blas64.Trsm(blas.Left, blas.Trans, 1, triangle(part(a, k, k, r, r)), x)
		if rest := k + r; rest < n {
			subtract(blas.Trans, part(a, k, rest, r, n-rest), x, part(b, rest, 0, n-rest, t))
		}
	}
	for k := (n - 1) / tile * tile; k >= 0; k -= tile {
		if err := ctx.Err(); err != nil {
			return err
		}
		r := min(tile, n-k)
		x := part(b, k, 0, r, t)
		if rest := k + r; rest < n {
			subtract(blas.NoTrans, part(a, k, rest, r, n-rest), part(b, rest, 0, n-rest, t), x)
		}
		blas64.Trsm(blas.Left, blas.NoTrans, 1, triangle(part(a, k, k, r, r)), x)
	}
	return nil
}

// subtract sets y −= op(a)·x.
func subtract(op blas.Transpose, a, x, y blas64.General) {
	if x.Cols == 1 {
		blas64.Gemv(op, -1, a, blas64.Vector{N: x.Rows, Data: x.Data, Inc: x.Stride}, 1, blas64.Vector{N: y.Rows, Data: y.Data, Inc: y.Stride})
		return
	}
	blas64.Gemm(op, blas.NoTrans, -1, a, x, 1, y)
}
