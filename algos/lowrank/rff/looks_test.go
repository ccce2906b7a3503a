package rff

import (
	"context"
	"testing"

	"github.com/gramworks/gram/algos/algotest"
	"github.com/gramworks/gram/internal/looktest"
	"github.com/gramworks/gram/internal/must"
	"github.com/gramworks/gram/kernel"
)

// The kernel matrix of the features ends with the error of its context at whichever look it ends.
func TestLooks(t *testing.T) {
	x := algotest.Problem(3, 60, 3, 3).X
	c := Config{Kernel: kernel.Gaussian{Gamma: .5}, M: 6}
	m := must.Have(c.Fit(t.Context(), x))(t)
	looktest.Each(t, map[string]func(ctx context.Context) (any, error){
		"Operator": func(ctx context.Context) (any, error) {
			m, err := m.Operator(ctx, x)
			return looktest.Unless(err, func() any { return m.Phi })
		},
	})
}
