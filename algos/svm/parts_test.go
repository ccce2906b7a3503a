package svm

import (
	"context"
	"errors"
	"runtime"
	"slices"
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/internal/gen"
	"github.com/gramworks/gram/internal/race"
	"github.com/gramworks/gram/kernel"
	"gonum.org/v1/gonum/mat"
)

// A part's functions are those of Train on its rows, however many parts are trained side
// by side.
func TestTrainParts(t *testing.T) {
	x, y := gen.Blobs(60, 2, 3, 1, 5)
	w := make([]float64, 60)
	index := [][]int{nil, nil, nil, nil}
	for i := range w {
		w[i] = float64(1 + i%4)
		k := []int{0, 2, 3, 3}[i%4]
		index[k] = append(index[k], i)
	}
	start := mat.NewDense(60, 3, nil)
	for i := range 60 {
		start.Set(i, i%3, 0.1)
	}
	for _, workers := range []int{1, 8} {
		for _, weights := range [][]float64{nil, w} {
			for _, from := range []*mat.Dense{nil, start} {
				var events []gram.Event
				c := Config{Kernel: kernel.Gaussian{Gamma: 1}, Run: gram.Run{Workers: workers, Progress: func(e gram.Event) { events = append(events, e) }}}
				parts, err := c.TrainParts(t.Context(), "parts", gram.Of(x), y, weights, index, from)
				if err != nil || len(parts) != 4 || parts[1].Coef != nil {
					t.Fatalf("%d parts, error %v", len(parts), err)
				}
				if e := events[len(events)-1]; e.Phase != "parts" || e.Done != 60 || e.Total != 60 {
					t.Errorf("last event %+v", e)
				}
				c.Progress = nil
				for k, list := range index {
					if len(list) == 0 {
						continue
					}
					sub := gram.Labels{Names: y.Names}
					var sw []float64
					var sf *mat.Dense
					if from != nil {
						sf = mat.NewDense(len(list), 3, nil)
					}
					for j, i := range list {
						sub.Class = append(sub.Class, y.Class[i])
						if weights != nil {
							sw = append(sw, weights[i])
						}
						if from != nil {
							sf.SetRow(j, from.RawRowView(i))
						}
					}
					coef, bias, stats, err := c.Train(t.Context(), gram.Of(x).Select(list), sub, sw, sf)
					if err != nil {
						t.Fatal(err)
					}
					p := parts[k]
					if !mat.Equal(p.Coef, coef) || !mat.Equal(mat.NewVecDense(3, p.Bias), mat.NewVecDense(3, bias)) || p.Stats[0].Iterations != stats[0].Iterations {
						t.Errorf("%d workers: part %d is another one than by itself", workers, k)
					}
				}
			}
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	parts, err := Config{Kernel: kernel.Gaussian{Gamma: 1}}.TrainParts(ctx, "parts", gram.Of(x), y, nil, index, nil)
	if !errors.Is(err, context.Canceled) || parts[0].Coef != nil {
		t.Errorf("error %v at once", err)
	}
	short := Config{Kernel: kernel.Gaussian{Gamma: 1}, MaxIter: 1}
	parts, err = short.TrainParts(t.Context(), "parts", gram.Of(x), y, nil, index, nil)
	var ce *gram.ConvergenceError
	if !errors.As(err, &ce) || parts[0].Coef == nil || parts[3].Coef == nil {
		t.Errorf("error %v after one step", err)
	}
}

// The parts keep to the limit of memory, too, and to the bits of a fit without one.
func TestTrainPartsMemory(t *testing.T) {
	x, y := gen.Blobs(6000, 2, 2, 3, 5)
	index := [][]int{make([]int, 6000)}
	for i := range index[0] {
		index[0][i] = i
	}
	var want []float64
	for _, limit := range []int64{0, 8 << 20} {
		c := Config{Kernel: kernel.Gaussian{Gamma: 1}, C: 10}
		c.MemoryLimit = limit
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		parts, err := c.TrainParts(t.Context(), "parts", gram.Of(x), y, nil, index, nil)
		runtime.ReadMemStats(&after)
		if err != nil {
			t.Fatal(err)
		}
		if took := int64(after.TotalAlloc - before.TotalAlloc); limit > 0 && took > 2*limit && !race.Enabled { // under the race detector pools drop what they hold
			t.Errorf("%d bytes with a limit of %d", took, limit)
		}
		coef := parts[0].Coef.RawMatrix().Data
		if want == nil {
			want = coef
		} else if !slices.Equal(coef, want) {
			t.Error("another solution with less memory")
		}
	}
}
