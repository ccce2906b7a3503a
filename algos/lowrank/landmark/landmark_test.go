package landmark

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/algotest"
	"github.com/gramworks/gram/internal/must"
	"github.com/gramworks/gram/kernel"
	"github.com/gramworks/gram/num/rng"
	"github.com/gramworks/gram/settings"
	"github.com/gramworks/gram/sparse"
	"gonum.org/v1/gonum/mat"
)

var selectors = map[string]Selector{
	"uniform":     Uniform{},
	"k-means":     KMeans{},
	"column norm": ColumnNorm{Sample: 40},
	"leverage":    Leverage{},
	"farthest":    Farthest{},
	"rpcholesky":  RPCholesky{Sample: 100},
}

var gauss = kernel.Gaussian{Gamma: 0.5}

func choose(t *testing.T, s Selector, x mat.Matrix, w []float64, m int, run gram.Run) Points {
	t.Helper()
	p := must.Have(s.Select(context.Background(), gauss, x, w, m, run))(t)
	return p
}

func TestSelectors(t *testing.T) {
	d := algotest.Problem(1, 120, 3, 3)
	x := d.X.(*mat.Dense)
	keep := mat.DenseCopyOf(x)
	w := make([]float64, 120)
	for i := range w {
		w[i] = float64(i % 2) // odd rows only
	}
	for name, s := range selectors {
		t.Run(name, func(t *testing.T) {
			for _, m := range []int{1, 2, 30, 60} {
				for _, weights := range [][]float64{nil, w} {
					run := gram.Run{Seed: 4}
					p := choose(t, s, x, weights, m, run)
					if r, c := p.U.Dims(); r != m || c != 3 {
						t.Fatalf("%d×%d landmarks, want %d×3", r, c, m)
					}
					for k, i := range p.Index {
						if k > 0 && i <= p.Index[k-1] {
							t.Fatalf("indices %v are not ascending and different", p.Index)
						}
						if weights != nil && weights[i] == 0 {
							t.Errorf("m=%d: row %d has weight zero", m, i)
						}
						if !slices.Equal(p.U.RawRowView(k), x.RawRowView(i)) {
							t.Errorf("landmark %d is not row %d", k, i)
						}
					}
					if (p.Index == nil) != (name == "k-means") {
						t.Errorf("indices %v", p.Index)
					}
					for _, workers := range []int{1, 7} {
						run.Workers = workers
						if q := choose(t, s, x, weights, m, run); !mat.Equal(q.U, p.U) {
							t.Errorf("m=%d: other landmarks with %d workers", m, workers)
						}
					}
					for _, y := range []mat.Matrix{sparse.FromDense(x), mat.Transpose{Matrix: mat.DenseCopyOf(x.T())}} {
						q := choose(t, s, y, weights, m, gram.Run{Seed: 4})
						if name != "k-means" && !mat.Equal(q.U, p.U) {
							t.Errorf("m=%d: %T gives other landmarks", m, y)
						}
					}
				}
			}
			a, b := choose(t, s, x, nil, 50, gram.Run{Seed: 4}), choose(t, s, x, nil, 50, gram.Run{Seed: 5})
			if mat.Equal(a.U, b.U) {
				t.Error("the seed does not matter")
			}
			if !mat.Equal(x, keep) {
				t.Error("the data have changed")
			}
			var ce *gram.ConfigError
			for _, m := range []int{0, -1, 121} {
				if _, err := s.Select(context.Background(), gauss, x, nil, m, gram.Run{}); !errors.As(err, &ce) || ce.Field != "M" {
					t.Errorf("m=%d: error %v", m, err)
				}
			}
			ctx, cancel := context.WithCancel(context.Background())
			cancel()
			if _, err := s.Select(ctx, gauss, x, nil, 5, gram.Run{}); err != context.Canceled {
				t.Errorf("cancelled: error %v", err)
			}
			// All rows, copies, one row.
			if p := choose(t, s, x, nil, 120, gram.Run{}); p.Index != nil && len(p.Index) != 120 {
				t.Errorf("%d of all 120 rows", len(p.Index))
			}
			choose(t, s, mat.NewDense(20, 2, nil), nil, 9, gram.Run{})
			choose(t, s, mat.NewDense(1, 2, nil), nil, 1, gram.Run{})
		})
	}
}

