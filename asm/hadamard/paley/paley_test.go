package paley_test

import (
	"testing"

	"github.com/gramworks/gram/asm/hadamard/paley"
)

func TestHadamard(t *testing.T) {
	for _, m := range append(paley.Orders[:], paley.Large[:]...) {
		h := paley.Matrix(m)
		for i := range m {
			for j := range m {
				if v := h[i][j]; v != 1 && v != -1 || m < 156 && h[j][i] != v {
					t.Fatalf("order %d: entry (%d, %d) is %d, transposed %d", m, i, j, v, h[j][i])
				}
				sum := 0
				for k := range m {
					sum += int(h[i][k]) * int(h[j][k])
				}
				if want := map[bool]int{true: m}[i == j]; sum != want {
					t.Fatalf("order %d: (H·Hᵀ)[%d][%d] = %d, want %d", m, i, j, sum, want)
				}
			}
		}
	}
}
