package catalog_test

import (
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/algotest"
	"github.com/gramworks/gram/algos/gp"
	"github.com/gramworks/gram/algos/krr"
	"github.com/gramworks/gram/algos/svm"
	"github.com/gramworks/gram/app/catalog"
	"github.com/gramworks/gram/app/catalog/catalogtest"
	"github.com/gramworks/gram/app/pipeline"
	"github.com/gramworks/gram/app/training"
	"github.com/gramworks/gram/dataset"
	"github.com/gramworks/gram/kernel"
	"github.com/gramworks/gram/modelfile"
	"github.com/gramworks/gram/predict"
	"gonum.org/v1/gonum/mat"
)

// must returns a function that returns v, or ends the test with err.
func must[T any](v T, err error) func(t *testing.T) T {
	return func(t *testing.T) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

// withoutSums are the methods that refuse sums and products, with what the error says.
var withoutSums = map[string]string{
	"rff": "want one", "goal-nys": "want one", "goal-rff": "want one", "alacarte": "want one", "fastnys": "kernel is ",
}

// Every method that takes any kernel takes sums and products, whose models are the same when they have been read again and when they are
// compiled.
func TestSumsInEveryMethod(t *testing.T) {
	kinds := map[dataset.Task]algotest.Kind{dataset.Classes: algotest.Classification, dataset.Regression: algotest.Regression, dataset.MultiLabel: algotest.MultiLabel}
	d := algotest.Problem(5, 60, 4, 2)
	fitted := 0
	for _, m := range catalog.Methods() {
		if m.New().Settings().Lookup("kernel") == nil {
			continue
		}
		for _, text := range []string{"kernel=gaussian(gamma=0.3)+0.5*linear", "kernel=(matern(length=3)+gaussian)*gaussian"} {
			for _, task := range m.Tasks {
				f := m.New()
				err := f.Settings().Set(append(catalogtest.Quick(m), text)...)
				var p *pipeline.Model
				if err == nil {
					p, err = training.Train(t.Context(), m, f, catalogtest.Set(d, kinds[task]), training.Unit, gram.Run{Seed: 1})
				}
				if want, refuses := withoutSums[m.Name]; refuses || err != nil {
					if !refuses || err == nil || !strings.Contains(err.Error(), want) {
						t.Errorf("%s %s: %v", m.Name, text, err)
					}
					continue
				}
				fitted++
				sameWhenStored(t, m.Name+" "+text, p, d.X)
			}
		}
	}
	if fitted < 40 {
		t.Errorf("%d models", fitted)
	}
}

// sameWhenStored compares a model with what its file says and with what it compiles to.
func sameWhenStored(t *testing.T, name string, p *pipeline.Model, x mat.Matrix) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "m.gram")
	must(0, modelfile.Save(path, p))(t)
	want := catalogtest.Wrap(t, p).Output(x)
	back := must(catalog.LoadFitted(path))(t)
	if got := catalogtest.Wrap(t, back).Output(x); !mat.Equal(got, want) {
		t.Errorf("%s: the stored model differs", name)
	}
	c, _, err := p.Compile(t.Context(), predict.Options{Method: predict.Exact})
	if _, posterior := p.Model.(*gp.Classifier); posterior {
		if !errors.Is(err, predict.ErrNoProgram) || !strings.Contains(err.Error(), "depends on the variance") {
			t.Errorf("%s: compiled: %v", name, err)
		}
		return
	}
	if err != nil {
		t.Errorf("%s: compiled: %v", name, err)
		return
	}
	must(0, modelfile.Save(path, c))(t)
	if got := catalogtest.Wrap(t, must(catalog.LoadFitted(path))(t)).Output(x); !mat.EqualApprox(got, want, 1e-9*mat.Norm(want, math.Inf(1))) {
		t.Errorf("%s: the compiled model differs", name)
	}
}

// A kernel that is described by a text is that of a Go program: the models are the same.
func TestSumsAsInGo(t *testing.T) {
	d := algotest.Problem(5, 60, 4, 2)
	k := must(kernel.SumOf([]float64{1, .5}, kernel.Gaussian{Gamma: kernel.ScaleGamma(d.X)}, kernel.Linear{}))(t)
	fit := func(method string, kind algotest.Kind, more ...string) modelfile.Model {
		f := catalogtest.Trainable(t, catalog.Must(method), append(more, "kernel=gaussian+0.5*linear")...)
		return must(f.Fit(t.Context(), catalogtest.Set(d, kind), gram.Run{}))(t)
	}
	ridge := must(krr.Config{Kernel: k, Lambda: gram.Set(.1)}.Fit(t.Context(), d.X, d.Value, nil))(t).Predict(nil, d.X)
	process := must(gp.Config{Kernel: k}.Fit(t.Context(), d.X, d.Value, nil))(t).Predict(nil, d.X)
	machine := must(svm.Config{Kernel: k, C: 3}.Fit(t.Context(), d.X, d.Labels, nil))(t).Scores(nil, d.X)
	if got := fit("krr", algotest.Regression, "lambda=0.1").(gram.Regressor).Predict(nil, d.X); fmt.Sprint(got) != fmt.Sprint(ridge) {
		t.Errorf("krr %v, want %v", got, ridge)
	}
	if got := fit("gp", algotest.Regression).(gram.Regressor).Predict(nil, d.X); fmt.Sprint(got) != fmt.Sprint(process) {
		t.Errorf("gp %v, want %v", got, process)
	}
	if got := fit("svm", algotest.Classification, "c=3").(gram.Classifier).Scores(nil, d.X); !mat.Equal(got, machine) {
		t.Errorf("svm %v, want %v", got, machine)
	}
}
