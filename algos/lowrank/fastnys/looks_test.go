package fastnys

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
	c := Config{Kernel: kernel.Gaussian{Gamma: .5}, M: 8, Rows: 2, Certificate: 20}
	m := must.Have(c.Fit(t.Context(), x))(t)
	looktest.Each(t, map[string]func(ctx context.Context) (any, error){
		"Fit": func(ctx context.Context) (any, error) {
			m, err := c.Fit(ctx, x)
			return looktest.Unless(err, func() any { return m.Map(nil, x) })
		},
		"Operator": func(ctx context.Context) (any, error) {
			m, err := m.Operator(ctx, x)
			return looktest.Unless(err, func() any { return m.Phi })
		},
	})
}
