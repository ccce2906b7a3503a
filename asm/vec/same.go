package vec

import "github.com/gramworks/gram/internal/race"

// SameExp is Exp with the same bits at every level and on every machine: those of the level generic, where no product
// and sum are fused. Lengths and overlap are as in Exp.
func SameExp(dst, src []float64) {
	pair(dst, src)
	for len(src) > 0 {
		n := min(len(src), maxElements)
		done := sameExp(dst[:n], src[:n])
		end := min(done+4, n)
		exp64Generic(dst[done:end], src[done:end], 1, lnMin64)
		dst, src = dst[end:], src[end:]
	}
}

// SameLog is Log with the same bits at every level and on every machine: those of the level generic, where no product
// and sum are fused. Lengths and overlap are as in Log.
func SameLog(dst, src []float64) {
	pair(dst, src)
	for len(src) > 0 {
		n := min(len(src), maxElements)
		done := sameLog(dst[:n], src[:n])
		end := min(done+4, n)
		log64Generic(dst[done:end], src[done:end])
		dst, src = dst[end:], src[end:]
	}
}

// pair panics if the lengths differ, and reports both slices to the race detector.
func pair(dst, src []float64) {
	if len(dst) != len(src) {
		panic("vec: lengths differ")
	}
	race.Read(src)
	race.Write(dst)
}

// sameExpGeneric does all elements. The variants do vectors of four, and return how many elements are done where less than a
// vector is left, or where one has an element beyond ±708 or NaN.
func sameExpGeneric(dst, src []float64) int {
	exp64Generic(dst, src, 1, lnMin64)
	return len(src)
}

// sameLogGeneric does all elements. The variants do vectors of four, and return how many elements are done where less than a
// vector is left, or where one has an element that is not a positive, normal and finite number.
func sameLogGeneric(dst, src []float64) int {
	log64Generic(dst, src)
	return len(src)
}
