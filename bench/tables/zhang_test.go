package tables

import (
	"context"
	"slices"
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/bregman"
	"github.com/gramworks/gram/internal/gen"
	"gonum.org/v1/gonum/mat"
)

func zhangToy() *zhangTrial {
	t := &zhangTrial{y: gram.Labels{Names: []string{"a", "b", "c"}}}
	for i := range 60 {
		t.truth = append(t.truth, i%3)
	}
	t.draw(20)
	return t
}

// Each class has its share of the labels.
func TestZhangDraw(t *testing.T) {
	z := zhangToy()
	var count [3]int
	for i, k := range z.y.Class {
		if (k >= 0) != slices.Contains(z.known, i) || k >= 0 && k != z.truth[i] {
			t.Fatalf("row %d has the label %d, is of class %d", i, k, z.truth[i])
		}
		if k >= 0 {
			count[k]++
		}
	}
	if count != [3]int{7, 7, 6} {
		t.Errorf("20 labels are %v of the classes", count)
	}
}

// C is chosen with features that have not seen the labels it is judged by. These
// show the class of a row where it is known: judged on them any C is right.
func TestZhangJudge(t *testing.T) {
	z := zhangToy()
	hidden := make([]int, 60)
	var last []int
	learn := func(_ context.Context, y gram.Labels) (func([]int) *mat.Dense, error) {
		last = slices.Clone(y.Class)
		for _, i := range z.known {
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
				g.Set(row, 3, 0.1*float64(z.truth[i]-1))
			}
			return g
		}, nil
	}
	r, err := z.judge(context.Background(), learn)
	if err != nil {
		t.Fatal(err)
	}
	for i, v := range hidden {
		want := 0
		if slices.Contains(z.known, i) {
			want = 1
		}
		if v != want {
			t.Errorf("row %d was left out %d times, want %d", i, v, want)
		}
	}
	if !slices.Equal(last, z.y.Class) {
		t.Error("the last features are not of all labels")
	}
	if !slices.Contains(zhangC, r.c) || !(r.err >= 0 && r.err <= 100) {
		t.Errorf("C %g with an error of %g %%", r.c, r.err)
	}
}

// Differences 0 … 9 have t = 4.5/√(82.5/9/10) = 4.7; shifted by c the test decides
// at t = 1.833, c = 4.5 − 1.755.
func TestWorse(t *testing.T) {
	a, b := make([]float64, 10), make([]float64, 10)
	for i := range a {
		a[i] = float64(i)
	}
	for c, want := range map[float64]bool{0: true, 2.74: true, 2.75: false, 4.5: false, 9: false} {
		for i := range b {
			b[i] = c
		}
		if got := worse(a, b); got != want {
			t.Errorf("shift %g: worse is %v", c, got)
		}
	}
	if worse(a, a) || !worse([]float64{2, 2}, []float64{1, 1}) {
		t.Error("equal differences")
	}
}

// The kernel between any row and the labelled ones is that of features of all
// columns.
func TestRowSpan(t *testing.T) {
	g := gen.Normal(30, 12, 1)
	class := make([]int, 7)
	for i := range class {
		class[i] = i % 2
	}
	known := g.Slice(0, 7, 0, 12).(*mat.Dense)
	span := rowSpan(known)
	var within mat.Dense
	within.Mul(g, span)
	cs, err := bregman.FromLabels(known, class, 15, 0.25, 1)
	if err != nil {
		t.Fatal(err)
	}
	kernel := func(g *mat.Dense) *mat.Dense {
		m, err := bregman.Config{Slack: 0.1, Tol: 1e-8, MaxSweeps: 10000}.Fit(context.Background(), mat.DenseCopyOf(g.Slice(0, 7, 0, second(g.Dims()))), cs)
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
