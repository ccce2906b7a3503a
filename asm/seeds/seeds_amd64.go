//go:build !noasm

package seeds

import (
	"github.com/gramworks/gram/asm/cpu"
	"github.com/gramworks/gram/num"
)

var levels = []cpu.Level{cpu.AVX2, cpu.AVX512}

//go:noescape
func rows4x1x64AVX2(t *float64, ts int, x *float64, xs int, v *float64, vs, w int)

//go:noescape
func row1x64AVX2(t, x, v *float64, vs, w int)

//go:noescape
func rows4x2x64AVX2(t *float64, ts int, x *float64, xs int, v *float64, vs, w int)

//go:noescape
func row2x64AVX2(t, x, v *float64, vs, w int)

//go:noescape
func rows4x3x64AVX2(t *float64, ts int, x *float64, xs int, v *float64, vs, w int)

//go:noescape
func row3x64AVX2(t, x, v *float64, vs, w int)

//go:noescape
func split64AVX2(s *float64, ss int, d *float64, ds int, x, y, v, u *float64, n, h int)

//go:noescape
func addsub64AVX2(s, d, a *float64, pairs, n int)

//go:noescape
func rows4x1x32AVX2(t *float32, ts int, x *float32, xs int, v *float32, vs, w int)

//go:noescape
func row1x32AVX2(t, x, v *float32, vs, w int)

//go:noescape
func rows4x2x32AVX2(t *float32, ts int, x *float32, xs int, v *float32, vs, w int)

//go:noescape
func row2x32AVX2(t, x, v *float32, vs, w int)

//go:noescape
func rows4x3x32AVX2(t *float32, ts int, x *float32, xs int, v *float32, vs, w int)

//go:noescape
func row3x32AVX2(t, x, v *float32, vs, w int)

//go:noescape
func split32AVX2(s *float32, ss int, d *float32, ds int, x, y, v, u *float32, n, h int)

//go:noescape
func addsub32AVX2(s, d, a *float32, pairs, n int)

//go:noescape
func rows8x1x64AVX512(t *float64, ts int, x *float64, xs int, v *float64, vs, w int)

//go:noescape
func row1x64AVX512(t, x, v *float64, vs, w int)

//go:noescape
func rows8x2x64AVX512(t *float64, ts int, x *float64, xs int, v *float64, vs, w int)

//go:noescape
func row2x64AVX512(t, x, v *float64, vs, w int)

//go:noescape
func rows8x3x64AVX512(t *float64, ts int, x *float64, xs int, v *float64, vs, w int)

//go:noescape
func row3x64AVX512(t, x, v *float64, vs, w int)

//go:noescape
func split64AVX512(s *float64, ss int, d *float64, ds int, x, y, v, u *float64, n, h int)

//go:noescape
func addsub64AVX512(s, d, a *float64, pairs, n int)

//go:noescape
func rows8x1x32AVX512(t *float32, ts int, x *float32, xs int, v *float32, vs, w int)

//go:noescape
func row1x32AVX512(t, x, v *float32, vs, w int)

//go:noescape
func rows8x2x32AVX512(t *float32, ts int, x *float32, xs int, v *float32, vs, w int)

//go:noescape
func row2x32AVX512(t, x, v *float32, vs, w int)

//go:noescape
func rows8x3x32AVX512(t *float32, ts int, x *float32, xs int, v *float32, vs, w int)

//go:noescape
func row3x32AVX512(t, x, v *float32, vs, w int)

//go:noescape
func split32AVX512(s *float32, ss int, d *float32, ds int, x, y, v, u *float32, n, h int)

//go:noescape
func addsub32AVX512(s, d, a *float32, pairs, n int)

//go:noescape
func transpose64AVX2(dst, t *float64, ts, rows, cols int)

//go:noescape
func transpose32AVX2(dst, t *float32, ts, rows, cols int)

//go:noescape
func deal64AVX2(a, b, x *float64, n int)

//go:noescape
func deal32AVX2(a, b, x *float32, n int)

