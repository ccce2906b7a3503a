package bregman

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// The slope of the trace is the mean of the divided differences of exp, also
// where eigenvalues are equal or nearly so.
func TestValueOfCloseEigenvalues(t *testing.T) {
	q := []float64{0.8, -0.5, 0.3}
	for _, gap := range []float64{0, 1e-15, 1e-9, 3e-5, -3e-5, 9.9e-5, 1.1e-4, 0.5, -2} {
		theta := []float64{0.7, 0.7 + gap, 0.7 + 2*gap}
		s := &vonNeumann{mu: []float64{1.5}, at: turned{theta: theta, q: mat.NewDense(1, 3, q)}}
		log, slope := s.logValue()
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
