package gimc

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/algotest"
	"github.com/gramworks/gram/algos/internal/descent"
	"github.com/gramworks/gram/algos/learned/completion"
	"github.com/gramworks/gram/internal/gen"
	"github.com/gramworks/gram/internal/must"
	"github.com/gramworks/gram/internal/rows"
	"github.com/gramworks/gram/metric"
	"github.com/gramworks/gram/modelfile"
	"github.com/gramworks/gram/settings"
	"github.com/gramworks/gram/sparse"
	"gonum.org/v1/gonum/mat"
)

// full returns Φ with the constant.
func (m *Model) full(x mat.Matrix) *mat.Dense {
	n, _ := x.Dims()
	_, p := m.w.Dims()
	out := mat.NewDense(n, p, nil)
	phi := m.Map(nil, x)
	for i := range n {
		copy(out.RawRowView(i), phi.RawRowView(i))
	}
	if !m.cfg.NoConstant {
		for i := range n {
			out.Set(i, p-1, 1)
		}
	}
	return out
}

// objective computes ½‖Y−ΦW‖² + ½λ‖W‖² from its definition.
func objective(m *Model, x mat.Matrix, y *sparse.CSR) float64 {
	var s mat.Dense
	s.Mul(m.full(x), m.w.T())
	s.Sub(y.Dense(), &s)
	f := mat.Norm(&s, 2)
	return f*f/2 + m.cfg.Lambda.Value()/2*rows.Squares(m.w)
}

func each(t *testing.T, body func(t *testing.T, c Config, in mat.Matrix)) {
	x, _ := gen.LinearTags(80, 6, 7, 4)
	for _, kind := range []completion.Kind{completion.Fourier, completion.Nystrom} {
		for _, noConstant := range []bool{false, true} {
			for _, in := range []mat.Matrix{x, sparse.FromDense(x)} {
				t.Run(fmt.Sprintf("%s/constant=%v/%T", kind, !noConstant, in), func(t *testing.T) {
					body(t, Config{Map: kind, M: 8, Gamma: .1, Lambda: gram.Set(.2), Steps: 12, Tol: gram.Set(1e-12), NoConstant: noConstant}, in)
				})
			}
		}
	}
}

func TestObjective(t *testing.T) {
	_, y := gen.LinearTags(80, 6, 7, 4)
	each(t, func(t *testing.T, c Config, x mat.Matrix) {
		m := must.Have(c.Fit(context.Background(), x, y))(t)
		trace := m.Stats().Objective
		if len(trace) < 5 || !(trace[len(trace)-1] < .9*trace[0]) {
			t.Errorf("%d steps from %v to %v", len(trace)-1, trace[0], trace[len(trace)-1])
		}
		for i := 1; i < len(trace); i++ {
			if !(trace[i] <= trace[i-1]*(1+1e-12)) {
				t.Errorf("step %d: the objective rose from %v to %v", i, trace[i-1], trace[i])
			}
		}
		if got, want := trace[len(trace)-1], objective(m, x, y); !(math.Abs(got-want) < 1e-9*want) {
			t.Errorf("objective %v, by its definition %v", got, want)
		}
		// W solves (ΦᵀΦ+λI)W = ΦᵀY.
		var left, right, a mat.Dense
		phi := m.full(x)
		a.Mul(phi.T(), phi)
		left.Mul(m.w, &a)
		right.Scale(c.Lambda.Value(), m.w)
		left.Add(&left, &right)
		right.Mul(y.Dense().T(), phi)
		if !mat.EqualApprox(&left, &right, 1e-9) {
			t.Error("W does not solve the normal equations")
		}
	})
}

// The gradient in U, and the objective at other features and a fixed W, against
// their definitions, in both ways to compute them.
func TestGradient(t *testing.T) {
	for _, few := range []bool{false, true} {
		t.Run(fmt.Sprintf("few=%v", few), func(t *testing.T) { gradients(t, few) })
	}
}

