package multilabel

import (
	"context"
	"math"
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/internal/algotest"
	"github.com/gramworks/gram/internal/rng"
	"github.com/gramworks/gram/modelfile"
	"github.com/gramworks/gram/sparse"
	"gonum.org/v1/gonum/mat"
)

// problem has n rows of d numbers, a third of them zero, and labels that depend
// on them.
func problem(n, d, labels int) (*mat.Dense, *sparse.CSR) {
	r := rng.New(4, 0)
	x, w := mat.NewDense(n, d, nil), mat.NewDense(d, labels, nil)
	for j := range d {
		for l := range labels {
			w.Set(j, l, r.NormFloat64())
		}
	}
	for i := range n {
		for j := range d {
			if r.IntN(3) > 0 {
				x.Set(i, j, r.NormFloat64())
			}
		}
	}
	var s mat.Dense
	s.Mul(x, w)
	y := mat.NewDense(n, labels, nil)
	for i := range n {
		for l := range labels {
			if s.At(i, l)+r.NormFloat64() > 1 {
				y.Set(i, l, 1)
			}
		}
	}
	return x, sparse.FromDense(y)
}

// objective computes ‖Y−[X 1][W;b]Hᵀ‖² + λ(‖W‖²+‖b‖²+‖H‖²) from its definition.
func objective(m *LEMLModel, x *mat.Dense, y *sparse.CSR) float64 {
	var s, p mat.Dense
	s.Mul(m.Map(nil, x), m.h.T())
	p.Sub(y.Dense(), &s)
	f := mat.Norm(&p, 2)
	bias := mat.NewVecDense(len(m.bias), m.bias)
	return f*f + m.cfg.Lambda*(squares(m.w)+mat.Dot(bias, bias)+squares(m.h))
}

func TestObjective(t *testing.T) {
	x, y := problem(80, 9, 7)
	for _, noConstant := range []bool{false, true} {
		for _, in := range []mat.Matrix{x, sparse.FromDense(x)} {
			m, err := LEML{Rank: 3, Lambda: 0.7, Rounds: 1000, Tol: 1e-15, NoConstant: noConstant}.Fit(context.Background(), in, y)
			if err != nil {
				t.Fatal(err)
			}
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
// gradients on Z.
func TestFullRankIsNuclearNorm(t *testing.T) {
	x, tags := problem(60, 6, 5)
	y := tags.Dense()
	const lambda = 4
	var svd mat.SVD
	svd.Factorize(x, mat.SVDThin)
	step := 0.5 / math.Pow(svd.Values(nil)[0], 2)
	z := mat.NewDense(6, 5, nil)
	var nuclear float64
	for range 3000 {
		var r, g mat.Dense
		r.Mul(x, z)
		r.Sub(&r, y)
		g.Mul(x.T(), &r)
		g.Scale(2*step, &g)
		z.Sub(z, &g)
		svd.Factorize(z, mat.SVDThin)
		s := svd.Values(nil)
		nuclear = 0
		for i := range s {
			s[i] = max(0, s[i]-2*lambda*step)
			nuclear += s[i]
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
	f := mat.Norm(&r, 2)
	want := f*f + 2*lambda*nuclear
	m, err := LEML{Rank: 5, Lambda: lambda, Rounds: 3000, Products: 200, Tol: 1e-15, NoConstant: true}.Fit(context.Background(), x, tags)
	if err != nil {
		t.Fatal(err)
	}
	s := m.Stats().Objective
	if got := s[len(s)-1]; !(math.Abs(got-want) < 1e-5*want) {
		t.Errorf("objective %v, of the convex problem %v", got, want)
	}
}

func TestTop(t *testing.T) {
	x, y := problem(150, 8, topLabels+100)
	m, err := LEML{Rank: 4, Rounds: 2}.Fit(context.Background(), x, y)
	if err != nil {
		t.Fatal(err)
	}
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
		for l := range topLabels + 100 {
			if s.At(i, l) > list[6].Score+1e-9 {
				better++
			}
		}
		if better > 6 {
			t.Fatalf("row %d: %d labels are better than the last of 7", i, better)
		}
	}
}

func TestLEMLContract(t *testing.T) {
	at := func(run gram.Run) LEML { return LEML{Rank: 2, Rounds: 3, Run: run} }
	algotest.Check(t, algotest.Subject{
		RowBytes: 24, // products of 64 rows
		Kind:     algotest.MultiLabel,
		Fit: func(ctx context.Context, d algotest.Data, run gram.Run) (*algotest.Model, error) {
			return algotest.Ranking[*LEMLModel](math.NaN())(at(run).Fit(ctx, d.X, d.Tags))
		},
		Plan: func(s gram.Shape, run gram.Run) (gram.Plan, error) { return at(run).Plan(s) },
		Decode: func(f *modelfile.File) (*algotest.Model, error) {
			return algotest.Ranking[*LEMLModel](math.NaN())(DecodeLEML(f))
		},
		Golden: "leml.v1.gram",
		Random: []string{"seed"},
		Memory: gram.Shape{N: 100_000, D: 8, Outputs: 3},
	})
}
