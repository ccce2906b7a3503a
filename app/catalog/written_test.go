package catalog_test

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/algotest"
	"github.com/gramworks/gram/algos/gp"
	"github.com/gramworks/gram/app/catalog"
	"github.com/gramworks/gram/app/catalog/catalogtest"
	"github.com/gramworks/gram/app/pipeline"
	"github.com/gramworks/gram/app/training"
	"github.com/gramworks/gram/dataset"
	"github.com/gramworks/gram/kernel"
	"github.com/gramworks/gram/modelfile"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

var full = flag.Bool("full", false, "fit with every extreme value of every setting, where a test takes a third of them")

// extremes returns texts at the ends of what a setting may be; many of them are refused.
func extremes(kind string, choices []string) []string {
	switch kind {
	case "bool":
		return []string{"true"}
	case "integer":
		return []string{"0", "1", "60", "1000000"}
	case "number", "numbers":
		return []string{"0", "1e-300", "1e-9", "1e9", "1e300", "-1"}
	case "MiB":
		return []string{"1", "1000000"}
	}
	return choices
}

// A model that is written can be read, whatever its settings and its targets are: where no reader would
// take what was learned, writing it is an error.
func TestWrittenIsRead(t *testing.T) {
	if os.Getenv("GRAM_LONG") == "" {
		t.Skip("takes long: needs GRAM_LONG")
	}
	kinds := map[dataset.Task]algotest.Kind{dataset.Classes: algotest.Classification, dataset.Regression: algotest.Regression, dataset.MultiLabel: algotest.MultiLabel}
	d := algotest.Problem(5, 24, 3, 2)
	d.X.(*mat.Dense).SetRow(3, []float64{0, 0, 0})
	for _, m := range catalog.Methods() {
		for _, task := range m.Tasks {
			kind, known := kinds[task]
			if !known {
				continue
			}
			fitted, written, extreme, least := 0, 0, 0, 4
			if *full {
				least = 10
			}
			try := func(s *dataset.Set, set ...string) {
				f := m.New()
				for _, one := range append(catalogtest.Quick(m), set...) {
					if f.Settings().Set(one) != nil {
						return
					}
				}
				ctx, cancel := context.WithTimeout(t.Context(), time.Second)
				defer cancel()
				p, _ := training.Train(ctx, m, f, s, training.NoScale, gram.Run{Seed: 1, MemoryLimit: 1 << 28})
				if p == nil {
					return
				}
				fitted++
				var b bytes.Buffer
				if modelfile.Write(&b, p) != nil {
					return
				}
				written++
				file, err := modelfile.Read(&b)
				if err == nil {
					_, err = pipeline.Decode(file, catalog.Registry())
				}
				if err != nil {
					t.Errorf("%s for %v with %s of %s is written, and then %v", m.Name, task, set, s.Name, err)
				}
			}
			for _, s := range m.New().Settings().Settings {
				if s.Kind == "file" {
					continue
				}
				for _, v := range extremes(s.Kind, s.Choices) {
					if extreme++; extreme%3 > 0 && !*full {
						continue
					}
					set := s.Name + "=" + v
					try(catalogtest.Set(d, kind), set)
					if s.Name == "degree" || s.Name == "offset" {
						try(catalogtest.Set(d, kind), "kernel=polynomial", set)
					}
				}
			}
			for i, exponent := range []int{-1070, 520, 500, -520, 1015} {
				if i%2 > 0 && !*full {
					continue
				}
				s := catalogtest.Set(d, kind)
				s.Name = fmt.Sprintf("targets times 2^%d", exponent)
				if s.Value = slices.Clone(s.Value); s.Value != nil {
					floats.Scale(math.Ldexp(1, exponent), s.Value)
					try(s)
				}
				s = catalogtest.Set(d, kind)
				s.Name = fmt.Sprintf("rows times 2^%d", exponent)
				x := mat.DenseCopyOf(s.X)
				x.Scale(math.Ldexp(1, exponent), x)
				s.X = x
				try(s)
			}
			if t.Logf("%s for %v: %d fitted, %d written", m.Name, task, fitted, written); written < least {
				t.Errorf("%s for %v: only %d models of %d are written", m.Name, task, written, fitted)
			}
		}
	}
}

// A model of a program with a kernel that is a sum is read like those of the command.
func TestLoadComposite(t *testing.T) {
	k, err := kernel.SumOf([]float64{2, .5}, kernel.Gaussian{Gamma: 1}, kernel.Linear{})
	if err != nil {
		t.Fatal(err)
	}
	x := mat.NewDense(4, 2, []float64{0, 1, 1, 0, 2, 2, 3, 1})
	m, err := gp.Config{Kernel: k}.Fit(t.Context(), x, []float64{1, 2, 3, 5}, nil)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "sum.gram")
	if err := modelfile.Save(path, m); err != nil {
		t.Fatal(err)
	}
	back, err := catalog.Load(path)
	if err != nil {
		t.Fatal(err)
	}
	got, is := back.(*gp.Model)
	if !is || fmt.Sprint(got.Predict(nil, x), got.Variance(nil, x)) != fmt.Sprint(m.Predict(nil, x), m.Variance(nil, x)) {
		t.Errorf("read a %T", back)
	}
}

// A Gaussian process of classes, which a program has trained, is read with its probabilities.
func TestLoadPosterior(t *testing.T) {
	x, y := mat.NewDense(4, 1, []float64{0, 1, 3, 4}), gram.Labels{Class: []int{0, 0, 1, 1}, Names: []string{"a", "b"}}
	m, err := gp.ClassConfig{Kernel: kernel.Gaussian{Gamma: 1}}.Fit(t.Context(), x, y, nil)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "classes.gram")
	if err := modelfile.Save(path, m); err != nil {
		t.Fatal(err)
	}
	back, err := catalog.Load(path)
	if err != nil {
		t.Fatal(err)
	}
	got, is := back.(*gp.Classifier)
	if !is || !mat.Equal(got.Probabilities(nil, x), m.Probabilities(nil, x)) {
		t.Errorf("read a %T", back)
	}
}
