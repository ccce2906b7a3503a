//go:build race

package haar

import (
	"runtime"
	"unsafe"

	"github.com/gramworks/gram"
)

// touch tells the race detector that assembly is going to read n rows of length
// d of src and to write as many of dst.
func touch[F gram.Float](dst []F, ds int, src []F, ss, n, d int) {
	size := int(unsafe.Sizeof(*new(F)))
	for i := range n {
		runtime.RaceReadRange(unsafe.Pointer(&src[i*ss]), d*size)
		runtime.RaceWriteRange(unsafe.Pointer(&dst[i*ds]), d*size)
	}
}
