package completion

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/algotest"
	"github.com/gramworks/gram/algos/basis"
	"github.com/gramworks/gram/algos/internal/descent"
	"github.com/gramworks/gram/internal/linalg"
	"github.com/gramworks/gram/internal/must"
	"github.com/gramworks/gram/internal/rows"
	"github.com/gramworks/gram/modelfile"
	"github.com/gramworks/gram/num/rng"
	"github.com/gramworks/gram/sparse"
	"gonum.org/v1/gonum/mat"
)

func normal(r interface{ NormFloat64() float64 }, n, d int) *mat.Dense {
	x := mat.NewDense(n, d, nil)
	for i := range n {
		for j := range d {
			x.Set(i, j, r.NormFloat64())
		}
	}
	return x
}

// problem has side information of both sides, some of it zero, and a part of the
// entries of a matrix that depends on it; binary ones are 0 and 1.
func problem(n, l, d int, part float64, binary bool) (a *sparse.CSR, x, y, full *mat.Dense) {
	r := rng.New(5, 0)
	x, y = normal(r, n, d), normal(r, l, d+1)
	for i := range n {
		x.Set(i, i%d, 0)
	}
	var u, v mat.Dense
	u.Mul(x, normal(r, d, 3))
	v.Mul(y, normal(r, d+1, 3))
	full = mat.NewDense(n, l, nil)
	full.Mul(&u, v.T())
	var list []sparse.Triplet
	for i := range n {
		for j := range l {
			s := math.Sin(full.At(i, j)) + 0.3*full.At(i, j)
			if binary {
				s = map[bool]float64{true: 1}[s > 0]
			}
			full.Set(i, j, s)
			if r.Float64() < part {
				list = append(list, sparse.Triplet{Row: i, Col: j, Val: s})
			}
		}
	}
	a, err := sparse.FromTriplets(n, l, list, sparse.Reject)
	if err != nil {
		panic(err)
	}
	return a, x, y, full
}

var methods = []struct {
	name          string
	rows, columns Side
	noX, noY      bool
}{
	{"MC", Side{}, Side{}, true, true},
	{"IMC", Side{}, Side{}, false, false},
	{"IMC, rows alone", Side{}, Side{}, false, true},
	{"IMC-RFF", Side{Map: Fourier, M: 7, Gamma: .2}, Side{Map: Fourier, M: 6, Gamma: .1}, false, false},
	{"IMC-NYS", Side{Map: Nystrom, M: 7, Gamma: .2}, Side{Map: Nystrom, M: 6, Gamma: .1}, false, false},
	{"GIMC-LFF", Side{Map: Fourier, M: 7, Gamma: .2, Learn: true}, Side{Map: Fourier, M: 6, Gamma: .1, Learn: true}, false, false},
	{"GIMC-LNYS", Side{Map: Nystrom, M: 7, Gamma: .2, Learn: true}, Side{Map: Nystrom, M: 6, Learn: true}, false, false},
	{"GIMC-LFF and IMC", Side{Map: Fourier, M: 7, Gamma: .2, Learn: true}, Side{}, false, false},
}

// objective computes it from its definition.
func objective(m *Model, a *sparse.CSR, x, y mat.Matrix) float64 {
	s := m.Predict(nil, x, y)
	var sum float64
	a.DoNonZero(func(i, j int, v float64) {
		b := s.At(i, j)
		if m.cfg.Loss == Squared {
			sum += (b - v) * (b - v) / 2
		} else {
			sum += math.Log(1 + math.Exp(-(2*v-1)*b))
		}
	})
	return sum + m.cfg.Lambda.Value()/2*(rows.Squares(m.rows.w)+rows.Squares(m.cols.w))
}

