package tables

import (
	"context"
	"fmt"
	"slices"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/imc"
	"github.com/gramworks/gram/algos/multilabel"
	"github.com/gramworks/gram/dataset"
	"github.com/gramworks/gram/metric"
)

// Figure 5.5 of [Si 2016]: P@3 against m, the number of frequencies or landmarks,
// for features as drawn (IMC-RFF, IMC-NYS) and learned (GIMC-LFF, GIMC-LNYS). The
// paper draws curves and prints no figures; bibtex and delicious are at hand. Rows
// have length 1; learned features take the steps and all take the λ with the best
// mean of P@1, P@3 and P@5 on a fifth of the training part.
var fig55 = Table{
	ID:    "fig-5.5",
	Title: "P@3 against the number of features, drawn and learned",
	Run:   runFig55,
	X:     "m",
	Y:     "P@3",
	LogX:  true,
}

// featured is a method of the figure: λ to choose from, and γ times the mean
// squared distance, large where nothing is learned.
type featured struct {
	name    string
	c       multilabel.GIMC
	lambdas []float64
	gamma   float64
}

var featureds = []featured{
	{"IMC-RFF", multilabel.GIMC{Map: imc.Fourier, Fixed: true}, []float64{.1, .3, 1}, .3},
	{"GIMC-LFF", multilabel.GIMC{Map: imc.Fourier}, []float64{1, 3}, .1},
	{"IMC-NYS", multilabel.GIMC{Map: imc.Nystrom, Fixed: true}, []float64{.03, .1, .3}, .5},
	{"GIMC-LNYS", multilabel.GIMC{Map: imc.Nystrom}, []float64{.1, .3}, .5},
}

func runFig55(ctx context.Context, env Env, emit func(Row)) error {
	f := env.flags()
	only := f.String("only", "", "one data set; empty: both")
	most := f.Int("most", 500, "frequencies or landmarks at most, of 50, 100, 200 and 500; with --quick 100")
	if err := env.parse(f); err != nil {
		return err
	}
	sizes := []int{50, 100, 200, 500}
	if env.Quick {
		*most = min(*most, 100)
	}
	sizes = slices.DeleteFunc(sizes, func(m int) bool { return m > *most })
	if len(sizes) == 0 {
		return &gram.ConfigError{Field: "--set most", Value: *most, Want: "at least 50"}
	}
	for _, name := range []string{"bibtex", "delicious"} {
		if *only != "" && *only != name {
			continue
		}
		train, test, ok, err := env.load(name, dataset.Options{})
		if err != nil {
			return err
		}
		for _, m := range featureds {
			if !ok || test == nil {
				emit(Row{Table: "fig-5.5", Dataset: name, Method: m.name, Metric: "P@3", Note: noData})
				continue
			}
			for _, size := range sizes {
				best, err := m.choose(ctx, env, train, size)
				if err != nil {
					return fmt.Errorf("%s: %w", m.name, err)
				}
				var got sample
				repeats := env.repeats(3, 1)
				for i := range repeats {
					model, tx, err := best.fit(ctx, env.repeat(i), train, test)
					if err != nil {
						return fmt.Errorf("%s: %w", m.name, err)
					}
					got.add(metric.PrecisionAt([]int{3}, model.Top(nil, tx, 3), test.Tags)[0], model.Stats().Seconds, 0)
				}
				emit(got.into(Row{
					Table: "fig-5.5", Dataset: name, Method: fmt.Sprintf("%s, m %d", m.name, size), Metric: "P@3",
					Series: m.name, X: float64(size), Note: notes(best.String(), counted(repeats, "repeat")),
				}))
			}
		}
	}
	return nil
}

// choose returns the settings that are best on a fifth of the rows.
func (m featured) choose(ctx context.Context, env Env, d *dataset.Set, size int) (gimcChoice, error) {
	c := m.c
	c.M, c.Steps, c.Run = size, 15, env.repeat(0)
	if c.Fixed {
		c.Steps = 0
	}
	lambdas := m.lambdas
	if env.Quick {
		lambdas = lambdas[len(lambdas)-1:]
	}
	return chooseGIMC(ctx, c, gimcGrid{lambdas: lambdas, gammas: []float64{m.gamma}, rarities: []float64{0}, folds: 1}, d)
}
