package linear

import (
	"context"
	"math"
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/internal/rng"
	"gonum.org/v1/gonum/mat"
)

func random(seed uint64, n, d int) *mat.Dense {
	r := rng.New(seed, 0)
	x := mat.NewDense(n, d, nil)
	for i := range n {
		for j := range d {
			x.Set(i, j, r.NormFloat64())
		}
	}
	return x
}

// overlapping returns rows of k classes that no linear function separates.
func overlapping(seed uint64, n, d, k int) (*mat.Dense, gram.Labels) {
	x := random(seed, n, d)
	y := gram.Labels{Class: make([]int, n), Names: []string{"a", "b", "c", "d"}[:k]}
	for i := range n {
		y.Class[i] = i % k
		x.Set(i, y.Class[i]%d, x.At(i, y.Class[i]%d)+1.5)
	}
	return x, y
}

func TestSVMReachesItsGap(t *testing.T) {
	for _, k := range []int{2, 4} {
		x, y := overlapping(1, 200, 5, k)
		for _, loss := range []Loss{SquaredHinge, Hinge} {
			for _, c := range []SVM{{C: 0.01}, {C: 1}, {C: 30}, {C: 1, NoBias: true}} {
				c.Loss, c.Tol, c.MaxIter = loss, 1e-6, 100000
				m, err := c.Fit(context.Background(), nil, x, y, nil)
				if err != nil {
					t.Fatalf("%d classes, %+v: %v", k, c, err)
				}
				for f := range problems(k) {
					s := m.Stats()
					if !(s.Gap[f] <= 1e-6 && s.Gap[f] >= -1e-12) {
						t.Errorf("%d classes, %+v: gap %g", k, c, s.Gap[f])
					}
					want := objective(m, x, y, nil, f, func(v float64) float64 {
						h := math.Max(0, 1-v)
						if loss == SquaredHinge {
							return h * h
						}
						return h
					}, c.C)
					if !(math.Abs(s.Primal[f]-want) <= 1e-9*want) {
						t.Errorf("%d classes, %+v: primal %g, by definition %g", k, c, s.Primal[f], want)
					}
				}
			}
		}
	}
}

// objective computes the primal value of function f from its definition, for
// Bias 1 or none.
func objective(m *Classifier, x mat.Matrix, y gram.Labels, w []float64, f int, loss func(float64) float64, c float64) float64 {
	coef, bias := m.Weights()
	p, k := coef.Dims()
	s := bias[f] * bias[f] / 2
	for j := range p {
		s += coef.At(j, f) * coef.At(j, f) / 2
	}
	for i, class := range y.Class {
		v := bias[f]
		for j := range p {
			v += x.At(i, j) * coef.At(j, f)
		}
		wi := 1.0
		if w != nil {
			wi = w[i]
		}
		s += c * wi * loss(target(class, f, k)*v)
	}
	return s
}
