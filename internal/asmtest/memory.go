package asmtest

import (
	"unsafe"

	"github.com/gramworks/gram/num"
)

// aligned returns n elements whose address is a multiple of 64 bytes.
func aligned[F num.Float](n int) []F {
	var f F
	size := int(unsafe.Sizeof(f))
	x := make([]F, n+64/size)
	skip := 0
	if r := int(uintptr(unsafe.Pointer(unsafe.SliceData(x))) % 64); r != 0 {
		skip = (64 - r) / size
	}
	return x[skip : skip+n : skip+n]
}
