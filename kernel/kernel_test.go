package kernel

import (
	"errors"
	"math"
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/asm/cpu"
	"github.com/gramworks/gram/internal/must"
	"github.com/gramworks/gram/num/rng"
	"gonum.org/v1/gonum/mat"
)

var all = []Kernel{
	Gaussian{Gamma: 0.3},
	Laplacian{Gamma: 0.2},
	Polynomial{Degree: 3, Offset: 0.5},
	Homogeneous{Degree: 5},
	Linear{},
	Matern{Nu: 0.5, Length: 2},
	Matern{Nu: 1.5, Length: 2},
	Matern{Nu: 2.5, Length: 2},
	RationalQuadratic{Alpha: 1, Length: 1.5},
	RationalQuadratic{Alpha: 0.7, Length: 1.5},
	RationalQuadratic{Alpha: 2, Length: 1.5},
	Sigmoid{Scale: 0.1, Offset: -0.2},
}

func TestSpecRoundTrip(t *testing.T) {
	for _, k := range all {
		got, err := New(k.Spec())
		if err != nil {
			t.Errorf("New(%v): %v", k.Spec(), err)
		} else if got != k {
			t.Errorf("New(%v) = %#v, want %#v", k.Spec(), got, k)
		}
		if err := Check(k); err != nil {
			t.Errorf("Check(%#v): %v", k, err)
		}
	}
}

func TestNewRejects(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	p := func(kv ...any) map[string]float64 {
		m := map[string]float64{}
		for i := 0; i < len(kv); i += 2 {
			m[kv[i].(string)] = kv[i+1].(float64)
		}
		return m
	}
	for _, c := range []struct {
		spec  Spec
		field string
	}{
		{Spec{"", nil}, "Kernel"},
		{Spec{"rbf", p("gamma", 1.0)}, "Kernel"},
		{Spec{"precomputed", p("n", 3.0)}, "Kernel"},
		{Spec{"gaussian", nil}, "Kernel.Params"},
		{Spec{"gaussian", p("gama", 1.0)}, "Kernel.Params"},
		{Spec{"linear", p("gamma", 1.0)}, "Kernel.Params"},
		{Spec{"gaussian", p("gamma", 0.0)}, "Kernel.Gamma"},
		{Spec{"gaussian", p("gamma", -1.0)}, "Kernel.Gamma"},
		{Spec{"gaussian", p("gamma", inf)}, "Kernel.Gamma"},
		{Spec{"gaussian", p("gamma", nan)}, "Kernel.Gamma"},
		{Spec{"laplacian", p("gamma", 0.0)}, "Kernel.Gamma"},
		{Spec{"polynomial", p("degree", 0.0)}, "Kernel.Degree"},
		{Spec{"polynomial", p("degree", 65.0)}, "Kernel.Degree"},
		{Spec{"polynomial", p("degree", 1.5)}, "Kernel.Degree"},
		{Spec{"polynomial", p("degree", 1e300)}, "Kernel.Degree"},
		{Spec{"polynomial", p("degree", nan)}, "Kernel.Degree"},
		{Spec{"polynomial", p("degree", 2.0, "offset", -1.0)}, "Kernel.Offset"},
		{Spec{"homogeneous", p("degree", -2.0)}, "Kernel.Degree"},
		{Spec{"matern", p("nu", 1.0)}, "Kernel.Nu"},
		{Spec{"matern", p("nu", 1.5, "length", 0.0)}, "Kernel.Length"},
		{Spec{"rational-quadratic", p("alpha", 0.0)}, "Kernel.Alpha"},
		{Spec{"rational-quadratic", p("length", -1.0)}, "Kernel.Length"},
		{Spec{"sigmoid", p("scale", 0.0)}, "Kernel.Scale"},
		{Spec{"sigmoid", p("offset", inf)}, "Kernel.Offset"},
	} {
		k, err := New(c.spec)
		var ce *gram.ConfigError
		if k != nil || !errors.As(err, &ce) || ce.Field != c.field {
			t.Errorf("New(%v) = %v, %v; want a ConfigError of %s", c.spec, k, err, c.field)
		}
	}
	// The least and the greatest value of every range make a kernel.
	for _, s := range []Spec{
		{"polynomial", p("degree", 1.0, "offset", 0.0)}, {"polynomial", p("degree", 64.0)}, {"homogeneous", p("degree", 1.0)}, {"homogeneous", p("degree", 64.0)},
		{"sigmoid", p("offset", 0.0)}, {"gaussian", p("gamma", math.SmallestNonzeroFloat64)}, {"gaussian", p("gamma", math.MaxFloat64)},
	} {
		if k, err := New(s); k == nil || err != nil {
			t.Errorf("New(%v) = %v, %v", s, k, err)
		}
	}
	if err := Check(nil); err == nil {
		t.Error("Check(nil) is nil")
	}
}

