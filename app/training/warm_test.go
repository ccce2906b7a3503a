package training

import (
	"bytes"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/calibration"
	"github.com/gramworks/gram/app/catalog"
	"github.com/gramworks/gram/app/pipeline"
	"github.com/gramworks/gram/dataset"
	"github.com/gramworks/gram/modelfile"
)

// Rounds that are added to a model are those of one fit up to rounding; a model with a feature map that goes
// on with the rows it was fitted to stays as it is, and with others keeps the map. What a model cannot
// take is refused.
func TestContinue(t *testing.T) {
	values := dataset.Friedman1(400, 6, .1, 1)
	other := dataset.Friedman1(300, 6, .1, 2)
	classes := dataset.Rings(300, 3, .1, 1)
	run := gram.Run{Seed: 3}
	fit := func(method string, d *dataset.Set, settings ...string) *pipeline.Model {
		t.Helper()
		m, err := catalog.Find(method)
		if err != nil {
			t.Fatal(err)
		}
		f := m.New()
		if err := f.Settings().Set(settings...); err != nil {
			t.Fatal(err)
		}
		p, err := Train(t.Context(), m, f, d, Standard, run)
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	text := func(m modelfile.Model) []byte {
		t.Helper()
		var b bytes.Buffer
		if err := modelfile.Write(&b, m); err != nil {
			t.Fatal(err)
		}
		return b.Bytes()
	}
	predict := func(m *pipeline.Model, d *dataset.Set) []float64 {
		t.Helper()
		p, err := m.Predict(d.X, true, 0)
		if err != nil {
			t.Fatal(err)
		}
		if p.Scores != nil {
			return p.Scores.RawMatrix().Data
		}
		return p.Value
	}

	counts := *values // of the loss of the model, which it keeps
	for _, d := range []*dataset.Set{values, classes, &counts} {
		var loss []string
		if d == &counts {
			loss = []string{"loss=poisson"}
		}
		short, long := fit("gbdt", d, append(loss, "rounds=6")...), fit("gbdt", d, append(loss, "rounds=10")...)
		before := text(short)
		more, err := Continue(t.Context(), short, []string{"rounds=4"}, d, run)
		if err != nil {
			t.Fatal(err)
		}
		want := predict(long, d)
		for i, v := range predict(more, d) {
			if !(math.Abs(v-want[i]) <= 1e-9*(1+math.Abs(want[i]))) {
				t.Fatalf("row %d: %v after two fits, %v after one", i, v, want[i])
			}
		}
		if !bytes.Equal(text(short), before) {
			t.Error("the model that was gone on from has changed")
		}
	}

	for _, method := range []string{"nystrom", "rff"} {
		for _, d := range []*dataset.Set{values, classes} {
			set := []string{"m=20", "gamma=0.2"}
			m := fit(method, d, set...)
			same, err := Continue(t.Context(), m, nil, d, run)
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(text(same), text(m)) {
				t.Errorf("%s: going on with the same rows changes the model", method)
			}
		}
		m := fit(method, values, "m=20", "gamma=0.2")
		next, err := Continue(t.Context(), m, nil, other, run)
		if err != nil {
			t.Fatal(err)
		}
		mapOf := func(m *pipeline.Model) []byte {
			return text(m.Model.(interface{ FeatureMap() pipeline.Map }).FeatureMap())
		}
		if !bytes.Equal(mapOf(next), mapOf(m)) || slices.Equal(predict(next, values), predict(m, values)) {
			t.Errorf("%s: other rows change the map, or do not change the functions", method)
		}
		if _, err := Continue(t.Context(), m, []string{"m=30"}, other, run); err == nil || !strings.Contains(err.Error(), "that of the model") {
			t.Errorf("%s with another number of features: %v", method, err)
		}
	}

	trees := fit("gbdt", classes, "rounds=2")
	two := dataset.Rings(300, 2, .1, 1)
	for _, c := range []struct {
		from *pipeline.Model
		d    *dataset.Set
		want string
	}{
		{fit("krr", values), values, "gbdt, fastnys"},
		{fit("linear", values), values, "model of method linear"},
		{trees, values, "task"},
		{trees, two, "classes"},
		{fit("gbdt", dataset.Friedman1(100, 7, .1, 1)), values, "6 columns"},
	} {
		if _, err := Continue(t.Context(), c.from, nil, c.d, run); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("a model of %s: %v, want %q", c.from.Method, err, c.want)
		}
	}
	unknown := *trees
	unknown.Method = "other"
	var refused *gram.ConfigError
	if _, err := Continue(t.Context(), &unknown, nil, classes, run); !errors.As(err, &refused) || refused.Field != "method" {
		t.Errorf("a method that is not there: %v", err)
	}
	if _, err := Continue(t.Context(), trees, []string{"rounds=0.5"}, classes, run); err == nil || !strings.Contains(err.Error(), "rounds=0.5") {
		t.Errorf("a setting that is wrong: %v", err)
	}
}

// A fit that goes on has no probabilities, intervals and sets: those of the model were of its old functions. One that stops
// before its tolerance has a model beside the error.
func TestContinueDropsTrust(t *testing.T) {
	platt, run := calibration.Platt, gram.Run{Seed: 3}
	classes, values := dataset.Rings(120, 2, .1, 1), dataset.Friedman1(120, 5, .1, 1)
	quick := []string{"rounds=3", "min-rows=5", "leaves=4"}
	for _, c := range []struct {
		trust Trust
		d     *dataset.Set
	}{{Trust{Proba: &platt, Folds: 2, Conformal: .3}, classes}, {Trust{Conformal: .5, Adaptive: true}, values}} {
		p, err := c.trust.Train(t.Context(), catalog.Must("gbdt"), quick, c.d, NoScale, run)
		if err != nil || p.Conformal == nil || (p.Calibration == nil) != (c.d == values) || len(p.Band) != 2*len(c.d.Value)/120 {
			t.Fatalf("%+v: %v", p, err)
		}
		more, err := Continue(t.Context(), p, quick, c.d, run)
		if err != nil || more.Conformal != nil || more.Calibration != nil || more.Band != nil {
			t.Errorf("%v: probabilities %v, intervals %v, a band of %d: %v", c.d.Task(), more.Calibration, more.Conformal, len(more.Band), err)
		}
		if p.Conformal == nil {
			t.Error("the model that was gone on from has no intervals any more")
		}
	}
	m := catalog.Must("rff")
	f := m.New()
	if err := f.Settings().Set("m=30", "gamma=1", "model=svm", "c=1"); err != nil {
		t.Fatal(err)
	}
	p, err := Train(t.Context(), m, f, classes, NoScale, run)
	if err != nil {
		t.Fatal(err)
	}
	more, err := Continue(t.Context(), p, []string{"model=svm", "c=100", "max-iter=1", "tol=1e-9"}, classes, run)
	var slow *gram.ConvergenceError
	if !errors.As(err, &slow) || more == nil || more.Model == p.Model {
		t.Errorf("a fit that goes on for one pass: %v, %v", more, err)
	}
}
