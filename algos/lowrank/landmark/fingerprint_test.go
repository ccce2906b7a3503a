package landmark

import (
	"fmt"
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/algotest"
	"github.com/gramworks/gram/sparse"
)

func TestFingerprints(t *testing.T) {
	d := algotest.Problem(24, 90, 4, 3)
	for name, s := range selectors {
		t.Run(name, func(t *testing.T) {
			algotest.AtGeneric(t, func() {
				var items []any
				add := func(name string, p Points) { items = append(items, name+".u", p.U, name+".index", p.Index) }
				for _, m := range []int{7, 40} {
					add(fmt.Sprint(m), choose(t, s, d.X, nil, m, gram.Run{Seed: 5, Workers: 3}))
					add(fmt.Sprint(m, ".weighted"), choose(t, s, d.X, d.Weights, m, gram.Run{Seed: 5, Workers: 1}))
				}
				add("sparse", choose(t, s, sparse.FromDense(d.X), d.Weights, 7, gram.Run{Seed: 5}))
				algotest.Fingerprint(t, items...)
			})
		})
	}
}
