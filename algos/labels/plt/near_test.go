package plt

import (
	"bytes"
	"math"
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/algotest"
	"github.com/gramworks/gram/internal/must"
	"github.com/gramworks/gram/modelfile"
	"github.com/gramworks/gram/sparse"
	"gonum.org/v1/gonum/mat"
)

// cosines returns the cosines of the unit rows of x and the features of the labels of rows of train, by their definition; NaN where no column is shared.
func cosines(train, tags, x *sparse.CSR) [][]float64 {
	unit := func(a *sparse.CSR, i int) []float64 {
		row, norm := make([]float64, a.D), math.Sqrt(a.SumSquares(i))
		for j := range row {
			row[j] = a.At(i, j) / norm
		}
		return row
	}
	features := make([][]float64, tags.D)
	for l := range features {
		sum, square := make([]float64, train.D), 0.0
		for i := range train.N {
			if tags.At(i, l) != 0 {
				for j, v := range unit(train, i) {
					sum[j] += v
				}
			}
		}
		for _, v := range sum {
			square += v * v
		}
		for j := range sum {
			sum[j] /= math.Sqrt(square)
		}
		features[l] = sum
	}
	out := make([][]float64, x.N)
	for i := range out {
		row := unit(x, i)
		for _, f := range features {
			c, shared := 0.0, false
			for j, v := range row {
				c += v * f[j]
				shared = shared || v*f[j] != 0
			}
			if !shared {
				c = math.NaN()
			}
			out[i] = append(out[i], c)
		}
	}
	return out
}

// Near adds so many times the cosine to the score, and gives one to labels that the beam does not reach.
func TestNear(t *testing.T) {
	x, y := generated(300, 200, 40, 8)
	test := x.Slice(280, 300)
	for _, trees := range []int{1, 3} {
		c := Config{Trees: trees, Leaf: 3, Branch: 3, Beam: 2, Rarity: gram.Set(0.), Near: gram.Set(0.)}
		plain := must.Have(c.Fit(t.Context(), x, y))(t)
		c.Near = gram.Set(1.5)
		near := must.Have(c.Fit(t.Context(), x, y))(t)
		a, b := plain.Scores(nil, test), near.Scores(nil, test)
		beyond := 0
		for i, row := range cosines(x, y, test) {
			for l, cos := range row {
				want := a.At(i, l)
				if cos == cos {
					if math.IsInf(want, -1) {
						want = 0
						beyond++
					}
					want += 1.5 * cos
				}
				if got := b.At(i, l); got != want && !(math.Abs(got-want) <= 1e-6) {
					t.Fatalf("%d trees, row %d, label %d: %v, want %v", trees, i, l, got, want)
				}
			}
		}
		if beyond < 20 {
			t.Errorf("%d labels beyond the beam have a score", beyond)
		}
	}
}

// Columns that are weighted by Rarity are columns of these multiples.
func TestRarity(t *testing.T) {
	x, y := generated(400, 100, 30, 9)
	count, factor := make([]float64, x.D), make([]float64, x.D)
	for _, j := range x.Col {
		count[j]++
	}
	for j, n := range count {
		factor[j] = math.Pow(math.Log(1+400/max(1, n)), 2)
	}
	c := Config{Leaf: 4, Rarity: gram.Set(2.), Near: gram.Set(.5)}
	weighed := must.Have(c.Fit(t.Context(), x, y))(t)
	c.Rarity = gram.Set(0.)
	scaled := must.Have(c.Fit(t.Context(), x.ScaleColumns(factor), y))(t)
	a, b := weighed.Scores(nil, x), scaled.Scores(nil, x.ScaleColumns(factor))
	for i := range 400 {
		for l := range 30 {
			if got, want := a.At(i, l), b.At(i, l); got != want && !(math.Abs(got-want) <= 1e-4) {
				t.Fatalf("row %d, label %d: %v, want %v", i, l, got, want)
			}
		}
	}
}

// Where labels have few rows that their features tell apart, Near is large, and where a feature says nothing, it is small.
func TestNearIsChosen(t *testing.T) {
	algotest.Serial(t)
	x, y := generated(3000, 3000, 1000, 10)
	rows, tags := x.Slice(0, 2500), y.Slice(0, 2500)
	of := func(c Config) *Model {
		m := must.Have(c.Fit(t.Context(), rows, tags))(t)
		return m
	}
	chosen, without := of(Config{}), of(Config{Near: gram.Set(0.)})
	test, want := x.Slice(2500, 3000), y.Slice(2500, 3000)
	a, b := precision(chosen, test, want), precision(without, test, want)
	if near := chosen.Config().Near.Value(); near < 1 || a < b+.1 {
		t.Errorf("near %v has P@1 %v, and none %v", near, a, b)
	}
	// Every label has rows on both sides of the origin.
	x, y = &sparse.CSR{N: 2000, D: 2, Ptr: []int{0}}, &sparse.CSR{N: 2000, D: 2, Ptr: []int{0}}
	for i := range 2000 {
		a := 2 * math.Pi * float64(i*617%2000) / 2000
		x.Col, x.Val = append(x.Col, 0, 1), append(x.Val, math.Cos(a), math.Sin(a))
		y.Col = append(y.Col, int32(i%10/9))
		x.Ptr, y.Ptr = append(x.Ptr, len(x.Col)), append(y.Ptr, len(y.Col))
	}
	rows, tags = x, y
	if near := of(Config{}).Config().Near.Value(); near > .5 {
		t.Errorf("near %v where the features say nothing", near)
	}
	few, err := Config{}.Fit(t.Context(), x.Slice(0, 150), y.Slice(0, 150))
	if err != nil || few.Config().Near.Value() != usualNear {
		t.Errorf("few rows have near %v, %v", few.Config().Near.Value(), err)
	}
}

// A model without near is one of a file without the arrays, and a model with it comes back from a file.
func TestNearInFiles(t *testing.T) {
	x, y := generated(300, 200, 40, 8)
	for _, c := range []Config{{Near: gram.Set(0.), Rarity: gram.Set(0.)}, {Near: gram.Set(2.), Leaf: 5}} {
		m := must.Have(c.Fit(t.Context(), x, y))(t)
		var b bytes.Buffer
		must.Do(t, modelfile.Write(&b, m))
		f := must.Have(modelfile.Read(&b))(t)
		if none := c.Near.Value() == 0; f.Has("near.ptr") == none || f.Has("weight") == none {
			t.Errorf("near %v: the file has the features: %v", c.Near.Value(), f.Has("near.ptr"))
		}
		again := must.Have(Decode(f))(t)
		if !mat.Equal(again.Scores(nil, x), m.Scores(nil, x)) {
			t.Errorf("near %v: other scores after reading", c.Near.Value())
		}
	}
}
