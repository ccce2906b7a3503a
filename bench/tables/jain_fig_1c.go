package tables

import (
	"fmt"

	"github.com/gramworks/gram/algos/kernels/constraint"
	"github.com/gramworks/gram/algos/kernels/itml"
	"github.com/gramworks/gram/dataset"
	"github.com/gramworks/gram/internal/rng"
	"github.com/gramworks/gram/kernel"
	"gonum.org/v1/gonum/mat"
)

// Figures 1c and 1d of [J10]: 2 000 unseen digits in the plane, by
// Trace-SSIKDR learned from 100 digits with labels and by kernel PCA. The figures
// are drawings; what is measured here is how well the five nearest of the 100
// tell the class in the plane, and in the base kernel itself.
func jainFig1c(r *run) {
	labeled := r.int("labelled", 100, 10, "digits with labels")
	points := r.int("graph", 1500, labeled, "digits of the training part that the graph joins, those with labels among them")
	joined := r.int("neighbours", 6, 1, "neighbors in the graph")
	ratio := r.float("ratio", 0.1, 0, "weight of the graph's Laplacian")
	gamma := r.float("gamma", 2, 0, "γ times the mean squared distance")
	tau := r.float("tau", 0.1, 0, "τ")
	pairs := r.int("pairs", 1000, 1, "constraints")
	repeats := r.repeats(5, 2)
	each(r, []name{"usps"}, func(set name) {
		part := r.split("tabular/usps", denseClasses)
		if part != nil {
			part = part.Tested(2000, rng.Derive(r.Seed, "shown"))
			if n, _ := part.Train.Dims(); points > n {
				r.wrong("graph", points, fmt.Sprintf("at most %d", n))
				return
			}
		}
		var rows []Row
		for _, name := range []string{"Gaussian kernel", "deformed kernel", "kernel PCA", "Trace-SSIKDR"} {
			rows = append(rows, Row{Dataset: set.String(), Method: name, Metric: "accuracy"})
		}
		r.measure(rows[0], repeats, func(t *trial) {
			n, _ := part.Train.Dims()
			graph := part.Train.Select(dataset.Permutation(n, t.Seed)[:points])
			known := graph.Select(firstRows(labeled))
			gauss := kernel.Gaussian{Gamma: gamma * kernel.MeanGamma(graph.X)}
			measure := func(i int, kern kernel.Kernel) {
				seconds := t.seconds()
				t.figures[i].Add(must(part.Accuracy(neighbors(kern, known, 5))), seconds, 0)
				dims := "in all dimensions"
				if p, is := kern.(*itml.Function); is && p.Alpha() == 0 {
					dims = "in the plane"
					if t.rows[i].Cloud == nil {
						t.rows[i].Cloud = must(part.Draw(func(x mat.Matrix) *mat.Dense { return p.Features(nil, x) }))
					}
				}
				t.rows[i].Note = notes("5 neighbors "+dims, fmt.Sprintf("%d labeled, graph of %d, %d constraints", labeled, points, pairs))
			}
			measure(0, gauss)
			deformed := must(itml.Manifold{Kernel: gauss, Neighbors: joined, Ratio: ratio, Normalized: true, Run: t.Run}.Fit(r.ctx, graph.X))
			measure(1, deformed)
			measure(2, must(itml.PCA{Kernel: deformed, Rank: 2, Center: true, Run: t.Run}.Fit(r.ctx, known.X)))
			cons := must(constraint.Pairs{Count: pairs}.FromLabels(r.ctx, deformed, known.X, known.Labels, t.Seed))
			m, _ := nearly(itml.Config{Kernel: deformed, Regularizer: itml.Trace, Tau: tau, Slack: 1000, Tol: 1e-4, Rank: 2, Run: t.Run}.Fit(r.ctx, known.X, cons))
			measure(3, m.Kernel())
		}, rows[1:]...)
	})
}
