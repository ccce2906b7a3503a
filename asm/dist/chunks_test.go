package dist

import (
	"math/rand/v2"
	"testing"

	"github.com/gramworks/gram/internal/asmtest"
	"github.com/gramworks/gram/num"
)

// TestChunks runs every function on sizes that are one more than a multiple of
// what a call of assembly gets, on integers, for which all sums are exact.
func TestChunks(t *testing.T) {
	asmtest.ForEachLevel(t, levels, func(t *testing.T) {
		for _, f := range of64 {
			testChunks(t, f)
		}
		for _, f := range of32 {
			testChunks(t, f)
		}
	})
}

func testChunks[F num.Float](t *testing.T, f distance[F]) {
	r := rand.New(rand.NewPCG(5, 6))
	for _, s := range [][2]int{
		{rowsPerCall(1) + 1, 1}, {rowsPerCall(9) + 1, 9}, {2*rowsPerCall(100) + 1, 100},
		{rowsPerCall(maxColumns) + 1, maxColumns}, {9, maxColumns + 1}, {17, maxColumns + 1}, {9, 2*maxColumns + 1},
	} {
		m, d := s[0], s[1]
		ld := d + 1
		x, z, got := asmtest.Integers[F](r, d, 3), asmtest.Integers[F](r, m*ld, 3), make([]F, m)
		f.rows(got, x, z, ld)
		for i, v := range got {
			var want F
			for j := range d {
				difference := x[j] - z[i*ld+j]
				if f.name[0] == 'A' {
					want += max(difference, -difference)
				} else {
					want += difference * difference
				}
			}
			if v != want {
				t.Fatalf("%s, row %d of %d×%d: %v, want %v", f.name, i, m, d, v, want)
			}
		}
	}
}
