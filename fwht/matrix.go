package fwht

import (
	"context"
	"math"

	"github.com/gramworks/gram/asm/gemm"
	"github.com/gramworks/gram/asm/hadamard"
	"github.com/gramworks/gram/asm/hadamard/paley"
	"github.com/gramworks/gram/internal/par"
	"github.com/gramworks/gram/num"
)

// A Matrix is a Hadamard matrix H_m ⊗ H_2^k of an order m·2^k with m = 36, 52, 60, 108, 140, 148, 156 or 172, or of a length of Transform.
// With them there are lengths at most an eighth above any n ≥ 8192, and the rotations of package sketch are made of them.
//
// H_m is the matrix of package asm/hadamard/paley: Paley's second construction over the fields of 17, 25, 29, 53 and 73 elements, his
// first one over that of 139, and Williamson's for 156 and 172. It has entries ±1, and H·Hᵀ = n·I. The last two are not
// symmetric, so that Transform is not its own inverse up to n. A transform takes n·(k + 2m) operations: m products with ±1 and as many additions
// for each element, where the functions of this package take m/2 additions. The class of accuracy is theirs: the same bits at every level.
//
// A Matrix holds 2m² numbers, does not change and is safe for concurrent use.
type Matrix[F num.Float] struct {
	m, t       int
	base       []F // H_m, row-major, if m is none of the factors of the functions
	transposed []F // its transpose
}

// HasMatrix reports whether NewMatrix has a matrix of order n.
func HasMatrix(n int) bool {
	_, ok := factorOf(n)
	return ok
}

// factorOf returns the factor m of n = m·2^k.
func factorOf(n int) (m int, ok bool) {
	if m, ok := base(n); ok {
		return m, true
	}
	for _, m := range paley.Large {
		if n%m == 0 && powerOfTwo(n/m) {
			return m, true
		}
	}
	return 0, false
}

// NewMatrix returns the matrix of order n. It panics unless HasMatrix(n).
func NewMatrix[F num.Float](n int) *Matrix[F] {
	m, ok := factorOf(n)
	if !ok {
		panic("fwht: there is no matrix of this order")
	}
	a := &Matrix[F]{m: m, t: n / m}
	if Supported(n) {
		return a
	}
	a.base, a.transposed = make([]F, m*m), make([]F, m*m)
	for i, row := range paley.Matrix(m) {
		for j, v := range row {
			a.base[i*m+j], a.transposed[j*m+i] = F(v), F(v)
		}
	}
	return a
}

// Len returns n, the order of H.
func (a *Matrix[F]) Len() int { return a.m * a.t }

// Transform replaces x by H·x. It panics if x has not length n.
func (a *Matrix[F]) Transform(x []F) { a.rows(oneRow(x), 1, a.base, 1) }

// TransformRows replaces every row of x, N×n with any stride, by H·row. The rows are shared by up to workers goroutines (≤ 0:
// GOMAXPROCS); with one nothing is allocated. A row gets the same bits as from Transform. It panics if x has not n columns or the rows do not fit their memory.
func (a *Matrix[F]) TransformRows(x num.Rows[F], workers int) { a.rows(x, workers, a.base, 1) }

// Inverse replaces x by H⁻¹·x = Hᵀ·x/n. It panics if x has not length n.
func (a *Matrix[F]) Inverse(x []F) { a.rows(oneRow(x), 1, a.transposed, 1/float64(a.Len())) }

// InverseRows replaces every row of x by H⁻¹·row. It is otherwise as TransformRows.
func (a *Matrix[F]) InverseRows(x num.Rows[F], workers int) {
	a.rows(x, workers, a.transposed, 1/float64(a.Len()))
}

// Orthonormal replaces x by H·x/√n. It panics if x has not length n.
func (a *Matrix[F]) Orthonormal(x []F) {
	a.rows(oneRow(x), 1, a.base, 1/math.Sqrt(float64(a.Len())))
}

// OrthonormalRows replaces every row of x by H·row/√n. It is otherwise as TransformRows.
func (a *Matrix[F]) OrthonormalRows(x num.Rows[F], workers int) {
	a.rows(x, workers, a.base, 1/math.Sqrt(float64(a.Len())))
}

// InverseOrthonormal replaces x by Hᵀ·x/√n, which undoes Orthonormal. It panics if x has not length n.
func (a *Matrix[F]) InverseOrthonormal(x []F) {
	a.rows(oneRow(x), 1, a.transposed, 1/math.Sqrt(float64(a.Len())))
}

// InverseOrthonormalRows replaces every row of x by Hᵀ·row/√n. It is otherwise as TransformRows.
func (a *Matrix[F]) InverseOrthonormalRows(x num.Rows[F], workers int) {
	a.rows(x, workers, a.transposed, 1/math.Sqrt(float64(a.Len())))
}

func oneRow[F num.Float](x []F) num.Rows[F] {
	return num.Rows[F]{Data: x, N: 1, D: len(x), Stride: max(1, len(x))}
}

func (a *Matrix[F]) rows(x num.Rows[F], workers int, h []F, scale float64) {
	if !x.Valid() {
		panic("fwht: rows do not fit their memory")
	}
	if x.D != a.Len() {
		panic("fwht: the rows have not the order of the matrix")
	}
	grain := max(1, grainLength/x.D)
	if workers == 1 || x.N <= grain {
		a.some(x, h, F(scale))
		return
	}
	_ = par.Compute(context.Background(), workers, x.N, grain, func(lo, hi int) { a.some(x.Slice(lo, hi), h, F(scale)) })
}

// some transforms rows in the caller's goroutine, with H_m or its transpose for a large order.
func (a *Matrix[F]) some(x num.Rows[F], h []F, scale F) {
	for i := range x.N {
		row := x.Row(i)
		if h == nil {
			transformRows(oneRow(row), a.m)
		} else {
			hadamard.Rows(row, a.m, a.t, a.t)
			a.across(row, h)
		}
		if scale != 1 {
			hadamard.Scale(row, scale)
		}
	}
}

// across multiplies the columns of the m×t matrix x by h, a few at a time, whose elements are copied first. Each element is a sum in the order of the
// rows, without rounding but that of the sum, whatever the size of tiles.
func (a *Matrix[F]) across(x, h []F) {
	rows, columns := gemm.Shape[F]()
	b := get[F](gemm.PackedLen(columns, a.m, columns))
	for j := 0; j < a.t; j += columns {
		n := min(columns, a.t-j)
		gemm.Pack(*b, x[j:], 1, a.t, n, a.m, columns)
		for i := 0; i < a.m; i += rows {
			// All orders are multiples of four, which is what Tile needs of rows.
			gemm.Tile(a.m, h[i*a.m:], a.m, 1, *b, columns, x[i*a.t+j:], a.t, min(rows, a.m-i), n, 1, 0)
		}
	}
	put(b)
}
