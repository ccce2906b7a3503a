package svm

import (
	"slices"
	"testing"

	"github.com/gramworks/gram/algos/algotest"
	"github.com/gramworks/gram/algos/basis"
	"github.com/gramworks/gram/internal/must"
	"github.com/gramworks/gram/kernel"
)

// The function of a machine has all of its points, coefficients and constants.
func TestFunction(t *testing.T) {
	d := algotest.Problem(1, 90, 4, 3)
	for _, multi := range []Multi{OneVsOne, OneVsRest} {
		m := must.Have(Config{Kernel: kernel.Gaussian{Gamma: .5}, Multi: multi}.Fit(t.Context(), d.X, d.Labels, nil))(t)
		f := must.Have(m.Function())(t)
		points, coef, bias := m.Expand()
		u := f.Basis.(*basis.Values).Landmarks()
		if n, _ := f.Coef.Dims(); n != points.N || u.RawMatrix().Rows != n || !slices.Equal(f.Bias, bias) || f.Basis.(*basis.Values).Kernel() != kernel.Kernel(kernel.Gaussian{Gamma: .5}) {
			t.Fatalf("%v: %d coefficients for %d points, constants %v", multi, n, points.N, f.Bias)
		}
		for i := range points.N {
			if !slices.Equal(u.RawRowView(i), points.Row(i)) || !slices.Equal(f.Coef.RawRowView(i), coef.Row(i)) {
				t.Errorf("%v: point %d is %v with %v, want %v with %v", multi, i, u.RawRowView(i), f.Coef.RawRowView(i), points.Row(i), coef.Row(i))
			}
		}
	}
}
