package cholupdate

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/internal/must"
	"github.com/gramworks/gram/internal/race"
	"gonum.org/v1/gonum/mat"
)

// TestKalmanFormulas compares a filter with the formulas of the covariance, in float64 while that is accurate.
func TestKalmanFormulas(t *testing.T) {
	for _, n := range []int{1, 2, 6, 31, 40} {
		r := rand.New(rand.NewPCG(uint64(n), 1))
		x, p := mat.NewVecDense(n, nil), definite(r, n)
		k := must.Have(NewKalman(x.RawVector().Data, p))(t)
		cov := mat.DenseCopyOf(p)
		for step := range 20 {
			s, g := mat.NewDense(n, n, nil), mat.NewDense(n, 1, nil)
			for i := range n {
				g.Set(i, 0, r.NormFloat64())
				for j := range n {
					s.Set(i, j, r.NormFloat64()/math.Sqrt(float64(n)))
				}
				s.Set(i, i, s.At(i, i)+1)
			}
			noise := g
			if step%2 == 1 {
				noise = nil
			}
			must.Do(t, k.Predict(s, noise))
			x.MulVec(s, x)
			cov.Mul(s, cov)
			cov.Mul(cov, s.T())
			if noise != nil {
				var gg mat.Dense
				gg.Mul(g, g.T())
				cov.Add(cov, &gg)
			}
			h := make([]float64, n)
			for i := range h {
				h[i] = r.NormFloat64()
			}
			y, variance := r.NormFloat64(), math.Exp(r.NormFloat64())
			innovation, spread := must.Have2(k.Measure(h, y, variance))(t)
			hv := mat.NewVecDense(n, h)
			var ph, outer mat.VecDense
			ph.MulVec(cov, hv)
			want := mat.Dot(hv, &ph) + variance
			if !(math.Abs(spread-want) <= 1e-10*want) || !(math.Abs(innovation-(y-mat.Dot(hv, x))) <= 1e-8*math.Sqrt(want)) {
				t.Fatalf("n=%d step %d: innovation %g ± %g², not %g ± %g²", n, step, innovation, spread, y-mat.Dot(hv, x), want)
			}
			outer.ScaleVec((y-mat.Dot(hv, x))/want, &ph)
			x.AddVec(x, &outer)
			var loss mat.Dense
			loss.Outer(1/want, &ph, &ph)
			cov.Sub(cov, &loss)
			if e := distance(k.Covariance().gramOf(), cov); !(e <= 1e-10) {
				t.Fatalf("n=%d step %d: the covariance is off by %g", n, step, e)
			}
			for i, v := range k.Mean() {
				if !(math.Abs(v-x.AtVec(i)) <= 1e-8*math.Sqrt(want)) {
					t.Fatalf("n=%d step %d: mean %d is %g, not %g", n, step, i, v, x.AtVec(i))
				}
			}
		}
	}
}

// TestKalmanExact takes a measurement that is 10²⁴ times as certain as the state: what is left of the
// covariance is known in closed form, which a difference of covariances would not find.
func TestKalmanExact(t *testing.T) {
	k := must.Have(NewKalman([]float64{0, 0}, mat.NewSymDense(2, []float64{1, 0, 0, 1})))(t)
	const variance = 1e-24
	must.Have2(k.Measure([]float64{1, 0}, 5, variance))(t)
	if got := k.Covariance().At(0, 0); !(math.Abs(got/variance-1) <= 1e-14) {
		t.Errorf("the variance is %g, not %g", got, variance)
	}
	if got := k.Mean()[0]; !(math.Abs(got-5) <= 1e-14) {
		t.Errorf("the mean is %g, not 5", got)
	}
}

// TestKalmanErrors says what a filter refuses, and that it is unchanged then.
func TestKalmanErrors(t *testing.T) {
	k := must.Have(NewKalman([]float64{1, 2}, mat.NewSymDense(2, []float64{2, 1, 1, 3})))(t)
	var data *gram.DataError
	var failed *gram.NotPDError
	nan := math.NaN()
	for i, err := range []error{
		k.Predict(mat.NewDense(2, 2, []float64{1, nan, 0, 1}), nil),
		k.Predict(mat.NewDense(2, 2, []float64{1, 1, 0, 1}), mat.NewDense(2, 1, []float64{0, nan})),
		second(k.Measure([]float64{nan, 0}, 1, 1)), second(k.Measure([]float64{1, 0}, nan, 1)),
		second(k.Measure([]float64{1, 0}, 1, 0)), second(k.Measure([]float64{1e200, 0}, 1, 1)),
	} {
		if !errors.As(err, &data) {
			t.Errorf("call %d: %v", i, err)
		}
	}
	if err := k.Predict(mat.NewDense(2, 2, nil), nil); !errors.As(err, &failed) {
		t.Errorf("a step to 0: %v", err)
	}
	if got := k.Covariance().At(0, 1); k.Mean()[0] != 1 || k.Mean()[1] != 2 || !(math.Abs(got-1) <= 1e-15) {
		t.Error("an error has changed the filter")
	}
}

