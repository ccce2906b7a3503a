package tables

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/gramworks/gram/algos/landmark"
	"github.com/gramworks/gram/algos/sideinfo"
)

// Figure 1 of [Z12]: the alignment score that chooses λ against the error. The
// paper draws curves and prints no figures.
var zhangFig1 = Table{
	ID:    "zhang-fig1",
	Title: "The score of λ and the error it is to foretell",
	Run:   runZhangFig1,
	X:     "λ/‖P‖²", Y: "error and score, %", LogX: true,
}

func runZhangFig1(ctx context.Context, env Env, emit func(Row)) error {
	f := env.flags()
	count := f.Int("labels", 100, "rows with labels")
	low := f.Int("low", -8, "logarithm of the smallest λ")
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
		t.c = *c
		var grid []float64
		for e := *low; e <= 2; e++ {
			grid = append(grid, math.Pow(10, float64(e)))
		}
		errs, scores := make([]sample, len(grid)), make([]sample, len(grid))
		var regret sample
		for r := range repeats {
			if err := t.again(ctx, env.repeat(r), *count); err != nil {
				return err
			}
			least, chosen, score := math.Inf(1), 0., -1.
			for i, lambda := range grid {
				m, err := sideinfo.Config{Kernel: t.kern, Landmarks: landmark.Fixed{U: t.u}, M: t.m, Lambda: lambda, Accelerated: true, Cut: *cut, Run: t.run}.Fit(ctx, t.x, t.y)
				if err != nil {
					return err
				}
				v, _, err := t.err(ctx, m.Map(nil, t.x))
				if err != nil {
					return err
				}
				st := m.Stats()
				errs[i].add(v, st.Seconds, 0)
				scores[i].add(100*st.Alignment, st.Seconds, 0)
				least = min(least, v)
				if st.Alignment >= score {
					score, chosen = st.Alignment, v
				}
			}
			regret.add(chosen-least, 0, 0)
		}
		for _, metric := range []string{"error, %", "score, %"} {
			for i, lambda := range grid {
				row.Method, row.Metric, row.Series, row.X = fmt.Sprintf("λ %g", lambda), metric, metric, lambda
				row.Note = fmt.Sprintf("%d repeats", repeats)
				from := errs[i]
				if metric == "score, %" {
					from = scores[i]
				}
				emit(from.into(row))
			}
		}
		row = regret.into(Row{Table: "zhang-fig1", Dataset: s.name, Method: "chosen λ", Metric: "error above the best λ, %"})
		row.Note = fmt.Sprintf("%d repeats", repeats)
		emit(row)
	}
	return nil
}
