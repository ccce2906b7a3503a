package reference_test

import (
	"errors"
	"io/fs"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/dataset"
	"github.com/gramworks/gram/internal/must"
	"github.com/gramworks/gram/sparse"
	"gonum.org/v1/gonum/mat"
)

// probe compares what a method says with what its definition says.
type probe struct{ *testing.T }

// probeTol is the difference that is allowed, relative to the largest number.
const probeTol = 1e-8

// matrix holds that got is want.
func (p probe) matrix(what string, got, want mat.Matrix) {
	p.Helper()
	n, d := want.Dims()
	if r, c := got.Dims(); r != n || c != d {
		p.Fatalf("%s is %d×%d, want %d×%d", what, r, c, n, d)
	}
	var worst, size float64
	for i := range n {
		for j := range d {
			size = max(size, math.Abs(want.At(i, j)))
			if v := math.Abs(got.At(i, j) - want.At(i, j)); !(v <= worst) {
				worst = v
			}
		}
	}
	if !(worst <= probeTol*size) {
		p.Errorf("%s differs by %.3g, the largest number is %.3g", what, worst, size)
	}
}

// number holds that got is want.
func (p probe) number(what string, got, want float64) {
	p.Helper()
	if !(math.Abs(got-want) <= probeTol*max(math.Abs(want), 1e-300)) {
		p.Errorf("%s is %v, want %v", what, got, want)
	}
}

// gradient holds that g is the derivative of f by the numbers of x, by central differences.
func (p probe) gradient(what string, x, g *mat.Dense, f func() float64) {
	p.Helper()
	n, d := x.Dims()
	for i := range n {
		for j := range d {
			const step = 1e-5
			old := x.At(i, j)
			x.Set(i, j, old+step)
			up := f()
			x.Set(i, j, old-step)
			down := f()
			x.Set(i, j, old)
			if want := (up - down) / (2 * step); !(math.Abs(g.At(i, j)-want) <= 1e-6*(1+math.Abs(want))) {
				p.Fatalf("%s: derivative %v by (%d,%d), by differences %v", what, g.At(i, j), i, j, want)
			}
		}
	}
}

// falls holds that an objective never rises, but for rounding.
func (p probe) falls(trace []float64) {
	p.Helper()
	if len(trace) < 2 {
		p.Fatalf("%d values of an objective", len(trace))
	}
	for i := 1; i < len(trace); i++ {
		if !(trace[i] <= trace[i-1]+1e-12*math.Abs(trace[i-1])) {
			p.Errorf("step %d: the objective rose from %v to %v", i, trace[i-1], trace[i])
		}
	}
}

// fitted ends the test where a fit has failed.
func fitted[M any](t *testing.T) func(m M, err error) M {
	return func(m M, err error) M {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return m
	}
}

// probeNormal is an n×d matrix of standard normal numbers.
func probeNormal(seed uint64, n, d int) *mat.Dense {
	r, m := rand.New(rand.NewPCG(seed, 1)), mat.NewDense(n, d, nil)
	m.Apply(func(_, _ int, _ float64) float64 { return r.NormFloat64() }, m)
	return m
}

// probeTags is an n×l matrix of zeros and ones, the labels of rows: those whose linear functions are
// large.
func probeTags(seed uint64, x *mat.Dense, l int) *sparse.CSR {
	n, d := x.Dims()
	y, noise := mat.NewDense(n, l, nil), probeNormal(seed+100, n, l)
	y.Mul(x, probeNormal(seed, d, l))
	y.Add(y, noise)
	y.Apply(func(_, _ int, v float64) float64 {
		if v > .8 {
			return 1
		}
		return 0
	}, y)
	return sparse.FromDense(y)
}

// probeSquares is Σa_ij².
func probeSquares(a mat.Matrix) float64 {
	v := mat.Norm(a, 2)
	return v * v
}

