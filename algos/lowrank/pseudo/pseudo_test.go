package pseudo

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/algotest"
	"github.com/gramworks/gram/algos/internal/fixture"
	"github.com/gramworks/gram/algos/lowrank/landmark"
	"github.com/gramworks/gram/algos/lowrank/nystrom"
	"github.com/gramworks/gram/internal/must"
	"github.com/gramworks/gram/kernel"
	"gonum.org/v1/gonum/mat"
)

var rbf = kernel.Gaussian{Gamma: 0.2}

func problem(n, d int) *mat.Dense { return algotest.Problem(3, n, d, 3).X.(*mat.Dense) }

func fit(t *testing.T, c Config, x mat.Matrix) *Model {
	t.Helper()
	m := must.Have(c.Fit(context.Background(), x))(t)
	return m
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
	g := fixture.KernelMatrix(rbf, x, x) // P = n: pseudo-landmark t is row t
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
			g := fixture.KernelMatrix(k, x, x)
			sel := landmark.Uniform{}
			plain := must.Have(nystrom.Config{Kernel: k, M: m, Landmarks: sel}.Fit(context.Background(), x))(t)
			most := algotest.Relative(g, fixture.InnerProducts(plain.Map(nil, x)))
			for kind := Products; kind <= Mid; kind++ {
				if kind.Fits(k) != nil {
					continue
				}
				p := fit(t, Config{Kernel: k, M: m, Kind: kind, Landmarks: sel}, x)
				e := algotest.Relative(g, fixture.InnerProducts(p.Map(nil, x)))
				what := fmt.Sprintf("%s, m %d, %s", fmt.Sprint(k.Spec()), m, kind)
				if !(e <= most*(1+1e-6)+1e-7) {
					t.Errorf("%s: relative error %g, of the Nyström method %g", what, e, most)
				}
				if s := p.Stats(); !(math.Abs(s.SampleError-e) <= 1e-6) {
					t.Errorf("%s: relative error %g, the statistics say %g", what, e, s.SampleError)
				}
				if kind == Products {
					all := fit(t, Config{Kernel: k, M: m, All: true, Landmarks: sel}, x)
					if a := algotest.Relative(g, fixture.InnerProducts(all.Map(nil, x))); !(a <= e*(1+1e-6)+1e-7) {
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
	g, c := fixture.KernelMatrix(rbf, x, x), m.Columns().Map(nil, x)
	// The gradient of ½‖G − C̄WC̄ᵀ‖² is −C̄ᵀ(G − C̄WC̄ᵀ)C̄.
	var d, half, grad mat.Dense
	d.Sub(g, fixture.InnerProducts(m.Map(nil, x)))
	half.Mul(c.T(), &d)
	grad.Mul(&half, c)
	if v := mat.Norm(&grad, 2); !(v <= 1e-7*mat.Norm(g, 2)) {
		t.Errorf("the gradient at W̄ is %g", v)
	}
}

// W̄ from a sample serves rows that are not in it.
func TestSample(t *testing.T) {
	x := problem(1000, 4)
	g := fixture.KernelMatrix(rbf, x, x)
	c := Config{Kernel: rbf, M: 12, Landmarks: landmark.KMeans{}}
	c.Sample = 1000
	full := algotest.Relative(g, fixture.InnerProducts(fit(t, c, x).Map(nil, x)))
	c.Sample = 250
	part := algotest.Relative(g, fixture.InnerProducts(fit(t, c, x).Map(nil, x)))
	if !(part >= full && part <= 1.15*full) {
		t.Errorf("relative error %g from all rows, %g from a quarter", full, part)
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
		_, failed := c.Plan(gram.Shape{N: 30, D: 3})
		for _, err := range []error{err, failed} {
			var ce *gram.ConfigError
			if want := string(bytes.TrimSpace([]byte(name))); !errors.As(err, &ce) || ce.Field != want {
				t.Errorf("%s: error %v", name, err)
			}
		}
	}
}
