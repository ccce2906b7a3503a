package rfm

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"os"
	"slices"
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/algotest"
	"github.com/gramworks/gram/algos/krr"
	"github.com/gramworks/gram/internal/must"
	"github.com/gramworks/gram/num/rng"
	"gonum.org/v1/gonum/mat"
)

func matrixOf(rows [][]float64) *mat.Dense {
	m := mat.NewDense(len(rows), len(rows[0]), nil)
	for i, r := range rows {
		m.SetRow(i, r)
	}
	return m
}

// apart returns the largest difference of two matrices in units of the largest entry of b.
func apart(a, b mat.Matrix) float64 {
	var d mat.Dense
	d.Sub(a, b)
	return mat.Max(absolute(&d)) / mat.Max(absolute(b))
}

func absolute(a mat.Matrix) *mat.Dense {
	var d mat.Dense
	d.Apply(func(_, _ int, v float64) float64 { return math.Abs(v) }, a)
	return &d
}

func full(m matrix) mat.Matrix {
	if m.full != nil {
		return m.full
	}
	return mat.NewDiagDense(len(m.diagonal), m.diagonal)
}

// The rounds are those of an independent program: width, coefficients, metric, loss and
// predictions.
func TestOracle(t *testing.T) {
	data := must.Have(os.ReadFile("testdata/oracle.json"))(t)
	var o struct {
		X     [][]float64
		Cases []struct {
			Manhattan, Full, Adaptive bool
			Targets                   [][]float64
			Rounds                    []struct {
				Bandwidth, Loss float64
				M, Alpha        [][]float64
				Predictions     [][]float64
			}
			Chosen int
		}
	}
	must.Do(t, json.Unmarshal(data, &o))
	for number, want := range o.Cases {
		c := Config{Metric: Full, Absolute: !want.Adaptive, Length: gram.Set(2.), Lambda: gram.Set(1e-3), Rounds: gram.Set(3)}
		if want.Manhattan {
			c.Metric = Manhattan
		} else if !want.Full {
			c.Metric = Diagonal
		}
		p := &part{x: matrixOf(o.X[:40]), y: matrixOf(want.Targets[:40]), held: matrixOf(o.X[40:]), want: matrixOf(want.Targets[40:]), meter: gram.Run{}.Meter()}
		at, _ := c.start(t.Context(), c.Metric, 4, nil)
		for k, r := range want.Rounds {
			f := must.Have(p.fit(t.Context(), at, 2, want.Adaptive, 1e-3))(t)
			if !(math.Abs(f.length-r.Bandwidth) <= 1e-12*r.Bandwidth) || !(math.Abs(f.loss-r.Loss) <= 1e-9*r.Loss) || !(apart(f.alpha, matrixOf(r.Alpha)) <= 1e-8) {
				t.Errorf("case %d, round %d: width %v, %v; loss %v, %v; coefficients apart by %v", number, k, f.length, r.Bandwidth, f.loss, r.Loss, apart(f.alpha, matrixOf(r.Alpha)))
			}
			values := c.model(p, f, &trial{metric: c.Metric, length: 2, lambda: 1e-3}, Stats{}).PredictAll(nil, p.held)
			if e := apart(values, matrixOf(r.Predictions)); !(e <= 1e-9) {
				t.Errorf("case %d, round %d: predictions apart by %v", number, k, e)
			}
			if k+1 == len(want.Rounds) {
				break
			}
			m := must.Have(p.agop(t.Context(), f, c.Metric == Full))(t)
			if e := apart(full(m), matrixOf(want.Rounds[k+1].M)); !(e <= 1e-9) {
				t.Errorf("case %d, round %d: metrics apart by %v", number, k, e)
			}
			at, _ = newMapping(t.Context(), c.Metric, m)
		}
		// The whole fit: the same rows are held out, and the round of least loss is chosen.
		for i := 40; i < 60; i++ {
			c.Given.Held = append(c.Given.Held, i)
		}
		m := must.Have(c.FitAll(t.Context(), matrixOf(o.X), matrixOf(want.Targets), nil))(t)
		// A run that got worse may end before the reference's.
		if s := m.Stats(); s.Chosen != want.Chosen && len(s.Rounds) > want.Chosen || s.Held != 20 || s.Rows != 60 {
			t.Errorf("case %d: %+v, round %d is the reference's", number, s, want.Chosen)
		}
	}
}

