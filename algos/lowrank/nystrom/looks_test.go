package nystrom

import (
	"context"
	"testing"

	"github.com/gramworks/gram/algos/algotest"
	"github.com/gramworks/gram/internal/looktest"
	"github.com/gramworks/gram/internal/must"
	"github.com/gramworks/gram/kernel"
)

// Feature maps and their kernel matrices end with the error of their context at whichever look it ends.
func TestLooks(t *testing.T) {
	x := algotest.Problem(3, 60, 3, 3).X
	c := Config{Kernel: kernel.Gaussian{Gamma: .5}, M: 8, Certificate: 20}
	m := must.Have(c.Fit(t.Context(), x))(t)
	e := Ensemble{Config: Config{Kernel: c.Kernel, M: 5}, Experts: 2, Fitted: true, HeldOut: 20}
	both := must.Have(e.Fit(t.Context(), x))(t)
	looktest.Each(t, map[string]func(ctx context.Context) (any, error){
		"Fit": func(ctx context.Context) (any, error) {
			m, err := c.Fit(ctx, x)
			return looktest.Unless(err, func() any { return m.Map(nil, x) })
		},
		"Operator": func(ctx context.Context) (any, error) {
			m, err := m.Operator(ctx, x)
			return looktest.Unless(err, func() any { return m.Phi })
		},
		"Ensemble.Fit": func(ctx context.Context) (any, error) {
			m, err := e.Fit(ctx, x)
			return looktest.Unless(err, func() any { return m.Map(nil, x) })
		},
		"EnsembleModel.Operator": func(ctx context.Context) (any, error) {
			m, err := both.Operator(ctx, x)
			return looktest.Unless(err, func() any { return m.Phi })
		},
	})
}
