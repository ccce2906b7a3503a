package eig

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/internal/gen"
	"github.com/gramworks/gram/internal/must"
	"gonum.org/v1/gonum/mat"
)

// dense is a stored matrix as an operator.
type dense struct{ *mat.SymDense }

func (d dense) Dim() int                { return d.SymmetricDim() }
func (d dense) Apply(dst, x *mat.Dense) { dst.Mul(d.SymDense, x) }

// diagonal is a diagonal operator.
type diagonal []float64

func (d diagonal) Dim() int { return len(d) }
func (d diagonal) Apply(dst, x *mat.Dense) {
	for i, v := range d {
		row := dst.RawRowView(i)
		for j, u := range x.RawRowView(i) {
			row[j] = v * u
		}
	}
}

// gaussian is the kernel matrix of n normal points in d dimensions.
func gaussian(n, d int, gamma float64) *mat.SymDense {
	x := gen.Normal(n, d, 3)
	k := mat.NewSymDense(n, nil)
	for i := range n {
		for j := range i + 1 {
			var s float64
			for c, v := range x.RawRowView(i) {
				s += (v - x.At(j, c)) * (v - x.At(j, c))
			}
			k.SetSym(i, j, math.Exp(-gamma*s))
		}
	}
	return k
}

// checkPairs checks eigenpairs against the dense spectrum and by their residuals.
func checkPairs(t *testing.T, a *mat.SymDense, o Options, values []float64, x *mat.Dense, stats Stats, tol float64) {
	t.Helper()
	all, _ := must.Have2(SymAll(t.Context(), a))(t)
	norm := max(math.Abs(all[0]), math.Abs(all[len(all)-1]))
	slices.Reverse(all)
	if o.Magnitude {
		slices.SortFunc(all, func(a, b float64) int {
			if math.Abs(a) > math.Abs(b) {
				return -1
			}
			return 1
		})
	}
	for j, v := range values {
		if !(math.Abs(v-all[j]) <= tol*norm) {
			t.Errorf("value %d is %.12g, want %.12g", j, v, all[j])
		}
	}
	n, k := x.Dims()
	if k != len(values) || n != a.SymmetricDim() || len(stats.Residuals) != k {
		t.Fatalf("%d values, %d residuals, vectors %d×%d", len(values), len(stats.Residuals), n, k)
	}
	var g, ax mat.Dense
	g.Mul(x.T(), x)
	ax.Mul(a, x)
	for j := range k {
		var r float64
		for i := range n {
			e := ax.At(i, j) - values[j]*x.At(i, j)
			r += e * e
		}
		if r = math.Sqrt(r); !(math.Abs(r-stats.Residuals[j]) <= 1e-12*norm+1e-3*r) {
			t.Errorf("residual %d is %.3g, reported %.3g", j, r, stats.Residuals[j])
		}
		for i := range k {
			want := 0.
			if i == j {
				want = 1
			}
			if !(math.Abs(g.At(i, j)-want) <= 1e-12) {
				t.Errorf("vectors %d and %d: product %g", i, j, g.At(i, j))
			}
		}
	}
}

func TestTopK(t *testing.T) {
	n := 300
	if testing.Short() {
		n = 90
	}
	indefinite, _ := gen.Spectrum(append(gen.Geometric(40, 1e3), scale(gen.Geometric(n-40, 1e4), -1.5)...), 5)
	multiple, _ := gen.Spectrum(append([]float64{3, 3, 3, 3, 3, 2, 2, 2}, gen.Geometric(n-8, 1e3)...), 6)
	for _, c := range []struct {
		name string
		a    *mat.SymDense
		k    int
		o    Options
	}{
		{"fast decay", gaussian(n, 2, .1), 12, Options{}},
		{"slow decay", gaussian(n, 20, .05), 12, Options{}},
		{"one", gaussian(n, 5, .1), 1, Options{}},
		{"single vectors", gaussian(n, 5, .1), 6, Options{Block: 1, Basis: 14}},
		{"small basis", gaussian(n, 5, .1), 6, Options{Block: 3, Basis: 1}},
		{"indefinite", indefinite, 7, Options{}},
		{"indefinite, magnitude", indefinite, 7, Options{Magnitude: true}},
		{"multiple", multiple, 7, Options{Block: 5}},
		{"low rank", gen.LowRank(n, 5, 0, 3), 9, Options{}},
		{"everything", gaussian(24, 3, .3), 24, Options{}},
		{"identity", gen.SPD(n, 1, 2), 5, Options{}},
		{"zero", mat.NewSymDense(n, nil), 5, Options{}},
	} {
		t.Run(c.name, func(t *testing.T) {
			var stats Stats
			c.o.Stats = &stats
			values, x := must.Have2(TopK(context.Background(), dense{c.a}, c.k, c.o))(t)
			t.Logf("%d products, %d restarts", stats.Products, stats.Restarts)
			checkPairs(t, c.a, c.o, values, x, stats, 1e-10)
		})
	}
}

