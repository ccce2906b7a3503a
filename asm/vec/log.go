package vec

import (
	"github.com/gramworks/gram/internal/race"
	"github.com/gramworks/gram/num"
)

// Log sets dst[i] = ln(src[i]). dst has the length of src and is the same slice
// or does not overlap it. It panics if the lengths differ.
func Log[F num.Float](dst, src []F) {
	if len(dst) != len(src) {
		panic("vec: lengths differ")
	}
	race.Read(src)
	race.Write(dst)
	for len(src) > 0 {
		n := min(len(src), maxElements)
		log(dst[:n], src[:n])
		dst, src = dst[n:], src[n:]
	}
}
