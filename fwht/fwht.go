// Package fwht computes fast Walsh–Hadamard transforms in place.
//
// The matrix is H_1 = (1), H_2n = [H_n H_n; H_n −H_n]: natural (Hadamard)
// order, entries ±1, H·Hᵀ = n·I. Nothing is scaled unless the name says so.
//
// Accuracy class: exact. All levels of assembly and all numbers of workers give
// the same bits; integers are transformed without error as long as n·max|x|
// fits the significand.
package fwht

import (
	"context"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/asm/hadamard"
	"github.com/gramworks/gram/internal/par"
)

// Transform replaces x by H·x.
//
// x has a length n = 2^k. It panics if n is not a power of two. Cost: n·log₂n
// additions, no allocation.
func Transform[F gram.Float](x []F) {
	checkLength(len(x))
	hadamard.Transform(x)
}

// TransformRows replaces every row of x by H·row.
//
// x is N×D with D = 2^k and any Stride ≥ D; the elements between the rows are
// not touched. Up to workers goroutines run (≤ 0: GOMAXPROCS); their number
// does not change the result. It panics if D is not a power of two or the rows
// do not fit their data. Cost: N·D·log₂D additions.
func TransformRows[F gram.Float](x gram.Rows[F], workers int) {
	checkRows(x)
	grain := max(1, (64<<10)/x.D)
	if workers == 1 || x.N <= grain {
		hadamard.Rows(x.Data, x.N, x.D, x.Stride)
		return
	}
	_ = par.For(context.Background(), workers, x.N, grain, func(lo, hi int) {
		hadamard.Rows(x.Data[lo*x.Stride:], hi-lo, x.D, x.Stride)
	})
}

func checkLength(n int) {
	if n <= 0 || n&(n-1) != 0 {
		panic("fwht: length is not a power of two")
	}
}

func checkRows[F gram.Float](x gram.Rows[F]) {
	if !x.Valid() {
		panic("fwht: rows do not fit their data")
	}
	checkLength(x.D)
}
