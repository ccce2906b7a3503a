package kpca

import (
	"bytes"
	"context"
	"math"
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/algotest"
	"github.com/gramworks/gram/algos/kernels/constraint"
	"github.com/gramworks/gram/algos/kernels/itml"
	"github.com/gramworks/gram/internal/gen"
	"github.com/gramworks/gram/internal/looktest"
	"github.com/gramworks/gram/internal/must"
	"github.com/gramworks/gram/kernel"
	"github.com/gramworks/gram/modelfile"
	"gonum.org/v1/gonum/mat"
)

// gramOf is the kernel matrix of the rows of x.
func gramOf(k kernel.Kernel, x *mat.Dense) *mat.Dense {
	n, _ := x.Dims()
	g := mat.NewDense(n, n, nil)
	kernel.Against[float64](k, x).Fill(gram.View(g), gram.Of(x))
	return g
}

// symmetric is g as a symmetric matrix.
func symmetric(g *mat.Dense) *mat.SymDense {
	n, _ := g.Dims()
	s := mat.NewSymDense(n, nil)
	for i := range n {
		for j := i; j < n; j++ {
			s.SetSym(i, j, (g.At(i, j)+g.At(j, i))/2)
		}
	}
	return s
}

// The features are the coordinates that the eigenvectors of the (centered)
// kernel matrix give, and its kernel of the rows is the best of that rank.
func TestPCA(t *testing.T) {
	x := gen.Normal(20, 3, 1)
	k := kernel.Gaussian{Gamma: 0.3}
	for _, c := range []Config{{Kernel: k, Rank: 5}, {Kernel: k, Rank: 5, Center: true}} {
		f := must.Have(c.Fit(t.Context(), x))(t)
		s := symmetric(gramOf(k, x))
		if c.Center {
			center(s)
		}
		var e mat.EigenSym
		e.Factorize(s, true)
		values := e.Values(nil)
		kept := values[15]
		var u, uv, want mat.Dense
		e.VectorsTo(&u)
		uv.Apply(func(_, j int, v float64) float64 {
			if !(values[j] >= kept-1e-12) {
				return 0
			}
			return v * values[j]
		}, &u)
		want.Mul(&uv, u.T())
		got := f.Gram(nil, x, x)
		if c.Center { // features are centered up to a constant vector
			h := symmetric(got)
			center(h)
			got = mat.DenseCopyOf(h)
		}
		if !mat.EqualApprox(got, &want, 1e-10) {
			t.Errorf("centered %v: the kernel is not the best of its rank", c.Center)
		}
	}
}

// A Function as base of another: LR-pre, LR-post, a deformed kernel, and their
// files.
func TestNested(t *testing.T) {
	x, y := gen.Blobs(60, 4, 3, 3, 2)
	z := gen.Normal(9, 4, 5)
	var k kernel.Kernel = kernel.Gaussian{Gamma: 0.2}
	deformed := must.Have(itml.Manifold{Kernel: k}.Fit(t.Context(), x))(t)
	pre := must.Have(Config{Kernel: deformed, Rank: 6}.Fit(t.Context(), x))(t)
	cons := must.Have(constraint.Pairs{Count: 40}.FromLabels(t.Context(), pre, x, y, 1))(t)
	m := must.Have(itml.Config{Kernel: pre, Slack: 1}.Fit(t.Context(), x, cons))(t)
	if m.Stats().Dimensions > 6 {
		t.Errorf("%d dimensions on a kernel of rank 6", m.Stats().Dimensions)
	}
	f := m.Kernel()
	g := f.Gram(nil, z, x)
	for i := range 3 {
		if v := f.Eval(z.RawRowView(i), x.RawRowView(i)); !(math.Abs(v-g.At(i, i)) <= 1e-10) {
			t.Errorf("Eval %v, Gram %v", v, g.At(i, i))
		}
	}
	diag := f.Diagonal(nil, z)
	for i, v := range f.Gram(nil, z, z).RawMatrix().Data {
		if i%10 == 0 && !(math.Abs(v-diag[i/9]) <= 1e-10) {
			t.Errorf("diagonal %v, Gram %v", diag[i/9], v)
		}
	}
	var b bytes.Buffer
	must.Do(t, modelfile.Write(&b, m))
	file := must.Have(modelfile.Read(&b))(t)
	back := must.Have(itml.Decode(file))(t)
	if !mat.Equal(back.Kernel().Gram(nil, z, x), g) {
		t.Error("another kernel after reading the file")
	}
	post := must.Have(Config{Kernel: f, Rank: 4}.Fit(t.Context(), x))(t)
	if e, err := post.Embedding(); err != nil || e.Map(nil, z).RawMatrix().Cols != 4 {
		t.Errorf("an embedding in 4 dimensions: %v", err)
	}
	if _, err := f.Embedding(); err == nil {
		t.Error("an embedding of a kernel with α = 1")
	}
}

