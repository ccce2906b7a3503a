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

// Whole3 reports whether Split3 and Join3 take vectors of length n.
func Whole3(n int) bool { return n > 0 && n%(8*16) == 0 }

// Split3 does three levels of Forward, as Split would one after the other with the factors of c, reading x once: of 8·len(s) elements d1 gets
// half as many differences, d2 a quarter, d3 an eighth and s the sums. x has a length of which Whole3 reports true; nothing overlaps.
func Split3[F num.Float](d1, d2, d3, s, x []F, c *[3]F) {
	n := len(s)
	d1, d2, d3, x = d1[:4*n], d2[:2*n], d3[:n], x[:8*n]
	race.Read(x)
	for _, y := range [][]F{d1, d2, d3, s} {
		race.Write(y)
	}
	const m = longRow / 8
	for lo := 0; lo < n; lo += m {
		hi := min(lo+m, n)
		split3(d1[4*lo:4*hi], d2[2*lo:2*hi], d3[lo:hi], s[lo:hi], x[8*lo:8*hi], c[:])
	}
}

// Join3 does three levels of Backward, with the operands of Split3.
func Join3[F num.Float](x, d1, d2, d3, s []F, c *[3]F) {
	n := len(s)
	d1, d2, d3, x = d1[:4*n], d2[:2*n], d3[:n], x[:8*n]
	for _, y := range [][]F{d1, d2, d3, s} {
		race.Read(y)
	}
	race.Write(x)
	const m = longRow / 8
	for lo := 0; lo < n; lo += m {
		hi := min(lo+m, n)
		join3(x[8*lo:8*hi], d1[4*lo:4*hi], d2[2*lo:2*hi], d3[lo:hi], s[lo:hi], c[:])
	}
}

// LevelFactor returns the factor of the differences of one level in Forward and Backward: that of the rows with
// 2^level nonzeros.
func LevelFactor(s Scaling, level int) float64 { return scale(s, level) }
