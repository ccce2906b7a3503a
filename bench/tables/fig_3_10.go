package tables

import (
	"context"
	"fmt"

	"github.com/gramworks/gram/algos/meka"
	"github.com/gramworks/gram/kernel"
)

// Figure 3.10 of [Si 2016]: relative error against memory and time for the
// Laplacian kernel exp(−γ‖x−y‖₁), pendigits and ijcnn1. The paper draws curves
// and prints no figures, and gives no γ: the default here is one at which rank
// 128 leaves errors like those of the Gaussian kernel in Table 3.7.
var fig310 = Table{
	ID:    "fig-3.10",
	Title: "Relative error against memory for approximations of the Laplacian kernel",
	Run:   runFig310,
	X:     "memory, bytes", Y: "relative error", LogX: true, LogY: true,
}

func runFig310(ctx context.Context, env Env, emit func(Row)) error {
	f := env.flags()
	gamma := f.Float64("gamma", 0.1, "γ of the Laplacian kernel")
	if err := env.parse(f); err != nil {
		return err
	}
	repeats := env.repeats(3, 1)
	for _, s := range []struct {
		kernelSet
		ranks []int
	}{
		{kernelSet{name: "pendigits", load: unitCube("pendigits")}, []int{20, 50, 100, 150, 200}},
		{kernelSet{name: "ijcnn1", load: asItIs("ijcnn1")}, []int{50, 100, 200, 400}},
	} {
		x, ok, err := s.load(env)
		if err != nil {
			return err
		}
		if env.Quick {
			s.ranks = s.ranks[1:3]
		}
		for _, m := range []lowRank{baseline("Nys"), baseline("RNys"), baseline("KNys"), memoryEfficient("MEKA", meka.Config{Clusters: mekaClusters(s.name)})} {
			for _, rank := range s.ranks {
				row := Row{Table: "fig-3.10", Dataset: s.name, Method: fmt.Sprintf("%s k=%d", m.name, rank), Metric: "rel_error"}
				if !ok {
					row.Note = noData
					emit(row)
					continue
				}
				got, err := env.relativeErrors(ctx, m, kernel.Laplacian{Gamma: *gamma}, x, rank, repeats)
				if err != nil {
					return err
				}
				n, _ := x.Dims()
				row.Series, row.X = m.name, float64(got.bytes)
				row.Note = notes(fmt.Sprintf("γ %g", *gamma), counted(repeats, "repeat"), env.errorNote(n))
				emit(got.into(row))
			}
		}
	}
	return nil
}
