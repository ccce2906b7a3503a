package tables

import (
	"fmt"
	"time"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/labels/gimc"
	"github.com/gramworks/gram/algos/learned/completion"
	"github.com/gramworks/gram/internal/gen"
	"github.com/gramworks/gram/kernel"
)

// gimcScale shows that a round of GIMC takes time in proportion to the entries of
// X and Y: generated sparse rows with 50 entries and 10 labels, three numbers of
// rows. A round is a gradient step on the features, its line search, and the
// solution for all labels; seconds are the mean of two rounds. Bytes are what the
// process holds after the fit, data included.
func gimcScale(r *run) {
	n := r.int("n", cut(r, "rows", 200_000, 4000), 4, "rows of the largest problem; the others have a half and a quarter")
	d := r.int("d", cut(r, "columns", 50_000, 1000), 1, "columns")
	labels := r.int("labels", cut(r, "labels", 100_000, 2000), 1, "labels")
	m := r.int("m", cut(r, "m", 100, 20), 1, "frequencies")
	largest := r.bool("largest", "the largest problem alone")
	repeats := r.repeats(3, 1)
	r.check()
	for _, part := range []int{4, 2, 1} {
		if largest && part > 1 {
			continue
		}
		x, y := gen.Tagged(n/part, d, 50, labels, 10, 1)
		row := Row{Dataset: "generated", Method: fmt.Sprintf("GIMC-LFF, n %d, d %d, L %d, m %d", x.N, x.D, y.D, m), Metric: "seconds a round", Series: "GIMC-LFF", X: float64(x.NNZ())}
		r.measure(row, repeats, func(t *trial) {
			const rounds = 2
			c := gimc.Config{Map: completion.Fourier, M: m, Gamma: kernel.MeanGamma(x) / 10, Steps: rounds, Tol: 1e-12, Run: t.Run}
			var first, last time.Time
			c.Progress = func(e gram.Event) {
				if e.Done == 1 {
					first = time.Now()
				}
				last = time.Now()
				r.Report(e)
			}
			plan := must(c.Plan(gram.Shape{N: x.N, D: x.D, Outputs: y.D, NNZ: int64(x.NNZ())}))
			model := must(c.Fit(r.ctx, x, y))
			memory := processBytes()
			seconds := last.Sub(first).Seconds() / float64(max(1, len(model.Stats().Objective)-1))
			t.addValues(model.Stats().Seconds, memory, seconds)
			t.note(fmt.Sprintf("%d entries of X, %d of Y; %.3g µs an entry of X; plan %s", x.NNZ(), y.NNZ(), 1e6*seconds/float64(x.NNZ()), gram.FormatBytes(plan.PeakBytes)))
		})
	}
}
