package gp

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/algotest"
	"github.com/gramworks/gram/algos/krr"
	"github.com/gramworks/gram/algos/lowrank/landmark"
	"github.com/gramworks/gram/internal/gen"
	"github.com/gramworks/gram/internal/must"
	"github.com/gramworks/gram/kernel"
	"github.com/gramworks/gram/modelfile"
	"gonum.org/v1/gonum/mat"
)

// dense computes the posterior by inverses of dense matrices, after [RW06] and [QR05].
type dense struct {
	mean, variance []float64
	amplitude      float64
	likelihood     float64
}

func values(k kernel.Kernel, x, u mat.Matrix) *mat.Dense {
	n, _ := x.Dims()
	m, _ := u.Dims()
	out := mat.NewDense(n, m, nil)
	for i := range n {
		for j := range m {
			out.Set(i, j, k.Eval(mat.Row(nil, i, x), mat.Row(nil, j, u)))
		}
	}
	return out
}

func inverse(t *testing.T, a mat.Matrix) *mat.Dense {
	var out mat.Dense
	must.Do(t, out.Inverse(a))
	return &out
}

func product(factors ...mat.Matrix) *mat.Dense {
	out := mat.DenseCopyOf(factors[0])
	for _, f := range factors[1:] {
		var next mat.Dense
		next.Mul(out, f)
		out = &next
	}
	return out
}

// byDefinition is the posterior at the rows of z of a process whose covariance of rows of the
// fit is that of the approximation, and λ/w on the diagonal.
func byDefinition(t *testing.T, m *Model, x, z mat.Matrix, y, w []float64) dense {
	cfg := m.Config()
	n, _ := x.Dims()
	l, _ := z.Dims()
	c, cross := values(cfg.Kernel, x, x), values(cfg.Kernel, z, x)
	self := make([]float64, l) // variance of the prior
	for i := range self {
		self[i] = values(cfg.Kernel, z, z).At(i, i)
	}
	if cfg.Approximation != Exact {
		exact := mat.DenseCopyOf(c)
		u := m.points
		core := values(cfg.Kernel, u, u)
		count, _ := u.Dims()
		trace := mat.Trace(core)
		for i := range count {
			core.Set(i, i, core.At(i, i)+1e-12*trace)
		}
		inner := inverse(t, core)
		xu, zu := values(cfg.Kernel, x, u), values(cfg.Kernel, z, u)
		c, cross = product(xu, inner, xu.T()), product(zu, inner, xu.T())
		for i := range n {
			if cfg.Approximation == FITC {
				c.Set(i, i, exact.At(i, i))
			}
		}
	}
	for i := range n {
		c.Set(i, i, c.At(i, i)+cfg.Lambda.Value()/w[i])
	}
	inv := inverse(t, c)
	target, ones := mat.NewDense(n, 1, append([]float64(nil), y...)), mat.NewDense(n, 1, nil)
	for i := range n {
		ones.Set(i, 0, 1)
	}
	free, b, g := float64(n), 0.0, 0.0
	if !cfg.NoBias {
		g = product(ones.T(), inv, ones).At(0, 0)
		b = product(ones.T(), inv, target).At(0, 0) / g
		free--
	}
	for i := range n {
		target.Set(i, 0, y[i]-b)
	}
	square := product(target.T(), inv, target).At(0, 0)
	det, _ := mat.LogDet(c)
	if !cfg.NoBias {
		det += math.Log(g)
	}
	out := dense{amplitude: square / free}
	out.likelihood = -.5 * (free*math.Log(2*math.Pi*out.amplitude) + det + free)
	mean, gain, shift := product(cross, inv, target), product(cross, inv), product(cross, inv, ones)
	for i := range l {
		v := self[i] - mat.Dot(gain.RowView(i), cross.RowView(i))
		if !cfg.NoBias {
			v += math.Pow(1-shift.At(i, 0), 2) / g
		}
		out.mean = append(out.mean, b+mean.At(i, 0))
		out.variance = append(out.variance, out.amplitude*v)
	}
	return out
}

func close(t *testing.T, what string, got, want, tol float64) {
	t.Helper()
	if !(math.Abs(got-want) <= tol*(1+math.Abs(want))) {
		t.Errorf("%s is %v, by definition %v", what, got, want)
	}
}