func TestObjective(t *testing.T) {
	algotest.Serial(t)
	for _, loss := range []Loss{Squared, Logistic} {
		a, x, y, _ := problem(30, 20, 5, .5, loss == Logistic)
		for _, m := range methods {
			for _, thin := range []bool{false, true} {
				t.Run(fmt.Sprintf("%s/%s/sparse=%v", loss, m.name, thin), func(t *testing.T) {
					var sx, sy mat.Matrix = x, y
					if thin {
						sx, sy = sparse.FromDense(x), sparse.FromDense(y)
					}
					if m.noX {
						sx = nil
					}
					if m.noY {
						sy = nil
					}
					c := Config{Rows: m.rows, Columns: m.columns, Rank: 3, Lambda: gram.Set(.3), Loss: loss, Rounds: 8, Steps: 8, Tol: gram.Set(1e-12), Products: 60}
					got := must.Have(c.Fit(context.Background(), a, sx, sy))(t)
					trace := got.Stats().Objective
					for i := 1; i < len(trace); i++ {
						if !(trace[i] <= trace[i-1]*(1+1e-12)) {
							t.Errorf("round %d: the objective rose from %v to %v", i, trace[i-1], trace[i])
						}
					}
					if want := objective(got, a, sx, sy); !(math.Abs(trace[len(trace)-1]-want) < 1e-9*want) {
						t.Errorf("objective %v, by its definition %v", trace[len(trace)-1], want)
					}
					if r := got.Stats().Rounds; (m.rows.Learn || m.columns.Learn) != (len(trace) > r) {
						t.Errorf("%d rounds, %d of them without learning", len(trace), r)
					} else if len(trace) > r && !(trace[len(trace)-1] < .98*trace[r-1]) {
						t.Errorf("learning takes the objective from %v to %v", trace[r-1], trace[len(trace)-1])
					}
				})
			}
		}
	}
}

// Every derivative that the descent goes by, against central differences.
func TestDerivatives(t *testing.T) {
	ctx := context.Background()
	for _, loss := range []Loss{Squared, Logistic} {
		a, x, y, _ := problem(25, 15, 4, .6, loss == Logistic)
		for _, m := range methods {
			for _, thin := range []bool{false, true} {
				name := fmt.Sprintf("%s/%s/sparse=%v", loss, m.name, thin)
				c := Config{Rows: m.rows, Columns: m.columns, Rank: 3, Loss: loss}
				c = must.Have(c.resolved(gram.Shape{N: 25, D: 4}, gram.Shape{N: 15, D: 5}))(t)
				var sx, sy mat.Matrix = x, y
				if thin {
					sx, sy = sparse.FromDense(x), sparse.FromDense(y)
				}
				if m.noX {
					sx = nil
				}
				if m.noY {
					sy = nil
				}
				p := must.Have(c.newSide(ctx, c.Rows, "rows", a, samples(sx)))(t)
				q := must.Have(c.newSide(ctx, c.Columns, "columns", a.Transpose(), samples(sy)))(t)
				for _, s := range [][2]*factorSide{{p, q}, {q, p}} {
					s, other := s[0], s[1]
					n, k := s.p.Dims()
					loss := func(p *mat.Dense) float64 {
						v := must.Have(s.loss(ctx, p, other.p))(t)
						return v
					}
					check := func(what string, got float64, at func(h float64) float64) {
						t.Helper()
						const h = 1e-5
						want := (at(h) - at(-h)) / (2 * h)
						if !(math.Abs(got-want) < 1e-6*max(1, math.Abs(want))) {
							t.Errorf("%s: %s is %v, by differences %v", name, what, got, want)
						}
					}
					g, b := mat.NewDense(n, k, nil), mat.NewDense(n, k, nil)
					must.Have(s.slope(ctx, g, other.p))(t)
					d := normal(rng.New(8, 0), n, k)
					along := func(h float64) *mat.Dense { return moved(s.p, h, d) }
					check("the slope in P", linalg.Inner(g, d), func(h float64) float64 { return loss(along(h)) })
					must.Do(t, s.bend(ctx, b, d, other.p, nil))
					if c, err := s.curvature(ctx, other.p); err != nil || c == nil {
						t.Fatalf("%s: curvature %v, error %v", name, c, err)
					} else {
						whole := mat.NewDense(n, k, nil)
						must.Do(t, s.bend(ctx, whole, d, other.p, c))
						if !mat.EqualApprox(whole, b, 1e-12) {
							t.Errorf("%s: second derivatives by rows and by entries differ", name)
						}
					}
					keep := s.p
					check("the second derivative in P", linalg.Inner(b, d), func(h float64) float64 {
						s.p = along(h)
						defer func() { s.p = keep }()
						e := mat.NewDense(n, k, nil)
						must.Have(s.slope(ctx, e, other.p))(t)
						return linalg.Inner(e, d)
					})
					if !s.learned {
						continue
					}
					gu := must.Have(s.gradient(ctx, other.p))(t)
					r, cols := gu.Dims()
					for i := range r {
						for j := range cols {
							check(fmt.Sprintf("the gradient in U_%d,%d", i, j), gu.At(i, j), func(h float64) float64 {
								u := mat.DenseCopyOf(s.f.Points())
								u.Set(i, j, u.At(i, j)+h)
								f := s.f.With(u)
								var p mat.Dense
								p.Mul(f.Map(nil, s.x.X), s.w)
								return loss(&p)
							})
						}
					}
				}
			}
		}
	}
}

