//go:build !noasm

package gemm

import "github.com/gramworks/gram/asm/cpu"

// The kernels of Peak.

//go:noescape
func peakAVX2(n int)

//go:noescape
func peakAVX512(n int)

func peak(n int) (flops float64) {
	switch l := cpu.Current(); {
	case l >= cpu.AVX512:
		peakAVX512(n)
		return 2 * 12 * 8 * float64(n)
	case l >= cpu.AVX2:
		peakAVX2(n)
		return 2 * 12 * 4 * float64(n)
	}
	return peakGeneric(n)
}
