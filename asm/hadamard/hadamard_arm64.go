//go:build !noasm

package hadamard

import (
	"github.com/gramworks/gram/asm/cpu"
	"github.com/gramworks/gram/num"
)

var levels = []cpu.Level{cpu.NEON}

func limits[F num.Float]() caps {
	if cpu.Current() < cpu.NEON {
		return caps{}
	}
	if line[F]() == 16 {
		return caps{2, 7, 4}
	}
	return caps{1, 6, 4}
}

// small64 and small32 are the logarithms of the largest lengths that kernel64
// and kernel32 take.
const (
	small64 = 6
	small32 = 7
)

// kernel64 transforms x of length 2^k in one call, if the level in force can.
func kernel64(x []float64, k int) bool {
	if cpu.Current() < cpu.NEON || k < 1 {
		return false
	}
	rows64NEON(x, k, 1, 0)
	return true
}

// kernel32 is kernel64 for float32.
func kernel32(x []float32, k int) bool {
	if cpu.Current() < cpu.NEON || k < 2 {
		return false
	}
	rows32NEON(x, k, 1, 0)
	return true
}

// rowKernel transforms n rows of length 2^bits, bits in the range of limits.
func rowKernel[F num.Float](x []F, bits, n, stride int) {
	switch x := any(x).(type) {
	case []float64:
		rows64NEON(x, bits, n, stride)
	case []float32:
		rows32NEON(x, bits, n, stride)
	}
}

// columnKernel transforms, for i < n and c < width, the 2^bits elements
// x[i*stride+c], x[i*stride+c+h] …; width is a multiple of 64 bytes.
func columnKernel[F num.Float](x []F, bits, h, width, n, stride int) {
	switch x := any(x).(type) {
	case []float64:
		columns64NEON(x, bits, h, width, n, stride)
	case []float32:
		columns32NEON(x, bits, h, width, n, stride)
	}
}

// baseKernel is Base for the first width columns of x; width is a multiple of 64
// bytes.
func baseKernel[F num.Float](x []F, m, h, width int) {
	switch x := any(x).(type) {
	case []float64:
		base64NEON(x, m, h, width)
	case []float32:
		base32NEON(x, m, h, width)
	}
}

// scaleKernel multiplies x by a; len(x) is a positive multiple of 64.
func scaleKernel[F num.Float](x []F, a F) {
	switch x := any(x).(type) {
	case []float64:
		scale64NEON(x, float64(a))
	case []float32:
		scale32NEON(x, float32(a))
	}
}

//go:noescape
func rows64NEON(x []float64, bits, n, stride int)

//go:noescape
func rows32NEON(x []float32, bits, n, stride int)

//go:noescape
func columns64NEON(x []float64, bits, h, width, n, stride int)

//go:noescape
func columns32NEON(x []float32, bits, h, width, n, stride int)

//go:noescape
func base64NEON(x []float64, m, h, width int)

//go:noescape
func scale64NEON(x []float64, a float64)

//go:noescape
func base32NEON(x []float32, m, h, width int)

//go:noescape
func scale32NEON(x []float32, a float32)
