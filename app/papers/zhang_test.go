package papers

import (
	"context"
	"slices"
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/kernels/bregman"
	"github.com/gramworks/gram/algos/kernels/constraint"
	"github.com/gramworks/gram/app/papers/protocol"
	"github.com/gramworks/gram/dataset"
	"gonum.org/v1/gonum/mat"
)

// zhangToy is 60 rows of three classes in turn; column 0 is the row's number.
func zhangToy() *zhangTrial {
	x, y := mat.NewDense(60, 1, nil), gram.Labels{Names: []string{"a", "b", "c"}}
	for i := range 60 {
		x.Set(i, 0, float64(i))
		y.Class = append(y.Class, i%3)
	}
	w := protocol.Generated(&dataset.Set{X: x, Labels: y}).Whole()
	return &zhangTrial{whole: w, Partly: w.Partly(20, true, 0)}
}

// C is chosen with features that have not seen the labels it is judged by. These
// show the class of a row where it is known: judged on them any C is right.
func TestZhangJudge(t *testing.T) {
	z := zhangToy()
	hidden := make([]int, 60)
	var last []int
	learn := func(_ context.Context, y gram.Labels) func([]int) *mat.Dense {
		last = slices.Clone(y.Class)
		for _, i := range z.Known {
			if y.Class[i] < 0 {
				hidden[i]++
			}
		}
		return func(index []int) *mat.Dense {
			g := mat.NewDense(len(index), 4, nil)
			for row, i := range index {
				if k := y.Class[i]; k >= 0 {
					g.Set(row, k, 5)
				}
				g.Set(row, 3, 0.1*float64(i%3-1))
			}
			return g
		}
	}
	r := z.judge(context.Background(), learn)
	for i, v := range hidden {
		want := 0
		if slices.Contains(z.Known, i) {
			want = 1
		}
		if v != want {
			t.Errorf("row %d was left out %d times, want %d", i, v, want)
		}
	}
	if !slices.Equal(last, z.Labels.Class) {
		t.Error("the last features are not of all labels")
	}
	if !slices.Contains(zhangC, r.c) || !(scored(t, r.error) >= 0) {
		t.Errorf("C %g", r.c)
	}
}

// scored publishes a score.
func scored(t *testing.T, s protocol.Score) float64 {
	t.Helper()
	f := protocol.NewFigure(1)
	f.Add(s, 0, 0)
	row, err := protocol.Publish(Row{}.Of(f))
	if err != nil {
		t.Fatal(err)
	}
	return *row.Got
}

// The kernel between any row and the labeled ones is that of features of all
// columns.
func TestRowSpan(t *testing.T) {
	g := dataset.Normal(30, 12, 1)
	class := make([]int, 7)
	for i := range class {
		class[i] = i % 2
	}
	known := g.Slice(0, 7, 0, 12).(*mat.Dense)
	span := rowSpan(known)
	var within mat.Dense
	within.Mul(g, span)
	cs, err := constraint.FromLabels(known, class, 15, 0.25, 1)
	if err != nil {
		t.Fatal(err)
	}
	kernel := func(g *mat.Dense) *mat.Dense {
		m, err := bregman.Config{Slack: 0.1, Tol: 1e-8, MaxIter: 10000}.Fit(context.Background(), mat.DenseCopyOf(g.Slice(0, 7, 0, second(g.Dims()))), cs)
		if err != nil {
			t.Fatal(err)
		}
		f := m.Map(nil, g)
		var k mat.Dense
		k.Mul(f, f.Slice(0, 7, 0, second(f.Dims())).T())
		return &k
	}
	full, small := kernel(g), kernel(&within)
	if !mat.EqualApprox(full, small, 1e-5) {
		t.Error("the kernels differ")
	}
	var base mat.Dense
	base.Mul(g, known.T())
	if mat.EqualApprox(full, &base, 1e-2) {
		t.Error("nothing was learned")
	}
}

func second[A, B any](_ A, b B) B { return b }
