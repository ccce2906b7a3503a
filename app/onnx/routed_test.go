package onnx

import (
	"errors"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/app/catalog"
	"github.com/gramworks/gram/app/training"
	"github.com/gramworks/gram/dataset"
	"github.com/gramworks/gram/predict"
	"gonum.org/v1/gonum/mat"
)

// Models with a machine for each part of the rows: clusters of one class, trees of several
// levels, structured leaves, bounds.
func TestRouted(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	x := mat.NewDense(150, 4, nil)
	var two, three []string
	values := make([]float64, 150)
	for i := range values {
		for j := range 4 {
			x.Set(i, j, 5+r.NormFloat64())
		}
		values[i] = x.At(i, 0) * x.At(i, 1)
		class := 0
		if x.At(i, 0) > 5.3 {
			class = 1 + r.IntN(2)
		}
		two, three = append(two, "ab"[min(class, 1):][:1]), append(three, "abc"[class:][:1])
	}
	dir := t.TempDir()
	for _, c := range []struct{ name, method, target, refused string }{
		{"two", "bka-svm clusters=8", "two", ""},
		{"three", "bka-svm clusters=8", "three", ""},
		{"rest", "bka-svm clusters=8 multi=one-vs-rest", "three", ""},
		{"whole", "bka-svm clusters=3 whole=true no-bias=true", "three", ""},
		{"one", "bka-svm clusters=1", "two", ""},
		{"parts", "dc-krr parts=4 lambda=.1", "values", ""},
		{"classes", "dc-krr parts=4 lambda=.1", "three", ""},
		{"voronoi", "dc-krr partition=voronoi lambda=.1", "values", ""},
		{"mean", "dc-krr partition=random parts=3 lambda=.1", "values", ""},
		{"soft", "dc-krr parts=4 soft=2 lambda=.1", "values", "mixes the models of 2 parts"},
		{"kernel", "dc-krr parts=4 partition=kernel-kmeans lambda=.1", "values", "a kernel's space"},
		{"tree", "dcpred branch=2 leaf=20 m=4 lambda=.1", "values", ""},
		{"leaves", "dcpred branch=3 leaf=20 m=4", "three", ""},
		{"lower", "dcpred branch=2 leaf=40 m=4 kind=lower", "two", ""},
		{"metric", "rfm leaf=40 length=2 lambda=.1", "values", "a tree of leaves"},
		{"structured", "dcpred branch=2 leaf=40 m=4 landmarks=structured", "two", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			words := strings.Fields(c.method)
			m, err := catalog.Find(words[0])
			if err != nil {
				t.Fatal(err)
			}
			d := &dataset.Set{X: x}
			switch c.target {
			case "values":
				d.Value = values
			case "two":
				d.Labels = gram.NewLabels(two)
			default:
				d.Labels = gram.NewLabels(three)
			}
			settings := words[1:]
			if m.New().Settings().Lookup("gamma") != nil {
				settings = append(settings, "gamma=.2")
			}
			p, err := training.Trust{}.Train(t.Context(), m, settings, d, training.Standard, gram.Run{Seed: 1})
			if err != nil {
				t.Fatal(err)
			}
			if c.refused != "" {
				if _, err := Write(io.Discard, p, predict.Float64); !errors.Is(err, ErrNotExported) || !strings.Contains(err.Error(), c.refused) {
					t.Error(err)
				}
				return
			}
			for precision, tol := range map[predict.Precision]float64{predict.Float64: 1e-10, predict.Float32: 2e-5} {
				model, results := compare(t, p, x, precision, tol)
				keep(t, dir, c.name, precision, model, results)
				if routed := slices.Contains([]string{"whole", "one", "mean"}, c.name); routed == strings.Contains(string(model), "Where") {
					t.Errorf("the graph of %s", c.method)
				}
			}
		})
	}
	judge(t, dir)
}
