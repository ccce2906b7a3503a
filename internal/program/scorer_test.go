package program

import (
	"math"
	"slices"
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/internal/must"
	"github.com/gramworks/gram/internal/rows"
	"gonum.org/v1/gonum/mat"
)

// Labels are ranked over several blocks of rows and of labels. Among equal scores the
// lower label comes first, and a row with NaN has no labels.
func TestScorer(t *testing.T) {
	const n, labels = scoredRows + 7, 2*scoredLabels + 3
	x, h := mat.NewDense(n, 2, nil), mat.NewDense(labels, 3, nil)
	for i := range n {
		x.SetRow(i, []float64{float64(i%5) - 2, 1})
	}
	x.Set(70, 0, math.NaN())
	for l := range labels {
		h.SetRow(l, []float64{float64(l % 4099), float64(l % 13), float64(l % 3)})
	}
	s := Scorer{Name: "test", D: 2, Labels: h, Features: func(part gram.Samples[float64]) *mat.Dense {
		z := rows.Borrow(part.N(), 3)
		for i := range part.N() {
			z.SetRow(i, []float64{part.At(i, 0), part.At(i, 1), 1})
		}
		return z
	}}
	for _, workers := range []int{1, 3} {
		s.Workers = workers
		for i, got := range s.Top(nil, x, 9) {
			var want []gram.Scored
			for l := range labels {
				v := x.At(i, 0)*h.At(l, 0) + h.At(l, 1) + h.At(l, 2)
				if v == v {
					want = append(want, gram.Scored{Label: l, Score: v})
				}
			}
			slices.SortStableFunc(want, func(a, b gram.Scored) int {
				switch {
				case a.Score > b.Score:
					return -1
				case a.Score < b.Score:
					return 1
				}
				return 0
			})
			if want = want[:min(9, len(want))]; !slices.Equal(got, want) {
				t.Fatalf("%d workers, row %d: %v, want %v", workers, i, got, want)
			}
		}
	}
	if all := s.Top(make([][]gram.Scored, n), x, labels+1); len(all[0]) != labels || len(all[70]) != 0 {
		t.Errorf("%d of %d labels, %d of a row with NaN", len(all[0]), labels, len(all[70]))
	}
	for want, f := range map[string]func(){
		"test: x has the wrong number of columns": func() { s.Top(nil, mat.NewDense(2, 3, nil), 1) },
		"test: dst has the wrong length":          func() { s.Top(make([][]gram.Scored, 1), x, 1) },
	} {
		if p := must.Recovered(f); p != want {
			t.Errorf("panic %v, want %q", p, want)
		}
	}
}
