package explain

import (
	"context"
	"errors"
	"math"
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/app/catalog"
	"github.com/gramworks/gram/app/pipeline"
	"github.com/gramworks/gram/app/training"
	"github.com/gramworks/gram/dataset"
	"github.com/gramworks/gram/num/rng"
	"gonum.org/v1/gonum/mat"
)

// The sampled values of a sum of functions of one column each are those functions less their means, whatever the orders; with
// a product they add up to the output less the mean, and near the exact values.
func TestSampled(t *testing.T) {
	r := rng.New(1, 0)
	const n, d = 40, 4
	background := mat.NewDense(n, d, nil)
	for i := range n {
		for c := range d {
			background.Set(i, c, r.NormFloat64())
		}
	}
	row := []float64{1, -2, .5, 3}
	one := mat.NewDense(1, d, []float64{0, 1, 2, 3})
	sum := func(v []float64) float64 { return 2*v[0] + v[1]*v[1] - v[3] }
	product := func(v []float64) float64 { return v[0]*v[1] + v[2] }
	predict := func(f func([]float64) float64) func(x *mat.Dense) ([]float64, error) {
		return func(x *mat.Dense) ([]float64, error) {
			var out []float64
			for i := range x.RawMatrix().Rows {
				out = append(out, f(x.RawRowView(i)))
			}
			return out, nil
		}
	}
	phi, mean, err := Sampled(t.Context(), row, one, 2, 1, predict(sum))
	if err != nil {
		t.Fatal(err)
	}
	for c, want := range []float64{2, 3, 0, 0} {
		if !(math.Abs(phi[c]-want) < 1e-12) {
			t.Errorf("column %d has %g, want %g", c, phi[c], want)
		}
	}
	if !(math.Abs(mean-(-2)) < 1e-12) {
		t.Errorf("the mean is %g", mean)
	}
	// Of a product, each of two columns has half of what both change beside the other's old and new number.
	phi, _, _ = Sampled(t.Context(), row, one, 2000, 1, predict(product))
	for c, want := range []float64{(1 - 0) * (1 - 2.) / 2, (-2 - 1) * (0 + 1.) / 2, .5 - 2, 0} {
		if !(math.Abs(phi[c]-want) < .1) {
			t.Errorf("column %d has %g, want about %g", c, phi[c], want)
		}
	}
	phi, mean, _ = Sampled(t.Context(), row, background, 9, 1, predict(product))
	if total := mean + phi[0] + phi[1] + phi[2] + phi[3]; !(math.Abs(total-product(row)) < 1e-12) {
		t.Errorf("the values add up to %g, want %g", total, product(row))
	}
	again, _, _ := Sampled(t.Context(), row, background, 9, 1, predict(product))
	other, _, _ := Sampled(t.Context(), row, background, 9, 2, predict(product))
	if again[0] != phi[0] || other[0] == phi[0] {
		t.Errorf("the seed decides: %g, %g, %g", phi[0], again[0], other[0])
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, _, err := Sampled(ctx, row, background, 2, 1, predict(sum)); !errors.Is(err, context.Canceled) {
		t.Errorf("a canceled call returns %v", err)
	}
	wrong := errors.New("wrong")
	if _, _, err := Sampled(t.Context(), row, background, 2, 1, func(*mat.Dense) ([]float64, error) { return nil, wrong }); !errors.Is(err, wrong) {
		t.Errorf("a failing model returns %v", err)
	}
	for _, orders := range []int{0, 1} {
		if _, _, err := Sampled(t.Context(), row, background, orders, 1, predict(sum)); err == nil {
			t.Errorf("%d orders are taken", orders)
		}
	}
}

// Explanations of a model add up to what the model predicts for the row: the score of its class, also of the first of two, its
// probability, or the value; those of trees are exact.
func TestRows(t *testing.T) {
	classes := dataset.Rings(200, 2, .1, 1)
	values, _ := dataset.Sine.Draw(200, 1)
	for _, c := range []struct {
		method, unit string
		set          []string
		exact        bool
		d            *dataset.Set
	}{
		{"gbdt", "score", nil, true, classes}, {"svm", "score", nil, false, classes}, {"krr", "value", nil, false, values}, {"gbdt", "value", nil, true, values},
	} {
		m := catalog.Must(c.method)
		f := m.New()
		model, err := training.Prepare{Scale: training.AutoScale}.Train(t.Context(), m, f, c.d, gram.Run{Seed: 1})
		if err != nil {
			t.Fatal(err)
		}
		e, err := NewRows(model, c.d.X)
		if err != nil {
			t.Fatal(err)
		}
		rows := gram.Of(c.d.X)
		_, d := rows.Dims()
		firsts := map[string]bool{}
		for i := range 20 {
			row := append([]float64(nil), rows.Row(make([]float64, d), i)...)
			p, err := model.Answer(mat.NewDense(1, d, row), pipeline.Want{Scores: c.d.Task() == dataset.Classes, Top: 1})
			if err != nil {
				t.Fatal(err)
			}
			got, err := e.Row(t.Context(), row, p, 0)
			if err != nil {
				t.Fatal(err)
			}
			want := 0.0
			if p.Value != nil {
				want = p.Value[0]
			} else if want = p.Scores.At(0, 0); p.Class[0] == 0 {
				want = -want
			}
			firsts[got.Output] = true
			total := got.Mean
			for _, v := range got.Contributions {
				total += v
			}
			if !(math.Abs(total-want) < 1e-9*(1+math.Abs(want))) || got.Exact != c.exact || got.Unit != c.unit || len(got.Contributions) != d {
				t.Errorf("%s, row %d: %+v adds up to %g, want %g", c.method, i, got, total, want)
			}
		}
		if c.unit == "score" && len(firsts) != 2 {
			t.Errorf("%s: outputs %v", c.method, firsts)
		}
		if _, err := NewRows(model, mat.NewDense(3, d+1, nil)); err == nil {
			t.Error("rows of another number of columns are taken")
		}
		if _, err := NewRows(model, &mat.Dense{}); err == nil {
			t.Error("no rows are taken")
		}
	}
}
