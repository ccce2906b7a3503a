package symv

import (
	"github.com/gramworks/gram/internal/race"
	"unsafe"

	"github.com/gramworks/gram/num"
)

// Panel returns s[r] = Σⱼ a[r·lda+j]·x[j] for four rows of n = len(x) elements
// and adds Σᵣ xr[r]·a[r·lda+j] to y[j]. len(y) must be n; a, x and y must not
// overlap.
func Panel[F num.Float](a []F, lda int, x, y []F, xr *[4]F) (s [4]F) {
	n := len(x)
	if len(y) != n {
		panic("symv: lengths differ")
	}
	if n == 0 {
		return s
	}
	_ = a[3*lda+n-1]
	race.ReadRows(a, 4, lda, len(x))
	race.Read(x)
	race.Write(y)
	var f F
	if unsafe.Sizeof(f) == 4 {
		panel32(n, (*float32)(unsafe.Pointer(&a[0])), lda, (*float32)(unsafe.Pointer(&x[0])), (*float32)(unsafe.Pointer(&y[0])),
			(*[4]float32)(unsafe.Pointer(xr)), (*[4]float32)(unsafe.Pointer(&s)))
		return s
	}
	panel64(n, (*float64)(unsafe.Pointer(&a[0])), lda, (*float64)(unsafe.Pointer(&x[0])), (*float64)(unsafe.Pointer(&y[0])),
		(*[4]float64)(unsafe.Pointer(xr)), (*[4]float64)(unsafe.Pointer(&s)))
	return s
}
