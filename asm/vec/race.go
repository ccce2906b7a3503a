//go:build race

package vec

import (
	"runtime"
	"unsafe"

	"github.com/gramworks/gram"
)

// touch tells the race detector of the slices that assembly is going to write
// and read.
func touch[F gram.Float](dst, src []F) {
	if n := len(src); n > 0 {
		size := n * int(unsafe.Sizeof(src[0]))
		runtime.RaceReadRange(unsafe.Pointer(unsafe.SliceData(src)), size)
		runtime.RaceWriteRange(unsafe.Pointer(unsafe.SliceData(dst)), size)
	}
}
