package landmark

import (
	"context"
	"errors"
	"math"
	"slices"
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/algotest"
	"github.com/gramworks/gram/internal/must"
	"github.com/gramworks/gram/kernel"
	"github.com/gramworks/gram/num/rng"
	"gonum.org/v1/gonum/mat"
)

func TestLeverageSettings(t *testing.T) {
	x := algotest.Problem(1, 20, 2, 3).X
	for _, v := range []float64{-1, math.NaN(), math.Inf(1)} {
		var ce *gram.ConfigError
		p, err := Leverage{Lambda: v}.Select(context.Background(), gauss, x, nil, 3, gram.Run{})
		if !errors.As(err, &ce) || ce.Field != "Landmarks.Lambda" || p.U != nil {
			t.Errorf("λ = %v: error %v", v, err)
		}
	}
}

// The scores of a sketch are those of the formula in the comment of Leverage,
// with the default λ and with one that is given, and at most 1; those of all rows
// with the default λ sum to no more than m.
func TestLeverageOfASketch(t *testing.T) {
	const n, m = 50, 6
	x := algotest.Problem(3, n, 2, 3).X.(*mat.Dense)
	for _, c := range []struct {
		s    Leverage
		size int
	}{{Leverage{}, 2 * m}, {Leverage{Sketch: 20}, 20}, {Leverage{Sketch: 9, Lambda: 0.3}, 9}, {Leverage{Sketch: 500}, n}, {Leverage{Sketch: 5, Lambda: 1e-3}, 5}} {
		got := must.Have(c.s.scores(context.Background(), gauss, gram.Of(x), m, gram.Run{Seed: 8}))(t)
		sketch := slices.Sorted(slices.Values(rng.New(8, 1).Perm(n)[:c.size]))
		share := float64(c.size) / n
		w := mat.NewSymDense(c.size, nil)
		for a, i := range sketch {
			for b, j := range sketch[:a+1] {
				w.SetSym(a, b, gauss.Eval(x.RawRowView(i), x.RawRowView(j)))
			}
		}
		lambda := c.s.Lambda
		if lambda == 0 {
			var e mat.EigenSym
			if !e.Factorize(w, false) {
				t.Fatal("no eigenvalues")
			}
			for _, v := range e.Values(nil)[:c.size-m/2] {
				lambda += v / share / (m / 2)
			}
		}
		for a := range sketch {
			w.SetSym(a, a, w.At(a, a)+lambda*share)
		}
		var chol mat.Cholesky
		if !chol.Factorize(w) {
			t.Fatal("not positive definite")
		}
		clipped, sum := 0, 0.0
		for i := range n {
			k := mat.NewVecDense(c.size, nil)
			for a, j := range sketch {
				k.SetVec(a, gauss.Eval(x.RawRowView(i), x.RawRowView(j)))
			}
			var z mat.VecDense
			must.Do(t, chol.SolveVecTo(&z, k))
			want := (1 - mat.Dot(k, &z)) / lambda
			if want > 1 {
				want = 1
				clipped++
			}
			if sum += got[i]; !(math.Abs(got[i]-want) < 1e-9) {
				t.Errorf("%+v: score of row %d is %g, want %g", c.s, i, got[i], want)
			}
		}
		if c.s.Lambda == 1e-3 && clipped == 0 {
			t.Error("no score is above 1")
		}
		if c.size == n && !(sum <= m) {
			t.Errorf("the scores sum to %g for %d landmarks", sum, m)
		}
	}
}

// A kernel without values has no scores, and any rows will do; rows without
// weight are not drawn although their scores are the largest.
func TestLeverageOfNothing(t *testing.T) {
	x := mat.NewDense(12, 2, nil)
	got, err := Leverage{}.scores(context.Background(), kernel.Linear{}, gram.Of(x), 3, gram.Run{})
	if err != nil || !slices.Equal(got, make([]float64, 12)) {
		t.Errorf("scores %v of zeros, %v", got, err)
	}
	if p := choose(t, Leverage{}, x, nil, 5, gram.Run{}); len(p.Index) != 5 {
		t.Errorf("rows %v of zeros", p.Index)
	}
	w := make([]float64, 12)
	for i := range 12 {
		x.Set(i, 0, float64(i))
		w[i] = float64((i + 1) % 2)
	}
	for seed := range uint64(20) {
		for _, s := range []Selector{Leverage{}, ColumnNorm{}, Farthest{}, RPCholesky{}} {
			for _, i := range choose(t, s, x, w, 6, gram.Run{Seed: seed}).Index {
				if i%2 == 1 {
					t.Fatalf("%T took row %d, which has no weight", s, i)
				}
			}
		}
	}
}

// A row far from all others is taken wherever it stands.
func TestFarthestOutlier(t *testing.T) {
	for at := range 9 {
		x := algotest.Problem(3, 9, 2, 2).X.(*mat.Dense)
		x.Set(at, 1, 1000)
		for seed := range uint64(3) {
			if index := choose(t, Farthest{}, x, nil, 2, gram.Run{Seed: seed, Workers: 1}).Index; !slices.Contains(index, at) {
				t.Errorf("row %d, seed %d: rows %v", at, seed, index)
			}
		}
	}
}

// The farthest of equals is the first one, for any number of workers; of copies
// all different rows are taken first.
func TestFarthestTies(t *testing.T) {
	const n = 3000
	x := mat.NewDense(n, 1, nil)
	for i := range n {
		x.Set(i, 0, float64(i%4)) // 0 1 2 3 0 1 2 3 …
	}
	for seed := range uint64(8) {
		var want []int
		for _, workers := range []int{1, 3} {
			p := choose(t, Farthest{}, x, nil, 4, gram.Run{Seed: seed, Workers: workers})
			values := map[float64]bool{}
			first := 0
			for _, i := range p.Index {
				values[x.At(i, 0)] = true
				if i < 4 {
					first++
				}
			}
			if len(values) != 4 || first < 3 {
				t.Errorf("seed %d: rows %v; three of them are the first of their copies", seed, p.Index)
			}
			if want == nil {
				want = p.Index
			} else if !slices.Equal(p.Index, want) {
				t.Errorf("seed %d: %v, with other workers %v", seed, p.Index, want)
			}
		}
	}
}

// What a selector reports ends with all rows, or all landmarks.
func TestSelectorsReport(t *testing.T) {
	x := algotest.Problem(4, 70, 2, 3).X
	for s, want := range map[Selector]gram.Event{
		ColumnNorm{}: {Phase: "column norms", Done: 70, Total: 70},
		Leverage{}:   {Phase: "leverage scores", Done: 70, Total: 70},
		Farthest{}:   {Phase: "farthest points", Done: 9, Total: 9},
		RPCholesky{}: {Phase: "pivots", Done: 9, Total: 9},
	} {
		var events []gram.Event
		choose(t, s, x, nil, 9, gram.Run{Progress: func(e gram.Event) { events = append(events, e) }})
		if len(events) == 0 || events[len(events)-1] != want {
			t.Errorf("%T reports %+v", s, events)
		}
	}
}
