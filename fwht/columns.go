package fwht

import (
	"context"
	"math/bits"
	"runtime"
	"unsafe"

	"github.com/gramworks/gram/asm/hadamard"
	"github.com/gramworks/gram/internal/par"
	"github.com/gramworks/gram/num"
)

// columnBytes is the memory of the rows whose columns are transformed before the
// stages across blocks of rows: half of a usual L2.
const columnBytes = 512 << 10

// TransformColumns replaces every column of x by H·column, without a
// transposition: all operations are on parts of rows.
//
// x is N×D with N = m·2^k, a length that Transform takes, and any Stride ≥ D;
// elements between the rows are not touched. Up to workers goroutines (≤ 0:
// GOMAXPROCS) share the work. It panics if N is not a length that Transform takes
// or if the rows do not fit their memory. Cost: D times that of Transform, in
// N·D·log₂N additions and, for matrices that exceed the caches, about one sweep
// over the matrix for the first 512 KiB of rows and one for each further factor of
// eight. Accuracy class: exact, but the additions are in ascending order of the
// distance between rows, so the bits of a column may differ from those of
// Transform.
func TransformColumns[F num.Float](x num.Rows[F], workers int) {
	if !x.Valid() {
		panic("fwht: rows do not fit their memory")
	}
	m := check(x.N, false)
	if x.D == 0 {
		return
	}
	if workers <= 0 || x.N*x.D < grainLength {
		workers = runtime.GOMAXPROCS(0)
		if x.N*x.D < grainLength {
			workers = 1
		}
	}
	h := x.N / m
	block := max(1, columnBytes/(x.D*int(unsafe.Sizeof(x.Data[0]))))
	block = min(h, 1<<(bits.Len(uint(block))-1))
	eachRange(workers, x.N, block, func(lo, hi int) {
		hadamard.Columns(x.Data[lo*x.Stride:], hi-lo, x.Stride, 0, x.D)
	})
	if block < h {
		// Row i of every block, of one block of the base after the other.
		grain := max(1, grainLength*block/(h*x.D))
		for b := 0; b < x.N; b += h {
			eachRange(workers, block, grain, func(lo, hi int) {
				for i := lo; i < hi; i++ {
					hadamard.Columns(x.Data[(b+i)*x.Stride:], h/block, block*x.Stride, 0, x.D)
				}
			})
		}
	}
	if m > 1 {
		eachRange(workers, h, max(1, grainLength/(m*x.D)), func(lo, hi int) {
			for i := lo; i < hi; i++ {
				hadamard.Base(x.Data[i*x.Stride:], m, h*x.Stride, x.D)
			}
		})
	}
}

// eachRange runs body for blocks of grain, in the caller's goroutine alone if workers
// is 1.
func eachRange(workers, n, grain int, body func(lo, hi int)) {
	// Without a context nothing can fail.
	_ = par.Compute(context.Background(), workers, n, grain, body)
}
