//go:build race

package symv

import (
	"runtime"
	"unsafe"

	"github.com/gramworks/gram"
)

// racePanel tells the race detector what Panel reads and writes.
func racePanel[F gram.Float](a []F, lda int, x, y []F) {
	bytes := len(x) * int(unsafe.Sizeof(x[0]))
	for r := range 4 {
		runtime.RaceReadRange(unsafe.Pointer(&a[r*lda]), bytes)
	}
	runtime.RaceReadRange(unsafe.Pointer(&x[0]), bytes)
	runtime.RaceWriteRange(unsafe.Pointer(&y[0]), bytes)
}
