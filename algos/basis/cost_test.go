package basis

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/internal/program"
	"github.com/gramworks/gram/internal/race"
)

// The peak of a program's cost is what one goroutine allocates for many rows of many columns, to a half, but for
// 32 KiB that do not depend on the sizes.
func TestCostsBoundMemory(t *testing.T) {
	if race.Enabled {
		t.Skip("under the detector a sync.Pool drops what it is given")
	}
	const d, m = 1500, 400
	values := NewValues(rbf, normal(1, m, d), 1)
	for name, b := range map[string]Basis{
		"values": values, "fourier": NewFourier(normal(2, d, m/2), 0), "rooted": NewRooted(values, normal(3, m, m)),
		"narrow": NewRooted(values, normal(3, m, 9)),
	} {
		_, m := b.Dims()
		for _, k := range []int{1, manyValues, manyOutputs} {
			f := Function{b, normal(8, m, k), make([]float64, k)}
			x := normal(7, 100, d)
			within(t, fmt.Sprintf("%s, %d functions in float64", name, k), f.Basis.With64(f.Coef, f.Bias), program.Rows[float64](x))
			within(t, fmt.Sprintf("%s, %d functions in float32", name, k), f.Basis.With32(f.Coef, f.Bias), program.Rows[float32](x))
		}
	}
}

func within[F gram.Float](t *testing.T, name string, p gram.Program[F], x gram.Rows[F]) {
	t.Helper()
	_, k := p.Dims()
	dst := gram.MakeRows[F](x.N, k)
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1)) // a pool keeps memory for each processor
	runtime.GC()                                    // twice, so that pools are empty
	runtime.GC()
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	p.Rows(dst, gram.Dense(x))
	runtime.ReadMemStats(&after)
	used, peak := int64(after.TotalAlloc-before.TotalAlloc), p.Cost().PeakBytes
	if used > peak+peak/2+32<<10 || peak > used+used/2+32<<10 {
		t.Errorf("%s: %d bytes, and a peak of %d", name, used, peak)
	}
}
