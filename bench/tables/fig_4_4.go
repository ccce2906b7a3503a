package tables

import (
	"context"
	"fmt"

	"github.com/gramworks/gram/algos/fastnys"
	"github.com/gramworks/gram/algos/landmark"
	"github.com/gramworks/gram/algos/rff"
	"github.com/gramworks/gram/kernel"
	"gonum.org/v1/gonum/mat"
)

// Figure 4.4 of [Si 2016]: relative error against seconds, those of learning
// included, for (1+⟨x,y⟩)³ on a9a and usps and the Gaussian on MNIST (pixels/255,
// γ = 2⁻¹⁰). The paper draws curves and prints no figures.
var fig44 = Table{
	ID:    "fig-4.4",
	Title: "Low-rank approximations of polynomial and Gaussian kernels: relative error against seconds",
	Run:   runFig44,
	X:     "seconds", Y: "relative error", LogX: true, LogY: true,
}

func runFig44(ctx context.Context, env Env, emit func(Row)) error {
	f := env.flags()
	only := f.String("only", "", "one data set; empty: all")
	count := f.Int("n", 0, "rows; 0: all, or 3 000 with --quick")
	if err := env.parse(f); err != nil {
		return err
	}
	few, many := []int{10, 20, 40, 80}, []int{40, 80, 160, 320}
	if env.Quick {
		few, many = []int{10, 40}, []int{40, 160}
		if *count == 0 {
			*count = 3000
		}
	}
	cubic := kernel.Polynomial{Degree: 3, Offset: 1}
	for _, s := range []struct {
		name string
		load func(Env) (mat.Matrix, bool, error)
		k    kernel.Kernel
	}{
		{"a9a", asItIs("a9a"), cubic},
		{"usps", asItIs("usps"), cubic},
		{"covtype", missing, cubic},
		{"mnist", unitPixels, kernel.Gaussian{Gamma: 1. / 1024}},
		{"cifar", missing, nil},
		{"epsilon", missing, nil},
	} {
		if *only != "" && s.name != *only {
			continue
		}
		x, ok, err := s.load(env)
		if err != nil {
			return err
		}
		if !ok {
			emit(Row{Table: "fig-4.4", Dataset: s.name, Method: "Fast-Nys", Metric: "rel_error", Note: noData})
			continue
		}
		if *count > 0 {
			x = someRows(x, *count, env.Seed)
		}
		methods := []ladder{
			{landmarkMethod("Nys", landmark.Uniform{}), few},
			{landmarkMethod("KNys", landmark.KMeans{}), few},
			{structuredMethod("Fast-Nys", fastnys.Config{}), many},
		}
		if _, radial := s.k.(kernel.Radial); radial {
			methods = append(methods, ladder{frequencyMethod("RKS", rff.Independent), many}, ladder{frequencyMethod("Fastfood", rff.Fastfood), many})
		}
		note := fmt.Sprintf("%s %v", s.k.Spec().Name, s.k.Spec().Params)
		for _, m := range methods {
			if err := env.climb(ctx, "fig-4.4", s.name, m, s.k, x, env.repeats(5, 2), note, perFit, emit); err != nil {
				return err
			}
		}
	}
	return nil
}
