//go:build !noasm

package hadamard

import (
	"github.com/gramworks/gram/asm/cpu"
	"github.com/gramworks/gram/num"
)

var levels = []cpu.Level{cpu.AVX2, cpu.AVX512}

func limits[F num.Float]() caps {
	k := 0
	if line[F]() == 16 {
		k = 1
	}
	switch l := cpu.Current(); {
	case l >= cpu.AVX512:
		return caps{2 + k, 8 + k, 4}
	case l >= cpu.AVX2:
		return caps{2 + k, 7 + k, 4}
	default:
		return caps{}
	}
}

// small64 and small32 are the logarithms of the largest lengths that kernel64
// and kernel32 take.
const (
	small64 = 11
	small32 = 12
)

// kernel64 transforms x of length 2^k, if the level in force can with the rows
// and then the columns of one matrix. It does what whole does, with less to
// decide: half the time of a short vector would go there.
func kernel64(x []float64, k int) bool {
	switch l := cpu.Current(); {
	case l >= cpu.AVX512 && k >= 3:
		if k <= 8 {
			rows64AVX512(x, k, 1, 0)
			return true
		}
		rows64AVX512(x, 7, 1<<(k-7), 1<<7)
		columns64AVX512(x, k-7, 1<<7, 1<<7, 1, 0)
		return true
	case l >= cpu.AVX2 && 2 <= k && k <= 10:
		if k <= 7 {
			rows64AVX2(x, k, 1, 0)
			return true
		}
		rows64AVX2(x, 6, 1<<(k-6), 1<<6)
		columns64AVX2(x, k-6, 1<<6, 1<<6, 1, 0)
		return true
	}
	return false
}

// kernel32 is kernel64 for float32.
func kernel32(x []float32, k int) bool {
	switch l := cpu.Current(); {
	case l >= cpu.AVX512 && k >= 4:
		if k <= 9 {
			rows32AVX512(x, k, 1, 0)
			return true
		}
		rows32AVX512(x, 8, 1<<(k-8), 1<<8)
		columns32AVX512(x, k-8, 1<<8, 1<<8, 1, 0)
		return true
	case l >= cpu.AVX2 && 3 <= k && k <= 11:
		if k <= 8 {
			rows32AVX2(x, k, 1, 0)
			return true
		}
		rows32AVX2(x, 7, 1<<(k-7), 1<<7)
		columns32AVX2(x, k-7, 1<<7, 1<<7, 1, 0)
		return true
	}
	return false
}

// rowKernel transforms n rows of length 2^bits, bits in the range of limits.
func rowKernel[F num.Float](x []F, bits, n, stride int) {
	wide := cpu.Current() >= cpu.AVX512
	switch x := any(x).(type) {
	case []float64:
		if wide && bits >= 3 {
			rows64AVX512(x, bits, n, stride)
		} else {
			rows64AVX2(x, bits, n, stride)
		}
	case []float32:
		if wide && bits >= 4 {
			rows32AVX512(x, bits, n, stride)
		} else {
			rows32AVX2(x, bits, n, stride)
		}
	}
}

// columnKernel transforms, for i < n and c < width, the 2^bits elements
// x[i*stride+c], x[i*stride+c+h] …; width is a multiple of 64 bytes.
func columnKernel[F num.Float](x []F, bits, h, width, n, stride int) {
	wide := cpu.Current() >= cpu.AVX512
	switch x := any(x).(type) {
	case []float64:
		if wide {
			columns64AVX512(x, bits, h, width, n, stride)
		} else {
			columns64AVX2(x, bits, h, width, n, stride)
		}
	case []float32:
		if wide {
			columns32AVX512(x, bits, h, width, n, stride)
		} else {
			columns32AVX2(x, bits, h, width, n, stride)
		}
	}
}

// baseKernel is Base for the first width columns of x; width is a multiple of 64
// bytes.
func baseKernel[F num.Float](x []F, m, h, width int) {
	wide := cpu.Current() >= cpu.AVX512
	switch x := any(x).(type) {
	case []float64:
		if wide {
			base64AVX512(x, m, h, width)
		} else {
			base64AVX2(x, m, h, width)
		}
	case []float32:
		if wide {
			base32AVX512(x, m, h, width)
		} else {
			base32AVX2(x, m, h, width)
		}
	}
}

// scaleKernel multiplies x by a; len(x) is a positive multiple of 64.
func scaleKernel[F num.Float](x []F, a F) {
	wide := cpu.Current() >= cpu.AVX512
	switch x := any(x).(type) {
	case []float64:
		if wide {
			scale64AVX512(x, float64(a))
		} else {
			scale64AVX2(x, float64(a))
		}
	case []float32:
		if wide {
			scale32AVX512(x, float32(a))
		} else {
			scale32AVX2(x, float32(a))
		}
	}
}

//go:noescape
func rows64AVX2(x []float64, bits, n, stride int)

//go:noescape
func rows64AVX512(x []float64, bits, n, stride int)

//go:noescape
func rows32AVX2(x []float32, bits, n, stride int)

//go:noescape
func rows32AVX512(x []float32, bits, n, stride int)

//go:noescape
func columns64AVX2(x []float64, bits, h, width, n, stride int)

//go:noescape
func columns64AVX512(x []float64, bits, h, width, n, stride int)

//go:noescape
func columns32AVX2(x []float32, bits, h, width, n, stride int)

//go:noescape
func columns32AVX512(x []float32, bits, h, width, n, stride int)

//go:noescape
func base64AVX2(x []float64, m, h, width int)

//go:noescape
func scale64AVX2(x []float64, a float64)

//go:noescape
func base64AVX512(x []float64, m, h, width int)

//go:noescape
func scale64AVX512(x []float64, a float64)

//go:noescape
func base32AVX2(x []float32, m, h, width int)

//go:noescape
func scale32AVX2(x []float32, a float32)

//go:noescape
func base32AVX512(x []float32, m, h, width int)

//go:noescape
func scale32AVX512(x []float32, a float32)
