package asmtest

import (
	"math/big"
	"slices"
)

// Eigenvalues returns the eigenvalues of a symmetric matrix, ascending, by Jacobi's method in numbers of 600 bits.
func Eigenvalues(n int, a func(i, j int) float64) []*big.Float {
	num := func(v float64) *big.Float { return new(big.Float).SetPrec(600).SetFloat64(v) }
	x := make([][]*big.Float, n)
	for i := range x {
		for j := range n {
			x[i] = append(x[i], num(a(min(i, j), max(i, j))))
		}
	}
	for range 15 {
		for p := range n {
			for q := p + 1; q < n; q++ {
				if pq := x[p][q]; pq.Sign() == 0 || pq.MantExp(nil) < min(exponent(x[p][p]), exponent(x[q][q]))-300 {
					x[p][q], x[q][p] = num(0), num(0)
					continue
				}
				tau := num(0).Sub(x[q][q], x[p][p])
				tau.Quo(tau, num(0).Add(x[p][q], x[p][q]))
				root := num(0).Mul(tau, tau)
				root.Sqrt(root.Add(root, num(1)))
				t := num(0).Quo(num(1), root.Add(root, num(0).Abs(tau)))
				if tau.Sign() < 0 {
					t.Neg(t)
				}
				c := num(0).Mul(t, t)
				c.Quo(num(1), c.Sqrt(c.Add(c, num(1))))
				s := num(0).Mul(t, c)
				turn := func(u, v **big.Float) {
					cu, sv := num(0).Mul(c, *u), num(0).Mul(s, *v)
					su, cv := num(0).Mul(s, *u), num(0).Mul(c, *v)
					*u, *v = cu.Sub(cu, sv), su.Add(su, cv)
				}
				for k := range n {
					turn(&x[k][p], &x[k][q])
				}
				for k := range n {
					turn(&x[p][k], &x[q][k])
				}
				x[p][q], x[q][p] = num(0), num(0)
			}
		}
	}
	var values []*big.Float
	for i := range n {
		values = append(values, x[i][i])
	}
	slices.SortFunc(values, (*big.Float).Cmp)
	return values
}

// exponent returns that of x, but no less than that of numbers whose square is nothing beside any float64.
func exponent(x *big.Float) int {
	const least = -2700
	if x.Sign() == 0 {
		return least
	}
	return max(x.MantExp(nil), least)
}
