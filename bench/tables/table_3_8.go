package tables

import (
	"context"
	"fmt"
)

// Table 3.8 of [Si 2016]: the data sets of divided kernel ridge regression and γ
// by cross-validation of the whole problem on training rows.
var table38 = Table{
	ID:    "3.8",
	Title: "Data sets of DC-KRR, and γ by cross-validation",
	Run:   runTable38,
}

func runTable38(ctx context.Context, env Env, emit func(Row)) error {
	f := env.flags()
	rows := f.Int("rows", env.searchRows(), "training rows for the cross-validation at most")
	if err := env.parse(f); err != nil {
		return err
	}
	for _, s := range ridgeSets {
		row := Row{Table: "3.8", Dataset: s.label, Method: "cross-validation", Metric: "gamma", Paper: paper(s.gamma)}
		d, ok, err := s.load(env)
		if err != nil {
			return err
		}
		if !ok {
			row.Note = noData
			emit(row)
			continue
		}
		gamma, score, err := env.chooseGamma(ctx, s, d, *rows)
		if err != nil {
			return err
		}
		n, dim := d.Dims()
		train, test, err := s.split(d, 0, env.repeat(0).Seed)
		if err != nil {
			return err
		}
		a, _ := train.Dims()
		b, _ := test.Dims()
		row.Got = value(gamma)
		row.Note = notes(fmt.Sprintf("%d rows: %d for training, %d for the test; %d columns", n, a, b, dim), fmt.Sprintf("RMSE %.4g in 4 folds", score), limitNote(*rows, d))
		emit(row)
	}
	return nil
}
