package tables

import (
	"context"
	"fmt"
	"runtime"
	"time"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/imc"
	"github.com/gramworks/gram/algos/multilabel"
	"github.com/gramworks/gram/internal/gen"
	"github.com/gramworks/gram/kernel"
)

// gimcScale shows that a round of GIMC takes time in proportion to the entries of
// X and Y: generated sparse rows with 50 entries and 10 labels, three numbers of
// rows. A round is a gradient step on the features, its line search, and the
// solution for all labels; seconds are the mean of two rounds. Bytes are what the
// process holds after the fit, data included.
var gimcScale = Table{
	ID:    "gimc-scale",
	Title: "Seconds of a round of GIMC-LFF against the size of the problem",
	Run:   runGIMCScale,
	X:     "entries of X",
	Y:     "seconds a round",
}

func runGIMCScale(ctx context.Context, env Env, emit func(Row)) error {
	f := env.flags()
	n := f.Int("n", 200_000, "rows of the largest problem; the others have a half and a quarter")
	d := f.Int("d", 50_000, "columns")
	labels := f.Int("labels", 100_000, "labels")
	m := f.Int("m", 100, "frequencies")
	largest := f.Bool("largest", false, "the largest problem alone")
	if err := env.parse(f); err != nil {
		return err
	}
	if env.Quick {
		*n, *d, *labels, *m = *n/50, *d/50, *labels/50, *m/5
	}
	for _, part := range []int{4, 2, 1} {
		if *largest && part > 1 {
			continue
		}
		x, y := gen.Tagged(*n/part, *d, 50, *labels, 10, 1)
		const rounds = 2
		c := multilabel.GIMC{Map: imc.Fourier, M: *m, Gamma: kernel.MeanGamma(x) / 10, Steps: rounds, Tol: 1e-12, Run: env.repeat(0)}
		var first, last time.Time
		c.Progress = func(e gram.Event) {
			if e.Done == 1 {
				first = time.Now()
			}
			last = time.Now()
			env.Report(e)
		}
		plan, err := c.Plan(gram.Shape{N: x.N, D: x.D, Outputs: y.D, NNZ: int64(x.NNZ())})
		if err != nil {
			return err
		}
		model, err := c.Fit(ctx, x, y)
		if err != nil {
			return err
		}
		var memory runtime.MemStats
		runtime.ReadMemStats(&memory)
		seconds := last.Sub(first).Seconds() / float64(max(1, len(model.Stats().Objective)-1))
		emit(Row{
			Table: "gimc-scale", Dataset: "generated", Method: fmt.Sprintf("GIMC-LFF, n %d, d %d, L %d, m %d", x.N, x.D, y.D, *m), Metric: "seconds a round",
			Got: value(seconds), Seconds: model.Stats().Seconds, Bytes: int64(memory.Sys), Series: "GIMC-LFF", X: float64(x.NNZ()),
			Note: fmt.Sprintf("%d entries of X, %d of Y; %.3g µs an entry of X; plan %s", x.NNZ(), y.NNZ(), 1e6*seconds/float64(x.NNZ()), gram.FormatBytes(plan.PeakBytes)),
		})
	}
	return nil
}
