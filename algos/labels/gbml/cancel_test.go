package gbml

import (
	"context"
	"testing"

	"github.com/gramworks/gram/algos/labels/leml"
	"github.com/gramworks/gram/internal/must"
)

// asked is a context that ends when it has been asked a number of times.
type asked struct {
	context.Context
	left int
}

func (a *asked) Err() error {
	if a.left--; a.left < 0 {
		return context.Canceled
	}
	return nil
}

// A fit that ends within a tree leaves the trees that were finished, and nothing
// of the other: the model ranks as one of that many trees.
func TestUnfinishedTree(t *testing.T) {
	x, y := problem(4, 200, 4, 7)
	c := Config{Trees: 3, Depth: 4, MinRows: 8, Projection: leml.Config{Rank: 2, Rounds: 1}}
	c.Workers = 1
	whole := must.Have(c.Fit(context.Background(), x, y))(t)
	some := 0
	for asks := 1; ; asks++ {
		m, err := c.Fit(&asked{context.Background(), asks}, x, y)
		if err == nil {
			break
		}
		if m == nil {
			continue
		}
		some++
		s, f := m.Stats(), forestOf(m)
		if n := s.Trees; len(f.roots) != n || len(s.Loss) != n+1 || len(s.ResidualEntries) != n+1 || s.Leaves != len(f.ptr)-1 {
			t.Fatalf("%d trees with %d roots, %d leaves and %d losses", n, len(f.roots), len(f.ptr)-1, len(s.Loss))
		}
		end := len(forestOf(whole).child)
		if s.Trees < 3 {
			end = int(forestOf(whole).roots[s.Trees])
		}
		if len(f.child) != end || len(f.feature) != end || len(f.threshold) != end || len(f.label) != int(f.ptr[len(f.ptr)-1]) || len(f.value) != len(f.label) {
			t.Fatalf("%d nodes of %d trees, want %d", len(f.child), s.Trees, end)
		}
	}
	if some == 0 {
		t.Error("no fit was interrupted within its trees")
	}
}
