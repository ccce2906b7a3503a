package bregman

import (
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/algotest"
	"github.com/gramworks/gram/algos/kernels/constraint"
	"github.com/gramworks/gram/internal/gen"
	"github.com/gramworks/gram/internal/must"
	"gonum.org/v1/gonum/mat"
)

func TestFingerprints(t *testing.T) {
	g0 := gen.Normal(12, 5, 3)
	var kinds map[string][]constraint.Linear
	algotest.AtGeneric(t, func() { kinds = problems(g0, 3) })
	for divergence, d := range both {
		for kind, cs := range kinds {
			for price, slack := range map[string]float64{"hard": 0, "slack": 0.7} {
				t.Run(divergence+"/"+kind+"/"+price, func(t *testing.T) {
					algotest.AtGeneric(t, func() {
						m := fit(t, Config{Divergence: d, Slack: slack, Tol: 1e-3, Run: gram.Run{Seed: 3}}, g0, cs)
						algotest.Fingerprint(t, "transform", m.Transform(), "duals", m.Stats().Duals)
					})
				})
			}
		}
	}
}

// Starts and constraints.
func TestProblemFingerprints(t *testing.T) {
	d := algotest.Problem(24, 20, 4, 3)
	algotest.AtGeneric(t, func() {
		start := Random(20, 6, 5)
		items := []any{"random", start}
		add := func(name string, g *mat.Dense, cs []constraint.Linear) {
			m := fit(t, Config{Divergence: VonNeumann, Slack: 1, Tol: 1e-2, MaxIter: 20_000}, g, cs)
			items = append(items, name+".start", g, name+".transform", m.Transform())
		}
		cs := must.Have(constraint.FromLabels(start, d.Labels.Class, 15, .25, 7))(t)
		add("labels", start, cs)
		add("unit", start, UnitDiagonal(20))
		g, cs := must.Have2(Isometry(t.Context(), d.X, start, 2, gram.Run{}))(t)
		add("isometry", g, cs)
		g, cs = DefiniteBoost(20, []constraint.Linear{constraint.Distance(1, 2, constraint.AtMost, .1), constraint.Distance(3, 4, constraint.AtLeast, .2)})
		add("boost", g, cs)
		algotest.Fingerprint(t, items...)
	})
}
