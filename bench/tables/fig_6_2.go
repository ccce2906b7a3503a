package tables

import (
	"fmt"
	"time"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/multilabel"
	"github.com/gramworks/gram/bench/tables/protocol"
)

// Figure 6.2 of [Si 2016]: P@1 against the time of prediction and against the
// model's size, for growing numbers of trees (FastXML, GBML), of learners (SLEEC)
// and growing rank (LEML). The paper draws curves and prints no figures; of its
// data sets delicious is at hand. The λ are those that Table 6.3 chooses there.
var fig62 = Table{
	ID:    "fig-6.2",
	Title: "P@1 against prediction time and model size",
	run:   runFig62,
	X:     "µs a row, or MB",
	Y:     "P@1",
	LogX:  true,
}

// chosen63 are the λ that Table 6.3 chooses on delicious.
var chosen63 = map[string]float64{"LEML": 1, "SLEEC": 300, "GBML": 100}

func runFig62(r *run) error {
	method := r.text("method", "one method; empty: all", "LEML", "FastXML", "SLEEC", "GBML")
	penalty := r.float("lambda", 0, 0, "λ of LEML, SLEEC and GBML's projection; 0: 1, 300 and 100")
	ranks := cut(r, "ranks", []int{10, 20, 50, 100}, []int{10, 20})
	cut(r, "trees and learners", "all", "few")
	repeats := r.repeats(3, 1)
	return each(r, []labelSet{sets63[0], sets63[2]}, func(s labelSet) error {
		part, err := s.load(r)
		if err != nil {
			return err
		}
		for _, m := range extremes {
			if method != "" && m.name != method {
				continue
			}
			lambda := penalty
			if lambda == 0 {
				lambda = chosen63[m.name]
			}
			if r.missing {
				r.emit(Row{Dataset: s.name, Method: m.name, Metric: "P@1", Note: noData})
				continue
			}
			if err := r.points62(s.name, m, part, lambda, ranks, repeats); err != nil {
				return fmt.Errorf("%s: %w", m.name, err)
			}
		}
		return nil
	})
}

// points62 emits the points of a method's curves.
func (r *run) points62(set string, m extreme, part *protocol.Split, lambda float64, ranks []int, repeats int) error {
	models := make([]ranker, repeats)
	trained := make([]float64, repeats)
	point := func(label string, of func(i int, run gram.Run) (ranker, error)) error {
		rows, figures, err := r.collect(Row{Dataset: set, Method: m.name + ", " + label, Series: m.name, Metric: "P@1 by µs a row"}, repeats, func(t *trial) error {
			model, err := of(t.index, t.Run)
			if err != nil {
				return err
			}
			bytes, err := modelBytes(model)
			if err != nil {
				return err
			}
			p, err := part.Precision(model, 1, 1)
			if err != nil {
				return err
			}
			t.figures[0].Add(p[0], trained[t.index], bytes)
			t.figures[1].Add(p[1], trained[t.index], bytes)
			if t.index == 0 {
				t.row.X = 1e6 * ranking(model, part.Train, part.TestRows())
			}
			return nil
		}, also{metric: "P@1 by MB"})
		for i, row := range rows {
			if row.Note = fmt.Sprintf("%.3g µs a row", row.X); i > 0 {
				row.X = float64(figures[1].Bytes()) / 1e6
			}
			r.emit(row)
		}
		return err
	}
	fit := func(i int, run gram.Run) (err error) {
		begin := time.Now()
		models[i], err = m.fit(r.ctx, part.Train, lambda, r.Quick, run)
		trained[i] = time.Since(begin).Seconds()
		return err
	}
	if m.first == nil { // LEML
		for _, rank := range ranks {
			if rank > rank63(part.Train) {
				break
			}
			err := point(fmt.Sprintf("rank %d", rank), func(i int, run gram.Run) (ranker, error) {
				model, err := multilabel.LEML{Rank: rank, Lambda: lambda, Run: run}.Fit(r.ctx, part.Train.X, part.Train.Tags)
				if err == nil {
					trained[i] = model.Stats().Seconds
				}
				return model, err
			})
			if err != nil {
				return err
			}
		}
		return nil
	}
	for i := range models {
		if err := fit(i, r.repeat(i)); err != nil {
			return err
		}
	}
	for _, parts := range []int{1, 2, 5, 10, 20, 30, 50} {
		if m.first(models[0], parts) == nil {
			break
		}
		if err := point(fmt.Sprintf("first %d", parts), func(i int, _ gram.Run) (ranker, error) { return m.first(models[i], parts), nil }); err != nil {
			return err
		}
	}
	return nil
}
