package gbdt

import (
	"context"
	"math"
	"reflect"
	"sync"
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/internal/bins"
	"github.com/gramworks/gram/internal/must"
	"github.com/gramworks/gram/num/rng"
	"github.com/gramworks/gram/settings"
	"gonum.org/v1/gonum/mat"
)

// newFrontierGrower returns a grower of trees of squared loss whose rows have so many columns, with the words of the first round.
func newFrontierGrower(t *testing.T, n, d int, c Config) *grower {
	r := rng.New(15, 0)
	x, y := mat.NewDense(n, d, nil), make([]float64, n)
	for i := range n {
		for j := range d {
			if x.Set(i, j, r.NormFloat64()); j%3 == 2 && r.IntN(4) > 0 {
				x.Set(i, j, 0)
			}
		}
		y[i] = math.Sin(3*x.At(i, 0)) + x.At(i, 1)*x.At(i, d-1) + r.NormFloat64()/4
	}
	table := must.Have(bins.Make(t.Context(), 2, gram.Of(x), 255, 1, nil))(t)
	c = must.Have(settings.Resolved(c, gram.Shape{N: n, Outputs: 1}))(t)
	g := must.Have(newGrower(t.Context(), c, table, squaredLoss{y}, nil))(t)
	g.evaluate(squaredLoss{y}, make([]float64, n))
	return g
}

// The tree does not depend on the number of goroutines, of which each opens leaves of its own where they are small and all
// open a leaf together where it is large, nor does it where goroutines open leaves in any order.
func TestFrontier(t *testing.T) {
	for _, c := range []struct{ n, d, leaves int }{{500, 3, 8}, {20_000, 6, 31}, {90_000, 3, 31}, {20_000, 6, 2}, {20_000, 4, 500}} {
		g := newFrontierGrower(t, c.n, c.d, Config{MaxLeaves: c.leaves})
		g.c.Workers = 1
		rows, columns := all(c.n), all(c.d)
		want := must.Have(g.grow(0, nil, rows, columns))(t)
		for workers := 2; workers <= 4; workers++ {
			g.c.Workers = workers
			got, err := g.grow(0, nil, rows, columns)
			if err != nil || !reflect.DeepEqual(got, want) {
				t.Errorf("%v, %d goroutines: %v, another tree", c, workers, err)
			}
			apart := growApart(g, workers)
			if !reflect.DeepEqual(apart, want) {
				t.Errorf("%v, %d goroutines of their own: another tree", c, workers)
			}
		}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		g.ctx = ctx
		if _, err := g.grow(0, nil, rows, columns); err != context.Canceled {
			t.Errorf("canceled: %v", err)
		}
	}
}

// growApart grows a tree on goroutines that open leaves of any size on their own.
func growApart(g *grower, workers int) *tree {
	g.c.Workers = 1
	g.rows = append(g.rows[:0], all(g.t.N)...)
	t := &tree{}
	root := &leaf{node: t.leaf(), hi: g.t.N, sum: g.fixed.sum(g.whole(0)), hist: g.buffer()}
	t.value[0] = g.newton(root.sum)
	g.histogram(root)
	g.find(root)
	f := newFrontier(g, t, root)
	for f.advance() {
		f.wide = false
		var all sync.WaitGroup
		for range workers {
			all.Go(f.openSome)
		}
		all.Wait()
		if f.wide {
			l, last := f.next()
			f.opened(l, g.open(l, 1, last))
		}
	}
	for i := range t.value {
		t.value[i] *= g.c.Shrinkage
	}
	return t
}

// A panic of one goroutine ends the others, which wait for its leaf.
func TestFrontierPanics(t *testing.T) {
	g := newFrontierGrower(t, 500, 3, Config{MaxLeaves: 8})
	l := &leaf{hi: 500, best: candidate{gain: 1, column: 99}} // there is no such column
	f := newFrontier(g, &tree{}, l)
	var all sync.WaitGroup
	for range 2 {
		all.Go(func() {
			defer func() { recover() }()
			f.openSome()
		})
	}
	all.Wait()
	if f.err != errAbandoned {
		t.Errorf("the error is %v", f.err)
	}
}
