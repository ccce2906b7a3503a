//go:build !noasm

package seeds

import (
	"github.com/gramworks/gram/asm/cpu"
	"github.com/gramworks/gram/num"
)

//go:generate go run github.com/gramworks/gram/internal/neon/gen

var levels = []cpu.Level{cpu.NEON}

//go:noescape
func rows4x64NEON(t *float64, s int, x *float64, xs int, v *float64, w int)

//go:noescape
func row64NEON(t *float64, s int, x, v *float64, w int)

//go:noescape
func split64NEON(s *float64, ss int, d *float64, ds int, x, y, v, u *float64, n, h int)

//go:noescape
func addsub64NEON(s, d, a *float64, pairs, n int)

//go:noescape
func rows4x32NEON(t *float32, s int, x *float32, xs int, v *float32, w int)

//go:noescape
func row32NEON(t *float32, s int, x, v *float32, w int)

//go:noescape
func split32NEON(s *float32, ss int, d *float32, ds int, x, y, v, u *float32, n, h int)

//go:noescape
func addsub32NEON(s, d, a *float32, pairs, n int)

func ranges[F num.Float](t []F, place []int, x []F, xs, n int, v []F, s, d, width int) {
	if cpu.Current() < cpu.NEON {
		rangesGeneric(t, place, x, xs, n, v, s, d, width)
		return
	}
	switch t := any(t).(type) {
	case []float64:
		x, v := any(x).([]float64), any(v).([]float64)
		for r, p := range place {
			for lo, hi := r*width, min((r+1)*width, d); lo < hi; lo += most {
				products64(t[p*n*s:][:n*s], x[lo:], xs, n, v[lo*s:], s, min(most, hi-lo))
			}
		}
	case []float32:
		x, v := any(x).([]float32), any(v).([]float32)
		for r, p := range place {
			for lo, hi := r*width, min((r+1)*width, d); lo < hi; lo += most {
				products32(t[p*n*s:][:n*s], x[lo:], xs, n, v[lo*s:], s, min(most, hi-lo))
			}
		}
	}
}

func products64(t []float64, x []float64, xs, n int, v []float64, s, w int) {
	for l := 0; l < s; l += 8 {
		i := 0
		for ; i+4 <= n; i += 4 {
			rows4x64NEON(&t[i*s+l], s, &x[i*xs], xs, &v[l], w)
		}
		for ; i < n; i++ {
			row64NEON(&t[i*s+l], s, &x[i*xs], &v[l], w)
		}
	}
}

func products32(t []float32, x []float32, xs, n int, v []float32, s, w int) {
	for l := 0; l < s; l += 16 {
		i := 0
		for ; i+4 <= n; i += 4 {
			rows4x32NEON(&t[i*s+l], s, &x[i*xs], xs, &v[l], w)
		}
		for ; i < n; i++ {
			row32NEON(&t[i*s+l], s, &x[i*xs], &v[l], w)
		}
	}
}

func split[F num.Float](s []F, ss int, d []F, ds int, x, y, v, u []F, n, h int) {
	if cpu.Current() < cpu.NEON {
		splitGeneric(s, ss, d, ds, x, y, v, u, n, h)
		return
	}
	switch s := any(s).(type) {
	case []float64:
		d, x, y, v, u := any(d).([]float64), any(x).([]float64), any(y).([]float64), any(v).([]float64), any(u).([]float64)
		split64NEON(&s[0], ss, &d[0], ds, &x[0], &y[0], &v[0], &u[0], n, h)
	case []float32:
		d, x, y, v, u := any(d).([]float32), any(x).([]float32), any(y).([]float32), any(v).([]float32), any(u).([]float32)
		split32NEON(&s[0], ss, &d[0], ds, &x[0], &y[0], &v[0], &u[0], n, h)
	}
}

func addSub[F num.Float](s, d, a []F, pairs, n int) {
	if cpu.Current() < cpu.NEON {
		addSubGeneric(s, d, a, pairs, n)
		return
	}
	switch s := any(s).(type) {
	case []float64:
		addsub64NEON(&s[0], &any(d).([]float64)[0], &any(a).([]float64)[0], pairs, n)
	case []float32:
		addsub32NEON(&s[0], &any(d).([]float32)[0], &any(a).([]float32)[0], pairs, n)
	}
}

func transpose[F num.Float](dst []F, ds int, t []F, ks, ts, n, rows, cols int) {
	transposeGeneric(dst, ds, t, ks, ts, n, rows, cols)
}

func deal[F num.Float](a, b, x []F) { dealGeneric(a, b, x) }
