// Package paley constructs the symmetric Hadamard matrices of order 12, 20 and
// 28, on which transforms of lengths other than powers of two are built.
//
// For a field of q ≡ 1 mod 4 elements let Q be the matrix of the quadratic
// character, Q_ab = χ(a−b), and S = [0 1ᵀ; 1 Q] (a symmetric conference matrix:
// S·S = q·I). Then
//
//	H = S ⊗ [1 1; 1 −1] + I ⊗ [1 −1; −1 −1]
//
// has entries ±1, is symmetric, and H·H = 2(q+1)·I: Paley's second
// construction, with q = 5, 9, 13.
//
// Source: [P33] R. E. A. C. Paley, On orthogonal matrices, Journal of
// Mathematics and Physics 12 (1933) 311–320.
package paley

// Orders lists the orders of the matrices.
var Orders = [...]int{12, 20, 28}

// Conference returns S, of order m/2, for the Hadamard matrix of order m.
func Conference(m int) [][]int8 {
	q := m/2 - 1
	sub := func(a, b int) int { return (a - b + q) % q }
	mul := func(a, b int) int { return a * b % q }
	if q == 9 {
		// The element a + 3b stands for a + b·i of the field of nine elements,
		// with i² = −1 modulo 3.
		sub = func(a, b int) int { return (a%3-b%3+3)%3 + 3*((a/3-b/3+3)%3) }
		mul = func(a, b int) int {
			re := a%3*(b%3) + 2*(a/3)*(b/3)
			im := a%3*(b/3) + a/3*(b%3)
			return re%3 + 3*(im%3)
		}
	}
	chi := make([]int8, q)
	for a := range q {
		chi[a] = -1
	}
	chi[0] = 0
	for a := 1; a < q; a++ {
		chi[mul(a, a)] = 1
	}
	s := make([][]int8, q+1)
	for i := range s {
		s[i] = make([]int8, q+1)
		for j := range s {
			switch {
			case i == 0 && j == 0:
			case i == 0 || j == 0:
				s[i][j] = 1
			default:
				s[i][j] = chi[sub(i-1, j-1)]
			}
		}
	}
	return s
}