func problem(n, d int, seed uint64) (*mat.Dense, *mat.Dense) {
	r := rng.New(seed, 1)
	x, y := mat.NewDense(n, d, nil), mat.NewDense(n, 2, nil)
	for i := range n {
		for k := range d {
			x.Set(i, k, math.Round(16*r.NormFloat64())/16) // with equal entries
		}
		y.Set(i, 0, math.Sin(2*x.At(i, 0)+x.At(i, 1)))
		y.Set(i, 1, math.Cos(x.At(i, 2))+.1*r.NormFloat64())
	}
	for i := 1; i < 5; i++ { // equal rows
		x.SetRow(n-i, x.RawRowView(i))
	}
	return x, y
}

// The gradient is that of differences of the function without the row itself, also where
// rows are equal.
func TestGradient(t *testing.T) {
	x, y := problem(150, 4, 3)
	for _, metric := range []Metric{Full, Diagonal, Manhattan} {
		p := &part{x: x, y: y, meter: gram.Run{}.Meter()}
		m := matrix{full: mat.NewSymDense(4, []float64{1, .3, 0, 0, .3, .8, .1, 0, 0, .1, .5, 0, 0, 0, 0, .2})}
		at, _ := newMapping(t.Context(), metric, m)
		f := must.Have(p.fit(t.Context(), at, 2, false, 1e-3))(t)
		// The products of the gradients by their definition, by differences of the function.
		k := kernelOf(metric, f.length)
		want := mat.NewDense(4, 4, nil)
		for j := range 150 {
			g := mat.NewDense(4, 2, nil)
			own := f.a.RawRowView(j)
			for c := range 4 {
				const h = 1e-6
				if metric == Manhattan {
					break
				}
				step := mat.NewDense(2, 4, nil)
				step.SetRow(0, x.RawRowView(j))
				step.SetRow(1, x.RawRowView(j))
				step.Set(0, c, step.At(0, c)+h)
				step.Set(1, c, step.At(1, c)-h)
				z := at.rows(step)
				for i := range 150 {
					if kernelOf(metric, 1).Eval(own, f.a.RawRowView(i)) == 1 {
						continue
					}
					e := k.Eval(z.RawRowView(0), f.a.RawRowView(i)) - k.Eval(z.RawRowView(1), f.a.RawRowView(i))
					for l := range 2 {
						g.Set(c, l, g.At(c, l)+e*f.alpha.At(i, l)/(2*h))
					}
				}
			}
			if metric == Manhattan { // one-sided differences do not exist at equal entries: the definition
				for i := range 150 {
					for c := range 4 {
						v := own[c] - f.a.At(i, c)
						sign := 0.0
						if v != 0 {
							sign = math.Copysign(1, v)
						}
						for l := range 2 {
							g.Set(c, l, g.At(c, l)-at.scale[c]*k.Eval(own, f.a.RawRowView(i))/f.length*sign*f.alpha.At(i, l))
						}
					}
				}
			}
			var outer mat.Dense
			outer.Mul(g, g.T())
			want.Add(want, &outer)
		}
		top := 0.0
		for c := range 4 {
			top = max(top, want.At(c, c))
		}
		want.Scale(1/top, want)
		got := must.Have(p.agop(t.Context(), f, metric == Full))(t)
		for c := range 4 {
			for l := range 4 {
				if metric != Full && c != l {
					continue
				}
				if v := full(got).At(c, l); !(math.Abs(v-want.At(c, l)) <= 1e-7) {
					t.Errorf("%v: entry %d, %d is %v, by the definition %v", metric, c, l, v, want.At(c, l))
				}
			}
		}
	}
}

// Without rounds the model is kernel ridge regression, and with a given metric that on
// mapped rows.
func TestNoRounds(t *testing.T) {
	x, y := problem(120, 4, 4)
	for _, metric := range []Metric{Full, Manhattan} {
		c := Config{Metric: metric, Length: gram.Set(3.), Absolute: true, Lambda: gram.Set(.1), Rounds: gram.Set(0), Holdout: gram.Set(0.)}
		for _, given := range []bool{false, true} {
			z := mat.DenseCopyOf(x)
			if given {
				c.Given.Metric = mat.NewSymDense(4, []float64{4, 0, 0, 0, 0, 1, 0, 0, 0, 0, .25, 0, 0, 0, 0, 1})
				for i := range 120 {
					z.Set(i, 0, 2*z.At(i, 0))
					z.Set(i, 2, z.At(i, 2)/2)
				}
			}
			m := must.Have(c.FitAll(t.Context(), x, y, nil))(t)
			centered, mean := mat.DenseCopyOf(y), [2]float64{}
			for l := range 2 {
				mean[l] = mat.Sum(y.ColView(l)) / 120
				for i := range 120 {
					centered.Set(i, l, y.At(i, l)-mean[l])
				}
			}
			plain := must.Have(krr.Config{Kernel: kernelOf(metric, 3), Lambda: gram.Set(.1), NoBias: true}.FitAll(t.Context(), z, centered, nil))(t)
			want := plain.PredictAll(nil, z)
			for i := range 120 {
				for l := range 2 {
					want.Set(i, l, want.At(i, l)+mean[l])
				}
			}
			if e := apart(m.PredictAll(nil, x), want); !(e <= 1e-11) {
				t.Errorf("%v, given %v: %v apart", metric, given, e)
			}
		}
	}
}

