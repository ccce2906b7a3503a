package catalog

import (
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/svm"
	"github.com/gramworks/gram/dataset"
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
		f := trainable(t, svmMethod, c.set...)
		for range 2 { // a fit does not change its Fitter
			m, err := f.Fit(t.Context(), dataset.Rings(c.rows, 3, .1, 1), gram.Run{Seed: 1})
			if err != nil {
				t.Fatal(err)
			}
			if got := m.(*svm.Model).Config(); !c.want(got.C) || got.Kernel.Spec().Params["gamma"] != .01 {
				t.Errorf("%d rows, %v: c is %g", c.rows, c.set, got.C)
			}
			if left := f.(*trier).left(true); (len(left) == 0) != (len(c.set) == 2) {
				t.Errorf("%v: %d settings are open", c.set, len(left))
			}
		}
	}
}
