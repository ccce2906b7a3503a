package rfm

import (
	"slices"
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/algotest"
	"github.com/gramworks/gram/dataset"
	"github.com/gramworks/gram/internal/must"
	"github.com/gramworks/gram/settings"
	"gonum.org/v1/gonum/mat"
)

// TestLastWalk: with the metric that a search has chosen, no neighboring width or λ has a clearly smaller loss on the held-out rows, and the
// loss that the search states is that of the settings it returns.
func TestLastWalk(t *testing.T) {
	algotest.Serial(t)
	const n, train, d = 1000, 800, 4
	for _, seed := range []uint64{0, 2} {
		x, y := dataset.Smooth(n, d, .3, seed)
		p := &part{
			x: x.Slice(0, train, 0, d).(*mat.Dense), y: mat.NewDense(train, 1, slices.Clone(y[:train])),
			held: x.Slice(train, n, 0, d).(*mat.Dense), want: mat.NewDense(n-train, 1, slices.Clone(y[train:])),
		}
		p.meter = new(gram.Meter)
		c := must.Have(settings.Resolved(Config{Rounds: gram.Set(2)}, gram.Shape{N: n, D: d}))(t)
		found, _, err := c.search(t.Context(), p, d)
		if err != nil {
			t.Fatal(err)
		}
		at := point{slices.Index(lengths, found.length), slices.IndexFunc(products, func(v float64) bool { return v/found.length == found.lambda })}
		for _, step := range []point{{0, 0}, {0, -1}, {0, 1}, {-1, 0}, {1, 0}} {
			to := point{at.length + step.length, at.product + step.product}
			if to.length < 0 || to.length >= len(lengths) || to.product < 0 || to.product >= len(products) {
				continue
			}
			length, lambda := c.at(to)
			f := must.Have(p.fit(t.Context(), found.best.at, length, true, lambda))(t)
			if step == (point{}) && (f.loss != found.best.loss || length != found.length || lambda != found.lambda) {
				t.Errorf("seed %d: length %g and lambda %g with loss %g are returned for %g, %g with loss %g",
					seed, found.length, found.lambda, found.best.loss, length, lambda, f.loss)
			}
			if !(better*f.loss >= found.best.loss) {
				t.Errorf("seed %d: length %g and lambda %g have the loss %g, and %g is returned", seed, length, lambda, f.loss, found.best.loss)
			}
		}
	}
}
