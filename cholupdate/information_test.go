package cholupdate

import (
	"errors"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/internal/must"
	"github.com/gramworks/gram/internal/race"
	"gonum.org/v1/gonum/mat"
)

// TestInformation compares a filter with that of the covariance.
func TestInformation(t *testing.T) {
	for _, n := range []int{1, 2, 6, 30, 40} {
		r := rand.New(rand.NewPCG(uint64(n), 8))
		mean, p := make([]float64, n), definite(r, n)
		for i := range mean {
			mean[i] = r.NormFloat64()
		}
		f := NewInformation(n)
		must.Do(t, f.Fuse(mean, p))
		k := must.Have(NewKalman(mean, p))(t)
		for step := range 30 {
			s, g := mat.NewDense(n, n, nil), mat.NewDense(n, 1+n/2, nil)
			for i := range n {
				for j := range n {
					s.Set(i, j, r.NormFloat64()/math.Sqrt(float64(4*n)))
				}
				s.Set((i+step)%n, i, s.At((i+step)%n, i)+1) // rows that have to be exchanged
				g.Set(i, i%(1+n/2), r.NormFloat64())
			}
			noise := g
			if step%3 == 2 {
				noise = nil
			}
			h, y, variance := make([]float64, n), r.NormFloat64(), math.Exp(r.NormFloat64())
			for i := range h {
				h[i] = r.NormFloat64()
			}
			must.Have2(k.Measure(h, y, variance))(t)
			must.Do(t, errors.Join(k.Predict(s, noise), f.Measure(h, y, variance), f.Predict(s, noise)))
			var covariance mat.SymDense
			must.Do(t, errors.Join(f.Mean(mean), f.CovarianceTo(&covariance)))
			want := mat.NewSymDense(n, nil)
			k.Covariance().ToSym(want)
			if e := distance(want, &covariance); !(e <= 1e-8) {
				t.Fatalf("n=%d step %d: the covariance is off by %g", n, step, e)
			}
			v, err := f.Variance(h)
			if q := k.Covariance().Quad(h); err != nil || !(math.Abs(v-q) <= 1e-8*q) {
				t.Fatalf("n=%d step %d: hᵀPh is %g, not %g (%v)", n, step, v, q, err)
			}
			for i, v := range k.Mean() {
				if !(math.Abs(v-mean[i]) <= 1e-8*(1+math.Sqrt(want.At(i, i)))) {
					t.Fatalf("n=%d step %d: mean %d is %g, not %g", n, step, i, mean[i], v)
				}
			}
		}
	}
}

// TestInformationIllConditioned compares mean and variance with the formulas of the information in 600 bits, for a filter that begins
// with nothing known, measures almost the same combination many times, with variances from 2⁻³⁶ to 1, and takes steps between.
// The condition of the covariance exceeds 1/eps; that of its root does not.
func TestInformationIllConditioned(t *testing.T) {
	const n = 3
	f, exact := NewInformation(n), newExact(n)
	r := rand.New(rand.NewPCG(6, 6))
	step, noise := mat.NewDense(n, n, []float64{1, .5, .125, 0, 1, .5, 0, 0, 1}), mat.NewDense(n, 1, []float64{0, 0x1p-20, 0x1p-10})
	worst := 0.
	for round := range 12 {
		for i := range n {
			h := []float64{1, 1 + math.Ldexp(float64(i), -8), 1 - math.Ldexp(float64(i*i), -7)}
			y, variance := r.NormFloat64(), math.Ldexp(1, -12*((round+i)%4))
			must.Do(t, f.Measure(h, y, variance))
			exact.measure(h, y, variance)
		}
		mean := make([]float64, n)
		must.Do(t, f.Mean(mean))
		want, p := exact.mean()
		for i, v := range mean {
			deviation := math.Sqrt(p[i])
			worst = max(worst, math.Abs(v-want[i])/deviation)
			h := make([]float64, n)
			h[i] = 1
			variance, err := f.Variance(h)
			if err != nil || !(math.Abs(variance/p[i]-1) <= 1e-7) {
				t.Fatalf("round %d: the variance %d is %g, not %g (%v)", round, i, variance, p[i], err)
			}
		}
		must.Do(t, f.Predict(step, noise))
		exact.predict(step, noise)
	}
	if !(worst <= 1e-7) {
		t.Errorf("means are off by %g deviations", worst)
	}
}

// An exact filter has the information matrix and its product with the mean.
type exact struct {
	n      int
	matrix [][]*big.Float // n×(n+1)
}

func number(v float64) *big.Float { return new(big.Float).SetPrec(600).SetFloat64(v) }

func newExact(n int) *exact {
	e := &exact{n: n}
	for range n {
		row := make([]*big.Float, n+1)
		for j := range row {
			row[j] = number(0)
		}
		e.matrix = append(e.matrix, row)
	}
	return e
}

