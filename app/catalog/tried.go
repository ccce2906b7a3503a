package catalog

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/crossval"
	"github.com/gramworks/gram/dataset"
	"github.com/gramworks/gram/modelfile"
	"github.com/gramworks/gram/num/rng"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
)

// A setting whose default depends on the rows is chosen, of at least fewestTried rows, in triedFolds
// folds of at most mostTried. A value must be better than those before it by betterClass of the rows, or by betterValue
// of the mean squared error, and there by more than the standard error of the difference.
const (
	fewestTried = 200
	mostTried   = 1000
	triedFolds  = 3
	betterClass = .005
	betterValue = .03
)

// fewestOfClass is the number of these rows that there must be for each class.
const fewestOfClass = 10

// mostForShape is the number of rows up to which the shape of a model, such as the leaves of its
// trees, is chosen: for many more rows than mostTried, the best shape is another one.
const mostForShape = 5 * mostTried

// open is a setting whose default is chosen, or several that are chosen together.
type open struct {
	task  dataset.Task // the task for which it is chosen, dataset.AutoTask: any
	most  int          // the number of rows up to which it is chosen; 0: any
	names []string
	words []string // of each name the values that are tried, in words; empty: another one says it
	// walks returns lists of settings NAME=VALUE, with spaces between those of several names. The
	// method's own come first; each list is then tried in its order until one is worse than those
	// before it.
	walks func(d *dataset.Set) [][]string
}

// openly is an open setting with the same lists of values for all data.
func openly(name string, task dataset.Task, words string, walks ...[]string) open {
	for _, list := range walks {
		for i, v := range list {
			list[i] = name + "=" + v
		}
	}
	return open{task: task, names: []string{name}, words: []string{words}, walks: func(*dataset.Set) [][]string { return walks }}
}

// upTo is o, chosen only for at most that many rows.
func (o open) upTo(most int) open {
	o.most = most
	return o
}

// tries returns the number of fits to all folds that the choice takes at most.
func (o open) tries() int {
	tries := 1
	for _, list := range o.walks(&dataset.Set{Value: []float64{-1, 1}}) {
		tries += len(list)
	}
	return tries
}

var (
	// triedLosses are the weights of the loss of support vector machines.
	triedLosses = openly("c", dataset.Classes, "the one of 1, 10 and 100", []string{"10"}, []string{"100"})
	// triedWidths are the widths of kernels with few landmarks.
	triedWidths = openly("gamma", dataset.AutoTask, "the one of scale, 0.3*scale, 0.1*scale and 0.03*scale", []string{"0.3*scale", "0.1*scale", "0.03*scale"})
)

// trying returns what makes the Fitters of new, with defaults for the settings that are open. They
// are chosen one after the other.
func trying(new func() Fitter, settings ...open) func() Fitter {
	return func() Fitter {
		f := &trier{Fitter: new(), new: new, open: settings}
		for _, o := range settings {
			for i, name := range o.names {
				if o.words[i] == "" {
					continue
				}
				s := f.Settings().Lookup(name)
				own := fmt.Sprintf("of fewer than %d rows %s", fewestTried, s.Default)
				if o.most > 0 {
					own = fmt.Sprintf("of fewer than %d or more than %d rows %s", fewestTried, o.most, s.Default)
				}
				s.Default = fmt.Sprintf("%s with the least error in three folds of at most %d; %s", o.words[i], mostTried, own)
			}
		}
		return f
	}
}

// trier is a Fitter that chooses settings before the fit.
type trier struct {
	Fitter
	new  func() Fitter
	open []open
	took []string // the settings NAME=VALUE that the last fit has chosen
}

// Plain returns the Fitter that takes fixed defaults for the settings that f chooses by the data, f itself if
// it chooses none.
func Plain(f Fitter) Fitter {
	if t, is := f.(*trier); is {
		return t.Fitter
	}
	return f
}

// Chosen returns the settings NAME=VALUE that f has chosen by the data in its last fit, without those that
// are as if nothing were chosen, and reports whether f chooses any.
func Chosen(f Fitter) (settings []string, chooses bool) {
	if t, is := f.(*trier); is {
		return t.took, true
	}
	return nil, false
}

