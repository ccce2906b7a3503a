// Package paley constructs the Hadamard matrices on which transforms of lengths
// other than powers of two are built.
//
// The API of this package is not promised and may change in any version: programs link
// package fwht at the top of the module.
//
// # Paley's constructions
//
// For a field of q elements let Q be the matrix of the quadratic character, Q_ab =
// χ(a−b). If q ≡ 1 mod 4, then S = [0 1ᵀ; 1 Q] is a symmetric conference matrix,
// S·S = q·I, and
//
//	H = S ⊗ [1 1; 1 −1] + I ⊗ [1 −1; −1 −1]
//
// has entries ±1, is symmetric, and H·H = 2(q+1)·I: the second construction, with
// q = 5, 9, 13 for the orders 12, 20 and 28, whose products are in assembly, and q
// = 17, 25, 29, 53, 73 for 36, 52, 60, 108 and 148. If q ≡ 3 mod 4, the matrix with
// a first row and column of ones and
//
//	H_ab = −χ(−a−b) − [a = −b]
//
// elsewhere is symmetric with H·H = (q+1)·I: the first construction with its rows
// in another order, with q = 139.
//
// # Williamson's construction
//
// If A, B, C, D are symmetric circulant matrices of order t with entries ±1 and A² +
// B² + C² + D² = 4t·I, then
//
//	H = [  A  B  C  D ]
//	    [ −B  A −D  C ]
//	    [ −C  D  A −B ]
//	    [ −D −C  B  A ]
//
// is a Hadamard matrix of order 4t. It is not symmetric. Here t = 39 and 43.
//
// Sources: [P33] R. E. A. C. Paley, On orthogonal matrices, Journal of Mathematics
// and Physics 12 (1933) 311–320. [W44] J. Williamson, Hadamard's determinant
// theorem and the sum of four squares, Duke Mathematical Journal 11 (1944) 65–81.
package paley

// Orders lists the orders of symmetric matrices whose products package hadamard
// computes from their conference matrices.
var Orders = [...]int{12, 20, 28}

// Large lists further orders, which have no product of their own.
var Large = [...]int{36, 52, 60, 108, 140, 148, 156, 172}

// williamson holds, for each t, the indices j ≤ t/2 at which the first row of A, B,
// C or D is −1. Those of 43 are unions of cosets of {±1, ±6, ±7}, the subgroup of
// order six, with the representatives that are listed.
var williamson = map[int][4][]int{
	39: {{1, 4, 5, 6, 7, 8, 9, 12, 13, 15, 17}, {1, 2, 3, 5, 6, 11, 12, 13, 14, 16, 18}, {2, 3, 7, 9, 10, 13, 15, 16, 17, 18, 19}, {1, 2, 3, 5, 6, 7, 9, 12, 15, 16, 17, 18}},
	43: {cosets(5, 9, 10), cosets(2, 4, 9), cosets(3, 4, 5, 9), cosets(1, 4, 5)},
}

// cosets returns the elements of the cosets of {±1, ±6, ±7} modulo 43.
func cosets(representatives ...int) (all []int) {
	for _, r := range representatives {
		all = append(all, r, r*6%43, r*36%43)
	}
	return all
}

// Matrix returns the Hadamard matrix of one of the orders in Orders and Large. Those of
// Paley's constructions, below 156, are symmetric.
func Matrix(m int) [][]int8 {
	h := make([][]int8, m)
	for i := range h {
		h[i] = make([]int8, m)
	}
	if w, ok := williamson[m/4]; ok {
		t := m / 4
		var rows [4][]int8
		for b, minus := range w {
			rows[b] = make([]int8, t)
			for j := range t {
				rows[b][j] = 1
			}
			for _, j := range minus {
				rows[b][j], rows[b][t-j] = -1, -1
			}
		}
		// block and sign of the places of the array
		block := [4][4]int{{0, 1, 2, 3}, {1, 0, 3, 2}, {2, 3, 0, 1}, {3, 2, 1, 0}}
		sign := [4][4]int8{{1, 1, 1, 1}, {-1, 1, -1, 1}, {-1, 1, 1, -1}, {-1, -1, 1, 1}}
		for i := range m {
			for j := range m {
				h[i][j] = sign[i/t][j/t] * rows[block[i/t][j/t]][(j%t-i%t+t)%t]
			}
		}
		return h
	}
	if m == 140 { // the first construction
		f := newField(m - 1)
		for i := range m {
			for j := range m {
				h[i][j] = 1
				if i > 0 && j > 0 {
					d := f.sub(f.sub(0, i-1), j-1)
					h[i][j] = -f.character[d]
					if d == 0 {
						h[i][j] = -1
					}
				}
			}
		}
		return h
	}
	s := Conference(m)
	for i := range m {
		for j := range m {
			a, b := [2][2]int8{{1, 1}, {1, -1}}[i%2][j%2], [2][2]int8{{1, -1}, {-1, -1}}[i%2][j%2]
			h[i][j] = s[i/2][j/2] * a
			if i/2 == j/2 {
				h[i][j] = b
			}
		}
	}
	return h
}

// Conference returns S, of order m/2, for the Hadamard matrix of order m of the
// second construction.
func Conference(m int) [][]int8 {
	f := newField(m/2 - 1)
	s := make([][]int8, f.q+1)
	for i := range s {
		s[i] = make([]int8, f.q+1)
		for j := range s {
			switch {
			case i == 0 && j == 0:
			case i == 0 || j == 0:
				s[i][j] = 1
			default:
				s[i][j] = f.character[f.sub(i-1, j-1)]
			}
		}
	}
	return s
}

// A field has q = p or p² elements. The number a + p·b stands for the element a +
// b·i, where i² = 2 is not a square modulo p = 3 or 5.
type field struct {
	q, p      int
	character []int8 // χ
}

func newField(q int) field {
	f := field{q: q, p: q, character: make([]int8, q)}
	for p := 2; p*p <= q; p++ {
		if p*p == q {
			f.p = p
		}
	}
	for a := 1; a < q; a++ {
		f.character[a] = -1
	}
	for a := 1; a < q; a++ {
		f.character[f.mul(a, a)] = 1
	}
	return f
}

func (f field) sub(a, b int) int {
	p := f.p
	return (a%p-b%p+p)%p + p*((a/p-b/p+p)%p)
}

func (f field) mul(a, b int) int {
	p := f.p
	return (a%p*(b%p)+2*(a/p)*(b/p))%p + p*((a%p*(b/p)+a/p*(b%p))%p)
}
