//go:build !noasm

package haar

import (
	"github.com/gramworks/gram/asm/cpu"
	"github.com/gramworks/gram/num"
)

//go:generate go run github.com/gramworks/gram/internal/neon/gen

var levels = []cpu.Level{cpu.NEON}

//go:noescape
func forward64NEON(dst, src *float64, n, d, ds, ss int, scratch, f *float64)

//go:noescape
func forward32NEON(dst, src *float32, n, d, ds, ss int, scratch, f *float32)

//go:noescape
func forwardScaled64NEON(dst, src *float64, n, d, ds, ss int, scratch, f *float64)

//go:noescape
func forwardScaled32NEON(dst, src *float32, n, d, ds, ss int, scratch, f *float32)

//go:noescape
func backward64NEON(dst, src *float64, n, d, ds, ss int, scratch, f *float64)

//go:noescape
func backward32NEON(dst, src *float32, n, d, ds, ss int, scratch, f *float32)

//go:noescape
func backwardScaled64NEON(dst, src *float64, n, d, ds, ss int, scratch, f *float64)

//go:noescape
func backwardScaled32NEON(dst, src *float32, n, d, ds, ss int, scratch, f *float32)

//go:noescape
func split64NEON(d, s, x *float64, pairs int, c *float64)

//go:noescape
func split364NEON(d1, d2, d3, s, x *float64, m int, c *float64)

//go:noescape
func join64NEON(x, d, s *float64, pairs int, c *float64)

//go:noescape
func join364NEON(x, d1, d2, d3, s *float64, m int, c *float64)

//go:noescape
func split32NEON(d, s, x *float32, pairs int, c *float32)

//go:noescape
func split332NEON(d1, d2, d3, s, x *float32, m int, c *float32)

//go:noescape
func join32NEON(x, d, s *float32, pairs int, c *float32)

//go:noescape
func join332NEON(x, d1, d2, d3, s *float32, m int, c *float32)

// forwardRows is forward for at most longRow elements in all.
func forwardRows[F num.Float](dst []F, ds int, src []F, ss, n, d int, s Scaling, scratch []F, f *factors[F]) {
	neon := cpu.Current() >= cpu.NEON
	switch dst := any(dst).(type) {
	case []float64:
		src, scratch, f := any(src).([]float64), any(scratch).([]float64), any(f).(*factors[float64])
		switch {
		case !neon || d < 2:
			forwardGeneric(dst, ds, src, ss, n, d, scratch, f)
		case s == Ones:
			forward64NEON(&dst[0], &src[0], n, d, ds, ss, &scratch[0], &f[0])
		default:
			forwardScaled64NEON(&dst[0], &src[0], n, d, ds, ss, &scratch[0], &f[0])
		}
	case []float32:
		src, scratch, f := any(src).([]float32), any(scratch).([]float32), any(f).(*factors[float32])
		switch {
		case !neon || d < 4:
			forwardGeneric(dst, ds, src, ss, n, d, scratch, f)
		case s == Ones:
			forward32NEON(&dst[0], &src[0], n, d, ds, ss, &scratch[0], &f[0])
		default:
			forwardScaled32NEON(&dst[0], &src[0], n, d, ds, ss, &scratch[0], &f[0])
		}
	}
}

// backwardRows is backward for at most longRow elements in all.
func backwardRows[F num.Float](dst []F, ds int, src []F, ss, n, d int, s Scaling, scratch []F, f *factors[F]) {
	neon := cpu.Current() >= cpu.NEON
	switch dst := any(dst).(type) {
	case []float64:
		src, scratch, f := any(src).([]float64), any(scratch).([]float64), any(f).(*factors[float64])
		switch {
		case !neon || d < 2:
			backwardGeneric(dst, ds, src, ss, n, d, scratch, f)
		case s == Ones:
			backward64NEON(&dst[0], &src[0], n, d, ds, ss, &scratch[0], &f[0])
		default:
			backwardScaled64NEON(&dst[0], &src[0], n, d, ds, ss, &scratch[0], &f[0])
		}
	case []float32:
		src, scratch, f := any(src).([]float32), any(scratch).([]float32), any(f).(*factors[float32])
		switch {
		case !neon || d < 4:
			backwardGeneric(dst, ds, src, ss, n, d, scratch, f)
		case s == Ones:
			backward32NEON(&dst[0], &src[0], n, d, ds, ss, &scratch[0], &f[0])
		default:
			backwardScaled32NEON(&dst[0], &src[0], n, d, ds, ss, &scratch[0], &f[0])
		}
	}
}

// split is splitGeneric for longRow elements of x.
func split[F num.Float](d, s, x []F, c F) {
	if cpu.Current() < cpu.NEON {
		splitGeneric(d, s, x, c)
		return
	}
	switch d := any(d).(type) {
	case []float64:
		c := float64(c)
		split64NEON(&d[0], &any(s).([]float64)[0], &any(x).([]float64)[0], len(s), &c)
	case []float32:
		c := float32(c)
		split32NEON(&d[0], &any(s).([]float32)[0], &any(x).([]float32)[0], len(s), &c)
	}
}

// split3 is split3Generic for longRow elements of x.
func split3[F num.Float](d1, d2, d3, s, x, c []F) {
	if cpu.Current() < cpu.NEON {
		split3Generic(d1, d2, d3, s, x, c)
		return
	}
	switch d1 := any(d1).(type) {
	case []float64:
		split364NEON(&d1[0], &any(d2).([]float64)[0], &any(d3).([]float64)[0], &any(s).([]float64)[0], &any(x).([]float64)[0], len(s), &any(c).([]float64)[0])
	case []float32:
		split332NEON(&d1[0], &any(d2).([]float32)[0], &any(d3).([]float32)[0], &any(s).([]float32)[0], &any(x).([]float32)[0], len(s), &any(c).([]float32)[0])
	}
}

// join is joinGeneric for longRow elements of x.
func join[F num.Float](x, d, s []F, c F) {
	if cpu.Current() < cpu.NEON {
		joinGeneric(x, d, s, c)
		return
	}
	switch x := any(x).(type) {
	case []float64:
		c := float64(c)
		join64NEON(&x[0], &any(d).([]float64)[0], &any(s).([]float64)[0], len(s), &c)
	case []float32:
		c := float32(c)
		join32NEON(&x[0], &any(d).([]float32)[0], &any(s).([]float32)[0], len(s), &c)
	}
}

// join3 is join3Generic for longRow elements of x.
func join3[F num.Float](x, d1, d2, d3, s, c []F) {
	if cpu.Current() < cpu.NEON {
		join3Generic(x, d1, d2, d3, s, c)
		return
	}
	switch x := any(x).(type) {
	case []float64:
		join364NEON(&x[0], &any(d1).([]float64)[0], &any(d2).([]float64)[0], &any(d3).([]float64)[0], &any(s).([]float64)[0], len(s), &any(c).([]float64)[0])
	case []float32:
		join332NEON(&x[0], &any(d1).([]float32)[0], &any(d2).([]float32)[0], &any(d3).([]float32)[0], &any(s).([]float32)[0], len(s), &any(c).([]float32)[0])
	}
}
