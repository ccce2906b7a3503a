package rff

import (
	"context"
	"errors"
	"fmt"
	"math"
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/algotest"
	"github.com/gramworks/gram/internal/must"
	"github.com/gramworks/gram/kernel"
	"github.com/gramworks/gram/modelfile"
	"github.com/gramworks/gram/num/rng"
	"gonum.org/v1/gonum/mat"
)

var variants = []Config{
	{Kernel: kernel.Gaussian{Gamma: 0.3}},
	{Kernel: kernel.Laplacian{Gamma: 0.3}},
	{Kernel: kernel.Gaussian{Gamma: 0.3}, Frequencies: Orthogonal},
	{Kernel: kernel.Gaussian{Gamma: 0.3}, Frequencies: Halton},
	{Kernel: kernel.Laplacian{Gamma: 0.3}, Frequencies: Halton},
	{Kernel: kernel.Gaussian{Gamma: 0.3}, Frequencies: Fastfood},
}

func name(c Config) string { return fmt.Sprintf("%s/%s", c.Kernel.Spec().Name, c.Frequencies) }

func TestContract(t *testing.T) {
	for _, c := range variants {
		t.Run(name(c), func(t *testing.T) {
			at := func(n int, run gram.Run) Config {
				c.Run, c.M = run, 20
				if n > 1000 {
					c.M = 5000
				}
				return c
			}
			subject := algotest.Subject{
				Kind: algotest.Unsupervised,
				Fit: func(ctx context.Context, d algotest.Data, run gram.Run) (*algotest.Model, error) {
					n, _ := d.X.Dims()
					return algotest.Fitted(at(n, run).Fit(ctx, d.X))
				},
				Plan:   func(s gram.Shape, run gram.Run) (gram.Plan, error) { return at(s.N, run).Plan(s) },
				Decode: func(f *modelfile.File) (*algotest.Model, error) { return algotest.Fitted(Decode(f)) },
				Memory: gram.Shape{N: 2000, D: 100},
			}
			subject.Random = []string{"seed"}
			if c.Frequencies == Halton {
				subject.Share = 0.9 // gonum draws the whole sequence in one call
			}
			if c.Frequencies == Fastfood {
				subject.Golden = "fastfood.v1.gram"
			}
			if name(c) == "gaussian/independent" {
				subject.Golden = "rff.v1.gram"
			}
			algotest.Check(t, subject)
		})
	}
}

// estimates returns, for seeds 0…n−1, φ(x)ᵀφ(y) − K(x,y).
func estimates(t *testing.T, c Config, x, y []float64, n int) []float64 {
	t.Helper()
	data := mat.NewDense(2, len(x), append(append([]float64{}, x...), y...))
	want := c.Kernel.Eval(x, y)
	out := make([]float64, n)
	for s := range out {
		c.Seed = uint64(s)
		m := must.Have(c.Fit(t.Context(), data))(t)
		phi := m.Map(nil, data)
		out[s] = mat.Dot(phi.RowView(0), phi.RowView(1)) - want
	}
	return out
}

func meanAndRMS(e []float64) (mean, rms float64) {
	for _, v := range e {
		mean += v
		rms += v * v
	}
	return mean / float64(len(e)), math.Sqrt(rms / float64(len(e)))
}

// points returns a pair of rows with K(x,y) well inside (0, 1).
func points(d int) (x, y []float64) {
	r := rng.New(3, uint64(d))
	x, y = make([]float64, d), make([]float64, d)
	for j := range x {
		x[j] = r.NormFloat64()
		y[j] = x[j] + 1.2*r.NormFloat64()/math.Sqrt(float64(d))
	}
	return x, y
}

// TestUnbiased: the mean of many estimates is the kernel, within five standard
// errors, which are small enough to tell γ from 2γ.
func TestUnbiased(t *testing.T) {
	repeats := 400
	if testing.Short() {
		repeats = 60
	}
	for _, c := range variants {
		c.M = 128
		x, y := points(5)
		e := estimates(t, c, x, y, repeats)
		mean, rms := meanAndRMS(e)
		se := rms / math.Sqrt(float64(repeats))
		if !(math.Abs(mean) < 5*se) {
			t.Errorf("%s: bias %g, standard error %g", name(c), mean, se)
		}
		wrong := math.Abs(c.Kernel.Eval(x, y) - math.Pow(c.Kernel.Eval(x, y), 2))
		if !(wrong > 10*se) {
			t.Errorf("%s: the test would not notice 2γ: difference %g, standard error %g", name(c), wrong, se)
		}
	}
}

