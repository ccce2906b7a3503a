package metric

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/gramworks/gram/internal/must"
	"gonum.org/v1/gonum/mat"
)

// The sums of blocks of rows, merged in a tree, give every measure of all rows at once.
func TestSums(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	const n = 500
	answers := func(classes int) Answers {
		a := Answers{Classes: classes}
		for range n {
			if classes == 0 {
				y := 1e4 + r.NormFloat64()
				a.Target, a.Value = append(a.Target, y), append(a.Value, y+r.NormFloat64()/2)
				continue
			}
			c := r.IntN(classes)
			a.Class, a.Predicted = append(a.Class, c), append(a.Predicted, max(-1, min(classes-1, c+r.IntN(4)-2)))
		}
		if classes > 0 {
			a.Probability, a.Scores = mat.NewDense(n, classes, nil), mat.NewDense(n, classes, nil)
			if classes == 2 {
				a.Scores = mat.NewDense(n, 1, nil)
			}
			for i := range n {
				row := a.Probability.RawRowView(i)
				var sum float64
				for c := range row {
					row[c] = r.ExpFloat64()
					sum += row[c]
				}
				for c := range row {
					row[c] /= sum
				}
				for c := range a.Scores.RawRowView(i) {
					a.Scores.Set(i, c, math.Round(10*r.NormFloat64()))
				}
			}
		}
		return a
	}
	rows := func(a Answers, lo, hi int) Answers {
		b := Answers{Classes: a.Classes}
		if a.Classes == 0 {
			b.Target, b.Value = a.Target[lo:hi], a.Value[lo:hi]
			return b
		}
		b.Class, b.Predicted = a.Class[lo:hi], a.Predicted[lo:hi]
		if hi > lo {
			b.Probability = mat.DenseCopyOf(a.Probability.Slice(lo, hi, 0, a.Classes))
			_, k := a.Scores.Dims()
			b.Scores = mat.DenseCopyOf(a.Scores.Slice(lo, hi, 0, k))
		}
		return b
	}
	for _, classes := range []int{0, 2, 3} {
		a := answers(classes)
		part := func(lo, hi int) *Sums {
			s := NewSums(classes)
			s.KeepScores = true
			for ; lo < hi; lo += 37 {
				s.Add(rows(a, lo, min(lo+37, hi)))
			}
			return s
		}
		first, second := part(0, 100), part(100, 100)
		third, fourth := part(100, 401), part(401, n)
		first.Merge(second)
		third.Merge(fourth)
		first.Merge(third)
		if first.Rows != n {
			t.Errorf("%d rows, want %d", first.Rows, n)
		}
		for _, m := range Measures() {
			if m.Needs == NeedTop || (m.Needs == NeedValue) != (classes == 0) {
				continue
			}
			want := m.Of(a)
			if got := first.Of(m); !(math.Abs(got-want) <= 1e-13*math.Abs(want)) {
				t.Errorf("%d classes: %s is %v of sums, %v of all rows", classes, m.Name, got, want)
			}
		}
		if classes > 0 {
			wrong := rows(a, 0, 3)
			wrong.Probability.Set(1, wrong.Class[1], math.NaN())
			first.Add(wrong)
			for _, name := range []string{"log_loss", "brier", "calibration_error"} {
				if m, err := Find(name); err != nil || !math.IsNaN(first.Of(m)) {
					t.Errorf("%s of a probability NaN is %v, %v", name, first.Of(m), err)
				}
			}
		}
		none := NewSums(classes)
		for _, m := range Measures() {
			if m.sums != nil && (m.Needs == NeedValue) == (classes == 0) && !math.IsNaN(none.Of(m)) {
				t.Errorf("%s of no rows is %v", m.Name, none.Of(m))
			}
		}
	}
}

// Sums of classes and of values do not go together.
func TestSumsOfOthers(t *testing.T) {
	for _, c := range [][2]int{{0, 2}, {2, 0}} {
		if got := must.Recovered(func() { NewSums(c[0]).Merge(NewSums(c[1])) }); got == nil || !strings.HasPrefix(fmt.Sprint(got), "metric: ") {
			t.Errorf("sums of %d classes take those of %d: panic %v", c[0], c[1], got)
		}
	}
}