func TestPlanHoldsWhatSelectTakes(t *testing.T) {
	if testing.Short() {
		t.Skip("takes the time of larger selections")
	}
	const n, m = 10_000, 200
	x := algotest.Problem(2, n, 8, 3).X
	for name, s := range selectors {
		if name == "k-means" {
			s = KMeans{MaxIter: 2}
		}
		if name == "column norm" {
			s = ColumnNorm{}
		}
		plan := must.Have(s.(Planner).Plan(gram.Shape{N: n, D: 8}, m, gram.Run{}))(t)
		t.Run(name, func(t *testing.T) {
			algotest.CheckPeak(t, plan.PeakBytes, func() { choose(t, s, x, nil, m, gram.Run{}) })
		})
	}
}

// The defaults of k-means as a selector; what is set is kept.
func TestKMeansDefaults(t *testing.T) {
	for m, sample := range map[int]int{9: 20_000, 30_000: 30_000} {
		c, err := (KMeans{}).config(m, gram.Run{})
		if err != nil {
			t.Fatal(err)
		}
		if c, err = settings.Resolved(c, gram.Shape{N: 50_000}); err != nil || c.K != m || c.Sample != sample || c.MaxIter != 30 || c.Tol != 1e-3 {
			t.Errorf("%d landmarks: %+v, %v", m, c, err)
		}
	}
	c, err := (KMeans{Sample: 7, MaxIter: 2, Tol: 1, Starts: 3, AllRows: true}).config(5, gram.Run{Seed: 4})
	if err != nil || c.Sample != 7 || c.MaxIter != 2 || c.Tol != 1 || c.Starts != 3 || !c.AllRows || c.Seed != 4 {
		t.Errorf("%+v", c)
	}
}

// The plans count the flops and the bytes: of the sketch, as rows and packed, of a block of
// rows against it, of the landmarks and of what a row has, which is a place in a
// permutation, a mass, a key and an index; Leverage those of its factor too. Farthest has a
// squared norm and a distance for a row instead of the place.
func TestPlans(t *testing.T) {
	for _, c := range []struct {
		n, block int
	}{{3000, 1024}, {700, 700}} {
		shape, n := gram.Shape{N: c.n, D: 7}, int64(c.n)
		sketch := 8 * (2*50*7 + int64(c.block)*50 + (1+1+2)*n + 9*7)
		for s, want := range map[Planner]gram.Plan{
			ColumnNorm{Sample: 50}: {Flops: float64(2 * n * 50 * 7), PeakBytes: sketch},
			Leverage{Sketch: 50}:   {Flops: float64(2*n*50*7 + 2*n*50*50 + 9*50*50*50), PeakBytes: sketch + 8*50*(3*50+int64(c.block))},
			Farthest{}:             {Flops: float64(2 * n * 9 * 7), PeakBytes: 8 * ((2+1+2)*n + 9*7)},
		} {
			if got, err := s.Plan(shape, 9, gram.Run{}); got != want || err != nil {
				t.Errorf("%T for %d rows: %+v, %v; want %+v", s, n, got, err, want)
			}
		}
		// Selectors that compute no kernel values: a permutation of indices and its inverse, and the landmarks.
		for s, want := range map[string]struct {
			s    Planner
			peak int64
		}{"uniform": {Uniform{}, 8 * (2*n + 9*7)}, "fixed": {Fixed{}, 8 * 9 * 7}} {
			if got, err := want.s.Plan(shape, 9, gram.Run{}); got != (gram.Plan{PeakBytes: want.peak}) || err != nil {
				t.Errorf("%s for %d rows: %+v, %v; want %d bytes", s, n, got, err, want.peak)
			}
		}
		// That of k-means is the plan of the clusters.
		config := must.Have((KMeans{Starts: 2}).config(9, gram.Run{}))(t)
		want := must.Have(config.Plan(shape))(t)
		if got, err := (KMeans{Starts: 2}).Plan(shape, 9, gram.Run{}); got != want || err != nil {
			t.Errorf("k-means for %d rows: %+v, %v; want %+v", n, got, err, want)
		}
	}
	for _, s := range []KMeans{{Tol: -1}, {MaxIter: -1}} {
		_, err := s.Plan(gram.Shape{N: 30, D: 3}, 3, gram.Run{})
		_, other := s.Select(t.Context(), gauss, mat.NewDense(30, 3, nil), nil, 3, gram.Run{})
		if err == nil || other == nil {
			t.Errorf("%+v: %v, %v of the plan", s, other, err)
		}
	}
}

