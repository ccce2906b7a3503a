package krr

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/solve"
	"github.com/gramworks/gram/internal/must"
	"github.com/gramworks/gram/kernel"
	"gonum.org/v1/gonum/mat"
)

// The chosen λ is that of the definition, does not depend on the convention of the penalty or
// on the unit of the targets, and carries over from a sample of the rows to all of them.
func TestChooseLambda(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	problem := func(n int, noise float64) (x, y *mat.Dense) {
		x, y = mat.NewDense(n, 2, nil), mat.NewDense(n, 1, nil)
		for i := range n {
			a, b := r.NormFloat64(), r.NormFloat64()
			x.SetRow(i, []float64{a, b})
			y.Set(i, 0, math.Sin(2*a)+b+noise*r.NormFloat64())
		}
		return x, y
	}
	choose := func(c Config, x, y *mat.Dense) float64 {
		t.Helper()
		c.Kernel = kernel.Gaussian{Gamma: .5}
		lambda := must.Have(c.ChooseLambda(t.Context(), x, y, nil))(t)
		return lambda
	}
	x, y := problem(150, .5)
	chosen := choose(Config{}, x, y)
	path := must.Have(Config{Kernel: kernel.Gaussian{Gamma: .5}}.Path(t.Context(), x, y, nil))(t)
	for k := range 41 {
		lambda := math.Pow(10, -8+float64(k)/4)
		s := path.Scores([]float64{chosen, lambda})
		if !(s[0].LeaveOneOut <= (1+slack)*s[1].LeaveOneOut) || lambda > chosen*1.01 && s[1].LeaveOneOut <= s[0].LeaveOneOut {
			t.Errorf("λ = %.3g with the error %v, %.3g has %v", chosen, s[0].LeaveOneOut, lambda, s[1].LeaveOneOut)
		}
	}
	if got := choose(Config{Penalty: solve.PerRow}, x, y); !(math.Abs(got*150/chosen-1) <= 1e-12) {
		t.Errorf("per row it is %v, want %v", got, chosen/150)
	}
	large := mat.NewDense(150, 1, nil)
	large.Scale(1e5, y)
	if got := choose(Config{}, x, large); got != chosen {
		t.Errorf("for targets of another unit it is %v, want %v", got, chosen)
	}
	x, y = problem(3*maxJudged, .5)
	if got := choose(Config{}, x, y); !(got >= chosen/10 && got <= 10*chosen) {
		t.Errorf("of %d rows it is %v, of 150 it is %v", 3*maxJudged, got, chosen)
	}
	noisyX, noisyY := problem(150, 5)
	if got := choose(Config{}, noisyX, noisyY); !(got > chosen) {
		t.Errorf("with ten times the noise it is %v, not above %v", got, chosen)
	}
	same := mat.NewDense(20, 2, nil)
	if got := choose(Config{}, same, mat.NewDense(20, 1, nil)); !(got > 0) {
		t.Errorf("for constant rows it is %v", got)
	}
	// With weights the errors are those of the weighted rows, and the mean eigenvalue of this kernel is the mean of the weights.
	x, y = problem(60, .5)
	w, total := make([]float64, 60), 0.
	for i := range w {
		w[i] = float64(1+i%4) / 2
		total += w[i]
	}
	for _, p := range []solve.Penalty{solve.Total, solve.PerRow} {
		c := Config{Kernel: kernel.Gaussian{Gamma: .5}, Penalty: p}
		var lambda []float64
		for k := range 41 {
			lambda = append(lambda, total/60*math.Pow(10, -8+float64(k)/4)/p.Scale(1, total))
		}
		want, least := 0., math.Inf(1)
		scores := must.Have(c.Path(t.Context(), x, y, w))(t).Scores(lambda)
		for _, s := range scores {
			least = min(least, s.LeaveOneOut)
		}
		for _, s := range scores {
			if s.LeaveOneOut <= (1+slack)*least {
				want = s.Lambda
			}
		}
		if got := must.Have(c.ChooseLambda(t.Context(), x, y, w))(t); !(math.Abs(got/want-1) <= 1e-12) {
			t.Errorf("%v, with weights: λ = %v, want %v", p, got, want)
		}
	}
	// Rows that hardly count do not matter in a sample, either.
	x, y = problem(maxJudged+100, .1)
	w = make([]float64, maxJudged+100)
	for i := range w {
		if w[i] = 1; i%2 == 1 {
			w[i] = 1e-9
			y.Set(i, 0, 100*r.NormFloat64())
		}
	}
	c := Config{Kernel: kernel.Gaussian{Gamma: .5}}
	if got := must.Have(c.ChooseLambda(t.Context(), x, y, w))(t); !(got < 1) { // the mean eigenvalue is 1/2
		t.Errorf("λ = %v of rows with large noise that do not count", got)
	}
	// Errors name the rows of the data.
	w[7] = 0
	y.Set(9, 0, math.NaN())
	var de *gram.DataError
	if _, err := c.ChooseLambda(t.Context(), x, y, w); !errors.As(err, &de) || de.Row != 9 {
		t.Errorf("a target that is NaN: %v", err)
	}
	if _, err := c.ChooseLambda(t.Context(), x, y, nil); !errors.As(err, &de) || de.Row != 9 {
		t.Errorf("a target that is NaN: %v", err)
	}
	y.Set(9, 0, 1)
	w[7], w[8] = 1, -1
	if _, err := c.ChooseLambda(t.Context(), x, y, w); !errors.As(err, &de) || de.Row != 8 {
		t.Errorf("a weight of −1: %v", err)
	}
	for _, n := range []int{0, 3} {
		if _, err := c.ChooseLambda(t.Context(), x.Slice(0, max(n, 1), 0, 2), y.Slice(0, 3, 0, 1).(*mat.Dense), make([]float64, n)); err == nil {
			t.Errorf("%d weights of 0", n)
		}
	}
	var ce *gram.ConfigError
	if _, err := c.ChooseLambda(t.Context(), &mat.Dense{}, &mat.Dense{}, nil); !errors.As(err, &ce) {
		t.Errorf("no rows: %v", err)
	}
	if _, err := c.ChooseLambda(t.Context(), x, mat.NewDense(3, 1, nil), nil); err == nil {
		t.Error("targets of other rows")
	}
}
