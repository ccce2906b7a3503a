package tables

import (
	"context"
	"fmt"
	"runtime"
	"time"

	"github.com/gramworks/gram/algos/gbml"
	"github.com/gramworks/gram/algos/multilabel"
)

// How GBML grows with rows and labels: generated problems with 75 labels a row,
// five trees on 100 projected columns, as in [Si 2016] for Delicious-200K. The
// paper gives no figures for the growth.
var gbmlGrowth = Table{
	ID:    "gbml-growth",
	Title: "Training, residuals and prediction of GBML against rows and labels",
	Run:   runGBMLGrowth,
	X:     "rows = labels",
	LogX:  true,
	LogY:  true,
}

func runGBMLGrowth(ctx context.Context, env Env, emit func(Row)) error {
	f := env.flags()
	most := f.Int("n", 200_000, "rows and labels of the largest problem; the others have a quarter and a sixteenth")
	d := f.Int("d", 50_000, "columns")
	tags := f.Int("tags", 75, "labels of a row at most")
	share := f.Float64("column-sample", 0.3, "share of the columns tried at each node")
	if err := env.parse(f); err != nil {
		return err
	}
	if env.Quick {
		*most, *d = min(*most, 1600), min(*d, 2000)
	}
	for _, n := range []int{*most / 16, *most / 4, *most} {
		train := tagged(n, *d, 50, n, *tags)
		c := gbml.Config{Trees: 5, Keep: 100, ColumnSample: *share, Projection: multilabel.LEML{Lambda: 10, Rounds: 3}, Run: env.Run}
		begin := time.Now()
		model, err := c.Fit(ctx, train.X, train.Tags)
		if err != nil {
			return err
		}
		seconds := time.Since(begin).Seconds()
		var memory runtime.MemStats
		runtime.ReadMemStats(&memory)
		held := train.Select(firstRows(min(n, 2000)))
		_, predicted := rank(model, held)
		rows, _ := held.Dims()
		s := model.Stats()
		row := Row{Table: "gbml-growth", Dataset: "generated", Method: fmt.Sprintf("n = L = %d", n), X: float64(n), Seconds: seconds}
		if row.Bytes, err = modelBytes(model); err != nil {
			return err
		}
		for _, v := range []struct {
			metric string
			got    float64
			note   string
		}{
			{"training s", seconds, fmt.Sprintf("projection %.3g s, trees %.3g s, %d leaves", s.ProjectSeconds, s.GrowSeconds, s.Leaves)},
			{"residual entries a row", float64(s.ResidualEntries[s.Trees]) / float64(n), fmt.Sprintf("at first %.3g; 8 bytes each", float64(s.ResidualEntries[0])/float64(n))},
			{"memory from the system, MB", float64(memory.Sys) / 1e6, "of the process so far"},
			{"prediction µs a row", 1e6 * predicted / float64(rows), ""},
		} {
			row.Metric, row.Got, row.Note, row.Series = v.metric, value(v.got), v.note, v.metric
			emit(row)
		}
	}
	return nil
}

// firstRows are the numbers below n.
func firstRows(n int) []int {
	rows := make([]int, n)
	for i := range rows {
		rows[i] = i
	}
	return rows
}