// Selecting takes what the plans say, within a factor of two.
func TestPeaks(t *testing.T) {
	x := algotest.Problem(1, 40_000, 3, 3).X
	for _, s := range []Planner{ColumnNorm{Sample: 20}, Leverage{Sketch: 20}, Farthest{}, RPCholesky{}} {
		plan := must.Have(s.Plan(gram.ShapeOf(x, 0), 9, gram.Run{}))(t)
		algotest.CheckPeak(t, plan.PeakBytes, func() {
			if _, err := s.(Selector).Select(context.Background(), gauss, x, nil, 9, gram.Run{Workers: 1}); err != nil {
				t.Error(err)
			}
		})
	}
}

// The scores with a sketch of all rows are the leverage scores themselves.
func TestLeverageScores(t *testing.T) {
	const n = 60
	x := algotest.Problem(3, n, 2, 3).X
	const lambda = 0.7
	got := must.Have(Leverage{Sketch: n, Lambda: lambda}.scores(context.Background(), gauss, gram.Of(x), 10, gram.Run{}))(t)
	g, shifted := mat.NewSymDense(n, nil), mat.NewSymDense(n, nil)
	for i := range n {
		for j := range i + 1 {
			v := gauss.Eval(x.(*mat.Dense).RawRowView(i), x.(*mat.Dense).RawRowView(j))
			g.SetSym(i, j, v)
			if i == j {
				v += lambda
			}
			shifted.SetSym(i, j, v)
		}
	}
	var chol mat.Cholesky
	if !chol.Factorize(shifted) {
		t.Fatal("not positive definite")
	}
	var l mat.Dense
	must.Do(t, chol.SolveTo(&l, g))
	for i := range n {
		if !(math.Abs(got[i]-l.At(i, i)) < 1e-9) {
			t.Errorf("score of row %d is %g, want %g", i, got[i], l.At(i, i))
		}
	}
}

// A few rows far from the rest are what uniform sampling misses.
func TestAdaptiveSelectorsFindRareRows(t *testing.T) {
	const n, rare = 2000, 10
	r := rng.New(6, 0)
	x := mat.NewDense(n, 2, nil)
	for i := range n {
		x.Set(i, 0, 0.3*r.NormFloat64())
		x.Set(i, 1, 0.3*r.NormFloat64())
		if i < rare {
			x.Set(i, 0, float64(20+10*i))
		}
	}
	found := func(s Selector) float64 {
		total := 0
		for seed := range uint64(10) {
			for _, i := range choose(t, s, x, nil, 40, gram.Run{Seed: seed}).Index {
				if i < rare {
					total++
				}
			}
		}
		return float64(total) / 10
	}
	if f := found(Farthest{}); f != rare {
		t.Errorf("the farthest points hold %g of %d rare rows", f, rare)
	}
	// Each of them is all that is left of its diagonal element.
	if f := found(RPCholesky{}); f < rare-1 {
		t.Errorf("pivots find %g of %d rare rows", f, rare)
	}
	// The scores of a small sketch overestimate those of all other rows.
	if f := found(Leverage{}); f < 2 {
		t.Errorf("leverage scores find %g of %d rare rows", f, rare)
	}
	if f := found(Uniform{}); !(f <= 1) {
		t.Errorf("uniform sampling finds %g of %d rare rows", f, rare)
	}
	if f := found(ColumnNorm{}); !(f <= 1) {
		t.Errorf("column norms find %g of %d rare rows, which have the smallest", f, rare)
	}
}

