package tables

import (
	"fmt"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/labels/fastxml"
	"github.com/gramworks/gram/algos/labels/gbml"
	"github.com/gramworks/gram/algos/labels/leml"
	"github.com/gramworks/gram/algos/labels/sleec"
	"github.com/gramworks/gram/dataset"
)

// Table 6.1 of [S16] states the cost of prediction and the model's size of four
// methods. Here they are measured: on generated problems whose number of labels
// grows while the rest stays the same, µs a row of one goroutine and MB, with the
// paper's formula beside them. What should not depend on L does not.
//
// The models are small, one learner and few trees, as only the growth counts.
func table61(r *run) {
	n := r.int("n", cut(r, "rows", 10_000, 1000), 1, "rows")
	d := r.int("d", cut(r, "columns", 5_000, 1000), 1, "columns")
	most := r.int("labels", cut(r, "labels", 64_000, 8000), 16, "labels of the largest problem; the others have a quarter and a sixteenth")
	repeats := r.repeats(3, 1)
	r.check()
	methods := []struct {
		name, time, size string
		fit              func(train *dataset.Set, run gram.Run) ranker
	}{
		{"LEML", "(D̄+L)·d̄", "(D+L)·d̄", func(t *dataset.Set, run gram.Run) ranker {
			return must(leml.Config{Rank: 50, Lambda: 10, Rounds: 2, Run: run}.Fit(r.ctx, t.X, t.Tags))
		}},
		{"FastXML", "D̄·l̄·T + k·T", "2^l̄·D̄·T + k·M·T", func(t *dataset.Set, run gram.Run) ranker {
			return must(fastxml.Config{Trees: 5, Run: run}.Fit(r.ctx, t.X, t.Tags))
		}},
		{"SLEEC", "e·(n·d̄/c + D̄·d̄)", "e·(n·d̄ + c·D·d̄)", func(t *dataset.Set, run gram.Run) ranker {
			return must(sleec.Config{Learners: 1, Rank: 50, Steps: 3, Lambda: 10, Run: run}.Fit(r.ctx, t.X, t.Tags))
		}},
		{"GBML", "D̄·d̄ + l̄·T + k·T", "2^l̄·T + D·d̄ + k·M·T", func(t *dataset.Set, run gram.Run) ranker {
			return must(gbml.Config{Trees: 5, ColumnSample: 0.3, Projection: leml.Config{Rank: 50, Lambda: 10, Rounds: 2}, Run: run}.Fit(r.ctx, t.X, t.Tags))
		}},
	}
	for _, labels := range []int{most / 16, most / 4, most} {
		train := tagged(n, d, 30, labels, 10)
		for _, m := range methods {
			row := Row{Dataset: "generated", Method: fmt.Sprintf("%s, L = %d", m.name, labels), Series: m.name, X: float64(labels)}
			rows := metrics(row, "µs a row", "MB")
			r.measure(rows[0], repeats, func(t *trial) {
				model := m.fit(train, t.Run)
				seconds, bytes := t.seconds(), modelBytes(model)
				t.addValues(seconds, bytes, 1e6*ranking(model, train, 2000), float64(bytes)/1e6)
				t.note("paper: time O("+m.time+"), size "+m.size, sizes63(model))
			}, rows[1])
		}
	}
}
