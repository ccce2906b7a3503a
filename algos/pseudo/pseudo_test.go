package pseudo

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"github.com/gramworks/gram/internal/rng"
	"math"
	"slices"
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/landmark"
	"github.com/gramworks/gram/algos/nystrom"
	"github.com/gramworks/gram/internal/algotest"
	"github.com/gramworks/gram/kernel"
	"github.com/gramworks/gram/modelfile"
	"github.com/gramworks/gram/sparse"
	"gonum.org/v1/gonum/mat"
)

var rbf = kernel.Gaussian{Gamma: 0.2}

func problem(n, d int) *mat.Dense { return algotest.Problem(3, n, d, 3).X.(*mat.Dense) }

func fit(t *testing.T, c Config, x mat.Matrix) *Model {
	t.Helper()
	m, err := c.Fit(context.Background(), x)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func matrix(k kernel.Kernel, x, z *mat.Dense) *mat.Dense {
	n, _ := x.Dims()
	m, _ := z.Dims()
	g := mat.NewDense(n, m, nil)
	for i := range n {
		for j := range m {
			g.Set(i, j, k.Eval(x.RawRowView(i), z.RawRowView(j)))
		}
	}
	return g
}

func relative(g, h mat.Matrix) float64 {
	var d mat.Dense
	d.Sub(g, h)
	return mat.Norm(&d, 2) / mat.Norm(g, 2)
}

func gramOf(phi *mat.Dense) *mat.Dense {
	var g mat.Dense
	g.Mul(phi, phi.T())
	return &g
}

// The columns are what the definitions say, for dense and sparse rows and in
// float32.
func TestColumns(t *testing.T) {
	x := problem(80, 5)
	for _, k := range []kernel.Kernel{rbf, kernel.Matern{Nu: 1.5, Length: 2}, kernel.Polynomial{Degree: 2, Offset: 1}} {
		for kind := Products; kind <= Mid; kind++ {
			if kind.fits(k) != nil {
				continue
			}
			m := fit(t, Config{Kernel: k, Kind: kind, M: 7, P: 11, Landmarks: landmark.Uniform{}}, x)
			c := m.Columns()
			got := c.Map(nil, x)
			want := mat.NewDense(80, 18, nil)
			want.Slice(0, 80, 0, 7).(*mat.Dense).Copy(matrix(k, x, c.u))
			for i := range 80 {
				for p := range 11 {
					if kind == Products {
						want.Set(i, 7+p, want.At(i, int(c.pairs[2*p]))*want.At(i, int(c.pairs[2*p+1])))
						continue
					}
					lo, hi := 0.0, math.Inf(1)
					for j := range 7 {
						near := distance(x.RawRowView(i), c.u.RawRowView(j))
						lo = math.Max(lo, math.Abs(near-c.far.At(p, j)))
						hi = math.Min(hi, near+c.far.At(p, j))
					}
					r := map[Kind]float64{Lower: lo, Upper: hi, Mid: (lo + hi) / 2}[kind]
					s := []float64{r * r}
					k.(kernel.Radial).Radial(s)
					want.Set(i, 7+p, s[0])
				}
			}
			what := fmt.Sprintf("%s, %s", k.Spec().Name, kind)
			if e := relative(want, got); !(e <= 1e-13) {
				t.Errorf("%s: relative error %g", what, e)
			}
			if e := relative(want, c.Map(nil, sparse.FromDense(x))); !(e <= 1e-13) {
				t.Errorf("%s: relative error %g for sparse rows", what, e)
			}
			x32, dst := gram.MakeRows[float32](80, 5), gram.MakeRows[float32](80, 18)
			for i, v := range x.RawMatrix().Data {
				x32.Data[i] = float32(v)
			}
			NewBlock[float32](c).Fill(dst, gram.Dense(x32))
			for i, v := range dst.Data {
				got.RawMatrix().Data[i] = float64(v)
			}
			if e := relative(want, got); !(e <= 1e-6) {
				t.Errorf("%s: relative error %g in float32", what, e)
			}
		}
	}
}

// The bounds hold the true distances between them, and equal them where a row is
// a pseudo-landmark and a landmark.
func TestTriangleInequality(t *testing.T) {
	x := problem(60, 4)
	all := func(kind Kind) *mat.Dense {
		m := fit(t, Config{Kernel: rbf, Kind: kind, M: 9, P: 60, Landmarks: landmark.Uniform{}}, x)
		c := m.Columns().Map(nil, x)
		return c.Slice(0, 60, 9, 69).(*mat.Dense)
	}
	lo, hi, mid := all(Lower), all(Upper), all(Mid)
	g := matrix(rbf, x, x) // P = n: pseudo-landmark t is row t
	for i := range 60 {
		for j := range 60 {
			// A larger distance is a smaller value.
			if v := g.At(i, j); !(lo.At(i, j) >= v-1e-12 && v >= hi.At(i, j)-1e-12) {
				t.Fatalf("rows %d and %d: value %g outside [%g, %g]", i, j, v, hi.At(i, j), lo.At(i, j))
			}
			if v := mid.At(i, j); !(lo.At(i, j) >= v-1e-12 && v >= hi.At(i, j)-1e-12) {
				t.Fatalf("rows %d and %d: the mean %g is outside [%g, %g]", i, j, v, hi.At(i, j), lo.At(i, j))
			}
		}
	}
}

// On the index set the error is never above that of the Nyström method with the
// same landmarks; more pseudo-landmarks do not raise it; the error in the
// statistics is the true one.
func TestNeverWorseThanNystrom(t *testing.T) {
	for _, k := range []kernel.Kernel{rbf, kernel.Gaussian{Gamma: 1e-3}, kernel.Gaussian{Gamma: 20}, kernel.Polynomial{Degree: 3, Offset: 1}, kernel.Homogeneous{Degree: 2}} {
		for _, m := range []int{1, 2, 5, 12, 30} {
			x := problem(120, 4)
			if m == 12 { // landmarks twice each
				for i := range 60 {
					x.SetRow(60+i, x.RawRowView(i))
				}
			}
			g := matrix(k, x, x)
			sel := landmark.Uniform{}
			plain, err := nystrom.Config{Kernel: k, M: m, Landmarks: sel}.Fit(context.Background(), x)
			if err != nil {
				t.Fatal(err)
			}
			most := relative(g, gramOf(plain.Map(nil, x)))
			for kind := Products; kind <= Mid; kind++ {
				if kind.fits(k) != nil {
					continue
				}
				p := fit(t, Config{Kernel: k, M: m, Kind: kind, Landmarks: sel}, x)
				e := relative(g, gramOf(p.Map(nil, x)))
				what := fmt.Sprintf("%s, m %d, %s", fmt.Sprint(k.Spec()), m, kind)
				if !(e <= most*(1+1e-6)+1e-7) {
					t.Errorf("%s: relative error %g, of the Nyström method %g", what, e, most)
				}
				if s := p.Stats(); !(math.Abs(s.SampleError-e) <= 1e-6) {
					t.Errorf("%s: relative error %g, the statistics say %g", what, e, s.SampleError)
				}
				if kind == Products {
					all := fit(t, Config{Kernel: k, M: m, All: true, Landmarks: sel}, x)
					if a := relative(g, gramOf(all.Map(nil, x))); !(a <= e*(1+1e-6)+1e-7) {
						t.Errorf("%s: relative error %g, %g with all products", what, e, a)
					}
				}
			}
		}
	}
}

// W̄ is the best matrix for G_II: no symmetric change of it lowers the error.
func TestCoreIsOptimal(t *testing.T) {
	x := problem(90, 3)
	m := fit(t, Config{Kernel: rbf, M: 4, P: 6, Landmarks: landmark.Uniform{}, Cut: 1e-6}, x)
	g, c := matrix(rbf, x, x), m.Columns().Map(nil, x)
	// The gradient of ½‖G − C̄WC̄ᵀ‖² is −C̄ᵀ(G − C̄WC̄ᵀ)C̄.
	var d, half, grad mat.Dense
	d.Sub(g, gramOf(m.Map(nil, x)))
	half.Mul(c.T(), &d)
	grad.Mul(&half, c)
	if v := mat.Norm(&grad, 2); !(v <= 1e-7*mat.Norm(g, 2)) {
		t.Errorf("the gradient at W̄ is %g", v)
	}
}

// W̄ from a sample serves rows that are not in it.
func TestSample(t *testing.T) {
	x := problem(1000, 4)
	g := matrix(rbf, x, x)
	c := Config{Kernel: rbf, M: 12, Landmarks: landmark.KMeans{}}
	c.Sample = 1000
	full := relative(g, gramOf(fit(t, c, x).Map(nil, x)))
	c.Sample = 250
	part := relative(g, gramOf(fit(t, c, x).Map(nil, x)))
	if !(part >= full && part <= 1.15*full) {
		t.Errorf("relative error %g from all rows, %g from a quarter", full, part)
	}
}

func TestFillAllocatesNothing(t *testing.T) {
	for kind := Products; kind <= Mid; kind++ {
		b := NewBlock[float64](fit(t, Config{Kernel: rbf, Kind: kind, M: 9}, problem(60, 12)).Columns())
		x, dst := gram.MakeRows[float64](50, 12), gram.MakeRows[float64](50, 27)
		for _, n := range []int{1, 50} {
			if a := testing.AllocsPerRun(20, func() { b.Fill(dst.Slice(0, n), gram.Dense(x.Slice(0, n))) }); a >= 1 && !race {
				t.Errorf("%s: %g allocations for %d rows", kind, a, n)
			}
		}
	}
}

// Linear functions of the columns are those of the filled columns, whether the
// products are computed one by one or as forms, with the same bits in any batch.
func TestProduct(t *testing.T) {
	x := problem(120, 12)
	for _, c := range []Config{{M: 9}, {M: 9, All: true}, {M: 20, P: 10}, {M: 9, Kind: Lower}} {
		c.Kernel = rbf
		columns := fit(t, c, x).Columns()
		_, width := columns.Dims()
		for _, k := range []int{1, 3} {
			r := rng.New(5, 0)
			v := mat.NewDense(width, k, nil)
			for i := range v.RawMatrix().Data {
				v.RawMatrix().Data[i] = r.NormFloat64()
			}
			var want mat.Dense
			want.Mul(columns.Map(nil, x), v)
			p := NewBlock[float64](columns).Times(gram.View(v))
			if (p.forms != nil) != (c.M == 9 && c.Kind == Products) {
				t.Errorf("%+v: forms %v", c, p.forms != nil)
			}
			got := mat.NewDense(120, k, nil)
			p.Rows(gram.View(got), gram.Of(x))
			if e := relative(&want, got); !(e <= 1e-13) {
				t.Errorf("m %d, p %d, k %d: relative error %g", c.M, width-c.M, k, e)
			}
			thin := mat.NewDense(120, k, nil)
			p.Rows(gram.View(thin), gram.Of(sparse.FromDense(x)))
			if e := relative(&want, thin); !(e <= 1e-13) {
				t.Errorf("m %d, p %d, k %d: relative error %g for sparse rows", c.M, width-c.M, k, e)
			}
			one := make([]float64, k)
			dst := gram.Rows[float64]{Data: one, N: 1, D: k, Stride: k}
			for i := range 120 {
				p.Rows(dst, gram.Dense(gram.View(x).Slice(i, i+1)))
				if !slices.Equal(one, got.RawRowView(i)) {
					t.Fatalf("row %d alone is %v, among others %v", i, one, got.RawRowView(i))
				}
			}
			if a := testing.AllocsPerRun(20, func() { p.Rows(dst, gram.Dense(gram.View(x).Slice(0, 1))) }); a >= 1 && !race {
				t.Errorf("%g allocations for a row", a)
			}
			narrow := NewBlock[float32](columns).Times(gram.View(v))
			x32, d32 := gram.MakeRows[float32](120, 12), gram.MakeRows[float32](120, k)
			for i, u := range x.RawMatrix().Data {
				x32.Data[i] = float32(u)
			}
			narrow.Rows(d32, gram.Dense(x32))
			for i, u := range d32.Data {
				got.RawMatrix().Data[i] = float64(u)
			}
			if e := relative(&want, got); !(e <= 1e-5) {
				t.Errorf("m %d, p %d, k %d: relative error %g in float32", c.M, width-c.M, k, e)
			}
		}
	}
}

func TestBadSettings(t *testing.T) {
	x := problem(30, 3)
	for name, c := range map[string]Config{
		"Kernel":      {},
		"Kind":        {Kernel: rbf, Kind: 9},
		"Kind ":       {Kernel: kernel.Laplacian{Gamma: 1}, Kind: Lower},
		"M":           {Kernel: rbf, M: 31},
		"M ":          {Kernel: rbf, M: -1},
		"P":           {Kernel: rbf, M: 3, P: 7},
		"P ":          {Kernel: rbf, Kind: Mid, M: 3, P: 31},
		"All":         {Kernel: rbf, M: 3, P: 4, All: true},
		"All ":        {Kernel: rbf, Kind: Upper, All: true},
		"Sample":      {Kernel: rbf, Sample: 31},
		"Cut":         {Kernel: rbf, Cut: 2},
		"Certificate": {Kernel: rbf, Certificate: -1},
	} {
		_, err := c.Fit(context.Background(), x)
		var ce *gram.ConfigError
		if want := string(bytes.TrimSpace([]byte(name))); !errors.As(err, &ce) || ce.Field != want {
			t.Errorf("%s: error %v", name, err)
		}
	}
}

func TestForged(t *testing.T) {
	u := mat.NewDense(3, 2, []float64{1, 2, 3, 4, 5, 6})
	for name, c := range map[string]*Columns{
		"odd pairs":       {kernel: rbf, u: u, pairs: []int32{0, 1, 2}},
		"no such pair":    {kernel: rbf, u: u, pairs: []int32{0, 3}},
		"negative pair":   {kernel: rbf, u: u, pairs: []int32{-1, 1}},
		"unknown kind":    {kernel: rbf, u: u, kind: 9, far: mat.NewDense(2, 3, nil)},
		"short distances": {kernel: rbf, u: u, kind: Mid, far: mat.NewDense(2, 2, nil)},
		"wrong kernel":    {kernel: kernel.Linear{}, u: u, kind: Mid, far: mat.NewDense(2, 3, nil)},
	} {
		var b bytes.Buffer
		if err := modelfile.Write(&b, c); err != nil {
			t.Fatal(err)
		}
		f, err := modelfile.Read(&b)
		if err != nil {
			t.Fatal(err)
		}
		var fe *modelfile.FormatError
		if _, err := DecodeColumns(f); !errors.As(err, &fe) {
			t.Errorf("%s: error %v", name, err)
		}
	}
}
