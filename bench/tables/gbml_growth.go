package tables

import (
	"fmt"
	"runtime"

	"github.com/gramworks/gram/algos/labels/gbml"
	"github.com/gramworks/gram/algos/labels/leml"
)

// How GBML grows with rows and labels: generated problems with 75 labels a row,
// five trees on 100 projected columns, as in [S16] for Delicious-200K. The
// paper gives no figures for the growth.
func gbmlGrowth(r *run) {
	most := r.int("n", cut(r, "rows", 200_000, 1600), 16, "rows and labels of the largest problem; the others have a quarter and a sixteenth")
	d := r.int("d", cut(r, "columns", 50_000, 2000), 1, "columns")
	tags := r.int("tags", 75, 1, "labels of a row at most")
	share := r.float("column-sample", 0.3, 0, "share of the columns tried at each node")
	repeats := r.repeats(3, 1)
	r.check()
	for _, n := range []int{most / 16, most / 4, most} {
		train := tagged(n, d, 50, n, tags)
		rows := metrics(Row{Dataset: "generated", Method: fmt.Sprintf("n = L = %d", n), X: float64(n)},
			"training s", "residual entries a row", "memory of the process so far, MB", "prediction µs a row")
		for i := range rows {
			rows[i].Series = rows[i].Metric
		}
		r.measure(rows[0], repeats, func(t *trial) {
			c := gbml.Config{Trees: 5, Keep: 100, ColumnSample: share, Projection: leml.Config{Lambda: 10, Rounds: 3}, Run: t.Run}
			model := must(c.Fit(r.ctx, train.X, train.Tags))
			seconds, memory := t.seconds(), processBytes()
			s := model.Stats()
			t.addValues(seconds, modelBytes(model), seconds, float64(s.ResidualEntries[s.Trees])/float64(n), float64(memory)/1e6, 1e6*ranking(model, train, 2000))
			t.note(fmt.Sprintf("projection %.3g s, trees %.3g s, %d leaves", s.ProjectSeconds, s.GrowSeconds, s.Leaves),
				fmt.Sprintf("residual entries at first %.3g a row, of 8 bytes", float64(s.ResidualEntries[0])/float64(n)))
		}, rows[1:]...)
	}
}

// processBytes is the memory that the process has had from the system so far.
func processBytes() int64 {
	var memory runtime.MemStats
	runtime.ReadMemStats(&memory)
	return int64(memory.Sys)
}