// Mean, variance, amplitude and likelihood of all forms are those of dense matrices, with
// weights and without, with a constant and without.
func TestDefinition(t *testing.T) {
	d := algotest.Problem(3, 60, 3, 2)
	z := algotest.Problem(4, 25, 3, 2).X
	plain := make([]float64, 60)
	for i := range plain {
		plain[i] = 1
	}
	for _, a := range []Approximation{Exact, DTC, FITC} {
		for _, bias := range []bool{false, true} {
			for name, w := range map[string][]float64{"plain": nil, "weighted": d.Weights} {
				what := fmt.Sprintf("%v, bias %v, %s: ", a, bias, name)
				c := Config{Kernel: kernel.Gaussian{Gamma: .3}, Lambda: gram.Set(.05), NoBias: modelfile.Not(!bias), Approximation: a, M: 12, Landmarks: landmark.Uniform{}}
				m := must.Have(c.Fit(t.Context(), d.X, d.Value, w))(t)
				weights := plain
				if w != nil {
					weights = w
				}
				x, y, used := some(d.X, d.Value, weights)
				want := byDefinition(t, m, x, z, y, used)
				mean, variance := m.Predict(nil, z), m.Variance(nil, z)
				for i := range want.mean {
					close(t, fmt.Sprint(what, "mean of row ", i), mean[i], want.mean[i], 1e-8)
					close(t, fmt.Sprint(what, "variance of row ", i), variance[i], want.variance[i], 1e-8)
				}
				close(t, what+"amplitude", m.Amplitude(), want.amplitude, 1e-8)
				close(t, what+"likelihood", m.Stats().LogLikelihood, want.likelihood, 1e-8)
				close(t, what+"noise", m.Noise(), .05*want.amplitude, 1e-8)

				var file bytes.Buffer
				must.Do(t, modelfile.Write(&file, m))
				f := must.Have(modelfile.Read(&file))(t)
				back := must.Have(Decode(f))(t)
				for i, v := range back.Variance(nil, z) {
					close(t, what+"variance of the model that was read", v, variance[i], 1e-14)
				}
			}
		}
	}
}

// some leaves out rows of weight 0.
func some(x mat.Matrix, y, w []float64) (*mat.Dense, []float64, []float64) {
	var index []int
	var targets, weights []float64
	for i, v := range w {
		if v > 0 {
			index, targets, weights = append(index, i), append(targets, y[i]), append(weights, v)
		}
	}
	return gram.Matrix(gram.Of(x).Select(index)), targets, weights
}

// The mean is the function of kernel ridge regression; with all rows as landmarks the
// approximations are the exact posterior.
func TestRidge(t *testing.T) {
	d := algotest.Problem(5, 50, 3, 2)
	z := algotest.Problem(6, 20, 3, 2).X
	k := kernel.Gaussian{Gamma: .5}
	for _, bias := range []bool{false, true} {
		ridge := must.Have(krr.Config{Kernel: k, Lambda: gram.Set(.2), NoBias: modelfile.Not(!bias)}.Fit(t.Context(), d.X, d.Value, d.Weights))(t)
		exact := must.Have(Config{Kernel: k, Lambda: gram.Set(.2), NoBias: modelfile.Not(!bias)}.Fit(t.Context(), d.X, d.Value, d.Weights))(t)
		path := must.Have(krr.Config{Kernel: k, NoBias: modelfile.Not(!bias)}.Path(t.Context(), d.X, mat.NewDense(50, 1, d.Value), d.Weights))(t)
		close(t, "likelihood on the spectral path", path.LogLikelihoods([]float64{.2})[0], exact.Stats().LogLikelihood, 1e-8)
		want, variance := ridge.Predict(nil, z), exact.Variance(nil, z)
		for i, v := range exact.Predict(nil, z) {
			close(t, "mean", v, want[i], 1e-9)
		}
		for _, a := range []Approximation{DTC, FITC} {
			x, _, _ := some(d.X, d.Value, d.Weights)
			near := must.Have(Config{Kernel: k, Lambda: gram.Set(.2), NoBias: modelfile.Not(!bias), Approximation: a, Landmarks: landmark.Fixed{U: x}}.Fit(t.Context(), d.X, d.Value, d.Weights))(t)
			close(t, "likelihood on all rows", near.Stats().LogLikelihood, exact.Stats().LogLikelihood, 1e-7)
			for i, v := range near.Predict(nil, z) {
				close(t, "mean on all rows", v, want[i], 1e-7)
			}
			for i, v := range near.Variance(nil, z) {
				close(t, "variance on all rows", v, variance[i], 1e-7)
			}
		}
	}
}