// TestConstant: independent frequencies have variance (1−K²)²/(2m) for the
// Gaussian and (1+K(2δ))/2 − K² over m in general.
func TestConstant(t *testing.T) {
	repeats := 1500
	if testing.Short() {
		repeats = 300
	}
	tolerance := 5 / math.Sqrt(2*float64(repeats))
	for _, c := range variants[:2] {
		for _, m := range []int{16, 64, 256} {
			c.M = m
			x, y := points(4)
			far := make([]float64, len(x))
			for j := range far {
				far[j] = x[j] + 2*(y[j]-x[j])
			}
			k := c.Kernel.Eval(x, y)
			want := math.Sqrt(((1+c.Kernel.Eval(x, far))/2 - k*k) / float64(m))
			if _, ok := c.Kernel.(kernel.Gaussian); ok {
				if closed := (1 - k*k) / math.Sqrt(2*float64(m)); !(math.Abs(want/closed-1) < 1e-12) {
					t.Fatalf("formulas disagree: %g, %g", want, closed)
				}
			}
			_, rms := meanAndRMS(estimates(t, c, x, y, repeats))
			if !(math.Abs(rms/want-1) < tolerance) {
				t.Errorf("%s m %d: error %g, want %g within %.1f %%", name(c), m, rms, want, 100*tolerance)
			}
		}
	}
}

// TestBetter: orthogonal and Halton frequencies have less error than
// independent ones, Fastfood at most a little more; all fall with m.
func TestBetter(t *testing.T) {
	repeats := 300
	if testing.Short() {
		repeats = 100
	}
	x, y := points(8)
	rms := func(f Frequencies, m int) float64 {
		_, r := meanAndRMS(estimates(t, Config{Kernel: kernel.Gaussian{Gamma: .3}, M: m, Frequencies: f}, x, y, repeats))
		return r
	}
	base := rms(Independent, 64)
	for f, most := range map[Frequencies]float64{Orthogonal: .9, Halton: .9, Fastfood: 1.3} {
		if r := rms(f, 64) / base; !(r < most) {
			t.Errorf("%s: error %.2f times that of independent frequencies, want below %.1f", f, r, most)
		}
		if r := rms(f, 256) / rms(f, 64); !(r < .65) {
			t.Errorf("%s: four times as many frequencies leave %.2f of the error", f, r)
		}
	}
}

// TestOrthogonal: the frequencies of a block are orthogonal and their lengths
// those of Gaussian rows.
func TestOrthogonal(t *testing.T) {
	const d, m, gamma = 6, 6 * 200, 0.7
	mod := must.Have(Config{Kernel: kernel.Gaussian{Gamma: gamma}, M: m, Frequencies: Orthogonal}.Fit(t.Context(), mat.NewDense(1, d, nil)))(t)
	w := mod.Omega()
	var lengths float64
	for i := range m {
		for j := i/d*d + d - 1; j > i && j < m; j-- {
			if p := mat.Dot(w.RowView(i), w.RowView(j)); !(math.Abs(p) < 1e-12) {
				t.Fatalf("frequencies %d and %d: %g", i, j, p)
			}
		}
		lengths += mat.Dot(w.RowView(i), w.RowView(i))
	}
	// ‖ω‖² is 2γ·χ²_d: mean 2γd, variance 8γ²d.
	if z := (lengths/m - 2*gamma*d) / math.Sqrt(8*gamma*gamma*d/m); !(math.Abs(z) < 5) {
		t.Errorf("mean of ‖ω‖² off by %.1f standard errors", z)
	}
}

