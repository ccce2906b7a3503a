package rff

import (
	"errors"
	"math"
	"slices"
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/algotest"
	"github.com/gramworks/gram/internal/must"
	"github.com/gramworks/gram/kernel"
	"gonum.org/v1/gonum/mat"
)

// The frequencies of a model, given to another fit, are its frequencies, whatever the seed of the fit; M is their number.
func TestGiven(t *testing.T) {
	const m = 21 // Fastfood: of 3 blocks of 8
	x := algotest.Problem(4, 6, 5, 2).X
	for _, c := range variants {
		c.M = m
		want := must.Have(c.Fit(t.Context(), x))(t)
		given := want.Given()
		if (given.Blocks != nil) != (c.Frequencies == Fastfood) || (given.Omega == nil) != (c.Frequencies == Fastfood) {
			t.Fatalf("%s: given %+v", name(c), given)
		}
		for _, count := range []int{m, 0} {
			c.Given, c.M, c.Seed = given, count, 99
			got := must.Have(c.Fit(t.Context(), x))(t)
			total := m
			if count == 0 && c.Frequencies == Fastfood {
				total = 24 // the last block as a whole
			}
			if got.Config().M != total || got.Config().Given.Omega != nil || got.Config().Given.Blocks != nil {
				t.Errorf("%s: settings %+v", name(c), got.Config())
			}
			omega := got.Omega()
			if !mat.EqualApprox(omega.Slice(0, m, 0, 5), want.Omega(), 1e-12) {
				t.Errorf("%s, M = %d: other frequencies", name(c), count)
			}
			if features, err := c.Features(gram.Shape{N: 6, D: 5}); err != nil || features != 2*total {
				t.Errorf("%s, M = %d: %d features, %v", name(c), count, features, err)
			}
			if total == m && !mat.EqualApprox(got.Map(nil, x), want.Map(nil, x), 1e-12) {
				t.Errorf("%s: other features", name(c))
			}
			inner, none := got.Inner()
			if none != nil || !mat.EqualApprox(inner.Map(nil, x), got.Map(nil, x), 1e-12) {
				t.Errorf("%s: the features of the frequencies that are worked out differ", name(c))
			}
		}
	}
	// The model does not change with what was given.
	omega := mat.NewDense(2, 3, []float64{1, 2, 3, 4, 5, 6})
	one := must.Have(Config{Kernel: kernel.Gaussian{Gamma: 1}, Given: Given{Omega: omega}}.Fit(t.Context(), mat.NewDense(1, 3, nil)))(t)
	omega.Zero()
	if got := one.Map(nil, mat.NewDense(1, 3, []float64{1, 0, 1})); !(math.Abs(got.At(0, 0)-math.Cos(4)/math.Sqrt2) < 1e-12) || !(math.Abs(got.At(0, 3)-math.Sin(10)/math.Sqrt2) < 1e-12) {
		t.Errorf("features %v", mat.Formatted(got))
	}
}

// Blocks by hand, for γ = 1/2, by which σ is 1, and two columns: S·H·G·Π·H·B/√2 with H = (1 1; 1 −1).
func TestGivenBlocks(t *testing.T) {
	blocks := []Block{
		// H·B = (1 −1; 1 1), Π swaps its rows, G makes them (3 3; 4 −4), H (7 −1; −1 7), and S is 2/5 and 1.
		{B: []float64{1, -1}, P: []int{1, 0}, G: []float64{3, 4}, Chi: []float64{2, 5}},
		// Without a length of G all frequencies are 0.
		{B: []float64{1, 1}, P: []int{0, 1}, G: []float64{0, 0}, Chi: []float64{2, 5}},
	}
	c := Config{Kernel: kernel.Gaussian{Gamma: .5}, Frequencies: Fastfood, Given: Given{Blocks: blocks}}
	m := must.Have(c.Fit(t.Context(), mat.NewDense(1, 2, nil)))(t)
	want := mat.NewDense(4, 2, []float64{2.8, -.4, -1, 7, 0, 0, 0, 0})
	want.Scale(1/math.Sqrt2, want)
	if !mat.EqualApprox(m.Omega(), want, 1e-12) {
		t.Errorf("frequencies\n%v", mat.Formatted(m.Omega()))
	}
	back := m.Given().Blocks
	if len(back) != 2 || !slices.Equal(back[0].B, blocks[0].B) || !slices.Equal(back[0].P, blocks[0].P) || !slices.Equal(back[0].G, blocks[0].G) ||
		!(math.Abs(back[0].Chi[0]-2) < 1e-12) || !(math.Abs(back[0].Chi[1]-5) < 1e-12) {
		t.Errorf("blocks %+v", back)
	}
}

