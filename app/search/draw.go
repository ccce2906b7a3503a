package search

import (
	"errors"
	"slices"
	"strings"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/app/catalog"
	"github.com/gramworks/gram/app/training"
	"github.com/gramworks/gram/dataset"
	"github.com/gramworks/gram/num/rng"
	"github.com/gramworks/gram/settings"
)

// Numbers of candidates that are drawn by default: for each method without a budget, and at
// most with one.
const (
	drawnForMethod = 20
	drawnInBudget  = 2000
)

// Scales returns the scalings that are worth a trial for d, AutoScale first.
func Scales(d *dataset.Set) []training.Scale {
	if gram.CSR(d.X) != nil {
		return []training.Scale{training.AutoScale, training.NoScale, training.Unit}
	}
	return []training.Scale{training.AutoScale, training.NoScale, training.Standard, training.MinMax}
}

// searchRange is one dimension of the search space: a setting and the range its values are drawn from.
type searchRange struct {
	name string
	in   settings.Range
}

// ranges returns the settings of m that a search on d varies: those that have a range, are not
// given, and have an effect on targets of this kind, so that a plan does not refuse them.
func (s Config) ranges(m catalog.Method, d *dataset.Set) []searchRange {
	shape := s.foldShape(d)
	given := map[string]bool{}
	for _, set := range s.Settings {
		name, _, _ := strings.Cut(set, "=")
		given[name] = true
	}
	var list []searchRange
	f, err := s.fitter(trialSettings{method: m}, -1)
	if err != nil {
		return nil // Check says why
	}
	for _, set := range m.New().Settings().Settings {
		if set.Search == nil || given[set.Name] {
			continue
		}
		r := searchRange{set.Name, *set.Search}
		if u, ok := catalog.Plain(f).(catalog.InUnits); ok {
			unit := u.Unit(r.name, d)
			r.in.Low, r.in.High = r.in.Low*unit, r.in.High*unit
		}
		if slices.ContainsFunc([]float64{0, .25, .5, .75, .99}, func(u float64) bool {
			f, err := s.fitter(trialSettings{method: m, settings: []string{r.name + "=" + r.in.At(u)}}, -1)
			if err == nil {
				_, err = f.Plan(d.Task(), shape, gram.Run{})
			}
			return err == nil
		}) {
			list = append(list, r)
		}
	}
	return list
}

// Fits returns how many fits to rows of folds a search of so many methods makes at most: the product of the candidates, folds and repeats.
func (s Config) Fits(methods int) int {
	candidates := 1
	for _, c := range s.Grid {
		candidates *= len(c.Values)
	}
	if s.Grid == nil {
		candidates = s.trials(methods)
	}
	return candidates * s.Folds * max(1, s.Repeats)
}

// trials is the number of candidates that are drawn of so many methods.
func (s Config) trials(methods int) int {
	switch {
	case s.Trials > 0:
		return s.Trials
	case s.Budget > 0 && s.Halving == 0:
		return drawnInBudget
	}
	return drawnForMethod * methods
}

// draw returns the candidates of a search without a grid. Those that need more rows, columns
// or memory than there are, by their plans, are drawn again.
func (s Config) draw(d *dataset.Set) (out candidates, err error) {
	out.axis = -1
	trials := s.trials(len(s.Methods))
	scales := s.Scales
	if scales == nil {
		scales = []training.Scale{s.Scale}
	}
	shape := s.foldShape(d)
	fits := func(c trialSettings) error {
		f, err := s.fitter(c, -1)
		if err != nil {
			return err
		}
		p, err := f.Plan(d.Task(), shape, limitBeside(s.Run, d))
		if err != nil {
			return err
		}
		p.PeakBytes += copies(d)
		return s.Run.Check(p)
	}
	type source struct {
		catalog.Method
		ranges []searchRange
		scales []training.Scale
	}
	var sources []source
	var refused error // of the defaults of the first method
	for _, m := range s.Methods {
		v := source{m, s.ranges(m, d), scales}
		if m.Trees { // splits are the same at any scale
			v.scales = scales[:1]
		}
		if err := fits(trialSettings{method: m}); err == nil {
			sources = append(sources, v)
		} else if refused == nil {
			refused = err
		}
	}
	if len(sources) == 0 {
		return out, refused
	}
	seen := map[string]bool{}
	for i := range trials {
		m := sources[i%len(sources)]
		c := trialSettings{method: m.Method, scale: m.scales[0]}
		if round := i / len(sources); round > 0 {
			random := rng.New(rng.Derive(s.Seed, "search "+m.Name), uint64(round))
			for range 20 {
				c.scale, c.settings = m.scales[random.IntN(len(m.scales))], nil
				for _, r := range m.ranges {
					c.settings = append(c.settings, r.name+"="+r.in.At(random.Float64()))
				}
				if err = fits(c); err == nil && !seen[c.String()] {
					break
				}
			}
			if err != nil || seen[c.String()] { // nothing is left to draw
				continue
			}
		}
		seen[c.String()] = true
		out.all = append(out.all, c)
	}
	if len(out.all) == 0 {
		return out, errors.New("no candidate could be drawn")
	}
	for i := range out.all {
		out.paths = append(out.paths, []int{i})
	}
	return out, nil
}

// String returns the method, the scaling and the settings of the candidate, separated by blanks.
func (c trialSettings) String() string {
	return strings.Join(append([]string{c.method.Name, c.scale.String()}, c.settings...), " ")
}