// measure adds hhᵀ/variance and h·y/variance.
func (e *exact) measure(h []float64, y, variance float64) {
	for i, v := range h {
		for j, u := range append(append([]float64(nil), h...), y) {
			p := number(0).Mul(number(v), number(u))
			e.matrix[i][j].Add(e.matrix[i][j], p.Quo(p, number(variance)))
		}
	}
}

// solvedExactly returns A⁻¹b for the columns of b, by Gauss and Jordan; its diagonal pivots are those of a definite matrix.
func solvedExactly(a [][]*big.Float, b [][]*big.Float) [][]*big.Float {
	n := len(a)
	m := make([][]*big.Float, n)
	for i := range m {
		for _, v := range append(append([]*big.Float(nil), a[i][:n]...), b[i]...) {
			m[i] = append(m[i], number(0).Set(v))
		}
	}
	for k := range n {
		for i := range n {
			if i == k {
				continue
			}
			q := number(0).Quo(m[i][k], m[k][k])
			for j := k; j < len(m[i]); j++ {
				m[i][j].Sub(m[i][j], number(0).Mul(q, m[k][j]))
			}
		}
	}
	for i := range m {
		for j := n; j < len(m[i]); j++ {
			m[i][j].Quo(m[i][j], m[i][i])
		}
		m[i] = m[i][n:]
	}
	return m
}

// state returns covariance and mean beside it, n×(n+1).
func (e *exact) state() [][]*big.Float {
	b := newExact(e.n).matrix
	for i := range b {
		b[i][i].SetInt64(1)
		b[i][e.n].Set(e.matrix[i][e.n])
	}
	return solvedExactly(e.matrix, b)
}

func (e *exact) mean() (mean, variances []float64) {
	for i, row := range e.state() {
		m, _ := row[e.n].Float64()
		v, _ := row[i].Float64()
		mean, variances = append(mean, m), append(variances, v)
	}
	return mean, variances
}

func (e *exact) predict(step, noise *mat.Dense) {
	n, p := e.n, e.state()
	next := newExact(n).matrix
	for i := range n {
		for j := range n {
			for a := range n {
				for b := range n {
					v := number(0).Mul(number(step.At(i, a)), number(step.At(j, b)))
					next[i][j].Add(next[i][j], v.Mul(v, p[a][b]))
				}
			}
			next[i][j].Add(next[i][j], number(0).Mul(number(noise.At(i, 0)), number(noise.At(j, 0))))
			next[i][n].Add(next[i][n], number(0).Mul(number(step.At(i, j)), p[j][n]))
		}
	}
	b := newExact(n).matrix
	for i := range b {
		b[i][i].SetInt64(1)
		b[i][n].Set(next[i][n])
	}
	e.matrix = solvedExactly(next, b)
}

// TestInformationUnknown begins with nothing known: as long as states are not determined, also after steps, which leave rounding,
// that is an error, and then the mean is that of the measurements. The units of states do not matter.
func TestInformationUnknown(t *testing.T) {
	var of1 []float64
	for _, unit := range []float64{1, 1e-140, 1e140, 1e-150, 1e150} {
		f := NewInformation(2)
		step, noise := mat.NewDense(2, 2, []float64{1, 1 / unit, 0, 1}), mat.NewDense(2, 1, []float64{.1, 0})
		x := []float64{7, 7}
		var failed *gram.NotPDError
		if err := f.Mean(x); !errors.As(err, &failed) || failed.Pivot != 0 {
			t.Errorf("without a measurement: %v", err)
		}
		for i := range 3 {
			must.Do(t, f.Measure([]float64{1, 0}, float64(i*i), 1))
			if err := f.Mean(x); i == 0 && (!errors.As(err, &failed) || failed.Pivot != 1 || x[0] != 7) || i > 0 && err != nil {
				t.Errorf("unit %g, after %d measurements: %v", unit, i+1, err)
			}
			if _, err := f.Variance(x); i == 0 && !errors.As(err, &failed) {
				t.Errorf("a variance after one measurement: %v", err)
			}
			must.Do(t, f.Predict(step, noise))
			if err := f.Mean(x); i == 0 && !errors.As(err, &failed) || i > 0 && err != nil {
				t.Errorf("unit %g, after %d steps: %v", unit, i+1, err)
			}
		}
		x[1] /= unit
		if unit == 1 {
			of1 = x
		}
		for i, v := range of1 {
			if !(math.Abs(x[i]-v) <= 1e-12*math.Abs(v)) {
				t.Errorf("unit %g: the mean is %v, not %v", unit, x, of1)
			}
		}
	}
}

