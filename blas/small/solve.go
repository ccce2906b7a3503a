package small

import "math"

// Solve2 returns the solution x of a·x = b. The error is ErrSingular, or a *gram.DataError for an element of a that is not finite.
func Solve2(a [2][2]float64, b [2]float64) (x [2]float64, err error) {
	f, err := factor(2, of2(a))
	if err != nil {
		return x, err
	}
	y := f.solve([maxOrder]float64{b[0], b[1]})
	return [2]float64(y[:2]), nil
}

// Solve3 solves three equations with three unknowns as Solve2 does two.
func Solve3(a [3][3]float64, b [3]float64) (x [3]float64, err error) {
	f, err := factor(3, of3(a))
	if err != nil {
		return x, err
	}
	y := f.solve([maxOrder]float64{b[0], b[1], b[2]})
	return [3]float64(y[:3]), nil
}

// Solve4 solves four equations with four unknowns as Solve2 does two.
func Solve4(a [4][4]float64, b [4]float64) (x [4]float64, err error) {
	f, err := factor(4, a)
	if err != nil {
		return x, err
	}
	return f.solve(b), nil
}

// Inverse2 returns the inverse of a. The error is ErrSingular, or a *gram.DataError for an element of a that is not finite.
func Inverse2(a [2][2]float64) (inverse [2][2]float64, err error) {
	x, err := invert(2, of2(a))
	return x.to2(), err
}

// Inverse3 returns the inverse of a 3×3 matrix, with the errors of Inverse2.
func Inverse3(a [3][3]float64) (inverse [3][3]float64, err error) {
	x, err := invert(3, of3(a))
	return x.to3(), err
}

// Inverse4 returns the inverse of a 4×4 matrix, with the errors of Inverse2.
func Inverse4(a [4][4]float64) (inverse [4][4]float64, err error) {
	x, err := invert(4, a)
	return x, err
}

func invert(n int, a square) (inverse square, err error) {
	f, err := factor(n, a)
	if err != nil {
		return inverse, err
	}
	for j := range n {
		var unit [maxOrder]float64
		unit[j] = 1
		for i, v := range f.solve(unit) {
			inverse[i][j] = v
		}
	}
	return inverse, nil
}

// factors are P·B = L·U for B = R·A·C, where R and C are diagonals of powers of two by which the largest element of
// each row and column of B is about one.
type factors struct {
	n          int
	b, lu      square
	rows, cols [maxOrder]int // exponents of R and C
	perm       [maxOrder]int
}

// factor scales a and eliminates with the largest pivot of each column.
func factor(n int, a square) (f factors, err error) {
	f = factors{n: n, b: a}
	if err := a.finite(n); err != nil {
		return f, err
	}
	for i := range n {
		largest := 0.
		for _, v := range a[i][:n] {
			largest = max(largest, math.Abs(v))
		}
		e := exponent(largest)
		f.rows[i] = -e
		for j := range n {
			f.b[i][j] = scaled(a[i][j], -e)
		}
	}
	for j := range n {
		largest := 0.
		for i := range n {
			largest = max(largest, math.Abs(f.b[i][j]))
		}
		e := exponent(largest)
		f.cols[j] = -e
		for i := range n { // of a, for the product of both scales may be a number where one is none
			f.b[i][j] = scaled(a[i][j], f.rows[i]-e)
		}
	}
	f.lu = f.b
	for i := range f.perm {
		f.perm[i] = i
	}
	for p := range n {
		pivot := p
		for i := p + 1; i < n; i++ {
			if math.Abs(f.lu[i][p]) > math.Abs(f.lu[pivot][p]) {
				pivot = i
			}
		}
		f.lu[p], f.lu[pivot] = f.lu[pivot], f.lu[p]
		f.perm[p], f.perm[pivot] = f.perm[pivot], f.perm[p]
		if f.lu[p][p] == 0 {
			return f, ErrSingular
		}
		for i := p + 1; i < n; i++ {
			by := f.lu[i][p] / f.lu[p][p]
			f.lu[i][p] = by
			for j := p + 1; j < n; j++ {
				f.lu[i][j] -= float64(by * f.lu[p][j])
			}
		}
	}
	return f, nil
}

// refinements is how often a solution is corrected at most.
const refinements = 3

// solve returns the solution of A·x = b.
func (f *factors) solve(b [maxOrder]float64) (x [maxOrder]float64) {
	for i := range f.n {
		b[i] = scaled(b[i], f.rows[i])
	}
	y := f.substitute(b)
	for range refinements {
		var r [maxOrder]float64
		for i := range f.n {
			r[i] = residual(f.n, b[i], &f.b[i], &y)
		}
		changed := false
		for i, c := range f.substitute(r) {
			before := y[i]
			y[i] += c
			changed = changed || y[i] != before
		}
		if !changed {
			break
		}
	}
	for i := range f.n {
		x[i] = scaled(y[i], f.cols[i])
	}
	return x
}

// substitute returns B⁻¹r by forward and backward substitution with the factors L and U.
func (f *factors) substitute(r [maxOrder]float64) (y [maxOrder]float64) {
	for i := range f.n {
		y[i] = r[f.perm[i]]
		for j := range i {
			y[i] -= float64(f.lu[i][j] * y[j])
		}
	}
	for i := f.n - 1; i >= 0; i-- {
		for j := i + 1; j < f.n; j++ {
			y[i] -= float64(f.lu[i][j] * y[j])
		}
		y[i] /= f.lu[i][i]
	}
	return y
}

// residual returns b − a·y, whose terms are summed in twice the precision.
func residual(n int, b float64, a, y *[maxOrder]float64) float64 {
	sum, low := b, 0.
	for j := range n {
		p := float64(a[j] * y[j])
		rest := math.FMA(a[j], y[j], -p)
		s := sum - p
		t := s - sum
		low += (sum - (s - t)) - (p + t) - rest
		sum = s
	}
	return sum + low
}

// exponent returns e for which x is in [.5, 1)·2^e, for x ≥ 0.
func exponent(x float64) int {
	if e := int(math.Float64bits(x) >> 52); e > 0 {
		return e - 1022
	}
	_, e := math.Frexp(x)
	return e
}

// scaled returns x·2^e, which is exact unless the result is denormal or too large.
func scaled(x float64, e int) float64 {
	if -1000 < e && e < 1000 {
		return x * math.Float64frombits(uint64(e+1023)<<52)
	}
	return math.Ldexp(x, e)
}
