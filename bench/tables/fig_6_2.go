package tables

import (
	"fmt"
	"time"

	"github.com/gramworks/gram/algos/labels/leml"
	"github.com/gramworks/gram/bench/tables/protocol"
)

// chosen63 are the λ that Table 6.3 chooses on delicious.
var chosen63 = map[string]float64{"LEML": 1, "SLEEC": 300, "GBML": 100}

// Figure 6.2 of [S16]: P@1 against the time of prediction and against the
// model's size, for growing numbers of trees (FastXML, GBML), of learners (SLEEC)
// and growing rank (LEML). The paper draws curves and prints no figures; of its
// data sets delicious is at hand. The λ are those that Table 6.3 chooses there.
func fig62(r *run) {
	method := r.text("method", "one method; empty: all", "LEML", "FastXML", "SLEEC", "GBML")
	penalty := r.float("lambda", 0, 0, "λ of LEML, SLEEC and GBML's projection; 0: 1, 300 and 100")
	ranks := cut(r, "ranks", []int{10, 20, 50, 100}, []int{10, 20})
	cut(r, "trees and learners", "all", "few")
	repeats := r.repeats(3, 1)
	each(r, []labelSet{sets63[0], sets63[2]}, func(s labelSet) {
		part := s.load(r)
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
			r.points62(s.name, m, part, lambda, ranks, repeats)
		}
	})
}

// points62 emits the points of a method's curves.
func (r *run) points62(set string, m extreme, part *protocol.Split, lambda float64, ranks []int, repeats int) {
	models, trained := make([]ranker, repeats), make([]float64, repeats)
	point := func(label string, of func(t *trial) ranker) {
		rows := metrics(Row{Dataset: set, Method: m.name + ", " + label, Series: m.name}, "P@1 by µs a row", "P@1 by MB")
		rows, figures := r.collect(rows[0], repeats, func(t *trial) {
			model := of(t)
			t.add(trained[t.index], modelBytes(model), must(part.Precision(model, 1, 1))...)
			if t.index == 0 {
				t.rows[0].X = 1e6 * ranking(model, part.Train, part.TestRows())
				t.note(fmt.Sprintf("%.3g µs a row", t.rows[0].X))
			}
		}, rows[1])
		rows[1].X = float64(figures[1].Bytes()) / 1e6
		r.emit(rows[0])
		r.emit(rows[1])
	}
	if m.first == nil { // LEML
		for _, rank := range ranks {
			rank = min(rank, rank63(part.Train))
			point(fmt.Sprintf("rank %d", rank), func(t *trial) ranker {
				model := must(leml.Config{Rank: rank, Lambda: lambda, Run: t.Run}.Fit(r.ctx, part.Train.X, part.Train.Tags))
				trained[t.index] = t.seconds()
				return model
			})
		}
		return
	}
	for i := range models {
		begin := time.Now()
		models[i] = m.fit(r.ctx, part.Train, lambda, r.Quick, r.repeat(i))
		trained[i] = time.Since(begin).Seconds()
	}
	for _, parts := range []int{1, 2, 5, 10, 20, 30, 50} {
		if m.first(models[0], parts) == nil {
			break
		}
		point(fmt.Sprintf("first %d", parts), func(t *trial) ranker { return m.first(models[t.index], parts) })
	}
}
