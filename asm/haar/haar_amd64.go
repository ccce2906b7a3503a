//go:build !noasm

package haar

import (
	"github.com/gramworks/gram/asm/cpu"
	"github.com/gramworks/gram/num"
)

var levels = []cpu.Level{cpu.AVX2, cpu.AVX512}

//go:noescape
func forward64AVX2(dst, src *float64, n, d, ds, ss int, scratch, f *float64)

//go:noescape
func forward32AVX2(dst, src *float32, n, d, ds, ss int, scratch, f *float32)

//go:noescape
func forwardScaled64AVX2(dst, src *float64, n, d, ds, ss int, scratch, f *float64)

//go:noescape
func forwardScaled32AVX2(dst, src *float32, n, d, ds, ss int, scratch, f *float32)

//go:noescape
func backward64AVX2(dst, src *float64, n, d, ds, ss int, scratch, f *float64)

//go:noescape
func backward32AVX2(dst, src *float32, n, d, ds, ss int, scratch, f *float32)

//go:noescape
func backwardScaled64AVX2(dst, src *float64, n, d, ds, ss int, scratch, f *float64)

//go:noescape
func backwardScaled32AVX2(dst, src *float32, n, d, ds, ss int, scratch, f *float32)

//go:noescape
func split64AVX2(d, s, x *float64, pairs int, c float64)

//go:noescape
func split364AVX2(d1, d2, d3, s, x *float64, m int, c *float64)

//go:noescape
func join64AVX2(x, d, s *float64, pairs int, c float64)

//go:noescape
func join364AVX2(x, d1, d2, d3, s *float64, m int, c *float64)

//go:noescape
func split32AVX2(d, s, x *float32, pairs int, c float32)

//go:noescape
func split332AVX2(d1, d2, d3, s, x *float32, m int, c *float32)

//go:noescape
func join32AVX2(x, d, s *float32, pairs int, c float32)

//go:noescape
func join332AVX2(x, d1, d2, d3, s *float32, m int, c *float32)

//go:noescape
func forward64AVX512(dst, src *float64, n, d, ds, ss int, scratch, f *float64)

//go:noescape
func forward32AVX512(dst, src *float32, n, d, ds, ss int, scratch, f *float32)

//go:noescape
func forwardScaled64AVX512(dst, src *float64, n, d, ds, ss int, scratch, f *float64)

//go:noescape
func forwardScaled32AVX512(dst, src *float32, n, d, ds, ss int, scratch, f *float32)

//go:noescape
func backward64AVX512(dst, src *float64, n, d, ds, ss int, scratch, f *float64)

//go:noescape
func backward32AVX512(dst, src *float32, n, d, ds, ss int, scratch, f *float32)

//go:noescape
func backwardScaled64AVX512(dst, src *float64, n, d, ds, ss int, scratch, f *float64)

//go:noescape
func backwardScaled32AVX512(dst, src *float32, n, d, ds, ss int, scratch, f *float32)

//go:noescape
func split64AVX512(d, s, x *float64, pairs int, c float64)

//go:noescape
func split364AVX512(d1, d2, d3, s, x *float64, m int, c *float64)

//go:noescape
func join64AVX512(x, d, s *float64, pairs int, c float64)

//go:noescape
func join364AVX512(x, d1, d2, d3, s *float64, m int, c *float64)

//go:noescape
func split32AVX512(d, s, x *float32, pairs int, c float32)

//go:noescape
func split332AVX512(d1, d2, d3, s, x *float32, m int, c *float32)

//go:noescape
func join32AVX512(x, d, s *float32, pairs int, c float32)

//go:noescape
func join332AVX512(x, d1, d2, d3, s *float32, m int, c *float32)

// forwardRows is forward for at most longRow elements in all.
func forwardRows[F num.Float](dst []F, ds int, src []F, ss, n, d int, s Scaling, scratch []F, f *factors[F]) {
	switch dst := any(dst).(type) {
	case []float64:
		forwardRows64(dst, ds, any(src).([]float64), ss, n, d, s, any(scratch).([]float64), any(f).(*factors[float64]))
	case []float32:
		forwardRows32(dst, ds, any(src).([]float32), ss, n, d, s, any(scratch).([]float32), any(f).(*factors[float32]))
	}
}