func ranges[F num.Float](t []F, place []int, x []F, xs, n int, v []F, s, d, width int) {
	level := cpu.Current()
	if level < cpu.AVX2 {
		rangesGeneric(t, place, x, xs, n, v, s, d, width)
		return
	}
	switch t := any(t).(type) {
	case []float64:
		x, v := any(x).([]float64), any(v).([]float64)
		for r, p := range place {
			for lo, hi := r*width, min((r+1)*width, d); lo < hi; lo += most {
				products64(t[p*n*s:][:n*s], x[lo:], xs, n, v[lo*s:], s, min(most, hi-lo), level)
			}
		}
	case []float32:
		x, v := any(x).([]float32), any(v).([]float32)
		for r, p := range place {
			for lo, hi := r*width, min((r+1)*width, d); lo < hi; lo += most {
				products32(t[p*n*s:][:n*s], x[lo:], xs, n, v[lo*s:], s, min(most, hi-lo), level)
			}
		}
	}
}

// products64 goes over the seeds three registers at a time and for each over
// the rows, so that a panel of v stays in the first cache.
func products64(t []float64, x []float64, xs, n int, v []float64, s, w int, level cpu.Level) {
	if level >= cpu.AVX512 {
		for l := 0; l < s; l += 24 {
			i := 0
			switch c := (s - l) / 8; c {
			case 1:
				for ; i+8 <= n; i += 8 {
					rows8x1x64AVX512(&t[i*s+l], s, &x[i*xs], xs, &v[l], s, w)
				}
				for ; i < n; i++ {
					row1x64AVX512(&t[i*s+l], &x[i*xs], &v[l], s, w)
				}
			case 2:
				for ; i+8 <= n; i += 8 {
					rows8x2x64AVX512(&t[i*s+l], s, &x[i*xs], xs, &v[l], s, w)
				}
				for ; i < n; i++ {
					row2x64AVX512(&t[i*s+l], &x[i*xs], &v[l], s, w)
				}
			default:
				for ; i+8 <= n; i += 8 {
					rows8x3x64AVX512(&t[i*s+l], s, &x[i*xs], xs, &v[l], s, w)
				}
				for ; i < n; i++ {
					row3x64AVX512(&t[i*s+l], &x[i*xs], &v[l], s, w)
				}
			}
		}
		return
	}
	for l := 0; l < s; l += 12 {
		i := 0
		switch c := (s - l) / 4; c {
		case 1:
			for ; i+4 <= n; i += 4 {
				rows4x1x64AVX2(&t[i*s+l], s, &x[i*xs], xs, &v[l], s, w)
			}
			for ; i < n; i++ {
				row1x64AVX2(&t[i*s+l], &x[i*xs], &v[l], s, w)
			}
		case 2:
			for ; i+4 <= n; i += 4 {
				rows4x2x64AVX2(&t[i*s+l], s, &x[i*xs], xs, &v[l], s, w)
			}
			for ; i < n; i++ {
				row2x64AVX2(&t[i*s+l], &x[i*xs], &v[l], s, w)
			}
		default:
			for ; i+4 <= n; i += 4 {
				rows4x3x64AVX2(&t[i*s+l], s, &x[i*xs], xs, &v[l], s, w)
			}
			for ; i < n; i++ {
				row3x64AVX2(&t[i*s+l], &x[i*xs], &v[l], s, w)
			}
		}
	}
}

// products32 goes over the seeds three registers at a time and for each over
// the rows, so that a panel of v stays in the first cache.
func products32(t []float32, x []float32, xs, n int, v []float32, s, w int, level cpu.Level) {
	if level >= cpu.AVX512 {
		for l := 0; l < s; l += 48 {
			i := 0
			switch c := (s - l) / 16; c {
			case 1:
				for ; i+8 <= n; i += 8 {
					rows8x1x32AVX512(&t[i*s+l], s, &x[i*xs], xs, &v[l], s, w)
				}
				for ; i < n; i++ {
					row1x32AVX512(&t[i*s+l], &x[i*xs], &v[l], s, w)
				}
			case 2:
				for ; i+8 <= n; i += 8 {
					rows8x2x32AVX512(&t[i*s+l], s, &x[i*xs], xs, &v[l], s, w)
				}
				for ; i < n; i++ {
					row2x32AVX512(&t[i*s+l], &x[i*xs], &v[l], s, w)
				}
			default:
				for ; i+8 <= n; i += 8 {
					rows8x3x32AVX512(&t[i*s+l], s, &x[i*xs], xs, &v[l], s, w)
				}
				for ; i < n; i++ {
					row3x32AVX512(&t[i*s+l], &x[i*xs], &v[l], s, w)
				}
			}
		}
		return
	}
	for l := 0; l < s; l += 24 {
		i := 0
		switch c := (s - l) / 8; c {
		case 1:
			for ; i+4 <= n; i += 4 {
				rows4x1x32AVX2(&t[i*s+l], s, &x[i*xs], xs, &v[l], s, w)
			}
			for ; i < n; i++ {
				row1x32AVX2(&t[i*s+l], &x[i*xs], &v[l], s, w)
			}
		case 2:
			for ; i+4 <= n; i += 4 {
				rows4x2x32AVX2(&t[i*s+l], s, &x[i*xs], xs, &v[l], s, w)
			}
			for ; i < n; i++ {
				row2x32AVX2(&t[i*s+l], &x[i*xs], &v[l], s, w)
			}
		default:
			for ; i+4 <= n; i += 4 {
				rows4x3x32AVX2(&t[i*s+l], s, &x[i*xs], xs, &v[l], s, w)
			}
			for ; i < n; i++ {
				row3x32AVX2(&t[i*s+l], &x[i*xs], &v[l], s, w)
			}
		}
	}
}

