package reference_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/learned/goal"
	"github.com/gramworks/gram/algos/lowrank/landmark"
	"github.com/gramworks/gram/algos/multiclass"
	"github.com/gramworks/gram/kernel"
	"github.com/gramworks/gram/sparse"
	"gonum.org/v1/gonum/mat"
)

// goalLoss is a loss of score f for the target y, and its derivative by f.
func goalLoss(l goal.Loss, f, y float64) (v, slope float64) {
	switch l {
	case goal.SquaredHinge:
		h := max(0, 1-y*f)
		return h * h, -2 * y * h
	case goal.Logistic:
		return math.Log1p(math.Exp(-y * f)), -y / (1 + math.Exp(y*f))
	}
	return (y - f) * (y - f), 2 * (f - y)
}

// Goal-NYS and Goal-RFF, [S16] eq. 5.8: the objective, its gradients, and W for given points.
func TestGoal(t *testing.T) {
	const n, d, m, gamma = 40, 3, 4, .2
	x := probeNormal(1, n, d)
	signal := probeNormal(2, n, 1)
	labels := gram.Labels{Class: make([]int, n), Names: []string{"a", "b", "c"}}
	values, weights := make([]float64, n), make([]float64, n)
	for i := range n {
		values[i] = math.Sin(x.At(i, 0)) + x.At(i, 1)*x.At(i, 2) + .1*signal.At(i, 0)
		labels.Class[i] = max(0, min(2, int(math.Floor(values[i]+1.5))))
		weights[i] = .5 + float64(i%3)
	}
	two := gram.Labels{Class: make([]int, n), Names: labels.Names[:2]}
	for i, c := range labels.Class {
		two.Class[i] = min(c, 1)
	}
	for _, c := range []struct {
		loss    goal.Loss
		points  goal.Features
		y       *gram.Labels // nil: values
		w       []float64
		noBias  bool
		in      mat.Matrix
		c, ours float64 // C, or λ of the squared loss
	}{
		{loss: goal.SquaredHinge, y: &two, c: 1.0 / (.05 * n)}, // (5.8) with C = 1/(λN)
		{loss: goal.SquaredHinge, y: &labels, w: weights, noBias: true, c: 2, in: sparse.FromDense(x)},
		{loss: goal.SquaredHinge, points: goal.Fourier, y: &two, noBias: true, c: .7},
		{loss: goal.SquaredHinge, points: goal.Fourier, y: &labels, c: 3, w: weights},
		{loss: goal.Logistic, y: &two, c: 1.5},
		{loss: goal.Logistic, points: goal.Fourier, y: &labels, c: 1, w: weights},
		{loss: goal.Squared, c: .3},
		{loss: goal.Squared, points: goal.Fourier, c: .1, w: weights},
		{loss: goal.Squared, points: goal.Fourier, y: &labels, c: .2, noBias: true},
	} {
		if c.in == nil {
			c.in = x
		}
		width, features := gamma, func(u *mat.Dense) *mat.Dense { return probeGaussian(x, u, gamma) }
		if c.points == goal.Fourier {
			width, features = 0, func(u *mat.Dense) *mat.Dense { return probeFourier(x, u) }
		}
		targets := mat.NewDense(n, 1, append([]float64(nil), values...))
		if c.y != nil {
			k := multiclass.Functions(len(c.y.Names))
			targets = mat.NewDense(n, k, nil)
			targets.Apply(func(i, o int, _ float64) float64 {
				if k == 1 && c.y.Class[i] == 1 || k > 1 && c.y.Class[i] == o {
					return 1
				}
				return -1
			}, targets)
		}
		_, k := targets.Dims()
		cost := func(i int) float64 {
			v := c.c
			if c.loss == goal.Squared {
				v = 1
			}
			if c.w != nil {
				v *= c.w[i]
			}
			return v
		}
		config := goal.Config{Kernel: kernel.Gaussian{Gamma: gamma}, Features: c.points, M: m, Loss: c.loss, C: c.c, Lambda: gram.Set(c.c), NoBias: c.noBias, Holdout: gram.Set(0.)}
		objective := config.Objective
		var o *goal.Objective
		if c.y == nil {
			o = fitted[*goal.Objective](t)(config.ObjectiveValues(c.in, values, c.w))
		} else {
			o = fitted[*goal.Objective](t)(objective(c.in, *c.y, c.w))
		}
		u := probeNormal(6, m, d)
		_, p := features(u).Dims()
		w, bias := probeNormal(7, p, k), probeNormal(8, 1, k)
		ridge, constant := .5, .5 // of ‖W‖² and b²
		if c.loss == goal.Squared {
			ridge, constant = c.c, 0
		}
		var b []float64
		if !c.noBias {
			b = bias.RawRowView(0)
		} else {
			bias.Zero()
		}
		// state returns F and ∂F/∂f.
		state := func() (v float64, r *mat.Dense) {
			var f mat.Dense
			f.Mul(features(u), w)
			r = mat.NewDense(n, k, nil)
			for i := range n {
				for o := range k {
					loss, slope := goalLoss(c.loss, f.At(i, o)+bias.At(0, o), targets.At(i, o))
					v += cost(i) * loss
					r.Set(i, o, cost(i)*slope)
				}
			}
			return v + ridge*probeSquares(w) + constant*probeSquares(bias), r
		}
		value := func() float64 { v, _ := state(); return v }
		name := fmt.Sprintf("%s, %s, %d functions, weights %t, constant %t", c.points, c.loss, k, c.w != nil, !c.noBias)
		t.Run("(5.8) value, "+name, func(t *testing.T) { probe{t}.number("the objective", o.Value(u, w, b), value()) })
		du, dw, db := o.Gradient(u, w, b)
		_, r := state()
		t.Run("(5.8) ∇u_i by its formula, "+name, func(t *testing.T) {
			var e mat.Dense
			e.Mul(r, w.T())
			probe{t}.matrix("∇U", du, probePull(x, u, &e, width))
		})
		t.Run("(5.8) ∇u_i by differences, "+name, func(t *testing.T) { probe{t}.gradient("U", u, du, value) })
		t.Run("(5.8) ∇w, ∇b, "+name, func(t *testing.T) {
			probe{t}.gradient("W", w, dw, value)
			var g, own mat.Dense
			g.Mul(features(u).T(), r)
			own.Scale(2*ridge, w)
			g.Add(&g, &own)
			probe{t}.matrix("∇W", dw, &g)
			if !c.noBias {
				probe{t}.gradient("b", bias, mat.NewDense(1, k, db), value)
			}
		})
		t.Run("(5.8) w for given points, and learning them, "+name, func(t *testing.T) {
			for turns := range 2 {
				config.Given.Points, config.MaxIter, config.Tol = u, gram.Set(3*turns), gram.Set(1e-12)
				var model interface {
					Points() *mat.Dense
					Weights() (*mat.Dense, []float64)
					Stats() goal.Stats
				}
				if c.y == nil {
					model = fitted[*goal.Regressor](t)(config.FitValues(t.Context(), c.in, values, c.w))
				} else {
					model = fitted[*goal.Classifier](t)(config.Fit(t.Context(), c.in, *c.y, c.w))
				}
				w, b := model.Weights()
				if c.noBias {
					b = nil
				}
				if turns > 0 {
					probe{t}.falls(model.Stats().Objective)
				} else {
					probe{t}.matrix("the points", model.Points(), u)
				}
				final := model.Stats().Final
				probe{t}.number("what is made small at the model", o.Value(model.Points(), w, b), final)
				if c.loss == goal.Squared && turns == 0 {
					a := features(u)
					if !c.noBias {
						a = probeOnes(a)
					}
					probe{t}.matrix("W of ridge regression", w, goalRidge(a, targets, c.c, c.w, p))
				}
				// No other coefficients are better: F is convex in them, with a gradient of ~0.
				_, dw, _ := o.Gradient(model.Points(), w, b)
				if v := probeSquares(dw) / (2 * ridge); !(v <= 1e-8*final) { // bounds F − min F
					t.Errorf("the objective is up to %.3g above the least, of %.3g", v, final)
				}
			}
		})
	}
}

