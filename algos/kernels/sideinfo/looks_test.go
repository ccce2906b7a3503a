package sideinfo

import (
	"context"
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/algotest"
	"github.com/gramworks/gram/internal/looktest"
	"github.com/gramworks/gram/kernel"
)

// Graphs and the features of cluster kernels end with the error of their context at whichever look it ends.
func TestLooks(t *testing.T) {
	x := algotest.Problem(3, 60, 3, 3).X
	for _, workers := range []int{1, 2} {
		run := gram.Run{Workers: workers}
		for name, f := range map[string]func(ctx context.Context) (any, error){
			"Features": func(ctx context.Context) (any, error) {
				return ClusterKernel{Kernel: kernel.Gaussian{Gamma: .5}, Rank: 4, Run: run}.Features(ctx, x)
			},
			"Graph": func(ctx context.Context) (any, error) { return Spectral{Rank: 4, Neighbors: 5, Run: run}.Graph(ctx, x) },
			"Graph of a kernel": func(ctx context.Context) (any, error) {
				return Spectral{Rank: 4, Kernel: kernel.Gaussian{Gamma: .5}, Run: run}.Graph(ctx, x)
			},
		} {
			t.Run(name, func(t *testing.T) { looktest.Every(t, f) })
		}
	}
}