// TestDefinitions compares every kernel with its formula.
func TestDefinitions(t *testing.T) {
	x, y := []float64{0.5, -1, 2}, []float64{1.25, 0.5, -0.75}
	var inner, squares, sum float64
	for i, v := range x {
		inner += v * y[i]
		squares += (v - y[i]) * (v - y[i])
		sum += math.Abs(v - y[i])
	}
	r := math.Sqrt(squares)
	for _, c := range []struct {
		k    Kernel
		want float64
	}{
		{Gaussian{Gamma: 0.3}, math.Exp(-0.3 * squares)},
		{Laplacian{Gamma: 0.2}, math.Exp(-0.2 * sum)},
		{Linear{}, inner},
		{Homogeneous{Degree: 1}, inner}, {Homogeneous{Degree: 2}, inner * inner}, {Homogeneous{Degree: 5}, math.Pow(inner, 5)},
		{Polynomial{Degree: 1, Offset: 3}, inner + 3}, {Polynomial{Degree: 3, Offset: 3}, math.Pow(inner+3, 3)}, {Polynomial{Degree: 2}, inner * inner},
		{Matern{Nu: 0.5, Length: 2}, math.Exp(-r / 2)},
		{Matern{Nu: 1.5, Length: 2}, (1 + math.Sqrt(3)*r/2) * math.Exp(-math.Sqrt(3)*r/2)},
		{Matern{Nu: 2.5, Length: 2}, (1 + math.Sqrt(5)*r/2 + 5*squares/12) * math.Exp(-math.Sqrt(5)*r/2)},
		{RationalQuadratic{Alpha: 0.7, Length: 1.5}, math.Pow(1+squares/(2*0.7*1.5*1.5), -0.7)},
		{RationalQuadratic{Alpha: 1, Length: 1.5}, 1 / (1 + squares/(2*1.5*1.5))},
		{RationalQuadratic{Alpha: 2, Length: 1.5}, math.Pow(1+squares/(4*1.5*1.5), -2)},
		{Sigmoid{Scale: 0.1, Offset: -0.2}, math.Tanh(0.1*inner - 0.2)},
	} {
		if got := c.k.Eval(x, y); !(math.Abs(got-c.want) <= 1e-14*math.Abs(c.want)) {
			t.Errorf("%+v is %g, want %g", c.k, got, c.want)
		}
	}
}

// TestBlockAgreesWithEval compares every method of Block with Eval.
func TestBlockAgreesWithEval(t *testing.T) {
	t.Run("float64", func(t *testing.T) { blockAgreesWithEval[float64](t, 1e-12) })
	t.Run("float32", func(t *testing.T) { blockAgreesWithEval[float32](t, 2e-5) })
}

