package crossval

import (
	"math"
	"slices"
	"testing"
)

var nan = math.NaN()

// The first of the best counts, and NaN never does.
func TestChoose(t *testing.T) {
	for _, c := range []struct {
		scores      []float64
		least, most int
	}{
		{[]float64{3, 1, 2, 1, 3}, 1, 0},
		{[]float64{nan, 2, nan, 5, 2}, 1, 3},
		{[]float64{nan, nan}, -1, -1},
		{nil, -1, -1},
		{[]float64{math.Inf(1), math.Inf(-1)}, 1, 0},
	} {
		if got := Choose(c.scores, false); got != c.least {
			t.Errorf("%v: the smallest at %d", c.scores, got)
		}
		if got := Choose(c.scores, true); got != c.most {
			t.Errorf("%v: the largest at %d", c.scores, got)
		}
	}
	b := Best[string]{Larger: true}
	for _, v := range []struct {
		name  string
		score float64
		kept  bool
	}{{"a", nan, false}, {"b", 1, true}, {"c", 1, false}, {"d", 2, true}, {"e", nan, false}} {
		if b.Offer(v.name, v.score) != v.kept {
			t.Errorf("%s with %g", v.name, v.score)
		}
	}
	if b.Value != "d" || b.Score != 2 || !b.Found {
		t.Errorf("%+v", b)
	}
}

// A curve ends when the best is as many rounds ago as its patience.
func TestCurve(t *testing.T) {
	for _, c := range []struct {
		larger   bool
		patience int
		scores   []float64
		rounds   int // that are made of them
		best     int
	}{
		{false, 2, []float64{3, 2, 2, 1, 4, 1, 0}, 6, 3},
		{true, 2, []float64{3, 2, 4, 4, 5, 0, 0, 9}, 7, 4},
		{false, 0, []float64{1, 2, 3, 4, 5}, 5, 0},
		{false, 1, []float64{1, 2, 0}, 2, 0},
		{false, 2, []float64{nan, nan, 1}, 2, -1},
		{false, 2, []float64{nan, 3, nan, nan, 1}, 4, 1},
	} {
		curve := Curve{Larger: c.larger, Patience: c.patience}
		rounds := 0
		for _, v := range c.scores {
			rounds++
			if !curve.Add(v) {
				break
			}
		}
		if rounds != c.rounds || curve.Best() != c.best || len(curve.Scores) != rounds {
			t.Errorf("%v: %d rounds, best %d", c, rounds, curve.Best())
		}
	}
}

func TestMean(t *testing.T) {
	if got := Mean([][]float64{{4, 2, 6}, {8}, {3, 5}}); !slices.Equal(got, []float64{5, 5, 19. / 3}) {
		t.Errorf("mean %v", got)
	}
}

// Rounds that the splits do not agree on are not made.
func TestRounds(t *testing.T) {
	for name, c := range map[string]struct {
		curves [][]float64
		want   int
	}{
		"one part":          {[][]float64{{3, 2, 1, 2}}, 2},
		"they agree":        {[][]float64{{3, 2, 1, 2}, {4, 3, 2, 3}}, 2},
		"all but the scale": {[][]float64{{3, 2, 1}, {6, 4, 2}, {3.1, 2, 1}}, 2},
		"one alone gains":   {[][]float64{{9, 4}, {1, 1.5}, {1, 1.5}}, 0},
		"one ends early":    {[][]float64{{9, 4, 4.1}, {8, 3, 2.7}, {9, 4}}, 2},
		"no number":         {[][]float64{{nan, 4}, {nan, 1.5}}, 0},
		"none at all":       {[][]float64{{nan, nan}}, 0},
	} {
		if got := Rounds(c.curves, false); got != c.want {
			t.Errorf("%s: %d rounds, want %d", name, got, c.want)
		}
		for _, curve := range c.curves {
			for i := range curve {
				curve[i] = -curve[i]
			}
		}
		if got := Rounds(c.curves, true); got != c.want {
			t.Errorf("%s, the largest: %d rounds, want %d", name, got, c.want)
		}
	}
}

// The combinations are all there, the last setting first, and a path has those that
// differ in one setting.
func TestGrid(t *testing.T) {
	g := Grid{2, 3, 2}
	if g.Len() != 12 || !slices.Equal(g.At(0), []int{0, 0, 0}) || !slices.Equal(g.At(7), []int{1, 0, 1}) || !slices.Equal(g.At(11), []int{1, 2, 1}) {
		t.Errorf("%d combinations, the eighth is %v", g.Len(), g.At(7))
	}
	paths := g.Paths(1)
	if len(paths) != 4 || !slices.Equal(paths[0], []int{0, 2, 4}) || !slices.Equal(paths[1], []int{1, 3, 5}) || !slices.Equal(paths[3], []int{7, 9, 11}) {
		t.Errorf("paths %v", paths)
	}
	for k := range g {
		all := slices.Concat(g.Paths(k)...)
		slices.Sort(all)
		if !slices.Equal(all, slices.Concat(Each(12)...)) {
			t.Errorf("the paths of setting %d are of %v", k, all)
		}
	}
}