// The metric of a function of one column is that column's, its largest entry is 1 and it is
// positive semidefinite; blocks of columns have nothing in common.
func TestMetric(t *testing.T) {
	r := rng.New(9, 9)
	x, y := mat.NewDense(300, 5, nil), make([]float64, 300)
	for i := range y {
		for k := range 5 {
			x.Set(i, k, r.NormFloat64())
		}
		y[i] = math.Sin(2 * x.At(i, 3))
	}
	c := Config{Metric: Full, Holdout: gram.Set(0.)}
	m := must.Have(c.Fit(t.Context(), x, y, nil))(t)
	got := m.Metric()
	var product, z mat.Dense
	if product.Mul(m.Map(), m.Map().T()); !(apart(&product, got) <= 1e-12) {
		t.Errorf("the map makes %v", mat.Formatted(&product))
	}
	if z.Mul(x, m.Map()); !(apart(mat.NewVecDense(300, m.Machine().Predict(nil, &z)), mat.NewVecDense(300, m.Predict(nil, x))) <= 1e-9) {
		t.Error("the machine on mapped rows is another function")
	}
	var values mat.EigenSym
	values.Factorize(got, false)
	if low := values.Values(nil)[0]; !(low >= -1e-12) || !(math.Abs(got.At(3, 3)-1) <= 1e-12) || !(m.Importance()[3] > .9) {
		t.Errorf("eigenvalue %v, metric %v", low, mat.Formatted(got))
	}
	for k := range 5 {
		for l := range 5 {
			if want := map[bool]float64{true: 1}[k == 3 && l == 3]; !(math.Abs(got.At(k, l)-want) <= .05) {
				t.Errorf("entry %d, %d is %v", k, l, got.At(k, l))
			}
		}
	}
	for i := range y {
		y[i] = math.Sin(x.At(i, 0)+x.At(i, 3)) + math.Cos(x.At(i, 1)+x.At(i, 2)-x.At(i, 4))
	}
	c.Given.Groups, c.Rounds = [][]int{{0, 3}, {1}}, gram.Set(1)
	m = must.Have(c.Fit(t.Context(), x, y, nil))(t)
	got = m.Metric()
	if got.At(0, 3) == 0 || math.Abs(got.At(3, 1))+math.Abs(got.At(2, 3))+math.Abs(got.At(1, 2)) > 1e-12 || got.At(2, 4) == 0 {
		t.Errorf("groups {0, 3}, {1}: %v", mat.Formatted(got))
	}
}

// With a relative width and all entries of the metric, predictions do not depend on the
// axes; with an absolute width they do.
func TestRotation(t *testing.T) {
	x, y := problem(100, 3, 6)
	var qr mat.QR
	qr.Factorize(mat.NewDense(3, 3, []float64{1, 2, 3, -1, .5, .7, .2, 2, -2}))
	var q, z mat.Dense
	qr.QTo(&q)
	z.Mul(x, &q)
	for _, absolute := range []bool{false, true} {
		c := Config{Metric: Full, Length: gram.Set(2.), Absolute: absolute, Holdout: gram.Set(0.), Rounds: gram.Set(3)}
		a := must.Have(c.FitAll(t.Context(), x, y, nil))(t)
		b := must.Have(c.FitAll(t.Context(), &z, y, nil))(t)
		if e := apart(a.PredictAll(nil, x), b.PredictAll(nil, &z)); !(e <= 1e-7) != absolute {
			t.Errorf("absolute %v: %v apart", absolute, e)
		}
	}
}

