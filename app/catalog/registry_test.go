package catalog_test

import (
	"path/filepath"
	"slices"
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/algotest"
	"github.com/gramworks/gram/algos/kernels/bregman"
	"github.com/gramworks/gram/algos/kernels/sideinfo"
	"github.com/gramworks/gram/algos/krr"
	"github.com/gramworks/gram/algos/linear"
	"github.com/gramworks/gram/algos/lowrank/fastnys"
	"github.com/gramworks/gram/algos/lowrank/nystrom"
	"github.com/gramworks/gram/algos/lowrank/pseudo"
	"github.com/gramworks/gram/algos/lowrank/rff"
	"github.com/gramworks/gram/algos/neighbors"
	"github.com/gramworks/gram/app/catalog"
	"github.com/gramworks/gram/app/catalog/catalogtest"
	"github.com/gramworks/gram/app/internal/repo"
	"github.com/gramworks/gram/app/pipeline"
	"github.com/gramworks/gram/app/training"
	"github.com/gramworks/gram/kernel"
	"github.com/gramworks/gram/modelfile"
	"gonum.org/v1/gonum/mat"
)

// A program's own pipelines are read again with the registry of the module: linear models
// on every feature map of it, and models as their packages store them.
func TestRegistry(t *testing.T) {
	d := algotest.Problem(1, 80, 4, 3)
	g := kernel.Gaussian{Gamma: .3}
	maps := map[string]func() (gram.FeatureMap, error){
		"nystrom": func() (gram.FeatureMap, error) { return nystrom.Config{Kernel: g, M: 9}.Fit(t.Context(), d.X) },
		"rff":     func() (gram.FeatureMap, error) { return rff.Config{Kernel: g, M: 9}.Fit(t.Context(), d.X) },
		"fastnys": func() (gram.FeatureMap, error) { return fastnys.Config{Kernel: g, M: 8}.Fit(t.Context(), d.X) },
		"pseudo": func() (gram.FeatureMap, error) {
			return pseudo.Config{Kernel: g, M: 5, All: true}.Fit(t.Context(), d.X)
		},
		"sideinfo": func() (gram.FeatureMap, error) {
			return sideinfo.Config{Kernel: g, M: 9}.Fit(t.Context(), d.X, d.Labels)
		},
		"bregman.features": func() (gram.FeatureMap, error) {
			return bregman.Features{Nystrom: nystrom.Config{Kernel: g, M: 9}}.Fit(t.Context(), d.X, d.Labels)
		},
		"none": func() (gram.FeatureMap, error) { return nil, nil },
	}
	same := func(name string, model modelfile.Model) {
		t.Helper()
		p, err := pipeline.New(model, 4, nil)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		path := filepath.Join(t.TempDir(), "m.gram")
		if err := pipeline.Save(path, p, catalog.Registry()); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		back, err := catalog.LoadFitted(path)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			return
		}
		a, errA := p.Predict(d.X, false, 0)
		b, errB := back.Predict(d.X, false, 0)
		if errA != nil || errB != nil || !slices.Equal(a.Value, b.Value) {
			t.Errorf("%s predicts otherwise after reading: %v, %v", name, errA, errB)
		}
	}
	for name, fit := range maps {
		m, err := fit()
		if err != nil {
			t.Fatal(err)
		}
		r, err := linear.Ridge{}.Fit(t.Context(), m, d.X, d.Value, nil)
		if err != nil {
			t.Fatal(err)
		}
		same("linear on "+name, r)
	}
	whole, err := krr.Config{Kernel: g, NoBias: true}.Fit(t.Context(), d.X, d.Value, nil)
	if err != nil {
		t.Fatal(err)
	}
	same("krr", whole)
	for name := range catalog.Registry().Bases {
		if maps[name] == nil {
			t.Errorf("no map of method %s is tried", name)
		}
	}
	near, err := neighbors.Config{Kernel: g}.Fit(t.Context(), d.X, d.Labels, nil)
	if err != nil {
		t.Fatal(err)
	}
	same("neighbors", near)
	one, two := catalog.Registry(), catalog.Registry()
	one.Kernels["own"], one.Bases["own"], one.Models["own"] = nil, nil, nil
	if len(two.Kernels) != 0 || len(two.Bases) != len(one.Bases)-1 || len(two.Models) != len(one.Models)-1 {
		t.Error("registries share their maps")
	}
}

// Methods whose models are those of svm and svr are read by their own names.
func TestMachinesAreRead(t *testing.T) {
	p := algotest.Problem(3, 60, 3, 2)
	for method, c := range map[string]struct {
		kind algotest.Kind
		set  []string
	}{
		"svm": {algotest.Classification, nil}, "svr": {algotest.Regression, nil}, "aesvm": {algotest.Classification, nil}, "dc-svm": {algotest.Classification, nil},
		"nu-svm": {algotest.Classification, []string{"svm-nu=0.2"}}, "nu-svr": {algotest.Regression, nil}, "one-class": {algotest.Unsupervised, nil},
	} {
		m := catalog.Must(method)
		f, err := training.Train(t.Context(), m, catalogtest.Trainable(t, m, append(c.set, "gamma=0.5")...), catalogtest.Set(p, c.kind), training.NoScale, gram.Run{Seed: 1})
		if err != nil {
			t.Fatalf("%s: %v", method, err)
		}
		path := filepath.Join(t.TempDir(), "m.gram")
		must(0, modelfile.Save(path, f))(t)
		back := must(catalog.LoadFitted(path))(t)
		if back.Task != f.Task || !slices.Equal(back.Names, f.Names) || !mat.Equal(answers(back.Model, p.X), answers(f.Model, p.X)) {
			t.Errorf("%s: the stored model is another one", method)
		}
	}
}

// Nearest neighbors in learned features were once stored as a model of package itml. The file has a fit with
// neighbors=3, m=9 and a Gaussian of width 0.3 to algotest.Problem(1, 60, 4, 3).
func TestNeighborsOfOldFiles(t *testing.T) {
	m, err := catalog.Load(repo.Path(t, "algos/kernels/bregman/testdata/neighbors.v1-first.gram"))
	if err != nil {
		t.Fatal(err)
	}
	want := []int{0, 1, 2, 0, 0, 2, 0, 2, 0, 0, 1, 2, 0, 1, 2, 0, 1, 2, 0, 1, 2, 0, 1, 2, 1, 1, 1, 0, 1, 2}
	x := algotest.Problem(2, 30, 4, 3).X
	if got := m.(gram.Classifier).Predict(nil, x); !slices.Equal(got, want) {
		t.Errorf("classes %v, want %v", got, want)
	}
	path := filepath.Join(t.TempDir(), "again.gram") // and is written as it was
	if err := modelfile.Save(path, m); err != nil {
		t.Fatal(err)
	}
	again, err := catalog.Load(path)
	if err != nil {
		t.Fatal(err)
	}
	if got := again.(gram.Classifier).Predict(nil, x); !slices.Equal(got, want) {
		t.Errorf("once written again: classes %v, want %v", got, want)
	}
}
