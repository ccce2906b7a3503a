//go:build race

package level2

import (
	"runtime"
	"unsafe"

	"github.com/gramworks/gram"
)

// The touch functions tell the race detector what assembly is going to read and
// write.

func touchRead[F gram.Float](x []F) {
	if len(x) > 0 {
		runtime.RaceReadRange(unsafe.Pointer(unsafe.SliceData(x)), len(x)*int(unsafe.Sizeof(x[0])))
	}
}

func touchWrite[F gram.Float](x []F) {
	if len(x) > 0 {
		runtime.RaceWriteRange(unsafe.Pointer(unsafe.SliceData(x)), len(x)*int(unsafe.Sizeof(x[0])))
	}
}

// touchRows is for m rows of n elements.
func touchRows[F gram.Float](a []F, m, n, lda int, write bool) {
	for i := range m {
		if n == 0 {
			return
		}
		if row := a[i*lda : i*lda+n]; write {
			touchWrite(row)
		} else {
			touchRead(row)
		}
	}
}
