package haar

import (
	"math"
	"math/bits"
	"unsafe"

	"github.com/gramworks/gram/internal/race"
	"github.com/gramworks/gram/num"
)

//go:generate go run github.com/gramworks/gram/internal/neon/gen
//go:generate go run github.com/gramworks/gram/asm/gen

// Scaling chooses the diagonal c. The row of H with 2ᵏ nonzeros has c = 1,
// 2^(−k/2) or 2^(−k).
type Scaling uint8

// The values of Scaling, with c as a function of H.
const (
	Ones        Scaling = iota // c = 1: H and its transpose
	Orthonormal                // c = (HHᵀ)^−½: an orthonormal matrix and its transpose
	Inverse                    // c = (HHᵀ)⁻¹: Backward inverts Forward with Ones
)

// longRow is the largest number of elements for one call of an assembly routine,
// which cannot be preempted.
const longRow = 8192

// maxNear is the size of rows, in bytes, up to which they are taken to be in the
// first cache. For more, the next row is prefetched while one is transformed.
const maxNear = 64 << 10

// Scratch returns the number of scratch elements that rows of length d need.
func Scratch(d int) int { return max(d/2, minScratch) }

const minScratch = 16

// factors holds the scaling for the routines: first c of the first 16 elements of
// the result, then, at factor+k, c of the rows with 2ᵏ nonzeros.
type factors[F num.Float] [factor + 64]F

const factor = 16

// fill sets f for rows of length 2^l.
func (f *factors[F]) fill(s Scaling, l int) {
	for k := 0; k <= l; k++ {
		f[factor+k] = F(scale(s, k))
	}
	f[0] = f[factor+l]
	for k, q := l, 1; q < factor && k > 0; k, q = k-1, 2*q {
		for i := q; i < 2*q; i++ {
			f[i] = f[factor+k]
		}
	}
}

var (
	ones32 = allOnes[float32]()
	ones64 = allOnes[float64]()
)

func allOnes[F num.Float]() *factors[F] {
	var f factors[F]
	for i := range f {
		f[i] = 1
	}
	return &f
}

// unnormalized returns the factors for Ones, which must not be changed.
func unnormalized[F num.Float]() *factors[F] {
	if f, ok := any(ones64).(*factors[F]); ok {
		return f
	}
	return any(ones32).(*factors[F])
}

// scale returns c for the rows of H with 2ᵏ nonzeros: 1, 2^(−k/2) or 2^(−k).
func scale(s Scaling, k int) float64 {
	switch {
	case s == Ones:
		return 1
	case s == Inverse:
		return power(-k)
	case k%2 == 1:
		return math.Sqrt2 * power(-(k+1)/2)
	}
	return power(-k / 2)
}

// power returns 2^e if that is a normal number.
func power(e int) float64 { return math.Float64frombits(uint64(1023+e) << 52) }

// Forward computes, for n rows of length d, dst = diag(c)·H·src. Row i of src
// starts at element i·ss, row i of dst at i·ds. dst and src are the same rows or
// do not overlap; d is a power of two; scratch has at least Scratch(d) elements,
// overlaps neither src nor dst and is overwritten.
func Forward[F num.Float](dst []F, ds int, src []F, ss, n, d int, s Scaling, scratch []F) {
	if n <= 0 {
		return
	}
	dst, src, scratch = dst[:(n-1)*ds+d], src[:(n-1)*ss+d], scratch[:Scratch(d)]
	race.ReadRows(src, n, ss, d)
	race.WriteRows(dst, n, ds, d)
	far := n > 1 && n*d*int(unsafe.Sizeof(F(0))) > maxNear
	if s == Ones {
		forwardScaled(dst, ds, src, ss, n, d, s, scratch, unnormalized[F](), far)
		return
	}
	var f factors[F]
	f.fill(s, bits.TrailingZeros(uint(d)))
	forwardScaled(dst, ds, src, ss, n, d, s, scratch, &f, far)
}

// MaxShort is the length of the longest vector that Short takes.
const MaxShort = 256

// short32 and short64 hold the factors of vectors of up to MaxShort elements.
var (
	short32 = shortFactors[float32]()
	short64 = shortFactors[float64]()
)

// factorTable holds the factors for each scaling and logarithm of a length.
type factorTable[F num.Float] [3][9]factors[F]

func shortFactors[F num.Float]() *factorTable[F] {
	var t factorTable[F]
	for s := range t {
		for l := range t[s] {
			t[s][l].fill(Scaling(s), l)
		}
	}
	return &t
}

// Short replaces x by diag(c)·H·x or, if back, by Hᵀ·diag(c)·x. It gives the bits of
// Forward and Backward, which take longer to begin. len(x) is a power of two and at
// most MaxShort.
func Short[F num.Float](x []F, s Scaling, back bool) {
	race.Write(x)
	if len(x) <= MaxShort/4 {
		var scratch [MaxShort / 8]F // clearing it takes time
		inPlace(x, s, back, scratch[:])
		return
	}
	var scratch [MaxShort / 2]F
	inPlace(x, s, back, scratch[:])
}