func gradients(t *testing.T, few bool) {
	_, y := gen.LinearTags(80, 6, 7, 4)
	each(t, func(t *testing.T, c Config, x mat.Matrix) {
		c = must.Have(settings.Resolved(c, gram.Shape{N: 80}))(t)
		l := &learner{c: c}
		y := &sparse.CSR{N: y.N, D: y.D, Ptr: y.Ptr, Col: y.Col}
		must.Do(t, l.run(context.Background(), gram.Of(x), y, 1, nil))
		l.trade(few)
		if few {
			l.residuals = mat.NewDense(30, 7, nil) // three blocks
		}
		// W is away from the minimum: terms that vanish there count.
		l.w.Scale(.8, l.w)
		g := must.Have(l.gradient())(t)
		at := func(u *mat.Dense) float64 {
			m := l.model()
			m.f = l.f.With(u)
			want := objective(m, x, y)
			must.Do(t, errors.Join(l.fill(l.next, m.f), product(t.Context(), l.nextG, l.next)))
			got, err := l.value(l.next, l.nextG)
			if err != nil || !(math.Abs(got-want) < 1e-10*want) {
				t.Fatalf("objective %v, by its definition %v; %v", got, want, err)
			}
			return want
		}
		r, k := g.Dims()
		for i := range r {
			for j := range k {
				const h = 1e-5
				u := mat.DenseCopyOf(l.f.Points())
				u.Set(i, j, u.At(i, j)+h)
				up := at(u)
				u.Set(i, j, u.At(i, j)-2*h)
				want := (up - at(u)) / (2 * h)
				if got := g.At(i, j); !(math.Abs(got-want) < 1e-6*max(1, math.Abs(want))) {
					t.Errorf("U_%d,%d: %v, by differences %v", i, j, got, want)
				}
			}
		}
	})
}

// Validation stops where the held-out rows say so, and then it is the fit of so
// many steps.
func TestValidation(t *testing.T) {
	x, y := gen.LinearTags(120, 8, 6, 4)
	c := Config{M: 5, Lambda: gram.Set(.01), Steps: 20, Tol: gram.Set(1e-12), Validation: .5}
	m := must.Have(c.Fit(context.Background(), x, y))(t)
	s := m.Stats()
	best := 0
	for i, v := range s.HeldOut {
		if v > s.HeldOut[best] {
			best = i
		}
	}
	if len(s.HeldOut) < 3 || best == 0 || best == len(s.HeldOut)-1 || len(s.Objective) != best+1 {
		t.Fatalf("%d steps with held-out precision %v", len(s.Objective)-1, s.HeldOut)
	}
	c.Validation, c.Steps = 0, best
	again := must.Have(c.Fit(context.Background(), x, y))(t)
	if !mat.Equal(again.w, m.w) {
		t.Error("a fit of as many steps is another one")
	}
}

// Labels that depend on a direction the features do not show at first are found
// by learning.
func TestLearns(t *testing.T) {
	x, y := gen.LinearTags(600, 8, 6, 4)
	tx, ty := x.Slice(300, 600, 0, 8), y.Slice(300, 600)
	x, y = x.Slice(0, 300, 0, 8).(*mat.Dense), y.Slice(0, 300)
	var got [2]float64
	for i, fixed := range []bool{true, false} {
		m := must.Have(Config{M: 5, Lambda: gram.Set(.1), Fixed: fixed}.Fit(context.Background(), x, y))(t)
		got[i] = metric.PrecisionAt([]int{1}, m.Top(nil, tx, 1), ty)[0]
	}
	if !(got[1] > got[0]+.03) {
		t.Errorf("P@1 is %v with features as drawn and %v learned", got[0], got[1])
	}
}

func TestTop(t *testing.T) {
	x, y := gen.LinearTags(100, 6, 7, 4)
	m := must.Have(Config{M: 5, Steps: 2}.Fit(context.Background(), x, y))(t)
	var s mat.Dense
	s.Mul(m.full(x), m.w.T())
	for i, list := range m.Top(nil, x, 7) {
		if len(list) != 7 {
			t.Fatalf("row %d has %d labels", i, len(list))
		}
		for k, e := range list {
			if v := s.At(i, e.Label); !(math.Abs(v-e.Score) < 1e-12) || k > 0 && e.Score > list[k-1].Score {
				t.Fatalf("row %d, place %d: label %d with %v, its score is %v", i, k, e.Label, e.Score, v)
			}
		}
	}
}

