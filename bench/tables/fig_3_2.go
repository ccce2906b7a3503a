package tables

import (
	"context"
	"fmt"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/kmeans"
	"github.com/gramworks/gram/eig"
	"github.com/gramworks/gram/kernel"
	"gonum.org/v1/gonum/mat"
)

// Figure 3.2 of [Si 2016]: relative error of the block diagonal of the kernel
// matrix (BKA) for five parts of 500 rows of covtype and cadata: by k-means, by
// the spectrum of G, by kernel k-means and at random. The paper draws curves and
// prints no figures.
var fig32 = Table{
	ID:    "fig-3.2",
	Title: "Relative error of the block diagonal approximation, by partition",
	Run:   runFig32,
	X:     "γ", Y: "relative error", LogX: true,
}

// partitions are ways to cut rows, with kernel matrix g, into parts.
var partitions = []struct {
	name string
	of   func(ctx context.Context, k kernel.Kernel, x, g *mat.Dense, parts int, run gram.Run) ([]int, error)
}{
	{"k-means", func(ctx context.Context, _ kernel.Kernel, x, _ *mat.Dense, parts int, run gram.Run) ([]int, error) {
		return clusterRows(ctx, x, parts, run)
	}},
	{"spectral", spectralPartition},
	{"kernel k-means", func(ctx context.Context, k kernel.Kernel, x, _ *mat.Dense, parts int, run gram.Run) ([]int, error) {
		m, err := kmeans.Kernel{Kernel: k, K: parts, Starts: 10, Run: run}.Fit(ctx, x)
		if err != nil {
			return nil, err
		}
		return m.Labels(), nil
	}},
	{"random", func(_ context.Context, _ kernel.Kernel, x, _ *mat.Dense, parts int, run gram.Run) ([]int, error) {
		n, _ := x.Dims()
		return kmeans.Random(n, parts, run.Seed), nil
	}},
}

// spectralPartition maximises the relaxed ratio association Σ_s 1ᵀG⁽ˢˢ⁾1/n_s: the
// rows of the leading eigenvectors of G are clustered by k-means.
func spectralPartition(ctx context.Context, _ kernel.Kernel, _, g *mat.Dense, parts int, run gram.Run) ([]int, error) {
	n, _ := g.Dims()
	_, v, err := eig.SymAll(mat.NewSymDense(n, mat.DenseCopyOf(g).RawMatrix().Data))
	if err != nil {
		return nil, err
	}
	return clusterRows(ctx, v.Slice(0, n, n-parts, n), parts, run)
}

func clusterRows(ctx context.Context, x mat.Matrix, parts int, run gram.Run) ([]int, error) {
	m, err := kmeans.Config{K: parts, Starts: 10, Run: run}.Fit(ctx, x)
	if err != nil {
		return nil, err
	}
	return m.Labels(), nil
}

func runFig32(ctx context.Context, env Env, emit func(Row)) error {
	if err := env.parse(env.flags()); err != nil {
		return err
	}
	repeats := env.repeats(5, 3)
	const n, parts = 500, 5
	for _, s := range []kernelSet{
		{name: "covtype", load: covtype20k},
		{name: "cadata", load: unitCube("cadata")},
	} {
		all, ok, err := s.load(env)
		if err != nil {
			return err
		}
		for _, p := range partitions {
			for _, gamma := range []float64{.1, .3, 1, 3, 10, 30, 100} {
				row := Row{Table: "fig-3.2", Dataset: s.name, Method: fmt.Sprintf("%s γ=%g", p.name, gamma), Metric: "rel_error", Series: p.name, X: gamma}
				if !ok {
					row.Note = noData
					emit(row)
					continue
				}
				var got sample
				k := kernel.Gaussian{Gamma: gamma}
				for i := range repeats {
					e := env
					e.Run = env.repeat(i)
					x := e.some(all, n)
					g := crossMatrix(k, x, x, env.Workers)
					label, err := p.of(ctx, k, x, g, parts, e.Run)
					if err != nil {
						return err
					}
					got.add(blockError(g, label), 0, 0)
				}
				row.Note = fmt.Sprintf("%d rows, %d parts, %s", n, parts, counted(repeats, "repeat"))
				emit(got.into(row))
			}
		}
	}
	return nil
}
