package dcpred

import (
	"math"
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/algotest"
	"github.com/gramworks/gram/kernel"
)

func TestSettings(t *testing.T) {
	d := algotest.Problem(5, 60, 3, 3)
	more := map[string][]any{"Branch": {1}, "C": {math.Inf(1)}, "Lambda": {math.Inf(1)}, "Kernel": {nil}, "Rows": {2}}
	fit := func(c Config) error {
		_, err := c.Fit(t.Context(), d.X, d.Labels, nil)
		return err
	}
	good := Config{Kernel: kernel.Gaussian{Gamma: 1}, Leaf: 20, M: 4}
	algotest.Refused(t, good, more, fit)
	structured := good
	structured.Structured = true
	more = map[string][]any{"Branch": {1}, "C": {math.Inf(1)}, "Lambda": {math.Inf(1)}, "Kernel": {nil}, "P": {1}, "All": {true}, "Rows": {3}}
	algotest.Refused(t, structured, more, fit)
	if _, err := good.FitValues(t.Context(), d.X, d.Value, nil); err != nil {
		t.Error(err)
	}
	good.M = -1
	_, err := good.FitValues(t.Context(), d.X, d.Value, nil)
	algotest.Names(t, "M", good.M, err)
	_, err = good.Plan(gram.Shape{N: 60, D: 3})
	algotest.Names(t, "M", good.M, err)
}

func TestDescribed(t *testing.T) { algotest.Described(t, &Config{}) }
