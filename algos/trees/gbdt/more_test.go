package gbdt

import (
	"bytes"
	"errors"
	"math"
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/algotest"
	"github.com/gramworks/gram/internal/must"
	"github.com/gramworks/gram/modelfile"
	"gonum.org/v1/gonum/mat"
)

// Rounds that are added to a model are those that it would have had.
func TestMore(t *testing.T) {
	ctx := t.Context()
	d := algotest.Problem(5, 300, 4, 3)
	at := func(rounds int) Config { return Config{Rounds: rounds, MaxLeaves: 4, Exact: true} }
	near := func(what string, got, want *mat.Dense) {
		t.Helper()
		if !mat.EqualApprox(got, want, 1e-9) {
			t.Errorf("%s: not the model of all rounds at once", what)
		}
	}
	begun := must.Have(at(6).FitValues(ctx, d.X, d.Value, nil))(t)
	before := begun.Predict(nil, d.X)
	more := must.Have(at(5).MoreValues(ctx, begun, d.X, d.Value, nil))(t)
	whole := must.Have(at(11).FitValues(ctx, d.X, d.Value, nil))(t)
	column := func(v []float64) *mat.Dense { return mat.NewDense(len(v), 1, v) }
	near("values", column(more.Predict(nil, d.X)), column(whole.Predict(nil, d.X)))
	near("the first model", column(begun.Predict(nil, d.X)), column(before))
	if s := more.Stats(); s.Rounds != 11 || s.Trees != 11 || len(s.Objective) != 6 {
		t.Errorf("%d rounds, %d trees, %d objectives", s.Rounds, s.Trees, len(s.Objective))
	}
	for j, g := range whole.Stats().Gain {
		if h := more.Stats().Gain[j]; !(math.Abs(g-h) <= 1e-6*(1+g)) {
			t.Errorf("the gain of column %d is %v, want %v", j, h, g)
		}
	}
	some := must.Have(at(6).Fit(ctx, d.X, d.Labels, nil))(t)
	classes := must.Have(at(5).More(ctx, some, d.X, d.Labels, nil))(t)
	all := must.Have(at(11).Fit(ctx, d.X, d.Labels, nil))(t)
	near("classes", classes.Scores(nil, d.X), all.Scores(nil, d.X))
	var b bytes.Buffer
	must.Do(t, modelfile.Write(&b, classes))
	f := must.Have(modelfile.Read(&b))(t)
	back := must.Have(DecodeClassifier(f))(t)
	near("a stored model", back.Scores(nil, d.X), classes.Scores(nil, d.X))

	if _, err := at(1).MoreValues(ctx, begun, mat.NewDense(3, 2, nil), make([]float64, 3), nil); err == nil {
		t.Error("other columns: no error")
	}
	if _, err := at(1).More(ctx, some, d.X, gram.Labels{Class: d.Labels.Class, Names: []string{"x", "y", "z"}}, nil); err == nil {
		t.Error("other classes: no error")
	}
	if _, err := at(1).MoreValues(ctx, begun, &mat.Dense{}, nil, nil); err == nil {
		t.Error("no rows: no error")
	}
}

// So are rounds on categories and missing cells.
func TestMoreMixed(t *testing.T) {
	x, y, columns := tabular(1, 1500, 40)
	at := func(rounds int) Config { return Config{Rounds: rounds, Shrinkage: 0.3, Columns: columns} }
	begun := must.Have(at(6).FitValues(t.Context(), x, y, nil))(t)
	whole := must.Have(at(11).FitValues(t.Context(), x, y, nil))(t)
	want := whole.Predict(nil, x)
	for _, c := range []Config{at(5), {Rounds: 5, Shrinkage: 0.3}} {
		more := must.Have(c.MoreValues(t.Context(), begun, x, y, nil))(t)
		for i, v := range more.Predict(nil, x) {
			if !(math.Abs(v-want[i]) <= 1e-9) {
				t.Fatalf("row %d: %v, and %v by all rounds at once", i, v, want[i])
			}
		}
		checkMixed(t, "more rounds", more, x)
	}
	c := at(5)
	c.Columns = []Column{{}, {Missing: true}, {Levels: 41}}
	var refused *gram.ConfigError
	if _, err := c.MoreValues(t.Context(), begun, x, y, nil); !errors.As(err, &refused) {
		t.Errorf("another number of levels: %v", err)
	}
}
