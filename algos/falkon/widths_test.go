package falkon_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/algotest"
	"github.com/gramworks/gram/algos/falkon"
	"github.com/gramworks/gram/algos/krr"
	"github.com/gramworks/gram/algos/learned/widths"
	"github.com/gramworks/gram/algos/solve"
	"github.com/gramworks/gram/internal/looktest"
	"github.com/gramworks/gram/kernel"
	"gonum.org/v1/gonum/mat"
)

// Widths and λ are those that krr.Config has, in the convention of the penalty; the other settings stay.
func TestWithWidths(t *testing.T) {
	d := algotest.Problem(24, 60, 3, 2)
	y := mat.NewDense(60, 1, d.Value)
	k := kernel.Gaussian{Gamma: 1}
	c := falkon.Config{Kernel: k, Penalty: solve.PerRow, M: 20}
	by := widths.Config{Criterion: widths.LeaveOneOut}
	got, _, err := c.WithWidths(t.Context(), by, d.X, y, d.Weights)
	want, _, other := krr.Config{Kernel: k, Penalty: solve.PerRow}.WithWidths(t.Context(), by, d.X, y, d.Weights)
	if err != nil || other != nil || got.Lambda != want.Lambda || got.M != 20 || fmt.Sprint(got.Kernel) != fmt.Sprint(want.Kernel) {
		t.Errorf("%+v, %v, want the kernel and lambda of %+v, %v", got, err, want, other)
	}
	given := c
	given.Lambda = gram.Set(.3)
	if got, _, err := given.WithWidths(t.Context(), by, d.X, y, d.Weights); err != nil || got.Lambda != given.Lambda || fmt.Sprint(got.Kernel) == fmt.Sprint(want.Kernel) {
		t.Errorf("with a λ that is given: %+v, %v", got, err)
	}
	var de *gram.DataError
	if _, _, err := c.WithWidthsClasses(t.Context(), by, d.X, gram.Labels{Class: make([]int, 60), Names: []string{"a"}}, nil); !errors.As(err, &de) {
		t.Errorf("one class: %v", err)
	}
	two := gram.Labels{Class: make([]int, 60), Names: []string{"a", "b"}}
	for i := range two.Class {
		two.Class[i] = i % 2
	}
	short := widths.Config{MaxIter: gram.Set(1)}
	looktest.Every(t, func(ctx context.Context) (any, error) {
		got, _, err := c.WithWidths(ctx, short, d.X, y, nil)
		return got, err
	})
	looktest.Every(t, func(ctx context.Context) (any, error) {
		got, _, err := c.WithWidthsClasses(ctx, short, d.X, two, nil)
		return got, err
	})
	plan, err := c.PlanWithWidths(by, gram.Shape{N: 60, D: 3, Outputs: 1})
	alone, _ := c.Plan(gram.Shape{N: 60, D: 3, Outputs: 1})
	bad := c
	bad.M = 61
	_, refused := bad.PlanWithWidths(by, gram.Shape{N: 60, D: 3, Outputs: 1})
	algotest.Names(t, "M", 61, refused)
	if err != nil || !(plan.Flops > alone.Flops) {
		t.Errorf("a plan of %v flops with widths, %v without: %v", plan.Flops, alone.Flops, err)
	}
}

// The widths are learned by a bound with few inducing points, and the fit takes other landmarks.
func ExampleConfig_WithWidths() {
	x, y := mat.NewDense(60, 2, nil), mat.NewDense(60, 1, nil)
	for i := range 60 {
		x.SetRow(i, []float64{float64(i) / 10, float64(i * 37 % 60)})
		y.Set(i, 0, math.Sin(x.At(i, 0)))
	}
	ctx, by := context.Background(), widths.Config{Inducing: mat.DenseCopyOf(x.Slice(10, 50, 0, 2))}
	c, _, err := falkon.Config{Kernel: kernel.Gaussian{Gamma: 1}, M: 30}.WithWidths(ctx, by, x, y, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	m, err := c.FitAll(ctx, x, y, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	at := m.Predict(nil, mat.NewDense(2, 2, []float64{1.55, 7, 4.65, 50}))
	fmt.Printf("%.2f %.2f\n", at[0], at[1])
	// Output: 1.00 -1.00
}
