package gbdt

import (
	"bytes"
	"math"
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/internal/algotest"
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
	begun, err := at(6).FitValues(ctx, d.X, d.Value, nil)
	if err != nil {
		t.Fatal(err)
	}
	before := begun.Predict(nil, d.X)
	more, err := at(5).MoreValues(ctx, begun, d.X, d.Value, nil)
	if err != nil {
		t.Fatal(err)
	}
	whole, err := at(11).FitValues(ctx, d.X, d.Value, nil)
	if err != nil {
		t.Fatal(err)
	}
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
	some, err := at(6).Fit(ctx, d.X, d.Labels, nil)
	if err != nil {
		t.Fatal(err)
	}
	classes, err := at(5).More(ctx, some, d.X, d.Labels, nil)
	if err != nil {
		t.Fatal(err)
	}
	all, err := at(11).Fit(ctx, d.X, d.Labels, nil)
	if err != nil {
		t.Fatal(err)
	}
	near("classes", classes.Scores(nil, d.X), all.Scores(nil, d.X))
	var b bytes.Buffer
	if err := modelfile.Write(&b, classes); err != nil {
		t.Fatal(err)
	}
	f, err := modelfile.Read(&b)
	if err != nil {
		t.Fatal(err)
	}
	back, err := DecodeClassifier(f)
	if err != nil {
		t.Fatal(err)
	}
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
