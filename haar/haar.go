package haar

import (
	"context"
	"math/bits"
	"sync"

	kernels "github.com/gramworks/gram/asm/haar"
	"github.com/gramworks/gram/internal/par"
	"github.com/gramworks/gram/num"
)

// Transform computes x ← H·x in place, where H is the matrix with entries 0 and
// ±1. It panics if len(x) is not a power of two. Cost: 2(d−1) additions.
func Transform[F num.Float](x []F) { vector(x, kernels.Ones, false) }

// TransformRows computes Transform of every row of x, n×d, on up to workers
// goroutines (≤ 0: GOMAXPROCS); elements between the rows are not touched. It
// panics if x is not valid or d is not a power of two. The result does not
// depend on workers. With one worker nothing is allocated.
func TransformRows[F num.Float](x num.Rows[F], workers int) {
	rows(x, workers, kernels.Ones, false)
}

// Inverse computes x ← H⁻¹·x in place, the inverse of Transform. It panics if
// len(x) is not a power of two. Cost: 2(d−1) additions and d multiplications by
// powers of two.
func Inverse[F num.Float](x []F) { vector(x, kernels.Inverse, true) }

// InverseRows computes Inverse of every row of x, with the shapes of
// TransformRows.
func InverseRows[F num.Float](x num.Rows[F], workers int) {
	rows(x, workers, kernels.Inverse, true)
}

// Transpose computes x ← Hᵀ·x in place, the adjoint of Transform: Σ_q H_qj·x_q.
// It panics if len(x) is not a power of two. Cost: 2(d−1) additions.
func Transpose[F num.Float](x []F) { vector(x, kernels.Ones, true) }

// TransposeRows computes Transpose of every row of x, with the shapes of
// TransformRows.
func TransposeRows[F num.Float](x num.Rows[F], workers int) {
	rows(x, workers, kernels.Ones, true)
}

// Orthonormal computes x ← Q·x in place, where Q = (H·Hᵀ)^−½·H keeps norms and
// inner products. It panics if len(x) is not a power of two. Sums are scaled at
// the end, so they overflow where Σ|xⱼ| does. Cost: 2(d−1) additions and d
// multiplications.
func Orthonormal[F num.Float](x []F) { vector(x, kernels.Orthonormal, false) }

// OrthonormalRows computes Orthonormal of every row of x, with the shapes of
// TransformRows.
func OrthonormalRows[F num.Float](x num.Rows[F], workers int) {
	rows(x, workers, kernels.Orthonormal, false)
}

// InverseOrthonormal computes x ← Qᵀ·x = Q⁻¹·x in place, the inverse of
// Orthonormal. It panics if len(x) is not a power of two. Cost: 2(d−1)
// additions and d multiplications.
func InverseOrthonormal[F num.Float](x []F) { vector(x, kernels.Orthonormal, true) }

// InverseOrthonormalRows computes InverseOrthonormal of every row of x, with
// the shapes of TransformRows.
func InverseOrthonormalRows[F num.Float](x num.Rows[F], workers int) {
	rows(x, workers, kernels.Orthonormal, true)
}

// Pad returns the least power of two that is at least d: the length to which
// rows of d elements are continued by zeros. It panics if d is not positive or
// the result does not fit an int.
func Pad(d int) int {
	if d <= 0 || d > 1<<(bits.UintSize-2) {
		panic("haar: length is out of range")
	}
	return 1 << bits.Len(uint(d-1))
}

func powerOfTwo(d int) bool { return d > 0 && d&(d-1) == 0 }

func vector[F num.Float](x []F, s kernels.Scaling, back bool) {
	d := len(x)
	if !powerOfTwo(d) {
		panic("haar: length is not a power of two")
	}
	if d <= kernels.MaxShort {
		kernels.Short(x, s, back)
		return
	}
	scratch := get[F](kernels.Scratch(d))
	run(x, d, 1, d, s, back, *scratch)
	put(scratch)
}

// block is the number of elements that one worker takes at a time.
const block = 1 << 16

func rows[F num.Float](x num.Rows[F], workers int, s kernels.Scaling, back bool) {
	if !x.Valid() {
		panic("haar: rows do not fit their memory")
	}
	if !powerOfTwo(x.D) {
		panic("haar: length is not a power of two")
	}
	if x.N == 0 {
		return
	}
	grain := max(1, block/x.D)
	if workers == 1 || x.N <= grain {
		transformRows(x, s, back)
		return
	}
	_ = par.Compute(context.Background(), workers, x.N, grain, func(lo, hi int) {
		transformRows(x.Slice(lo, hi), s, back)
	})
}

func transformRows[F num.Float](x num.Rows[F], s kernels.Scaling, back bool) {
	scratch := get[F](kernels.Scratch(x.D))
	run(x.Data, x.Stride, x.N, x.D, s, back, *scratch)
	put(scratch)
}

func run[F num.Float](x []F, stride, n, d int, s kernels.Scaling, back bool, scratch []F) {
	if back {
		kernels.Backward(x, stride, x, stride, n, d, s, scratch)
	} else {
		kernels.Forward(x, stride, x, stride, n, d, s, scratch)
	}
}

// The pools keep scratch areas between calls, so that calls do not allocate.
var pool32, pool64 sync.Pool

// get returns a scratch area of at least n elements.
func get[F num.Float](n int) *[]F {
	p := &pool64
	if _, single := any(*new(F)).(float32); single {
		p = &pool32
	}
	if s, ok := p.Get().(*[]F); ok && len(*s) >= n {
		return s
	}
	s := make([]F, n)
	return &s
}

func put[F num.Float](s *[]F) {
	switch s := any(s).(type) {
	case *[]float32:
		pool32.Put(s)
	case *[]float64:
		pool64.Put(s)
	}
}
