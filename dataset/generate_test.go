package dataset

import (
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"github.com/gramworks/gram/internal/must"
	"github.com/gramworks/gram/sparse"
)

func TestGeneratorsAreSeeded(t *testing.T) {
	for name, f := range map[string]func(seed uint64) *Set{
		"g241c":        func(s uint64) *Set { return G241c(20, s) },
		"g241n":        func(s uint64) *Set { return G241n(20, s) },
		"steps":        func(s uint64) *Set { a, _ := Steps.Draw(20, s); return a },
		"bumps":        func(s uint64) *Set { a, _ := Bumps.Draw(20, s); return a },
		"sine":         func(s uint64) *Set { a, _ := Sine.Draw(20, s); return a },
		"checkerboard": func(s uint64) *Set { return Checkerboard(20, 4, .1, s) },
		"rings":        func(s uint64) *Set { return Rings(20, 3, .1, s) },
		"spirals":      func(s uint64) *Set { return TwoSpirals(20, .1, s) },
		"friedman1":    func(s uint64) *Set { return Friedman1(20, 6, 1, s) },
		"multilabel":   func(s uint64) *Set { return SparseMultiLabel(20, 50, 30, s) },
	} {
		a, b, c := f(1), f(1), f(2)
		if a.Name != name || !mat.Equal(a.X, b.X) || mat.Equal(a.X, c.X) || a.Task() == NoTarget {
			t.Errorf("%s: called %q, task %v", name, a.Name, a.Task())
		}
		if !slices.Equal(a.Value, b.Value) || !slices.Equal(a.Labels.Class, b.Labels.Class) {
			t.Errorf("%s: the same seed gives other targets", name)
		}
	}
}

// The class centers of g241c are as far apart as the definition says, within
// the noise of the means and the standardization.
func TestG241c(t *testing.T) {
	s := G241c(1500, 1)
	x := s.X.(*mat.Dense)
	diff := make([]float64, 241)
	for i := range 1500 {
		floats.AddScaled(diff, float64(2*(i%2)-1)/750, x.RawRowView(i))
	}
	if l := floats.Norm(diff, 2); !(l >= 2.2) || l > 3 {
		t.Errorf("centers are %.2f apart", l)
	}
	wrong := 0
	for i := range 1500 {
		if (floats.Dot(diff, x.RawRowView(i)) > 0) != (s.Labels.Class[i] == 1) {
			wrong++
		}
	}
	if e := float64(wrong) / 1500; !(e >= .05 && e <= .13) {
		t.Errorf("the direction of the centers errs in %.3f of the rows", e)
	}
}

func TestToys(t *testing.T) {
	for _, toy := range []Toy{Steps, Bumps, Sine} {
		s, clean := toy.Draw(5000, 1)
		var noise []float64
		for i, v := range s.Value {
			x := s.X.At(i, 0)
			if toy.F(x) != clean[i] {
				t.Fatalf("%s: f(%v)", s.Name, x)
			}
			noise = append(noise, v-clean[i])
		}
		mean, sd := stat.MeanStdDev(noise, nil)
		if !(math.Abs(mean) <= .004) || !(math.Abs(sd-.05) <= .003) {
			t.Errorf("%s: noise %v ± %v", s.Name, mean, sd)
		}
		mean, sd = stat.MeanStdDev(mat.Col(nil, 0, s.X), nil)
		want := [...][2]float64{{1.5, math.Hypot(.2, math.Sqrt(2./3))}, {1.5, math.Hypot(.2, math.Sqrt(2./3))}, {5 * math.Pi / 3, 3.389}}[toy]
		if !(math.Abs(mean-want[0]) <= .05*want[0]) || !(math.Abs(sd-want[1]) <= .05*want[1]) {
			t.Errorf("%s: x is %v ± %v, want %v", s.Name, mean, sd, want)
		}
	}
	for _, c := range []struct {
		toy     Toy
		x, want float64
	}{{Steps, .99, 1}, {Steps, 1, 1.5}, {Steps, 2, 2}, {Bumps, 1.5, 1}, {Bumps, 2, math.Exp(-.025)}, {Sine, math.Pi / 2, 1}} {
		if got := c.toy.F(c.x); !(math.Abs(got-c.want) <= 1e-15) {
			t.Errorf("toy %d: f(%v) = %v, want %v", c.toy, c.x, got, c.want)
		}
	}
}

func TestPlaneProblems(t *testing.T) {
	s := Checkerboard(1000, 4, 0, 1)
	for i, c := range s.Labels.Class {
		if want := (int(s.X.At(i, 0)*4) + int(s.X.At(i, 1)*4)) % 2; c != want {
			t.Fatalf("field of row %d", i)
		}
	}
	s = Rings(999, 3, 0, 1)
	for i, c := range s.Labels.Class {
		if r := math.Hypot(s.X.At(i, 0), s.X.At(i, 1)); !(math.Abs(r-float64(c+1)) <= 1e-12) {
			t.Fatalf("radius %v in class %d", r, c)
		}
	}
	s = TwoSpirals(1000, 0, 1)
	for i, c := range s.Labels.Class {
		r, a := math.Hypot(s.X.At(i, 0), s.X.At(i, 1)), math.Atan2(s.X.At(i, 1), s.X.At(i, 0))
		turn := (6*math.Pi*r + math.Pi*float64(c) - a) / (2 * math.Pi)
		if r > 1 || !(math.Abs(turn-math.Round(turn)) <= 1e-9) {
			t.Fatalf("row %d is not on its spiral", i)
		}
	}
	f := Friedman1(100, 7, 0, 1)
	for i, y := range f.Value {
		v := mat.Row(nil, i, f.X)
		want := 10*math.Sin(math.Pi*v[0]*v[1]) + 20*math.Pow(v[2]-.5, 2) + 10*v[3] + 5*v[4]
		if !(math.Abs(y-want) <= 1e-12) {
			t.Fatalf("row %d is %v, want %v", i, y, want)
		}
	}
}

func TestSparseMultiLabel(t *testing.T) {
	s := SparseMultiLabel(2000, 300, 50, 1)
	x := s.X.(*sparse.CSR)
	must.Do(t, x.Validate())
	must.Do(t, s.Tags.Validate())
	count := make([]int, 50)
	for i := range 2000 {
		l, _ := s.Tags.Row(i)
		if len(l) < 1 || len(l) > 5 {
			t.Fatalf("row %d has %d labels", i, len(l))
		}
		for _, c := range l {
			count[c]++
		}
	}
	if count[0] < 3*count[20] || slices.Contains(count, 0) {
		t.Errorf("labels occur %v times", count)
	}
}
