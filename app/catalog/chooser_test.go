package catalog_test

import (
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/algotest"
	"github.com/gramworks/gram/algos/crossval"
	"github.com/gramworks/gram/algos/svm"
	"github.com/gramworks/gram/app/catalog"
	"github.com/gramworks/gram/app/catalog/catalogtest"
	"github.com/gramworks/gram/dataset"
	"github.com/gramworks/gram/kernel"
	"github.com/gramworks/gram/modelfile"
	"gonum.org/v1/gonum/mat"
)

// The default of an open setting is the value of least error on held-out rows; for few rows it is
// the method's own, and a value that is given stays.
func TestTried(t *testing.T) {
	for _, c := range []struct {
		rows int
		set  []string
		want func(c float64) bool
	}{
		{400, []string{"gamma=0.01"}, func(c float64) bool { return c > 1 }}, // a nearly flat kernel needs large coefficients
		{190, []string{"gamma=0.01"}, func(c float64) bool { return c == 1 }},
		{400, []string{"gamma=0.01", "c=0.3"}, func(c float64) bool { return c == .3 }},
	} {
		f := catalogtest.Trainable(t, catalog.Must("svm"), c.set...)
		for range 2 { // a fit does not change its Fitter
			m, err := f.Fit(t.Context(), dataset.Rings(c.rows, 3, .1, 1), gram.Run{Seed: 1})
			if err != nil {
				t.Fatal(err)
			}
			if got := m.(*svm.Model).Config(); !c.want(got.C) || got.Kernel.Spec().Params["gamma"] != .01 {
				t.Errorf("%d rows, %v: c is %g", c.rows, c.set, got.C)
			}
			if left := catalog.Left(f, c.rows, 2); (left == 0) != (len(c.set) == 2 || c.rows < 200) {
				t.Errorf("%v: %d settings are open", c.set, left)
			}
		}
	}
}

// The plans of methods for sets of labels count the choice of a setting: its fits, and its memory,
// which the limit bounds.
func TestPlanOfChoice(t *testing.T) {
	if testing.Short() {
		t.Skip("takes the time of larger fits")
	}
	d := dataset.SparseMultiLabel(2400, 300, 40, 1)
	for _, c := range []struct {
		m     catalog.Method
		given string
		set   []string
	}{
		{catalog.Must("leml"), "lambda=1", []string{"rank=10", "rounds=2"}},
		{catalog.Must("sleec"), "k=5", []string{"rank=10", "steps=2", "learners=1"}},
	} {
		open, err := catalogtest.Trainable(t, c.m, c.set...).Plan(d.Task(), d.Shape(), gram.Run{})
		if err != nil {
			t.Fatal(err)
		}
		given, err := catalogtest.Trainable(t, c.m, append(c.set, c.given)...).Plan(d.Task(), d.Shape(), gram.Run{})
		if err != nil {
			t.Fatal(err)
		}
		if !(open.Flops > 3*given.Flops) || open.PeakBytes <= given.PeakBytes {
			t.Errorf("%s: %+v, of a given setting %+v", c.m.Name, open, given)
		}
		fit := func(run gram.Run) (modelfile.Model, error) {
			return catalogtest.Trainable(t, c.m, c.set...).Fit(t.Context(), d, run)
		}
		algotest.CheckPeak(t, open.PeakBytes, func() {
			if _, err := fit(gram.Run{}); err != nil && !crossval.Unfinished(err) {
				t.Error(err)
			}
		})
		var tooMuch *gram.MemoryError
		if _, err := fit(gram.Run{MemoryLimit: open.PeakBytes - 1}); !errors.As(err, &tooMuch) || tooMuch.Need != open.PeakBytes {
			t.Errorf("%s: %v below the plan of %d bytes", c.m.Name, err, open.PeakBytes)
		}
	}
}

// A setting that is given as 0, which stands for none, does not end the choice of the others.
func TestGivenZero(t *testing.T) {
	f := catalogtest.Trainable(t, catalog.Must("gbdt"), "holdout=0", "rounds=1")
	if _, err := f.Fit(t.Context(), dataset.Rings(400, 3, .1, 1), gram.Run{Seed: 1}); err != nil {
		t.Error(err)
	}
}

// Of a kernel matrix the same settings are chosen as of the rows that it is made of, by folds and by leave-one-out.
func TestChoiceOnKernelMatrix(t *testing.T) {
	k := kernel.Gaussian{Gamma: .01}
	for _, c := range []struct {
		method string
		rows   int
		values bool
	}{{"svm", 220, false}, {"svr", 220, true}, {"nu-svr", 220, true}, {"krr", 220, false}, {"krr", 600, true}} {
		if testing.Short() && c.method != "svm" {
			continue // takes the time of larger fits
		}
		d := dataset.Rings(c.rows, 3, .1, 1)
		x := gram.Of(d.X)
		_, columns := d.X.Dims()
		a, b := make([]float64, columns), make([]float64, columns)
		if c.values {
			values := &dataset.Set{X: d.X, Value: make([]float64, c.rows)}
			for i := range values.Value {
				x.CopyRow(a, i)
				values.Value[i] = a[0]*a[1] + float64(d.Labels.Class[i])
			}
			d = values
		}
		matrix := *d
		dense := mat.NewDense(c.rows, c.rows, nil)
		for i := range c.rows {
			for j := range c.rows {
				x.CopyRow(a, i)
				x.CopyRow(b, j)
				dense.Set(i, j, k.Eval(a, b))
			}
		}
		matrix.X = dense
		chosen := func(d *dataset.Set, set ...string) (string, float64) {
			f := catalogtest.Trainable(t, catalog.Must(c.method), set...)
			m, err := f.Fit(t.Context(), d, gram.Run{Seed: 1})
			if err != nil {
				t.Fatalf("%s: %v", c.method, err)
			}
			by, _ := catalog.Chosen(f)
			lambda, _ := catalog.Lambda(m)
			return strings.Join(by, " "), lambda
		}
		want, wantLambda := chosen(d, "kernel=gaussian", "gamma=0.01")
		got, lambda := chosen(&matrix, "kernel=precomputed")
		if got != want || !(math.Abs(lambda-wantLambda) <= 1e-6*wantLambda) {
			t.Errorf("%s, %d rows: %q and lambda %g are chosen on the kernel matrix, %q and %g on the rows", c.method, c.rows, got, lambda, want, wantLambda)
		}
		if want == "" && wantLambda == 0 || c.method == "svm" && !strings.Contains(want, "c=") {
			t.Errorf("%s: nothing is chosen", c.method)
		}
	}
}
