package blas

import (
	"math"

	"github.com/gramworks/gram/asm/level2"
)

// Level 1 for contiguous vectors. The rest, with wrong arguments and factors of
// zero, is gonum's.

// Ddot returns Σ x[i]·y[i] over the n elements at the given distances.
func (i implementation) Ddot(n int, x []float64, incX int, y []float64, incY int) float64 {
	if incX != 1 || incY != 1 || n < 1 || n > len(x) || n > len(y) {
		return i.Implementation.Ddot(n, x, incX, y, incY)
	}
	if n > fewDot {
		return level2.Dot(x[:n], y[:n])
	}
	return dotSmall(x[:n], y[:n])
}

// Daxpy adds alpha·x to y. Where alpha is 0 x is not read.
func (i implementation) Daxpy(n int, alpha float64, x []float64, incX int, y []float64, incY int) {
	if incX != 1 || incY != 1 || n < 1 || n > len(x) || n > len(y) || alpha == 0 {
		i.Implementation.Daxpy(n, alpha, x, incX, y, incY)
		return
	}
	if n > fewVector {
		level2.Axpy(alpha, x[:n], y[:n])
		return
	}
	if x, y = x[:n], y[:n]; fused() {
		for i, v := range x {
			y[i] = math.FMA(alpha, v, y[i])
		}
		return
	}
	axpy(alpha, x, y)
}

// Dscal multiplies x by alpha. Where alpha is 0 the result is 0 whatever x is.
func (i implementation) Dscal(n int, alpha float64, x []float64, incX int) {
	if incX != 1 || n < 1 || n > len(x) || alpha == 0 {
		i.Implementation.Dscal(n, alpha, x, incX)
		return
	}
	if n > fewVector {
		level2.Scale(alpha, x[:n])
		return
	}
	for i, v := range x[:n] {
		x[i] = alpha * v
	}
}

// Sdot returns Σ x[i]·y[i] over the n elements at the given distances.
func (i implementation) Sdot(n int, x []float32, incX int, y []float32, incY int) float32 {
	if incX != 1 || incY != 1 || n < 1 || n > len(x) || n > len(y) {
		return i.Implementation.Sdot(n, x, incX, y, incY)
	}
	return level2.Dot(x[:n], y[:n])
}

// Saxpy adds alpha·x to y. Where alpha is 0 x is not read.
func (i implementation) Saxpy(n int, alpha float32, x []float32, incX int, y []float32, incY int) {
	if incX != 1 || incY != 1 || n < 1 || n > len(x) || n > len(y) || alpha == 0 {
		i.Implementation.Saxpy(n, alpha, x, incX, y, incY)
		return
	}
	level2.Axpy(alpha, x[:n], y[:n])
}

// Sscal multiplies x by alpha. Where alpha is 0 the result is 0 whatever x is.
func (i implementation) Sscal(n int, alpha float32, x []float32, incX int) {
	if incX != 1 || n < 1 || n > len(x) || alpha == 0 {
		i.Implementation.Sscal(n, alpha, x, incX)
		return
	}
	level2.Scale(alpha, x[:n])
}
