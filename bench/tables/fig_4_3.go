package tables

import (
	"context"
	"fmt"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/fastnys"
	"github.com/gramworks/gram/algos/landmark"
	"github.com/gramworks/gram/algos/nystrom"
	"github.com/gramworks/gram/algos/rff"
	"github.com/gramworks/gram/kernel"
	"github.com/gramworks/gram/seeds"
	"gonum.org/v1/gonum/mat"
)

// Figure 4.3 of [Si 2016]: relative error against the seconds of choosing
// landmarks, learning seeds, the decomposition and the features of all rows. Of
// its data sets ijcnn1 is at hand; its γ is that of Table 3.7. The paper draws
// curves and prints no figures.
var fig43 = Table{
	ID:    "fig-4.3",
	Title: "Haar and Hadamard landmarks, random and learned seeds: relative error against seconds",
	Run:   runFig43,
	X:     "seconds", Y: "relative error", LogX: true, LogY: true,
}

// ladder is a method of a figure with its sizes: landmarks or frequencies.
type ladder struct {
	lowRank
	sizes []int
}

func structuredMethod(name string, c fastnys.Config) lowRank {
	return lowRank{name, func(ctx context.Context, k kernel.Kernel, x mat.Matrix, m int, run gram.Run) (approximation, error) {
		c := c
		c.Kernel, c.M, c.Run = k, m, run
		return fitMap(ctx, c, x)
	}}
}

func landmarkMethod(name string, by landmark.Selector) lowRank {
	return lowRank{name, func(ctx context.Context, k kernel.Kernel, x mat.Matrix, m int, run gram.Run) (approximation, error) {
		return fitNystrom(ctx, nystrom.Config{Kernel: k, Landmarks: by, M: m, Run: run}, x)
	}}
}

func frequencyMethod(name string, by rff.Frequencies) lowRank {
	return lowRank{name, func(ctx context.Context, k kernel.Kernel, x mat.Matrix, m int, run gram.Run) (approximation, error) {
		return fitFourier(ctx, rff.Config{Kernel: k, M: m, Frequencies: by, Run: run}, x)
	}}
}

// climb emits the errors of a method at its sizes; at is the x of a row.
func (e Env) climb(ctx context.Context, table, set string, l ladder, k kernel.Kernel, x mat.Matrix, repeats int, note string, at func(size int, s sample) float64, emit func(Row)) error {
	n, _ := x.Dims()
	for _, size := range l.sizes {
		got, err := e.relativeErrors(ctx, l.lowRank, k, x, size, repeats)
		if err != nil {
			return err
		}
		row := got.into(Row{
			Table: table, Dataset: set, Method: fmt.Sprintf("%s m=%d", l.name, size), Metric: "rel_error", Series: l.name,
			Note: notes(note, fmt.Sprintf("%d rows, %d repeats", n, repeats), e.errorNote(n)),
		})
		row.X = at(size, got)
		emit(row)
	}
	return nil
}

// perFit is the mean of the seconds.
func perFit(_ int, s sample) float64 { return s.seconds / float64(len(s.values)) }

func runFig43(ctx context.Context, env Env, emit func(Row)) error {
	f := env.flags()
	count := f.Int("n", 0, "rows; 0: all, or 5 000 with --quick")
	gamma := f.Float64("gamma", 1, "γ of the Gaussian kernel")
	if err := env.parse(f); err != nil {
		return err
	}
	sizes := []int{16, 32, 64, 128, 256}
	repeats := env.repeats(5, 2)
	if env.Quick {
		sizes = []int{32, 128}
		if *count == 0 {
			*count = 5000
		}
	}
	methods := []lowRank{
		structuredMethod("Haar, random seeds", fastnys.Config{NoLearning: true}),
		structuredMethod("Hadamard, random seeds", fastnys.Config{Matrix: seeds.Hadamard, NoLearning: true}),
		structuredMethod("Haar, learned seeds", fastnys.Config{}),
		landmarkMethod("Nys", landmark.Uniform{}),
		landmarkMethod("KNys", landmark.KMeans{}),
	}
	for _, s := range []kernelSet{{"ijcnn1", asItIs("ijcnn1"), 0, *gamma}, {"webspam", missing, 0, 0}, {"magic", missing, 0, 0}} {
		x, ok, err := s.load(env)
		if err != nil {
			return err
		}
		if !ok {
			emit(Row{Table: "fig-4.3", Dataset: s.name, Method: "Fast-Nys", Metric: "rel_error", Note: noData})
			continue
		}
		if *count > 0 {
			x = someRows(x, *count, env.Seed)
		}
		for _, m := range methods {
			if err := env.climb(ctx, "fig-4.3", s.name, ladder{m, sizes}, kernel.Gaussian{Gamma: s.gamma}, x, repeats, fmt.Sprintf("γ %g", s.gamma), perFit, emit); err != nil {
				return err
			}
		}
	}
	return nil
}
