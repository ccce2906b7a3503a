package falkon

import (
	"bytes"
	"context"
	"errors"
	"math"
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/algotest"
	"github.com/gramworks/gram/algos/lowrank/landmark"
	"github.com/gramworks/gram/algos/solve"
	"github.com/gramworks/gram/internal/looktest"
	"github.com/gramworks/gram/internal/must"
	"github.com/gramworks/gram/kernel"
	"github.com/gramworks/gram/modelfile"
	"github.com/gramworks/gram/sparse"
	"gonum.org/v1/gonum/mat"
)

// A product in float32 differs from CᵀSCV by some units in the last place of Cᵀ·S·C·|V|, for all shapes, sizes of numbers, weights
// and kinds of rows, and has the same bits whatever of C is kept.
func TestSinglePass(t *testing.T) {
	d := algotest.Problem(3, 1_300, 3, 3)
	x := mat.DenseCopyOf(d.X)
	for _, test := range []struct {
		m, columns int
		size       float64
		w          []float64
		sparse     bool
	}{
		{1, 1, 1, nil, false}, {7, 2, 1e-200, d.Weights, false}, {600, 1, 1, nil, true}, {600, 6, 1e200, d.Weights, false}, {40, 5, 1, nil, false},
	} {
		for _, n := range []int{1, 9, 1_024, 1_300} {
			p := &problem{c: Config{Kernel: gauss, M: test.m}, u: mat.DenseCopyOf(x.Slice(100, 100+test.m, 0, 3)), meter: gram.Run{}.Meter()}
			p.pack()
			p.x = gram.Of(x.Slice(0, n, 0, 3))
			if test.sparse {
				p.x = gram.Of(sparse.FromDense(mat.DenseCopyOf(x.Slice(0, n, 0, 3))))
			}
			if test.w != nil {
				p.w = test.w[:n]
			}
			vt := mat.NewDense(test.columns, test.m, nil)
			positive := mat.NewDense(test.columns, test.m, nil)
			for k := range vt.RawMatrix().Data {
				v := test.size * math.Sin(float64(k+1)) * math.Exp2(float64(k%5))
				vt.RawMatrix().Data[k], positive.RawMatrix().Data[k] = v, math.Abs(v)
			}
			product := func(v *mat.Dense) *mat.Dense {
				dst := mat.NewDense(test.m, test.columns, nil)
				must.Do(t, p.pass(t.Context(), dst, "rows", func(_, _ int, c, to *mat.Dense) { values(to, c, v) }))
				return dst
			}
			got := mat.NewDense(test.m, test.columns, nil)
			must.Do(t, p.singlePass(t.Context(), got, newScaled(vt)))
			want, size := product(vt), product(positive)
			for i, v := range got.RawMatrix().Data {
				if !(math.Abs(v-want.RawMatrix().Data[i]) <= 0x1p-24*16*size.RawMatrix().Data[i]) {
					t.Fatalf("%+v, %d rows, number %d: %g, want %g", test, n, i, v, want.RawMatrix().Data[i])
				}
			}
			for _, kept := range []int{1, 2} {
				p.kept, p.c.Workers = make([][]float32, kept), kept
				for range 2 {
					again := mat.NewDense(test.m, test.columns, nil)
					must.Do(t, p.singlePass(t.Context(), again, newScaled(vt)))
					if !mat.Equal(again, got) {
						t.Errorf("%+v, %d rows, %d blocks kept: other bits", test, n, kept)
					}
				}
			}
		}
	}
}

