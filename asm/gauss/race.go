//go:build race

package gauss

import (
	"runtime"
	"unsafe"

	"github.com/gramworks/gram"
)

// touch tells the race detector of the n rows of length d at distance stride
// that assembly is going to read or write.
func touch[F gram.Float](x []F, n, stride, d int, write bool) {
	for i := range n {
		row := x[i*stride : i*stride+d]
		at, size := unsafe.Pointer(unsafe.SliceData(row)), d*int(unsafe.Sizeof(row[0]))
		if write {
			runtime.RaceWriteRange(at, size)
		} else {
			runtime.RaceReadRange(at, size)
		}
	}
}
