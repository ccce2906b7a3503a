package lanes

import "github.com/gramworks/gram/internal/race"

//go:generate go run github.com/gramworks/gram/internal/neon/gen
//go:generate go run github.com/gramworks/gram/asm/gen

// Width is the number of matrices of a group.
const Width = 8

// Reduce subtracts Σₚ u_p·b_pc, 0 ≤ p < k, from x_c for c < r, where u_p is element p·us of u and b_pc element p·bs+c
// of b, and then divides: by d, or, if d is nil, by the root of x_0, which takes the place of x_0. The products of a
// sum are subtracted in ascending order. x must not overlap the other operands; r is at least 1.
func Reduce(x, u []float64, us int, b []float64, bs, k, r int, d []float64) {
	if r < 1 || k < 0 {
		panic("lanes: bad size")
	}
	x = x[:r*Width]
	if k > 0 {
		u, b = u[:((k-1)*us+1)*Width], b[:((k-1)*bs+r)*Width]
	}
	if d != nil {
		d = d[:Width]
	}
	race.Write(x)
	race.ReadRows(u, k, us*Width, Width)
	race.ReadRows(b, k, bs*Width, r*Width)
	race.Read(d)
	reduce(x, u, us, b, bs, k, r, d)
}

// Angle finds the rotation by which the element pq of a symmetric matrix becomes zero, changes the elements pp, pq and qq
// and stores the cosine and the sine to cs, 2·Width numbers. Where |pq| ≤ 2⁻⁵⁴·min(|pp|, |qq|) nothing changes, the
// cosine is 1 and the sine 0. Bit l of the result is set if the matrix of lane l is rotated.
func Angle(pp, pq, qq, cs []float64) (rotated int) {
	pp, pq, qq, cs = pp[:Width], pq[:Width], qq[:Width], cs[:2*Width]
	race.Write(pp)
	race.Write(pq)
	race.Write(qq)
	race.Write(cs)
	return angle(pp, pq, qq, cs)
}

// Turn applies the rotation of Angle to n pairs of elements, the i-th of which are elements i·xs of x and i·ys of y. No
// element is met twice.
func Turn(n int, x []float64, xs int, y []float64, ys int, cs []float64) {
	if n <= 0 {
		return
	}
	x, y, cs = x[:((n-1)*xs+1)*Width], y[:((n-1)*ys+1)*Width], cs[:2*Width]
	race.WriteRows(x, n, xs*Width, Width)
	race.WriteRows(y, n, ys*Width, Width)
	race.Read(cs)
	turn(n, x, xs, y, ys, cs)
}

// Eliminate is a step of the elimination of Gauss on n×n elements, of which element (i, c) is element i·xs+c of x: it
// divides those of column 0 below the first by the first, and subtracts from the others the products of column 0 and row 0.
func Eliminate(n int, x []float64, xs int) {
	if n <= 1 {
		return
	}
	x = x[:((n-1)*xs+n)*Width]
	race.WriteRows(x, n, xs*Width, n*Width)
	eliminate(n, x, xs)
}

// Largest sets at to the numbers of the elements of largest magnitude, and to the first of equal ones. Element i of n is element i·xs
// of x, and NaN is larger than any number. n is at least 1.
func Largest(n int, x []float64, xs int, at []int) {
	if n < 1 {
		panic("lanes: bad size")
	}
	x, at = x[:((n-1)*xs+1)*Width], at[:Width]
	race.ReadRows(x, n, xs*Width, Width)
	if race.Enabled {
		clear(at) // the detector does not see what the assembly writes
	}
	largest(n, x, xs, at)
}
