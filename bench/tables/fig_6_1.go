package tables

import (
	"fmt"
	"slices"

	"github.com/gramworks/gram/algos/trees/gbdt"
	"github.com/gramworks/gram/bench/tables/protocol"
	"github.com/gramworks/gram/dataset"
)

var boosters = []struct {
	name      string
	criterion gbdt.Criterion
}{{"GBDT", gbdt.SecondOrder}, {"DLM", gbdt.DirectLoss}}

// Figure 6.1 of [S16]: logistic loss and accuracy against the number of
// trees, for trees split by the second-order gain (GBDT) and by the loss itself
// (DLM). The paper draws curves and prints no figures; its third set is letter,
// for which usps 0–4 against 5–9 stands in. Depth, shrinkage and λ are not
// printed: 5, .1 and 1.
func fig61(r *run) {
	depth := r.int("depth", 5, 1, "splits on the way to a leaf")
	shrinkage := r.float("shrinkage", 0.1, 0, "factor of every tree")
	rounds := r.int("trees", cut(r, "trees", 100, 20), 1, "trees")
	screen := r.int("screen", 16, 1, "splits whose loss is minimized for each leaf")
	at := slices.DeleteFunc([]int{1, 2, 5, 10, 20, 50, 100, 200, 500}, func(t int) bool { return t > rounds })
	each(r, []name{"a9a", "ijcnn1", "usps"}, func(set name) {
		part := r.split(set.String(), dataset.Options{Task: dataset.Classes})
		if part != nil && set == "usps" {
			part = part.Grouped("0-4", "5-9")
		}
		for _, m := range boosters {
			row := Row{Dataset: set.String(), Method: m.name, Metric: "objective", Note: noData}
			if part == nil {
				r.emit(row)
				continue
			}
			c := gbdt.Config{Rounds: rounds, Shrinkage: shrinkage, MaxDepth: depth, MaxLeaves: 1 << depth, Screen: screen, Criterion: m.criterion, FromZero: true, Run: r.repeat(0)}
			model := must(c.Fit(r.ctx, part.Train.X, part.Train.Labels, nil))
			s := model.Stats()
			for _, t := range at {
				if t > s.Rounds {
					break
				}
				row.Method, row.Series, row.X = fmt.Sprintf("%s, %d trees", m.name, t), m.name, float64(t)
				row.Note = fmt.Sprintf("mean training loss; depth %d, shrinkage %g; no rows or columns are drawn", depth, shrinkage)
				row.Metric, row.Got = "objective", value(s.Objective[t])
				row.Seconds = (s.BinSeconds + s.GrowSeconds) * float64(t) / float64(s.Rounds)
				r.emit(row)
				accuracy := protocol.NewFigure(1)
				accuracy.Add(must(part.Accuracy(model.First(t))), row.Seconds, 0)
				row.Metric, row.Note = "accuracy", "on the test part"
				r.emit(row.Of(accuracy))
			}
		}
	})
}
