package vec

import "github.com/gramworks/gram/internal/race"

// Log64 sets dst[i] = ln(src[i]). dst has the length of src; the two are the
// same slice or do not overlap. It panics if the lengths differ.
func Log64(dst, src []float64) {
	if len(dst) != len(src) {
		panic("vec: lengths differ")
	}
	race.Read(src)
	race.Write(dst)
	for len(src) > 0 {
		n := min(len(src), maxElements)
		log64(dst[:n], src[:n])
		dst, src = dst[n:], src[n:]
	}
}

// Log32 is Log64 for float32.
func Log32(dst, src []float32) {
	if len(dst) != len(src) {
		panic("vec: lengths differ")
	}
	race.Read(src)
	race.Write(dst)
	for len(src) > 0 {
		n := min(len(src), maxElements)
		log32(dst[:n], src[:n])
		dst, src = dst[n:], src[n:]
	}
}