// The solution of products in float32 meets a tolerance that float32 does not know: it is that of the normal equations.
func TestSingleOptimum(t *testing.T) {
	d := algotest.Problem(3, 2_500, 3, 3)
	x, y := mat.DenseCopyOf(d.X), two(d)
	z := mat.DenseCopyOf(algotest.Problem(4, 40, 3, 3).X)
	index := []int{3, 70, 200, 444, 900, 901, 1500, 1800, 2000, 2499}
	u := mat.NewDense(len(index), 3, nil)
	for j, i := range index {
		u.SetRow(j, x.RawRowView(i))
	}
	for _, c := range []Config{{NoBias: true, Lambda: gram.Set(1e-7)}, {}, {Lambda: gram.Set(1e5)}} {
		for _, w := range [][]float64{nil, d.Weights} {
			c.Kernel, c.Landmarks, c.Tol, c.Single = gauss, landmark.Fixed{U: u}, 1e-12, true
			m := must.Have(c.FitAll(t.Context(), x, y, w))(t)
			st := m.Stats()
			if !(st.Residual <= 1e-12) || st.Single < 2 || st.Single > st.Iterations || !(st.RMSBound > 0) {
				t.Errorf("%+v", st)
			}
			want, got := oracle(x, u, y, w, st.Shift, bool(!c.NoBias), z), m.PredictAll(nil, z)
			got.Sub(got, want)
			if e := mat.Norm(got, math.Inf(1)) / mat.Norm(want, math.Inf(1)); !(e <= 1e-9) {
				t.Errorf("λ %g: predictions differ by %g", st.Shift, e)
			}
		}
	}
}

// The residual is that of the system in float64 for fits that end after any number of passes, and whatever products in float32
// are worth: those of landmarks that are almost equal, and of kernel values beyond the numbers of float32.
func TestSingleResidual(t *testing.T) {
	d := algotest.Problem(7, 500, 2, 3)
	near, far, same := mat.DenseCopyOf(d.X), mat.DenseCopyOf(d.X), mat.NewDense(500, 2, nil)
	near.Scale(.1, near)
	far.Scale(1e20, far)
	for name, test := range map[string]struct {
		x      *mat.Dense
		c      Config
		double bool // most products are in float64
	}{
		"far":   {mat.DenseCopyOf(d.X), Config{Kernel: gauss, M: 60, Lambda: gram.Set(.1), Tol: 1e-8}, false},
		"near":  {near, Config{Kernel: gauss, M: 200, Lambda: gram.Set(1e-3), NoBias: true}, false},
		"large": {far, Config{Kernel: kernel.Homogeneous{Degree: 2}, M: 3, Lambda: gram.Set(1e70), NoBias: true}, true},
		"equal": {same, Config{Kernel: gauss, M: 5, Lambda: gram.Set(1.)}, false},
	} {
		for _, passes := range []int{1, 2, 3, 5, 8, 200} {
			c := test.c
			c.Single, c.MaxIter = true, passes
			m, err := c.FitAll(t.Context(), test.x, two(d), nil)
			var short *gram.ConvergenceError
			if m == nil || err != nil && !errors.As(err, &short) || passes == 200 && err != nil {
				t.Fatalf("%s, %d passes: %v", name, passes, err)
			}
			st := m.Stats()
			if err != nil && (short.Residual != st.Residual || short.Iter != st.Iterations || st.Iterations < passes) || passes == 200 && (2*st.Single < st.Iterations) != test.double {
				t.Errorf("%s, %d passes: %v, %+v", name, passes, err, st)
			}
			if !(st.Iterations <= passes+1) {
				t.Errorf("%s: %d passes of %d", name, st.Iterations, passes)
			}
			p := must.Have(c.begin(t.Context(), test.x, two(d), nil, 1))(t)
			res, _ := p.system(t.Context()).measured(t, p, st, c)
			if !(math.Abs(res-st.Residual) <= 1e-3*res+1e-13) {
				t.Errorf("%s, %d passes: the residual is %g, not %g", name, passes, res, st.Residual)
			}
		}
	}
}

// measured returns the largest relative residual of a fit that is made again, from products in float64 alone.
func (s *system) measured(t *testing.T, p *problem, st Stats, c Config) (worst float64, z *mat.Dense) {
	_, err := p.fit(t.Context())
	if short := (*gram.ConvergenceError)(nil); err != nil && !errors.As(err, &short) {
		t.Fatal(err)
	}
	z = p.z
	r := mat.NewDense(p.c.M, z.RawMatrix().Cols, nil)
	s.Apply(r, z)
	for j := range z.RawMatrix().Cols {
		var square, norm float64
		for i := range p.c.M {
			v := p.rhs.At(i, j) - r.At(i, j) - st.Shift*z.At(i, j)
			square, norm = square+v*v, norm+p.rhs.At(i, j)*p.rhs.At(i, j)
		}
		if norm > 0 {
			worst = max(worst, math.Sqrt(square/norm))
		}
	}
	return worst, z
}

