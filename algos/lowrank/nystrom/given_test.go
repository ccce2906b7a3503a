package nystrom

import (
	"errors"
	"math"
	"slices"
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/algotest"
	"github.com/gramworks/gram/algos/internal/fixture"
	"github.com/gramworks/gram/algos/lowrank/landmark"
	"github.com/gramworks/gram/internal/must"
	"github.com/gramworks/gram/kernel"
	"gonum.org/v1/gonum/mat"
)

// The landmarks and held-out rows of an ensemble, given to another fit, make the same ensemble, whatever its seed. They are numbers of
// rows of x, of which those without a weight are none.
func TestEnsembleGiven(t *testing.T) {
	x := algotest.Problem(12, 40, 3, 3).X
	thin := make([]float64, 40)
	for i := range thin {
		thin[i] = float64(i % 3)
	}
	for _, w := range [][]float64{nil, thin} {
		c := Ensemble{Config: Config{Kernel: gauss, M: 4, Landmarks: landmark.Uniform{}}, Experts: 2, Fitted: true, HeldOut: 9}
		want := must.Have(c.FitWeighted(t.Context(), x, w))(t)
		given := want.Given()
		taken := map[int]bool{}
		for e, u := range given.Experts {
			if len(u.Index) != 4 || !mat.Equal(u.U, want.Expert(e).Landmarks()) {
				t.Fatalf("expert %d: given %v", e, u)
			}
			for k, i := range u.Index {
				taken[i] = true
				if !slices.Equal(u.U.RawRowView(k), mat.Row(nil, i, x)) || w != nil && w[i] == 0 {
					t.Errorf("landmark %d of expert %d is not row %d, or has no weight", k, e, i)
				}
			}
		}
		for _, i := range given.HeldOut {
			if taken[i] || w != nil && w[i] == 0 {
				t.Errorf("row %d is held out, and a landmark or without a weight", i)
			}
		}
		if len(taken) != 8 || len(given.HeldOut) != 9 || !slices.IsSorted(given.HeldOut) {
			t.Errorf("%d landmarks, held-out rows %v", len(taken), given.HeldOut)
		}
		again := Ensemble{Config: Config{Kernel: gauss, Run: gram.Run{Seed: 8}}, Fitted: true, Given: given}
		got := must.Have(again.FitWeighted(t.Context(), x, w))(t)
		if !slices.Equal(got.Weights(), want.Weights()) || !mat.Equal(got.approximate(x).Phi, want.approximate(x).Phi) {
			t.Error("another ensemble of the landmarks that are given")
		}
		if s := got.Config(); s.Experts != 2 || s.M != 4 || s.HeldOut != 9 || s.Given.Experts != nil || s.Given.HeldOut != nil || s.OffDiagonal != want.Config().OffDiagonal {
			t.Errorf("settings %+v", s)
		}
		if back := got.Given(); !slices.Equal(back.HeldOut, given.HeldOut) || !slices.Equal(back.Experts[1].Index, given.Experts[1].Index) {
			t.Errorf("given %v, got back %v", given, back)
		}
	}
	// Experts of 2 and 5 landmarks, of which the second are no rows.
	u := algotest.Problem(13, 5, 3, 2).X.(*mat.Dense)
	m := must.Have(Ensemble{Config: Config{Kernel: gauss}, Given: Given{Experts: []landmark.Fixed{{Index: []int{3, 9}}, {U: u}}}}.Fit(t.Context(), x))(t)
	if m.Config().M != 5 || m.Config().Experts != 2 || !slices.Equal(m.Weights(), []float64{.5, .5}) || m.Given().Experts[1].Index != nil {
		t.Errorf("settings %+v", m.Config())
	}
	for e, want := range []*mat.Dense{mat.NewDense(2, 3, append(mat.Row(nil, 3, x), mat.Row(nil, 9, x)...)), u} {
		if !mat.Equal(m.Expert(e).Landmarks(), want) {
			t.Errorf("expert %d has other landmarks", e)
		}
	}
}

