//go:build race

package dist

import (
	"runtime"
	"unsafe"

	"github.com/gramworks/gram"
)

// touch tells the race detector what assembly is going to read and write.
func touch[F gram.Float](dst, x, z []F, ld int) {
	if len(dst) == 0 || len(x) == 0 {
		return
	}
	size := int(unsafe.Sizeof(x[0]))
	runtime.RaceReadRange(unsafe.Pointer(unsafe.SliceData(x)), len(x)*size)
	runtime.RaceWriteRange(unsafe.Pointer(unsafe.SliceData(dst)), len(dst)*size)
	for i := range dst {
		runtime.RaceReadRange(unsafe.Pointer(&z[i*ld]), len(x)*size)
	}
}