// A stage whose products in float32 are no numbers leaves the iterate of the stage before it, and one that does not halve the
// residual is the last in float32.
func TestSingleStages(t *testing.T) {
	diagonal := []float64{1, 2, 5, 11, 17}
	for name, test := range map[string]struct {
		single func(call int) float64 // factor of a product in float32
		most   int                    // products in float32
	}{
		"right":  {func(int) float64 { return 1 }, 40},
		"none":   {func(int) float64 { return math.NaN() }, 1},
		"later":  {func(call int) float64 { return []float64{1 + 1e-5, math.NaN()}[min(call/8, 1)] }, 9},
		"little": {func(int) float64 { return 2.5 }, 5},
	} {
		one, calls, exact := mat.NewDense(5, 5, nil), 0, 0
		for i := range 5 {
			one.Set(i, i, 1)
		}
		s := &system{t: one, product: func(dst, v *mat.Dense, single bool) error {
			f := 1.
			if single {
				f = test.single(calls)
				calls++
			} else {
				exact++
			}
			for i, a := range diagonal {
				dst.Set(i, 0, f*a*v.At(i, 0))
			}
			return nil
		}}
		z, b := mat.NewDense(5, 1, nil), mat.NewDense(5, 1, []float64{1, -2, 3, 4, 1})
		res, err := s.solve(t.Context(), z, 1, b, solve.Options{Tol: 1e-12, MaxIter: 60, Progress: func(gram.Event) {}}, true)
		if err != nil || !res.made || res.single != calls || calls < 1 || calls > test.most || exact < 1 {
			t.Errorf("%s: %v, %d products in float32 of %d, %d in float64", name, err, calls, res.single, exact)
		}
		for i, a := range diagonal {
			if want := b.At(i, 0) / (a + 1); !(math.Abs(z.At(i, 0)-want) <= 1e-10) {
				t.Errorf("%s: number %d is %g, want %g", name, i, z.At(i, 0), want)
			}
		}
	}
}

// A model has the same bytes for any number of workers, for any memory, and if others make the passes, with all states from bytes.
func TestSingleSameBits(t *testing.T) {
	d := algotest.Problem(3, 2_500, 3, 3)
	x, y := mat.DenseCopyOf(d.X), two(d)
	wide := mat.NewDense(2_500, 5, nil) // products with more than four columns take another path
	for j := range 5 {
		wide.SetCol(j, mat.Col(nil, j%2, y))
	}
	for _, y := range []*mat.Dense{y, wide} {
		c := Config{Kernel: gauss, M: 300, Single: true, Tol: 1e-9, Run: gram.Run{Seed: 5, Workers: 1}}
		first := must.Have(c.FitAll(t.Context(), x, y, nil))(t)
		want := written(t, first)
		plan := must.Have(c.Plan(gram.Shape{N: 2_500, D: 3, Outputs: len(y.RawRowView(0))}))(t)
		c.Workers, c.CacheBytes = 3, 1
		for _, limit := range []int64{0, plan.PeakBytes - 1} {
			c.MemoryLimit = limit
			if c.Workers = 3; limit > 0 {
				c.Workers, c.CacheBytes = 1, 0
			}
			if !bytes.Equal(written(t, must.Have(c.FitAll(t.Context(), x, y, nil))(t)), want) {
				t.Errorf("another model with %+v", c.Run)
			}
		}
		c.MemoryLimit = 0
		p, f, err := c.Passes(t.Context(), x, y, 2_500)
		must.Do(t, err)
		p = read(t, written(t, p), DecodePasses)
		single := 0
		m := must.Have(p.Solve(t.Context(), f, gram.Run{}, func(number int, v *Coefficients) (*Sums, error) {
			if v != nil {
				if v.Single {
					single++
				}
				headed := func(v *Coefficients) func(x *modelfile.Exchange) {
					return func(x *modelfile.Exchange) { x.Header("coefficients", 1, &struct{}{}); v.Exchange(x) }
				}
				stored := written(t, exchanged(headed(v)))
				v = read(t, stored, func(file *modelfile.File) (*Coefficients, error) {
					return modelfile.Get(file, &Coefficients{}, func(v *Coefficients, x *modelfile.Exchange) { headed(v)(x) })
				})
			}
			return added(t.Context(), p, x, y)(number, v)
		}))(t)
		if !bytes.Equal(written(t, m), want) || single != first.Stats().Single || single < 2 {
			t.Errorf("another model by passes, %d of them in float32, not %d", single, first.Stats().Single)
		}
	}
}

