package meka

import (
	"bytes"
	"context"
	"errors"
	"math"
	"slices"
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/algotest"
	"github.com/gramworks/gram/algos/linear"
	"github.com/gramworks/gram/kernel"
	"github.com/gramworks/gram/modelfile"
	"gonum.org/v1/gonum/mat"
)

func TestContract(t *testing.T) {
	for _, s := range []struct {
		name string
		c    Config
	}{
		{"gaussian", Config{Kernel: kernel.Gaussian{Gamma: 0.3}, Clusters: 3, Rank: 4}},
		{"laplacian", Config{Kernel: kernel.Laplacian{Gamma: 0.1}, Clusters: 4, Rank: 5, Basis: KMeansNystrom, Balance: 1.2, Certificate: 20}},
		{"pooled", Config{Kernel: kernel.Gaussian{Gamma: 0.1}, Clusters: 4, Rank: 6, Ranks: PooledEigenvalues, Basis: RandomizedNystrom, Epsilon: 0.1}},
	} {
		t.Run(s.name, func(t *testing.T) {
			at := func(n int, run gram.Run) Config {
				c := s.c
				c.Run = run
				if n >= 10_000 {
					c.Clusters, c.Rank = 6, 60
				}
				c.Clusters, c.Rank = min(c.Clusters, n), min(c.Rank, n)
				return c
			}
			subject := algotest.Subject{
				Kind: algotest.Unsupervised,
				Fit: func(ctx context.Context, d algotest.Data, run gram.Run) (*algotest.Model, error) {
					n, _ := d.X.Dims()
					return algotest.Fitted(at(n, run).Fit(ctx, d.X))
				},
				Plan: func(s gram.Shape, run gram.Run) (gram.Plan, error) {
					return at(s.N, run).Plan(s)
				},
				Decode: func(f *modelfile.File) (*algotest.Model, error) { return algotest.Fitted(Decode(f)) },
			}
			subject.Kept = 20 // a model in memory has the features of the rows, too
			subject.Long = gram.Shape{N: 60_000, D: 8}
			subject.Random = []string{"basis #/landmarks", "clusters", "landmarks", "links"}
			if s.c.Certificate > 0 {
				subject.Random = append(subject.Random, "certificate")
			}
			if s.name == "gaussian" {
				subject.Golden = "meka.v1.gram"
			}
			algotest.Check(t, subject)
		})
	}
}

// A model without a repair is stored, too, and stands for the same matrix.
func TestStoredWithoutRepair(t *testing.T) {
	x := blobs(100)
	for name, c := range map[string]Config{
		"links":    {Kernel: gauss, Clusters: 3, Rank: 6, NoRepair: true},
		"repaired": {Kernel: gauss, Clusters: 3, Rank: 6},
		"zero":     {Kernel: kernel.Linear{}, Clusters: 1, Rank: 2},
	} {
		x := x
		if name == "zero" {
			x = mat.NewDense(100, 4, nil)
		}
		m := fit(t, c, x)
		back, err := Decode(file(t, m))
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		at, err := back.At(context.Background(), x)
		if err != nil {
			t.Fatal(err)
		}
		if !mat.EqualApprox(dense(at), dense(m.Operator()), 1e-11) {
			t.Errorf("%s: the model that was read stands for another matrix", name)
		}
		if back.Operator() != nil || back.HasFeatures() != m.HasFeatures() {
			t.Errorf("%s: operator %v, features %t", name, back.Operator(), back.HasFeatures())
		}
	}
}

