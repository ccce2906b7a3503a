//go:build race

package seeds

import (
	"runtime"
	"unsafe"

	"github.com/gramworks/gram"
)

// reads and writes tell the race detector what assembly is going to touch.
func reads[F gram.Float](x []F) {
	runtime.RaceReadRange(unsafe.Pointer(unsafe.SliceData(x)), len(x)*int(unsafe.Sizeof(*new(F))))
}

func writes[F gram.Float](x []F) {
	runtime.RaceWriteRange(unsafe.Pointer(unsafe.SliceData(x)), len(x)*int(unsafe.Sizeof(*new(F))))
}
