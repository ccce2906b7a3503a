package tables

import (
	"errors"
	"fmt"
	"slices"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/kernels/constraint"
	"github.com/gramworks/gram/algos/kernels/itml"
	"github.com/gramworks/gram/bench/tables/protocol"
	"github.com/gramworks/gram/dataset"
	"github.com/gramworks/gram/internal/rng"
	"github.com/gramworks/gram/kernel"
	"gonum.org/v1/gonum/mat"
)

// Figures 1c and 1d of [J10]: 2 000 unseen digits in the plane, by
// Trace-SSIKDR learned from 100 digits with labels and by kernel PCA. The figures
// are drawings; what is measured here is how well the five nearest of the 100
// tell the class in the plane, and in the base kernel itself.
func jainFig1c(r *run) error {
	labeled := r.int("labelled", 100, 10, "digits with labels")
	points := r.int("graph", 1500, labeled, "digits of the training part that the graph joins, those with labels among them")
	joined := r.int("neighbours", 6, 1, "neighbors in the graph")
	ratio := r.float("ratio", 0.1, 0, "weight of the graph's Laplacian")
	gamma := r.float("gamma", 2, 0, "γ times the mean squared distance")
	tau := r.float("tau", 0.1, 0, "τ")
	pairs := r.int("pairs", 1000, 1, "constraints")
	repeats := r.repeats(5, 2)
	return each(r, []name{"usps"}, func(set name) {
		part := r.split("tabular/usps", dataset.Options{Task: dataset.Classes, Storage: dataset.Dense})
		if part != nil {
			part = part.Tested(2000, rng.Derive(r.Seed, "shown"))
			if n, _ := part.Train.Dims(); points > n {
				r.wrong("graph", points, fmt.Sprintf("at most %d", n))
				return
			}
		}
		names := []string{"Gaussian kernel", "deformed kernel", "kernel PCA", "Trace-SSIKDR"}
		var clouds [4]*protocol.Cloud
		rows, _ := r.collect(Row{Dataset: set.String(), Metric: "accuracy"}, repeats, func(t *trial) error {
			n, _ := part.Train.Dims()
			graph := part.Train.Select(dataset.Permutation(n, t.Seed)[:points])
			known := graph.Select(firstRows(labeled))
			gauss := kernel.Gaussian{Gamma: gamma * kernel.MeanGamma(graph.X)}
			measure := func(i int, kern kernel.Kernel) error {
				seconds := t.seconds()
				c, err := neighbors(kern, known, 5)
				if err != nil {
					return err
				}
				score, err := part.Accuracy(c)
				if err != nil {
					return err
				}
				t.figures[i].Add(score, seconds, 0)
				if p, is := kern.(*itml.Function); is && p.Alpha() == 0 && clouds[i] == nil {
					clouds[i], err = part.Draw(func(x mat.Matrix) *mat.Dense { return p.Features(nil, x) })
				}
				return err
			}
			if err := measure(0, gauss); err != nil {
				return err
			}
			deformed, err := itml.Manifold{Kernel: gauss, Neighbors: joined, Ratio: ratio, Normalized: true, Run: t.Run}.Fit(r.ctx, graph.X)
			if err != nil {
				return err
			}
			if err := measure(1, deformed); err != nil {
				return err
			}
			pca, err := itml.PCA{Kernel: deformed, Rank: 2, Center: true, Run: t.Run}.Fit(r.ctx, known.X)
			if err != nil {
				return err
			}
			if err := measure(2, pca); err != nil {
				return err
			}
			cons, err := constraint.Pairs{Count: pairs}.FromLabels(r.ctx, deformed, known.X, known.Labels, t.Seed)
			if err != nil {
				return err
			}
			m, err := itml.Config{Kernel: deformed, Regularizer: itml.Trace, Tau: tau, Slack: 1000, Tol: 1e-4, Rank: 2, Run: t.Run}.Fit(r.ctx, known.X, cons)
			var ce *gram.ConvergenceError
			if err != nil && !(errors.As(err, &ce) && m != nil) {
				return err
			}
			return measure(3, m.Kernel())
		}, slices.Repeat([]also{{metric: "accuracy"}}, 3)...)
		for i, row := range rows {
			row.Method, row.Cloud = names[i], clouds[i]
			if part != nil {
				dims := "in the plane"
				if row.Cloud == nil {
					dims = "in all dimensions"
				}
				row.Note = notes("5 neighbors "+dims, fmt.Sprintf("%d labeled, graph of %d, %d constraints", labeled, points, pairs))
			}
			r.emit(row)
		}
	})
}
