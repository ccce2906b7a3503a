package svm

import (
	"errors"
	"math"
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/algotest"
	"github.com/gramworks/gram/internal/must"
	"github.com/gramworks/gram/kernel"
	"gonum.org/v1/gonum/mat"
)

// Rows of weight zero are left out: Support has the numbers of all rows nevertheless, and
// coefficients to start from are those of all rows.
func TestSupportCountsAllRows(t *testing.T) {
	d := algotest.Problem(5, 60, 3, 2)
	for i := 0; i < 60; i += 4 {
		d.Weights[i] = 0
	}
	x := d.X.(*mat.Dense)
	points := func(support []int, at func(k int) []float64) {
		t.Helper()
		if len(support) < 5 {
			t.Fatalf("support vectors %v", support)
		}
		for k, i := range support {
			if d.Weights[i] == 0 || !mat.Equal(mat.NewVecDense(3, at(k)), x.RowView(i)) {
				t.Fatalf("support vector %d is not row %d, or has no weight", k, i)
			}
		}
	}
	c := Config{Kernel: kernel.Gaussian{Gamma: .3}, Tol: 1e-9}
	m := must.Have(c.Fit(t.Context(), x, d.Labels, d.Weights))(t)
	u, coef, bias := m.Expand()
	points(m.Support(), func(k int) []float64 { return u.Row(k) })
	start := mat.NewDense(60, 1, nil)
	for k, i := range m.Support() {
		start.Set(i, 0, coef.Row(k)[0])
	}
	again := must.Have(c.FitFrom(t.Context(), x, d.Labels, d.Weights, start))(t)
	_, _, b := again.Expand()
	if s := again.Stats().Problems[0]; !(math.Abs(b[0]-bias[0]) <= 1e-6) || s.Iterations > 3 {
		t.Errorf("%d iterations from the solution, bias %g after %g", s.Iterations, b[0], bias[0])
	}
	r := must.Have(Regression{Kernel: c.Kernel}.Fit(t.Context(), x, d.Value, d.Weights))(t)
	v, _, _ := r.Expand()
	points(r.Support(), func(k int) []float64 { return v.Row(k) })

	// A coefficient that is not finite is named by its row of all.
	from := make([]float64, 60)
	from[17] = math.NaN()
	start.Set(17, 0, math.Inf(1))
	_, err := c.FitFrom(t.Context(), x, d.Labels, d.Weights, start)
	_, failed := Regression{Kernel: c.Kernel}.FitFrom(t.Context(), x, d.Value, d.Weights, from)
	for _, err := range []error{err, failed} {
		if bad, is := errors.AsType[*gram.DataError](err); !is || bad.Row != 17 || bad.Col != 0 {
			t.Errorf("%v, want one of row 17", err)
		}
	}
}
