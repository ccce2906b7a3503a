package meka

import (
	"context"
	"testing"

	"github.com/gramworks/gram/algos/algotest"
	"github.com/gramworks/gram/internal/looktest"
	"github.com/gramworks/gram/kernel"
	"gonum.org/v1/gonum/mat"
)

// The kernel matrix of other rows and its eigenvalues end with the error of their context at whichever look it ends.
func TestOperatorLooks(t *testing.T) {
	rows := make([]int, 60)
	for i := range rows {
		rows[i] = i
	}
	x := algotest.Problem(3, 60, 3, 3).X
	m, err := Config{Kernel: kernel.Gaussian{Gamma: .5}, Clusters: 3, Rank: 4}.Fit(t.Context(), x)
	if err != nil {
		t.Fatal(err)
	}
	looktest.Each(t, map[string]func(ctx context.Context) (any, error){
		"At": func(ctx context.Context) (any, error) {
			m, err := m.At(ctx, x)
			if err != nil {
				return nil, err
			}
			all := mat.NewDense(60, 60, nil)
			m.Rows(all, rows)
			return all, nil
		},
		"Eigenvalues": func(ctx context.Context) (any, error) {
			return m.Operator().Eigenvalues(ctx)
		},
	})
	// There is a look before each of three clusters and one before the last decomposition.
	for looks := range 4 {
		if values, err := m.Operator().Eigenvalues(looktest.After(t.Context(), looks)); err != context.Canceled || values != nil {
			t.Errorf("the context ended at look %d: %v, %v, want %v", looks+1, values, err, context.Canceled)
		}
	}
}
