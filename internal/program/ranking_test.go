package program

import (
	"math"
	"slices"
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/internal/must"
	"github.com/gramworks/gram/sparse"
	"gonum.org/v1/gonum/mat"
)

// stumps are two trees of one level: the first column decides between two leaves, the second
// between two others.
type stumps struct{}

func (stumps) Add64(r *Room[float64], x gram.Samples[float64], i int) bool { return stump(r, x, i) }

func (stumps) Add32(r *Room[float64], x gram.Samples[float32], i int) bool { return stump(r, x, i) }

func stump[F gram.Float](r *Room[float64], x gram.Samples[F], i int) bool {
	if len(r.Z) != 2 {
		panic("the room has no place for the row")
	}
	for j := range r.Z {
		r.Z[j] = float64(x.At(i, j))
	}
	if r.Z[0] != r.Z[0] || r.Z[1] != r.Z[1] {
		return false
	}
	if r.Z[0] < 0 {
		r.Sums.Add([]int32{1, 3}, []float64{.5, 4})
	} else {
		r.Sums.Add([]int32{3}, []float64{1})
	}
	if r.Z[1] < 0 {
		r.Sums.Add([]int32{1, 4}, []float64{2, 1})
	}
	return true
}

// The scores of labels are the sums over the leaves by the number of trees, by all ways to ask:
// the best labels first, all labels, and the programs, on any number of goroutines.
func TestRanking(t *testing.T) {
	const n = 2*rankedRows + 5
	x := mat.NewDense(n, 2, nil)
	for i := range n {
		x.SetRow(i, []float64{float64(i%2) - .5, float64(i/2%2) - .5})
	}
	x.Set(7, 1, math.NaN())
	r := &Ranking[float64]{Name: "test", D: 2, Labels: 6, Numbers: 2, Named: []int32{1, 3, 4}, Over: 2, Cost: gram.Plan{Flops: 9}, Trees: stumps{}}
	low := math.Inf(-1)
	want := [][]float64{{low, 1.25, low, 2, .5, low}, {low, 1, low, .5, .5, low}, {low, .25, low, 2, low, low}, {low, low, low, .5, low, low}}
	best := [][]gram.Scored{{{Label: 3, Score: 2}, {Label: 1, Score: 1.25}}, {{Label: 1, Score: 1}, {Label: 3, Score: .5}}, {{Label: 3, Score: 2}, {Label: 1, Score: .25}}, {{Label: 3, Score: .5}}}
	for _, workers := range []int{1, 3} {
		top, scores := r.Top(workers, make([][]gram.Scored, n), x, 2), r.Scores(workers, nil, x)
		thin := gram.MakeRows[float32](n, 6)
		narrow := gram.MakeRows[float32](n, 2)
		for i := range n {
			for j := range 2 {
				narrow.Row(i)[j] = float32(x.At(i, j))
			}
		}
		r.Program32().Rows(thin, gram.Dense(narrow))
		for i := range n {
			got, small := scores.RawRowView(i), thin.Row(i)
			if i == 7 {
				if len(top[i]) != 0 || slices.ContainsFunc(got, func(v float64) bool { return v == v }) || slices.ContainsFunc(small, func(v float32) bool { return v == v }) {
					t.Errorf("a row with NaN has %v, %v, %v", top[i], got, small)
				}
				continue
			}
			for l, v := range want[i%4] {
				if got[l] != v || small[l] != float32(v) {
					t.Errorf("row %d, label %d: %v, %v, want %v", i, l, got[l], small[l], v)
				}
			}
			if k := len(best[i%4]); !slices.Equal(top[i][:min(k, len(top[i]))], best[i%4]) {
				t.Errorf("row %d: %v, want %v", i, top[i], best[i%4])
			}
		}
	}
	if d, outputs := r.Program64().Dims(); d != 2 || outputs != 6 || r.Program32().Cost().Flops != 9 {
		t.Errorf("a program of %d columns and %d outputs", d, outputs)
	}
	if dst := r.Scores(1, nil, &sparse.CSR{D: 2, Ptr: []int{0}}); !dst.IsEmpty() {
		t.Error("there are scores of no rows")
	}
	for want, f := range map[string]func(){
		"test: x has the wrong number of columns": func() { r.Top(1, nil, mat.NewDense(2, 3, nil), 1) },
		"test: dst has the wrong length":          func() { r.Top(1, make([][]gram.Scored, n-1), x, 1) },
	} {
		if p := must.Recovered(f); p != want {
			t.Errorf("panic %v, want %q", p, want)
		}
	}
}
