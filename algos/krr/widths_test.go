package krr_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/algotest"
	"github.com/gramworks/gram/algos/krr"
	"github.com/gramworks/gram/algos/learned/widths"
	"github.com/gramworks/gram/algos/solve"
	"github.com/gramworks/gram/internal/looktest"
	"github.com/gramworks/gram/kernel"
	"gonum.org/v1/gonum/mat"
)

// The λ that is learned is the same number on the diagonal in both conventions, for rows with weights, too, and that of the widths'
// package; one that is given stays and fixes the noise. Classes are their signs.
func TestWithWidths(t *testing.T) {
	d := algotest.Problem(24, 60, 3, 2)
	y := mat.NewDense(60, 1, d.Value)
	by := widths.Config{Criterion: widths.LeaveOneOut, Rows: 50}
	for _, w := range [][]float64{nil, d.Weights} {
		total := 60.0
		if w != nil {
			total = 0
			for _, v := range w {
				total += v
			}
		}
		learn := func(c krr.Config) (krr.Config, []float64) {
			t.Helper()
			c.Kernel, c.Run = kernel.Matern{Nu: 1.5, Length: 1}, gram.Run{Seed: 4}
			got, stats, err := c.WithWidths(t.Context(), by, d.X, y, w)
			if err != nil || stats.Rows != 50 {
				t.Fatal(stats.Rows, err)
			}
			return got, got.Kernel.(*kernel.Scaled).Scale()
		}
		plain, scale := learn(krr.Config{})
		per, perScale := learn(krr.Config{Penalty: solve.PerRow})
		c := by
		c.Kernel, c.Run = kernel.Matern{Nu: 1.5, Length: 1}, gram.Run{Seed: 4}
		want, err := c.Learn(t.Context(), d.X, y, w)
		if err != nil {
			t.Fatal(err)
		}
		if plain.Lambda.Value() != want.Lambda || fmt.Sprint(scale) != fmt.Sprint(want.Kernel.Scale()) || fmt.Sprint(scale) != fmt.Sprint(perScale) {
			t.Errorf("lambda %v, factors %v and %v, want %v, %v", plain.Lambda.Value(), scale, perScale, want.Lambda, want.Kernel.Scale())
		}
		if v := per.Lambda.Value() * total; !(math.Abs(v/want.Lambda-1) <= 1e-14) {
			t.Errorf("lambda per row is %v of %v in all", v, want.Lambda)
		}
		given, scale := learn(krr.Config{Lambda: gram.Set(.3)})
		spread, perScale := learn(krr.Config{Lambda: gram.Set(.3 / total), Penalty: solve.PerRow})
		for k, v := range scale {
			if !(math.Abs(v-perScale[k]) <= 1e-6*v) {
				t.Errorf("factors for a given lambda are %v, per row %v", scale, perScale)
				break
			}
		}
		if given.Lambda.Value() != .3 || spread.Lambda.Value() != .3/total {
			t.Errorf("lambda is %v, per row %v", given.Lambda.Value(), spread.Lambda.Value())
		}
	}
	c := krr.Config{Kernel: kernel.Gaussian{Gamma: 1}}
	signs := mat.NewDense(60, 1, nil)
	two := gram.Labels{Class: make([]int, 60), Names: []string{"a", "b"}}
	for i := range 60 {
		two.Class[i] = i % 2
		signs.Set(i, 0, float64(2*(i%2)-1))
	}
	a, _, err := c.WithWidthsClasses(t.Context(), by, d.X, two, nil)
	b, _, other := c.WithWidths(t.Context(), by, d.X, signs, nil)
	if err != nil || other != nil || a.Lambda != b.Lambda {
		t.Errorf("lambda of classes is %v, of signs %v: %v, %v", a.Lambda, b.Lambda, err, other)
	}
	var de *gram.DataError
	if _, _, err := c.WithWidthsClasses(t.Context(), by, d.X, gram.Labels{Class: make([]int, 60), Names: []string{"a"}}, nil); !errors.As(err, &de) {
		t.Errorf("one class: %v", err)
	}
	_, _, err = krr.Config{Kernel: kernel.Linear{}}.WithWidths(t.Context(), by, d.X, y, nil)
	algotest.Names(t, "Kernel", "linear", err)
	looktest.Every(t, func(ctx context.Context) (any, error) {
		got, _, err := c.WithWidths(ctx, widths.Config{MaxIter: gram.Set(2)}, d.X, y, nil)
		return got, err
	})
	looktest.Every(t, func(ctx context.Context) (any, error) {
		got, _, err := c.WithWidthsClasses(ctx, widths.Config{MaxIter: gram.Set(2)}, d.X, two, nil)
		return got, err
	})
	if _, err := (krr.Config{Kernel: c.Kernel, Tol: -1}).PlanWithWidths(by, gram.Shape{N: 60, D: 3, Outputs: 1}); err == nil {
		t.Error("a plan of a negative tolerance")
	}
	plan, err := c.PlanWithWidths(by, gram.Shape{N: 60, D: 3, Outputs: 1})
	alone, _ := c.Plan(gram.Shape{N: 60, D: 3, Outputs: 1})
	if err != nil || !(plan.Flops > alone.Flops) {
		t.Errorf("a plan of %v flops with widths, %v without: %v", plan.Flops, alone.Flops, err)
	}
}

// Only the first of two columns matters. The fit takes the widths and the λ that are learned.
func ExampleConfig_WithWidths() {
	x, y := mat.NewDense(60, 2, nil), mat.NewDense(60, 1, nil)
	for i := range 60 {
		x.SetRow(i, []float64{float64(i) / 10, float64(i * 37 % 60)})
		y.Set(i, 0, math.Sin(x.At(i, 0)))
	}
	ctx, by := context.Background(), widths.Config{Criterion: widths.LeaveOneOut}
	c, _, err := krr.Config{Kernel: kernel.Gaussian{Gamma: 1}}.WithWidths(ctx, by, x, y, nil)
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
