//go:build !noasm

package lanes

import "unsafe"

// reduceHalves does the two halves of the lanes one after the other.
func reduceHalves(x, u []float64, us int, b []float64, bs, k, r int, d []float64) {
	up, bp, dp := unsafe.SliceData(u), unsafe.SliceData(b), unsafe.SliceData(d)
	reduceHalfAVX2(&x[0], up, us, bp, bs, k, r, dp)
	if dp != nil {
		dp = &d[Width/2]
	}
	if k > 0 {
		up, bp = &u[Width/2], &b[Width/2]
	}
	reduceHalfAVX2(&x[Width/2], up, us, bp, bs, k, r, dp)
}

// angleHalves calls angle for both halves of the lanes and joins the masks.
func angleHalves(pp, pq, qq, cs []float64) (rotated int) {
	const h = Width / 2
	return angleHalfAVX2(&pp[0], &pq[0], &qq[0], &cs[0]) | angleHalfAVX2(&pp[h], &pq[h], &qq[h], &cs[h])<<h
}

// turnHalves calls turn for both halves of the lanes, which AVX2 takes one after the other.
func turnHalves(n int, x []float64, xs int, y []float64, ys int, cs []float64) {
	const h = Width / 2
	turnHalfAVX2(n, &x[0], xs, &y[0], ys, &cs[0])
	turnHalfAVX2(n, &x[h], xs, &y[h], ys, &cs[h])
}

// eliminateHalves calls eliminate for both halves of the lanes, one after the other.
func eliminateHalves(n int, x []float64, xs int) {
	eliminateHalfAVX2(n, &x[0], xs)
	eliminateHalfAVX2(n, &x[Width/2], xs)
}

// largestHalves calls largest for both halves of the lanes, one after the other.
func largestHalves(n int, x []float64, xs int, at []int) {
	largestHalfAVX2(n, &x[0], xs, &at[0])
	largestHalfAVX2(n, &x[Width/2], xs, &at[Width/2])
}
