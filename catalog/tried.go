package catalog

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/crossval"
	"github.com/gramworks/gram/dataset"
	"github.com/gramworks/gram/internal/rng"
	"github.com/gramworks/gram/modelfile"
	"gonum.org/v1/gonum/stat"
)

// A setting whose default depends on the rows is chosen, of at least fewestTried rows, in triedFolds
// folds of at most mostTried. A value must be better than those before it by betterClass of the rows, or by betterValue
// of the mean squared error.
const (
	fewestTried = 200
	mostTried   = 1000
	triedFolds  = 3
	betterClass = .005
	betterValue = .03
)

// open is a setting whose default is chosen from a list.
type open struct {
	name   string
	task   dataset.Task                  // the task for which it is chosen, dataset.AutoTask: any
	words  string                        // the default in words
	values func(d *dataset.Set) []string // the first is that of few rows; empty: the method's own
}

// someOf is an open setting with a list of values for all data.
func someOf(name string, task dataset.Task, words string, values ...string) open {
	return open{name, task, words, func(*dataset.Set) []string { return values }}
}

var (
	// triedLosses are the weights of the loss of support vector machines.
	triedLosses = someOf("c", dataset.Classes, "the one of 1, 10 and 100", "", "10", "100")
	// triedWidths are the widths of kernels with few landmarks.
	triedWidths = someOf("gamma", dataset.AutoTask, "the one of scale, 0.3*scale, 0.1*scale and 0.03*scale", "", "0.3*scale", "0.1*scale", "0.03*scale")
)

// trying returns what makes the Fitters of new, with defaults for the settings that are open. They
// are chosen one after the other.
func trying(new func() Fitter, settings ...open) func() Fitter {
	return func() Fitter {
		f := &trier{Fitter: new(), new: new, open: settings}
		for _, o := range settings {
			s := f.Settings().Lookup(o.name)
			s.Default = fmt.Sprintf("%s with the least error in three folds of at most %d; of fewer than %d rows %s", o.words, mostTried, fewestTried, s.Default)
		}
		if s, ok := f.Fitter.(continuedMap); ok {
			return mappedTrier{s, f}
		}
		return f
	}
}

// continuedMap is what the Fitters of feature maps can do.
type continuedMap interface {
	Streamed
	Kept() []string
	Continue(ctx context.Context, from modelfile.Model, d *dataset.Set, run gram.Run) (modelfile.Model, error)
}

// mappedTrier is a trier of a method with a feature map. It chooses no settings when it streams or
// goes on from a model.
type mappedTrier struct {
	continuedMap
	whole *trier
}

func (f mappedTrier) chosen() []string { return f.whole.chosen() }

// Plan is that of the fit in memory.
func (f mappedTrier) Plan(s gram.Shape) (gram.Plan, error) { return f.whole.Plan(s) }

// Fit is the fit in memory.
func (f mappedTrier) Fit(ctx context.Context, d *dataset.Set, run gram.Run) (modelfile.Model, error) {
	return f.whole.Fit(ctx, d, run)
}

// trier is a Fitter that chooses settings before the fit.
type trier struct {
	Fitter
	new  func() Fitter
	open []open
	took []string // the settings NAME=VALUE that the last fit has chosen
}

// chosen returns the settings that Fit has chosen, without those that are as if nothing were chosen.
func (f *trier) chosen() []string { return f.took }

// inUnits is that of the Fitter.
func (f *trier) inUnits(d *dataset.Set, r drawn) drawn {
	if u, ok := f.Fitter.(interface {
		inUnits(d *dataset.Set, r drawn) drawn
	}); ok {
		return u.inUnits(d, r)
	}
	return r
}

