package vec

import (
	"math"

	"github.com/gramworks/gram/internal/race"
	"github.com/gramworks/gram/num"
)

// SinCos sets sin[i] and cos[i] to the sine and cosine of src[i], an angle in
// radians. All have the length of src. src may be the same slice as sin or cos;
// no other overlap is allowed. It panics if the lengths differ.
func SinCos[F num.Float](sin, cos, src []F) {
	if len(sin) != len(src) || len(cos) != len(src) {
		panic("vec: lengths differ")
	}
	race.Read(src)
	race.Write(sin)
	race.Write(cos)
	for len(src) > 0 {
		n := min(len(src), maxElements)
		if sincos(sin[:n], cos[:n], src[:n]) {
			sincosLarge(sin[:n], cos[:n])
		}
		sin, cos, src = sin[n:], cos[n:], src[n:]
	}
}

// sincosLarge computes the arguments that the kernels leave out. They mark such
// an argument by writing it to both results, where it is beyond [−1, 1].
func sincosLarge[F num.Float](sin, cos []F) {
	for i, x := range sin {
		if x > 1 || x < -1 {
			s, c := math.Sincos(float64(x))
			sin[i], cos[i] = F(s), F(c)
		}
	}
}
