package completion

import (
	"context"
	"errors"
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/internal/gen"
	"github.com/gramworks/gram/internal/must"
	"github.com/gramworks/gram/settings"
	"github.com/gramworks/gram/sparse"
	"gonum.org/v1/gonum/mat"
)

// entries returns every third entry of an n×l matrix of rank one.
func entries(n, l int) *sparse.CSR {
	a := &sparse.CSR{N: n, D: l, Ptr: []int{0}}
	for i := range n {
		for j := range l {
			if (i+j)%3 == 0 {
				a.Col, a.Val = append(a.Col, int32(j)), append(a.Val, float64(i%5)*float64(j%4))
			}
		}
		a.Ptr = append(a.Ptr, len(a.Col))
	}
	return a
}

// No rows or no columns have no scores, and a destination of another shape
// panics.
func TestPredictShapes(t *testing.T) {
	a, x, y := entries(12, 9), gen.Normal(12, 3, 1), gen.Normal(9, 2, 2)
	m := must.Have(Config{Rank: 2, Rounds: 2}.Fit(context.Background(), a, x, y))(t)
	none := func(d int) mat.Matrix { return &sparse.CSR{D: d, Ptr: []int{0}} }
	for _, p := range []*mat.Dense{m.Predict(nil, none(3), y), m.Predict(nil, x, none(2)), m.Predict(&mat.Dense{}, none(3), none(2))} {
		if p == nil || !p.IsEmpty() {
			t.Errorf("scores %v of nothing", p)
		}
	}
	all := m.Predict(nil, x, y)
	if r, c := all.Dims(); r != 12 || c != 9 {
		t.Errorf("%d×%d scores", r, c)
	}
	values := Entries(nil, m.Rows(nil, x), m.Columns(nil, y), a)
	e := 0
	for i := range 12 {
		col, _ := a.Row(i)
		for _, j := range col {
			if d := values[e] - all.At(i, int(j)); !(d < 1e-12 && d > -1e-12) {
				t.Errorf("entry %d, %d is %g among entries, %g among all", i, j, values[e], all.At(i, int(j)))
			}
			e++
		}
	}
	for _, s := range [][2]int{{11, 9}, {12, 8}, {13, 9}} {
		if must.Recovered(func() { m.Predict(mat.NewDense(s[0], s[1], nil), x, y) }) == nil {
			t.Errorf("no panic for a destination %d×%d", s[0], s[1])
		}
	}
}

// The defaults of the features: 100, for Nystrom at most the rows; the other
// side has its own.
func TestSideDefaults(t *testing.T) {
	for _, c := range []struct {
		s    Side
		n, m int
	}{{Side{Map: Fourier}, 30, 100}, {Side{Map: Nystrom}, 30, 30}, {Side{Map: Nystrom}, 300, 100}, {Side{Map: Nystrom, M: 7}, 30, 7}} {
		got, err := settings.Resolved(c.s, gram.Shape{N: c.n, D: 2})
		if err != nil || got.M != c.m || got.Landmarks == nil {
			t.Errorf("%+v of %d rows: %+v, %v", c.s, c.n, got, err)
		}
	}
	if got, err := settings.Resolved(Side{M: 9}, gram.Shape{N: 30, D: 2}); err != nil || got != (Side{}) {
		t.Errorf("a linear side has %+v, %v", got, err)
	}
}

// The factors start at the size of the entries whatever the units of the side
// information.
func TestStartOfAnyUnit(t *testing.T) {
	a := entries(12, 9)
	start := func(unit float64) *mat.Dense {
		x := gen.Normal(12, 3, 1)
		x.Scale(unit, x)
		c := &Config{Rank: 2, Run: gram.Run{Seed: 3}}
		s := must.Have(c.newSide(t.Context(), Side{}, "rows", a, samples(x)))(t)
		return s.p
	}
	want := start(1)
	for _, unit := range []float64{0x1p-20, 0x1p20} { // which scale without rounding
		if got := start(unit); !mat.Equal(got, want) {
			t.Errorf("with rows times %g the start is\n%v\nwant\n%v", unit, mat.Formatted(got), mat.Formatted(want))
		}
	}
}

// Rounds end when one takes less than Tol of the objective off it, no sooner, and
// the last event says so.
func TestRoundsEnd(t *testing.T) {
	var last gram.Event
	c := Config{Rank: 2, Rounds: 200, Tol: gram.Set(1e-2), Lambda: gram.Set(0.1), Run: gram.Run{Progress: func(e gram.Event) { last = e }}}
	m := must.Have(c.Fit(context.Background(), entries(20, 15), nil, nil))(t)
	s := m.Stats()
	o := s.Objective
	if len(o) >= 200 || s.Rounds != len(o) || last.Done != int64(len(o)) || last.Total != last.Done || last.Objective != o[len(o)-1] {
		t.Fatalf("%d rounds, the last event is %+v", len(o), last)
	}
	for i := 1; i < len(o); i++ {
		if little := o[i-1]-o[i] <= 1e-2*o[i]; little != (i == len(o)-1) {
			t.Errorf("round %d of %d goes from %g to %g", i, len(o), o[i-1], o[i])
		}
	}
}

// A row whose system is not finite has no step, with λ or without it, and the error names the row.
func TestStepThatIsNotFinite(t *testing.T) {
	for _, lambda := range []float64{0, .5} {
		c := must.Have(Config{Rank: 2, Lambda: gram.Set(lambda)}.resolved(gram.Shape{N: 12}, gram.Shape{N: 9}))(t)
		s := must.Have(c.newSide(t.Context(), Side{}, "rows", entries(12, 9), nil))(t)
		q := mat.NewDense(9, 2, nil)
		q.SetRow(4, []float64{1e200, 1e200})
		_, err := s.rowwise(t.Context(), mat.NewDense(12, 2, nil), q)
		if pd := (*gram.NotPDError)(nil); !errors.As(err, &pd) || pd.Pivot != 2 { // the first row with an entry in column 4
			t.Errorf("λ = %g: %v", lambda, err)
		}
	}
}
