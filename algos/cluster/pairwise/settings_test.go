package pairwise

import (
	"errors"
	"math"
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/algotest"
	"github.com/gramworks/gram/algos/cluster/kmeans"
	"github.com/gramworks/gram/algos/kernels/constraint"
	"github.com/gramworks/gram/algos/learned/completion"
	"github.com/gramworks/gram/internal/must"
)

func TestSettings(t *testing.T) {
	d := algotest.Problem(5, 40, 3, 3)
	fit := func(pairs []constraint.Pair) func(c Config) error {
		return func(c Config) error {
			_, err := c.Fit(t.Context(), d.X, pairs)
			return err
		}
	}
	good := Config{K: 3, Lambda: []float64{1}, Rounds: 2, Steps: 1, Starts: 1, Map: completion.Side{Map: completion.Fourier, M: 4, Gamma: 1, Learn: true}}
	more := map[string][]any{"K": {41}, "M": {1<<28 + 1}, "Gamma": {math.Inf(1)}, "Lambda": {[]float64{}, []float64{1, -1}, []float64{math.Inf(1)}, []float64{math.NaN()}}}
	algotest.Refused(t, good, more, fit(constraint.Sample(d.Labels.Class, 90, 1)))
	algotest.Names(t, "pairs", "none", fit(nil)(good))
	algotest.Names(t, "pairs", "opposites", fit([]constraint.Pair{{I: 0, J: 1, Same: true}, {I: 1, J: 0, Same: false}})(good))
	for _, p := range []constraint.Pair{{I: -1, J: 0, Same: true}, {I: 0, J: -1, Same: true}, {I: 40, J: 0, Same: true}, {I: 0, J: 40, Same: true}, {I: 3, J: 3, Same: true}} {
		algotest.Names(t, "pairs[1]", p, fit([]constraint.Pair{{I: 0, J: 1, Same: true}, p})(good))
	}
}

// A plan is one completion and one clustering for each λ, beside the pairs, and refuses what a fit does.
func TestPlan(t *testing.T) {
	s := gram.Shape{N: 500, D: 6}
	side := completion.Side{Map: completion.Fourier, M: 8, Gamma: 1, Learn: true}
	c := Config{K: 3, Map: side, Lambda: []float64{1, 2}, Rounds: 2, Steps: 3, Products: 4, Starts: 5, Run: gram.Run{Workers: 2}}
	p := must.Have(completion.Config{Rows: side, Columns: side, Rank: 3, Lambda: gram.Set(1.), Rounds: 2, Steps: 3, Products: 4, Run: c.Run}.
		Plan(gram.Shape{N: 500, D: 500, Outputs: 500, NNZ: 2 * 700}, s, s))(t)
	q := must.Have(kmeans.Config{K: 3, Starts: 5, AllRows: true, Run: c.Run}.Plan(gram.Shape{N: 500, D: 3}))(t)
	got := must.Have(c.Plan(s, 700))(t)
	if !(math.Abs(got.Flops-2*(p.Flops+q.Flops)) <= 1e-9*got.Flops) || got.ModelBytes != p.ModelBytes+q.ModelBytes+8*3*3 ||
		got.PeakBytes != 72*700+2*p.ModelBytes+8*500*8+max(p.PeakBytes, q.PeakBytes) {
		t.Errorf("%+v, the completion %+v, the clusters %+v", got, p, q)
	}
	for field, change := range map[string]func(c *Config){
		"K":      func(c *Config) { c.K = 501 },
		"Lambda": func(c *Config) { c.Lambda = []float64{-1} },
		"Starts": func(c *Config) { c.Starts = -1 },
		"M":      func(c *Config) { c.Map.M = -1 },
	} {
		bad := c
		change(&bad)
		_, err := bad.Plan(s, 700)
		algotest.Names(t, field, nil, err)
	}
	d := algotest.Problem(5, 40, 3, 3)
	c.MemoryLimit = 1000
	var large *gram.MemoryError
	if _, err := c.Fit(t.Context(), d.X, constraint.Sample(d.Labels.Class, 90, 1)); !errors.As(err, &large) {
		t.Errorf("1000 bytes: %v", err)
	}
	c.MemoryLimit = 0
	m := must.Have(c.Fit(t.Context(), d.X, constraint.Sample(d.Labels.Class, 90, 1)))(t)
	if complete := m.Completion(); complete == nil || complete.Config().Rank != 3 || complete.Config().Lambda.Value() != m.Stats().Lambda {
		t.Errorf("the completion has the settings %+v", complete.Config())
	}
}

func TestDescribed(t *testing.T) { algotest.Described(t, &Config{}) }
