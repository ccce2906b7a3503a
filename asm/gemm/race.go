//go:build race

package gemm

import (
	"runtime"
	"unsafe"

	"github.com/gramworks/gram/num"
)

// raceTile tells the race detector what a tile reads and writes (for A with
// two strides also what lies between).
func raceTile[F num.Float](k int, a []F, ras, cas int, b []F, bs int, c []F, cs, m, n, mr, nr int) {
	var f F
	size := int(unsafe.Sizeof(f))
	for p := range k {
		runtime.RaceReadRange(unsafe.Pointer(&b[p*bs]), nr*size)
	}
	if ras == 1 {
		for p := range k {
			runtime.RaceReadRange(unsafe.Pointer(&a[p*cas]), mr*size)
		}
	} else {
		for i := range mr {
			runtime.RaceReadRange(unsafe.Pointer(&a[i*ras]), ((k-1)*cas+1)*size)
		}
	}
	for i := range m {
		runtime.RaceWriteRange(unsafe.Pointer(&c[i*cs]), n*size)
	}
}