func second(_, _ float64, err error) error { return err }

// TestLeastSquares compares recursive least squares with the weighted sum solved at once, over more steps
// than the scale lasts, and asks for an exact fit.
func TestLeastSquares(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 2))
	const n, forget, ridge = 3, .8, 1e-3
	l := NewLeastSquares(n, forget, ridge)
	a, b := mat.NewSymDense(n, nil), mat.NewVecDense(n, nil)
	for i := range n {
		a.SetSym(i, i, ridge)
	}
	total, beta := 0., make([]float64, n)
	for step := range 700 {
		x := []float64{1, r.NormFloat64(), r.NormFloat64()}
		y := 2 - x[1] + r.NormFloat64()
		must.Do(t, l.Observe(x, y))
		v := mat.NewVecDense(n, x)
		a.ScaleSym(forget, a)
		a.SymRankOne(a, 1, v)
		b.ScaleVec(forget, b)
		b.AddScaledVec(b, y, v)
		total = forget*total + y*y
		var want mat.VecDense
		must.Do(t, want.SolveVec(a, b))
		l.Coef(beta)
		for i, got := range beta {
			if !(math.Abs(got-want.AtVec(i)) <= 1e-10) {
				t.Fatalf("step %d: coefficient %d is %g, not %g", step, i, got, want.AtVec(i))
			}
		}
		if loss := total - mat.Dot(b, &want); !(math.Abs(l.Loss()-loss) <= 1e-10*total) {
			t.Fatalf("step %d: the loss is %g, not %g", step, l.Loss(), loss)
		}
	}
	for step := range 20000 {
		must.Do(t, l.Observe([]float64{1, float64(step % 3), float64(step % 5)}, 7))
	}
	zero := NewLeastSquares(1, .5, 1)
	for range 5000 { // the loss would fall below any number
		must.Do(t, zero.Observe([]float64{1}, 0))
	}
	l.Coef(beta)
	if !(math.Abs(beta[0]-7) <= 1e-12 && math.Abs(beta[1]) <= 1e-12) {
		t.Errorf("exact rows give %g", beta)
	}
	var data *gram.DataError
	if err := l.Observe(beta, math.Inf(1)); !errors.As(err, &data) {
		t.Errorf("an infinite target: %v", err)
	}
}

// TestStepsAllocate says that steps of filters allocate nothing.
func TestStepsAllocate(t *testing.T) {
	if race.Enabled {
		t.Skip("under the detector a sync.Pool drops what it is given")
	}
	k, step, noise, h := filter(t, 6)
	l := NewLeastSquares(6, .9, 1)
	if n := testing.AllocsPerRun(100, func() {
		_ = k.Predict(step, noise)
		_, _, _ = k.Measure(h, 1, 1)
		_ = l.Observe(h, 1)
	}); n >= 1 {
		t.Errorf("%g allocations", n)
	}
}

// filter returns a filter of n states with its step and two sources of noise.
func filter(t testing.TB, n int) (k *Kalman, step, noise *mat.Dense, h []float64) {
	r := rand.New(rand.NewPCG(1, 1))
	k = must.Have(NewKalman(make([]float64, n), definite(r, n)))(t)
	step, noise = mat.NewDense(n, n, nil), mat.NewDense(n, 2, nil)
	h = make([]float64, n)
	for i := range n {
		step.Set(i, i, .9)
		for j := i + 1; j < n; j++ {
			step.Set(i, j, .1)
		}
		noise.Set(i, i%2, .1)
		h[i] = []float64{1, 0, .5}[i%3]
	}
	return k, step, noise, h
}

func BenchmarkKalman(b *testing.B) {
	for _, n := range []int{2, 4, 6, 12} {
		k, step, noise, h := filter(b, n)
		b.Run(fmt.Sprintf("Step/n=%d", n), func(b *testing.B) {
			for b.Loop() {
				_ = k.Predict(step, noise)
				_, _, _ = k.Measure(h, 1, 1)
			}
		})
		b.Run(fmt.Sprintf("Measure/n=%d", n), func(b *testing.B) {
			for b.Loop() {
				_, _, _ = k.Measure(h, 1, 1e6)
			}
		})
	}
}
