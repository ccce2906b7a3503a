package tables

import (
	"context"
	"math"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/krr"
	"github.com/gramworks/gram/algos/solve"
	"github.com/gramworks/gram/dataset"
	"github.com/gramworks/gram/kernel"
)

// toy is one of the generated problems of figures 3.11, 3.12 and 3.15: 600 rows,
// (G_i+n_iλI) with λ = 1/n.
type toy struct {
	toy    dataset.Toy
	name   string
	kernel kernel.Kernel
}

var toys = []toy{
	{dataset.Steps, "steps", kernel.Gaussian{Gamma: .1}},
	{dataset.Bumps, "bumps", kernel.Gaussian{Gamma: .1}},
	{dataset.Sine, "sine", kernel.Polynomial{Degree: 2, Offset: 1}},
}

const (
	toyRows = 600
	toyTest = 100
	toyNote = "(G_i+n_iλI), λ 1/n"
)

func (t toy) config() krr.Config {
	return krr.Config{Kernel: t.kernel, Penalty: solve.PerRow}
}

// fit trains one of Whole, Random and DC.
func (t toy) fit(ctx context.Context, method string, d *dataset.Set, parts int, run gram.Run) (gram.Regressor, error) {
	switch method {
	case "Random":
		return krr.Average{Local: t.config(), Parts: parts, Run: run}.Fit(ctx, d.X, d.Value, nil)
	case "DC":
		return krr.Divided{Local: t.config(), Parts: parts, Run: run}.Fit(ctx, d.X, d.Value, nil)
	}
	c := t.config()
	c.Run = run
	return c.Fit(ctx, d.X, d.Value, nil)
}

// inverseRows is λ of the thesis.
func inverseRows(n int) float64 { return 1 / math.Max(1, float64(n)) }
