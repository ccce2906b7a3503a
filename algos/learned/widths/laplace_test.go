package widths

import (
	"context"
	"errors"
	"fmt"
	"math"
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/internal/looktest"
	"github.com/gramworks/gram/kernel"
	"gonum.org/v1/gonum/mat"
)

// classes returns the signs of the targets of wavy about their middle.
func classes(seed uint64, n, d, t int) (*mat.Dense, *mat.Dense) {
	x, y := wavy(seed, n, d, t)
	y.Apply(func(_, _ int, v float64) float64 { return math.Copysign(1, v-5) }, y)
	return x, y
}

// approximated computes the criterion Laplace by its definition with inverses: the mode by fixed-point steps of Newton's method, and
// −½·fᵀC⁻¹f + Σ w·ln σ(yf) − ½·ln|C·(C⁻¹+W)|.
func (p *problem) approximated(t *testing.T, at []float64) float64 {
	n, outputs := p.y.Dims()
	c := p.dense(at)
	lambda := leastLambda + math.Exp(at[0])
	for i := range n {
		c.Set(i, i, c.At(i, i)-lambda*p.noise(i))
	}
	c.Scale(1/lambda, c)
	var sum float64
	for k := range outputs {
		f := mat.NewVecDense(n, nil)
		b, weight := mat.NewDense(n, n, nil), make([]float64, n)
		for range 30 {
			right := mat.NewVecDense(n, nil)
			for i := range n {
				q := 1 / (1 + math.Exp(-f.AtVec(i)))
				weight[i] = q * (1 - q) / p.noise(i)
				right.SetVec(i, weight[i]*f.AtVec(i)+((p.y.At(i, k)+1)/2-q)/p.noise(i))
				for j := range n {
					b.Set(i, j, weight[i]*c.At(i, j)) // I + WC
				}
				b.Set(i, i, b.At(i, i)+1)
			}
			var alpha mat.VecDense
			if err := alpha.SolveVec(b, right); err != nil {
				t.Fatal(err)
			}
			f.MulVec(c, &alpha)
			sumOf := -.5 * mat.Dot(&alpha, f)
			for i := range n {
				sumOf -= math.Log1p(math.Exp(-p.y.At(i, k)*f.AtVec(i))) / p.noise(i)
			}
			weight[0] = sumOf
		}
		determinant, _ := mat.LogDet(b)
		sum += weight[0] - .5*determinant
	}
	return sum
}

// Laplace's criterion has the value of its definition and the gradient of central differences, for several outputs and weights.
func TestLaplace(t *testing.T) {
	x, y := classes(3, 150, 3, 2)
	w := make([]float64, 150)
	for i := range w {
		w[i] = .5 + float64(i%4)
	}
	for _, k := range []kernel.Kernel{kernels[0], kernels[2], sum} {
		for _, weights := range [][]float64{nil, w} {
			p, err := Config{Kernel: k, Criterion: Laplace, Rows: 1000}.problem(gram.Of(x), y, weights)
			if err != nil {
				t.Fatal(err)
			}
			at := []float64{math.Log(.2), .3, -.4, -1.2}
			v, grad, err := p.value(t.Context(), at, true)
			if err != nil {
				t.Fatal(err)
			}
			name := fmt.Sprint(k, weights != nil)
			if want := p.approximated(t, at); !(math.Abs(v-want) <= 1e-7*math.Abs(want)) {
				t.Errorf("%s: %v, want %v", name, v, want)
			}
			if only, _, err := p.value(t.Context(), at, false); err != nil || only != v {
				t.Errorf("%s: %v without the gradient, want %v (%v)", name, only, v, err)
			}
			for i := range at {
				const h = 1e-4
				var side [2]float64
				for s, sign := range []float64{1, -1} {
					moved := append([]float64(nil), at...)
					moved[i] += sign * h
					if side[s], _, err = p.value(t.Context(), moved, false); err != nil {
						t.Fatal(err)
					}
				}
				if want := (side[0] - side[1]) / (2 * h); !(math.Abs(grad[i]-want) <= 1e-5*(1+math.Abs(want))) {
					t.Errorf("%s: derivative %d is %v, want %v", name, i, grad[i], want)
				}
			}
		}
	}
}

// Columns that say nothing about the classes get wide widths.
func TestLaplaceRelevance(t *testing.T) {
	x, y := classes(7, 200, 4, 1)
	got, err := Config{Kernel: kernel.Gaussian{Gamma: 1}, Criterion: Laplace}.Learn(t.Context(), x, y, nil)
	if err != nil {
		t.Fatal(err)
	}
	if s := got.Kernel.Scale(); !(max(s[2], s[3]) < .3*min(s[0], s[1])) {
		t.Errorf("factors %v", s)
	}
	for i := 1; i < len(got.Stats.Criterion); i++ {
		if !(got.Stats.Criterion[i] >= got.Stats.Criterion[i-1]) {
			t.Errorf("criterion %v after %v", got.Stats.Criterion[i], got.Stats.Criterion[i-1])
		}
	}
	wrong := mat.DenseCopyOf(y)
	wrong.Set(5, 0, .5)
	var de *gram.DataError
	if _, err := (Config{Kernel: kernel.Gaussian{Gamma: 1}, Criterion: Laplace}).Learn(t.Context(), x, wrong, nil); !errors.As(err, &de) || de.Row != 5 {
		t.Errorf("a target of ½: %v", err)
	}
	few, signs := classes(7, 40, 2, 1)
	looktest.Every(t, func(ctx context.Context) (any, error) {
		got, err := Config{Kernel: kernels[0], Criterion: Laplace, MaxIter: gram.Set(1)}.Learn(ctx, few, signs, nil)
		if err != nil {
			return nil, err
		}
		return got.Kernel.Scale(), nil
	})
}
