package krr

import (
	"errors"
	"math"
	"slices"
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/internal/fixture"
	"github.com/gramworks/gram/internal/gen"
	"github.com/gramworks/gram/internal/must"
	"github.com/gramworks/gram/internal/rows"
	"github.com/gramworks/gram/kernel"
	"gonum.org/v1/gonum/mat"
)

// g is 1 for one part, the number of parts for far blobs with a wide kernel, and
// what the definition gives.
func TestGoodness(t *testing.T) {
	x, _ := gen.Blobs(90, 2, 3, 0.5, 1)
	label := make([]int, 90)
	for i := range label {
		label[i] = i % 4
	}
	label[5] = -1
	lambda := []float64{1e-4, 1e-2, 1}
	got := must.Have(Goodness(ctx, gauss, x, label, lambda, gram.Run{}))(t)
	dimension := func(index []int, l float64) float64 {
		// tr(G(G+nλI)⁻¹)
		n := len(index)
		part := rows.Dense(gram.Of(x), index)
		g := fixture.KernelMatrix(gauss, part, part)
		var a, q mat.Dense
		a.CloneFrom(g)
		for i := range n {
			a.Set(i, i, a.At(i, i)+float64(n)*l)
		}
		must.Do(t, q.Solve(&a, g))
		return mat.Trace(&q)
	}
	groups := make([][]int, 4)
	all := make([]int, 90)
	for i, p := range label {
		all[i] = i
		if p >= 0 {
			groups[p] = append(groups[p], i)
		}
	}
	for i, l := range lambda {
		var want float64
		for _, g := range groups {
			want += dimension(g, l)
		}
		want /= dimension(all, l)
		if !(math.Abs(got[i]-want) < 1e-8*want) {
			t.Errorf("λ %g: g = %.10g, want %.10g", l, got[i], want)
		}
	}
	one := must.Have(Goodness(ctx, gauss, x, make([]int, 90), lambda, gram.Run{}))(t)
	for i, g := range one {
		if !(math.Abs(g-1) < 1e-12) {
			t.Errorf("one part, λ %g: g = %g", lambda[i], g)
		}
	}
	// A part without rows does not count, and a kernel that is 0 on all rows has no dimension to divide.
	gap := make([]int, 90)
	for i, p := range label {
		gap[i] = 3 * p // −3 is no part, either
	}
	if g := must.Have(Goodness(ctx, gauss, x, gap, lambda, gram.Run{}))(t); !slices.Equal(g, got) {
		t.Errorf("with parts of no rows: %v, want %v", g, got)
	}
	if g := must.Have(Goodness(ctx, kernel.Linear{}, mat.NewDense(90, 2, nil), label, lambda, gram.Run{}))(t); !slices.Equal(g, []float64{1, 1, 1}) {
		t.Errorf("kernel values of 0: %v", g)
	}
	if _, err := Goodness(ctx, kernel.Gaussian{Gamma: -1}, x, label, lambda, gram.Run{}); err == nil {
		t.Error("a kernel with a negative width")
	}
	if must.Recovered(func() { _, _ = Goodness(ctx, gauss, x, label[1:], lambda, gram.Run{}) }) != "krr: there are not as many labels as rows" {
		t.Error("labels of other rows")
	}
	var ce *gram.ConfigError
	if _, err := Goodness(ctx, gauss, x, label, []float64{0}, gram.Run{}); !errors.As(err, &ce) {
		t.Errorf("λ = 0: %v", err)
	}
	var me *gram.MemoryError
	if _, err := Goodness(ctx, gauss, x, label, lambda, gram.Run{MemoryLimit: 1000}); !errors.As(err, &me) {
		t.Errorf("beyond the limit: %v", err)
	}
}