func blockAgreesWithEval[F gram.Float](t *testing.T, tol float64) {
	r := rng.New(1, 0)
	const n, m, d, s = 70, 23, 5, 3
	x, z := mat.NewDense(n, d, nil), mat.NewDense(m, d, nil)
	xf := gram.Rows[F]{Data: make([]F, n*(d+2)), N: n, D: d, Stride: d + 2}
	fill := func(a *mat.Dense) {
		data := a.RawMatrix().Data
		for i := range data {
			data[i] = float64(float32(r.NormFloat64()))
		}
	}
	fill(x)
	fill(z)
	for i := range n {
		for j := range d {
			xf.Row(i)[j] = F(x.At(i, j))
		}
	}
	v := gram.MakeRows[F](m, s)
	u := gram.MakeRows[F](n, s)
	for _, a := range [][]F{v.Data, u.Data} {
		for i := range a {
			a[i] = F(r.NormFloat64())
		}
	}
	for _, k := range all {
		b := Against[F](k, z)
		dst := gram.Rows[F]{Data: make([]F, n*(m+3)), N: n, D: m, Stride: m + 3}
		b.Fill(dst, gram.Dense(xf))
		mul, mulT := gram.MakeRows[F](n, s), gram.MakeRows[F](m, s)
		b.Mul(mul, gram.Dense(xf), v)
		b.MulT(mulT, gram.Dense(xf), u)
		for i := range n {
			var want [s]float64
			for j := range m {
				e := k.Eval(x.RawRowView(i), z.RawRowView(j))
				if got := float64(dst.Row(i)[j]); !(math.Abs(got-e) <= tol*max(1, math.Abs(e))*20) {
					t.Fatalf("%v: entry %d,%d is %v, want %v", k.Spec(), i, j, got, e)
				}
				for c := range s {
					want[c] += e * float64(v.Row(j)[c])
				}
			}
			for c := range s {
				if got := float64(mul.Row(i)[c]); !(math.Abs(got-want[c]) <= tol*1e4) {
					t.Fatalf("%v: Mul %d,%d is %v, want %v", k.Spec(), i, c, got, want[c])
				}
			}
		}
		for j := range m {
			var want [s]float64
			for i := range n {
				e := k.Eval(x.RawRowView(i), z.RawRowView(j))
				for c := range s {
					want[c] += e * float64(u.Row(i)[c])
				}
			}
			for c := range s {
				if got := float64(mulT.Row(j)[c]); !(math.Abs(got-want[c]) <= tol*1e4) {
					t.Fatalf("%v: MulT %d,%d is %v, want %v", k.Spec(), j, c, got, want[c])
				}
			}
		}
	}
}

func TestColumns(t *testing.T) {
	const n = 9
	g := mat.NewSymDense(n, nil)
	for i := range n {
		for j := range i + 1 {
			g.SetSym(i, j, float64(i*n+j))
		}
	}
	k := Columns(func(dst []float64, j int) { mat.Col(dst, j, g) }, n)
	x := Indices(n)
	b := Against[float64](k, x.Slice(2, 6, 0, 1))
	dst := gram.MakeRows[float64](n, 4)
	b.Fill(dst, gram.Of(x))
	for i := range n {
		for j := range 4 {
			if dst.Row(i)[j] != g.At(i, j+2) || k.Eval(x.RawRowView(i), x.RawRowView(j+2)) != g.At(i, j+2) {
				t.Fatalf("entry %d,%d is %v, want %v", i, j+2, dst.Row(i)[j], g.At(i, j+2))
			}
		}
	}
	for _, c := range [][2][]float64{{{1, 2}, {3}}, {{1}, {2, 3}}, {{0.5}, {1}}, {{1}, {-1}}, {{n}, {1}}, {{1}, {math.NaN()}}} {
		if got := must.Recovered(func() { k.Eval(c[0], c[1]) }); got != panicIndex {
			t.Errorf("rows %v: panic %v", c, got)
		}
	}
}

func levels() []cpu.Level { return cpu.Levels()[1:] }

// The rational quadratic kernel with α = 1 is computed as a quotient and must be close
// to that of neighboring α.
func TestRationalQuadratic(t *testing.T) {
	for _, s := range []float64{0, 0.3, 1, 7, 1e9} {
		want := 1 / (1 + s/(2*1.5*1.5))
		if got := (RationalQuadratic{Alpha: 1, Length: 1.5}).value(s); got != want {
			t.Errorf("α = 1: %v at %g, want %v", got, s, want)
		}
		if got := (RationalQuadratic{Alpha: 1 + 1e-9, Length: 1.5}).value(s); !(math.Abs(got-want) <= 1e-7*want) {
			t.Errorf("α near 1: %v at %g, want %v", got, s, want)
		}
	}
}