// Fits for several λ start from each other's solutions.
func TestSingleEach(t *testing.T) {
	d := algotest.Problem(6, 1_200, 3, 3)
	c := Config{Kernel: gauss, M: 60, Tol: 1e-11}
	lambda := []float64{1e-2, 10, 1e-4, 0.3}
	want := must.Have(c.FitEach(t.Context(), d.X, two(d), nil, lambda))(t)
	c.Single = true
	for i, m := range must.Have(c.FitEach(t.Context(), d.X, two(d), nil, lambda))(t) {
		if !(m.Stats().Residual <= 1e-11) || m.Stats().Single == 0 {
			t.Errorf("%+v", m.Stats())
		}
		near(t, "function", m.PredictAll(nil, d.X).RawMatrix().Data, want[i].PredictAll(nil, d.X).RawMatrix().Data, 1e-6)
	}
}

// A fit in float32 ends at whichever look its context ends, and does not take the residual of the recurrence for a bound.
func TestSingleLooks(t *testing.T) {
	d := algotest.Problem(3, 60, 3, 3)
	c := Config{Kernel: gauss, M: 10, Lambda: gram.Set(.1), Single: true, Run: gram.Run{Workers: 2}}
	looktest.Every(t, func(ctx context.Context) (any, error) {
		m, err := c.Fit(ctx, d.X, d.Value, nil)
		if err != nil {
			if m != nil && m.Stats().RMSBound != 0 {
				t.Errorf("%+v", m.Stats())
			}
			return nil, err
		}
		return m.Predict(nil, d.X), nil
	})
}

func TestSingleContract(t *testing.T) {
	at := func(n int, run gram.Run) Config {
		c := Config{Kernel: kernel.Gaussian{Gamma: 0.3}, Lambda: gram.Set(0.1), M: min(n, 20), Single: true, Run: run}
		if n > 1000 {
			c.M = 400
		}
		return c
	}
	algotest.Check(t, algotest.Subject{
		Kind: algotest.Regression,
		Fit: func(ctx context.Context, d algotest.Data, run gram.Run) (*algotest.Model, error) {
			return algotest.Fitted(at(len(d.Value), run).Fit(ctx, d.X, d.Value, d.Weights))
		},
		Plan:     func(s gram.Shape, run gram.Run) (gram.Plan, error) { return at(s.N, run).Plan(s) },
		Decode:   func(f *modelfile.File) (*algotest.Model, error) { return algotest.Fitted(Decode(f)) },
		Weighted: true,
		Random:   []string{"landmarks", "preconditioner"},
		Memory:   gram.Shape{N: 20_000, D: 8, Outputs: 1},
		Exact: func(ctx context.Context, d algotest.Data, run gram.Run) (*algotest.Model, error) {
			c := at(8, run)
			c.Tol, c.Landmarks = 1e-12, landmark.Fixed{U: mat.DenseCopyOf(algotest.Problem(9, 8, 4, 3).X)}
			return algotest.Fitted(c.Fit(ctx, d.X, d.Value, d.Weights))
		},
	})
}
