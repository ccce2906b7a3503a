package reference_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/krr"
	"github.com/gramworks/gram/algos/linear"
	"github.com/gramworks/gram/algos/lowrank/landmark"
	"github.com/gramworks/gram/algos/lowrank/nystrom"
	"github.com/gramworks/gram/algos/solve"
	"github.com/gramworks/gram/internal/must"
	"github.com/gramworks/gram/kernel"
	"github.com/gramworks/gram/modelfile"
	"gonum.org/v1/gonum/mat"
)

// [SGV98]: (G+λI)α = y, with its two conventions, weights, a constant and every solver.
func TestKernelRidge(t *testing.T) {
	const n = 15
	x, z := normal(101, n, 3, 1), normal(102, 6, 3, 1)
	y := target(103, x)
	w := make([]float64, n)
	var total float64
	for i := range w {
		w[i] = 0.3 + float64(i%4)
		total += w[i]
	}
	k := kernel.Gaussian{Gamma: 0.3}
	g, at := gramMatrix(k, x, x), gramMatrix(k, z, x)
	const lambda = 0.07
	for _, solver := range []krr.Solver{krr.Cholesky, krr.Eigen, krr.CG} {
		for _, c := range []struct {
			name    string
			penalty solve.Penalty
			bias    bool
			w       []float64
			shift   float64
		}{
			{"[SGV98] (G+λI)α = y", solve.Total, false, nil, lambda},
			{"[S16] §3.3 (G+nλI)α = y", solve.PerRow, false, nil, n * lambda},
			{"[SGV98] with weights and a constant", solve.Total, true, w, lambda},
			{"λ times the sum of the weights", solve.PerRow, false, w, total * lambda},
		} {
			config := krr.Config{Kernel: k, Lambda: gram.Set(lambda), Penalty: c.penalty, NoBias: modelfile.Not(!c.bias), Solver: solver, Tol: 1e-13, Landmarks: landmark.Fixed{Index: []int{1, 4, 8}}}
			m, err := config.Fit(t.Context(), x, y, c.w)
			if err != nil {
				t.Fatal(c.name, err)
			}
			agree(t, fmt.Sprintf("%s, by %v", c.name, solver), m.PredictAll(nil, z), ridgeOf(g, y, c.w, c.shift, c.bias, at))
		}
	}
	m := must.Have(krr.Config{Kernel: kernel.Polynomial{Degree: 1, Offset: 0}, Lambda: gram.Set(0.0), NoBias: true}.Fit(t.Context(), x, y, nil))(t)
	agree(t, "least squares of least norm, λ = 0", m.PredictAll(nil, z), times(z, pseudoInverse(x, 1e-12), column(y)))

	two, signsOf := signs(y)
	classes := must.Have(krr.Config{Kernel: k, Lambda: gram.Set(lambda)}.FitClasses(t.Context(), x, two, nil))(t)
	agree(t, "classes by regression on ±1", classes.Scores(nil, z), ridgeOf(g, signsOf, nil, lambda, true, at))

	ny := must.Have(nystrom.Config{Kernel: k, Landmarks: landmark.Fixed{Index: []int{0, 2, 5, 9}}}.Fit(t.Context(), x))(t)
	op := must.Have(ny.Operator(t.Context(), x))(t)
	alpha, _ := must.Have2(krr.Solve(t.Context(), op, column(y), krr.SolveOptions{Lambda: lambda, Options: solve.Options{Tol: 1e-14}}))(t)
	u := pick(x, []int{0, 2, 5, 9})
	c := gramMatrix(k, x, u)
	low := times(c, solution(gramMatrix(k, u, u), c.T()))
	agree(t, "[S16] (5.4) (G̃+λI)α = y by conjugate gradients", alpha, solution(sum(low, scaled(lambda, identity(n))), column(y)))
}