func TestSettings(t *testing.T) {
	d := algotest.Problem(5, 30, 3, 3)
	algotest.Refused(t, Config{Kernel: kernel.Gaussian{Gamma: 0.1}}, map[string][]any{"Kernel": {nil}, "Rank": {31}}, func(c Config) error {
		_, err := c.Fit(t.Context(), d.X)
		return err
	})
	algotest.Described(t, &Config{})
}

// A fit ends with the error of its context at whichever look it ends.
func TestLooks(t *testing.T) {
	x := algotest.Problem(3, 60, 3, 3).X
	looktest.Every(t, func(ctx context.Context) (any, error) {
		f, err := Config{Kernel: kernel.Gaussian{Gamma: .5}}.Fit(ctx, x)
		return looktest.Unless(err, func() any { return f.Features(nil, x) })
	})
}

func TestFingerprints(t *testing.T) {
	algotest.Fingerprints(t, algotest.Subject{}, map[string]Config{
		"components": {Rank: 3},
		"centered":   {Rank: 3, Center: true},
	}, func(c Config, ctx context.Context, d algotest.Data) (*algotest.Model, error) {
		c.Kernel = kernel.Gaussian{Gamma: 0.1}
		f, err := c.Fit(ctx, d.X)
		if err != nil {
			return nil, err
		}
		return &algotest.Model{Public: f, Output: func(x mat.Matrix) *mat.Dense { return f.Gram(nil, x, x) }, Encode: f.Encode}, nil
	})
}

// The plan says how many bytes a model takes, of which its file holds a large part.
func TestPlannedModel(t *testing.T) {
	for _, shape := range []gram.Shape{{N: 100, D: 5}, {N: 200, D: 5}, {N: 100, D: 20}} {
		c := Config{Kernel: kernel.Gaussian{Gamma: .1}, Rank: 10}
		var b bytes.Buffer
		must.Do(t, modelfile.Write(&b, must.Have(c.Fit(t.Context(), gen.Normal(shape.N, shape.D, 1)))(t)))
		const header = 2 << 10
		planned, held := must.Have(c.Plan(shape))(t).ModelBytes, int64(b.Len())
		if planned > 2*held || held > planned+header {
			t.Errorf("%d×%d: the plan says that the model takes %d bytes, its file has %d", shape.N, shape.D, planned, held)
		}
	}
}

// The plan is what a fit uses.
func TestPlan(t *testing.T) {
	const n = 400
	x := gen.Normal(n, 5, 1)
	c := Config{Kernel: kernel.Gaussian{Gamma: .1}}
	plan := must.Have(c.Plan(gram.Shape{N: n, D: 5}))(t)
	if want := float64(n*n*5 + 9*n*n*n); plan.Flops != want || !plan.FullKernel {
		t.Errorf("the plan is %+v, want %g flops", plan, want)
	}
	algotest.CheckPeak(t, plan.PeakBytes, func() { must.Have(c.Fit(t.Context(), x))(t) })
}
