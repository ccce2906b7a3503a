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
	for name, f := range map[string]func(ctx context.Context) (any, error){
		"Fit": func(ctx context.Context) (any, error) {
			m, err := c.Fit(ctx, x)
			if err != nil {
				return nil, err
			}
			return m.Map(nil, x), nil
		},
		"Operator": func(ctx context.Context) (any, error) {
			m, err := m.Operator(ctx, x)
			if err != nil {
				return nil, err
			}
			return m.Phi, nil
		},
		"Ensemble.Fit": func(ctx context.Context) (any, error) {
			m, err := e.Fit(ctx, x)
			if err != nil {
				return nil, err
			}
			return m.Map(nil, x), nil
		},
		"EnsembleModel.Operator": func(ctx context.Context) (any, error) {
			m, err := both.Operator(ctx, x)
			if err != nil {
				return nil, err
			}
			return m.Phi, nil
		},
	} {
		t.Run(name, func(t *testing.T) { looktest.Every(t, f) })
	}
}