// goalRidge is W of min λ‖W‖²+Σ c_i‖y_i−f_i‖² for features a; columns from p on have no penalty.
func goalRidge(a, y *mat.Dense, lambda float64, weights []float64, p int) *mat.Dense {
	n, q := a.Dims()
	_, k := y.Dims()
	scaled, z := mat.DenseCopyOf(a), mat.DenseCopyOf(y)
	if weights != nil {
		for i := range n {
			root := math.Sqrt(weights[i])
			for j := range q {
				scaled.Set(i, j, root*a.At(i, j))
			}
			for j := range k {
				z.Set(i, j, root*y.At(i, j))
			}
		}
	}
	var g, r, w mat.Dense
	g.Mul(scaled.T(), scaled)
	for j := range p {
		g.Set(j, j, g.At(j, j)+lambda)
	}
	r.Mul(scaled.T(), z)
	if err := w.Solve(&g, &r); err != nil {
		panic(err)
	}
	return mat.DenseCopyOf(w.Slice(0, p, 0, k))
}

// On real data the objective never rises.
func TestGoalOnData(t *testing.T) {
	d := probeData(t, "emotions")
	n, _ := d.Dims()
	y := gram.Labels{Class: make([]int, n), Names: []string{"no", "yes"}}
	for i := range n {
		y.Class[i] = int(d.Tags.At(i, 0))
	}
	for _, loss := range []goal.Loss{goal.SquaredHinge, goal.Logistic, goal.Squared} {
		t.Run(loss.String(), func(t *testing.T) {
			c := goal.Config{Kernel: kernel.Gaussian{Gamma: .1}, M: 8, Landmarks: landmark.Uniform{}, Loss: loss, MaxIter: gram.Set(3), Steps: 2, Holdout: gram.Set(0.)}
			m := fitted[*goal.Classifier](t)(c.Fit(t.Context(), d.X, y, nil))
			probe{t}.falls(m.Stats().Objective)
		})
	}
}
