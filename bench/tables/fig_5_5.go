package tables

import (
	"fmt"
	"slices"

	"github.com/gramworks/gram/algos/labels/gimc"
	"github.com/gramworks/gram/algos/learned/completion"
	"github.com/gramworks/gram/dataset"
)

// featured is a method of the figure: λ to choose from, and γ times the mean
// squared distance, large where nothing is learned.
type featured struct {
	name    string
	c       gimc.Config
	lambdas []float64
	gamma   float64
}

var featureds = []featured{
	{"IMC-RFF", gimc.Config{Map: completion.Fourier, Fixed: true}, []float64{.1, .3, 1}, .3},
	{"GIMC-LFF", gimc.Config{Map: completion.Fourier}, []float64{1, 3}, .1},
	{"IMC-NYS", gimc.Config{Map: completion.Nystrom, Fixed: true}, []float64{.03, .1, .3}, .5},
	{"GIMC-LNYS", gimc.Config{Map: completion.Nystrom}, []float64{.1, .3}, .5},
}

// Figure 5.5 of [S16]: P@3 against m, the number of frequencies or landmarks,
// for features as drawn (IMC-RFF, IMC-NYS) and learned (GIMC-LFF, GIMC-LNYS). The
// paper draws curves and prints no figures; bibtex and delicious are at hand. Rows
// have length 1; learned features take the steps and all take the λ with the best
// mean of P@1, P@3 and P@5 on a fifth of the training part.
func fig55(r *run) {
	most := r.int("most", cut(r, "m at most", 500, 100), 50, "frequencies or landmarks at most, of 50, 100, 200 and 500")
	sizes := slices.DeleteFunc([]int{50, 100, 200, 500}, func(m int) bool { return m > most })
	repeats := r.repeats(3, 1)
	each(r, sets57[:2], func(s labelSet) {
		part := s.load(r)
		for _, m := range featureds {
			for _, size := range sizes {
				var best gimcChoice
				if part != nil {
					best = m.choose(r, part.Train, size)
				}
				row := Row{Dataset: s.name, Method: fmt.Sprintf("%s, m %d", m.name, size), Metric: "P@3", Series: m.name, X: float64(size)}
				r.measure(row, repeats, func(t *trial) {
					model, mapped := best.fit(r.ctx, t.Run, part)
					t.note(best.String())
					t.add(model.Stats().Seconds, 0, must(mapped.Precision(model, 3))...)
				})
			}
		}
	})
}

// choose returns the settings that are best on a fifth of the rows.
func (m featured) choose(r *run, d *dataset.Set, size int) gimcChoice {
	c := m.c
	c.M, c.Steps, c.Run = size, 15, r.repeat(0)
	if c.Fixed {
		c.Steps = 0
	}
	lambdas := cut(r, "λ of "+m.name, m.lambdas, m.lambdas[len(m.lambdas)-1:])
	return r.chooseGIMC(c, gimcGrid{lambdas: lambdas, gammas: []float64{m.gamma}, rarities: []float64{0}, folds: 1}, d)
}