// A choice leaves its trace in the settings, which another fit takes, and ends when it is told
// to at any look at the context.
func TestChoice(t *testing.T) {
	x, y := problem(90, 4, 8)
	m := must.Have(Config{}.FitAll(t.Context(), x, y, nil))(t)
	c, s := m.Config(), m.Stats()
	if c.Metric == Auto || !c.Length.Given() || !c.Lambda.Given() || s.Tried < 20 || s.Tried > 90 || s.Held != 18 || s.Chosen >= len(s.Rounds) {
		t.Errorf("%+v, %+v", c, s)
	}
	for _, r := range s.Rounds {
		if !(r.Loss >= s.Rounds[s.Chosen].Loss) || !(r.Length > 0) || len(r.Top) != 4 {
			t.Errorf("round %+v of %+v", r, s)
		}
	}
	again := must.Have(c.FitAll(t.Context(), x, y, nil))(t)
	if !mat.Equal(again.PredictAll(nil, x), m.PredictAll(nil, x)) {
		t.Error("the chosen settings give another model")
	}
	for _, bad := range []Config{{Given: Given{Held: []int{90}}}, {Given: Given{Groups: [][]int{{4}}}}, {Given: Given{Groups: [][]int{{1}, {1}}}}, {Given: Given{Metric: mat.NewSymDense(3, nil)}}, {Absolute: true}} {
		_, err := bad.FitAll(t.Context(), x, y, nil)
		var ce *gram.ConfigError
		if !errors.As(err, &ce) {
			t.Errorf("%+v: %v", bad.Given, err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := (Config{}).FitAll(ctx, x, y, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

func TestSettings(t *testing.T) {
	d := algotest.Problem(5, 40, 3, 3)
	algotest.Refused(t, Config{Metric: Diagonal, Rounds: gram.Set(1)}, nil, func(c Config) error {
		_, err := c.Fit(t.Context(), d.X, d.Value, nil)
		return err
	})
}

func TestDescribed(t *testing.T) { algotest.Described(t, &Config{}) }

// A walk ends where no neighbor is clearly better, with the fit of that point, and what is given stays.
func TestWalk(t *testing.T) {
	x, y := problem(80, 4, 5)
	p := &part{x: x, y: y, held: matrixOf([][]float64{{.3, .2, 1, 0}, {-1, .6, .1, .4}, {1, 1, 0, -1}}), want: matrixOf([][]float64{{.1, .6}, {-.9, 1}, {.4, .8}}), meter: gram.Run{}.Meter()}
	for _, c := range []Config{{}, {Length: gram.Set(3.)}, {Lambda: gram.Set(.2)}} {
		for _, m := range []Metric{Diagonal, Manhattan} {
			at, _ := c.start(t.Context(), m, 4, nil)
			f, where, tried, err := c.climb(t.Context(), p, at, point{firstLength, firstProduct})
			if err != nil {
				t.Fatal(err)
			}
			loss := func(to point) float64 {
				length, lambda := c.at(to)
				g := must.Have(p.fit(t.Context(), at, length, true, lambda))(t)
				return g.loss
			}
			if own := loss(where); own != f.loss || !(own <= loss(point{firstLength, firstProduct})) || tried < 3 {
				t.Errorf("%v: loss %v after %d, and %v alone", m, f.loss, tried, own)
			}
			for _, to := range []point{{where.length - 1, where.product}, {where.length + 1, where.product}, {where.length, where.product - 1}, {where.length, where.product + 1}} {
				if to.length < 0 || to.length >= len(lengths) || to.product < 0 || to.product >= len(products) {
					continue
				}
				if v := loss(to); better*v < f.loss {
					t.Errorf("%v: loss %v at %v, and %v beside it", m, f.loss, where, v)
				}
			}
		}
	}
}

// Where rounds do not help, the choice is ridge regression by the best width and λ.
func TestPlain(t *testing.T) {
	x, y := problem(90, 4, 8)
	for i := range 90 {
		y.Set(i, 0, float64(i%2))
		y.Set(i, 1, float64(i/2%2)) // nothing to learn
	}
	m := must.Have(Config{}.FitAll(t.Context(), x, y, nil))(t)
	plain := must.Have(Config{Rounds: gram.Set(0)}.FitAll(t.Context(), x, y, nil))(t)
	if a, b := m.Stats(), plain.Stats(); !(a.Rounds[a.Chosen].Loss <= b.Rounds[0].Loss) {
		t.Errorf("held-out error %v with rounds, %v without", a.Rounds[a.Chosen].Loss, b.Rounds[0].Loss)
	}
}

// The median is that of sorted distances, also with equal ones.
func TestNth(t *testing.T) {
	r := rng.New(2, 2)
	for n := 1; n < 40; n++ {
		x := make([]float64, n)
		for i := range x {
			x[i] = math.Round(3 * r.NormFloat64())
		}
		want := slices.Sorted(slices.Values(x))
		for k := range n {
			if got := nth(slices.Clone(x), k); got != want[k] {
				t.Errorf("number %d of %v is %v", k, want, got)
			}
		}
	}
}
