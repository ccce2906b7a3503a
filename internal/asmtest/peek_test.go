package asmtest

import "unsafe"

// peek reads x[i] without a bounds check.
//
//go:nocheckptr
func peek(x []float64, i int) float64 {
	return *(*float64)(unsafe.Add(unsafe.Pointer(unsafe.SliceData(x)), 8*i))
}
