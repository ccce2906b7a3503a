package reference_test

import (
	"fmt"
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/labels/gimc"
	"github.com/gramworks/gram/algos/learned/completion"
	"github.com/gramworks/gram/algos/lowrank/rff"
	"github.com/gramworks/gram/kernel"
	"github.com/gramworks/gram/predict"
	"github.com/gramworks/gram/sparse"
	"gonum.org/v1/gonum/mat"
)

// GIMC for sets of labels, [S16] eq. 5.23 with C = 1/λ: min ½‖Y−φ_U(X)W‖² + ½λ‖W‖².
func TestGIMC(t *testing.T) {
	const n, d, gamma = 26, 4, .15
	x := probeNormal(1, n, d)
	for _, c := range []struct {
		name   string
		c      gimc.Config
		labels int
		in     mat.Matrix
	}{
		{"LFF", gimc.Config{M: 4}, 20, x},
		{"LFF, few labels", gimc.Config{M: 5, NoConstant: true}, 2, x},
		{"LNYS", gimc.Config{M: 6, Map: completion.Nystrom}, 20, x},
		{"LNYS, few labels", gimc.Config{M: 6, Map: completion.Nystrom, NoConstant: true}, 2, sparse.FromDense(x)},
	} {
		c.c.Gamma, c.c.Lambda = gamma, gram.Set(.6)
		y := probeTags(5, x, c.labels)
		dense := y.Dense()
		width := 0.0 // of Gaussian features
		features := probeFourier
		if c.c.Map == completion.Nystrom {
			width = gamma
			features = func(x, u *mat.Dense) *mat.Dense { return probeGaussian(x, u, gamma) }
		}
		phi := func(u *mat.Dense) *mat.Dense {
			if c.c.NoConstant {
				return features(x, u)
			}
			return probeOnes(features(x, u))
		}
		u := probeNormal(6, c.c.M, d)
		_, p := phi(u).Dims()
		wt := probeNormal(7, c.labels, p)
		o := fitted[*gimc.Objective](t)(c.c.Objective(c.in, y))
		residual := func() *mat.Dense { // ΦW−Y
			var r mat.Dense
			r.Mul(phi(u), wt.T())
			r.Sub(&r, dense)
			return &r
		}
		value := func() float64 { return probeSquares(residual())/2 + .3*probeSquares(wt) }
		t.Run("(5.23) value, "+c.name, func(t *testing.T) { probe{t}.number("the objective", o.Value(u, wt), value()) })
		du, dw := o.Gradient(u, wt)
		t.Run("(5.23) ∇U by its formula, "+c.name, func(t *testing.T) {
			var e mat.Dense // (ΦW−Y)Wᵀ
			e.Mul(residual(), wt)
			probe{t}.matrix("∇U", du, probePull(x, u, &e, width))
		})
		t.Run("(5.23) ∇U by differences, "+c.name, func(t *testing.T) { probe{t}.gradient("U", u, du, value) })
		t.Run("(5.23) ∇W by its formula, "+c.name, func(t *testing.T) {
			var g, l mat.Dense // ((ΦW−Y)ᵀΦ + λWᵀ
			g.Mul(residual().T(), phi(u))
			l.Scale(.6, wt)
			g.Add(&g, &l)
			probe{t}.matrix("∇W", dw, &g)
		})
		t.Run("W = C(CΦᵀΦ+λI)⁻¹ΦᵀA, "+c.name, func(t *testing.T) {
			want := probeRidge(phi(u), dense, .6)
			best, least := o.Best(u)
			probe{t}.matrix("the best W", best.T(), want)
			probe{t}.number("the least objective", least, o.Value(u, best))
			fixed := c.c
			fixed.Fixed, fixed.Given.Points = true, u
			m := fitted[*gimc.Model](t)(fixed.Fit(t.Context(), c.in, y))
			probe{t}.matrix("W", m.Weights().T(), want)
			probe{t}.matrix("(5.9), (5.11): the features", m.Map(nil, c.in), features(x, u))
			var scores mat.Dense
			scores.Mul(phi(u), want)
			probe{t}.matrix("the scores", m.Scores(nil, c.in), &scores)
			probe{t}.ranked(m.Top(nil, c.in, 3), m.Scores(nil, c.in))
			compiled := fitted[predict.Compiled](t)(predict.Compile(t.Context(), m, predict.Options{}))
			var diff mat.Dense // float32
			diff.Sub(compiled.(interface {
				Scores(dst *mat.Dense, x mat.Matrix) *mat.Dense
			}).Scores(nil, c.in), &scores)
			if v := mat.Norm(&diff, 2) / mat.Norm(&scores, 2); !(v <= 1e-5) {
				t.Errorf("the compiled scores differ by %.3g", v)
			}
		})
		t.Run("the objective never rises, "+c.name, func(t *testing.T) {
			learned := c.c
			learned.Given.Points, learned.Steps, learned.Tol = u, 12, gram.Set(1e-12)
			m := fitted[*gimc.Model](t)(learned.Fit(t.Context(), c.in, y))
			trace := m.Stats().Objective
			probe{t}.falls(trace)
			probe{t}.number("what is made small at the model", o.Value(m.Points(), m.Weights()), trace[len(trace)-1])
			if !(trace[len(trace)-1] < .999*trace[0]) {
				t.Errorf("learning takes the objective from %v to %v", trace[0], trace[len(trace)-1])
			}
		})
	}
	t.Run("(5.23) with Fastfood's frequencies", func(t *testing.T) {
		y := probeTags(5, x, 7)
		fast := fitted[*rff.Model](t)(rff.Config{Kernel: kernel.Gaussian{Gamma: gamma}, M: 6, Frequencies: rff.Fastfood}.Fit(t.Context(), x))
		c := gimc.Config{Lambda: gram.Set(.6), Fixed: true, NoConstant: true, Given: gimc.Given{Frequencies: fast}}
		m := fitted[*gimc.Model](t)(c.Fit(t.Context(), x, y))
		probe{t}.matrix("W", m.Weights().T(), probeRidge(fast.Map(nil, x), y.Dense(), .6))
	})
}

// On real data the objective never rises.
func TestGIMCOnData(t *testing.T) {
	d := probeData(t, "emotions")
	for _, kind := range []completion.Kind{completion.Fourier, completion.Nystrom} {
		t.Run(fmt.Sprint(kind), func(t *testing.T) {
			m := fitted[*gimc.Model](t)(gimc.Config{M: 20, Map: kind, Steps: 8, Tol: gram.Set(1e-12)}.Fit(t.Context(), d.X, d.Tags))
			probe{t}.falls(m.Stats().Objective)
		})
	}
}
