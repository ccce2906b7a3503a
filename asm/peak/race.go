//go:build race

package peak

import (
	"runtime"
	"unsafe"

	"github.com/gramworks/gram"
)

// reads and writes tell the race detector what assembly is going to touch.
func reads[F gram.Float](x []F) {
	if len(x) > 0 {
		runtime.RaceReadRange(unsafe.Pointer(unsafe.SliceData(x)), len(x)*int(unsafe.Sizeof(x[0])))
	}
}

func writes[F gram.Float](x []F) {
	if len(x) > 0 {
		runtime.RaceWriteRange(unsafe.Pointer(unsafe.SliceData(x)), len(x)*int(unsafe.Sizeof(x[0])))
	}
}
