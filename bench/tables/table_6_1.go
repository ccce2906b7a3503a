package tables

import (
	"context"
	"fmt"

	"github.com/gramworks/gram/algos/fastxml"
	"github.com/gramworks/gram/algos/gbml"
	"github.com/gramworks/gram/algos/multilabel"
	"github.com/gramworks/gram/algos/sleec"
	"github.com/gramworks/gram/dataset"
)

// Table 6.1 of [Si 2016] states the cost of prediction and the model's size of four
// methods. Here they are measured: on generated problems whose number of labels
// grows while the rest stays the same, µs a row of one goroutine and MB, with the
// paper's formula beside them. What should not depend on L does not.
//
// The models are small, one learner and few trees, as only the growth counts.
var table61 = Table{
	ID:    "6.1",
	Title: "Prediction time and model size against the number of labels",
	Run:   runTable61,
	X:     "labels",
	LogX:  true,
	LogY:  true,
}

func runTable61(ctx context.Context, env Env, emit func(Row)) error {
	f := env.flags()
	n := f.Int("n", 10_000, "rows")
	d := f.Int("d", 5_000, "columns")
	most := f.Int("labels", 64_000, "labels of the largest problem; the others have a quarter and a sixteenth")
	if err := env.parse(f); err != nil {
		return err
	}
	if env.Quick {
		*n, *d, *most = min(*n, 1000), min(*d, 1000), min(*most, 8000)
	}
	methods := []struct {
		name, time, size string
		fit              func(train *dataset.Set) (ranker, error)
	}{
		{"LEML", "(D̄+L)·d̄", "(D+L)·d̄", func(t *dataset.Set) (ranker, error) {
			return multilabel.LEML{Rank: 50, Lambda: 10, Rounds: 2, Run: env.Run}.Fit(ctx, t.X, t.Tags)
		}},
		{"FastXML", "D̄·l̄·T + k·T", "2^l̄·D̄·T + k·M·T", func(t *dataset.Set) (ranker, error) {
			return fastxml.Config{Trees: 5, Run: env.Run}.Fit(ctx, t.X, t.Tags)
		}},
		{"SLEEC", "e·(n·d̄/c + D̄·d̄)", "e·(n·d̄ + c·D·d̄)", func(t *dataset.Set) (ranker, error) {
			return sleec.Config{Learners: 1, Rank: 50, Steps: 3, Lambda: 10, Run: env.Run}.Fit(ctx, t.X, t.Tags)
		}},
		{"GBML", "D̄·d̄ + l̄·T + k·T", "2^l̄·T + D·d̄ + k·M·T", func(t *dataset.Set) (ranker, error) {
			return gbml.Config{Trees: 5, ColumnSample: 0.3, Projection: multilabel.LEML{Rank: 50, Lambda: 10, Rounds: 2}, Run: env.Run}.Fit(ctx, t.X, t.Tags)
		}},
	}
	held := min(2000, *n)
	for _, labels := range []int{*most / 16, *most / 4, *most} {
		all := tagged(*n+held, *d, 30, labels, 10)
		index := firstRows(*n + held)
		train, test := all.Select(index[:*n]), all.Select(index[*n:])
		for _, m := range methods {
			model, err := m.fit(train)
			if err != nil {
				return fmt.Errorf("%s: %w", m.name, err)
			}
			_, seconds := rank(model, test)
			row := Row{Table: "6.1", Dataset: "generated", Method: fmt.Sprintf("%s, L = %d", m.name, labels), Series: m.name, X: float64(labels)}
			if row.Bytes, err = modelBytes(model); err != nil {
				return err
			}
			row.Metric, row.Got, row.Note = "µs a row", value(1e6*seconds/float64(held)), "paper: O("+m.time+")"
			emit(row)
			row.Metric, row.Got, row.Note = "MB", value(float64(row.Bytes)/1e6), "paper: "+m.size+"; "+sizes63(model)
			emit(row)
		}
	}
	return nil
}