func forwardRows64(dst []float64, ds int, src []float64, ss, n, d int, s Scaling, scratch []float64, f *factors[float64]) {
	switch l := cpu.Current(); {
	case l >= cpu.AVX512 && d >= 2 && s == Ones:
		forward64AVX512(&dst[0], &src[0], n, d, ds, ss, &scratch[0], &f[0])
	case l >= cpu.AVX512 && d >= 2:
		forwardScaled64AVX512(&dst[0], &src[0], n, d, ds, ss, &scratch[0], &f[0])
	case l >= cpu.AVX2 && d >= 4 && s == Ones:
		forward64AVX2(&dst[0], &src[0], n, d, ds, ss, &scratch[0], &f[0])
	case l >= cpu.AVX2 && d >= 4:
		forwardScaled64AVX2(&dst[0], &src[0], n, d, ds, ss, &scratch[0], &f[0])
	default:
		forwardGeneric(dst, ds, src, ss, n, d, scratch, f)
	}
}

func forwardRows32(dst []float32, ds int, src []float32, ss, n, d int, s Scaling, scratch []float32, f *factors[float32]) {
	switch l := cpu.Current(); {
	case l >= cpu.AVX512 && d >= 2 && s == Ones:
		forward32AVX512(&dst[0], &src[0], n, d, ds, ss, &scratch[0], &f[0])
	case l >= cpu.AVX512 && d >= 2:
		forwardScaled32AVX512(&dst[0], &src[0], n, d, ds, ss, &scratch[0], &f[0])
	case l >= cpu.AVX2 && d >= 8 && s == Ones:
		forward32AVX2(&dst[0], &src[0], n, d, ds, ss, &scratch[0], &f[0])
	case l >= cpu.AVX2 && d >= 8:
		forwardScaled32AVX2(&dst[0], &src[0], n, d, ds, ss, &scratch[0], &f[0])
	default:
		forwardGeneric(dst, ds, src, ss, n, d, scratch, f)
	}
}

// backwardRows is backward for at most longRow elements in all.
func backwardRows[F num.Float](dst []F, ds int, src []F, ss, n, d int, s Scaling, scratch []F, f *factors[F]) {
	switch dst := any(dst).(type) {
	case []float64:
		backwardRows64(dst, ds, any(src).([]float64), ss, n, d, s, any(scratch).([]float64), any(f).(*factors[float64]))
	case []float32:
		backwardRows32(dst, ds, any(src).([]float32), ss, n, d, s, any(scratch).([]float32), any(f).(*factors[float32]))
	}
}

func backwardRows64(dst []float64, ds int, src []float64, ss, n, d int, s Scaling, scratch []float64, f *factors[float64]) {
	switch l := cpu.Current(); {
	case l >= cpu.AVX512 && d >= 2 && s == Ones:
		backward64AVX512(&dst[0], &src[0], n, d, ds, ss, &scratch[0], &f[0])
	case l >= cpu.AVX512 && d >= 2:
		backwardScaled64AVX512(&dst[0], &src[0], n, d, ds, ss, &scratch[0], &f[0])
	case l >= cpu.AVX2 && d >= 4 && s == Ones:
		backward64AVX2(&dst[0], &src[0], n, d, ds, ss, &scratch[0], &f[0])
	case l >= cpu.AVX2 && d >= 4:
		backwardScaled64AVX2(&dst[0], &src[0], n, d, ds, ss, &scratch[0], &f[0])
	default:
		backwardGeneric(dst, ds, src, ss, n, d, scratch, f)
	}
}

func backwardRows32(dst []float32, ds int, src []float32, ss, n, d int, s Scaling, scratch []float32, f *factors[float32]) {
	switch l := cpu.Current(); {
	case l >= cpu.AVX512 && d >= 2 && s == Ones:
		backward32AVX512(&dst[0], &src[0], n, d, ds, ss, &scratch[0], &f[0])
	case l >= cpu.AVX512 && d >= 2:
		backwardScaled32AVX512(&dst[0], &src[0], n, d, ds, ss, &scratch[0], &f[0])
	case l >= cpu.AVX2 && d >= 8 && s == Ones:
		backward32AVX2(&dst[0], &src[0], n, d, ds, ss, &scratch[0], &f[0])
	case l >= cpu.AVX2 && d >= 8:
		backwardScaled32AVX2(&dst[0], &src[0], n, d, ds, ss, &scratch[0], &f[0])
	default:
		backwardGeneric(dst, ds, src, ss, n, d, scratch, f)
	}
}

