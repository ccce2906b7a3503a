package krr

import (
	"math"
	"testing"

	"github.com/gramworks/gram/algos/internal/fixture"
	"github.com/gramworks/gram/internal/must"
	"github.com/gramworks/gram/kernel"
	"github.com/gramworks/gram/modelfile"
	"gonum.org/v1/gonum/mat"
)

// density returns the logarithm of the largest normal density of y, over all σ², for the covariance matrix σ²·c. With a constant it
// is the integral of the density over all constants.
func density(t *testing.T, c *mat.SymDense, y []float64, constant bool) float64 {
	t.Helper()
	n := len(y)
	var f mat.Cholesky
	if !f.Factorize(c) {
		t.Fatal("the covariance matrix is singular")
	}
	free, determinant := float64(n), f.LogDet()
	r, one := mat.NewVecDense(n, y), mat.NewVecDense(n, nil)
	var solved mat.VecDense
	if constant {
		for i := range n {
			one.SetVec(i, 1)
		}
		must.Do(t, f.SolveVecTo(&solved, one))
		precision := mat.Dot(one, &solved)
		r = mat.NewVecDense(n, nil)
		r.AddScaledVec(mat.NewVecDense(n, y), -mat.Dot(mat.NewVecDense(n, y), &solved)/precision, one)
		free--
		determinant += math.Log(precision)
	}
	must.Do(t, f.SolveVecTo(&solved, r))
	square := mat.Dot(r, &solved)
	at := func(variance float64) float64 {
		return -(free*math.Log(2*math.Pi*variance) + determinant + square/variance) / 2
	}
	best := square / free
	if at(best) < at(best*1.01) || at(best) < at(best/1.01) {
		t.Fatal("another variance has a larger density")
	}
	return at(best)
}

// The likelihoods are normal densities of the targets for the covariance matrix G + λ/w on the diagonal, of rows that have a weight.
func TestLogLikelihoods(t *testing.T) {
	const n = 36
	x, y, weights := data(n)
	for _, bias := range []bool{false, true} {
		for _, w := range [][]float64{nil, weights} {
			path := must.Have(Config{Kernel: gauss, NoBias: modelfile.Not(!bias)}.Path(ctx, x, y, w))(t)
			lambda := []float64{1e-2, .3, 20}
			got := path.LogLikelihoods(lambda)
			var index []int
			for i := range n {
				if w == nil || w[i] > 0 {
					index = append(index, i)
				}
			}
			g := fixture.KernelMatrix(gauss, x, x)
			for k, l := range lambda {
				c := mat.NewSymDense(len(index), nil)
				for a, i := range index {
					for b, j := range index {
						c.SetSym(a, b, g.At(i, j))
					}
					noise := l
					if w != nil {
						noise /= w[i]
					}
					c.SetSym(a, a, g.At(i, i)+noise)
				}
				var want float64
				for j := range 2 {
					values := make([]float64, len(index))
					for a, i := range index {
						values[a] = y.At(i, j)
					}
					want += density(t, c, values, bias)
				}
				if !(math.Abs(got[k]-want) < 1e-8*math.Abs(want)) {
					t.Errorf("bias %v, weights %v, λ %g: log likelihood %.12g, want %.12g", bias, w != nil, l, got[k], want)
				}
			}
		}
	}
	// It is NaN for λ = 0, and for a singular matrix where Scores replaces λ: below 10⁻¹⁰ times the largest eigenvalue.
	for _, k := range []kernel.Kernel{kernel.Laplacian{Gamma: 1}, kernel.Linear{}} {
		path := must.Have(Config{Kernel: k, NoBias: true}.Path(ctx, x, y, nil))(t)
		largest := path.Eigenvalues()[n-1]
		got := path.LogLikelihoods([]float64{0, .9e-10 * largest, 1.1e-10 * largest})
		if singular := k == kernel.Kernel(kernel.Linear{}); !math.IsNaN(got[0]) || math.IsNaN(got[1]) != singular || math.IsNaN(got[2]) {
			t.Errorf("%T: log likelihoods %v", k, got)
		}
		s := path.Scores([]float64{.9e-10 * largest, 1e-10 * largest, 1.1e-10 * largest})
		if replaced := s[0].Degrees == s[1].Degrees; replaced != (k == kernel.Kernel(kernel.Linear{})) || s[2].Degrees == s[1].Degrees {
			t.Errorf("%T: scores %+v", k, s)
		}
	}
}

// A row that alone determines the constant has no prediction without it. λ must be a finite number of the right sign.
func TestLoneRow(t *testing.T) {
	x, y, _ := data(5)
	w := []float64{0, 0, 2, 0, 0}
	for _, bias := range []bool{false, true} {
		path := must.Have(Config{Kernel: gauss, NoBias: modelfile.Not(!bias)}.Path(ctx, x, y, w))(t)
		got := path.Rows(1)
		// Without a constant the fitted value is 2/3 of the target, by K = 1 and the weight 2, and 0 without the row.
		left, fitted, leverage := 0., y.At(2, 1)*2/3, 2./3
		if bias {
			left, fitted, leverage = math.NaN(), y.At(2, 1), 1
		}
		same := func(a, b float64) bool { return math.IsNaN(a) && math.IsNaN(b) || math.Abs(a-b) < 1e-10 }
		if !same(got.LeftOut.At(2, 1), left) || !same(got.LeaveOut.At(2, 1), y.At(2, 1)-left) || !same(got.Fitted.At(2, 1), fitted) ||
			!same(got.Leverage[2], leverage) || got.Leverage[1] != 0 {
			t.Errorf("bias %v: %v without the row, %v with it, leverages %v", bias, got.LeftOut.At(2, 1), got.Fitted.At(2, 1), got.Leverage)
		}
		for _, lambda := range []float64{-1, math.NaN(), math.Inf(1)} {
			for what, f := range map[string]func(){
				"Scores":         func() { path.Scores([]float64{1, lambda}) },
				"Rows":           func() { path.Rows(lambda) },
				"LogLikelihoods": func() { path.LogLikelihoods([]float64{lambda}) },
				"Model":          func() { path.Model(lambda) },
			} {
				if must.Recovered(f) == nil {
					t.Errorf("%s of the λ %v", what, lambda)
				}
			}
		}
	}
}