// TestInformationRank measures n combinations of n states, each of them several times, with steps between: one less does not determine
// them, though rounding leaves more than zeros.
func TestInformationRank(t *testing.T) {
	for n := 2; n < 9; n++ {
		r := rand.New(rand.NewPCG(uint64(n), 2))
		f, x := NewInformation(n), make([]float64, n)
		for i := range n {
			if err := f.Mean(x); err == nil {
				t.Errorf("%d measurements determine %d states", i, n)
			}
			step, noise := mat.NewDense(n, n, nil), mat.NewDense(n, 2, nil)
			for i := range n {
				for j := range n {
					step.Set(i, j, r.NormFloat64())
				}
				noise.Set(i, i%2, r.NormFloat64())
				x[i] = r.NormFloat64()
			}
			for range 5 {
				must.Do(t, f.Measure(x, 1, r.Float64()))
			}
			if i == n-1 {
				break
			}
			must.Do(t, f.Predict(step, noise))
		}
		if err := f.Mean(x); err != nil {
			t.Errorf("%d measurements do not determine %d states: %v", n, n, err)
		}
	}
}

// TestInformationErrors says what a filter refuses, and that it is unchanged then.
func TestInformationErrors(t *testing.T) {
	f := NewInformation(2)
	must.Do(t, f.Fuse([]float64{1, 2}, mat.NewSymDense(2, []float64{2, 1, 1, 3})))
	before := fmt.Sprint(f.r)
	var data *gram.DataError
	var failed *gram.NotPDError
	nan := math.NaN()
	for i, err := range []error{
		f.Predict(mat.NewDense(2, 2, []float64{1, nan, 0, 1}), nil),
		f.Predict(mat.NewDense(2, 2, []float64{1, 1, 0, 1}), mat.NewDense(2, 1, []float64{0, nan})),
		f.Predict(mat.NewDense(2, 2, []float64{1e-320, 0, 0, 1}), nil),
		f.Measure([]float64{nan, 0}, 1, 1), f.Measure([]float64{1, 0}, nan, 1), f.Measure([]float64{1, 0}, 1, 0),
		f.Measure([]float64{1e200, 0}, 1, 1e-300), f.Fuse([]float64{nan, 0}, mat.NewSymDense(2, []float64{2, 1, 1, 3})),
		f.Fuse([]float64{0, 0}, mat.NewSymDense(2, []float64{2, nan, nan, 3})),
	} {
		if !errors.As(err, &data) {
			t.Errorf("call %d: %v", i, err)
		}
	}
	for i, err := range []error{
		f.Predict(mat.NewDense(2, 2, []float64{1, 2, 2, 4}), nil),
		f.Fuse([]float64{0, 0}, mat.NewSymDense(2, []float64{1, 2, 2, 1})),
	} {
		if !errors.As(err, &failed) || failed.Pivot != 1 {
			t.Errorf("singular matrix %d: %v", i, err)
		}
	}
	if after := fmt.Sprint(f.r); after != before {
		t.Errorf("an error has changed the filter: %s, was %s", after, before)
	}
	for i, call := range []func(){
		func() { NewInformation(-1) }, func() { _ = f.Mean(make([]float64, 3)) }, func() { _ = f.Measure(nil, 1, 1) },
		func() { _ = f.Predict(mat.NewDense(1, 1, nil), nil) }, func() { _ = f.CovarianceTo(mat.NewSymDense(3, nil)) },
	} {
		if must.Recovered(call) == nil {
			t.Errorf("call %d does not panic", i)
		}
	}
}

func TestInformationAllocates(t *testing.T) {
	if race.Enabled {
		t.Skip("under the detector a sync.Pool drops what it is given")
	}
	_, step, noise, h := filter(t, 6)
	f := NewInformation(6)
	must.Do(t, f.Fuse(make([]float64, 6), definite(rand.New(rand.NewPCG(1, 1)), 6)))
	x := make([]float64, 6)
	if n := testing.AllocsPerRun(100, func() {
		_ = f.Predict(step, noise)
		_ = f.Measure(h, 1, 1)
		_ = f.Mean(x)
		_, _ = f.Variance(h)
	}); n >= 1 {
		t.Errorf("%g allocations", n)
	}
}

func BenchmarkInformation(b *testing.B) {
	_, step, noise, h := filter(b, 6)
	f := NewInformation(6)
	_ = f.Fuse(make([]float64, 6), definite(rand.New(rand.NewPCG(1, 1)), 6))
	b.Run("Step/n=6", func(b *testing.B) {
		for b.Loop() {
			_ = f.Predict(step, noise)
			_ = f.Measure(h, 1, 1)
		}
	})
	b.Run("Measure/n=6", func(b *testing.B) {
		for b.Loop() {
			_ = f.Measure(h, 1, 1e6)
		}
	})
}
