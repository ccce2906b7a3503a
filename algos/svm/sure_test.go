package svm

import (
	"context"
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/algotest"
	"github.com/gramworks/gram/asm/cpu"
	"github.com/gramworks/gram/internal/asmtest"
	"github.com/gramworks/gram/internal/must"
	"github.com/gramworks/gram/kernel"
	"github.com/gramworks/gram/num/rng"
	"github.com/gramworks/gram/sparse"
	"gonum.org/v1/gonum/mat"
)

// TestSureClasses promises that Predict returns the classes of values in float64: also for rows
// so near the boundary of two classes that values in float32 are of the other class, which
// must be among the rows that are computed again.
func TestSureClasses(t *testing.T) {
	algotest.Serial(t)
	asmtest.ForEachLevel(t, cpu.Levels()[1:], func(t *testing.T) {
		wrong := 0
		for _, c := range []struct {
			classes int
			offset  float64
			config  Config
		}{
			{2, 0, Config{C: 30, Kernel: kernel.Gaussian{Gamma: 2}}},
			{2, 50, Config{C: 1000, Kernel: kernel.Gaussian{Gamma: .05}}},
			{2, 0, Config{C: 1, NoBias: true, Kernel: kernel.Gaussian{Gamma: 30}}},
			{4, 0, Config{C: 10, Kernel: kernel.Gaussian{Gamma: 1}}},
			{4, 1, Config{C: 10, Multi: OneVsRest, Kernel: kernel.Gaussian{Gamma: 1}}},
		} {
			name := fmt.Sprintf("%d classes, %v, C %g", c.classes, c.config.Kernel.Spec(), c.config.C)
			r := rng.New(7, 7)
			const n, d = 300, 12
			x, y := mat.NewDense(n, d, nil), gram.Labels{Names: []string{"a", "b", "c", "d"}[:c.classes]}
			for i := range n {
				for j := range d {
					if r.IntN(3) == 0 {
						x.Set(i, j, c.offset+r.NormFloat64())
					}
				}
				class := int(3*math.Abs(x.At(i, 0)-x.At(i, 1)+.3*r.NormFloat64())) % c.classes
				y.Class = append(y.Class, class)
			}
			m := must.Have(c.config.Fit(context.Background(), x, y, nil))(t)
			// Between two rows of different classes, bisection finds one where the class changes.
			var hard []float64
			at := make([]float64, d)
			one := func(a, b []float64, s float64) int {
				for j := range at {
					at[j] = a[j] + s*(b[j]-a[j])
				}
				return m.Decide(m.Values(nil, mat.NewDense(1, d, at)).RawRowView(0))
			}
			for i := range 200 {
				a, b := x.RawRowView(i), x.RawRowView((i+57)%n)
				first, last := one(a, b, 0), one(a, b, 1)
				if first == last {
					continue
				}
				lo, hi := 0.0, 1.0
				for range 10 + i%45 {
					if mid := (lo + hi) / 2; one(a, b, mid) == first {
						lo = mid
					} else {
						hi = mid
					}
				}
				for _, s := range []float64{lo, hi} {
					one(a, b, s)
					hard = append(hard, at...)
				}
			}
			near := mat.NewDense(len(hard)/d, d, hard)
			count, _ := near.Dims()
			if count < 50 {
				t.Fatalf("%s: %d hard rows", name, count)
			}
			want := make([]int, count)
			values := m.Values(nil, near)
			for i := range want {
				want[i] = m.Decide(values.RawRowView(i))
			}
			for storage, x := range map[string]mat.Matrix{"dense": near, "sparse": sparse.FromDense(near)} {
				if got := m.Predict(nil, x); !slices.Equal(got, want) {
					t.Errorf("%s, %s: classes differ from those in float64", name, storage)
				}
				first := make([]int, count)
				rest := m.predictSure(first, x)
				for i, class := range first {
					if class != want[i] {
						if wrong++; !slices.Contains(rest, i) {
							t.Errorf("%s, %s: row %d has class %d, not %d, and is taken for sure", name, storage, i, class, want[i])
						}
					}
				}
				if len(rest) == 0 || len(rest) == count {
					t.Errorf("%s, %s: %d of %d hard rows are computed again", name, storage, len(rest), count)
				}
			}
			if rest := m.predictSure(make([]int, n), x); rest == nil || len(rest) > n/10 {
				t.Errorf("%s: %d of %d rows of the training data are computed again", name, len(rest), n)
			}
			open := m.predictSure(make([]int, count), near)[0]
			many := mat.NewDense(sureFirst+n, d, nil) // of the first rows none is sure
			for i := range sureFirst {
				many.SetRow(i, near.RawRowView(open))
			}
			many.Slice(sureFirst, sureFirst+n, 0, d).(*mat.Dense).Copy(x)
			if rest := m.predictSure(make([]int, sureFirst+n), many); len(rest) != sureFirst+n {
				t.Errorf("%s: %d of %d rows are computed again, want all", name, len(rest), sureFirst+n)
			}
			bad := mat.DenseCopyOf(near)
			bad.Set(3, 1, math.NaN())
			bad.Set(4, 1, 1e200)
			if got := m.Predict(nil, bad); got[3] != -1 || got[4] != m.Decide(m.Values(nil, bad).RawRowView(4)) {
				t.Errorf("%s: classes %d and %d of rows with NaN and 1e200", name, got[3], got[4])
			}
		}
		if wrong == 0 {
			t.Error("no row has another class in float32: the test cannot fail")
		}
	})
}
