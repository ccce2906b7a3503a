package gbdt

import (
	"context"
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/algotest"
	"github.com/gramworks/gram/internal/must"
	"github.com/gramworks/gram/internal/program"
	"gonum.org/v1/gonum/mat"
)

// BenchmarkPredict predicts rows of 8 columns by 100 trees of 31 leaves, together and alone.
func BenchmarkPredict(b *testing.B) {
	d := algotest.Problem(1, 4096, 8, 2)
	m := must.Have(Config{Rounds: 100}.FitValues(b.Context(), d.X, d.Value, nil))(b)
	x, dst := d.X.(*mat.Dense), gram.MakeRows[float64](4096, 1)
	for _, n := range []int{4096, 1} {
		b.Run(fmt.Sprintf("rows=%d", n), func(b *testing.B) {
			i := 0
			for b.Loop() {
				if n == 1 {
					m.program.Row(dst.Row(i), x.RawRowView(i))
					i = (i + 1) % 4096
				} else {
					m.program.Rows(dst, gram.Of(x))
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*n), "ns/row")
			b.ReportAllocs()
		})
	}
}

// Predictions on keys have the bits of a way from each root to a leaf that compares numbers: in trees of few and many leaves, columns
// with more thresholds than a key has values, numbers at the thresholds and beside them, missing cells,
// several outputs and every number of rows around those that are evaluated together.
func TestKeys(t *testing.T) {
	for i, c := range []Config{{Rounds: 20}, {Rounds: 200, MaxLeaves: 2}, {Rounds: 9, MaxLeaves: 200, MinRows: 1, Exact: true}, {Rounds: 9, MaxLeaves: 400, MinRows: 1, Exact: true},
		{Rounds: 20, Columns: []Column{{Missing: true}, {}, {Missing: true}}}, {Rounds: 70}} {
		for _, classes := range []int{2, 3} {
			d := algotest.Problem(1, 1500, []int{3, 3, 3, 3, 3, 30}[i], classes)
			x := mat.DenseCopyOf(d.X)
			for i := 0; i < 1500 && c.Columns != nil; i += 3 {
				x.Set(i, i%2*2, math.NaN())
			}
			m := must.Have(c.Fit(context.Background(), x, d.Labels, nil))(t)
			checkKeys(t, m.program, x)
			if k := m.program.onKeys(); (k.row == nil) != (k.leaves > 32 || k.keys > 128) || (k.row == nil) != (i == 2 || i == 3) {
				t.Errorf("trees of %d leaves on %d keys: for a row alone they are small, or are not", k.leaves, k.keys)
			}
			p := must.Have(m.Program32())(t)
			checkKeys(t, p.(*scorer[float32]), x)
		}
	}
}

func checkKeys[F gram.Float](t *testing.T, p *scorer[F], x *mat.Dense) {
	t.Helper()
	if p.onKeys() == nil {
		t.Fatal("the forest has no keys")
	}
	rows := program.Rows[F](x)
	for i := range rows.N { // numbers at the thresholds
		if n := p.forest.nodes[i%len(p.forest.nodes)]; i%2 == 0 && !math.IsInf(float64(n.threshold), 0) {
			rows.Row(i)[n.feature] = n.threshold
		}
	}
	copy(rows.Row(1), []F{F(math.Inf(1)), F(math.Inf(-1)), 0})
	rows.Row(2)[1] = F(math.NaN())
	for _, n := range []int{0, 1, 7, 11, 12, 13, 63, 64, 65, 66, 67, 75, 76, 77, 128, 300, 1500} {
		x, got := rows.Slice(0, n), gram.MakeRows[F](n, len(p.first))
		p.Rows(got, gram.Dense(x))
		for i := range n {
			want := slices.Clone(p.first)
			p.forest.mixed(want, x.Row(i))
			if program.HasNaN(x.Row(i)) && (p.columns == nil || p.lost(x.Row(i))) {
				want[0] = F(math.NaN())
			}
			for c, v := range got.Row(i) {
				if v != want[c] && (v == v || want[0] == want[0]) {
					t.Fatalf("row %d of %d: %v, want %v", i, n, got.Row(i), want)
				}
			}
		}
	}
}
