package tables

import (
	"context"
	"fmt"

	"github.com/gramworks/gram/algos/meka"
	"github.com/gramworks/gram/kernel"
)

// Figure 3.5 of [Si 2016]: time and relative error of MEKA against the threshold
// ε below which links are dropped, ijcnn1 and cadata. The paper draws curves and
// prints no figures, and gives no γ for cadata. The seconds are in each row.
var fig35 = Table{
	ID:    "fig-3.5",
	Title: "Relative error and seconds of MEKA against the threshold of its links",
	Run:   runFig35,
	X:     "ε", Y: "relative error", LogX: true,
}

func runFig35(ctx context.Context, env Env, emit func(Row)) error {
	f := env.flags()
	rank := f.Int("k", 128, "rank")
	clusters := f.Int("c", 10, "clusters")
	if err := env.parse(f); err != nil {
		return err
	}
	repeats := env.repeats(5, 2)
	thresholds := []float64{1e-4, 1e-3, 1e-2, 3e-2, 1e-1, 3e-1, 1}
	if env.Quick {
		thresholds = []float64{1e-4, 1e-1, 1}
	}
	for _, s := range mekaSets {
		x, ok, err := s.load(env)
		if err != nil {
			return err
		}
		if !ok {
			x = nil
		}
		for _, e := range thresholds {
			row := Row{Table: "fig-3.5", Dataset: s.name, Method: fmt.Sprintf("MEKA ε=%g", e), Series: "MEKA", X: e}
			m := memoryEfficient("MEKA", meka.Config{Clusters: *clusters, Epsilon: e})
			if err := env.emitError(ctx, emit, row, m, kernel.Gaussian{Gamma: s.gamma}, x, *rank, repeats,
				fmt.Sprintf("k %d, γ %g, c %d", *rank, s.gamma, *clusters)); err != nil {
				return err
			}
		}
	}
	return nil
}
