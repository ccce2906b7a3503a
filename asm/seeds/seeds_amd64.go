//go:build !noasm

package seeds

import (
	"github.com/gramworks/gram"
	"github.com/gramworks/gram/asm/cpu"
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
func split64AVX2(s, d, x, y, v, u *float64, n int)

//go:noescape
func addsub64AVX2(s, d, a, b *float64, n int)

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
func split32AVX2(s, d, x, y, v, u *float32, n int)

//go:noescape
func addsub32AVX2(s, d, a, b *float32, n int)

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
func split64AVX512(s, d, x, y, v, u *float64, n int)

//go:noescape
func addsub64AVX512(s, d, a, b *float64, n int)

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
func split32AVX512(s, d, x, y, v, u *float32, n int)

//go:noescape
func addsub32AVX512(s, d, a, b *float32, n int)

func products[F gram.Float](t []F, ts int, x []F, xs, n int, v []F, s, w int) {
	level := cpu.Current()
	if level < cpu.AVX2 {
		productsGeneric(t, ts, x, xs, n, v, s, w)
		return
	}
	switch t := any(t).(type) {
	case []float64:
		products64(t, ts, any(x).([]float64), xs, n, any(v).([]float64), s, w, level)
	case []float32:
		products32(t, ts, any(x).([]float32), xs, n, any(v).([]float32), s, w, level)
	}
}

// products64 goes over the seeds three registers at a time and for each over
// the rows, so that a panel of v stays in the first cache.
func products64(t []float64, ts int, x []float64, xs, n int, v []float64, s, w int, level cpu.Level) {
	if level >= cpu.AVX512 {
		for l := 0; l < s; l += 24 {
			i := 0
			switch c := (s - l) / 8; c {
			case 1:
				for ; i+8 <= n; i += 8 {
					rows8x1x64AVX512(&t[i*ts+l], ts, &x[i*xs], xs, &v[l], s, w)
				}
				for ; i < n; i++ {
					row1x64AVX512(&t[i*ts+l], &x[i*xs], &v[l], s, w)
				}
			case 2:
				for ; i+8 <= n; i += 8 {
					rows8x2x64AVX512(&t[i*ts+l], ts, &x[i*xs], xs, &v[l], s, w)
				}
				for ; i < n; i++ {
					row2x64AVX512(&t[i*ts+l], &x[i*xs], &v[l], s, w)
				}
			default:
				for ; i+8 <= n; i += 8 {
					rows8x3x64AVX512(&t[i*ts+l], ts, &x[i*xs], xs, &v[l], s, w)
				}
				for ; i < n; i++ {
					row3x64AVX512(&t[i*ts+l], &x[i*xs], &v[l], s, w)
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
				rows4x1x64AVX2(&t[i*ts+l], ts, &x[i*xs], xs, &v[l], s, w)
			}
			for ; i < n; i++ {
				row1x64AVX2(&t[i*ts+l], &x[i*xs], &v[l], s, w)
			}
		case 2:
			for ; i+4 <= n; i += 4 {
				rows4x2x64AVX2(&t[i*ts+l], ts, &x[i*xs], xs, &v[l], s, w)
			}
			for ; i < n; i++ {
				row2x64AVX2(&t[i*ts+l], &x[i*xs], &v[l], s, w)
			}
		default:
			for ; i+4 <= n; i += 4 {
				rows4x3x64AVX2(&t[i*ts+l], ts, &x[i*xs], xs, &v[l], s, w)
			}
			for ; i < n; i++ {
				row3x64AVX2(&t[i*ts+l], &x[i*xs], &v[l], s, w)
			}
		}
	}
}

// products32 goes over the seeds three registers at a time and for each over
// the rows, so that a panel of v stays in the first cache.
func products32(t []float32, ts int, x []float32, xs, n int, v []float32, s, w int, level cpu.Level) {
	if level >= cpu.AVX512 {
		for l := 0; l < s; l += 48 {
			i := 0
			switch c := (s - l) / 16; c {
			case 1:
				for ; i+8 <= n; i += 8 {
					rows8x1x32AVX512(&t[i*ts+l], ts, &x[i*xs], xs, &v[l], s, w)
				}
				for ; i < n; i++ {
					row1x32AVX512(&t[i*ts+l], &x[i*xs], &v[l], s, w)
				}
			case 2:
				for ; i+8 <= n; i += 8 {
					rows8x2x32AVX512(&t[i*ts+l], ts, &x[i*xs], xs, &v[l], s, w)
				}
				for ; i < n; i++ {
					row2x32AVX512(&t[i*ts+l], &x[i*xs], &v[l], s, w)
				}
			default:
				for ; i+8 <= n; i += 8 {
					rows8x3x32AVX512(&t[i*ts+l], ts, &x[i*xs], xs, &v[l], s, w)
				}
				for ; i < n; i++ {
					row3x32AVX512(&t[i*ts+l], &x[i*xs], &v[l], s, w)
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
				rows4x1x32AVX2(&t[i*ts+l], ts, &x[i*xs], xs, &v[l], s, w)
			}
			for ; i < n; i++ {
				row1x32AVX2(&t[i*ts+l], &x[i*xs], &v[l], s, w)
			}
		case 2:
			for ; i+4 <= n; i += 4 {
				rows4x2x32AVX2(&t[i*ts+l], ts, &x[i*xs], xs, &v[l], s, w)
			}
			for ; i < n; i++ {
				row2x32AVX2(&t[i*ts+l], &x[i*xs], &v[l], s, w)
			}
		default:
			for ; i+4 <= n; i += 4 {
				rows4x3x32AVX2(&t[i*ts+l], ts, &x[i*xs], xs, &v[l], s, w)
			}
			for ; i < n; i++ {
				row3x32AVX2(&t[i*ts+l], &x[i*xs], &v[l], s, w)
			}
		}
	}
}

func split[F gram.Float](s, d, x, y, v, u []F) {
	level := cpu.Current()
	if level < cpu.AVX2 {
		splitGeneric(s, d, x, y, v, u)
		return
	}
	switch s := any(s).(type) {
	case []float64:
		d, x, y, v, u := any(d).([]float64), any(x).([]float64), any(y).([]float64), any(v).([]float64), any(u).([]float64)
		if level >= cpu.AVX512 {
			split64AVX512(&s[0], &d[0], &x[0], &y[0], &v[0], &u[0], len(s))
		} else {
			split64AVX2(&s[0], &d[0], &x[0], &y[0], &v[0], &u[0], len(s))
		}
	case []float32:
		d, x, y, v, u := any(d).([]float32), any(x).([]float32), any(y).([]float32), any(v).([]float32), any(u).([]float32)
		if level >= cpu.AVX512 {
			split32AVX512(&s[0], &d[0], &x[0], &y[0], &v[0], &u[0], len(s))
		} else {
			split32AVX2(&s[0], &d[0], &x[0], &y[0], &v[0], &u[0], len(s))
		}
	}
}

func addSub[F gram.Float](s, d, a, b []F) {
	level := cpu.Current()
	if level < cpu.AVX2 {
		addSubGeneric(s, d, a, b)
		return
	}
	switch s := any(s).(type) {
	case []float64:
		d, a, b := any(d).([]float64), any(a).([]float64), any(b).([]float64)
		if level >= cpu.AVX512 {
			addsub64AVX512(&s[0], &d[0], &a[0], &b[0], len(s))
		} else {
			addsub64AVX2(&s[0], &d[0], &a[0], &b[0], len(s))
		}
	case []float32:
		d, a, b := any(d).([]float32), any(a).([]float32), any(b).([]float32)
		if level >= cpu.AVX512 {
			addsub32AVX512(&s[0], &d[0], &a[0], &b[0], len(s))
		} else {
			addsub32AVX2(&s[0], &d[0], &a[0], &b[0], len(s))
		}
	}
}
