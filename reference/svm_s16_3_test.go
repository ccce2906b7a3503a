package reference_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/linear"
	"github.com/gramworks/gram/algos/svm"
	"github.com/gramworks/gram/internal/must"
	"github.com/gramworks/gram/kernel"
	"gonum.org/v1/gonum/mat"
)

// bounds are those of the dual of classes ±1 with the weights c.
func bounds(s, c []float64) (low, high []float64) {
	low, high = make([]float64, len(s)), make([]float64, len(s))
	for i, v := range s {
		low[i], high[i] = min(0, v*c[i]), max(0, v*c[i])
	}
	return low, high
}

// expansion is K(Z,X)β + b.
func expansion(at *mat.Dense, beta []float64, b float64) *mat.Dense {
	f := times(at, column(beta))
	for i := range f.RawMatrix().Rows {
		f.Set(i, 0, f.At(i, 0)+b)
	}
	return f
}

// [S16] (3.7): min ½βᵀGβ − yᵀβ, 0 ≤ y_iβ_i ≤ C_i, with Σβ = 0 for a constant.
func TestSupportVectorMachine(t *testing.T) {
	const n = 20
	x, z := normal(131, n, 2, 1), normal(132, 7, 2, 1)
	y, s := signs(target(133, x))
	w := make([]float64, n)
	for i := range w {
		w[i] = 0.5 + float64(i%3)
	}
	k := kernel.Gaussian{Gamma: 0.6}
	g, at := gramMatrix(k, x, x), gramMatrix(k, z, x)
	for _, c := range []struct {
		name string
		c    svm.Config
		w    []float64
	}{
		{"[S16] (3.7) no constant", svm.Config{NoBias: true}, nil},
		{"[CL11] a constant", svm.Config{}, nil},
		{"[CL11] weights of classes", svm.Config{ClassWeights: []float64{0.5, 2}}, nil},
		{"[CL11] weights of rows", svm.Config{}, w},
	} {
		const penalty = 4
		c.c.Kernel, c.c.C, c.c.Tol, c.c.Double = k, penalty, 1e-11, true
		m, err := c.c.Fit(t.Context(), x, y, c.w)
		if err != nil {
			t.Fatal(c.name, err)
		}
		weight := constant(n, penalty)
		for i := range weight {
			if c.w != nil {
				weight[i] *= c.w[i]
			}
			if c.c.ClassWeights != nil {
				weight[i] *= c.c.ClassWeights[y.Class[i]]
			}
		}
		low, high := bounds(s, weight)
		beta, value, b := dualOf(g, s, low, high, 0, !c.c.NoBias)
		agree(t, c.name+", the dual", scalar(m.Stats().Problems[0].Objective), scalar(value))
		agree(t, c.name+", f(z)", m.Scores(nil, z), expansion(at, beta, b))
		got := must.Have(m.Coefficients(n))(t)
		agree(t, c.name+", β", got, column(beta))
	}

	yes := gram.Labels{Class: make([]int, n), Names: y.Names}
	for i := range yes.Class {
		yes.Class[i] = 1
	}
	for _, noBias := range []bool{false, true} {
		m := fitted[*svm.Model](t)(svm.Config{Kernel: k, C: 3, Tol: 1e-11, Double: true, NoBias: noBias}.Fit(t.Context(), x, yes, nil))
		want := constant(7, 1) // the optimum with a constant: b = 1, β = 0
		if noBias {
			alone, _, _ := dualOf(g, constant(n, 1), make([]float64, n), constant(n, 3), 0, false)
			want = expansion(at, alone, 0).RawMatrix().Data
		}
		agree(t, fmt.Sprintf("[S16] (3.9) rows of one class, no constant %v, f(z)", noBias), m.Scores(nil, z), column(want))
		coef, bias, _, err := svm.Config{Kernel: k, C: 3, Tol: 1e-11, Double: true, NoBias: noBias}.Train(t.Context(), x, yes, nil, nil)
		if err != nil {
			t.Fatal(err)
		}
		beta := make([]float64, n)
		if noBias {
			beta, _, _ = dualOf(g, constant(n, 1), make([]float64, n), constant(n, 3), 0, false)
		} else if !(bias[0] > 0) {
			t.Errorf("the constant of one class is %g", bias[0])
		}
		agree(t, fmt.Sprintf("[S16] (3.9) rows of one class, no constant %v, β", noBias), coef, column(beta))
	}

	three := gram.Labels{Class: make([]int, n), Names: []string{"a", "b", "c"}}
	for i := range n {
		three.Class[i] = (i*i + i/3) % 3
	}
	ones := constant(n, 1)
	rest := must.Have(svm.Config{Kernel: k, Tol: 1e-11, Double: true, Multi: svm.OneVsRest}.Fit(t.Context(), x, three, nil))(t)
	want := mat.NewDense(7, 3, nil)
	for class := range 3 {
		s := constant(n, -1)
		for i, c := range three.Class {
			if c == class {
				s[i] = 1
			}
		}
		low, high := bounds(s, ones)
		beta, _, b := dualOf(g, s, low, high, 0, true)
		want.SetCol(class, expansion(at, beta, b).RawMatrix().Data)
	}
	agree(t, "one class against the rest", rest.Scores(nil, z), want)

	pairs := must.Have(svm.Config{Kernel: k, Tol: 1e-11, Double: true}.Fit(t.Context(), x, three, nil))(t)
	votes := mat.NewDense(7, 3, nil)
	for a := range 3 {
		for b := a + 1; b < 3; b++ {
			var of []int
			var s []float64
			for i, c := range three.Class {
				if c == a || c == b {
					of = append(of, i)
					s = append(s, map[bool]float64{true: 1, false: -1}[c == b])
				}
			}
			own := pick(x, of)
			low, high := bounds(s, constant(len(of), 1))
			beta, _, bias := dualOf(gramMatrix(k, own, own), s, low, high, 0, true)
			f := expansion(gramMatrix(k, z, own), beta, bias)
			for i := range 7 {
				if f.At(i, 0) > 0 {
					votes.Set(i, b, votes.At(i, b)+1)
				} else {
					votes.Set(i, a, votes.At(i, a)+1)
				}
			}
		}
	}
	agree(t, "[CL11] one against one, votes", pairs.Scores(nil, z), votes)

	values := target(134, x)
	for _, noBias := range []bool{false, true} {
		r := must.Have(svm.Regression{Kernel: k, C: 2, Epsilon: gram.Set(0.2), NoBias: noBias, Tol: 1e-11, Double: true}.Fit(t.Context(), x, values, nil))(t)
		beta, _, b := dualOf(g, values, constant(n, -2), constant(n, 2), 0.2, !noBias)
		agree(t, fmt.Sprintf("[CL11] ε-SVR, no constant %v", noBias), column(r.Predict(nil, z)), expansion(at, beta, b))
	}
}

