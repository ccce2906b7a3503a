package tables

import (
	"context"
	"fmt"

	"github.com/gramworks/gram/algos/kmeans"
	"github.com/gramworks/gram/algos/krr"
	"github.com/gramworks/gram/kernel"
	"gonum.org/v1/gonum/mat"
)

// Figures 3.14 and 3.15 of [Si 2016]: g(λ) = Σ_i S_i(λ)/S(λ) at λ = 1/n against
// the number of k-means parts, on a sample of the training rows of the real data
// sets and on the toy problems. The paper draws curves and prints no figures.
var (
	fig314 = Table{
		ID:    "fig-3.14",
		Title: "g(λ) against the number of parts on the real data sets",
		Run:   runFig314,
		X:     "parts", Y: "g(λ)", LogX: true,
	}
	fig315 = Table{
		ID:    "fig-3.15",
		Title: "g(λ) against the number of parts on the toy problems",
		Run:   runFig315,
		X:     "parts", Y: "g(λ)", LogX: true,
	}
)

func runFig314(ctx context.Context, env Env, emit func(Row)) error {
	f := env.flags()
	rows := f.Int("rows", 3000, "training rows at most")
	if err := env.parse(f); err != nil {
		return err
	}
	if env.Quick {
		*rows = min(*rows, 800)
	}
	for _, s := range ridgeSets {
		d, ok, err := s.load(env)
		if err != nil {
			return err
		}
		row := Row{Table: "fig-3.14", Dataset: s.label}
		if !ok {
			row.Method, row.Metric, row.Note = "k-means", "g", noData
			emit(row)
			continue
		}
		gamma, chosen, err := env.gammaOf(ctx, s, d)
		if err != nil {
			return err
		}
		train, _, err := s.split(d, *rows, env.repeat(0).Seed)
		if err != nil {
			return err
		}
		row.Note = notes(chosen, limitNote(*rows, d))
		if err := env.goodness(ctx, emit, row, kernel.Gaussian{Gamma: gamma}, train.X); err != nil {
			return err
		}
	}
	return nil
}

func runFig315(ctx context.Context, env Env, emit func(Row)) error {
	if err := env.parse(env.flags()); err != nil {
		return err
	}
	for _, t := range toys {
		d, _ := t.toy.Draw(toyRows, env.repeat(0).Seed)
		if err := env.goodness(ctx, emit, Row{Table: "fig-3.15", Dataset: t.name}, t.kernel, d.X); err != nil {
			return err
		}
	}
	return nil
}

// goodness emits g for numbers of k-means parts.
func (e Env) goodness(ctx context.Context, emit func(Row), row Row, k kernel.Kernel, x mat.Matrix) error {
	n, _ := x.Dims()
	lambda := inverseRows(n)
	note := row.Note
	counts := []int{1, 2, 3, 4, 6, 8, 12, 16, 24, 32}
	if e.Quick {
		counts = []int{1, 2, 3, 4, 8, 16}
	}
	for _, parts := range counts {
		run := e.repeat(0)
		c, err := kmeans.Config{K: parts, Run: run}.Fit(ctx, x)
		if err != nil {
			return err
		}
		g, err := krr.Goodness(ctx, k, x, c.Labels(), []float64{lambda}, run)
		if err != nil {
			return err
		}
		row.Method, row.Metric, row.Series, row.X = fmt.Sprintf("k-means parts=%d", parts), "g", "k-means", float64(parts)
		row.Got, row.Note = value(g[0]), notes(fmt.Sprintf("%d rows, λ 1/n", n), note)
		emit(row)
	}
	return nil
}