// left returns what is chosen for n rows of that many classes, at most 1 for values: settings that
// are not given and matter for the task.
func (f *trier) left(n, outputs int) []open {
	classes := outputs > 1
	if n < fewestTried || classes && min(n, mostTried) < fewestOfClass*outputs {
		return nil
	}
	var left []open
	for _, o := range f.open {
		settings := f.Settings()
		given := func(name string) bool { return settings.Lookup(name).Given() }
		switch {
		case slices.ContainsFunc(o.names, given), o.task == dataset.Classes && !classes, o.task == dataset.Regression && classes:
		case o.most > 0 && n > o.most:
		case o.names[0] == "gamma" && !slices.Contains([]string{"gaussian", "laplacian"}, settings.Lookup("kernel").String()):
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
		if s.Given() && s.String() != "" { // "" is what 0 stands for: not set
			if err := out.Settings().Set(s.Name + "=" + s.String()); err != nil {
				return nil, err
			}
		}
	}
	return out, out.Settings().Set(more...)
}

// Plan is that of the method with the choice.
func (f *trier) Plan(s gram.Shape, run gram.Run) (gram.Plan, error) {
	plan := func(s gram.Shape) (gram.Plan, error) { return f.Fitter.Plan(s, run) }
	p, err := plan(s)
	left := f.left(s.N, s.Outputs)
	if err != nil || len(left) == 0 {
		return p, err
	}
	tries := 1
	for _, o := range left {
		tries += o.tries()
	}
	return choosing(p, s, fewestTried, mostTried, tries*(triedFolds-1), plan), nil
}

// Fit chooses the settings and trains the model.
func (f *trier) Fit(ctx context.Context, d *dataset.Set, run gram.Run) (modelfile.Model, error) {
	n, _ := d.Dims()
	var err error
	if f.took, err = f.choose(ctx, d, n, run); err != nil {
		return nil, err
	}
	fitter, err := f.with(f.took)
	if err != nil {
		return nil, err
	}
	return fitter.Fit(ctx, d, run)
}

// ChosenOn returns the settings NAME=VALUE that f chooses by the data for n rows, of which d holds a sample
// or all.
func ChosenOn(ctx context.Context, f Fitter, d *dataset.Set, n int, run gram.Run) ([]string, error) {
	if t, is := f.(*trier); is {
		return t.choose(ctx, d, n, run)
	}
	return nil, nil
}

// choose returns the settings that are chosen for all rows by d, which holds them or a sample of them.
func (f *trier) choose(ctx context.Context, d *dataset.Set, all int, run gram.Run) ([]string, error) {
	n, _ := d.Dims()
	left := f.left(all, d.Shape().Outputs)
	if len(left) == 0 {
		return nil, nil
	}
	seed := rng.Derive(run.Seed, "tried")
	few := d
	if n > mostTried {
		few = d.Select(dataset.Sample(n, mostTried, seed))
		n = mostTried
	}
	splits := crossval.Folds(n, triedFolds, few.Labels.Class, seed)
	quiet := run
	if quiet.Seed = seed; run.Progress != nil {
		events := int64(0) // of all fits, so that who looks at the progress can end any of them
		quiet.Progress = func(gram.Event) {
			events++
			run.Progress(gram.Event{Phase: "settings by folds", Done: events})
		}
	}
	chosen := []string{}
	least, err := f.losses(ctx, few, splits, chosen, math.Inf(1), quiet) // of the settings chosen so far
	if err != nil {
		return nil, err
	}
	for _, o := range left {
		before := chosen
		for _, walk := range o.walks(few) {
			lowest := meanOf(least) // of the walk
			for _, v := range walk {
				settings := slices.Concat(before, strings.Fields(v))
				by, err := f.losses(ctx, few, splits, settings, lowest, quiet)
				if err != nil {
					return nil, err
				}
				if clearlyLess(by, least, d.Task()) {
					chosen, least = settings, by
				}
				if mean := meanOf(by); !(mean > lowest) && by != nil {
					lowest = mean
					continue
				}
				break
			}
		}
	}
	return chosen, nil
}

// clearlyLess reports whether the losses a, of the same rows as b, are so much less that it counts.
// Losses that are nil are the largest.
func clearlyLess(a, b []float64, task dataset.Task) bool {
	switch {
	case a == nil || b == nil:
		return a != nil
	case task == dataset.Classes:
		return meanOf(a) < meanOf(b)-betterClass
	}
	less := make([]float64, len(a))
	floats.SubTo(less, b, a)
	mean, sd := stat.MeanStdDev(less, nil)
	return mean > betterValue*meanOf(b) && mean > sd/math.Sqrt(float64(len(a)))
}

// meanOf returns the mean; +Inf of none.
func meanOf(losses []float64) float64 {
	if losses == nil {
		return math.Inf(1)
	}
	return stat.Mean(losses, nil)
}

// losses returns the loss of each row, held out once, times its weight over the mean weight, in the
// order of the folds. They are nil if a fit fails, or as soon as their mean must be larger than most.
// The error is that of ctx or of the settings.
func (f *trier) losses(ctx context.Context, d *dataset.Set, splits []crossval.Split, settings []string, most float64, run gram.Run) ([]float64, error) {
	n, _ := d.Dims()
	all := float64(n)
	if d.Weight != nil {
		all = floats.Sum(d.Weight)
	}
	var out []float64
	var sum float64
	seed := run.Seed
	for fold, split := range splits {
		fitter, err := f.with(settings)
		if err != nil {
			return nil, err
		}
		run.Seed = rng.Derive(seed, fmt.Sprint(settings, fold))
		m, err := fitter.Fit(ctx, d.Select(split.Train), run)
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if large := (*gram.MemoryError)(nil); errors.As(err, &large) {
			return nil, err // more memory would choose otherwise
		}
		if m == nil || err != nil && !crossval.Unfinished(err) {
			return nil, nil // the fit to all rows says why
		}
		held := d.Select(split.Held)
		for i, v := range Losses(m, held.X, held) {
			v *= weightOf(held, i) * float64(n) / all
			sum += v
			out = append(out, v)
		}
		if sum > most*float64(n) || sum != sum {
			return nil, nil
		}
	}
	return out, nil
}

// Losses returns the squared error of each row of x, whose target d has, or 1 for a wrong class and
// 0 for the right one; nil if m predicts something else.
func Losses(m modelfile.Model, x mat.Matrix, d *dataset.Set) []float64 {
	n, _ := x.Dims()
	out := make([]float64, n)
	switch m := m.(type) {
	case gram.Classifier:
		for i, c := range m.Predict(nil, x) {
			if c != d.Labels.Class[i] {
				out[i] = 1
			}
		}
	case gram.Regressor:
		for i, v := range m.Predict(nil, x) {
			out[i] = (v - d.Value[i]) * (v - d.Value[i])
		}
	default:
		return nil
	}
	return out
}
