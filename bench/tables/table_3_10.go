package tables

import (
	"context"
	"fmt"
	"slices"

	"github.com/gramworks/gram"
)

// Table 3.10 of [Si 2016]: test RMSE and training time of the whole problem,
// random parts and clusters, for (G_i+λI) with λ = 1/n.
var table310 = Table{
	ID:    "3.10",
	Title: "Test RMSE and training time of Whole-KRR, Random-KRR and DC-KRR",
	Run:   runTable310,
}

func runTable310(ctx context.Context, env Env, emit func(Row)) error {
	f := env.flags()
	only := f.String("only", "", "one data set; empty: all")
	limit := f.Int("rows", env.trainingRows(), "training rows at most; 0: no limit")
	if err := env.parse(f); err != nil {
		return err
	}
	if !slices.ContainsFunc(ridgeSets, func(s ridgeSet) bool { return *only == "" || s.name == *only }) {
		return &gram.ConfigError{Field: "--set only", Value: *only, Want: "a data set of the table"}
	}
	for _, s := range ridgeSets {
		if *only != "" && s.name != *only {
			continue
		}
		d, ok, err := s.load(env)
		if err != nil {
			return err
		}
		var gamma float64
		var chosen string
		repeats := 1
		if ok {
			if gamma, chosen, err = env.gammaOf(ctx, s, d); err != nil {
				return err
			}
			// Between splits of boston the figures have a standard deviation of .6.
			switch n, _ := d.Dims(); {
			case n < 1000:
				repeats = env.repeats(100, 100)
			case n < 2000:
				repeats = env.repeats(20, 20)
			default:
				repeats = env.repeats(3, 1)
			}
		}
		for _, m := range ridgeMethods {
			row := Row{Table: "3.10", Dataset: s.label, Method: m.name, Metric: "rmse", Paper: paper(s.results[m.name])}
			if !ok {
				row.Note = noData
				emit(row)
				continue
			}
			got, remark, err := env.ridgeRow(ctx, s, m, d, gamma, s.parts, *limit, repeats)
			if err != nil {
				return err
			}
			row.Note = notes(fmt.Sprintf("%d parts", s.parts), chosen, counted(repeats, "split"), limitNote(*limit, d), remark)
			emit(got.into(row))
		}
	}
	return nil
}
