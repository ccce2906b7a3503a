package structured

import (
	"unsafe"

	"github.com/gramworks/gram/internal/race"
	"github.com/gramworks/gram/num"
)

//go:generate go run github.com/gramworks/gram/internal/neon/gen
//go:generate go run github.com/gramworks/gram/asm/gen

// Lanes returns the number of elements in 64 bytes.
func Lanes[F num.Float]() int { return 64 / int(unsafe.Sizeof(*new(F))) }

// most is the largest number of columns in one call of assembly, which cannot be
// preempted: they take about 50 µs.
const most = 4096

// Ranges computes, for each range r, n rows i and s seeds l,
//
//	t[(place[r]*n+i)*s+l] = Σ_j x[i*xs+j]·v[j*s+l]
//
// over the columns j of range r, r·width ≤ j < min((r+1)·width, d). s is a
// positive multiple of Lanes; place is a permutation; len(t) is at least
// len(place)·n·s. t does not overlap x or v.
func Ranges[F num.Float](t []F, place []int, x []F, xs, n int, v []F, s, d, width int) {
	if n <= 0 || d <= 0 {
		return
	}
	t, x, v = t[:len(place)*n*s], x[:(n-1)*xs+d], v[:d*s]
	clear(t)
	race.Read(v)
	for i := range n {
		race.Read(x[i*xs:][:d])
	}
	ranges(t, place, x, xs, n, v, s, d, width)
}

// Split computes, for n seeds g and i < h, s[g*ss+i] = x[i]·v[g*h+i] +
// y[i]·u[g*h+i] and d[g*ds+i], the difference of these products. h is a positive
// multiple of 2·Lanes; s and d overlap no other operand.
func Split[F num.Float](s []F, ss int, d []F, ds int, x, y, v, u []F, n, h int) {
	if n <= 0 {
		return
	}
	s, d = s[:(n-1)*ss+h], d[:(n-1)*ds+h]
	x, y, v, u = x[:h], y[:h], v[:n*h], u[:n*h]
	race.Read(x)
	race.Read(y)
	race.Read(v)
	race.Read(u)
	for g := range n {
		race.Write(s[g*ss:][:h])
		race.Write(d[g*ds:][:h])
	}
	for step := max(1, most/8/h); n > step; n -= step {
		split(s, ss, d, ds, x, y, v, u, step, h)
		s, d, v, u = s[step*ss:], d[step*ds:], v[step*h:], u[step*h:]
	}
	split(s, ss, d, ds, x, y, v, u, n, h)
}

// Deal writes the elements of x with even index to a and those with odd index to
// b. x has 2·len(a) elements; the slices must not overlap.
func Deal[F num.Float](a, b, x []F) {
	b, x = b[:len(a)], x[:2*len(a)]
	race.Read(x)
	race.Write(a)
	race.Write(b)
	// The assembly takes a multiple of Lanes/2.
	n := len(a) &^ (Lanes[F]()/2 - 1)
	if n > 0 {
		deal(a[:n], b[:n], x[:2*n])
	}
	dealGeneric(a[n:], b[n:], x[2*n:])
}

// AddSub computes s[r*n+i] = a[2r*n+i] + a[(2r+1)*n+i] and d[r*n+i], the
// difference of these elements, for r < pairs and i < n. This is one level of the
// Haar transform across the rows of a. n is a positive multiple of Lanes. s may
// be a; d overlaps neither.
func AddSub[F num.Float](s, d, a []F, pairs, n int) {
	if pairs > 0 {
		s, d, a = s[:pairs*n], d[:pairs*n], a[:2*pairs*n]
		race.Read(a)
		race.Write(s)
		race.Write(d)
		addSub(s, d, a, pairs, n)
	}
}

// Transpose computes dst[k*ds+i*rows+r] = t[k*ks+r*ts+i] for k < n, i < cols and
// r < rows. dst does not overlap t.
func Transpose[F num.Float](dst []F, ds int, t []F, ks, ts, n, rows, cols int) {
	if n > 0 && rows > 0 && cols > 0 {
		for k := range n {
			race.Write(dst[k*ds:][:rows*cols])
			for r := range rows {
				race.Read(t[k*ks+r*ts:][:cols])
			}
		}
		// The assembly takes a multiple of four columns.
		for k := range n {
			dst, t := dst[k*ds:][:rows*cols], t[k*ks:][:(rows-1)*ts+cols]
			c := cols &^ 3
			if c > 0 {
				transpose(dst, t, ts, rows, c)
			}
			if c < cols {
				transposeGeneric(dst[c*rows:], t[c:], ts, rows, cols-c)
			}
		}
	}
}
