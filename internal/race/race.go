//go:build race

// Package race tells the race detector which memory a kernel is going to read
// and write, because the detector does not see what assembly does. Without the
// detector its functions are empty.
package race

import (
	"runtime"
	"unsafe"

	"github.com/gramworks/gram/num"
)

// Enabled reports whether the race detector is built in.
const Enabled = true

// Read reports that all of x is read.
func Read[F num.Float](x []F) {
	if len(x) > 0 {
		runtime.RaceReadRange(unsafe.Pointer(unsafe.SliceData(x)), len(x)*int(unsafe.Sizeof(x[0])))
	}
}

// Write reports that all of x is written, and perhaps read.
func Write[F num.Float](x []F) {
	if len(x) > 0 {
		runtime.RaceWriteRange(unsafe.Pointer(unsafe.SliceData(x)), len(x)*int(unsafe.Sizeof(x[0])))
	}
}

// ReadRows reports that n rows of length d, stride apart, are read.
func ReadRows[F num.Float](x []F, n, stride, d int) {
	for i := range rows(n, d) {
		Read(x[i*stride : i*stride+d])
	}
}

// WriteRows reports that n rows of length d, stride apart, are written.
func WriteRows[F num.Float](x []F, n, stride, d int) {
	for i := range rows(n, d) {
		Write(x[i*stride : i*stride+d])
	}
}

// rows returns n, or 0 if the rows are empty and may have no memory.
func rows(n, d int) int {
	if d == 0 {
		return 0
	}
	return n
}