// What is given must fit the settings and the rows.
func TestGivenErrors(t *testing.T) {
	nan := math.NaN()
	good := func() Block {
		return Block{B: []float64{1, -1}, P: []int{1, 0}, G: []float64{3, 4}, Chi: []float64{2, 5}}
	}
	with := func(change func(b *Block)) Config {
		b := good()
		change(&b)
		return Config{Frequencies: Fastfood, Given: Given{Blocks: []Block{good(), b}}}
	}
	two := []Block{good(), good()}
	for _, c := range []struct {
		field string
		c     Config
	}{
		{"Given.Omega", Config{Given: Given{Omega: mat.NewDense(4, 3, nil)}}},
		{"Given.Omega", Config{Frequencies: Fastfood, Given: Given{Omega: mat.NewDense(4, 2, nil)}}},
		{"M", Config{M: 3, Given: Given{Omega: mat.NewDense(4, 2, nil)}}},
		{"Given.Blocks", Config{Given: Given{Blocks: two}}},
		{"Given.Blocks", Config{Frequencies: Fastfood, Given: Given{Blocks: []Block{}}}},
		{"M", Config{M: 5, Frequencies: Fastfood, Given: Given{Blocks: two}}},
		{"M", Config{M: 2, Frequencies: Fastfood, Given: Given{Blocks: two}}},
		{"", Config{M: 3, Frequencies: Fastfood, Given: Given{Blocks: two}}},
		{"", Config{M: 4, Frequencies: Fastfood, Given: Given{Blocks: two}}},
		{"Given.Blocks[1].B", with(func(b *Block) { b.B = b.B[:1] })},
		{"Given.Blocks[1].P", with(func(b *Block) { b.P = b.P[:1] })},
		{"Given.Blocks[1].G", with(func(b *Block) { b.G = b.G[:1] })},
		{"Given.Blocks[1].Chi", with(func(b *Block) { b.Chi = append(b.Chi, 1) })},
		{"Given.Blocks[1].P", with(func(b *Block) { b.P[1] = 1 })},
		{"Given.Blocks[1].P", with(func(b *Block) { b.P[0] = 2 })},
		{"Given.Blocks[1].P", with(func(b *Block) { b.P[1] = -1 })},
		{"Given.Blocks[1].B", with(func(b *Block) { b.B[1] = 0 })},
		{"Given.Blocks[1].G", with(func(b *Block) { b.G[1] = nan })},
		{"Given.Blocks[1].Chi", with(func(b *Block) { b.Chi[1] = math.Inf(1) })},
	} {
		c.c.Kernel = kernel.Gaussian{Gamma: .5}
		m, err := c.c.Fit(t.Context(), mat.NewDense(3, 2, nil))
		var ce *gram.ConfigError
		if c.field == "" {
			if err != nil {
				t.Errorf("M = %d: %v", c.c.M, err)
			}
		} else if !errors.As(err, &ce) || ce.Field != c.field || m != nil {
			t.Errorf("%s: %v", c.field, err)
		}
	}
	omega := mat.NewDense(4, 2, nil)
	omega.Set(2, 1, nan)
	var de *gram.DataError
	if _, err := (Config{Kernel: kernel.Gaussian{Gamma: 1}, Given: Given{Omega: omega}}).Fit(t.Context(), mat.NewDense(3, 2, nil)); !errors.As(err, &de) || de.Row != 2 || de.Col != 1 {
		t.Errorf("a frequency of NaN: %v", err)
	}
}
