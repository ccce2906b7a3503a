package hadamard

import (
	"math/rand/v2"
	"testing"

	"github.com/gramworks/gram/internal/asmtest"
	"github.com/gramworks/gram/num"
)

// TestChunks runs every function on sizes that exceed a multiple of the size
// of one assembly call by one.
func TestChunks(t *testing.T) {
	forEachForm(t, func(t *testing.T) {
		checkChunks[float32](t)
		checkChunks[float64](t)
	})
}

func checkChunks[F num.Float](t *testing.T) {
	r := rand.New(rand.NewPCG(9, 10))
	size := 64 / line[F]()
	for _, d := range []int{1, 8, 64, 512, 2048, 4096} {
		for _, bytes := range []int{leastLeaf, caps{}.tuned().leaf, chunkBytes, 2 * chunkBytes} {
			n, stride := max(1, bytes/(d*size))+1, d+1
			x := asmtest.Integers[F](r, n*stride, 100)
			want := append([]F(nil), x...)
			rowsGeneric(want, n, d, stride)
			Rows(x, n, d, stride)
			same(t, "rows", x, want)
		}
	}
	for _, n := range []int{chunkBytes/8 + 1, chunkBytes/8 + 65, chunkBytes/4 + 1, chunkBytes/4 + 64} {
		x := asmtest.Integers[F](r, n, 100)
		want := make([]F, n)
		for i, v := range x {
			want[i] = 3 * v
		}
		Scale(x, 3)
		same(t, "scale", x, want)
	}
	for k := 1; k <= 5; k++ {
		for _, chunks := range []int{1, 2} {
			h := (chunks*chunkBytes/(size<<min(k, caps{}.tuned().near))/line[F]() + 1) * line[F]()
			x := asmtest.Integers[F](r, h<<k, 100)
			want := append([]F(nil), x...)
			columnsGeneric(want, 1<<k, h, line[F](), h)
			Columns(x, 1<<k, h, line[F](), h)
			same(t, "columns", x, want)
		}
	}
	for _, m := range []int{12, 20, 28} {
		step := chunkBytes / (m * size) &^ (line[F]() - 1)
		for _, h := range []int{step + 1, step + line[F](), 2*step + line[F]() + 1} {
			x := asmtest.Integers[F](r, m*h, 100)
			want := append([]F(nil), x...)
			baseGeneric(want, m, h, 0, h)
			Base(x, m, h, h)
			same(t, "base", x, want)
		}
	}
}
