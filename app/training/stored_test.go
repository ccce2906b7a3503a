package training

import (
	"errors"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/gramworks/gram/app/catalog"
	"github.com/gramworks/gram/app/catalog/catalogtest"
	"github.com/gramworks/gram/app/pipeline"
	"github.com/gramworks/gram/modelfile"
	"github.com/gramworks/gram/predict"
	"gonum.org/v1/gonum/mat"
)

// The stored models of every method give the outputs that are stored with them, and
// their programs do, on every platform: ci/platforms runs this test alone.
func TestStoredModels(t *testing.T) {
	var seen []string
	entries, err := os.ReadDir(filepath.Join("..", "catalog", "testdata"))
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if !strings.HasSuffix(e.Name(), ".gram") {
			continue
		}
		f, err := modelfile.Map(filepath.Join("..", "catalog", "testdata", e.Name()))
		if err != nil {
			t.Fatal(err)
		}
		if f.Method() != "golden" { // a model of a table, without rows: TestTable reads it
			continue
		}
		x, err := f.Dense("x", -1, -1)
		if err != nil {
			t.Fatal(err)
		}
		want, err := f.Dense("output", -1, -1)
		if err != nil {
			t.Fatal(err)
		}
		sub, err := f.Sub("model")
		if err != nil {
			t.Fatal(err)
		}
		m, err := pipeline.Decode(sub, catalog.Registry())
		if err != nil {
			t.Fatalf("%s: %v", e.Name(), err)
		}
		seen = append(seen, e.Name())
		trusts := m.Calibration != nil || m.Conformal != nil
		largest := max(mat.Max(want), -mat.Min(want))
		compare := func(what string, m *pipeline.Model, tol float64) {
			answers := catalogtest.Wrap(t, m).Output
			if trusts {
				answers = func(x mat.Matrix) *mat.Dense { return trustedAnswers(t, m, x) }
			}
			got := answers(x)
			for i, v := range got.RawMatrix().Data {
				if w := want.RawMatrix().Data[i]; !(math.Abs(v-w) <= tol*largest) {
					t.Errorf("%s, %s: output %d is %g, was %g; the largest is %g", e.Name(), what, i, v, w, largest)
					return
				}
			}
		}
		compare("model", m, 1e-9)
		for precision, tol := range map[predict.Precision]float64{predict.Float64: 1e-9, predict.Float32: 1e-4} {
			c, _, err := m.Compile(t.Context(), predict.Options{Method: predict.Exact, Precision: precision, Points: x})
			if e.Name() == "gp-classes-v1.gram" && errors.Is(err, predict.ErrNoProgram) {
				continue
			}
			if err != nil {
				t.Errorf("%s: %v", e.Name(), err)
				continue
			}
			compare(precision.String(), c, tol)
		}
		if err := f.Close(); err != nil {
			t.Error(err)
		}
	}
	for _, m := range catalog.Methods() {
		if m.WithoutTarget() {
			continue // its models are those of svm
		}
		if !slices.ContainsFunc(seen, func(name string) bool { return strings.HasPrefix(name, m.Name+"-") }) {
			t.Errorf("there is no stored model of %s", m.Name)
		}
	}
}
