package leml

import (
	"context"
	"math"
	"slices"
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/algotest"
	"github.com/gramworks/gram/internal/gen"
	"github.com/gramworks/gram/internal/must"
	"github.com/gramworks/gram/internal/rows"
	"github.com/gramworks/gram/metric"
	"github.com/gramworks/gram/modelfile"
	"github.com/gramworks/gram/num/rng"
	"github.com/gramworks/gram/sparse"
	"gonum.org/v1/gonum/mat"
)

// objective computes ‖Y−[X 1][W;b]Hᵀ‖² + λ(‖W‖²+‖b‖²+‖H‖²) from its definition.
func objective(m *Model, x *mat.Dense, y *sparse.CSR) float64 {
	var s, p mat.Dense
	s.Mul(m.Map(nil, x), m.h.T())
	p.Sub(y.Dense(), &s)
	f := mat.Norm(&p, 2)
	bias := mat.NewVecDense(len(m.bias), m.bias)
	return f*f + m.cfg.Lambda.Value()*(rows.Squares(m.w)+mat.Dot(bias, bias)+rows.Squares(m.h))
}

func TestObjective(t *testing.T) {
	x, y := gen.LinearTags(80, 9, 7, 4)
	for _, noConstant := range []bool{false, true} {
		for _, in := range []mat.Matrix{x, sparse.FromDense(x)} {
			m := must.Have(Config{Rank: 3, Lambda: gram.Set(0.7), Rounds: 1000, Tol: gram.Set(1e-15), NoConstant: noConstant}.Fit(context.Background(), in, y))(t)
			trace := m.Stats().Objective
			for i := 1; i < len(trace); i++ {
				if !(trace[i] <= trace[i-1]*(1+1e-12)) {
					t.Errorf("round %d: the objective rose from %v to %v", i, trace[i-1], trace[i])
				}
			}
			if got, want := trace[len(trace)-1], objective(m, x, y); !(math.Abs(got-want) < 1e-9*want) {
				t.Errorf("objective %v, by its definition %v", got, want)
			}
			// No entry of a factor improves it.
			at := func(p *float64, h float64) float64 {
				v := *p
				*p += h
				f := objective(m, x, y)
				*p = v
				return f
			}
			check := func(name string, p *float64) {
				const h = 1e-4
				if g := (at(p, h) - at(p, -h)) / (2 * h); !(math.Abs(g) < 0.02) {
					t.Errorf("%s: derivative %v at the end", name, g)
				}
			}
			check("W", &m.w.RawMatrix().Data[4])
			check("H", &m.h.RawMatrix().Data[5])
			if !noConstant {
				check("bias", &m.bias[1])
			}
		}
	}
}

// At full rank the minimum is that of ‖Y−XZ‖²+2λ‖Z‖_*, found here by proximal
// gradients on Z. Every round makes progress as long as there is any to be made.
func TestFullRankIsNuclearNorm(t *testing.T) {
	for seed, lambda := range []float64{.3, 4, 12} {
		x, tags := gen.LinearTags(60, 6, 5, uint64(4+seed))
		want := nuclear(x, tags.Dense(), lambda)
		m := must.Have(Config{Rank: 5, Lambda: gram.Set(lambda), Rounds: 5000, Tol: gram.Set(1e-14), NoConstant: true}.Fit(context.Background(), x, tags))(t)
		s := m.Stats().Objective
		got := s[len(s)-1]
		t.Logf("λ %v: %d rounds, %d products, %.2g above the optimum", lambda, len(s), m.Stats().Products, got/want-1)
		if !(math.Abs(got-want) <= 1e-8*want) || !m.Stats().Converged {
			t.Errorf("λ %v: objective %v, of the convex problem %v; converged: %t", lambda, got, want, m.Stats().Converged)
		}
	}
}

// nuclear is the minimum of ‖Y−XZ‖²+2λ‖Z‖_*, by proximal gradients.
func nuclear(x, y *mat.Dense, lambda float64) float64 {
	_, d := x.Dims()
	_, l := y.Dims()
	var svd mat.SVD
	svd.Factorize(x, mat.SVDThin)
	step := 0.5 / math.Pow(svd.Values(nil)[0], 2)
	z := mat.NewDense(d, l, nil)
	var norm float64
	for range 3000 {
		var r, g mat.Dense
		r.Mul(x, z)
		r.Sub(&r, y)
		g.Mul(x.T(), &r)
		g.Scale(2*step, &g)
		z.Sub(z, &g)
		svd.Factorize(z, mat.SVDThin)
		s := svd.Values(nil)
		norm = 0
		for i := range s {
			s[i] = max(0, s[i]-2*lambda*step)
			norm += s[i]
		}
		var u, v mat.Dense
		svd.UTo(&u)
		svd.VTo(&v)
		u.Mul(&u, mat.NewDiagDense(len(s), s))
		z.Mul(&u, v.T())
	}
	var r mat.Dense
	r.Mul(x, z)
	r.Sub(y, &r)
	return rows.Squares(&r) + 2*lambda*norm
}

