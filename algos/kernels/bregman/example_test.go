package bregman_test

import (
	"context"
	"fmt"
	"math"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/kernels/bregman"
	"github.com/gramworks/gram/algos/kernels/constraint"
	"github.com/gramworks/gram/algos/lowrank/nystrom"
	"github.com/gramworks/gram/dataset"
	"github.com/gramworks/gram/kernel"
	"gonum.org/v1/gonum/mat"
)

// Three points on a line: the first two are to come together, the last two apart.
func ExampleConfig_Fit() {
	x := mat.NewDense(3, 2, []float64{0, 1, 1, 1, 2, 1.5})
	m, err := bregman.Config{Tol: 1e-9}.Fit(context.Background(), x, []constraint.Linear{
		constraint.Distance(0, 1, constraint.AtMost, 0.5),
		constraint.Distance(1, 2, constraint.AtLeast, 2),
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	g := m.Map(nil, x)
	distance := func(i, j int) (sum float64) {
		for k := range 2 {
			d := g.At(i, k) - g.At(j, k)
			sum += d * d
		}
		return sum
	}
	fmt.Printf("%.3f %.3f, duals %.3f, divergence %.3f\n", distance(0, 1), distance(1, 2), m.Stats().Duals, m.Stats().Divergence)
	// Output:
	// 0.500 2.000, duals [-4.062 1.734], divergence 1.562
}

// A kernel is learned from pairs of 60 rows, in which others than these are compared.
func ExampleFeatures_Fit() {
	d, fresh := dataset.Rings(60, 2, .1, 1), dataset.Rings(2, 2, .1, 7)
	m, err := bregman.Features{Nystrom: nystrom.Config{Kernel: kernel.Gaussian{Gamma: 2}, M: 20}, Pairs: 200}.Fit(context.Background(), d.X, d.Labels)
	if err != nil {
		fmt.Println(err)
		return
	}
	base, _ := m.Inner()
	apart := func(f gram.FeatureMap) float64 {
		g := f.Map(nil, fresh.X)
		var v mat.VecDense
		v.SubVec(g.RowView(0), g.RowView(1))
		return mat.Dot(&v, &v)
	}
	fmt.Println(fresh.Labels.Class, apart(m) > apart(base))
	// Output:
	// [0 1] true
}

// The correlation matrix next to a matrix whose diagonal is not 1.
func ExampleUnitDiagonal() {
	k0 := mat.NewSymDense(2, []float64{2, 1, 1, 2})
	m, err := bregman.Config{Tol: 1e-9}.FitMatrix(context.Background(), k0, bregman.UnitDiagonal(2))
	if err != nil {
		fmt.Println(err)
		return
	}
	g := m.Map(nil, k0)
	var k mat.Dense
	k.Mul(g, g.T())
	fmt.Printf("%.3f\n", mat.Formatted(&k))
	// Output:
	// ⎡1.000  0.303⎤
	// ⎣0.303  1.000⎦
}

// Points on a quarter of a circle, of which each keeps its distances to its two nearest ones, with a start of
// which nothing is known.
func ExampleIsometry() {
	x := mat.NewDense(5, 2, []float64{1, 0, 0.92, 0.38, 0.71, 0.71, 0.38, 0.92, 0, 1})
	start, cs, err := bregman.Isometry(context.Background(), x, bregman.Random(5, 5, 1), 2, gram.Run{})
	if err != nil {
		fmt.Println(err)
		return
	}
	m, err := bregman.Config{Slack: 100}.Fit(context.Background(), start, cs)
	if err != nil {
		fmt.Println(err)
		return
	}
	g := m.Map(nil, start)
	var v mat.VecDense
	v.SubVec(g.RowView(0), g.RowView(1))
	fmt.Printf("%d distances, the first is kept: %t\n", len(cs), math.Abs(mat.Dot(&v, &v)-cs[0].Bound) < 0.02)
	// Output:
	// 6 distances, the first is kept: true
}