// With a constant factor the Newton step solves a least squares problem.
func TestStepIsLeastSquares(t *testing.T) {
	ctx := context.Background()
	a, x, _, _ := problem(25, 15, 4, .6, false)
	c := Config{Rank: 3, Lambda: gram.Set(.7), Products: 200, Columns: Side{}}
	c = must.Have(c.resolved(gram.Shape{N: 25, D: 4}, gram.Shape{N: 15}))(t)
	p := must.Have(c.newSide(ctx, c.Rows, "rows", a, samples(x)))(t)
	q := must.Have(c.newSide(ctx, c.Columns, "columns", a.Transpose(), nil))(t)
	for range 2 {
		for _, s := range [][2]*factorSide{{p, q}, {q, p}} {
			s, other := s[0], s[1]
			must.Have(s.improve(ctx, other.p, 0))(t)
			n, k := s.w.Dims()
			// Normal equations over all entries of W, by their definition.
			h, b := mat.NewSymDense(n*k, nil), mat.NewVecDense(n*k, nil)
			for i := range n * k {
				h.SetSym(i, i, c.Lambda.Value())
			}
			s.a.DoNonZero(func(i, j int, v float64) {
				row := make([]float64, n*k)
				for f := range n {
					phi := 1.0
					if s.phi != nil {
						phi = s.phi.X.At(i, f)
					} else if f != i {
						continue
					}
					for e := range k {
						row[f*k+e] = phi * other.p.At(j, e)
					}
				}
				r := mat.NewVecDense(n*k, row)
				h.SymRankOne(h, 1, r)
				b.AddScaledVec(b, v, r)
			})
			var chol mat.Cholesky
			var want mat.VecDense
			if !chol.Factorize(h) {
				t.Fatal("not definite")
			}
			must.Do(t, chol.SolveVecTo(&want, b))
			for i := range n * k {
				if g := s.w.RawMatrix().Data[i]; !(math.Abs(g-want.AtVec(i)) < 1e-4) {
					t.Fatalf("entry %d of W is %v, want %v", i, g, want.AtVec(i))
				}
			}
		}
	}
}

// A matrix of low rank in known features is found from a third of its entries,
// also where neither row nor column has been seen.
func TestRecovery(t *testing.T) {
	r := rng.New(3, 1)
	x, y, z := normal(r, 70, 6), normal(r, 60, 5), normal(r, 6, 2)
	var u, v, full mat.Dense
	u.Mul(x, z)
	v.Mul(y, normal(r, 5, 2))
	full.Mul(&u, v.T())
	var list []sparse.Triplet
	for i := range 50 {
		for j := range 40 {
			if r.IntN(3) == 0 {
				list = append(list, sparse.Triplet{Row: i, Col: j, Val: full.At(i, j)})
			}
		}
	}
	a := must.Have(sparse.FromTriplets(50, 40, list, sparse.Reject))(t)
	m := must.Have(Config{Rank: 2, Lambda: gram.Set(1e-6), Rounds: 60, Products: 60, Tol: gram.Set(1e-9)}.Fit(context.Background(), a, x.Slice(0, 50, 0, 6), y.Slice(0, 40, 0, 5)))(t)
	got := m.Predict(nil, x, y)
	got.Sub(got, &full)
	if e := mat.Norm(got, 2) / mat.Norm(&full, 2); !(e < 1e-3) {
		t.Errorf("relative error %v", e)
	}
	p, q := m.Rows(nil, x.Slice(0, 50, 0, 6)), m.Columns(nil, y.Slice(0, 40, 0, 5))
	all := m.Predict(nil, x, y)
	at := Entries(nil, p, q, a)
	e := 0
	a.DoNonZero(func(i, j int, _ float64) {
		if !(math.Abs(at[e]-all.At(i, j)) < 1e-12*(1+math.Abs(at[e]))) {
			t.Fatalf("entry %d,%d is %v, among all %v", i, j, at[e], all.At(i, j))
		}
		e++
	})
}