// left returns the settings that are not given and matter for the task.
func (f *trier) left(classes bool) []open {
	var left []open
	for _, o := range f.open {
		switch s := f.Settings(); {
		case s.Lookup(o.name).Given(), o.task == dataset.Classes && !classes, o.task == dataset.Regression && classes:
		case o.name == "gamma" && !slices.Contains([]string{"gaussian", "laplacian"}, s.Lookup("kernel").String()):
		default:
			left = append(left, o)
		}
	}
	return left
}

// with returns a Fitter with the settings that are given and those of more, NAME=VALUE.
func (f *trier) with(more []string) (Fitter, error) {
	out := f.new()
	for _, s := range f.Settings().Settings {
		if s.Given() {
			if err := out.Settings().Set(s.Name + "=" + s.String()); err != nil {
				return nil, err
			}
		}
	}
	return out, out.Settings().Set(more...)
}

// Plan is that of the method with the choice.
func (f *trier) Plan(s gram.Shape) (gram.Plan, error) {
	p, err := f.Fitter.Plan(s)
	left := f.left(s.Outputs > 1)
	if err != nil || len(left) == 0 {
		return p, err
	}
	const most = 4 // values of a setting
	return choosing(p, s, fewestTried, mostTried, len(left)*most*(triedFolds-1), f.Fitter.Plan), nil
}

// Fit chooses the settings and trains the model.
func (f *trier) Fit(ctx context.Context, d *dataset.Set, run gram.Run) (modelfile.Model, error) {
	left := f.left(d.Task() == dataset.Classes)
	n, _ := d.Dims()
	if len(left) == 0 || n < fewestTried {
		return f.Fitter.Fit(ctx, d, run)
	}
	seed := rng.Derive(run.Seed, "tried")
	few := d
	if n > mostTried {
		few = d.Select(dataset.Sample(n, mostTried, seed))
		n = mostTried
	}
	splits := crossval.Folds(n, triedFolds, few.Labels.Class, seed)
	quiet := run
	quiet.Progress, quiet.Seed = nil, seed
	var chosen []string
	least := math.NaN() // of the settings chosen so far
	for _, o := range left {
		best := chosen
		for i, v := range o.values(few) {
			if i == 0 && !math.IsNaN(least) {
				continue // these are the settings chosen so far
			}
			settings := slices.Clone(chosen)
			if v != "" {
				settings = append(settings, o.name+"="+v)
			}
			loss, err := f.loss(ctx, few, splits, settings, quiet)
			if err != nil {
				return nil, err
			}
			if i == 0 || clearlyLess(loss, least, d.Task()) {
				best, least = settings, loss
			}
		}
		chosen = best
	}
	fitter, err := f.with(chosen)
	if err != nil {
		return nil, err
	}
	f.took = chosen
	return fitter.Fit(ctx, d, run)
}

// clearlyLess reports whether a is so much less than b that it counts. NaN is the largest loss.
func clearlyLess(a, b float64, task dataset.Task) bool {
	if b != b {
		return a == a
	}
	if task == dataset.Classes {
		return a < b-betterClass
	}
	return a < b*(1-betterValue)
}

// loss returns the mean loss over all rows, each held out once; NaN if a fit fails. The error is
// that of ctx or of the settings.
func (f *trier) loss(ctx context.Context, d *dataset.Set, splits []crossval.Split, settings []string, run gram.Run) (float64, error) {
	var total []float64
	var weights []float64
	seed := run.Seed
	for fold, split := range splits {
		fitter, err := f.with(settings)
		if err != nil {
			return 0, err
		}
		run.Seed = rng.Derive(seed, fmt.Sprint(settings, fold))
		m, err := fitter.Fit(ctx, d.Select(split.Train), run)
		if ctx.Err() != nil {
			return 0, ctx.Err()
		}
		if m == nil || err != nil && !unfinished(err) {
			return math.NaN(), nil // the fit to all rows says why
		}
		held := d.Select(split.Held)
		total = append(total, losses(m, held.X, held)...)
		weights = append(weights, held.Weight...)
	}
	return stat.Mean(total, weights), nil
}
