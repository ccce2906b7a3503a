package solve

import (
	"context"
	"math"
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/algotest"
	"github.com/gramworks/gram/algos/internal/fixture"
	"github.com/gramworks/gram/internal/must"
	"github.com/gramworks/gram/kernel"
	"github.com/gramworks/gram/settings"
	"github.com/gramworks/gram/sparse"
	"gonum.org/v1/gonum/mat"
)

// first is a feature map whose features are kernel values with fixed points: a
// bad approximation, so that the errors below are not tiny.
type first struct {
	u *mat.Dense
	k kernel.Kernel
}

func (f first) Dims() (d, m int) { m, d = f.u.Dims(); return d, m }

func (f first) Map(dst *mat.Dense, x mat.Matrix) *mat.Dense {
	n, _ := x.Dims()
	m, _ := f.u.Dims()
	if dst == nil {
		dst = mat.NewDense(n, m, nil)
	}
	kernel.Against[float64](f.k, f.u).Fill(gram.View(dst), gram.Of(x))
	return dst
}

func problem(n int) (x *mat.Dense, k kernel.Kernel, f first, exact float64) {
	x = algotest.Problem(1, n, 3, 3).X.(*mat.Dense)
	k = kernel.Gaussian{Gamma: 0.3}
	f = first{mat.DenseCopyOf(x.Slice(0, 4, 0, 3)), k}
	return x, k, f, algotest.Relative(fixture.KernelMatrix(k, x, x), fixture.InnerProducts(f.Map(nil, x)))
}

func TestRelativeErrorOfAllRows(t *testing.T) {
	x, k, f, exact := problem(137)
	for _, y := range []mat.Matrix{x, sparse.FromDense(x)} {
		e := must.Have(RelativeError(context.Background(), k, y, &LowRank{Phi: f.Map(nil, y)}, ErrorOptions{}))(t)
		if !(math.Abs(e.Value-exact) < 1e-12) || e.StdError != 0 || e.Rows != 137 {
			t.Errorf("%T: %+v, want %g", y, e, exact)
		}
		c := must.Have(Certificate(context.Background(), k, f, y, 500, gram.Run{}))(t)
		if !(math.Abs(c.Value-exact) < 1e-12) || c.StdError != 0 || c.Rows != 137 {
			t.Errorf("%T: certificate from all rows %+v, want %g", y, c, exact)
		}
	}
	e, err := RelativeError(context.Background(), k, x, &LowRank{Phi: mat.NewDense(137, 1, nil)}, ErrorOptions{})
	if err != nil || e.Value != 1 {
		t.Errorf("the error of zero is %v, %v", e, err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := RelativeError(ctx, k, x, &LowRank{Phi: f.Map(nil, x)}, ErrorOptions{}); err != context.Canceled {
		t.Errorf("cancelled: %v", err)
	}
}

// Over many samples the mean of the estimates is right, and their standard
// errors agree with the spread of the estimates.
func TestSampledErrors(t *testing.T) {
	const n, repeats = 500, 300
	x, k, f, exact := problem(n)
	low := &LowRank{Phi: f.Map(nil, x)}
	for name, estimate := range map[string]func(seed uint64) (Error, error){
		"rows": func(seed uint64) (Error, error) {
			return RelativeError(context.Background(), k, x, low, ErrorOptions{MaxRows: 60, Run: gram.Run{Seed: seed}})
		},
		"certificate": func(seed uint64) (Error, error) {
			return Certificate(context.Background(), k, f, x, 60, gram.Run{Seed: seed})
		},
	} {
		var mean, square, claimed float64
		for seed := range uint64(repeats) {
			e := must.Have(estimate(seed))(t)
			mean += e.Value / repeats
			square += (e.Value - exact) * (e.Value - exact) / repeats
			claimed += e.StdError * e.StdError / repeats
		}
		spread := math.Sqrt(square)
		if bias := math.Abs(mean - exact); !(bias < 0.3*spread) {
			t.Errorf("%s: mean %g, want %g; the spread is %g", name, mean, exact, spread)
		}
		if r := math.Sqrt(claimed) / spread; !(r > 0.7 && r < 1.5) {
			t.Errorf("%s: the standard error is %.2f times the spread", name, r)
		}
	}
}

func TestLowRank(t *testing.T) {
	phi := random(1, 20, 3)
	for _, scale := range [][]float64{nil, {2, -1, 0.5}} {
		a := &LowRank{Phi: phi, Scale: scale}
		d := mat.NewDiagDense(3, []float64{1, 1, 1})
		if scale != nil {
			d = mat.NewDiagDense(3, scale)
		}
		var t1, want mat.Dense
		t1.Mul(phi, d)
		want.Mul(&t1, phi.T())
		got := mat.NewDense(4, 20, nil)
		a.Rows(got, []int{3, 19, 3, 0})
		for k, i := range []int{3, 19, 3, 0} {
			for j := range 20 {
				if !(math.Abs(got.At(k, j)-want.At(i, j)) < 1e-12) {
					t.Fatalf("scale %v: row %d differs", scale, i)
				}
			}
		}
		x := random(2, 20, 2)
		y := mat.NewDense(20, 2, nil)
		a.Apply(y, x)
		var z mat.Dense
		z.Mul(&want, x)
		if a.Dim() != 20 || !mat.EqualApprox(y, &z, 1e-12) {
			t.Errorf("scale %v: product differs", scale)
		}
		// By its rows, and by its products alone.
		for _, o := range []gram.Operator{a, struct{ gram.Operator }{a}} {
			if !mat.EqualApprox(Matrix(o), &want, 1e-12) {
				t.Errorf("scale %v: the matrix of a %T differs", scale, o)
			}
		}
	}
}

func TestPenalty(t *testing.T) {
	if Total.Scale(0.5, 10) != 0.5 || PerRow.Scale(0.5, 10) != 5 {
		t.Error("wrong scale of the penalty")
	}
	for p, name := range map[Penalty]string{Total: "total", PerRow: "per row"} {
		if c, err := settings.Resolved(penalized{p}, gram.Shape{N: 10}); err != nil || c.Penalty != p || p.String() != name {
			t.Errorf("the setting %v: %v, %v", p, c.Penalty, err)
		}
	}
	_, err := settings.Resolved(penalized{PerRow + 1}, gram.Shape{N: 10})
	algotest.Names(t, "Penalty", PerRow+1, err)
}

// penalized is a configuration with a penalty.
type penalized struct{ Penalty Penalty }

func (c *penalized) Settings(s *settings.Fields) { Setting(s, &c.Penalty) }

func TestErrorDraws(t *testing.T) {
	x := algotest.Problem(3, 60, 4, 3).X
	k := kernel.Gaussian{Gamma: 0.3}
	algotest.Draws(t, "relative error", []string{"seed"}, nil, func(run gram.Run) {
		if _, err := RelativeError(t.Context(), k, x, &LowRank{Phi: mat.NewDense(60, 2, nil)}, ErrorOptions{MaxRows: 20, Run: run}); err != nil {
			t.Error(err)
		}
	})
}
