package tables

import (
	"fmt"
	"math"

	"github.com/gramworks/gram/bench/tables/protocol"
)

// Figure 1 of [Z12]: the alignment score that chooses λ against the error, and
// beside it the squared error on held-out labeled rows. The paper draws curves
// and prints no figures.
func zhangFig1(r *run) {
	set := zhangSettings{
		labels: r.int("labels", 100, 2, "rows with labels"),
		c:      r.float("c", 0, 0, "C of the machine; 0: by cross-validation"),
		cut:    r.float("cut", 0, 0, "eigenvalues of W below cut times the largest are dropped; 0: as for a pseudo-inverse"),
	}
	low := r.int("low", -12, -300, "logarithm of the smallest λ")
	sets := zhangSets
	if r.Set["only"] == "" {
		sets = cut(r, "data sets", []zhangSet{zhangSets[0], zhangSets[1], zhangSets[5]}, zhangSets[:1])
	}
	repeats := r.repeats(10, 2)
	var grid []float64
	for e := low; e <= 0; e++ {
		grid = append(grid, math.Pow(10, float64(e)))
	}
	each(r, sets, func(s zhangSet) {
		w := s.load(r)
		const byError, byScore, byHeld = "error, %", "score, %", "squared error, held out, %"
		if w == nil {
			r.emit(Row{Dataset: s.name, Method: "all", Metric: byError, Note: noData})
			return
		}
		t, _ := r.trial(w, set, false)
		metrics := []string{byError, byScore, byHeld}
		curves := map[string][]*protocol.Figure{}
		for _, metric := range metrics {
			for range grid {
				curves[metric] = append(curves[metric], protocol.NewFigure(repeats))
			}
		}
		above := map[string]*protocol.Figure{byScore: protocol.NewFigure(repeats), byHeld: protocol.NewFigure(repeats)}
		for i := range repeats {
			t.again(r.ctx, r.repeat(i))
			m := t.ours(r.ctx, t.Labels, 0, grid...)
			held := m.Stats().Held
			var errs []protocol.Score
			scores := make([]float64, len(grid))
			for i, lambda := range grid {
				m := t.ours(r.ctx, t.Labels, lambda)
				got := t.judge(r.ctx, t.fixed(m))
				st := m.Stats()
				errs, scores[i] = append(errs, got.error), st.Alignment
				curves[byError][i].Add(got.error, st.Seconds, 0)
				curves[byScore][i].AddValue(100*st.Alignment, st.Seconds, 0)
				curves[byHeld][i].AddValue(100*held[i], st.Seconds, 0)
			}
			best, chosen := 0, 0 // of equals the largest λ
			for i := range grid {
				if scores[i] >= scores[best] {
					best = i
				}
				if held[i] <= held[chosen] {
					chosen = i
				}
			}
			for metric, at := range map[string]int{byScore: best, byHeld: chosen} {
				above[metric].Add(must(protocol.Above(errs, at)), 0, 0)
			}
		}
		for _, metric := range metrics {
			for i, lambda := range grid {
				r.emit(Row{Dataset: s.name, Method: fmt.Sprintf("λ %.0e", lambda), Metric: metric, Series: metric, X: lambda}.Of(curves[metric][i]))
			}
		}
		for _, metric := range metrics[1:] {
			r.emit(Row{Dataset: s.name, Method: "λ by " + metric, Metric: "error above the best λ, %"}.Of(above[metric]))
		}
	})
}
