package catalog_test

import (
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/algotest"
	"github.com/gramworks/gram/app/catalog"
	"github.com/gramworks/gram/app/catalog/catalogtest"
	"github.com/gramworks/gram/app/pipeline"
	"github.com/gramworks/gram/app/search"
	"github.com/gramworks/gram/app/training"
	"github.com/gramworks/gram/modelfile"
	"github.com/gramworks/gram/predict"
	"gonum.org/v1/gonum/mat"
)

// writePairs writes pairs of rows of d as their classes tell them.
func writePairs(t *testing.T, class []int, count int, more string) string {
	var b strings.Builder
	for k := range count {
		i, j := k%len(class), (k*7+1+k/len(class))%len(class)
		if i != j {
			fmt.Fprintf(&b, "%d,%d,%s\n", i, j, map[bool]string{true: "same", false: "different"}[class[i] == class[j]])
		}
	}
	path := filepath.Join(t.TempDir(), "pairs.csv")
	if err := os.WriteFile(path, []byte(b.String()+more), 0o666); err != nil {
		t.Fatal(err)
	}
	return path
}

// Every method that learns a kernel does so from classes and from a file of pairs, with a
// linear machine or an SVM and with nearest neighbors: the models predict new rows, are read
// again, and compile.
func TestLearnedKernels(t *testing.T) {
	d, fresh := catalogtest.Set(algotest.Problem(1, 90, 4, 3), algotest.Classification), algotest.Problem(1, 180, 4, 3)
	path := writePairs(t, d.Labels.Class, 200, "")
	x, class := fresh.X.(*mat.Dense).Slice(90, 180, 0, 4), fresh.Labels.Class[90:]
	for _, c := range []struct {
		method   catalog.Method
		settings []string
	}{
		{catalog.Must("bregman"), []string{"m=20"}},
		{catalog.Must("bregman"), []string{"m=20", "neighbors=5"}},
		{catalog.Must("bregman"), []string{"m=20", "learn-divergence=von-neumann"}},
		{catalog.Must("bregman"), []string{"m=20", "learn-divergence=von-neumann", "neighbors=5", "rank=10"}},
		{catalog.Must("sideinfo"), []string{"m=20", "prior=0.01"}},
		{catalog.Must("sideinfo"), []string{"m=20", "prior=0.01", "neighbors=5"}},
		{catalog.Must("inductive"), nil},
		{catalog.Must("inductive"), []string{"svm=true"}},
		{catalog.Must("inductive"), []string{"svm=true", "regularizer=frobenius"}},
		{catalog.Must("inductive"), []string{"svm=true", "regularizer=near-identity", "m=30"}},
		{catalog.Must("inductive"), []string{"regularizer=trace", "tau=0.01"}},
	} {
		for _, file := range []string{"", path} {
			name := fmt.Sprintf("%s %v, from a file: %t", c.method.Name, c.settings, file != "")
			if testing.Short() && file == "" {
				continue
			}
			m, err := training.Train(t.Context(), c.method, catalogtest.Trainable(t, c.method, append(slices.Clone(c.settings), "pairs-file="+file)...), d, training.MinMax, gram.Run{Seed: 1})
			var slow *gram.ConvergenceError
			if err != nil && !errors.As(err, &slow) || m == nil {
				t.Errorf("%s: %v", name, err)
				continue
			}
			want, err := m.Predict(x, true, 0)
			if err != nil {
				t.Fatal(err)
			}
			right := 0
			for i, k := range want.Class {
				if k == class[i] {
					right++
				}
			}
			if right < 60 {
				t.Errorf("%s: %d of 90 new rows are right", name, right)
			}
			to := filepath.Join(t.TempDir(), "m.gram")
			if err := modelfile.Save(to, m); err != nil {
				t.Errorf("%s: %v", name, err)
				continue
			}
			back, err := catalog.LoadFitted(to)
			if err != nil {
				t.Errorf("%s: %v", name, err)
				continue
			}
			if back.Method == "svm" {
				_, err := pipeline.Load(to, &pipeline.Registry{Models: catalog.Registry().Models})
				if err == nil || !strings.Contains(err.Error(), `a kernel of method "inductive.function", which this program does not know`) {
					t.Errorf("%s, without a reader of its kernel: %v", name, err)
				}
			}
			if got, err := back.Predict(x, true, 0); err != nil || !mat.Equal(got.Scores, want.Scores) || !slices.Equal(got.Class, want.Class) {
				t.Errorf("%s: predicts otherwise after reading: %v", name, err)
			}
			for _, precision := range []predict.Precision{predict.Float64, predict.Float32} {
				compiled, _, err := back.Compile(t.Context(), predict.Options{Method: predict.Exact, Precision: precision, Points: d.X})
				if err != nil {
					t.Errorf("%s: %v", name, err)
					continue
				}
				got, err := compiled.Predict(x, true, 0)
				if err != nil {
					t.Fatal(err)
				}
				other := 0
				for i := range got.Class {
					if got.Class[i] != want.Class[i] {
						other++
					}
				}
				if allowed := map[predict.Precision]int{predict.Float32: 1}[precision]; other > allowed { // ties
					t.Errorf("%s: %d rows are predicted otherwise in %v", name, other, precision)
				}
				gone := mat.DenseCopyOf(x)
				gone.Set(3, 1, math.NaN())
				if p, err := compiled.Predict(gone, false, 0); err != nil || p.Class[3] != -1 {
					t.Errorf("%s: a row with NaN: %v, %v", name, p.Class[3], err)
				}
			}
		}
	}
}