// Linear machines: a constant is a feature whose coefficient is penalized.
func TestLinearMachine(t *testing.T) {
	const n, c = 18, 0.7
	x, z := normal(141, n, 3, 1), normal(142, 6, 3, 1)
	y, s := signs(target(143, x))
	var one, oneZ mat.Dense
	one.Augment(x, column(constant(n, 1)))
	oneZ.Augment(z, column(constant(6, 1)))
	linearKernel := kernel.Linear{}
	g, at := gramMatrix(linearKernel, &one, &one), gramMatrix(linearKernel, &oneZ, &one)
	m := must.Have(linear.SVM{C: c, Loss: linear.Hinge, Tol: 1e-14, MaxIter: 200000}.Fit(t.Context(), nil, x, y, nil))(t)
	low, high := bounds(s, constant(n, c))
	beta, _, _ := dualOf(g, s, low, high, 0, false)
	agreeWithin(t, "[HCL08] hinge loss", m.Scores(nil, z), expansion(at, beta, 0), 1e-8)
	// The squared hinge adds 1/2C to the diagonal, and has no upper bound.
	m = must.Have((linear.SVM{C: c, Tol: 1e-14, MaxIter: 200000}).Fit(t.Context(), nil, x, y, nil))(t)
	low, high = bounds(s, constant(n, 1e9))
	beta, _, _ = dualOf(sum(g, scaled(1/(2*c), identity(n))), s, low, high, 0, false)
	agreeWithin(t, "[HCL08] squared hinge loss", m.Scores(nil, z), expansion(at, beta, 0), 1e-8)
	// Logistic regression: Newton's method on all coefficients.
	m = must.Have((linear.Logistic{C: c, Tol: 1e-12}).Fit(t.Context(), nil, x, y, nil))(t)
	v := mat.NewDense(4, 1, nil)
	for range 50 {
		f := times(&one, v)
		gradient, hessian := mat.DenseCopyOf(v), identity(4)
		for i := range n {
			p := 1 / (1 + math.Exp(s[i]*f.At(i, 0)))
			for a := range 4 {
				gradient.Set(a, 0, gradient.At(a, 0)-c*s[i]*p*one.At(i, a))
				for b := range 4 {
					hessian.Set(a, b, hessian.At(a, b)+c*p*(1-p)*one.At(i, a)*one.At(i, b))
				}
			}
		}
		v.Sub(v, solution(hessian, gradient))
	}
	agree(t, "logistic regression", m.Scores(nil, z), times(&oneZ, v))
}
