package peak

import (
	"github.com/gramworks/gram/internal/race"
	"github.com/gramworks/gram/num"
)

const (
	maxRounds = 4096     // per call of an assembly loop: some 40 µs
	maxBytes  = 64 << 10 // likewise for the loops over memory
)

// Width returns the number that lengths passed to FMA, Add and Mix must be a
// multiple of: 192 for float64, 384 for float32.
func Width[F num.Float]() int {
	var f F
	if _, ok := any(f).(float32); ok {
		return 384
	}
	return 192
}

// FMA adds a·b to every element of x, rounds times: 2·rounds·len(x) flops. It
// panics if len(x) is not a multiple of Width.
func FMA[F num.Float](x []F, a, b F, rounds int) {
	checkWidth[F](len(x))
	race.Write(x)
	for w := Width[F](); len(x) > 0; x = x[w:] {
		for left := rounds; left > 0; left -= maxRounds {
			switch x := any(x[:w:w]).(type) {
			case []float32:
				fma32(x, float32(a), float32(b), min(left, maxRounds))
			case []float64:
				fma64(x, float64(a), float64(b), min(left, maxRounds))
			}
		}
	}
}

// Add adds b to every element of x, rounds times: rounds·len(x) flops. It
// panics if len(x) is not a multiple of Width.
func Add[F num.Float](x []F, b F, rounds int) {
	checkWidth[F](len(x))
	race.Write(x)
	for w := Width[F](); len(x) > 0; x = x[w:] {
		for left := rounds; left > 0; left -= maxRounds {
			switch x := any(x[:w:w]).(type) {
			case []float32:
				add32(x, float32(b), min(left, maxRounds))
			case []float64:
				add64(x, float64(b), min(left, maxRounds))
			}
		}
	}
}

// Mix adds b and a·b to every element of x, rounds times: as many additions as
// multiply-adds, rounds·len(x) of each. Where the two have units of their own it
// does more additions a second than Add, if a multiply-add by one is taken for
// an addition. It panics if len(x) is not a multiple of Width.
func Mix[F num.Float](x []F, a, b F, rounds int) {
	checkWidth[F](len(x))
	race.Write(x)
	for w := Width[F](); len(x) > 0; x = x[w:] {
		for left := rounds; left > 0; left -= maxRounds {
			switch x := any(x[:w:w]).(type) {
			case []float32:
				mix32(x, float32(a), float32(b), min(left, maxRounds))
			case []float64:
				mix64(x, float64(a), float64(b), min(left, maxRounds))
			}
		}
	}
}

// Sum returns the sum of x.
func Sum[F num.Float](x []F) F {
	race.Read(x)
	var s F
	for k := chunk[F](); len(x) > 0; {
		c := min(k, len(x))
		switch x := any(x[:c]).(type) {
		case []float32:
			s += F(sum32(x))
		case []float64:
			s += F(sum64(x))
		}
		x = x[c:]
	}
	return s
}

// Copy copies src to dst. It panics if the lengths differ.
func Copy[F num.Float](dst, src []F) {
	if len(dst) != len(src) {
		panic("peak: lengths differ")
	}
	race.Read(src)
	race.Write(dst)
	for k := chunk[F](); len(src) > 0; {
		c := min(k, len(src))
		switch d := any(dst[:c]).(type) {
		case []float32:
			copy32(d, any(src[:c]).([]float32))
		case []float64:
			copy64(d, any(src[:c]).([]float64))
		}
		dst, src = dst[c:], src[c:]
	}
}

// Shift adds b to every element of x.
func Shift[F num.Float](x []F, b F) {
	race.Write(x)
	for k := chunk[F](); len(x) > 0; {
		c := min(k, len(x))
		switch x := any(x[:c]).(type) {
		case []float32:
			shift32(x, float32(b))
		case []float64:
			shift64(x, float64(b))
		}
		x = x[c:]
	}
}

// Fill sets every element of dst to v.
func Fill[F num.Float](dst []F, v F) {
	race.Write(dst)
	for k := chunk[F](); len(dst) > 0; {
		c := min(k, len(dst))
		switch d := any(dst[:c]).(type) {
		case []float32:
			fill32(d, float32(v))
		case []float64:
			fill64(d, float64(v))
		}
		dst = dst[c:]
	}
}

// Stream sets every element of dst to v with stores that leave the caches
// alone, where the level has them.
func Stream[F num.Float](dst []F, v F) {
	race.Write(dst)
	for k := chunk[F](); len(dst) > 0; {
		c := min(k, len(dst))
		switch d := any(dst[:c]).(type) {
		case []float32:
			stream32(d, float32(v))
		case []float64:
			stream64(d, float64(v))
		}
		dst = dst[c:]
	}
}

func checkWidth[F num.Float](n int) {
	if n%Width[F]() != 0 {
		panic("peak: length is not a multiple of Width")
	}
}

func chunk[F num.Float]() int {
	var f F
	if _, ok := any(f).(float32); ok {
		return maxBytes / 4
	}
	return maxBytes / 8
}