func split[F num.Float](s []F, ss int, d []F, ds int, x, y, v, u []F, n, h int) {
	level := cpu.Current()
	if level < cpu.AVX2 {
		splitGeneric(s, ss, d, ds, x, y, v, u, n, h)
		return
	}
	switch s := any(s).(type) {
	case []float64:
		d, x, y, v, u := any(d).([]float64), any(x).([]float64), any(y).([]float64), any(v).([]float64), any(u).([]float64)
		if level >= cpu.AVX512 {
			split64AVX512(&s[0], ss, &d[0], ds, &x[0], &y[0], &v[0], &u[0], n, h)
		} else {
			split64AVX2(&s[0], ss, &d[0], ds, &x[0], &y[0], &v[0], &u[0], n, h)
		}
	case []float32:
		d, x, y, v, u := any(d).([]float32), any(x).([]float32), any(y).([]float32), any(v).([]float32), any(u).([]float32)
		if level >= cpu.AVX512 {
			split32AVX512(&s[0], ss, &d[0], ds, &x[0], &y[0], &v[0], &u[0], n, h)
		} else {
			split32AVX2(&s[0], ss, &d[0], ds, &x[0], &y[0], &v[0], &u[0], n, h)
		}
	}
}

func addSub[F num.Float](s, d, a []F, pairs, n int) {
	level := cpu.Current()
	if level < cpu.AVX2 {
		addSubGeneric(s, d, a, pairs, n)
		return
	}
	switch s := any(s).(type) {
	case []float64:
		d, a := any(d).([]float64), any(a).([]float64)
		if level >= cpu.AVX512 {
			addsub64AVX512(&s[0], &d[0], &a[0], pairs, n)
		} else {
			addsub64AVX2(&s[0], &d[0], &a[0], pairs, n)
		}
	case []float32:
		d, a := any(d).([]float32), any(a).([]float32)
		if level >= cpu.AVX512 {
			addsub32AVX512(&s[0], &d[0], &a[0], pairs, n)
		} else {
			addsub32AVX2(&s[0], &d[0], &a[0], pairs, n)
		}
	}
}

// transpose leaves to the generic code what is not a multiple of four columns,
// and matrices of few rows.
func transpose[F num.Float](dst []F, ds int, t []F, ks, ts, n, rows, cols int) {
	c := cols &^ 3
	if cpu.Current() < cpu.AVX2 || rows%(Lanes[F]()/2) != 0 {
		c = 0
	}
	if c > 0 {
		switch dst := any(dst).(type) {
		case []float64:
			t := any(t).([]float64)
			for k := range n {
				transpose64AVX2(&dst[k*ds], &t[k*ks], ts, rows, c)
			}
		case []float32:
			t := any(t).([]float32)
			for k := range n {
				transpose32AVX2(&dst[k*ds], &t[k*ks], ts, rows, c)
			}
		}
	}
	if c < cols {
		transposeGeneric(dst[c*rows:], ds, t[c:], ks, ts, n, rows, cols-c)
	}
}

// deal leaves to the generic code what is not a multiple of half of Lanes.
func deal[F num.Float](a, b, x []F) {
	n := len(a) &^ (Lanes[F]()/2 - 1)
	if cpu.Current() < cpu.AVX2 {
		n = 0
	}
	if n > 0 {
		switch a := any(a).(type) {
		case []float64:
			deal64AVX2(&a[0], &any(b).([]float64)[0], &any(x).([]float64)[0], n)
		case []float32:
			deal32AVX2(&a[0], &any(b).([]float32)[0], &any(x).([]float32)[0], n)
		}
	}
	dealGeneric(a[n:], b[n:], x[2*n:])
}
