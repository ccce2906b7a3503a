package tables

import (
	"context"
	"fmt"
	"math"
	"time"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/landmark"
	"github.com/gramworks/gram/algos/nystrom"
	"github.com/gramworks/gram/algos/rff"
	"github.com/gramworks/gram/algos/solve"
	"github.com/gramworks/gram/dataset"
	"github.com/gramworks/gram/kernel"
	"gonum.org/v1/gonum/mat"
)

// What the tables of low-rank approximations share: the methods at a rank and
// the error of one on a data set.

// approximation is a fitted approximation of the kernel matrix of some rows.
type approximation struct {
	of    solve.Approximation
	bytes int64 // that it takes: features of all rows and the map's own parameters
}

// lowRank is a method of Table 3.7. fit approximates the kernel matrix of x at
// rank k with the protocol of that table.
type lowRank struct {
	name string
	fit  func(ctx context.Context, k kernel.Kernel, x mat.Matrix, rank int, run gram.Run) (approximation, error)
}

// baselines are the six columns of Table 3.7 beside MEKA. Nys and RNys take 2k
// columns and the best rank k, KNys the k centroids of the best of four k-means
// starts, ENys three experts of rank k/3
// from 2k/3 columns each, RKS and Fastfood k frequencies: 2k features.
var baselines = []lowRank{
	{"Nys", func(ctx context.Context, k kernel.Kernel, x mat.Matrix, rank int, run gram.Run) (approximation, error) {
		return fitNystrom(ctx, nystrom.Config{Kernel: k, Landmarks: landmark.Uniform{}, M: 2 * rank, Rank: rank, Run: run}, x)
	}},
	{"RNys", func(ctx context.Context, k kernel.Kernel, x mat.Matrix, rank int, run gram.Run) (approximation, error) {
		return fitNystrom(ctx, nystrom.Config{Kernel: k, Landmarks: landmark.Uniform{}, M: 2 * rank, Rank: rank, Core: nystrom.Randomised, Run: run}, x)
	}},
	{"KNys", func(ctx context.Context, k kernel.Kernel, x mat.Matrix, rank int, run gram.Run) (approximation, error) {
		return fitNystrom(ctx, nystrom.Config{Kernel: k, Landmarks: landmark.KMeans{Starts: 4}, M: rank, Run: run}, x)
	}},
	{"ENys", func(ctx context.Context, k kernel.Kernel, x mat.Matrix, rank int, run gram.Run) (approximation, error) {
		c := nystrom.Ensemble{Config: nystrom.Config{Kernel: k, Landmarks: landmark.Uniform{}, M: 2 * rank / 3, Rank: rank / 3, Run: run}, Experts: 3}
		m, err := c.Fit(ctx, x)
		if err != nil {
			return approximation{}, err
		}
		return withFeatures(ctx, c, m, x)
	}},
	{"RKS", func(ctx context.Context, k kernel.Kernel, x mat.Matrix, rank int, run gram.Run) (approximation, error) {
		return fitFourier(ctx, rff.Config{Kernel: k, M: rank, Run: run}, x)
	}},
	{"Fastfood", func(ctx context.Context, k kernel.Kernel, x mat.Matrix, rank int, run gram.Run) (approximation, error) {
		return fitFourier(ctx, rff.Config{Kernel: k, M: rank, Frequencies: rff.Fastfood, Run: run}, x)
	}},
}

func fitNystrom(ctx context.Context, c nystrom.Config, x mat.Matrix) (approximation, error) {
	m, err := c.Fit(ctx, x)
	if err != nil {
		return approximation{}, err
	}
	return withFeatures(ctx, c, m, x)
}

func fitFourier(ctx context.Context, c rff.Config, x mat.Matrix) (approximation, error) {
	m, err := c.Fit(ctx, x)
	if err != nil {
		return approximation{}, err
	}
	return withFeatures(ctx, c, m, x)
}

// withFeatures maps all rows of x.
func withFeatures(ctx context.Context, c interface {
	Plan(gram.Shape) (gram.Plan, error)
}, m gram.FeatureMap, x mat.Matrix) (approximation, error) {
	n, d := x.Dims()
	plan, err := c.Plan(gram.Shape{N: n, D: d})
	if err != nil {
		return approximation{}, err
	}
	phi, err := solve.Features(ctx, m, x)
	if err != nil {
		return approximation{}, err
	}
	_, r := phi.Dims()
	return approximation{of: &solve.LowRank{Phi: phi}, bytes: 8*int64(n)*int64(r) + plan.ModelBytes}, nil
}

// kernelSet is a data set of chapter 3 with its preprocessing.
type kernelSet struct {
	name  string
	load  func(e Env) (x mat.Matrix, ok bool, err error)
	rank  int
	gamma float64
}

// unitCube loads training and test part together, scaled to [0,1].
func unitCube(name string) func(e Env) (mat.Matrix, bool, error) {
	return func(e Env) (mat.Matrix, bool, error) {
		train, test, ok, err := e.load(name, dataset.Options{Storage: dataset.Dense})
		if !ok {
			return nil, false, err
		}
		if test != nil {
			if train, err = train.Append(test); err != nil {
				return nil, false, err
			}
		}
		s, err := dataset.MinMax(train.X, 0, 1)
		if err != nil {
			return nil, false, err
		}
		return s.Apply(train.X), true, nil
	}
}

// asItIs loads the training part without scaling.
func asItIs(name string) func(e Env) (mat.Matrix, bool, error) {
	return func(e Env) (mat.Matrix, bool, error) {
		train, _, ok, err := e.load(name, dataset.Options{Storage: dataset.Dense})
		if !ok {
			return nil, false, err
		}
		return train.X, true, nil
	}
}

func missing(Env) (mat.Matrix, bool, error) { return nil, false, nil }

// errorRows is the number of rows of G that errors are computed from: the
// protocol's 20 000, or 1 000 with --quick.
func (e Env) errorRows() int {
	if e.Quick {
		return 1000
	}
	return 20_000
}

func (e Env) errorNote(n int) string {
	if e.errorRows() >= n {
		return ""
	}
	return fmt.Sprintf("error from %d sampled rows of %d", e.errorRows(), n)
}

// relativeErrors fits a method repeatedly and collects its relative error.
func (e Env) relativeErrors(ctx context.Context, m lowRank, k kernel.Kernel, x mat.Matrix, rank, repeats int) (sample, error) {
	var s sample
	for i := range repeats {
		run := e.repeat(i)
		begin := time.Now()
		a, err := m.fit(ctx, k, x, rank, run)
		if err != nil {
			return s, fmt.Errorf("%s: %w", m.name, err)
		}
		seconds := time.Since(begin).Seconds()
		got, err := solve.RelativeError(ctx, k, x, a.of, solve.ErrorOptions{MaxRows: e.errorRows(), Run: run})
		if err != nil {
			return s, err
		}
		if math.IsNaN(got.Value) {
			return s, fmt.Errorf("%s: the error is not a number", m.name)
		}
		s.add(got.Value, seconds, a.bytes)
	}
	return s, nil
}