// Validation takes as many rounds as were best for the entries it held out, and
// its second fit is the one that stops there.
func TestValidation(t *testing.T) {
	a, x, y, _ := problem(40, 30, 5, .3, false)
	side := Side{Map: Fourier, M: 20, Gamma: .2, Learn: true}
	c := Config{Rows: side, Columns: side, Rank: 3, Lambda: gram.Set(.01), Rounds: 6, Steps: 6, Tol: gram.Set(1e-12), Validation: .25}
	m := must.Have(c.Fit(context.Background(), a, x, y))(t)
	s := m.Stats()
	best := 0
	for i, v := range s.HeldOut {
		if v < s.HeldOut[best] {
			best = i
		}
	}
	if len(s.HeldOut) < 7 || len(s.Objective) != best+1 {
		t.Fatalf("%d rounds of %d with held-out loss %v", len(s.Objective), len(s.HeldOut), s.HeldOut)
	}
	c.Validation, c.Rounds, c.Steps = 0, s.Rounds, best+1-s.Rounds
	c.Rows.Learn, c.Columns.Learn = c.Steps > 0, c.Steps > 0
	again := must.Have(c.Fit(context.Background(), a, x, y))(t)
	if !mat.Equal(again.Predict(nil, x, y), m.Predict(nil, x, y)) {
		t.Error("a fit of as many rounds is another one")
	}
}

func TestBad(t *testing.T) {
	a, x, y, _ := problem(20, 15, 4, .5, false)
	expect := func(what, want string, c Config, a *sparse.CSR, x, y mat.Matrix) {
		t.Helper()
		m, err := c.Fit(context.Background(), a, x, y)
		if m != nil || err == nil || err.Error() != want {
			t.Errorf("%s: error %v, want %s", what, err, want)
		}
	}
	bad := a.Clone()
	bad.Val[3] = math.NaN()
	expect("NaN entry", "observed entries: row 1, column 6 is NaN", Config{}, bad, x, y)
	expect("other entries", "observed entries: row 1, column 1: for the logistic loss an entry is 1, or 0 or -1", Config{Loss: Logistic}, &sparse.CSR{N: 1, D: 1, Ptr: []int{0, 1}, Col: []int32{0}, Val: []float64{.5}}, nil, nil)
	expect("no entry", "observed entries: target of row 1: no entry is observed", Config{}, &sparse.CSR{N: 20, D: 15, Ptr: make([]int, 21)}, x, y)
	expect("too few rows", "side information of the columns: target of row 15: there are 14 rows for 15 of the matrix", Config{}, a, x, y.Slice(0, 14, 0, 5))
	expect("nothing to learn", "Rows.Learn is true, want a Fourier or Nystrom map; a linear one has nothing to learn", Config{Rows: Side{Learn: true}}, a, x, y)
	expect("negative rank", "Rank is -1, want at least 1", Config{Rank: -1}, a, x, y)
}

// rowFunctions are the functions of a model's rows alone.
type rowFunctions struct{ m *Model }

func (f rowFunctions) Map(dst *mat.Dense, x mat.Matrix) *mat.Dense { return f.m.Rows(dst, x) }

func (f rowFunctions) PredictAll(dst *mat.Dense, x mat.Matrix) *mat.Dense {
	return f.m.Predict(dst, x, nil)
}

