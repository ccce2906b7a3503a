package tables

import (
	"context"
	"fmt"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/meka"
	"github.com/gramworks/gram/kernel"
)

// Figure 3.9 of [Si 2016]: MEKA with a growing number of clusters c on ijcnn1, γ
// 1, k 100: (a) its relative error beside that of Nyström approximations with the
// same memory, n·k+(ck)² numbers; (b) the time of its steps. The paper draws
// curves and prints no figures.
var fig39 = Table{
	ID:    "fig-3.9",
	Title: "Relative error and seconds of MEKA against the number of clusters",
	Run:   runFig39,
	X:     "clusters c", LogY: true,
}

func runFig39(ctx context.Context, env Env, emit func(Row)) error {
	f := env.flags()
	rank := f.Int("k", 100, "rank of a cluster's basis")
	gamma := f.Float64("gamma", 1, "γ of the Gaussian kernel")
	if err := env.parse(f); err != nil {
		return err
	}
	if *rank < 1 {
		return &gram.ConfigError{Field: "--set k", Value: *rank, Want: "at least 1"}
	}
	repeats := env.repeats(3, 1)
	clusters := []int{5, 10, 15, 20, 25}
	if env.Quick {
		clusters = []int{5, 15, 25}
	}
	x, ok, err := asItIs("ijcnn1")(env)
	if err != nil {
		return err
	}
	n := 0
	if ok {
		n, _ = x.Dims()
	} else {
		x = nil
	}
	k := kernel.Gaussian{Gamma: *gamma}
	for _, c := range clusters {
		for _, m := range []lowRank{memoryEfficient("MEKA", meka.Config{Clusters: c}), baseline("Nys"), baseline("RNys"), baseline("KNys")} {
			r := *rank
			if m.name != "MEKA" && ok {
				r = sameMemory(n, c, r)
			}
			row := Row{Table: "fig-3.9", Dataset: "ijcnn1", Method: fmt.Sprintf("%s c=%d", m.name, c), Series: m.name, X: float64(c)}
			if err := env.emitError(ctx, emit, row, m, k, x, r, repeats, fmt.Sprintf("rank %d, γ %g", r, *gamma)); err != nil {
				return err
			}
		}
		samples := make([]sample, len(steps))
		for i := range repeats {
			if !ok {
				break
			}
			m, err := meka.Config{Kernel: k, Clusters: c, Rank: *rank, Run: env.repeat(i)}.Fit(ctx, x)
			if err != nil {
				return err
			}
			for j, step := range steps {
				seconds := step.seconds(m.Stats())
				samples[j].add(seconds, seconds, m.Stats().Bytes)
			}
		}
		for j, step := range steps {
			row := Row{Table: "fig-3.9", Dataset: "ijcnn1", Method: fmt.Sprintf("MEKA %s c=%d", step.name, c), Metric: "seconds", Series: step.name, X: float64(c)}
			if !ok {
				row.Note = noData
				emit(row)
				continue
			}
			row.Note = notes(fmt.Sprintf("k %d, γ %g", *rank, *gamma), counted(repeats, "repeat"))
			emit(samples[j].into(row))
		}
	}
	return nil
}