// What is given must fit the settings and the rows, and errors name the rows of x.
func TestEnsembleGivenErrors(t *testing.T) {
	x := algotest.Problem(12, 40, 3, 3).X
	w := slices.Repeat([]float64{1}, 40)
	w[0] = 0
	two := []landmark.Fixed{{Index: []int{3, 9}}, {Index: []int{5, 6}}}
	for _, c := range []struct {
		field string
		value any
		c     Ensemble
	}{
		{"Experts", 3, Ensemble{Experts: 3, Given: Given{Experts: two}}},
		{"M", 3, Ensemble{Config: Config{M: 3}, Given: Given{Experts: two}}},
		{"Given.Experts", "nothing for expert 1", Ensemble{Given: Given{Experts: []landmark.Fixed{{Index: []int{3, 9}}, {}}}}},
		{"Given.Experts", "expert 1", Ensemble{Given: Given{Experts: []landmark.Fixed{{Index: []int{3, 9}}, {U: mat.NewDense(2, 2, nil)}}}}},
		{"Given.Experts", "row 9 for experts 0 and 1", Ensemble{Given: Given{Experts: []landmark.Fixed{{Index: []int{3, 9}}, {Index: []int{2, 9}}}}}},
		{"Landmarks.Index", nil, Ensemble{Given: Given{Experts: []landmark.Fixed{{Index: []int{0, 9}}, {Index: []int{2, 5}}}}}},
		{"Landmarks.Index", nil, Ensemble{Config: Config{Landmarks: landmark.Fixed{Index: []int{0, 9}}}, Experts: 1}},
		{"HeldOut", 3, Ensemble{Fitted: true, HeldOut: 3, Given: Given{Experts: two, HeldOut: []int{1, 2}}}},
		{"Given.HeldOut", nil, Ensemble{Fitted: true, Given: Given{Experts: two, HeldOut: []int{}}}},
		{"Given.HeldOut", nil, Ensemble{Fitted: true, Given: Given{Experts: two, HeldOut: []int{1, 40}}}},
		{"Given.HeldOut", nil, Ensemble{Fitted: true, Given: Given{Experts: two, HeldOut: []int{2, 1}}}},
		{"Given.HeldOut", nil, Ensemble{Fitted: true, Given: Given{Experts: two, HeldOut: []int{0, 1}}}},
		{"Given.HeldOut", "row 6", Ensemble{Fitted: true, Given: Given{Experts: two, HeldOut: []int{1, 6}}}},
		{"M", 2, Ensemble{Config: Config{M: 2, Landmarks: landmark.Fixed{Index: []int{1, 2, 3}}}, Experts: 2}},
	} {
		c.c.Kernel = gauss
		m, err := c.c.FitWeighted(t.Context(), x, w)
		var ce *gram.ConfigError
		if !errors.As(err, &ce) || ce.Field != c.field || m != nil || c.value != nil && !startsWith(ce.Value, c.value) {
			t.Errorf("%s: %v", c.field, err)
		}
	}
	bad := mat.NewDense(2, 3, nil)
	bad.Set(1, 2, math.NaN())
	if _, err := (Ensemble{Config: Config{Kernel: gauss}, Given: Given{Experts: []landmark.Fixed{{U: bad}}}}).Fit(t.Context(), x); err == nil {
		t.Error("a landmark of NaN is accepted")
	}
}

// startsWith reports whether a value of an error is the wanted one, or begins with its text.
func startsWith(got, want any) bool {
	text, is := got.(string)
	if prefix, both := want.(string); is && both {
		return len(text) >= len(prefix) && text[:len(prefix)] == prefix
	}
	return got == want
}

// A kernel that is known by its columns has rows as landmarks by default. The features are at most as many as the rank.
func TestDefaultLandmarks(t *testing.T) {
	x := algotest.Problem(12, 40, 3, 3).X.(*mat.Dense)
	k := must.Have(kernel.FromMatrix(fixture.KernelMatrix(gauss, x, x)))(t)
	c := Config{Kernel: k, M: 6, Rank: 4}
	m := fit(t, c, kernel.Indices(40))
	if (m.Config().Landmarks != landmark.Uniform{}) || len(m.Stats().Index) != 6 {
		t.Errorf("landmarks %T, rows %v", m.Config().Landmarks, m.Stats().Index)
	}
	for i, row := range m.Stats().Index {
		if got := m.Landmarks().At(i, 0); got != float64(row) {
			t.Errorf("landmark %d is %v, row %d", i, got, row)
		}
	}
	if f, err := c.Features(gram.Shape{N: 40, D: 1}); f != 4 || err != nil {
		t.Errorf("%d features, %v", f, err)
	}
	if _, err := (Config{Kernel: gauss, M: 41}).Features(gram.Shape{N: 40, D: 1}); err == nil {
		t.Error("features of 41 landmarks of 40 rows")
	}
}
