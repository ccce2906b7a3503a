package tables

import (
	"context"
	"fmt"

	"github.com/gramworks/gram/algos/meka"
	"github.com/gramworks/gram/kernel"
)

// Figure 3.4 of [Si 2016]: relative error of MEKA against its time for bases by
// Nyström, k-means Nyström (with as many centres as the rank) and randomised
// Nyström, ijcnn1 and cadata. The paper draws curves and prints no figures, and
// gives no γ for cadata.
var fig34 = Table{
	ID:    "fig-3.4",
	Title: "Relative error of MEKA against seconds, by basis",
	Run: func(ctx context.Context, env Env, emit func(Row)) error {
		return runVariants(ctx, env, emit, "fig-3.4", bySeconds, []variant{
			{"Nys", meka.Config{Basis: meka.Nystrom}},
			{"KNys", meka.Config{Basis: meka.KMeansNystrom}},
			{"RNys", meka.Config{Basis: meka.RandomisedNystrom}},
		})
	},
	X: "seconds", Y: "relative error", LogX: true, LogY: true,
}

// Figure 3.6 of [Si 2016]: relative error of MEKA against its memory for the ways
// to share out ranks, ijcnn1 and cadata. The paper draws curves and prints no
// figures, and gives no γ for cadata.
var fig36 = Table{
	ID:    "fig-3.6",
	Title: "Relative error of MEKA against memory, by the ranks of the clusters",
	Run: func(ctx context.Context, env Env, emit func(Row)) error {
		return runVariants(ctx, env, emit, "fig-3.6", byBytes, []variant{
			{"equal", meka.Config{Ranks: meka.Equal}},
			{"by size", meka.Config{Ranks: meka.Proportional}},
			{"by eigenvalues", meka.Config{Ranks: meka.PooledEigenvalues}},
		})
	},
	X: "memory, bytes", Y: "relative error", LogX: true, LogY: true,
}

// variant is MEKA with some of its settings.
type variant struct {
	name string
	c    meka.Config
}

func bySeconds(s sample) float64 { return s.seconds / float64(len(s.values)) }

func byBytes(s sample) float64 { return float64(s.bytes) }

// mekaSets are the data sets of figures 3.4 to 3.6.
var mekaSets = []kernelSet{
	{name: "ijcnn1", load: asItIs("ijcnn1"), gamma: 1},
	{name: "cadata", load: unitCube("cadata"), gamma: 10},
}

// runVariants compares variants of MEKA over a range of ranks. x is the place of
// a result on the figure's axis.
func runVariants(ctx context.Context, env Env, emit func(Row), id string, x func(sample) float64, variants []variant) error {
	f := env.flags()
	clusters := f.Int("c", 10, "clusters")
	if err := env.parse(f); err != nil {
		return err
	}
	repeats := env.repeats(5, 2)
	ranks := []int{16, 32, 64, 128, 192}
	if env.Quick {
		ranks = []int{16, 64}
	}
	for _, s := range mekaSets {
		data, ok, err := s.load(env)
		if err != nil {
			return err
		}
		for _, v := range variants {
			v.c.Clusters = *clusters
			for _, rank := range ranks {
				row := Row{Table: id, Dataset: s.name, Method: fmt.Sprintf("%s k=%d", v.name, rank), Metric: "rel_error", Series: v.name}
				if !ok {
					row.Note = noData
					emit(row)
					continue
				}
				got, err := env.relativeErrors(ctx, memoryEfficient(v.name, v.c), kernel.Gaussian{Gamma: s.gamma}, data, rank, repeats)
				if err != nil {
					return err
				}
				n, _ := data.Dims()
				row.X = x(got)
				row.Note = notes(fmt.Sprintf("γ %g, c %d", s.gamma, *clusters), counted(repeats, "repeat"), env.errorNote(n))
				emit(got.into(row))
			}
		}
	}
	return nil
}
