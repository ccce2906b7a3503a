package bregman

import (
	"context"
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/algotest"
	"github.com/gramworks/gram/algos/kernels/constraint"
	"github.com/gramworks/gram/algos/lowrank/nystrom"
	"github.com/gramworks/gram/internal/looktest"
	"github.com/gramworks/gram/kernel"
	"gonum.org/v1/gonum/mat"
)

// The problem of an isometry ends with the error of its context at whichever look it ends.
func TestIsometryLooks(t *testing.T) {
	x := algotest.Problem(3, 60, 3, 3).X
	for _, workers := range []int{1, 2} {
		looktest.Every(t, func(ctx context.Context) (any, error) {
			start, cs, err := Isometry(ctx, x, x, 4, gram.Run{Workers: workers})
			return []any{start, cs}, err
		})
	}
}

// Kernel matrices and features that are learned end with the error of their context at whichever look it ends.
func TestFitLooks(t *testing.T) {
	d := algotest.Problem(3, 40, 3, 3)
	k := mat.NewSymDense(40, nil)
	k.SymOuterK(1, d.X)
	for i := range 40 {
		k.SetSym(i, i, k.At(i, i)+1)
	}
	looktest.Each(t, map[string]func(ctx context.Context) (any, error){
		"FitMatrix": func(ctx context.Context) (any, error) {
			m, err := Config{}.FitMatrix(ctx, k, []constraint.Linear{constraint.Distance(0, 1, constraint.AtLeast, 9), constraint.Distance(2, 3, constraint.AtMost, 1)})
			return looktest.Unless(err, func() any { return m.Transform() })
		},
		"FitStatements": func(ctx context.Context) (any, error) {
			m, err := Features{Nystrom: nystrom.Config{Kernel: kernel.Gaussian{Gamma: .5}, M: 8}}.FitStatements(ctx, d.X, d.Labels,
				[]constraint.Statement{{Pair: constraint.Pair{I: 0, J: 1}}, {Pair: constraint.Pair{I: 2, J: 5, Same: true}}})
			return looktest.Unless(err, func() any { return m.Map(nil, d.X) })
		},
	})
}