func file(t *testing.T, m modelfile.Model) *modelfile.File {
	t.Helper()
	var b bytes.Buffer
	if err := modelfile.Write(&b, m); err != nil {
		t.Fatal(err)
	}
	f, err := modelfile.Read(&b)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// forged is a model whose arrays do not fit together.
type forged struct {
	*Model
	count, rank, linked []int
	root                []float64
	link                *mat.Dense
}

func (m forged) Encode(w *modelfile.Writer) error {
	if err := w.Header("meka", 1, struct {
		Kernel kernel.Spec
		Config
	}{m.cfg.Kernel.Spec(), m.cfg}); err != nil {
		return err
	}
	if err := m.clusters.Encode(w.Sub("clusters")); err != nil {
		return err
	}
	if err := modelfile.Put(w, func(x *modelfile.Exchange) {
		x.Ints("landmarks.count", &m.count, len(m.count), math.MinInt32, math.MaxInt32)
		x.Ints("rank", &m.rank, len(m.rank), math.MinInt32, math.MaxInt32)
		x.Ints("linked", &m.linked, len(m.linked), math.MinInt32, math.MaxInt32)
	}); err != nil {
		return err
	}
	w.Dense("landmarks", mat.NewDense(6, 4, nil))
	w.Float64("root", m.root)
	w.Dense("link.root", m.link)
	return nil
}

func TestForged(t *testing.T) {
	m := fit(t, Config{Kernel: gauss, Clusters: 2, Rank: 2}, blobs(50))
	good := forged{m, []int{3, 3}, []int{2, 1}, []int{1, 1}, make([]float64, 9), mat.NewDense(2, 2, nil)}
	if _, err := Decode(file(t, good)); err != nil {
		t.Fatalf("what is not forged: %v", err)
	}
	for name, change := range map[string]func(*forged){
		"three clusters":       func(f *forged) { f.count = []int{3, 3, 0} },
		"negative count":       func(f *forged) { f.count = []int{-3, 9} },
		"too many landmarks":   func(f *forged) { f.count = []int{3, 4} },
		"too few landmarks":    func(f *forged) { f.count = []int{3, 2} },
		"rank above landmarks": func(f *forged) { f.rank = []int{4, 1} },
		"no rank":              func(f *forged) { f.rank = []int{0, 1} },
		"links above rank":     func(f *forged) { f.linked = []int{1, 2} },
		"negative links":       func(f *forged) { f.linked = []int{-1, 1} },
		"root too short":       func(f *forged) { f.root = f.root[:8] },
		"root too long":        func(f *forged) { f.root = make([]float64, 10) },
		"link of another size": func(f *forged) { f.link = mat.NewDense(3, 2, nil) },
		"link without columns": func(f *forged) { f.link = &mat.Dense{} },
	} {
		bad := good
		change(&bad)
		var format *modelfile.FormatError
		if _, err := Decode(file(t, bad)); !errors.As(err, &format) {
			t.Errorf("%s: error %v, want a *modelfile.FormatError", name, err)
		}
	}
}

// Linear models on the features have programs.
func TestCompiled(t *testing.T) {
	d := algotest.Problem(1, 400, 4, 3)
	for name, c := range map[string]Config{
		"gaussian":  {Kernel: kernel.Gaussian{Gamma: 0.3}, Clusters: 3, Rank: 4},
		"laplacian": {Kernel: kernel.Laplacian{Gamma: 0.1}, Clusters: 4, Rank: 5, Basis: KMeansNystrom, Balance: 1.2},
		"few links": {Kernel: kernel.Gaussian{Gamma: 0.1}, Clusters: 4, Rank: 9, Cut: 0.3},
	} {
		t.Run(name, func(t *testing.T) {
			m := fit(t, c, d.X.(*mat.Dense))
			if s := m.Stats(); name == "few links" && slices.Equal(s.Linked, s.Ranks) {
				t.Fatal("all columns have links")
			}
			classifier, err := linear.SVM{}.Fit(t.Context(), m, d.X, d.Labels, nil)
			if err != nil {
				t.Fatal(err)
			}
			values, err := linear.Ridge{}.Fit(t.Context(), m, d.X, d.Value, nil)
			if err != nil {
				t.Fatal(err)
			}
			x := algotest.Problem(2, 150, 4, 3).X.(*mat.Dense)
			algotest.Compiled(t, classifier, x, 0)
			algotest.Compiled(t, values, x, 0)
		})
	}
}