// inPlace does the work of Short with at least Scratch(len(x)) elements.
func inPlace[F num.Float](x []F, s Scaling, back bool, scratch []F) {
	d := len(x)
	l := bits.TrailingZeros(uint(d))
	var f *factors[F]
	if unsafe.Sizeof(F(0)) == 8 {
		f = (*factors[F])(unsafe.Pointer(&short64[s][l]))
	} else {
		f = (*factors[F])(unsafe.Pointer(&short32[s][l]))
	}
	if back {
		backwardRows(x, d, x, d, 1, d, s, scratch, f[:])
	} else {
		forwardRows(x, d, x, d, 1, d, s, scratch, f[:], false)
	}
}

// Backward computes, for n rows of length d, dst = Hᵀ·diag(c)·src. Shapes,
// overlap and scratch are as for Forward.
func Backward[F num.Float](dst []F, ds int, src []F, ss, n, d int, s Scaling, scratch []F) {
	if n <= 0 {
		return
	}
	dst, src, scratch = dst[:(n-1)*ds+d], src[:(n-1)*ss+d], scratch[:Scratch(d)]
	race.ReadRows(src, n, ss, d)
	race.WriteRows(dst, n, ds, d)
	if s == Ones {
		backwardScaled(dst, ds, src, ss, n, d, s, scratch, unnormalized[F]())
		return
	}
	var f factors[F]
	f.fill(s, bits.TrailingZeros(uint(d)))
	backwardScaled(dst, ds, src, ss, n, d, s, scratch, &f)
}

// forwardScaled computes Forward with given factors, in calls of bounded time.
func forwardScaled[F num.Float](dst []F, ds int, src []F, ss, n, d int, s Scaling, scratch []F, f *factors[F], far bool) {
	if d <= longRow {
		for m := longRow / d; n > 0; n -= m {
			m = min(m, n)
			forwardRows(dst, ds, src, ss, m, d, s, scratch, f[:], far)
			if m < n {
				dst, src = dst[m*ds:], src[m*ss:]
			}
		}
		return
	}
	for i := range n {
		forwardLong(dst[i*ds:i*ds+d], src[i*ss:i*ss+d], s, scratch, f)
	}
}

// backwardScaled computes Backward with given factors, in calls of bounded time.
func backwardScaled[F num.Float](dst []F, ds int, src []F, ss, n, d int, s Scaling, scratch []F, f *factors[F]) {
	if d <= longRow {
		for m := longRow / d; n > 0; n -= m {
			m = min(m, n)
			backwardRows(dst, ds, src, ss, m, d, s, scratch, f[:])
			if m < n {
				dst, src = dst[m*ds:], src[m*ss:]
			}
		}
		return
	}
	for i := range n {
		backwardLong(dst[i*ds:i*ds+d], src[i*ss:i*ss+d], s, scratch, f)
	}
}

// forwardLong transforms one row of more than longRow elements. The first level
// goes from the end of the row to its start. Then each pass does three levels,
// from scratch to scratch and the row, until the rest is a short row.
func forwardLong[F num.Float](dst, src []F, s Scaling, scratch []F, f *factors[F]) {
	const pairs = longRow / 2
	h := len(src) / 2
	for i := h - pairs; i >= 0; i -= pairs {
		split(dst[h+i:][:pairs], scratch[i:][:pairs], src[2*i:][:2*pairs], f[factor+1:])
	}
	k := factor + 2
	for ; h >= longRow; h, k = h/8, k+3 {
		const m = longRow / 8
		for i := 0; i < h/8; i += m {
			split3(dst[h/2+4*i:][:4*m], dst[h/4+2*i:][:2*m], dst[h/8+i:][:m], scratch[i:][:m], scratch[8*i:][:8*m], f[k:][:3])
		}
	}
	g := *f
	copy(g[factor+1:], f[k:])
	forwardRows(dst, h, scratch, h, 1, h, s, scratch[h:], g[:], false)
}

// backwardLong does the steps of forwardLong in reverse order.
func backwardLong[F num.Float](dst, src []F, s Scaling, scratch []F, f *factors[F]) {
	const pairs = longRow / 2
	h, k := len(src)/2, factor+2
	for ; h >= longRow; h, k = h/8, k+3 {
	}
	g := *f
	copy(g[factor+1:], f[k:])
	backwardRows(scratch, h, src, h, 1, h, s, scratch[h:], g[:])
	for h < len(src)/2 {
		const m = longRow / 8
		h, k = 8*h, k-3
		for i := h/8 - m; i >= 0; i -= m {
			join3(scratch[8*i:][:8*m], src[h/2+4*i:][:4*m], src[h/4+2*i:][:2*m], src[h/8+i:][:m], scratch[i:][:m], f[k:][:3])
		}
	}
	for i := 0; i < h; i += pairs {
		join(dst[2*i:][:2*pairs], src[h+i:][:pairs], scratch[i:][:pairs], f[factor+1:])
	}
}
