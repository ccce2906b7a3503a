package tables

import (
	"context"
	"fmt"

	"github.com/gramworks/gram/algos/multilabel"
	"github.com/gramworks/gram/dataset"
)

// Figure 6.2 of [Si 2016]: P@1 against the time of prediction and against the
// model's size, for growing numbers of trees (FastXML, GBML), of learners (SLEEC)
// and growing rank (LEML). The paper draws curves and prints no figures; of its
// data sets delicious is at hand. The λ are those that Table 6.3 chooses there.
var fig62 = Table{
	ID:    "fig-6.2",
	Title: "P@1 against prediction time and model size",
	Run:   runFig62,
	X:     "µs a row, or MB",
	Y:     "P@1",
	LogX:  true,
}

// chosen63 are the λ that Table 6.3 chooses on delicious.
var chosen63 = map[string]float64{"LEML": 1, "SLEEC": 300, "GBML": 100}

func runFig62(ctx context.Context, env Env, emit func(Row)) error {
	f := env.flags()
	name := f.String("data", "delicious", "data set")
	method := f.String("method", "", "one method; empty: all")
	lambda := f.Float64("lambda", 0, "λ of LEML, SLEEC and GBML's projection; 0: 1, 300 and 100")
	if err := env.parse(f); err != nil {
		return err
	}
	train, test, ok, err := env.load(*name, dataset.Options{})
	if err != nil {
		return err
	}
	if !ok || test == nil {
		for _, m := range extremes {
			emit(Row{Table: "fig-6.2", Dataset: *name, Method: m.name, Metric: "P@1", Note: noData})
		}
		return nil
	}
	point := func(m extreme, model ranker, parts string, trained float64) error {
		p, seconds := rank(model, test)
		bytes, err := modelBytes(model)
		if err != nil {
			return err
		}
		n, _ := test.Dims()
		row := Row{Table: "fig-6.2", Dataset: *name, Method: m.name + ", " + parts, Series: m.name, Got: value(p[0]), Seconds: trained, Bytes: bytes}
		row.Metric, row.X = "P@1 by µs a row", 1e6*seconds/float64(n)
		row.Note = fmt.Sprintf("%.3g µs a row", row.X)
		emit(row)
		row.Metric, row.X, row.Note = "P@1 by MB", float64(bytes)/1e6, ""
		emit(row)
		return nil
	}
	for _, m := range extremes {
		if *method != "" && m.name != *method {
			continue
		}
		penalty := *lambda
		if penalty == 0 {
			penalty = chosen63[m.name]
		}
		if m.first == nil { // LEML
			for _, rank := range []int{10, 20, 50, 100} {
				if rank > rank63(train) || env.Quick && rank > 20 {
					break
				}
				model, err := multilabel.LEML{Rank: rank, Lambda: penalty, Run: env.repeat(0)}.Fit(ctx, train.X, train.Tags)
				if err != nil {
					return err
				}
				if err := point(m, model, fmt.Sprintf("rank %d", rank), model.Stats().Seconds); err != nil {
					return err
				}
			}
			continue
		}
		model, err := m.fit(ctx, train, penalty, env.Quick, env.repeat(0))
		if err != nil {
			return fmt.Errorf("%s: %w", m.name, err)
		}
		for _, parts := range []int{1, 2, 5, 10, 20, 30, 50} {
			part := m.first(model, parts)
			if part == nil {
				break
			}
			if err := point(m, part, fmt.Sprintf("first %d", parts), 0); err != nil {
				return err
			}
		}
	}
	return nil
}