// [GHW79], [CT07]: a row that is left out, and generalized cross-validation.
func TestLeaveOneOut(t *testing.T) {
	const n = 12
	x := normal(111, n, 2, 1)
	y := mat.NewDense(n, 2, nil)
	y.SetCol(0, target(112, x))
	y.SetCol(1, target(113, normal(114, n, 2, 1)))
	k := kernel.Gaussian{Gamma: 0.4}
	const lambda = 0.05
	w := constant(n, 1)
	for i := range w {
		w[i] += float64(i % 3)
	}
	w[7] = 0
	g := gramMatrix(k, x, x)
	for _, c := range []struct {
		name string
		bias bool
		w    []float64
	}{{"no constant", false, nil}, {"a constant", true, nil}, {"a constant and weights", true, w}} {
		path := must.Have(krr.Config{Kernel: k, NoBias: modelfile.Not(!c.bias)}.Path(t.Context(), x, y, c.w))(t)
		weight := c.w
		if weight == nil {
			weight = constant(n, 1)
		}
		fitted, left := mat.NewDense(n, 2, nil), mat.NewDense(n, 2, nil)
		hat := make([]float64, n)
		var total, training, leaveOneOut, degrees, active float64
		for i, v := range weight {
			total += v
			if v > 0 {
				active++
			}
			row := g.Slice(i, i+1, 0, n).(*mat.Dense)
			unit := make([]float64, n)
			unit[i] = 1
			hat[i] = ridgeOf(g, unit, weight, lambda, c.bias, row).At(0, 0)
			degrees += hat[i]
			without := append([]float64(nil), weight...)
			without[i] = 0
			for col := range 2 {
				target := mat.Col(nil, col, y)
				fitted.Set(i, col, ridgeOf(g, target, weight, lambda, c.bias, row).At(0, 0))
				left.Set(i, col, ridgeOf(g, target, without, lambda, c.bias, row).At(0, 0))
				training += v * math.Pow(y.At(i, col)-fitted.At(i, col), 2)
				leaveOneOut += v * math.Pow(y.At(i, col)-left.At(i, col), 2)
			}
		}
		rows, score := path.Rows(lambda), path.Scores([]float64{lambda})[0]
		agree(t, "[CT07] f_{−i}(x_i), "+c.name, rows.LeftOut, left)
		agree(t, "[CT07] y_i − f_{−i}(x_i), "+c.name, rows.LeaveOut, sum(y, scaled(-1, left)))
		agree(t, "ŷ, "+c.name, rows.Fitted, fitted)
		agree(t, "y − ŷ, "+c.name, rows.Residual, sum(y, scaled(-1, fitted)))
		agree(t, "[GHW79] H_ii, "+c.name, column(rows.Leverage), column(hat))
		agree(t, "[GHW79] tr H, "+c.name, scalar(score.Degrees), scalar(degrees))
		agree(t, "root mean square of y − ŷ, "+c.name, scalar(score.Training), scalar(math.Sqrt(training/(2*total))))
		agree(t, "[CT07] root mean square when left out, "+c.name, scalar(score.LeaveOneOut), scalar(math.Sqrt(leaveOneOut/(2*total))))
		agree(t, "[GHW79] generalized cross-validation, "+c.name, scalar(score.GCV), scalar(math.Sqrt(training/(2*total))/(1-degrees/active)))
	}
}

// Ridge regression on features: min Σw_i(y_i−⟨w,φ_i⟩−b)²+λ‖w‖².
func TestRidge(t *testing.T) {
	const n = 13
	x, z := normal(121, n, 4, 1), normal(122, 5, 4, 1)
	y := target(123, x)
	w := make([]float64, n)
	for i := range w {
		w[i] = float64(1 + i%3)
	}
	const lambda = 0.4
	linearKernel := kernel.Linear{}
	for _, c := range []struct {
		name string
		c    linear.Ridge
		w    []float64
	}{
		{"(ΦᵀΦ+λI)w = Φᵀy", linear.Ridge{NoBias: true}, nil},
		{"with a constant", linear.Ridge{}, nil},
		{"with a constant and weights", linear.Ridge{}, w},
		{"by conjugate gradients", linear.Ridge{Solver: linear.CG, Tol: 1e-14}, w},
	} {
		c.c.Lambda = gram.Set(lambda)
		m, err := c.c.Fit(t.Context(), nil, x, y, c.w)
		if err != nil {
			t.Fatal(c.name, err)
		}
		of := func(w []float64, at *mat.Dense) *mat.Dense {
			return ridgeOf(gramMatrix(linearKernel, x, x), y, w, lambda, !c.c.NoBias, gramMatrix(linearKernel, at, x))
		}
		agree(t, "ridge, "+c.name, column(m.Predict(nil, z)), of(c.w, z))
		left := mat.NewDense(n, 1, nil)
		for i := range n {
			without := constant(n, 1)
			if c.w != nil {
				without = append([]float64(nil), c.w...)
			}
			without[i] = 0
			left.Set(i, 0, of(without, x.Slice(i, i+1, 0, 4).(*mat.Dense)).At(0, 0))
		}
		got, err := m.LeftOut(x, column(y), c.w)
		if err != nil {
			t.Fatal(c.name, err)
		}
		agree(t, "ridge, "+c.name+", f_{−i}(x_i)", got, left)
	}
}
