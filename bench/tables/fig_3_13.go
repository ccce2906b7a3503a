package tables

import (
	"context"
	"fmt"
	"math"
)

// Figure 3.13 of [Si 2016]: test RMSE against the number of training rows on the
// real data sets. The paper draws curves and prints no figures.
var fig313 = Table{
	ID:    "fig-3.13",
	Title: "Test RMSE against the number of training rows",
	Run:   runFig313,
	X:     "training rows", Y: "RMSE",
}

func runFig313(ctx context.Context, env Env, emit func(Row)) error {
	f := env.flags()
	limit := f.Int("rows", 12_000, "training rows at most")
	if err := env.parse(f); err != nil {
		return err
	}
	if env.Quick {
		*limit = min(*limit, 2000)
	}
	shares := []float64{.2, .4, .6, .8, 1}
	if env.Quick {
		shares = []float64{.25, .5, 1}
	}
	for _, s := range ridgeSets {
		d, ok, err := s.load(env)
		if err != nil {
			return err
		}
		var gamma float64
		var chosen string
		n := 0
		repeats := env.repeats(3, 1)
		if ok {
			if gamma, chosen, err = env.gammaOf(ctx, s, d); err != nil {
				return err
			}
			rows, _ := d.Dims()
			n = min(*limit, rows-int(math.Round(.2*float64(rows))))
			if rows < 2000 {
				repeats = env.repeats(20, 5)
			}
		}
		for _, m := range ridgeMethods {
			if m.name == "DC kernel k-means" {
				continue // the figure has k-means
			}
			for _, share := range shares {
				rows := int(math.Round(share * float64(n)))
				row := Row{Table: "fig-3.13", Dataset: s.label, Method: fmt.Sprintf("%s, %.0f %%", m.name, 100*share), Metric: "rmse", Series: m.name, X: float64(rows)}
				if !ok {
					row.Note = noData
					emit(row)
					continue
				}
				got, _, err := env.ridgeRow(ctx, s, m, d, gamma, s.parts, rows, repeats)
				if err != nil {
					return err
				}
				row.Note = notes(fmt.Sprintf("%d training rows, %d parts", rows, s.parts), chosen, counted(repeats, "split"))
				emit(got.into(row))
			}
		}
	}
	return nil
}
