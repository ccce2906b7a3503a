package blas

import (
	"math"

	"github.com/gramworks/gram/asm/level2"
)

// reflector3 is reflector for the two or three elements of a bulge.
func reflector3(v []float64) (beta, tau float64) {
	alpha := v[0]
	s := v[1] * v[1]
	if len(v) == 3 {
		s += v[2] * v[2]
	}
	if !(s > 0x1p-900 && s < 0x1p900 && math.Abs(alpha) < 0x1p450) {
		return reflector(v)
	}
	beta = -math.Copysign(math.Sqrt(alpha*alpha+s), alpha)
	inverse := 1 / (alpha - beta)
	for i := range v[1:] {
		v[1+i] *= inverse
	}
	v[0] = 1
	return beta, (beta - alpha) / beta
}

// reflectRows multiplies rows k, k+1, … of x, from column from on, by the reflector
// with the vector v of two or three elements.
func reflectRows(x []float64, ld, k, from, to int, v []float64, tau float64) {
	p, q := x[k*ld+from:k*ld+to], x[(k+1)*ld+from:(k+1)*ld+to]
	if len(v) == 3 {
		level2.Reflect(p, q, x[(k+2)*ld+from:(k+2)*ld+to], v[1], v[2], tau)
		return
	}
	a := v[1]
	q = q[:len(p)]
	for i, f := range p {
		s := tau * (f + a*q[i])
		p[i] = f - s
		q[i] -= s * a
	}
}

// reflectColumns multiplies columns k, k+1, … of rows [from, to) of x by the reflector
// with the vector v of two or three elements.
func reflectColumns(x []float64, ld, k, from, to int, v []float64, tau float64) {
	a, b := v[1], 0.
	if len(v) == 2 {
		for i := from; i < to; i++ {
			r := x[i*ld+k:][:2]
			s := tau * (r[0] + a*r[1])
			r[0] -= s
			r[1] -= s * a
		}
		return
	}
	b = v[2]
	for i := from; i < to; i++ {
		r := x[i*ld+k:][:3]
		s := tau * (r[0] + a*r[1] + b*r[2])
		r[0] -= s
		r[1] -= s * a
		r[2] -= s * b
	}
}

// rotateRows replaces rows x and y by c·x + s·y and c·y − s·x.
func rotateRows(x, y []float64, c, s float64) {
	y = y[:len(x)]
	for i, p := range x {
		q := y[i]
		x[i] = c*p + s*q
		y[i] = c*q - s*p
	}
}

// francis reduces the Hessenberg matrix T, w×w, by one double shift after the other
// to Schur form, if u is not nil, and multiplies U by its transformation from the left:
// U is what DLAHQR calls Z, transposed, so that the rows that change are contiguous.
// Without u only the eigenvalues wr + i·wi are found. It returns 0, or the number of
// the first values that have not been found. It is DLAHQR of LAPACK, with its
// shifts and its criteria.
func francis(w int, t, u, wr, wi []float64) (unconverged int) {
	const ulp = 0x1p-52
	at := func(i, j int) float64 { return t[i*w+j] }
	for bot := w - 1; bot >= 0; {
		top := 0
		for it := 0; ; it++ {
			if it > 30*max(10, w) {
				return bot + 1
			}
			for top = bot; top > 0 && !negligible(t, w, w, top); top-- {
			}
			if top >= bot-1 {
				break
			}
			first, end := top, bot+1 // rows and columns that change
			if u != nil {
				first, end = 0, w
			}
			h11, h12, h21, h22 := at(bot-1, bot-1), at(bot-1, bot), at(bot, bot-1), at(bot, bot)
			switch it % 20 {
			case 10: // exceptional shifts
				s := math.Abs(at(top+1, top)) + math.Abs(at(top+2, top+1))
				h11 = 0.75*s + at(top, top)
				h12, h21, h22 = -0.4375*s, s, h11
			case 0:
				if it > 0 {
					s := math.Abs(at(bot, bot-1)) + math.Abs(at(bot-1, bot-2))
					h11 = 0.75*s + at(bot, bot)
					h12, h21, h22 = -0.4375*s, s, h11
				}
			}
			r1, i1, r2, i2 := doubleShift(h11, h12, h21, h22)
			// The bulge begins where two subdiagonal elements are small together.
			var v [3]float64
			k := bot - 2
			for ; ; k-- {
				h21 := math.Abs(at(k+1, k))
				d := at(k, k)
				s := math.Abs(d-r2) + math.Abs(i2) + h21
				h21 = at(k+1, k) / s
				v[0] = h21*at(k, k+1) + (d-r1)*((d-r2)/s) - i1*(i2/s)
				v[1] = h21 * (d + at(k+1, k+1) - r1 - r2)
				v[2] = h21 * at(k+2, k+1)
				s = math.Abs(v[0]) + math.Abs(v[1]) + math.Abs(v[2])
				v[0], v[1], v[2] = v[0]/s, v[1]/s, v[2]/s
				if k == top {
					break
				}
				around := math.Abs(at(k-1, k-1)) + math.Abs(d) + math.Abs(at(k+1, k+1))
				if math.Abs(at(k, k-1))*(math.Abs(v[1])+math.Abs(v[2])) <= ulp*math.Abs(v[0])*around {
					break
				}
			}
			for start := k; k < bot; k++ {
				v := v[:min(3, bot-k+1)]
				if k > start {
					for i := range v {
						v[i] = at(k+i, k-1)
					}
				}
				beta, tau := reflector3(v)
				switch {
				case k > start:
					t[k*w+k-1] = beta
					for i := 1; i < len(v); i++ {
						t[(k+i)*w+k-1] = 0
					}
				case k > top:
					t[k*w+k-1] *= 1 - tau
				}
				reflectRows(t, w, k, k, end, v, tau)
				reflectColumns(t, w, k, first, min(k+3, bot)+1, v, tau)
				if u != nil {
					reflectRows(u, w, k, 0, w, v, tau)
				}
			}
		}
		if top == bot {
			wr[bot], wi[bot] = at(bot, bot), 0
		} else {
			p := t[top*w+top:]
			var c, s float64
			p[0], p[1], p[w], p[w+1], wr[top], wi[top], wr[bot], wi[bot], c, s = lapackGonum.Dlanv2(p[0], p[1], p[w], p[w+1])
			if u != nil {
				rotateRows(t[top*w+bot+1:bot*w], t[bot*w+bot+1:(bot+1)*w], c, s)
				for i := range top {
					r := t[i*w+top:][:2]
					r[0], r[1] = c*r[0]+s*r[1], c*r[1]-s*r[0]
				}
				rotateRows(u[top*w:bot*w], u[bot*w:(bot+1)*w], c, s)
			}
		}
		bot = top - 1
	}
	return 0
}

// doubleShift returns the eigenvalues of a matrix of order 2, or twice the real one
// that is nearer to h22.
func doubleShift(h11, h12, h21, h22 float64) (r1, i1, r2, i2 float64) {
	scale := math.Abs(h11) + math.Abs(h12) + math.Abs(h21) + math.Abs(h22)
	if scale == 0 {
		return 0, 0, 0, 0
	}
	h11, h12, h21, h22 = h11/scale, h12/scale, h21/scale, h22/scale
	middle := (h11 + h22) / 2
	det := (h11-middle)*(h22-middle) - h12*h21
	root := math.Sqrt(math.Abs(det))
	if det >= 0 {
		return middle * scale, root * scale, middle * scale, -root * scale
	}
	r := middle + root
	if other := middle - root; math.Abs(r-h22) > math.Abs(other-h22) {
		r = other
	}
	return r * scale, 0, r * scale, 0
}
