package tables

import (
	"context"
	"fmt"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/gbdt"
	"github.com/gramworks/gram/dataset"
	"github.com/gramworks/gram/metric"
)

// Figure 6.1 of [Si 2016]: logistic loss and accuracy against the number of
// trees, for trees split by the second-order gain (GBDT) and by the loss itself
// (DLM). The paper draws curves and prints no figures; its third set is letter,
// for which usps 0–4 against 5–9 stands in. Depth, shrinkage and λ are not
// printed: 5, .1 and 1.
var fig61 = Table{
	ID:    "fig-6.1",
	Title: "Gradient boosted trees against direct loss minimisation",
	Run:   runFig61,
	X:     "trees",
	LogX:  true,
}

var boosters = []struct {
	name      string
	criterion gbdt.Criterion
}{{"GBDT", gbdt.SecondOrder}, {"DLM", gbdt.DirectLoss}}

func runFig61(ctx context.Context, env Env, emit func(Row)) error {
	f := env.flags()
	depth := f.Int("depth", 5, "splits on the way to a leaf")
	shrinkage := f.Float64("shrinkage", 0.1, "factor of every tree")
	rounds := f.Int("trees", 100, "trees")
	screen := f.Int("screen", 16, "splits whose loss is minimised for each leaf")
	if err := env.parse(f); err != nil {
		return err
	}
	if env.Quick {
		*rounds = min(*rounds, 20)
	}
	at := []int{1, 2, 5, 10, 20, 50, 100, 200, 500}
	for _, name := range []string{"a9a", "ijcnn1", "usps"} {
		train, test, ok, err := env.load(name, dataset.Options{})
		if err != nil {
			return err
		}
		row := Row{Table: "fig-6.1", Dataset: name, Metric: "objective"}
		if !ok {
			for _, m := range boosters {
				row.Method, row.Note = m.name, noData
				emit(row)
			}
			continue
		}
		if name == "usps" {
			train, test = halves(train), halves(test)
		}
		for _, m := range boosters {
			c := gbdt.Config{Rounds: *rounds, Shrinkage: *shrinkage, MaxDepth: *depth, MaxLeaves: 1 << *depth, Screen: *screen, Criterion: m.criterion, FromZero: true, Run: env.Run}
			model, err := c.Fit(ctx, train.X, train.Labels, nil)
			if err != nil {
				return err
			}
			s := model.Stats()
			for _, t := range at {
				if t > s.Rounds {
					break
				}
				row.Method, row.Series, row.X = fmt.Sprintf("%s, %d trees", m.name, t), m.name, float64(t)
				row.Note = fmt.Sprintf("mean training loss; depth %d, shrinkage %g", *depth, *shrinkage)
				row.Metric, row.Got = "objective", value(s.Objective[t])
				row.Seconds = (s.BinSeconds + s.GrowSeconds) * float64(t) / float64(s.Rounds)
				emit(row)
				row.Metric, row.Note = "accuracy", "on the test part"
				row.Got = value(metric.Accuracy(model.First(t).Predict(nil, test.X), test.Labels.Class))
				emit(row)
			}
		}
	}
	return nil
}

// halves makes digits 0–4 class 0 and 5–9 class 1.
func halves(d *dataset.Set) *dataset.Set {
	out := *d
	out.Labels = gram.Labels{Class: make([]int, len(d.Labels.Class)), Names: []string{"0-4", "5-9"}}
	for i, c := range d.Labels.Class {
		if c >= len(d.Labels.Names)/2 {
			out.Labels.Class[i] = 1
		}
	}
	return &out
}