// On a learned kernel there are linear functions, unless neighbors are asked for.
func TestLearnedNeighbors(t *testing.T) {
	d := catalogtest.Set(algotest.Problem(1, 30, 3, 2), algotest.Classification)
	for _, method := range []string{"bregman", "sideinfo"} {
		for _, neighbors := range []int{0, 1, 3} {
			m := catalog.Must(method)
			p, err := training.Train(t.Context(), m, catalogtest.Trainable(t, m, "m=5", fmt.Sprintf("neighbors=%d", neighbors)), d, training.NoScale, gram.Run{Seed: 1})
			var slow *gram.ConvergenceError
			if err != nil && !errors.As(err, &slow) || p == nil {
				t.Errorf("%s, %d neighbors: %v", method, neighbors, err)
				continue
			}
			if _, linear := p.Model.(*pipeline.Classifier); linear != (neighbors == 0) {
				t.Errorf("%s, %d neighbors: a model of the type %T", method, neighbors, p.Model)
			}
		}
	}
}

// What is wrong in a file of pairs, or with one, is named.
func TestPairsFile(t *testing.T) {
	d := catalogtest.Set(algotest.Problem(1, 60, 4, 3), algotest.Classification)
	for _, c := range []struct {
		method   catalog.Method
		more     string
		settings []string
		want     string
	}{
		{catalog.Must("bregman"), "3,60,same\n", nil, `pairs.csv:101:3: "60" is not a row, want a number from 0 to 59`},
		{catalog.Must("inductive"), "3,4,like\n", nil, `pairs.csv:101:5: "like", want same or different`},
		{catalog.Must("sideinfo"), "3,4,same,x\n", nil, `pairs.csv:101:10: "x" is not a bound`},
		{catalog.Must("sideinfo"), "3,4,same,2\n", nil, "pairs[100].Bound is 2"},
		{catalog.Must("sideinfo"), "", []string{"csi=true"}, "csi"},
	} {
		path := writePairs(t, d.Labels.Class, 100, c.more)
		_, err := training.Train(t.Context(), c.method, catalogtest.Trainable(t, c.method, append(c.settings, "m=10", "pairs-file="+path)...), d, training.NoScale, gram.Run{})
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %s", c.method.Name, err, c.want)
		}
	}
	_, err := training.Train(t.Context(), catalog.Must("bregman"), catalogtest.Trainable(t, catalog.Must("bregman"), "pairs-file=none.csv"), d, training.NoScale, gram.Run{})
	if !errors.Is(err, os.ErrNotExist) {
		t.Errorf("no file: %v", err)
	}
	for _, s := range []search.Config{
		{Settings: []string{"pairs-file=x"}, Grid: []search.Choice{{Name: "m", Values: []string{"5", "9"}}}},
		{Grid: []search.Choice{{Name: "pairs-file", Values: []string{"a", "b"}}}},
	} {
		s.Methods = []catalog.Method{catalog.Must("sideinfo")}
		algotest.Names(t, "pairs-file", "search", s.Check())
	}
}
