package seeds

import (
	"unsafe"

	"github.com/gramworks/gram"
)

// Lanes returns the number of elements of 64 bytes.
func Lanes[F gram.Float]() int { return 64 / int(unsafe.Sizeof(*new(F))) }

// most is the largest number of multiply-adds in one call of assembly, which
// cannot be preempted: about 50 µs of work.
const most = 1 << 18

// Products computes t[i*ts+l] = Σ_j x[i*xs+j]·v[j*s+l] for i < n, l < s and
// j < w. s is a positive multiple of Lanes, w ≥ 1, ts ≥ s. t does not overlap x
// or v.
func Products[F gram.Float](t []F, ts int, x []F, xs, n int, v []F, s, w int) {
	if n == 0 {
		return
	}
	t, x, v = t[:(n-1)*ts+s], x[:(n-1)*xs+w], v[:w*s]
	for step := max(8, most/(s*w)&^7); n > step; n -= step {
		products(t, ts, x, xs, step, v, s, w)
		t, x = t[step*ts:], x[step*xs:]
	}
	products(t, ts, x, xs, n, v, s, w)
}

// Split computes s[i] = x[i]·v[i] + y[i]·u[i] and d[i], the difference of the
// two, for i < len(s). len(s) is a multiple of 2·Lanes; the others are as long.
// Only s and d may be written, so they overlap nothing.
func Split[F gram.Float](s, d, x, y, v, u []F) {
	n := len(s)
	if n > 0 {
		split(s, d[:n], x[:n], y[:n], v[:n], u[:n])
	}
}

// AddSub computes s[i] = a[i]+b[i] and d[i] = a[i]−b[i] for i < len(s), a
// multiple of Lanes; the others are as long. s may be a or b, d overlaps
// nothing.
func AddSub[F gram.Float](s, d, a, b []F) {
	n := len(s)
	if n > 0 {
		addSub(s, d[:n], a[:n], b[:n])
	}
}

// Transpose computes dst[i*rows+r] = t[r*ts+i] for i < cols and r < rows.
func Transpose[F gram.Float](dst, t []F, ts, rows, cols int) {
	for r := range rows {
		for i, v := range t[r*ts:][:cols] {
			dst[i*rows+r] = v
		}
	}
}
