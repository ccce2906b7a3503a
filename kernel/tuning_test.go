package kernel

import (
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/internal/asmtest"
	"github.com/gramworks/gram/internal/tuning"
	"github.com/gramworks/gram/num/rng"
)

// TestTuning checks that no tunable value changes a bit of a result.
func TestTuning(t *testing.T) {
	t.Run("float64", tuned[float64])
	t.Run("float32", tuned[float32])
}

func tuned[F gram.Float](t *testing.T) {
	asmtest.ForEachLevel(t, levels(), func(t *testing.T) {
		const n, m = 130, 300
		kernels := []Kernel{Gaussian{0.1}, Laplacian{0.1}, Polynomial{Degree: 3, Offset: 1}}
		if testing.Short() {
			kernels = kernels[:1]
		}
		for _, k := range kernels {
			for _, d := range []int{3, 17, 150} {
				x, z := problem[F](n, m, d)
				v, u := gram.MakeRows[F](m, 2), gram.MakeRows[F](n, 2)
				copy(v.Data, asmtest.Normal[F](rng.New(1, 1), 2*m))
				copy(u.Data, asmtest.Normal[F](rng.New(1, 2), 2*n))
				results := func() [3]gram.Rows[F] {
					b := Against[F](k, z).Limit(2)
					fill, mul, mulT := gram.MakeRows[F](n, m), gram.MakeRows[F](n, 2), gram.MakeRows[F](m, 2)
					b.Fill(fill, gram.Dense(x))
					b.Mul(mul, gram.Dense(x), v)
					b.MulT(mulT, gram.Dense(x), u)
					return [3]gram.Rows[F]{fill, mul, mulT}
				}
				want := results()
				for _, bytes := range []int{1 << 10, 50_000, 1 << 24} {
					values := tuning.Defaults()
					values[tuning.KernelRows], values[tuning.KernelColumns] = bytes, bytes
					values[tuning.KernelStream] = max(bytes, 1<<16) // less than Fill writes, for the first two
					restore := tuning.Set(values)
					got := results()
					restore()
					for i, name := range []string{"Fill", "Mul", "MulT"} {
						same(t, name+" "+k.Spec().Name, want[i], got[i])
					}
				}
			}
		}
	})
}
