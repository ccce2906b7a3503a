package tables

import (
	"context"
	"fmt"

	"github.com/gramworks/gram/kernel"
)

// Figure 3.7 of [Si 2016]: relative error against memory and time for a range of
// ranks, pendigits with γ 2 and 10 and ijcnn1 with γ 1 and 10. The paper draws
// curves and prints no figures.
var fig37 = Table{
	ID:    "fig-3.7",
	Title: "Relative error against memory for low-rank approximations of the Gaussian kernel",
	Run:   runFig37,
	X:     "memory, bytes", Y: "relative error", LogX: true, LogY: true,
}

func runFig37(ctx context.Context, env Env, emit func(Row)) error {
	if err := env.parse(env.flags()); err != nil {
		return err
	}
	repeats := env.repeats(3, 1)
	for _, s := range []struct {
		kernelSet
		ranks []int
	}{
		{kernelSet{"pendigits", unitCube("pendigits"), 0, 2}, []int{20, 50, 100, 150, 200}},
		{kernelSet{"ijcnn1", asItIs("ijcnn1"), 0, 1}, []int{100, 200, 400, 600}},
		{kernelSet{"covtype", missing, 0, 1}, []int{100}},
		{kernelSet{"pendigits", unitCube("pendigits"), 0, 10}, []int{20, 50, 100, 150, 200}},
		{kernelSet{"ijcnn1", asItIs("ijcnn1"), 0, 10}, []int{100, 200, 400, 600}},
	} {
		x, ok, err := s.load(env)
		if err != nil {
			return err
		}
		if env.Quick {
			s.ranks = s.ranks[:min(2, len(s.ranks))]
		}
		for _, m := range withMEKA(mekaClusters(s.name)) {
			for _, rank := range s.ranks {
				row := Row{Table: "fig-3.7", Dataset: s.name, Method: fmt.Sprintf("%s k=%d γ=%g", m.name, rank, s.gamma), Metric: "rel_error"}
				if !ok {
					row.Note = noData
					emit(row)
					continue
				}
				n, _ := x.Dims()
				got, err := env.relativeErrors(ctx, m, kernel.Gaussian{Gamma: s.gamma}, x, rank, repeats)
				if err != nil {
					return err
				}
				row.Series, row.X = fmt.Sprintf("%s γ=%g", m.name, s.gamma), float64(got.bytes)
				row.Note = notes(fmt.Sprintf("%d repeats", repeats), env.errorNote(n))
				emit(got.into(row))
			}
		}
	}
	return nil
}
