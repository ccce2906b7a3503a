package papers

import (
	"context"
	"errors"
	"math"
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/labels/gimc"
	"github.com/gramworks/gram/app/papers/protocol"
	"github.com/gramworks/gram/dataset"
	"github.com/gramworks/gram/sparse"
)

// Rare words weigh more, rows have length 1, and weights are those of the training
// rows, of which x may be others.
func TestLengthOne(t *testing.T) {
	train := &sparse.CSR{N: 4, D: 3, Ptr: []int{0, 2, 3, 4, 5}, Col: []int32{0, 1, 0, 0, 1}, Val: []float64{1, 1, 1, 1, 1}}
	x := &sparse.CSR{N: 2, D: 3, Ptr: []int{0, 2, 4}, Col: []int32{0, 1, 1, 2}, Val: []float64{2, 3, 1, 1}}
	ln := math.Log
	for _, rarity := range []float64{0, .5, 1} {
		weights := [3]float64{math.Pow(ln(4./3), rarity), math.Pow(ln(4./2), rarity), math.Pow(ln(4./1), rarity)} // no row has column 2: as if one had it
		got := lengthOne(x, train, rarity).(*sparse.CSR)
		for i := range 2 {
			col, val := got.Row(i)
			_, raw := x.Row(i)
			var size float64
			for k, j := range col {
				size += math.Pow(raw[k]*weights[j], 2)
			}
			for k, j := range col {
				if want := raw[k] * weights[j] / math.Sqrt(size); !(math.Abs(val[k]-want) < 1e-15) {
					t.Errorf("rarity %g, row %d, column %d: %v, want %v", rarity, i, j, val[k], want)
				}
			}
		}
		if x.Val[0] != 2 {
			t.Fatal("the rows passed in have changed")
		}
	}
}

// The choice is the best of what the held-out rows say, for the settings and the
// steps, and its fit takes as many.
func TestChooseGIMC(t *testing.T) {
	d := tagged(300, 30, 5, 8, 3)
	c := gimc.Config{M: 4, Steps: 12, Tol: gram.Set(1e-12), Run: gram.Run{Seed: 3}}
	grid := gimcGrid{lambdas: []float64{.01, 30}, gammas: []float64{.1}, rarities: []float64{0, .5}, folds: 2}
	r := &run{ctx: t.Context()}
	best := r.chooseGIMC(c, grid, d)
	high := math.Inf(-1)
	for _, rarity := range grid.rarities {
		for _, lambda := range grid.lambdas {
			c := best.c
			c.Lambda, c.Steps, c.Fixed = gram.Set(lambda), 12, false
			if rarity != best.rarity {
				continue // another γ
			}
			for step, v := range heldOutGIMC(t.Context(), c, 2, lengthOne(d.X, d.X, rarity), d.Tags) {
				if v > high {
					high = v
					if (v == best.score) != (lambda == best.c.Lambda.Value() && step == best.c.Steps) {
						t.Errorf("λ %g, step %d has %v; chosen is λ %g, step %d with %v", lambda, step, v, best.c.Lambda.Value(), best.c.Steps, best.score)
					}
				}
			}
		}
	}
	if high != best.score {
		t.Errorf("best %v, chosen %v", high, best.score)
	}
	p, err := protocol.Cut(func() *dataset.Set { return d }, 50)
	if err != nil {
		t.Fatal(err)
	}
	m, _ := best.fit(t.Context(), gram.Run{Seed: 4}, p)
	if len(m.Stats().Objective) != best.c.Steps+1 {
		t.Errorf("%d steps of %d", len(m.Stats().Objective)-1, best.c.Steps)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	r = &run{ctx: ctx}
	if err := try(func() { r.chooseGIMC(c, grid, d) }); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v of a context that is done", err)
	}
}