// Without a λ the fit finds that of the largest likelihood: none of many others has a larger
// one. On data with noise of a known variance it finds that, and about .9 of new targets are
// within ±1.645 standard deviations.
func TestLikelihood(t *testing.T) {
	d := algotest.Problem(7, 80, 2, 2)
	for _, a := range []Approximation{Exact, DTC, FITC} {
		c := Config{Kernel: kernel.Gaussian{Gamma: .5}, Approximation: a, M: 10}
		m := must.Have(c.Fit(t.Context(), d.X, d.Value, nil))(t)
		for decade := -8.0; decade <= 3; decade += .5 {
			c.Lambda = gram.Set(math.Pow(10, decade))
			other, err := c.Fit(t.Context(), d.X, d.Value, nil)
			if err == nil && !(other.Stats().LogLikelihood <= m.Stats().LogLikelihood+3e-3) {
				t.Errorf("%v: λ %v has the likelihood %v, the chosen %v has %v", a, c.Lambda.Value(), other.Stats().LogLikelihood, m.Config().Lambda, m.Stats().LogLikelihood)
			}
		}
	}

	// Functions that are drawn from the prior, and noise.
	const n, fresh, sigma = 150, 150, .3
	x := algotest.Problem(8, n+fresh, 2, 2).X
	k := kernel.Gaussian{Gamma: .5}
	cov := mat.NewSymDense(n+fresh, nil)
	all := values(k, x, x)
	for i := range n + fresh {
		for j := range i + 1 {
			cov.SetSym(i, j, all.At(i, j))
		}
		cov.SetSym(i, i, all.At(i, i)+1e-9)
	}
	var chol mat.Cholesky
	if !chol.Factorize(cov) {
		t.Fatal("the covariance has no factor")
	}
	var lower mat.TriDense
	chol.LTo(&lower)
	normal := gen.Normal(1, 2*(n+fresh), 9).RawMatrix().Data
	var f mat.VecDense
	f.MulVec(&lower, mat.NewVecDense(n+fresh, normal[:n+fresh]))
	y := make([]float64, n+fresh)
	for i := range y {
		y[i] = 5 + 2*(f.AtVec(i)+sigma*normal[n+fresh+i])
	}
	data := gram.Of(x)
	m := must.Have(Config{Kernel: k}.Fit(t.Context(), data.Slice(0, n), y[:n], nil))(t)
	if noise := m.Noise(); !(noise > .7*4*sigma*sigma && noise < 1.4*4*sigma*sigma) {
		t.Errorf("the noise has variance %v, found %v", 4*sigma*sigma, noise)
	}
	test := data.Slice(n, n+fresh)
	mean, variance := m.Predict(nil, test), m.Variance(nil, test)
	covered := 0
	for i, v := range y[n:] {
		if math.Abs(v-mean[i]) <= 1.645*math.Sqrt(variance[i]+m.Noise()) {
			covered++
		}
	}
	if share := float64(covered) / fresh; !(math.Abs(share-.9) < .06) {
		t.Errorf("%v of new targets are covered", share)
	}
}

// minus is the negative of the linear kernel, which is the covariance of nothing, and adds a constant to values of a row with itself.
type minus struct{ by, self float64 }

func (k minus) Eval(x, y []float64) float64 {
	v := -k.by * x[0] * y[0]
	if x[0] == y[0] {
		v += k.self
	}
	return v
}

func (minus) Spec() kernel.Spec { return kernel.Spec{Name: "minus"} }

// The λ that is chosen is among those with which the covariance has an inverse, and without any the error says that there is none.
func TestWithoutInverse(t *testing.T) {
	x := mat.NewDense(5, 1, []float64{1, 2, 3, 4, 5})
	y := []float64{1, 3, 2, 5, 4}
	// The least eigenvalue of K is 1 − 55/10, and the mean of its diagonal is negative, so that λ is tried in units of 1.
	m := must.Have(Config{Kernel: minus{.1, 1}}.Fit(t.Context(), x, y, nil))(t)
	if l := m.Config().Lambda.Value(); !(l > 4.5) {
		t.Errorf("λ is %v, and the covariance has no inverse", l)
	}
	var none *gram.NotPDError
	if m, err := (Config{Kernel: minus{1e9, 0}}).Fit(t.Context(), x, y, nil); !errors.As(err, &none) || m != nil {
		t.Errorf("a fit without an inverse: %v", err)
	}
	if m, err := (Config{Kernel: minus{.1, 1}, Lambda: gram.Set(1.)}).Fit(t.Context(), x, y, nil); !errors.As(err, &none) || m != nil {
		t.Errorf("a fit without an inverse for its λ: %v", err)
	}
}

// counted is a context that counts how often it is looked at.
type counted struct {
	context.Context
	looks int
}

func (c *counted) Err() error {
	c.looks++
	return c.Context.Err()
}

// A Cholesky factor is computed in pieces, between which a fit can be stopped.
func TestFactorLooksAtContext(t *testing.T) {
	looks := func(n int) int {
		p := algotest.Problem(1, n, 3, 2)
		ctx := &counted{Context: t.Context()}
		must.Have((Config{Kernel: kernel.Gaussian{Gamma: 1}, Lambda: gram.Set(.1), NoBias: true}).Fit(ctx, p.X, p.Value, nil))(t)
		return ctx.looks
	}
	if few, many := looks(200), looks(800); !(many >= few+6) {
		t.Errorf("a fit of 800 rows looks %d times, one of 200 rows %d times", many, few)
	}
}
