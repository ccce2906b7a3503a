//go:build race

package hadamard

import (
	"runtime"
	"unsafe"

	"github.com/gramworks/gram"
)

// touch tells the race detector of the n rows of length d at distance stride
// that assembly is going to read and write.
func touch[F gram.Float](x []F, n, d, stride int) {
	for i := range n {
		row := x[i*stride : i*stride+d]
		runtime.RaceWriteRange(unsafe.Pointer(unsafe.SliceData(row)), d*int(unsafe.Sizeof(row[0])))
	}
}
