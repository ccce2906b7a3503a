//go:build !noasm && (amd64 || arm64)

package structured

import (
	"unsafe"

	"github.com/gramworks/gram/asm/cpu"
	"github.com/gramworks/gram/num"
)

// shape returns, for the level in force, the rows of a block, the seeds in one
// vector of the block's sums, and the largest number of these vectors.
func shape[F num.Float]() (rows, lanes, vectors int) {
	size := int(unsafe.Sizeof(F(0)))
	switch cpu.Current() {
	case cpu.AVX512:
		return 8, 64 / size, 3
	case cpu.AVX2:
		return 4, 32 / size, 3
	}
	return 4, 64 / size, 1 // NEON: four registers at once
}

// rangesBlocks takes the seeds a block's width at a time, and for these seeds
// all rows, so that a panel of v stays in the first cache.
func rangesBlocks[F num.Float](t []F, place []int, x []F, xs, n int, v []F, s, d, width int) {
	rows, lanes, vectors := shape[F]()
	for r, p := range place {
		t := t[p*n*s:][:n*s]
		for lo, hi := r*width, min((r+1)*width, d); lo < hi; lo += most {
			w := min(most, hi-lo)
			x, v := x[lo:], v[lo*s:]
			for l := 0; l < s; l += vectors * lanes {
				c := min(vectors, (s-l)/lanes)
				i := 0
				for ; i+rows <= n; i += rows {
					block(t[i*s+l:], s, x[i*xs:], xs, v[l:], s, w, c)
				}
				for ; i < n; i++ {
					line(t[i*s+l:], x[i*xs:], v[l:], s, w, c)
				}
			}
		}
	}
}