func TestTopKSmall(t *testing.T) {
	for n := 1; n <= 6; n++ {
		for k := 1; k <= n; k++ {
			for block := range 4 {
				a := gen.SPD(n, 10, uint64(n))
				var stats Stats
				o := Options{Block: block, Stats: &stats}
				values, x, err := TopK(context.Background(), dense{a}, k, o)
				if err != nil {
					t.Fatal(n, k, err)
				}
				checkPairs(t, a, o, values, x, stats, 1e-12)
				if values, x, err = Randomized(context.Background(), dense{a}, k, o); err != nil {
					t.Fatal(n, k, err)
				}
				if k+10 >= n {
					checkPairs(t, a, o, values, x, stats, 1e-12)
				}
			}
		}
	}
}

func TestTopKStops(t *testing.T) {
	d := make(diagonal, 2000)
	for i := range d {
		d[i] = 1 + float64(i)*1e-6
	}
	var stats Stats
	values, x, err := TopK(context.Background(), d, 3, Options{Tol: 1e-14, MaxProducts: 60, Stats: &stats})
	var ce *gram.ConvergenceError
	if !errors.As(err, &ce) || len(values) != 3 || x == nil || ce.Iter < 60 || !(ce.Residual > ce.Tol) || len(stats.Residuals) != 3 {
		t.Errorf("%v %v", values, err)
	}
	values, x, err = Randomized(context.Background(), d, 3, Options{Tol: 1e-14, MaxProducts: 60})
	if !errors.As(err, &ce) || len(values) != 3 || x == nil {
		t.Errorf("randomised: %v %v", values, err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	after := &canceller{diagonal: d, cancel: cancel, left: 20}
	values, _, err = TopK(ctx, after, 3, Options{Tol: 1e-14})
	if !errors.Is(err, context.Canceled) || len(values) != 3 || after.left < -1 {
		t.Errorf("cancelled: %v %v, %d products too many", values, err, -after.left)
	}
	var st Stats
	if _, _, err = Randomized(ctx, d, 3, Options{Stats: &st}); !errors.Is(err, context.Canceled) || st.Products != 0 {
		t.Errorf("randomised, cancelled: %v after %d products", err, st.Products)
	}
	if _, _, _, err = RandomizedSVD(ctx, gen.Normal(5, 4, 1), 2, Options{}); !errors.Is(err, context.Canceled) {
		t.Errorf("SVD, cancelled: %v", err)
	}
	d[7] = math.NaN()
	var de *gram.DataError
	if _, _, err = TopK(context.Background(), d, 3, Options{}); !errors.As(err, &de) || de.Row != 7 {
		t.Errorf("NaN: %v", err)
	}
	if _, _, err = Randomized(context.Background(), d, 3, Options{}); !errors.As(err, &de) || de.Row != 7 {
		t.Errorf("randomised, NaN: %v", err)
	}
}

// canceller cancels after some products.
type canceller struct {
	diagonal
	cancel func()
	left   int
}

func (c *canceller) Apply(dst, x *mat.Dense) {
	if c.left--; c.left == 0 {
		c.cancel()
	}
	c.diagonal.Apply(dst, x)
}

func TestTopKPanics(t *testing.T) {
	const order, option = "eig: k is not between 1 and the order", "eig: a negative option"
	ctx, a := context.Background(), diagonal{1, 2}
	panics := func(name, want string, call func()) {
		t.Helper()
		if p := must.Recovered(call); p != want {
			t.Errorf("%s: panic %v, want %q", name, p, want)
		}
	}
	for _, k := range []int{0, 3} {
		name := fmt.Sprint("k = ", k)
		panics(name, order, func() { _, _, _ = TopK(ctx, a, k, Options{}) })
		panics(name, order, func() { _, _, _ = Randomized(ctx, a, k, Options{}) })
		panics(name, order, func() { _, _, _, _ = RandomizedSVD(ctx, gen.Normal(3, 2, 1), k, Options{}) })
	}
	Orthonormal(&mat.Dense{}) // no columns are a basis
	panics("wide", "eig: the matrix has more columns than rows", func() { Orthonormal(gen.Normal(2, 3, 1)) })
	for _, o := range []Options{{Block: -1}, {Basis: -1}, {Tol: -1}, {Tol: math.NaN()}, {MaxProducts: -1}, {Power: gram.Set(-1)}, {Oversample: gram.Set(-1)}} {
		panics(fmt.Sprintf("%+v", o), option, func() { _, _, _ = TopK(ctx, a, 1, o) })
	}
}

func TestRandomized(t *testing.T) {
	n := 300
	if testing.Short() {
		n = 90
	}
	for _, c := range []struct {
		name string
		a    *mat.SymDense
		o    Options
		tol  float64
	}{
		{"fast decay", gaussian(n, 2, .1), Options{}, 1e-8},
		{"slow decay", gaussian(n, 20, .05), Options{Power: gram.Set(4)}, 2e-2},
		{"slow decay to a tolerance", gaussian(n, 20, .05), Options{Tol: 1e-6, Oversample: gram.Set(30), MaxProducts: 100000}, 1e-8},
		{"no power", gaussian(n, 2, .1), Options{Power: gram.Set(0)}, 1e-3},
	} {
		t.Run(c.name, func(t *testing.T) {
			var stats Stats
			c.o.Stats = &stats
			values, x := must.Have2(Randomized(context.Background(), dense{c.a}, 8, c.o))(t)
			t.Logf("%d products", stats.Products)
			checkPairs(t, c.a, c.o, values, x, stats, c.tol)
		})
	}
}

func TestRandomizedSVD(t *testing.T) {
	for _, shape := range [][2]int{{60, 40}, {40, 60}, {12, 12}, {1, 5}, {5, 1}, {200, 30}} {
		m, n := shape[0], shape[1]
		r := min(m, n)
		// A = U·diag(2^{-i})·Vᵀ
		qu, qv := gen.Orthogonal(m, 1), gen.Orthogonal(n, 2)
		var a, tmp mat.Dense
		want := make([]float64, r)
		for i := range want {
			want[i] = math.Pow(2, -float64(i))
		}
		tmp.Apply(func(_, j int, v float64) float64 { return v * want[j] }, qu.Slice(0, m, 0, r))
		a.Mul(&tmp, qv.Slice(0, n, 0, r).T())
		k := min(r, 6)
		var stats Stats
		u, s, v, err := RandomizedSVD(context.Background(), &a, k, Options{Stats: &stats})
		if err != nil {
			t.Fatal(err)
		}
		for j := range k {
			if !(math.Abs(s[j]-want[j]) <= 1e-12) {
				t.Errorf("%d×%d: value %d is %g, want %g", m, n, j, s[j], want[j])
			}
			if !(stats.Residuals[j] <= 1e-4) {
				t.Errorf("%d×%d: residual %d is %g", m, n, j, stats.Residuals[j])
			}
		}
		for _, x := range []*mat.Dense{u, v} {
			var g mat.Dense
			g.Mul(x.T(), x)
			for i := range k {
				for j := range k {
					if d := g.At(i, j); !(math.Abs(d) <= 1e-12) && i != j || i == j && !(math.Abs(d-1) <= 1e-12) {
						t.Errorf("%d×%d: vectors %d, %d: %g", m, n, i, j, d)
					}
				}
			}
		}
	}
	var de *gram.DataError
	bad := gen.Normal(4, 4, 1)
	bad.Set(2, 3, math.NaN())
	if _, _, _, err := RandomizedSVD(context.Background(), bad, 2, Options{}); !errors.As(err, &de) || de.Row != 2 || de.Col != 3 {
		t.Error(err)
	}
}

func BenchmarkTopK(b *testing.B) {
	for _, n := range []int{500, 2000} {
		for name, d := range map[string]int{"fast": 2, "slow": 20} {
			a := gaussian(n, d, 1/float64(2*d))
			b.Run(fmt.Sprintf("n=%d/decay=%s/k=20", n, name), func(b *testing.B) {
				var stats Stats
				for b.Loop() {
					if _, _, err := TopK(context.Background(), dense{a}, 20, Options{Stats: &stats}); err != nil {
						b.Fatal(err)
					}
				}
				b.ReportMetric(float64(stats.Products), "products")
			})
		}
	}
}