// probeOnes returns x with a column of ones.
func probeOnes(x mat.Matrix) *mat.Dense {
	n, d := x.Dims()
	out := mat.NewDense(n, d+1, nil)
	out.Copy(x)
	for i := range n {
		out.Set(i, d, 1)
	}
	return out
}

// probeFourier are the features [cos⟨u,x⟩ …, sin⟨u,x⟩ …]/√m of the rows of x, frequencies in rows.
func probeFourier(x, u *mat.Dense) *mat.Dense {
	n, _ := x.Dims()
	m, _ := u.Dims()
	var z mat.Dense
	z.Mul(x, u.T())
	phi := mat.NewDense(n, 2*m, nil)
	for i := range n {
		for j := range m {
			phi.Set(i, j, math.Cos(z.At(i, j))/math.Sqrt(float64(m)))
			phi.Set(i, m+j, math.Sin(z.At(i, j))/math.Sqrt(float64(m)))
		}
	}
	return phi
}

// probeGaussian is exp(−γ‖x−u‖²) for rows of x and u.
func probeGaussian(x, u *mat.Dense, gamma float64) *mat.Dense {
	n, d := x.Dims()
	m, _ := u.Dims()
	phi := mat.NewDense(n, m, nil)
	phi.Apply(func(i, j int, _ float64) float64 {
		var s float64
		for c := range d {
			s += math.Pow(x.At(i, c)-u.At(j, c), 2)
		}
		return math.Exp(-gamma * s)
	}, phi)
	return phi
}

// probePull is ∂f/∂U, points in rows, from e = ∂f/∂Φ by the chain rule, number by number: of
// Gaussian features for γ > 0, else of Fourier features.
func probePull(x, u, e *mat.Dense, gamma float64) *mat.Dense {
	n, d := x.Dims()
	m, _ := u.Dims()
	g, phi := mat.NewDense(m, d, nil), probeFourier(x, u)
	if gamma > 0 {
		phi = probeGaussian(x, u, gamma)
	}
	for i := range n {
		for j := range m {
			for c := range d {
				v := 2 * gamma * e.At(i, j) * phi.At(i, j) * (x.At(i, c) - u.At(j, c))
				if gamma == 0 {
					v = (e.At(i, m+j)*phi.At(i, j) - e.At(i, j)*phi.At(i, m+j)) * x.At(i, c)
				}
				g.Set(j, c, g.At(j, c)+v)
			}
		}
	}
	return g
}

// probeRidge is (AᵀA+λI)⁻¹AᵀB.
func probeRidge(a, b mat.Matrix, lambda float64) *mat.Dense {
	_, p := a.Dims()
	var g, r, w mat.Dense
	g.Mul(a.T(), a)
	for i := range p {
		g.Set(i, i, g.At(i, i)+lambda)
	}
	r.Mul(a.T(), b)
	if err := w.Solve(&g, &r); err != nil {
		panic(err)
	}
	return &w
}

// probeData is a small set of real data; the test is skipped where there is none.
func probeData(t *testing.T, name string) *dataset.Set {
	t.Helper()
	dir, err := dataset.FindDir()
	if errors.Is(err, fs.ErrNotExist) {
		t.Skip("no data: ", err)
	}
	train, _ := must.Have2(dir.Load(name, dataset.Options{}))(t)
	return train
}

// probeRanked holds that top has the labels of each row by descending score.
func (p probe) ranked(top [][]gram.Scored, scores *mat.Dense) {
	p.Helper()
	for i, list := range top {
		for k, s := range list {
			better := 0
			for l, v := range scores.RawRowView(i) {
				if v > s.Score || v == s.Score && l < s.Label {
					better++
				}
			}
			if s.Score != scores.At(i, s.Label) || better != k {
				p.Fatalf("row %d, place %d: label %d with %v, its score is %v and %d are better", i, k, s.Label, s.Score, scores.At(i, s.Label), better)
			}
		}
	}
}
