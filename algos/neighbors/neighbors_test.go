package neighbors

import (
	"context"
	"math"
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/algotest"
	"github.com/gramworks/gram/internal/looktest"
	"github.com/gramworks/gram/internal/must"
	"github.com/gramworks/gram/kernel"
	"github.com/gramworks/gram/modelfile"
	"gonum.org/v1/gonum/mat"
)

func TestContract(t *testing.T) {
	for _, s := range []struct {
		name, golden string
		c            Config
	}{
		{"Gaussian", "neighbors.v1.gram", Config{Kernel: kernel.Gaussian{Gamma: 0.1}}},
		{"linear", "", Config{Kernel: kernel.Linear{}, K: 3}},
	} {
		t.Run(s.name, func(t *testing.T) {
			at := func(n int, run gram.Run) Config {
				c := s.c
				c.K, c.Run = min(c.K, n), run
				return c
			}
			algotest.Check(t, algotest.Subject{
				Kind: algotest.Classification,
				Fit: func(ctx context.Context, d algotest.Data, run gram.Run) (*algotest.Model, error) {
					n, _ := d.X.Dims()
					return algotest.Fitted(at(n, run).Fit(ctx, d.X, d.Labels, d.Weights))
				},
				Plan:     func(s gram.Shape, run gram.Run) (gram.Plan, error) { return at(s.N, run).Plan(s) },
				Decode:   func(f *modelfile.File) (*algotest.Model, error) { return algotest.Fitted(Decode(f)) },
				Weighted: true,
				Unequal:  "the K nearest rows vote, each with its weight",
				Golden:   s.golden,
				Memory:   gram.Shape{N: 3000, D: 8, Outputs: 3},
			})
		})
	}
}

// The neighbors are those that a search through all distances finds, and the votes are theirs.
func TestNearest(t *testing.T) {
	d := algotest.Problem(7, 80, 3, 3)
	k := kernel.Laplacian{Gamma: 0.3}
	m := must.Have(Config{Kernel: k, K: 1}.Fit(t.Context(), d.X, d.Labels, nil))(t)
	z := mat.DenseCopyOf(algotest.Problem(8, 40, 3, 3).X)
	rows := mat.DenseCopyOf(d.X)
	for i, class := range m.Predict(nil, z) {
		best, least := -1, math.Inf(1)
		for j := range 80 {
			x, y := z.RawRowView(i), rows.RawRowView(j)
			if v := k.Eval(x, x) + k.Eval(y, y) - 2*k.Eval(x, y); v < least {
				best, least = j, v
			}
		}
		if class != d.Labels.Class[best] {
			t.Errorf("row %d: class %d, the nearest row has %d", i, class, d.Labels.Class[best])
		}
	}
}

// Of classes with equal votes the one with the nearer neighbor wins, by less
// than half a vote, and weights count as votes.
func TestTies(t *testing.T) {
	c := &Classifier{class: []int{0, 1, 1, 0, 2}, weight: []float64{1, 1, 1, 1, 2.5}}
	votes := make([]float64, 3)
	for _, one := range []struct {
		near []int
		want []float64
	}{
		{[]int{0, 1, 2, 3}, []float64{(2 + 0.5) / 4, (2 + 0.375) / 4, 0}},
		{[]int{2, 3, 0, 1}, []float64{(2 + 0.375) / 4, (2 + 0.5) / 4, 0}},
		{[]int{0, 1, 2}, []float64{1.5 / 3, (2 + 0.5*2/3.0) / 3, 0}},
		{[]int{0, 4}, []float64{1.5 / 2, 0, (2.5 + 0.25) / 2}},
	} {
		c.count(votes, one.near)
		for k, want := range one.want {
			if !(math.Abs(votes[k]-want) < 1e-15) {
				t.Errorf("neighbors %v: votes %v, want %v", one.near, votes, one.want)
				break
			}
		}
	}
}

func TestSettings(t *testing.T) {
	d := algotest.Problem(5, 30, 3, 3)
	fit := func(c Config) error {
		_, err := c.Fit(t.Context(), d.X, d.Labels, nil)
		return err
	}
	algotest.Refused(t, Config{Kernel: kernel.Linear{}}, map[string][]any{"Kernel": {nil}, "K": {31}}, fit)
	algotest.Described(t, &Config{})
	m, err := Config{Kernel: kernel.Linear{}}.Fit(t.Context(), d.X, d.Labels, nil)
	if err != nil || m.Config().K != 5 {
		t.Errorf("%v neighbors, %v", m.Config().K, err)
	}
	w := make([]float64, 30)
	for i := range w[:3] {
		w[i] = 1
	}
	_, err = Config{Kernel: kernel.Linear{}, K: 4}.Fit(t.Context(), d.X, d.Labels, w) // of three rows that have a weight
	algotest.Names(t, "K", 4, err)
}

// A fit ends with the error of its context at whichever look it ends.
func TestLooks(t *testing.T) {
	d := algotest.Problem(3, 300, 3, 3)
	looktest.Every(t, func(ctx context.Context) (any, error) {
		m, err := Config{Kernel: kernel.Gaussian{Gamma: .5}}.Fit(ctx, d.X, d.Labels, nil)
		return looktest.Unless(err, func() any { return m.Scores(nil, d.X) })
	})
}

// A file may hold rows of one class only, though no fit makes such a model.
func TestCorrupted(t *testing.T) {
	d := algotest.Problem(24, 30, 4, 3)
	algotest.AtGeneric(t, func() {
		c := must.Have(Config{Kernel: kernel.Gaussian{Gamma: 0.1}, K: 2}.Fit(t.Context(), d.X, d.Labels, nil))(t)
		clear(c.class)
		algotest.Corrupted(t, c, func(f *modelfile.File) (*algotest.Model, error) {
			c, err := Decode(f)
			if err != nil {
				return nil, err
			}
			return &algotest.Model{Output: func(x mat.Matrix) *mat.Dense { return c.Scores(nil, x) }}, nil
		}, d.X)
	})
}
