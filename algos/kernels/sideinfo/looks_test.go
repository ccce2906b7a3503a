package sideinfo

import (
	"context"
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/algotest"
	"github.com/gramworks/gram/algos/kernels/constraint"
	"github.com/gramworks/gram/internal/looktest"
	"github.com/gramworks/gram/kernel"
)

// Learned features, graphs and the features of cluster kernels end with the error of their context at whichever look it ends.
func TestLooks(t *testing.T) {
	d := algotest.Problem(3, 60, 3, 3)
	x := d.X
	for _, workers := range []int{1, 2} {
		run := gram.Run{Workers: workers}
		looktest.Each(t, map[string]func(ctx context.Context) (any, error){
			"Features": func(ctx context.Context) (any, error) {
				return ClusterKernel{Kernel: kernel.Gaussian{Gamma: .5}, Rank: 4, Run: run}.Features(ctx, x)
			},
			"FitStatements": func(ctx context.Context) (any, error) {
				c := Either{Run: run}
				c.Learned.Kernel, c.Learned.M = kernel.Gaussian{Gamma: .5}, 8
				m, err := c.FitStatements(ctx, x, d.Labels, []constraint.Statement{{Pair: constraint.Pair{I: 0, J: 1}}, {Pair: constraint.Pair{I: 2, J: 5, Same: true}}})
				return looktest.Unless(err, func() any { return m.Map(nil, x) })
			},
			"Graph": func(ctx context.Context) (any, error) { return Spectral{Rank: 4, Neighbors: 5, Run: run}.Graph(ctx, x) },
			"Graph of a kernel": func(ctx context.Context) (any, error) {
				return Spectral{Rank: 4, Kernel: kernel.Gaussian{Gamma: .5}, Run: run}.Graph(ctx, x)
			},
		})
	}
}
