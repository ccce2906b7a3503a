package dual

import (
	"math"
	"testing"

	"github.com/gramworks/gram/internal/must"
	"gonum.org/v1/gonum/mat"
)

// The slope of the trace is the mean of the divided differences of exp, also
// where eigenvalues are equal or nearly so.
func TestValueOfCloseEigenvalues(t *testing.T) {
	q := []float64{0.8, -0.5, 0.3}
	for _, gap := range []float64{0, 1e-15, 1e-9, 3e-5, -3e-5, 9.9e-5, 1.1e-4, 0.5, -2} {
		theta := []float64{0.7, 0.7 + gap, 0.7 + 2*gap}
		s := &vonNeumannSweep{mu: []float64{1.5}, at: turned{theta: theta, q: *mat.NewDense(1, 3, q)}, e: make([]float64, 3)}
		log, slope, _ := s.logValue()
		var value, want float64
		for i := range 3 {
			value += 1.5 * q[i] * q[i] * math.Exp(theta[i])
			for j := range 3 {
				phi := math.Exp(theta[i])
				if d := theta[j] - theta[i]; d != 0 {
					phi *= math.Expm1(d) / d
				}
				want += 1.5 * q[i] * q[i] * q[j] * q[j] * phi * 1.5
			}
		}
		if want /= value; !(math.Abs(slope-want) <= 1e-8*want) {
			t.Errorf("gap %g: slope %.12g, want %.12g", gap, slope, want)
		}
		if want := math.Log(value); !(math.Abs(log-want) <= 1e-13*(1+math.Abs(want))) {
			t.Errorf("gap %g: value %g, want %g", gap, log, want)
		}
	}
}

// The eigenpairs of Θ + aH are those of the matrix itself, for few terms, which
// are added one after the other, and for many at once.
func TestTurned(t *testing.T) {
	const r = 7
	for _, terms := range []int{1, many, many + 1, many + 4} {
		for _, identity := range []float64{0, 0.25} {
			s := &vonNeumannSweep{report: &Report{}, row: &Row{Identity: identity}, q: mat.NewDense(terms, r, nil)}
			for j := range r {
				s.theta = append(s.theta, 0.3*float64(j)-1)
			}
			const a = -0.6
			want := mat.NewSymDense(r, nil)
			for j, v := range s.theta {
				want.SetSym(j, j, v+a*identity)
			}
			for k := range terms {
				mu := 1 + 0.5*float64(k%3)
				if k%2 == 1 {
					mu = -mu
				}
				s.mu = append(s.mu, mu)
				for j := range r {
					s.q.Set(k, j, math.Sin(float64(1+3*k+5*j)))
				}
				want.SymRankOne(want, a*mu, s.q.RowView(k))
			}
			must.Do(t, s.evaluate(a))
			var e mat.EigenSym
			if !e.Factorize(want, true) {
				t.Fatal("no eigenvalues")
			}
			var u, q mat.Dense
			e.VectorsTo(&u)
			q.Mul(s.q, &u)
			for j, v := range e.Values(nil) {
				if !(math.Abs(s.at.theta[j]-v) <= 1e-12*r) {
					t.Errorf("%d terms: eigenvalue %d is %g, want %g", terms, j, s.at.theta[j], v)
				}
				for k := range terms { // up to the sign of an eigenvector
					if !(math.Abs(math.Abs(s.at.q.At(k, j))-math.Abs(q.At(k, j))) <= 1e-10) {
						t.Errorf("%d terms: coordinate %d, %d is %g, want ±%g", terms, k, j, s.at.q.At(k, j), q.At(k, j))
					}
				}
			}
			if s.at.a != a || !s.at.valid || s.report.Evaluations != 1 {
				t.Errorf("%d terms: %+v", terms, s.at)
			}
		}
	}
}

// The value of several terms and of the identity is the trace with the exponential, and its slope the sum over the divided
// differences, also where eigenvalues are equal or nearly so.
func TestValueOfTerms(t *testing.T) {
	const r, identity = 3, -0.25
	mu, q := []float64{1.5, -0.7}, mat.NewDense(2, r, []float64{0.8, -0.5, 0.3, 0.2, 0.6, -0.9})
	for _, gap := range []float64{0, 1e-15, 1e-9, 3e-5, -3e-5, 9.9e-5, 1.1e-4, 0.5, -2} {
		theta := []float64{0.7, 0.7 + gap, 0.7 + 2*gap}
		s := &vonNeumannSweep{mu: mu, row: &Row{Identity: identity}, at: turned{theta: theta, q: *q}, e: make([]float64, r), line: make([]float64, r)}
		value, slope, size := s.value()
		var wantValue, wantSlope, wantSize float64
		for i := range r {
			e := math.Exp(theta[i])
			wantSize += math.Abs(identity) * e
			for k, m := range mu {
				wantSize += math.Abs(m) * q.At(k, i) * q.At(k, i) * e
			}
			for j := range r {
				a, phi := 0.0, e
				for k, m := range mu {
					a += m * q.At(k, i) * q.At(k, j)
				}
				if d := theta[j] - theta[i]; i == j {
					a += identity
					wantValue += a * e
				} else if d != 0 {
					phi *= math.Expm1(d) / d
				}
				wantSlope += a * a * phi
			}
		}
		if !(math.Abs(slope-wantSlope) <= 1e-8*wantSlope) {
			t.Errorf("gap %g: slope %.12g, want %.12g", gap, slope, wantSlope)
		}
		if !(math.Abs(value-wantValue) <= 1e-13*wantSize) || !(math.Abs(size-wantSize) <= 1e-13*wantSize) {
			t.Errorf("gap %g: value %g of size %g, want %g of size %g", gap, value, size, wantValue, wantSize)
		}
	}
}
