package haar

import (
	"unsafe"

	"github.com/gramworks/gram/internal/race"
	"github.com/gramworks/gram/num"
)

// wholePairs returns the number of pairs of which the routines of one level take multiples:
// four of the widest vectors.
func wholePairs[F num.Float]() int { return 256 / int(unsafe.Sizeof(F(0))) }

// Split does one level of Forward for any number of pairs, from the last to the first: s[i] = x[2i] +
// x[2i+1] and d[i] = (x[2i] − x[2i+1])·c. s decides how many; it overlaps neither d nor x. d overlaps x only
// where it is the half of x behind the first len(s) elements.
func Split[F num.Float](d, s, x []F, c F) {
	n := len(s)
	d, x = d[:n], x[:2*n]
	race.Read(x)
	race.Write(s)
	race.Write(d)
	hi := n &^ (wholePairs[F]() - 1)
	splitGeneric(d[hi:], s[hi:], x[2*hi:], c)
	f := [...]F{c}
	for hi > 0 {
		lo := max(0, hi-longRow/2)
		split(d[lo:hi], s[lo:hi], x[2*lo:2*hi], f[:])
		hi = lo
	}
}

// Join does one level of Backward for any number of pairs, from the first to the last: x[2i] and x[2i+1]
// become s[i] ± d[i]·c. What may overlap is what may in Split.
func Join[F num.Float](x, d, s []F, c F) {
	n := len(s)
	d, x = d[:n], x[:2*n]
	race.Read(s)
	race.Read(d)
	race.Write(x)
	whole := n &^ (wholePairs[F]() - 1)
	f := [...]F{c}
	for lo := 0; lo < whole; {
		hi := min(lo+longRow/2, whole)
		join(x[2*lo:2*hi], d[lo:hi], s[lo:hi], f[:])
		lo = hi
	}
	joinGeneric(x[2*whole:], d[whole:], s[whole:], c)
}

// LevelFactor returns the factor of the differences of one level in Forward and Backward: that of the rows with
// 2^level nonzeros.
func LevelFactor(s Scaling, level int) float64 { return scale(s, level) }
