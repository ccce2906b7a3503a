package tables

import (
	"context"
	"fmt"

	"gonum.org/v1/gonum/mat"
)

// Figure 3.11 of [Si 2016]: the functions that Whole-KRR and DC-KRR with three
// parts learn on the toy problems, beside the true one.
var fig311 = Table{
	ID:    "fig-3.11",
	Title: "Functions of Whole-KRR and DC-KRR on the toy problems",
	Run:   runFig311,
	X:     "x", Y: "f(x)",
}

func runFig311(ctx context.Context, env Env, emit func(Row)) error {
	f := env.flags()
	points := f.Int("points", 61, "points of a curve")
	if err := env.parse(f); err != nil {
		return err
	}
	for _, t := range toys {
		run := env.repeat(0)
		d, _ := t.toy.Draw(toyRows, run.Seed)
		low, high := mat.Min(d.X), mat.Max(d.X)
		x := mat.NewDense(max(2, *points), 1, nil)
		for i := range max(2, *points) {
			x.Set(i, 0, low+(high-low)*float64(i)/float64(max(2, *points)-1))
		}
		curves := map[string][]float64{}
		for _, method := range []string{"Whole", "DC"} {
			m, err := t.fit(ctx, method, d, 3, run)
			if err != nil {
				return err
			}
			curves[method] = m.Predict(nil, x)
		}
		for i := range max(2, *points) {
			v := x.At(i, 0)
			for _, series := range []string{"true", "Whole", "DC"} {
				y := t.toy.F(v)
				if series != "true" {
					y = curves[series][i]
				}
				emit(Row{Table: "fig-3.11", Dataset: t.name, Method: fmt.Sprintf("%s x=%.3g", series, v), Metric: "f(x)", Got: value(y), Series: series, X: v, Note: "3 parts, " + toyNote})
			}
		}
	}
	return nil
}