// TestFastfood compares the fast product with the explicit matrix
// (1/(σ√D))·S·H·G·Π·H·B, whose rows must have the right lengths.
func TestFastfood(t *testing.T) {
	const d, m, gamma = 11, 50, 0.4
	x := mat.NewDense(3, d, nil)
	r := rng.New(5, 0)
	for i := range 3 {
		for j := range d {
			x.Set(i, j, r.NormFloat64())
		}
	}
	mod := must.Have(Config{Kernel: kernel.Gaussian{Gamma: gamma}, M: m, Frequencies: Fastfood, Run: gram.Run{Seed: 4}}.Fit(t.Context(), x))(t)
	s := mod.Basis.(*fastfoodMatrix)
	if s.size != 16 || len(s.sign) != 64 {
		t.Fatalf("block size %d, %d in all", s.size, len(s.sign))
	}
	h := mat.NewDense(16, 16, nil)
	for i := range 16 {
		for j := range 16 {
			sign := 1.
			for b := i & j; b != 0; b &= b - 1 {
				sign = -sign
			}
			h.Set(i, j, sign)
		}
	}
	var squares float64
	for at := 0; at < 64; at += 16 {
		seen := make([]bool, 16)
		var norm float64
		b, p, g, sc := mat.NewDense(16, 16, nil), mat.NewDense(16, 16, nil), mat.NewDense(16, 16, nil), mat.NewDense(16, 16, nil)
		for j := range 16 {
			if q := s.sign[at+j]; q != 1 && q != -1 {
				t.Fatalf("sign %g", q)
			}
			if seen[s.perm[at+j]] {
				t.Fatal("not a permutation")
			}
			seen[s.perm[at+j]] = true
			b.Set(j, j, s.sign[at+j])
			p.Set(j, int(s.perm[at+j]), 1)
			g.Set(j, j, s.gauss[at+j])
			sc.Set(j, j, s.scale[at+j])
			norm += s.gauss[at+j] * s.gauss[at+j]
		}
		var omega mat.Dense
		omega.Product(sc, h, g, p, h, b)
		for j := range 16 {
			// ‖row‖ = S_jj·‖G‖/σ with S from χ_D/‖G‖, so the scale is χ/(σ√D‖G‖).
			want := math.Pow(s.scale[at+j], 2) * 16 * norm
			got := mat.Dot(omega.RowView(j), omega.RowView(j))
			if !(math.Abs(got/want-1) < 1e-9) {
				t.Fatalf("row %d: ‖ω‖² %g, want %g", j, got, want)
			}
			squares += got
		}
		z := mat.NewDense(3, m, nil)
		s.apply(gram.View(z), gram.Of(x))
		for i := range 3 {
			for j := 0; j < 16 && at+j < m; j++ {
				want := mat.Dot(omega.Slice(j, j+1, 0, d).(*mat.Dense).RowView(0), x.RowView(i))
				if got := z.At(i, at+j); !(math.Abs(got-want) < 1e-12*(1+math.Abs(want))) {
					t.Fatalf("row %d, frequency %d: %g, want %g", i, at+j, got, want)
				}
			}
		}
	}
	// The mean of ‖ω‖² over 64 rows of 2γ·χ²_16.
	if z := (squares/64 - 2*gamma*16) / math.Sqrt(8*gamma*gamma*16/64); !(math.Abs(z) < 5) {
		t.Errorf("mean of ‖ω‖² off by %.1f standard errors", z)
	}
}

func TestErrors(t *testing.T) {
	x := mat.NewDense(2, 2, nil)
	for _, c := range []Config{
		{},
		{Kernel: kernel.Gaussian{}},
		{Kernel: kernel.Linear{}},
		{Kernel: kernel.Laplacian{Gamma: 1}, Frequencies: Orthogonal},
		{Kernel: kernel.Laplacian{Gamma: 1}, Frequencies: Fastfood},
		{Kernel: kernel.Gaussian{Gamma: 1}, M: -1},
		{Kernel: kernel.Gaussian{Gamma: 1}, Frequencies: 9},
	} {
		var ce *gram.ConfigError
		if _, err := c.Fit(t.Context(), x); !errors.As(err, &ce) {
			t.Errorf("%+v: %v", c, err)
		}
	}
	var ce *gram.ConfigError
	if _, err := (Config{Kernel: kernel.Gaussian{Gamma: 1}, Frequencies: Halton}).Fit(t.Context(), mat.NewDense(1, 1001, nil)); !errors.As(err, &ce) {
		t.Error(err)
	}
}

func BenchmarkMap(b *testing.B) {
	for _, c := range []Config{variants[0], variants[5]} {
		for _, d := range []int{16, 256, 1024} {
			b.Run(fmt.Sprintf("frequencies=%s/d=%d", c.Frequencies, d), func(b *testing.B) {
				const n = 256
				c.M = 1024
				x := mat.NewDense(n, d, nil)
				m, err := c.Fit(b.Context(), x)
				if err != nil {
					b.Fatal(err)
				}
				dst := mat.NewDense(n, 2*c.M, nil)
				b.ReportAllocs()
				for b.Loop() {
					m.Map(dst, x)
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/n/float64(2*c.M), "ns/feature")
			})
		}
	}
}

// TestOmega: the features are the cosines and sines of ⟨x,ω_j⟩.
func TestOmega(t *testing.T) {
	const n, d, m = 3, 70, 100
	r := rng.New(6, 0)
	x := mat.NewDense(n, d, nil)
	for i := range n {
		for j := range d {
			x.Set(i, j, r.NormFloat64())
		}
	}
	for _, c := range variants {
		c.M = m
		mod := must.Have(c.Fit(t.Context(), x))(t)
		var z mat.Dense
		z.Mul(x, mod.Omega().T())
		phi := mod.Map(nil, x)
		for i := range n {
			for j := range m {
				s, c := math.Sincos(z.At(i, j))
				// The Laplacian's frequencies are large: so is the error of an angle.
				tol := 1e-12 * (1 + math.Abs(z.At(i, j)))
				for k, want := range []float64{c, s} {
					if got := phi.At(i, k*m+j) * math.Sqrt(m); !(math.Abs(got-want) < tol) {
						t.Fatalf("row %d, frequency %d: %g, want %g", i, j, got, want)
					}
				}
			}
		}
	}
}
