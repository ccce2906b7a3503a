package tables

import (
	"context"
	"fmt"

	"github.com/gramworks/gram/kernel"
)

// Figure 3.8 of [Si 2016]: relative error against γ at equal memory, ijcnn1 and
// cadata (scaled to [0,1]). The paper draws curves and prints no figures.
var fig38 = Table{
	ID:    "fig-3.8",
	Title: "Relative error against γ for low-rank approximations of the Gaussian kernel",
	Run:   runFig38,
	X:     "γ", Y: "relative error", LogX: true, LogY: true,
}

func runFig38(ctx context.Context, env Env, emit func(Row)) error {
	f := env.flags()
	rank := f.Int("k", 100, "rank")
	if err := env.parse(f); err != nil {
		return err
	}
	repeats := env.repeats(3, 1)
	gammas := []float64{1e-3, 1e-2, 1e-1, 1, 10, 100}
	if env.Quick {
		gammas = []float64{1e-2, 1, 10}
	}
	for _, s := range []kernelSet{
		{name: "ijcnn1", load: asItIs("ijcnn1")},
		{name: "cadata", load: unitCube("cadata")},
	} {
		x, ok, err := s.load(env)
		if err != nil {
			return err
		}
		c := mekaClusters(s.name)
		for _, m := range withMEKA(c) {
			for _, gamma := range gammas {
				row := Row{Table: "fig-3.8", Dataset: s.name, Method: fmt.Sprintf("%s γ=%g", m.name, gamma), Metric: "rel_error", Series: m.name, X: gamma}
				if !ok {
					row.Note = noData
					emit(row)
					continue
				}
				n, _ := x.Dims()
				r := *rank
				if m.name == "MEKA" {
					r = mekaRank(n, c, r)
				}
				got, err := env.relativeErrors(ctx, m, kernel.Gaussian{Gamma: gamma}, x, r, repeats)
				if err != nil {
					return err
				}
				row.Note = notes(fmt.Sprintf("k %d, %d repeats", r, repeats), env.errorNote(n))
				emit(got.into(row))
			}
		}
	}
	return nil
}