func TestDrawFollowsTheMass(t *testing.T) {
	mass := []float64{1, 2, 0, 4, 1}
	count := make([]int, 5)
	const draws = 20000
	for seed := range uint64(draws) {
		count[drawWithout(mass, 1, seed)[0]]++
	}
	for i, v := range mass {
		p := v / 8
		if sd := math.Sqrt(p * (1 - p) / draws); !(math.Abs(float64(count[i])/draws-p) <= 4.5*sd) {
			t.Errorf("index %d drawn %d times in %d, want %g", i, count[i], draws, p*draws)
		}
	}
	if got := drawWithout(mass, 5, 1); !slices.Equal(got, []int{0, 1, 2, 3, 4}) {
		t.Errorf("all five are %v", got)
	}
}

func TestFixed(t *testing.T) {
	x := algotest.Problem(4, 30, 3, 3).X
	p := choose(t, Fixed{Index: []int{2, 5, 29}}, x, nil, 3, gram.Run{})
	if p.U.At(2, 1) != x.At(29, 1) || !slices.Equal(p.Index, []int{2, 5, 29}) {
		t.Error("not the rows that were given")
	}
	u := mat.NewDense(2, 3, []float64{1, 2, 3, 4, 5, 6})
	if p := choose(t, Fixed{U: u}, x, nil, 2, gram.Run{}); !mat.Equal(p.U, u) || p.Index != nil {
		t.Error("not the points that were given")
	}
	// Rows and their numbers must fit each other, and neither is that of the settings.
	index := []int{2, 5, 29}
	both := Fixed{Index: index, U: mat.DenseCopyOf(p.U)}
	for _, s := range []Fixed{both, {Index: index}, {U: both.U}} {
		got := choose(t, s, x, nil, 3, gram.Run{})
		if !mat.Equal(got.U, p.U) || (s.Index == nil) != (got.Index == nil) || s.Index != nil && !slices.Equal(got.Index, index) {
			t.Errorf("%+v: selected %+v", s, got)
		}
		if got.U.Zero(); got.Index != nil {
			got.Index[0] = 7
		}
		if !mat.Equal(both.U, p.U) || index[0] != 2 {
			t.Fatal("the settings change with what is selected")
		}
	}
	other := mat.DenseCopyOf(p.U)
	other.Set(2, 1, 7)
	_, err := Fixed{Index: index, U: other}.Select(t.Context(), gauss, x, nil, 3, gram.Run{})
	algotest.Names(t, "U", "another matrix", err)
	_, err = Fixed{Index: []int{2, 29, 5}, U: other}.Select(t.Context(), gauss, x, nil, 3, gram.Run{})
	algotest.Names(t, "Index", "unsorted", err)
	for _, m := range []int{0, 31} {
		_, err = Fixed{Index: make([]int, m)}.Select(t.Context(), gauss, x, nil, m, gram.Run{})
		algotest.Names(t, "M", m, err)
	}
	var ce *gram.ConfigError
	for _, s := range []Fixed{{Index: []int{1, 1, 2}}, {Index: []int{1, 2, 30}}, {Index: []int{1, 2}}, {U: u}, {Index: []int{-1, 1, 2}}} {
		if _, err := s.Select(context.Background(), gauss, x, nil, 3, gram.Run{}); !errors.As(err, &ce) {
			t.Errorf("%v: error %v", s, err)
		}
	}
}