// split is splitGeneric for longRow elements of x.
func split[F num.Float](d, s, x []F, c F) {
	switch l := cpu.Current(); {
	case l >= cpu.AVX512:
		switch d := any(d).(type) {
		case []float64:
			split64AVX512(&d[0], &any(s).([]float64)[0], &any(x).([]float64)[0], len(s), float64(c))
		case []float32:
			split32AVX512(&d[0], &any(s).([]float32)[0], &any(x).([]float32)[0], len(s), float32(c))
		}
	case l >= cpu.AVX2:
		switch d := any(d).(type) {
		case []float64:
			split64AVX2(&d[0], &any(s).([]float64)[0], &any(x).([]float64)[0], len(s), float64(c))
		case []float32:
			split32AVX2(&d[0], &any(s).([]float32)[0], &any(x).([]float32)[0], len(s), float32(c))
		}
	default:
		splitGeneric(d, s, x, c)
	}
}

// split3 is split3Generic for longRow elements of x.
func split3[F num.Float](d1, d2, d3, s, x, c []F) {
	switch l := cpu.Current(); {
	case l >= cpu.AVX512:
		switch d1 := any(d1).(type) {
		case []float64:
			split364AVX512(&d1[0], &any(d2).([]float64)[0], &any(d3).([]float64)[0], &any(s).([]float64)[0], &any(x).([]float64)[0], len(s), &any(c).([]float64)[0])
		case []float32:
			split332AVX512(&d1[0], &any(d2).([]float32)[0], &any(d3).([]float32)[0], &any(s).([]float32)[0], &any(x).([]float32)[0], len(s), &any(c).([]float32)[0])
		}
	case l >= cpu.AVX2:
		switch d1 := any(d1).(type) {
		case []float64:
			split364AVX2(&d1[0], &any(d2).([]float64)[0], &any(d3).([]float64)[0], &any(s).([]float64)[0], &any(x).([]float64)[0], len(s), &any(c).([]float64)[0])
		case []float32:
			split332AVX2(&d1[0], &any(d2).([]float32)[0], &any(d3).([]float32)[0], &any(s).([]float32)[0], &any(x).([]float32)[0], len(s), &any(c).([]float32)[0])
		}
	default:
		split3Generic(d1, d2, d3, s, x, c)
	}
}

// join is joinGeneric for longRow elements of x.
func join[F num.Float](x, d, s []F, c F) {
	switch l := cpu.Current(); {
	case l >= cpu.AVX512:
		switch x := any(x).(type) {
		case []float64:
			join64AVX512(&x[0], &any(d).([]float64)[0], &any(s).([]float64)[0], len(s), float64(c))
		case []float32:
			join32AVX512(&x[0], &any(d).([]float32)[0], &any(s).([]float32)[0], len(s), float32(c))
		}
	case l >= cpu.AVX2:
		switch x := any(x).(type) {
		case []float64:
			join64AVX2(&x[0], &any(d).([]float64)[0], &any(s).([]float64)[0], len(s), float64(c))
		case []float32:
			join32AVX2(&x[0], &any(d).([]float32)[0], &any(s).([]float32)[0], len(s), float32(c))
		}
	default:
		joinGeneric(x, d, s, c)
	}
}

// join3 is join3Generic for longRow elements of x.
func join3[F num.Float](x, d1, d2, d3, s, c []F) {
	switch l := cpu.Current(); {
	case l >= cpu.AVX512:
		switch x := any(x).(type) {
		case []float64:
			join364AVX512(&x[0], &any(d1).([]float64)[0], &any(d2).([]float64)[0], &any(d3).([]float64)[0], &any(s).([]float64)[0], len(s), &any(c).([]float64)[0])
		case []float32:
			join332AVX512(&x[0], &any(d1).([]float32)[0], &any(d2).([]float32)[0], &any(d3).([]float32)[0], &any(s).([]float32)[0], len(s), &any(c).([]float32)[0])
		}
	case l >= cpu.AVX2:
		switch x := any(x).(type) {
		case []float64:
			join364AVX2(&x[0], &any(d1).([]float64)[0], &any(d2).([]float64)[0], &any(d3).([]float64)[0], &any(s).([]float64)[0], len(s), &any(c).([]float64)[0])
		case []float32:
			join332AVX2(&x[0], &any(d1).([]float32)[0], &any(d2).([]float32)[0], &any(d3).([]float32)[0], &any(s).([]float32)[0], len(s), &any(c).([]float32)[0])
		}
	default:
		join3Generic(x, d1, d2, d3, s, c)
	}
}
