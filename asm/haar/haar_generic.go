package haar

import "github.com/gramworks/gram/num"

// forwardGeneric defines the result of Forward on n rows: level by level, neighbors a and b become the sum a + b, which goes to
// the next level, and the difference (a − b)·c, which stays.
func forwardGeneric[F num.Float](dst []F, ds int, src []F, ss, n, d int, scratch, f []F) {
	for i := range n {
		y, x := dst[i*ds:][:d], src[i*ss:][:d]
		if d == 1 {
			y[0] = x[0] * f[0]
			continue
		}
		h, k := d/2, 1
		splitGeneric(y[h:], scratch[:h], x, f[factor+k])
		for h > 1 {
			h, k = h/2, k+1
			for j := range h {
				a, b := scratch[2*j], scratch[2*j+1]
				scratch[j], y[h+j] = a+b, (a-b)*f[factor+k]
			}
		}
		y[0] = scratch[0] * f[0]
	}
}

// splitGeneric does one level of forward from the end to the start: s[i]
// becomes the sum of x[2i] and x[2i+1], and d[i] becomes their difference times
// c. d may be the upper half of x, or lie behind x.
func splitGeneric[F num.Float](d, s, x []F, c F) {
	for i := len(s) - 1; i >= 0; i-- {
		a, b := x[2*i], x[2*i+1]
		s[i], d[i] = a+b, (a-b)*c
	}
}

// split3Generic does three levels of forward from the start to the end: s and
// d3 get an eighth of the number of elements of x, d2 a quarter and d1 half; c
// holds the factors of d1, d2 and d3. s may start at the start of x.
func split3Generic[F num.Float](d1, d2, d3, s, x, c []F) {
	for i := range s {
		t := x[8*i : 8*i+8 : 8*i+8]
		a0, a1, a2, a3 := t[0]+t[1], t[2]+t[3], t[4]+t[5], t[6]+t[7]
		d1[4*i], d1[4*i+1], d1[4*i+2], d1[4*i+3] = (t[0]-t[1])*c[0], (t[2]-t[3])*c[0], (t[4]-t[5])*c[0], (t[6]-t[7])*c[0]
		b0, b1 := a0+a1, a2+a3
		d2[2*i], d2[2*i+1] = (a0-a1)*c[1], (a2-a3)*c[1]
		s[i], d3[i] = b0+b1, (b0-b1)*c[2]
	}
}

// backwardGeneric defines the result of Backward on n rows: level by level, from the total on, a sum s and a difference d with
// the factor c become the neighbors s + c·d and s − c·d.
func backwardGeneric[F num.Float](dst []F, ds int, src []F, ss, n, d int, scratch, f []F) {
	for i := range n {
		x, y := dst[i*ds:][:d], src[i*ss:][:d]
		if d == 1 {
			x[0] = y[0] * f[0]
			continue
		}
		k := factor
		for h := d; h > 1; h /= 2 {
			k++
		}
		scratch[0] = y[0] * f[0]
		h := 1
		for ; h < d/2; h, k = 2*h, k-1 {
			c, low, high := f[k], scratch[:h], y[h:][:h]
			for j := len(high) - 1; j >= 0; j-- {
				a, b := low[j], F(high[j]*c)
				scratch[2*j], scratch[2*j+1] = a+b, a-b
			}
		}
		joinGeneric(x, y[h:], scratch[:h], f[k])
	}
}

// joinGeneric does one level of backward from the start to the end: x[2i] and
// x[2i+1] become s[i] ± d[i]·c. d may be the upper half of x, or lie behind x.
func joinGeneric[F num.Float](x, d, s []F, c F) {
	d = d[:len(s)]
	for i, a := range s {
		b := F(d[i] * c)
		x[2*i], x[2*i+1] = a+b, a-b
	}
}

// join3Generic does three levels of backward from the end to the start, with
// the operands of split3Generic.
func join3Generic[F num.Float](x, d1, d2, d3, s, c []F) {
	for i := len(s) - 1; i >= 0; i-- {
		t := x[8*i : 8*i+8 : 8*i+8]
		b := F(d3[i] * c[2])
		b0, b1 := s[i]+b, s[i]-b
		e0, e1 := F(d2[2*i]*c[1]), F(d2[2*i+1]*c[1])
		a := [4]F{b0 + e0, b0 - e0, b1 + e1, b1 - e1}
		for j := range a {
			e := F(d1[4*i+j] * c[0])
			t[2*j], t[2*j+1] = a[j]+e, a[j]-e
		}
	}
}
