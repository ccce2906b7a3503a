package tables

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
)

// Figure 1 of [Z12]: the alignment score that chooses λ against the error, and
// beside it the squared error on held-out labelled rows. The paper draws curves
// and prints no figures.
var zhangFig1 = Table{
	ID:    "zhang-fig1",
	Title: "The score of λ and the error it is to foretell",
	Run:   runZhangFig1,
	X:     "λ/‖P‖²", Y: "error and score, %", LogX: true,
}

func runZhangFig1(ctx context.Context, env Env, emit func(Row)) error {
	f := env.flags()
	count := f.Int("labels", 100, "rows with labels")
	low := f.Int("low", -12, "logarithm of the smallest λ")
	c := f.Float64("c", 0, "C of the machine; 0: by cross-validation")
	cut := f.Float64("cut", 0, "eigenvalues of W below cut times the largest are dropped; 0: as for a pseudo-inverse")
	only := f.String("only", "", "data sets, separated by commas; empty: g241c, Digit1 and Text, with --quick g241c")
	if err := env.parse(f); err != nil {
		return err
	}
	if *only == "" {
		*only = "g241c,Digit1,Text"
		if env.Quick {
			*only = "g241c"
		}
	}
	repeats := env.repeats(10, 2)
	for _, s := range zhangSets {
		if !slices.Contains(strings.Split(*only, ","), s.name) {
			continue
		}
		d, ok, err := s.load(env)
		if err != nil {
			return err
		}
		row := Row{Table: "zhang-fig1", Dataset: s.name, Metric: "error, %"}
		if !ok {
			row.Method, row.Note = "all", noData
			emit(row)
			continue
		}
		t, _, err := env.trial(ctx, d, false)
		if err != nil {
			return err
		}
		t.c, t.cut = *c, *cut
		var grid []float64
		for e := *low; e <= 0; e++ {
			grid = append(grid, math.Pow(10, float64(e)))
		}
		const byScore, byHeld = "score, %", "squared error, held out, %"
		series := map[string][]sample{row.Metric: make([]sample, len(grid)), byScore: make([]sample, len(grid)), byHeld: make([]sample, len(grid))}
		regret := map[string]*sample{byScore: {}, byHeld: {}}
		for r := range repeats {
			if err := t.again(ctx, env.repeat(r), *count); err != nil {
				return err
			}
			choice := t.ours(0)
			choice.Grid = grid
			m, err := choice.Fit(ctx, t.x, t.y)
			if err != nil {
				return err
			}
			held := m.Stats().Held
			errs, scores := make([]float64, len(grid)), make([]float64, len(grid))
			for i, lambda := range grid {
				m, err := t.ours(lambda).Fit(ctx, t.x, t.y)
				if err != nil {
					return err
				}
				got, err := t.judge(ctx, t.fixed(m))
				if err != nil {
					return err
				}
				st := m.Stats()
				errs[i], scores[i] = got.err, st.Alignment
				series[row.Metric][i].add(got.err, st.Seconds, 0)
				series[byScore][i].add(100*st.Alignment, st.Seconds, 0)
				series[byHeld][i].add(100*held[i], st.Seconds, 0)
			}
			least := slices.Min(errs)
			best, chosen := 0, 0 // of equals the largest λ
			for i := range grid {
				if scores[i] >= scores[best] {
					best = i
				}
				if held[i] <= held[chosen] {
					chosen = i
				}
			}
			regret[byScore].add(errs[best]-least, 0, 0)
			regret[byHeld].add(errs[chosen]-least, 0, 0)
		}
		note := fmt.Sprintf("%d repeats", repeats)
		for _, metric := range []string{row.Metric, byScore, byHeld} {
			for i, lambda := range grid {
				row := row
				row.Method, row.Metric, row.Series, row.X, row.Note = fmt.Sprintf("λ %.0e", lambda), metric, metric, lambda, note
				emit(series[metric][i].into(row))
			}
		}
		for _, metric := range []string{byScore, byHeld} {
			emit(regret[metric].into(Row{Table: "zhang-fig1", Dataset: s.name, Method: "λ by " + metric, Metric: "error above the best λ, %", Note: note}))
		}
	}
	return nil
}
