package nystrom

import (
	"context"
	"errors"
	"math"
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/algotest"
	"github.com/gramworks/gram/algos/internal/fixture"
	"github.com/gramworks/gram/algos/lowrank/landmark"
	"github.com/gramworks/gram/internal/must"
	"github.com/gramworks/gram/sparse"
	"gonum.org/v1/gonum/mat"
)

func TestEnsembleSettings(t *testing.T) {
	x := algotest.Problem(8, 30, 3, 3).X
	one := Config{Kernel: gauss, M: 5, Landmarks: landmark.Uniform{}}
	for _, c := range []struct {
		field string
		c     Ensemble
	}{
		{"Experts", Ensemble{Config: one, Experts: -1}},
		{"HeldOut", Ensemble{Config: one, HeldOut: -1}},
		{"Ridge", Ensemble{Config: one, Ridge: gram.Set(-1.0)}},
		{"Ridge", Ensemble{Config: one, Ridge: gram.Set(math.NaN())}},
		{"M", Ensemble{Config: one, Experts: 7}},
		{"M", Ensemble{Config: Config{Kernel: gauss, M: -1}}},
		{"Kernel", Ensemble{Config: Config{M: 3}}},
		{"Certificate", Ensemble{Config: Config{Kernel: gauss, M: 3, Certificate: -1}}},
	} {
		var ce *gram.ConfigError
		if m, err := c.c.Fit(context.Background(), x); !errors.As(err, &ce) || ce.Field != c.field || m != nil {
			t.Errorf("%s: error %v", c.field, err)
		}
		if _, err := c.c.Plan(gram.Shape{N: 30, D: 3}); !errors.As(err, &ce) || ce.Field != c.field {
			t.Errorf("%s: error %v of the plan", c.field, err)
		}
	}
	// Weights cannot be fitted when all rows are landmarks.
	var ce *gram.ConfigError
	all := Ensemble{Config: Config{Kernel: gauss, M: 10, Landmarks: landmark.Uniform{}}, Fitted: true}
	if _, err := all.Fit(context.Background(), x); !errors.As(err, &ce) || ce.Field != "M" {
		t.Errorf("all rows are landmarks: error %v", err)
	}
	m := must.Have(Ensemble{Config: Config{Kernel: gauss, Landmarks: landmark.Uniform{}}}.Fit(context.Background(), x))(t)
	if c := m.Config(); c.Experts != 3 || c.HeldOut != 200 || c.Ridge.Value() != 1e-6 || c.M != 10 || c.Rank != 10 {
		t.Errorf("defaults %+v", c)
	}
	if r, c := m.Map(nil, mat.NewDense(1, 3, nil)).Dims(); r != 1 || c != m.Stats().EffectiveRank {
		t.Errorf("%d×%d features of one row", r, c)
	}
	if f := m.Map(nil, &sparse.CSR{D: 3, Ptr: []int{0}}); !f.IsEmpty() {
		t.Error("features of no rows")
	}
}

// The fitted weights solve the least-squares problem that the comment of
// fitWeights states, on all rows that are no landmarks; with one expert and
// hardly a ridge the weight is the projection's.
func TestFittedWeightsAreLeastSquares(t *testing.T) {
	const n = 60
	x := algotest.Problem(10, n, 2, 3).X.(*mat.Dense)
	for _, ridge := range []float64{1e-9, 1e3} {
		m := must.Have(Ensemble{Config: Config{Kernel: gauss, M: 4, Landmarks: landmark.Uniform{}}, Experts: 2, Fitted: true, HeldOut: 100, Ridge: gram.Set(ridge)}.Fit(context.Background(), x))(t)
		used := map[float64]bool{}
		for e := range 2 {
			for i := range 4 {
				used[m.Expert(e).Landmarks().At(i, 0)] = true
			}
		}
		var held []int
		for i := range n {
			if !used[x.At(i, 0)] {
				held = append(held, i)
			}
		}
		s := len(held)
		if s != n-8 {
			t.Fatalf("%d rows are no landmarks", s)
		}
		// Twice the gradient's half of Σ f_ij·(Σμ_e·g_e − g)²_ij + ridge·scale·‖μ−½‖².
		part := mat.NewDense(s, 2, nil)
		for j, i := range held {
			part.SetRow(j, x.RawRowView(i))
		}
		g := fixture.KernelMatrix(gauss, part, part)
		v := []*mat.Dense{fixture.InnerProducts(m.Expert(0).Map(nil, part)), fixture.InnerProducts(m.Expert(1).Map(nil, part))}
		f := func(i, j int) float64 {
			if i == j {
				return 1
			}
			return float64(n-1) / float64(s-1)
		}
		mu := m.Weights()
		var gradient [2]float64
		var scale float64
		for i := range s {
			for j := range s {
				left := mu[0]*v[0].At(i, j) + mu[1]*v[1].At(i, j) - g.At(i, j)
				for e := range 2 {
					gradient[e] += f(i, j) * left * v[e].At(i, j)
					scale += f(i, j) * v[e].At(i, j) * v[e].At(i, j) / 2
				}
			}
		}
		for e := range 2 {
			if d := gradient[e] + ridge*scale*(mu[e]-0.5); !(math.Abs(d) <= 1e-9*scale*(1+ridge)) {
				t.Errorf("ridge %g: derivative %g for weight %d of %v", ridge, d/scale, e, mu)
			}
		}
		if d := math.Abs(mu[0]-0.5) + math.Abs(mu[1]-0.5); ridge == 1e3 && !(d < 1e-2) {
			t.Errorf("weights %v under a large penalty", mu)
		}
	}
}

// The certificate of an ensemble is the error of its weighted mean, from all
// rows exactly, and what the fit counts are the sums over the experts.
func TestEnsembleCertificate(t *testing.T) {
	x := algotest.Problem(11, 80, 3, 3).X.(*mat.Dense)
	c := Ensemble{Config: Config{Kernel: gauss, M: 5, Landmarks: landmark.Uniform{}, Certificate: 80}, Experts: 3, Fitted: true}
	m := must.Have(c.Fit(context.Background(), x))(t)
	h := mat.NewDense(80, 80, nil)
	var rank int
	var values int64
	for e := range 3 {
		var g mat.Dense
		g.Scale(m.Weights()[e], fixture.InnerProducts(m.Expert(e).Map(nil, x)))
		h.Add(h, &g)
		rank += m.Expert(e).Stats().EffectiveRank
		values += m.Expert(e).Stats().KernelValues
		if got := m.Expert(e).Stats().Error.Rows; got != 0 {
			t.Errorf("expert %d has a certificate of its own, from %d rows", e, got)
		}
	}
	s := m.Stats()
	if want := algotest.Relative(fixture.KernelMatrix(gauss, x, x), h); !(math.Abs(s.Error.Value-want) < 1e-10) || s.Error.Rows != 80 || s.Error.StdError != 0 {
		t.Errorf("certificate %+v, want %g", s.Error, want)
	}
	if s.EffectiveRank != rank || s.KernelValues != values || values == 0 {
		t.Errorf("rank %d and %d kernel values, the experts' are %d and %d", s.EffectiveRank, s.KernelValues, rank, values)
	}
	ctx, cancel := context.WithCancel(context.Background())
	c.Progress = func(gram.Event) { cancel() }
	if _, err := c.Fit(ctx, x); err != context.Canceled {
		t.Errorf("cancelled: %v", err)
	}
}
