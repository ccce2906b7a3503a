package job

import (
	"path/filepath"
	"slices"
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/app/encode"
	"github.com/gramworks/gram/dataset"
)

// The seed of a job reaches what its fits draw: the local model of a single part, whose rows do not depend on it, a map
// which is fitted to a sample of all rows, and the parts of the cross-fitting of a table.
func TestSeedReachesTheFits(t *testing.T) {
	path := filepath.Join(t.TempDir(), "values.libsvm")
	if err := dataset.Save(t.Context(), path, dataset.Friedman1(300, 5, .5, 1)); err != nil {
		t.Fatal(err)
	}
	for name, s := range map[string]Spec{
		"a part":     {Data: path, Method: "rff", Settings: []string{"m=5", "gamma=0.1", "lambda=0.1"}, Cap: 1000},
		"all rows":   {Data: path, Method: "rff", Settings: []string{"m=5", "gamma=0.1", "lambda=0.1"}, Sample: 300},
		"some parts": {Data: path, Method: "rff", Settings: []string{"m=5", "gamma=0.1", "lambda=0.1"}, Cap: 150},
		"a table":    {Data: writeTable(t, 300, false), Method: "linear", Table: &Table{Encode: encode.Config{Categories: encode.TargetMean}}},
	} {
		values := func(seed uint64) []float64 {
			s := s
			s.Task, s.Scale, s.Seed, s.ItemBytes = "regression", "standard", seed, 6000
			j, err := New(s)
			if err != nil {
				t.Fatal(name, err)
			}
			w, err := Create(filepath.Join(t.TempDir(), "work"), j)
			if err != nil {
				t.Fatal(err)
			}
			m, _, err := w.Fit(t.Context(), gram.Run{})
			if err != nil {
				t.Fatal(name, err)
			}
			rows, err := dataset.Open(s.Data, m.Options(dataset.Options{}))
			if err != nil {
				t.Fatal(err)
			}
			a, err := m.Predict(rows.X, false, 0)
			if err != nil {
				t.Fatal(err)
			}
			return a.Value
		}
		one := values(1)
		if !slices.Equal(one, values(1)) {
			t.Errorf("%s: the same seed gives another model", name)
		}
		if slices.Equal(one, values(2)) {
			t.Errorf("%s: another seed gives the same model", name)
		}
	}
}
