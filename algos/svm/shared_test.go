package svm

import (
	"context"
	"slices"
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/internal/gen"
	"github.com/gramworks/gram/internal/must"
	"github.com/gramworks/gram/kernel"
	"github.com/gramworks/gram/sparse"
	"gonum.org/v1/gonum/mat"
)

// Pairs of classes with few rows get the same bits from one tile of all rows, from tiles of some classes, and from values that
// are computed row by row, with any number of workers, for dense and sparse rows and every way of computing kernels.
func TestSharedValues(t *testing.T) {
	full, y := gen.Blobs(150, 20, 7, 3, 9)
	w := make([]float64, 150)
	for i, class := range y.Class { // a class without rows, and one of a single row
		if w[i] = float64(i%4) + .5; class == 3 || class == 5 && slices.Index(y.Class, 5) < i {
			y.Class[i] = 6
		}
	}
	thin := mat.DenseCopyOf(full)
	thin.Apply(func(i, j int, v float64) float64 {
		if (i+j)%4 > 0 {
			return 0
		}
		return v
	}, thin)
	matern := kernel.Matern{Nu: 1.5, Length: 2}
	for name, x := range map[string]mat.Matrix{"dense": full, "zeros": thin, "sparse": sparse.FromDense(thin)} {
		for _, k := range []kernel.Kernel{kernel.Gaussian{Gamma: .1}, kernel.Laplacian{Gamma: .1}, kernel.Linear{}, matern, must.Have(kernel.SumOf([]float64{1, .5}, matern, kernel.Laplacian{Gamma: 1}))(t)} {
			c := Config{Kernel: k, C: 3, Tol: 1e-6}
			train := func(bytes int64, workers int) []float64 {
				c.CacheBytes, c.Workers = bytes, workers
				coef, bias, stats, err := c.Train(t.Context(), x, y, w, nil)
				must.Do(t, err)
				for f, s := range stats {
					if !s.Double || !(s.Violation <= c.Tol) {
						t.Fatalf("%s: function %d has a violation of %v, float64 %v", name, f, s.Violation, s.Double)
					}
				}
				return append(slices.Clone(coef.RawMatrix().Data), bias...)
			}
			want := train(1<<24, 1)
			for _, bytes := range []int64{1, 40_000, 150_000, 400_000} {
				for _, workers := range []int{1, 2, 3} {
					if !slices.Equal(train(bytes, workers), want) {
						t.Errorf("%s, %v: other bits with %d bytes and %d workers", name, k.Spec(), bytes, workers)
					}
				}
			}
		}
	}
}

// The tiles of a fit have the values of every pair once, and a tile is as large as the memory allows.
func TestTiles(t *testing.T) {
	x, y := gen.Blobs(60, 3, 12, 1, 3)
	members := make([][]int, 12)
	for i, class := range y.Class {
		members[class] = append(members[class], i)
	}
	c := Config{Kernel: kernel.Gaussian{Gamma: 1}}
	for bytes, runs := range map[int64]int{8 * 60 * 60: 1, 8*60*60 - 1: 3, 8 * 20 * 20: 6, 8 * 10 * 10: 12, 8*10*10 - 1: 1} {
		tiles := must.Have(c.newTiling(t.Context(), gram.Of(x), members, bytes))(t)
		if len(tiles.runs) != runs || int64(8*len(tiles.data)) > bytes {
			t.Errorf("%d bytes: %d runs of classes in %d numbers, want %d", bytes, len(tiles.runs), len(tiles.data), runs)
		}
		seen := make([]bool, 66)
		must.Do(t, tiles.each(t.Context(), 1, func(f int, index []int, m *spare) {
			a, b := pairOf(f, 12)
			want := append(slices.Clone(members[a]), members[b]...)
			if slices.Sort(want); seen[f] || !slices.Equal(index, want) {
				t.Errorf("%d bytes: function %d has rows %v, again %v", bytes, f, index, seen[f])
			}
			seen[f] = true
			row := make([]float64, len(index))
			for k, i := range index {
				rowOf(&m.values, row, k)
				for l, j := range index {
					if v := c.Kernel.Eval(x.RawRowView(i), x.RawRowView(j)); !(row[l]-v <= 1e-14 && v-row[l] <= 1e-14) {
						t.Errorf("%d bytes: rows %d and %d have %v, want %v", bytes, i, j, row[l], v)
					}
				}
			}
		}, func(int) {}))
		if slices.Contains(seen, false) {
			t.Errorf("%d bytes: a pair is missing", bytes)
		}
	}
}

// Progress counts the functions of pairs that share values, up to all of them.
func TestSharedProgress(t *testing.T) {
	x, y := gen.Blobs(80, 2, 20, 1, 3)
	var last gram.Event
	c := Config{Kernel: kernel.Gaussian{Gamma: 1}}
	c.Progress = func(e gram.Event) { last = e }
	must.Have(c.Fit(context.Background(), x, y, nil))(t)
	if last.Phase != "svm" || last.Done != 190 || last.Total != 190 {
		t.Errorf("the last event is %+v", last)
	}
}
