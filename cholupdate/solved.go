package cholupdate

import (
	"math"
	"unsafe"

	"github.com/gramworks/gram/asm/chol"
	"github.com/gramworks/gram/asm/level2"
	"github.com/gramworks/gram/num"
)

// changeSolved changes f by the solution p of Lp = x, for which A ± xxᵀ = L(I ± ppᵀ)Lᵀ, if
// det(I ± ppᵀ) is in the range in which that is accurate. It never is for an x or a factor
// that accepts refuses. Otherwise changeSolved returns false and has written nothing.
func (f storedFactor[F]) changeSolved(kind chol.Kind, x []F) (margin float64, ok bool) {
	if len(x) != f.n {
		return 0, false
	}
	first := 0 // a multiple of 4, like the columns that are changed at once
	for first+4 <= f.n && allZero(x[first:first+4]) {
		first += 4
	}
	if first > 0 && f.positive() != nil {
		return 0, false
	}
	f, x = f.trailing(first), x[first:]
	p := borrow[F](f.n)
	defer giveBack(p)
	copy(*p, x)
	if !f.solve(*p) {
		return 0, false
	}
	buf := borrowRotations[F]((f.n + 3) / 4)
	defer giveRotations(buf)
	if margin = coefficients(kind, *p, *buf); !(margin >= leastSolved && margin <= mostSolved) {
		return 0, false
	}
	copy(*p, x)
	f.multiply(*p, *buf)
	return margin, true
}

// solve overwrites x by L⁻¹x, eight elements at a time. It returns false where an element of
// the diagonal is negative, not a number or so large that its inverse loses digits. Where
// one is 0 or so small that its inverse is infinite, x becomes infinite or NaN.
func (f storedFactor[F]) solve(x []F) bool {
	down, right := f.stride, 1
	if !f.lower {
		down, right = 1, f.stride
	}
	normal := F(0x1p-126) // the least number with all digits
	if unsafe.Sizeof(normal) == 8 {
		normal *= F(math.Ldexp(1, -1022+126))
	}
	for lo := 0; lo < f.n; lo += 8 {
		hi := min(lo+8, f.n)
		v := x[lo:hi]
		if f.lower && lo > 0 {
			level2.GemvN(v, f.a[lo*f.stride:], f.stride, x[:lo], -1)
		}
		l := f.a[lo*(f.stride+1):]
		var inverse [8]F
		for j := range v {
			if inverse[j] = 1 / l[j*(f.stride+1)]; !(inverse[j] >= normal) {
				return false
			}
		}
		for j := range v {
			z := v[j] * inverse[j]
			v[j] = z
			for i := j + 1; i < len(v); i++ {
				v[i] -= F(z * l[i*down+j*right])
			}
		}
		if !f.lower && hi < f.n {
			level2.GemvT(x[hi:], f.a[lo*f.stride+hi:], f.stride, v, -1)
		}
	}
	return true
}

// coefficients sets r to the coefficients of chol.Solved for the factor of I ± ppᵀ, four
// columns each, and returns the margin 1 ± pᵀp. If that is not in the range of changeSolved, r
// has no meaning.
func coefficients[F num.Float](kind chol.Kind, p []F, r []chol.Rotations[F]) (margin float64) {
	sign := signOf(kind)
	s, before := 1., 1. // s_j and 1/√s_{j−1}
	for j := range r {
		var z [4]float64
		for k, v := range p[4*j : min(4*j+4, len(p))] {
			z[k] = float64(v)
		}
		s0 := s + sign*(z[0]*z[0])
		s1 := s0 + sign*(z[1]*z[1])
		s2 := s1 + sign*(z[2]*z[2])
		s = s2 + sign*(z[3]*z[3])
		r0, r1, r2, r3, i0, i1, i2, i3 := roots(s0, s1, s2, s)
		q := &r[j]
		q.C = [4]F{F(r0 * before), F(r1 * i0), F(r2 * i1), F(r3 * i2)}
		q.S = [4]F{F(z[0]), F(z[1]), F(z[2]), F(z[3])}
		q.R = [4]F{F(sign * z[0] * i0 * before), F(sign * z[1] * i1 * i0), F(sign * z[2] * i2 * i1), F(sign * z[3] * i3 * i2)}
		before = i3
	}
	return s
}

// multiply multiplies f by the factor that has the coefficients r. It overwrites w, which
// is x.
func (f storedFactor[F]) multiply(w []F, r []chol.Rotations[F]) {
	if !f.lower || f.n <= 4*chol.PanelRows {
		for lo := 0; lo < f.n; lo += 4 {
			f.multiplyColumns(lo, f.n, w, &r[lo/4])
		}
		return
	}
	const rows = chol.PanelRows
	for top := (f.n - 1) / rows * rows; top >= 0; top -= rows { // solve has just read the last rows
		end := min(top+rows, f.n)
		if top > 0 {
			chol.RotatePanel(chol.Solved, f.a[top*f.stride:], f.stride, w[top:end], r[:top/4])
		}
		for lo := top; lo < end; lo += 4 {
			f.multiplyColumns(lo, end, w, &r[lo/4])
		}
	}
}

// multiplyColumns does it for columns lo … lo+3 in rows lo … end−1.
func (f storedFactor[F]) multiplyColumns(lo, end int, w []F, r *chol.Rotations[F]) {
	hi := min(lo+4, f.n)
	down, right := f.stride, 1
	if !f.lower {
		down, right = 1, f.stride
	}
	l := f.a[lo*(f.stride+1):]
	v := w[lo:hi]
	switch hi - lo {
	case 4:
		e := l[3*down:]
		e[0], v[3] = solved(e[0], v[3], r, 0)
		e[right], v[3] = solved(e[right], v[3], r, 1)
		e[2*right], v[3] = solved(e[2*right], v[3], r, 2)
		e[3*right] *= r.C[3]
		fallthrough
	case 3:
		e := l[2*down:]
		e[0], v[2] = solved(e[0], v[2], r, 0)
		e[right], v[2] = solved(e[right], v[2], r, 1)
		e[2*right] *= r.C[2]
		fallthrough
	case 2:
		e := l[down:]
		e[0], v[1] = solved(e[0], v[1], r, 0)
		e[right] *= r.C[1]
		fallthrough
	default:
		l[0] *= r.C[0]
	}
	switch {
	case hi >= end:
	case f.lower:
		chol.RotateLower(chol.Solved, f.a[hi*f.stride+lo:], f.stride, w[hi:end], r)
	default:
		chol.Rotate(chol.Solved, f.a[lo*f.stride+hi:], f.stride, w[hi:end], r)
	}
}

// solved does for an element of column k what chol.Rotate does.
func solved[F num.Float](l, w F, r *chol.Rotations[F], k int) (F, F) {
	w -= F(r.S[k] * l)
	return F(r.C[k]*l) + F(r.R[k]*w), w
}
