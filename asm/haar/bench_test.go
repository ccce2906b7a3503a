package haar

import (
	"fmt"
	"sync"
	"testing"

	"github.com/gramworks/gram/internal/asmtest"
	"github.com/gramworks/gram/num"
	"github.com/gramworks/gram/num/rng"
)

// BenchmarkRows transforms, in place, as many rows as fit 16 KiB (or one longer
// row), and so measures short rows in the first-level cache. bytes/s count a
// row once; copy is the ceiling for the same bytes.
func BenchmarkRows(b *testing.B) {
	b.Run("f64", measureRows[float64])
	b.Run("f32", measureRows[float32])
}

func measureRows[F num.Float](b *testing.B) {
	size := 8
	if _, single := any(*new(F)).(float32); single {
		size = 4
	}
	for k := 3; k <= 22; k++ {
		d := 1 << k
		if k > 12 && k%2 == 1 {
			continue
		}
		n := max(1, 16<<10/(d*size))
		x := sync.OnceValue(func() []F { return asmtest.Normal[F](rng.New(1, 1), n*d) }) // only for a size that is copied
		y, scratch := make([]F, n*d), make([]F, Scratch(d))
		for _, l := range asmtest.Available(levels) {
			for _, op := range []string{"forward", "inverse", "orthonormal"} {
				b.Run(fmt.Sprintf("n=%d/op=%s/isa=%s", d, op, l), func(b *testing.B) {
					b.SetBytes(int64(n * d * size))
					asmtest.At(l, func() {
						for b.Loop() {
							switch op {
							case "forward":
								apply(false, y, d, y, d, n, d, Ones, scratch)
							case "inverse":
								apply(true, y, d, y, d, n, d, Inverse, scratch)
							default:
								apply(false, y, d, y, d, n, d, Orthonormal, scratch)
							}
						}
					})
				})
			}
		}
		b.Run(fmt.Sprintf("n=%d/op=copy/isa=none", d), func(b *testing.B) {
			b.SetBytes(int64(n * d * size))
			x := x()
			for b.Loop() {
				copy(y, x)
			}
		})
	}
}
