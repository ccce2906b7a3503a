package asmtest

import "github.com/gramworks/gram/asm/hadamard/paley"

// Hadamard returns the Hadamard matrix of order m on which transforms of length
// m·2^k are built. It is computed entry by entry from its definition, with
// which the transforms are compared.
func Hadamard(m int) [][]int8 {
	s := paley.Conference(m)
	h := make([][]int8, m)
	for i := range h {
		h[i] = make([]int8, m)
		for j := range h[i] {
			a, b := [2][2]int8{{1, 1}, {1, -1}}[i%2][j%2], [2][2]int8{{1, -1}, {-1, -1}}[i%2][j%2]
			h[i][j] = s[i/2][j/2] * a
			if i/2 == j/2 {
				h[i][j] += b
			}
		}
	}
	return h
}
