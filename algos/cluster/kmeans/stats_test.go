package kmeans

import (
	"context"
	"math"
	"slices"
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/algotest"
	"github.com/gramworks/gram/internal/clusters"
	"github.com/gramworks/gram/internal/must"
	"gonum.org/v1/gonum/mat"
)

// What Stats say of a fit, on all rows and on a sample of them, with weights and
// without, follows from the model's centers and labels.
func TestStats(t *testing.T) {
	const n, k = 200, 5
	x := algotest.Problem(2, n, 3, 3).X.(*mat.Dense)
	w := make([]float64, n)
	for i := range w {
		w[i] = float64(i % 4)
	}
	for name, c := range map[string]Config{
		"all": {}, "sample": {Sample: 70}, "all rows": {Sample: 70, AllRows: true}, "balanced": {Balance: 1.1}, "balanced sample": {Balance: 1.1, Sample: 70}, "batches": {Batch: 30},
	} {
		c.K, c.Starts = k, 3
		for _, weights := range [][]float64{nil, w} {
			m := must.Have(c.FitWeighted(context.Background(), x, weights))(t)
			s := m.Stats()
			want, labels := n, m.Labels()
			if weights != nil { // rows of weight 0 have labels but are not counted
				labels = nil
				for i, l := range m.Labels() {
					if w[i] > 0 {
						labels = append(labels, l)
					}
				}
				want = len(labels)
			}
			all := want
			if c.Sample > 0 && !c.AllRows {
				want = 70
			}
			if s.Rows != want || !slices.Equal(s.Sizes, clusters.Sizes(labels, k)) || s.Seconds <= 0 || s.Iterations < 1 {
				t.Errorf("%s: %+v, want %d rows and sizes %v", name, s, want, clusters.Sizes(labels, k))
			}
			o := objectiveOf(x, m.Centers(), m.Labels(), weights)
			if !(math.Abs(s.Objective-o) <= 1e-9*o) {
				t.Errorf("%s: objective %g, by definition %g", name, s.Objective, o)
			}
			if end := s.Trace[len(s.Trace)-1]; want == all && !(math.Abs(end-s.Objective) <= 1e-9*o) {
				t.Errorf("%s: the trace ends at %g, the objective is %g", name, end, s.Objective)
			}
			if c.Batch == 0 && len(s.Trace) != s.Iterations+1 {
				t.Errorf("%s: a trace of %d in %d iterations", name, len(s.Trace), s.Iterations)
			}
		}
	}
}

// A row in the middle between centers belongs to the first of them.
func TestAssignTies(t *testing.T) {
	x := mat.NewDense(8, 2, []float64{-1, 0, -1, 0, 1, 0, 1, 0, -1, 8, -1, 8, 1, 8, 1, 8})
	for seed := range uint64(6) {
		m := must.Have(Config{K: 4, Starts: 8, Run: gram.Run{Seed: seed}}.Fit(context.Background(), x))(t)
		if m.Stats().Objective != 0 {
			continue
		}
		l := m.Labels()
		between := mat.NewDense(3, 2, []float64{0, 0, 0, 8, 0, 4})
		want := []int{min(l[0], l[2]), min(l[4], l[6]), 0}
		if got := m.Assign(nil, between); !slices.Equal(got, want) {
			t.Errorf("seed %d: clusters %v of rows in the middle, want %v", seed, got, want)
		}
	}
}
