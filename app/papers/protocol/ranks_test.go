package protocol

import (
	"errors"
	"math"
	"slices"
	"testing"
)

// figureOf returns a finished figure.
func figureOf(values ...float64) *Figure {
	f := NewFigure(len(values))
	for _, v := range values {
		f.AddValue(v, 1, 10)
	}
	return f
}

func TestRanks(t *testing.T) {
	figures := []*Figure{figureOf(3, 1, 5), figureOf(1, 1, 5), figureOf(2, 4, 5), figureOf(4, 0, 5)}
	for larger, want := range map[bool][][]float64{
		false: {{3, 2.5, 2.5}, {1, 2.5, 2.5}, {2, 4, 2.5}, {4, 1, 2.5}},
		true:  {{2, 2.5, 2.5}, {4, 2.5, 2.5}, {3, 1, 2.5}, {1, 4, 2.5}},
	} {
		ranks, err := Ranks(figures, larger)
		if err != nil {
			t.Fatal(err)
		}
		for i, f := range ranks {
			if !slices.Equal(f.values, want[i]) {
				t.Errorf("larger %v: figure %d has the places %v, want %v", larger, i, f.values, want[i])
			}
			if r, err := Publish(Row{}.Of(f)); err != nil || r.Repeats != 3 || r.Seconds != 1 || r.Bytes != 10 {
				t.Errorf("row %+v, %v", r, err)
			}
		}
	}
	seen, shared := figureOf(1, 2), figureOf(3, 5)
	seen.seen, shared.shared = "why", .5
	mean, err := MeanOf([]*Figure{seen, shared})
	if err != nil || !slices.Equal(mean.values, []float64{2, 3.5}) || mean.Seconds() != 2 || mean.seen != "why" || mean.shared != .25 {
		t.Errorf("mean %v, %g s, %q, %g: %v", mean.values, mean.Seconds(), mean.seen, mean.shared, err)
	}
	if figures[0].values[0] != 3 || seen.values[0] != 1 {
		t.Error("the figures have changed")
	}
}

func TestRanksRefused(t *testing.T) {
	unfinished := NewFigure(2)
	unfinished.AddValue(1, 0, 0)
	twice := NewFigure(1)
	twice.Add(Score{}, 0, 0)
	for name, figures := range map[string][]*Figure{
		"none": nil, "of other repeats": {figureOf(1), figureOf(1, 2)}, "unfinished": {figureOf(1, 2), unfinished},
		"with a score that counted": {twice}, "without a number": {figureOf(1), figureOf(math.NaN())},
	} {
		var e *Error
		if _, err := Ranks(figures, false); !errors.As(err, &e) {
			t.Errorf("ranks of figures %s: %v", name, err)
		}
		if _, err := MeanOf(figures); !errors.As(err, &e) {
			t.Errorf("the mean of figures %s: %v", name, err)
		}
	}
}
