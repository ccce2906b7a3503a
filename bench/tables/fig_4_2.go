package tables

import (
	"context"
	"fmt"

	"github.com/gramworks/gram/algos/fastnys"
	"github.com/gramworks/gram/algos/landmark"
	"github.com/gramworks/gram/internal/rng"
	"github.com/gramworks/gram/kernel"
	"gonum.org/v1/gonum/mat"
)

// Figure 4.2 of [Si 2016] is a picture of landmarks in the plane. Here is the error
// of both kinds on such data, 1 000 rows of a normal distribution, where s seeds
// make 2s Haar landmarks for the price of s of their own.
var fig42 = Table{
	ID:    "fig-4.2",
	Title: "Landmarks of k-means against structured landmarks on Gaussian data in the plane, at equal operations",
	Run:   runFig42,
	X:     "products with seeds or landmarks", Y: "relative error", LogY: true,
}

func runFig42(ctx context.Context, env Env, emit func(Row)) error {
	f := env.flags()
	gamma := f.Float64("gamma", 1, "γ of the Gaussian kernel")
	if err := env.parse(f); err != nil {
		return err
	}
	r := rng.New(rng.Derive(env.Seed, "plane"), 0)
	x := mat.NewDense(1000, 2, nil)
	for i := range x.RawMatrix().Data {
		x.RawMatrix().Data[i] = r.NormFloat64()
	}
	seedsOf := []int{2, 4, 8, 16, 32}
	pairs := make([]int, len(seedsOf))
	for i, s := range seedsOf {
		pairs[i] = 2 * s
	}
	repeats := env.repeats(20, 5)
	k := kernel.Gaussian{Gamma: *gamma}
	note := fmt.Sprintf("γ %g", *gamma)
	products := func(size int, _ sample) float64 { return float64(size) }
	if err := env.climb(ctx, "fig-4.2", "plane", ladder{landmarkMethod("KNys", landmark.KMeans{}), seedsOf}, k, x, repeats, note, products, emit); err != nil {
		return err
	}
	halves := func(size int, _ sample) float64 { return float64(size) / 2 }
	return env.climb(ctx, "fig-4.2", "plane", ladder{structuredMethod("Fast-Nys", fastnys.Config{Rows: 2}), pairs}, k, x, repeats, note, halves, emit)
}