// The rows' side of the contract: label sets as a fully observed matrix of zeros
// and ones.
func TestContract(t *testing.T) {
	full := func(tags *sparse.CSR) *sparse.CSR {
		d := tags.Dense()
		out := &sparse.CSR{N: tags.N, D: tags.D, Ptr: []int{0}}
		for i := range tags.N {
			for j := range tags.D {
				out.Col, out.Val = append(out.Col, int32(j)), append(out.Val, d.At(i, j))
			}
			out.Ptr = append(out.Ptr, len(out.Col))
		}
		return out
	}
	wrap := func(m *Model, err error) (*algotest.Model, error) {
		if m == nil {
			return nil, err
		}
		return &algotest.Model{Public: rowFunctions{m}, Output: func(x mat.Matrix) *mat.Dense { return m.Predict(nil, x, nil) }, Encode: m.Encode}, err
	}
	for _, s := range []struct {
		name    string
		c       Config
		random  []string
		redrawn bool
	}{
		{"linear", Config{}, []string{"columns", "rows"}, false},
		{"fourier", Config{Rows: Side{Map: Fourier, M: 6, Learn: true}, Loss: Logistic}, []string{"columns", "rows", "rows features"}, false},
		{"nystrom", Config{Rows: Side{Map: Nystrom, M: 6, Learn: true}, Validation: .2}, []string{"columns", "held out", "rows", "rows features"}, true},
	} {
		t.Run(s.name, func(t *testing.T) {
			if testing.Short() && s.c.Validation > 0 {
				t.Skip("the other two are checked")
			}
			at := func(n int, run gram.Run) Config {
				c := s.c
				c.Run, c.Rank, c.Rounds, c.Steps = run, 2, 3, 2
				if c.Rows.Map == Nystrom {
					c.Rows.M = min(c.Rows.M, n)
				}
				return c
			}
			subject := algotest.Subject{
				RowBytes: 32, // landmarks are packed for each 1024 rows, products are of 64
				Fit: func(ctx context.Context, d algotest.Data, run gram.Run) (*algotest.Model, error) {
					n, _ := d.X.Dims()
					return wrap(at(n, run).Fit(ctx, full(d.Tags), d.X, nil))
				},
				Plan: func(s gram.Shape, run gram.Run) (gram.Plan, error) {
					s.Outputs = max(s.Outputs, 5)
					return at(s.N, run).Plan(gram.Shape{N: s.N, Outputs: s.Outputs, NNZ: int64(s.N * s.Outputs)}, gram.Shape{D: s.D, NNZ: s.NNZ}, gram.Shape{})
				},
				Decode: func(f *modelfile.File) (*algotest.Model, error) {
					m, err := Decode(f)
					if m != nil && (!m.rows.side || m.cols.side) {
						return nil, &gram.ConfigError{Field: "RowSide", Value: m.rows.side, Want: "predictions for rows alone"}
					}
					return wrap(m, err)
				},
				Golden: s.name + ".v1.gram",
				Random: s.random,
				Memory: gram.Shape{N: 8_000, D: 8, Outputs: 5},
			}
			if s.redrawn { // the fit for validation starts as the last one does
				subject.Redrawn = []string{"columns", "rows", "rows features"}
			}
			algotest.Check(t, subject)
		})
	}
}

// A descent with one parameter at a time ends where no step is left.
func TestSearchEnds(t *testing.T) {
	f := Fourier.Basis(mat.NewDense(1, 1, []float64{2}), 0, false, 0)
	at := func(f basis.Learnable) (float64, error) { u := f.Points().At(0, 0) - 3; return u * u, nil }
	var s descent.Search
	v, _ := at(f)
	for step := range 200 {
		next, w := must.Have2(s.Step(f, mat.NewDense(1, 1, []float64{2 * (f.Points().At(0, 0) - 3)}), v, at))(t)
		if next == nil {
			if !(v < 1e-12) {
				t.Errorf("no step is left at %v after %d", v, step)
			}
			return
		}
		if !(w < v) {
			t.Fatalf("from %v to %v", v, w)
		}
		f, v = next, w
	}
	if !(v < 1e-12) {
		t.Errorf("%v after 200 steps", v)
	}
}

var _ descent.Transposed = (*rows.Products)(nil)

// samples are the rows of side information; nil: none.
func samples(x mat.Matrix) *gram.Samples[float64] {
	if x == nil {
		return nil
	}
	s := gram.Of(x)
	return &s
}

// Landmarks for sparse rows, wide enough for a center to matter, are read as such.
func TestSparseLandmarksAreStored(t *testing.T) {
	a, x, _, _ := problem(30, 8, 20, .7, false)
	thin := sparse.FromDense(x)
	for _, side := range []mat.Matrix{x, thin} {
		m := must.Have(Config{Rank: 2, Rounds: 2, Rows: Side{Map: Nystrom, M: 5}}.Fit(t.Context(), a, side, nil))(t)
		var b bytes.Buffer
		must.Do(t, modelfile.Write(&b, m))
		f := must.Have(modelfile.Read(&b))(t)
		again := must.Have(Decode(f))(t)
		if descent.Thin(again.RowFeatures()) != (side == mat.Matrix(thin)) || !mat.Equal(again.Predict(nil, thin, nil), m.Predict(nil, thin, nil)) {
			t.Errorf("%T: a model that is read again is another one", side)
		}
	}
}