func TestPrecomputedKernels(t *testing.T) {
	x := algotest.Problem(5, 80, 3, 3).X.(*mat.Dense)
	k := kernel.Columns(func(dst []float64, j int) {
		for i := range dst {
			dst[i] = gauss.Eval(x.RawRowView(i), x.RawRowView(j))
		}
	}, 80)
	for name, s := range selectors {
		p, err := s.Select(context.Background(), k, kernel.Indices(80), nil, 10, gram.Run{})
		var ce *gram.ConfigError
		if name == "k-means" {
			if !errors.As(err, &ce) {
				t.Errorf("k-means: error %v", err)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if name == "leverage" || name == "column norm" {
			if q := choose(t, s, x, nil, 10, gram.Run{}); !slices.Equal(q.Index, p.Index) {
				t.Errorf("%s: %v by columns, %v by rows", name, p.Index, q.Index)
			}
		}
	}
}

func ExampleUniform() {
	x := mat.NewDense(5, 1, []float64{0, 1, 2, 3, 4})
	p, err := Fixed{Index: []int{1, 3}}.Select(context.Background(), kernel.Linear{}, x, nil, 2, gram.Run{})
	if err != nil {
		panic(err)
	}
	fmt.Println(mat.Formatted(p.U.T()), p.Index)
	q, err := Uniform{}.Select(context.Background(), kernel.Linear{}, x, []float64{0, 1, 0, 0, 1}, 2, gram.Run{Seed: 1})
	if err != nil {
		panic(err)
	}
	fmt.Println(q.Index)
	// Output:
	// [1  3] [1 3]
	// [1 4]
}

func TestSelectionDraws(t *testing.T) {
	x := algotest.Problem(3, 90, 4, 3).X
	for _, s := range []struct {
		name   string
		s      Selector
		random []string
	}{
		{"uniform", Uniform{}, []string{"seed"}},
		{"k-means", KMeans{}, []string{"seed"}},
		{"column norm", ColumnNorm{Sample: 20}, []string{"seed"}},
		{"leverage", Leverage{Sketch: 20}, []string{"seed"}},
		{"farthest", Farthest{}, []string{"seed"}},
		{"rpcholesky", RPCholesky{Sample: 20}, []string{"candidates", "seed"}},
		{"fixed", Fixed{Index: []int{1, 3, 5, 7, 9}}, nil},
	} {
		algotest.Draws(t, s.name, s.random, nil, func(run gram.Run) {
			if _, err := s.s.Select(t.Context(), gauss, x, nil, 5, run); err != nil {
				t.Errorf("%s: %v", s.name, err)
			}
		})
	}
}

// Selections of rows look at the context between blocks.
func TestSelectionLooks(t *testing.T) {
	few := algotest.Problem(3, 300, 8, 3).X
	for name, s := range selectors {
		t.Run(name+" obeys", func(t *testing.T) {
			algotest.Obeys(t, func(ctx context.Context) error {
				_, err := s.Select(ctx, gauss, few, nil, 15, gram.Run{Workers: 1})
				return err
			})
		})
	}
	x := algotest.Problem(3, 20_000, 8, 3).X
	for name, s := range selectors {
		if name == "column norm" {
			s = ColumnNorm{Sample: 400}
		}
		t.Run(name, func(t *testing.T) {
			algotest.Looks(t, 0, func(ctx context.Context) error {
				_, err := s.Select(ctx, gauss, x, nil, 150, gram.Run{Workers: 1})
				return err
			})
		})
	}
}

func TestSettings(t *testing.T) {
	x := algotest.Problem(5, 30, 3, 3).X
	names := func(field string, k kernel.Kernel, s Selector) {
		t.Helper()
		_, err := s.Select(t.Context(), k, x, nil, 3, gram.Run{})
		algotest.Names(t, field, s, err)
	}
	for _, lambda := range []float64{-1, math.NaN(), math.Inf(1)} {
		names("Lambda", gauss, Leverage{Lambda: lambda})
	}
	names("Landmarks", kernel.Columns(func([]float64, int) {}, 30), KMeans{})
	for _, u := range []*mat.Dense{mat.NewDense(2, 3, nil), mat.NewDense(3, 2, nil)} {
		names("U", gauss, Fixed{U: u})
	}
	for _, index := range [][]int{{1, 2}, {1, 1, 2}, {2, 1, 3}, {-1, 1, 2}, {1, 2, 30}} {
		names("Index", gauss, Fixed{Index: index})
	}
}
