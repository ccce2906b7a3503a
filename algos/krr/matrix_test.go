package krr

import (
	"errors"
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/algotest"
	"github.com/gramworks/gram/internal/must"
	"github.com/gramworks/gram/kernel"
	"gonum.org/v1/gonum/mat"
)

// The functions of a kernel matrix are those of the kernel, with weights of which some are 0, by every
// solver; the rows of a prediction are kernel values with all training rows.
func TestKernelMatrix(t *testing.T) {
	d, other := algotest.Problem(5, 60, 3, 2), algotest.Problem(6, 20, 3, 2)
	for i := 0; i < 60; i += 7 {
		d.Weights[i] = 0
	}
	gauss := kernel.Gaussian{Gamma: .5}
	values := func(x mat.Matrix) *mat.Dense {
		n, _ := x.Dims()
		out := mat.NewDense(n, 60, nil)
		for i := range n {
			for j := range 60 {
				out.Set(i, j, gauss.Eval(mat.Row(nil, i, x), mat.Row(nil, j, d.X)))
			}
		}
		return out
	}
	k, cross := values(d.X), values(other.X)
	y := mat.NewDense(60, 2, nil)
	for i, v := range d.Value {
		y.SetRow(i, []float64{v, v * v})
	}
	for _, solver := range []Solver{Cholesky, Eigen, CG, ASkotch} {
		c := Config{Kernel: gauss, Solver: solver, Tol: 1e-10}
		want := must.Have(c.FitAll(t.Context(), d.X, y, d.Weights))(t)
		c.Kernel = kernel.Matrix{}
		got := must.Have(c.FitAll(t.Context(), k, y, d.Weights))(t)
		if !mat.EqualApprox(got.PredictAll(nil, cross), want.PredictAll(nil, other.X), 1e-6) {
			t.Errorf("%v: the values by the kernel matrix are others", solver)
		}
		each := must.Have(c.FitEach(t.Context(), k, y, d.Weights, []float64{.1, want.Config().Lambda.Value()}))(t)
		if a, b := each[1].PredictAll(nil, cross), each[0].PredictAll(nil, cross); !mat.EqualApprox(a, want.PredictAll(nil, other.X), 1e-6) || mat.EqualApprox(a, b, 1e-3) {
			t.Errorf("%v: the values for several λ by the kernel matrix are others", solver)
		}
	}
	var ce *gram.ConvergenceError
	short := Config{Kernel: kernel.Matrix{}, Solver: CG, NoPreconditioner: true, MaxIter: 2}
	if models, err := short.FitEach(t.Context(), k, y, d.Weights, []float64{1e6, 1e-3}); !errors.As(err, &ce) || len(models) != 2 || models[1] == nil {
		t.Errorf("a fit to a kernel matrix that ends early returns %v, %v", models, err)
	}
	if _, err := (Config{Kernel: kernel.Matrix{}}).FitAll(t.Context(), cross, mat.NewDense(20, 1, nil), nil); err == nil {
		t.Error("a matrix that is not square is accepted")
	}
}