func TestContract(t *testing.T) {
	for _, kind := range []completion.Kind{completion.Fourier, completion.Nystrom} {
		t.Run(kind.String(), func(t *testing.T) {
			at := func(n int, run gram.Run) Config {
				c := Config{Map: kind, M: 6, Steps: 3, Run: run}
				if n == 9000 { // looks at the context are timed
					c.M, c.Steps = 250, 1
				}
				if kind == completion.Nystrom && n > 8 {
					c.Validation = 0.2
				}
				if kind == completion.Nystrom {
					c.M = min(c.M, n)
				}
				return c
			}
			wrap := algotest.Ranking[*Model](math.NaN())
			random, redrawn := []string{"features"}, []string(nil)
			if kind == completion.Nystrom { // the fit for validation begins as the last one does
				random, redrawn = []string{"features", "held out"}, random
			}
			algotest.Check(t, algotest.Subject{
				RowBytes: 300, // landmarks are packed for each 64 rows
				Kind:     algotest.MultiLabel,
				Fit: func(ctx context.Context, d algotest.Data, run gram.Run) (*algotest.Model, error) {
					n, _ := d.X.Dims()
					return wrap(at(n, run).Fit(ctx, d.X, d.Tags))
				},
				Plan:   func(s gram.Shape, run gram.Run) (gram.Plan, error) { return at(s.N, run).Plan(s) },
				Decode: func(f *modelfile.File) (*algotest.Model, error) { return wrap(Decode(f)) },
				Golden: "gimc-" + kind.String() + ".v1.gram",
				Long:   gram.Shape{N: 9000, D: 8, Outputs: 3}, Share: 0.15,
				Random: random, Redrawn: redrawn,
				Memory: gram.Shape{N: 20_000, D: 8, Outputs: 3},
			})
		})
	}
}

// Products are the definition's at the edges of their blocks of rows.
func TestProductBlocks(t *testing.T) {
	const p = 1500 // blocks of 64 rows
	for _, n := range []int{1, 63, 64, 65, 128, 129} {
		a := mat.NewDense(n, p, nil)
		for i := range n {
			a.Set(i, 7, float64(i+1))
			a.Set(i, p-1, 1)
		}
		g := mat.NewDense(p, p, nil)
		must.Do(t, product(t.Context(), g, a))
		sum, squares := float64(n*(n+1)/2), float64(n*(n+1)*(2*n+1)/6)
		if g.At(7, 7) != squares || g.At(7, p-1) != sum || g.At(p-1, p-1) != float64(n) || g.At(0, 7) != 0 {
			t.Errorf("%d rows: sums %g, %g and %g, want %g, %g and %d", n, g.At(7, 7), g.At(7, p-1), g.At(p-1, p-1), squares, sum, n)
		}
	}
}

// The solution for many labels is made with looks at the context between groups of
// them.
func TestSolveObeys(t *testing.T) {
	const p = 1100 // groups of 110 labels
	l := &learner{c: Config{Lambda: gram.Set(1.), Run: gram.Run{Workers: 1}}, phi: mat.NewDense(2, p, nil), g: mat.NewDense(p, p, nil)}
	l.y = &sparse.CSR{N: 2, D: 400, Ptr: make([]int, 3)}
	l.yt = l.y.Transpose()
	algotest.Obeys(t, func(ctx context.Context) error {
		l.ctx = ctx
		_, err := l.solve()
		return err
	})
}

// Residuals are made with looks at the context between blocks of rows.
func TestResidualLooks(t *testing.T) {
	const n, p, labels = 50_000, 100, 300
	phi, w := mat.NewDense(n, p, nil), mat.NewDense(labels, p, nil)
	for i := range n {
		phi.Set(i, i%p, 1)
	}
	y := &sparse.CSR{N: n, D: labels, Ptr: make([]int, n+1)}
	algotest.Looks(t, 0, func(ctx context.Context) error {
		l := &learner{ctx: ctx, y: y, w: w, residuals: mat.NewDense(residualRows, labels, nil)}
		return l.residual(phi, func(int, *mat.Dense) {})
	})
}

// Landmarks for sparse rows, wide enough for a center to matter, are read as such.
func TestSparseLandmarksAreStored(t *testing.T) {
	x, y := gen.LinearTags(30, 20, 6, 4)
	thin := sparse.FromDense(x)
	for _, in := range []mat.Matrix{x, thin} {
		m := must.Have(Config{Map: completion.Nystrom, M: 5, Steps: 1}.Fit(t.Context(), in, y))(t)
		var b bytes.Buffer
		must.Do(t, modelfile.Write(&b, m))
		f := must.Have(modelfile.Read(&b))(t)
		again := must.Have(Decode(f))(t)
		if descent.Thin(again.Features()) != (in == mat.Matrix(thin)) || !mat.Equal(again.Map(nil, thin), m.Map(nil, thin)) {
			t.Errorf("%T: a model that is read again is another one", in)
		}
	}
}