func TestTop(t *testing.T) {
	const labels = 4196 // more than are ranked at a time
	x, y := gen.LinearTags(150, 8, labels, 4)
	m := must.Have(Config{Rank: 4, Rounds: 2}.Fit(context.Background(), x, y))(t)
	var s mat.Dense
	s.Mul(m.Map(nil, x), m.h.T())
	for i, list := range m.Top(nil, x, 7) {
		if len(list) != 7 {
			t.Fatalf("row %d has %d labels", i, len(list))
		}
		for k, e := range list {
			if v := s.At(i, e.Label); !(math.Abs(v-e.Score) <= 1e-9) || k > 0 && e.Score > list[k-1].Score {
				t.Fatalf("row %d, place %d: label %d with %v, its score is %v", i, k, e.Label, e.Score, v)
			}
		}
		better := 0
		for l := range labels {
			if s.At(i, l) > list[6].Score+1e-9 {
				better++
			}
		}
		if better > 6 {
			t.Fatalf("row %d: %d labels are better than the last of 7", i, better)
		}
	}
}

// Objective is what a fit makes small: its value at a model is that of the fit, and its
// gradient vanishes there. By differences the gradient is that of the value.
func TestObjectiveValue(t *testing.T) {
	x, y := gen.LinearTags(50, 6, 7, 4)
	for _, noConstant := range []bool{false, true} {
		c := Config{Rank: 3, Lambda: gram.Set(.7), Rounds: 3000, Tol: gram.Set(1e-15), NoConstant: noConstant}
		o := must.Have(c.Objective(x, y))(t)
		p := 6
		if !noConstant {
			p++
		}
		r := rng.New(5, 0)
		w, h := mat.NewDense(p, 3, nil), mat.NewDense(7, 3, nil)
		for _, a := range []*mat.Dense{w, h} {
			a.Apply(func(_, _ int, _ float64) float64 { return r.NormFloat64() }, a)
		}
		c.Given.W, c.Rounds = w, 1
		m := must.Have(c.Fit(t.Context(), x, y))(t)
		mw, bias, mh := m.Factors()
		if !mat.Equal(mw, w.Slice(0, 6, 0, 3)) || !noConstant && bias[1] != w.At(6, 1) || m.Config().Given.W != nil {
			t.Error("one round changes the given W, or the model keeps it")
		}
		if got, want := o.Value(w, mh), m.Stats().Objective[0]; !(math.Abs(got-want) <= 1e-12*want) {
			t.Errorf("value %v, the fit says %v", got, want)
		}
		if _, dh := o.Gradient(w, mh); !(mat.Norm(dh, 2) < 1e-10*o.Value(w, mh)) {
			t.Errorf("the gradient by H is %v at the best H", mat.Norm(dh, 2))
		}
		for _, bad := range [][2]*mat.Dense{{mat.NewDense(p+1, 3, nil), h}, {w, mat.NewDense(8, 3, nil)}, {w, mat.NewDense(7, 2, nil)}, {mat.NewDense(p, 2, nil), mat.NewDense(7, 2, nil)}} {
			if got := must.Recovered(func() { o.Value(bad[0], bad[1]) }); got != "leml: W or H has the wrong shape" {
				t.Errorf("factors of wrong shapes: %v", got)
			}
		}
		dw, dh := o.Gradient(w, h)
		for _, v := range [][2]*mat.Dense{{w, dw}, {h, dh}} {
			at, g := v[0], v[1]
			n, k := at.Dims()
			for i := range n {
				for j := range k {
					const step = 1e-4
					old := at.At(i, j)
					at.Set(i, j, old+step)
					up := o.Value(w, h)
					at.Set(i, j, old-step)
					down := o.Value(w, h)
					at.Set(i, j, old)
					if want := (up - down) / (2 * step); !(math.Abs(g.At(i, j)-want) <= 1e-6*(1+math.Abs(want))) {
						t.Fatalf("derivative %v, by differences %v", g.At(i, j), want)
					}
				}
			}
		}
	}
}

// Scores are those that Top ranks.
func TestScores(t *testing.T) {
	x, y := gen.LinearTags(150, 8, 30, 4)
	m := must.Have(Config{Rank: 4, Rounds: 2}.Fit(t.Context(), x, y))(t)
	got, want := metric.Top(m.Scores(nil, x), 5), m.Top(nil, x, 5)
	for i := range got {
		if !slices.Equal(got[i], want[i]) {
			t.Fatalf("row %d: %v, want %v", i, got[i], want[i])
		}
	}
}

func TestContract(t *testing.T) {
	at := func(run gram.Run) Config { return Config{Rank: 2, Rounds: 3, Run: run} }
	algotest.Check(t, algotest.Subject{
		RowBytes: 24, // products of 64 rows
		Kind:     algotest.MultiLabel,
		Fit: func(ctx context.Context, d algotest.Data, run gram.Run) (*algotest.Model, error) {
			return algotest.Ranking[*Model](math.NaN())(at(run).Fit(ctx, d.X, d.Tags))
		},
		Plan: func(s gram.Shape, run gram.Run) (gram.Plan, error) { return at(run).Plan(s) },
		Decode: func(f *modelfile.File) (*algotest.Model, error) {
			return algotest.Ranking[*Model](math.NaN())(Decode(f))
		},
		Golden: "leml.v1.gram",
		Random: []string{"seed"},
		Memory: gram.Shape{N: 100_000, D: 8, Outputs: 3},
	})
}
