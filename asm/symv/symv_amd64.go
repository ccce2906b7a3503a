//go:build !noasm

package symv

import (
	"unsafe"

	"github.com/gramworks/gram/asm/cpu"
)

var levels = []cpu.Level{cpu.AVX2, cpu.AVX512}

// The kernels of Panel for n > 0 elements, a multiple of the vector's for AVX2.
// The sums are left in lanes, four vectors.

//go:noescape
func panel64AVX512(n int, a *float64, lda int, x, y *float64, xr *[4]float64, lanes *[32]float64)

//go:noescape
func panel32AVX512(n int, a *float32, lda int, x, y *float32, xr *[4]float32, lanes *[64]float32)

//go:noescape
func panel64AVX2(n int, a *float64, lda int, x, y *float64, xr *[4]float64, lanes *[32]float64)

//go:noescape
func panel32AVX2(n int, a *float32, lda int, x, y *float32, xr *[4]float32, lanes *[64]float32)

func panel64(n int, a *float64, lda int, x, y *float64, xr, s *[4]float64) {
	var lanes [32]float64
	width, done := 8, n
	switch l := cpu.Current(); {
	case l >= cpu.AVX512:
		panel64AVX512(n, a, lda, x, y, xr, &lanes)
	case l >= cpu.AVX2:
		width, done = 4, n&^3
		if done > 0 {
			panel64AVX2(done, a, lda, x, y, xr, &lanes)
		}
	default:
		done = 0
	}
	for r := range s {
		for _, v := range lanes[r*width : (r+1)*width] {
			s[r] += v
		}
	}
	if done < n {
		step := uintptr(done) * unsafe.Sizeof(*a)
		panelGeneric(n-done, (*float64)(unsafe.Add(unsafe.Pointer(a), step)), lda, (*float64)(unsafe.Add(unsafe.Pointer(x), step)),
			(*float64)(unsafe.Add(unsafe.Pointer(y), step)), xr, s)
	}
}

func panel32(n int, a *float32, lda int, x, y *float32, xr, s *[4]float32) {
	var lanes [64]float32
	width, done := 16, n
	switch l := cpu.Current(); {
	case l >= cpu.AVX512:
		panel32AVX512(n, a, lda, x, y, xr, &lanes)
	case l >= cpu.AVX2:
		width, done = 8, n&^7
		if done > 0 {
			panel32AVX2(done, a, lda, x, y, xr, &lanes)
		}
	default:
		done = 0
	}
	for r := range s {
		for _, v := range lanes[r*width : (r+1)*width] {
			s[r] += v
		}
	}
	if done < n {
		step := uintptr(done) * unsafe.Sizeof(*a)
		panelGeneric(n-done, (*float32)(unsafe.Add(unsafe.Pointer(a), step)), lda, (*float32)(unsafe.Add(unsafe.Pointer(x), step)),
			(*float32)(unsafe.Add(unsafe.Pointer(y), step)), xr, s)
	}
}
