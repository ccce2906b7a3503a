package lanes

import "math"

// reduceGeneric defines Reduce, except that assembly uses fused multiply-adds.
func reduceGeneric(x, u []float64, us int, b []float64, bs, k, r int, d []float64) {
	for c := range r {
		to := (*[Width]float64)(x[c*Width:])
		for p := range k {
			by, row := (*[Width]float64)(u[p*us*Width:]), (*[Width]float64)(b[(p*bs+c)*Width:])
			for l := range to {
				to[l] -= float64(by[l] * row[l])
			}
		}
	}
	if d != nil {
		for i := range x {
			x[i] /= d[i%Width]
		}
		return
	}
	for l := range Width {
		root := math.Sqrt(x[l])
		x[l] = root
		inverse := 1 / root
		for c := 1; c < r; c++ {
			x[c*Width+l] *= inverse
		}
	}
}

// angleGeneric defines Angle, except that assembly uses fused multiply-adds.
func angleGeneric(pp, pq, qq, cs []float64) (rotated int) {
	for l := range Width {
		if math.Abs(pq[l]) <= 0x1p-54*min(math.Abs(pp[l]), math.Abs(qq[l])) {
			cs[l], cs[Width+l] = 1, 0
			continue
		}
		tau := (float64(.5*qq[l]) - float64(.5*pp[l])) / pq[l]
		h := math.Abs(tau)
		m := min(h, 0x1p500)
		t := math.Copysign(1/(h+max(math.Sqrt(float64(m*m)+1), h)), tau)
		c := 1 / math.Sqrt(float64(t*t)+1)
		cs[l], cs[Width+l] = c, t*c
		pp[l] -= float64(t * pq[l])
		qq[l] += float64(t * pq[l])
		pq[l] = 0
		rotated |= 1 << l
	}
	return rotated
}

// turnGeneric defines Turn, except that assembly uses fused multiply-adds.
func turnGeneric(n int, x []float64, xs int, y []float64, ys int, cs []float64) {
	c, s := (*[Width]float64)(cs), (*[Width]float64)(cs[Width:])
	for i := range n {
		a, b := (*[Width]float64)(x[i*xs*Width:]), (*[Width]float64)(y[i*ys*Width:])
		for l, v := range a {
			w := b[l]
			a[l] = float64(c[l]*v) - float64(s[l]*w)
			b[l] = float64(s[l]*v) + float64(c[l]*w)
		}
	}
}

// eliminateGeneric defines Eliminate, except that assembly uses fused multiply-adds.
func eliminateGeneric(n int, x []float64, xs int) {
	pivot := (*[Width]float64)(x)
	for i := 1; i < n; i++ {
		by := (*[Width]float64)(x[i*xs*Width:])
		for l := range by {
			by[l] /= pivot[l]
		}
		for c := 1; c < n; c++ {
			to, row := (*[Width]float64)(x[(i*xs+c)*Width:]), (*[Width]float64)(x[c*Width:])
			for l := range to {
				to[l] -= float64(by[l] * row[l])
			}
		}
	}
}

// largestGeneric defines the result of Largest: it compares the bits of magnitudes, so that NaN is larger than any number.
func largestGeneric(n int, x []float64, xs int, at []int) {
	var largest [Width]uint64
	for i := range n {
		for l, v := range (*[Width]float64)(x[i*xs*Width:]) {
			size := math.Float64bits(v)<<1 + 1 // without the sign; more than 0, with which the search begins
			if size > largest[l] {
				largest[l], at[l] = size, i
			}
		}
	}
}
