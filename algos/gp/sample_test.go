package gp

import (
	"context"
	"errors"
	"fmt"
	"math"
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/algotest"
	"github.com/gramworks/gram/internal/looktest"
	"github.com/gramworks/gram/internal/must"
	"github.com/gramworks/gram/kernel"
	"github.com/gramworks/gram/sparse"
	"gonum.org/v1/gonum/mat"
)

// The covariance of samples has the variances on its diagonal, and that of a sum of two rows is the variance by the definition; the
// draws have these moments.
func TestSample(t *testing.T) {
	d := algotest.Problem(24, 60, 3, 2)
	z := mat.DenseCopyOf(algotest.Problem(25, 5, 3, 2).X)
	z.SetRow(4, z.RawRowView(0)) // equal rows have equal values
	for _, a := range []Approximation{Exact, DTC, FITC} {
		for _, plain := range []bool{false, true} {
			c := Config{Kernel: kernel.Gaussian{Gamma: .3}, Approximation: a, M: 10, Lambda: gram.Set(.1)}
			if plain {
				c.NoBias = true
			}
			m := must.Have(c.Fit(t.Context(), d.X, d.Value, nil))(t)
			cov := must.Have(m.covariance(t.Context(), gram.Of(z)))(t)
			mean, variance := m.Predict(nil, z), m.Variance(nil, z)
			const k = 20000
			draws := must.Have(m.Sample(t.Context(), z, k, 7))(t)
			for i := range 5 {
				if v := m.Amplitude() * cov.At(i, i); !(math.Abs(v-variance[i]) <= 1e-9*m.Amplitude()) {
					t.Errorf("%v: variance %d is %v, want %v", a, i, v, variance[i])
				}
				for j := i; j < 5; j++ {
					var sum, first float64
					for s := range k {
						sum += (draws.At(i, s) - mean[i]) * (draws.At(j, s) - mean[j]) / k
						first += (draws.At(i, s) - mean[i]) / k
					}
					want, spread := m.Amplitude()*cov.At(i, j), math.Sqrt(variance[i]*variance[j])
					if !(math.Abs(sum-want) <= .04*spread) || !(math.Abs(first) <= .03*math.Sqrt(variance[i])) {
						t.Errorf("%v: covariance of draws %d, %d is %v, want %v; mean off by %v", a, i, j, sum, want, first)
					}
				}
			}
			for s := range 3 {
				if v := draws.At(4, s) - draws.At(0, s); !(math.Abs(v) <= 1e-4*math.Sqrt(variance[0])) {
					t.Errorf("%v: equal rows differ by %v", a, v)
				}
			}
			few, err := m.Sample(t.Context(), z, 2, 7)
			if err != nil || !mat.EqualApprox(few, draws.Slice(0, 5, 0, 2), 1e-12) {
				t.Errorf("%v: two draws are not the first of more: %v", a, err)
			}
		}
	}
}

// Off the diagonal the covariance is that of inverses.
func TestCovariance(t *testing.T) {
	d := algotest.Problem(24, 30, 3, 2)
	z := mat.DenseCopyOf(algotest.Problem(25, 6, 3, 2).X)
	k := kernel.Gaussian{Gamma: .3}
	m := must.Have(Config{Kernel: k, Lambda: gram.Set(.1), NoBias: true}.Fit(t.Context(), d.X, d.Value, nil))(t)
	c, cross := values(k, d.X, d.X), values(k, z, d.X)
	for i := range 30 {
		c.Set(i, i, c.At(i, i)+.1)
	}
	want := values(k, z, z)
	want.Sub(want, product(cross, inverse(t, c), cross.T()))
	got := must.Have(m.covariance(t.Context(), gram.Of(z)))(t)
	for i := range 6 {
		for j := i; j < 6; j++ {
			if !(math.Abs(got.At(i, j)-want.At(i, j)) <= 1e-10) {
				t.Errorf("covariance %d, %d is %v, want %v", i, j, got.At(i, j), want.At(i, j))
			}
		}
	}
}

func TestSampleRefuses(t *testing.T) {
	d := algotest.Problem(24, 30, 2, 2)
	m := must.Have(Config{Kernel: kernel.Gaussian{Gamma: .3}}.Fit(t.Context(), d.X, d.Value, nil))(t)
	_, err := m.Sample(t.Context(), d.X, 0, 1)
	algotest.Names(t, "k", 0, err)
	var de *gram.DataError
	if _, err := m.Sample(t.Context(), mat.NewDense(1, 2, []float64{1, math.NaN()}), 1, 1); !errors.As(err, &de) || de.Col != 1 {
		t.Errorf("a row with NaN: %v", err)
	}
	_, err = m.Sample(t.Context(), &sparse.CSR{D: 2, Ptr: []int{0}}, 1, 1)
	algotest.Names(t, "rows", 0, err)
	if p := must.Recovered(func() { _, _ = m.Sample(t.Context(), mat.NewDense(1, 3, nil), 1, 1) }); p != "gp: x has the wrong number of columns" {
		t.Errorf("another number of columns: panic %v", p)
	}
	looktest.Every(t, func(ctx context.Context) (any, error) { return m.Sample(ctx, d.X, 3, 1) })
	few := must.Have(Config{Kernel: kernel.Gaussian{Gamma: .3}, Approximation: FITC, M: 5, Lambda: gram.Set(.1)}.Fit(t.Context(), d.X, d.Value, nil))(t)
	looktest.Every(t, func(ctx context.Context) (any, error) { return few.Sample(ctx, d.X, 3, 1) })
}

func ExampleModel_Sample() {
	x := mat.NewDense(3, 1, []float64{-1, 0, 1})
	m, err := Config{Kernel: kernel.Gaussian{Gamma: .5}, Lambda: gram.Set(1e-6)}.Fit(context.Background(), x, []float64{1, 0, 1}, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	// All functions pass through the targets; they differ where there are none.
	f, err := m.Sample(context.Background(), mat.NewDense(2, 1, []float64{1, 9}), 2, 1)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%.1f %.1f, differ at 9: %v\n", f.At(0, 0), f.At(0, 1), math.Abs(f.At(1, 0)-f.At(1, 1)) > .1)
	// Output: 1.0 1.0, differ at 9: true
}
