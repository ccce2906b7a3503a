package training

import (
	"context"
	"slices"
	"strings"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/calibration"
	"github.com/gramworks/gram/algos/crossval"
	"github.com/gramworks/gram/app/catalog"
	"github.com/gramworks/gram/app/encode"
	"github.com/gramworks/gram/app/pipeline"
	"github.com/gramworks/gram/dataset"
	"github.com/gramworks/gram/num/rng"
	"github.com/gramworks/gram/settings"
	"gonum.org/v1/gonum/mat"
)

// Trust says what is fitted beside a model so that its answers can be trusted.
type Trust struct {
	// Proba, if set, is the kind of map from scores to probabilities, which is fitted by
	// calibration.CrossFit.
	Proba *calibration.Kind
	// Folds is the number of parts of the cross-fitting; default 5.
	Folds int
	// Conformal is the share of the rows that are held out of the fit for intervals and sets,
	// stratified by class; at most 10 000 rows are. 0: none.
	Conformal float64
	// Adaptive makes sets of classes adaptive, which needs probabilities. It makes intervals of values of the band between two more
	// models, of the quantiles .05 and .95, which the method must have: they are wider where values scatter more.
	Adaptive bool
	// Encode says how the columns of tables become numbers.
	Encode encode.Config
	// Chosen, if set, is called with the settings NAME=VALUE that a default has chosen by folds, once
	// for each time that the method is trained; the first time is that of the model.
	Chosen func([]string)
}

// mostHeld is the number of rows that Trust.Conformal holds out at most. With them the
// coverage at level .9 has a standard deviation of .003.
const mostHeld = 10_000

// Train is the function Train for a fitter of m with the given settings NAME=VALUE, and
// fits what t asks for. The method is trained once for the model and once for each fold of
// Proba. A *gram.ConvergenceError is that of the model; those of folds are ignored.
func (t Trust) Train(ctx context.Context, m catalog.Method, given []string, d *dataset.Set, scale Scale, run gram.Run) (*pipeline.Model, error) {
	var last []string // chosen by the last fit
	train := func(ctx context.Context, d *dataset.Set, run gram.Run, given ...string) (*pipeline.Model, error) {
		f := m.New()
		if err := f.Settings().Set(given...); err != nil {
			return nil, err
		}
		p, err := Prepare{Scale: scale, Encode: t.Encode}.Train(ctx, m, f, d, run)
		if chosen, is := catalog.Chosen(f); is {
			if last = chosen; t.Chosen != nil {
				t.Chosen(chosen)
			}
		}
		return p, err
	}
	if err := t.Check(m, given, d); err != nil {
		return nil, err
	}
	if t.Proba == nil && t.Conformal == 0 {
		return train(ctx, d, run, given...)
	}
	n, _ := d.Dims()
	var held *dataset.Set
	if t.Conformal > 0 {
		share := min(t.Conformal, mostHeld/float64(max(n, 1)))
		split := crossval.Share(n, share, d.Labels.Class, rng.Derive(run.Seed, "conformal"))
		if len(split.Held) == 0 || len(split.Train) == 0 {
			return nil, settings.Refuse("conformal", t.Conformal, "a share that leaves rows to train on and rows to hold out, of %d", n)
		}
		d, held = d.Select(split.Train), d.Select(split.Held)
	}
	p, slow := train(ctx, d, run, given...)
	if p == nil || slow != nil && !crossval.Unfinished(slow) {
		return p, slow
	}
	if t.Proba != nil {
		var err error
		fold := func(ctx context.Context, d *dataset.Set, run gram.Run) (*pipeline.Model, error) {
			return train(ctx, d, run, given...)
		}
		if p.Calibration, err = t.calibrate(ctx, d, run, fold); err != nil {
			return nil, err
		}
	}
	if t.Adaptive && d.Task() == dataset.Regression {
		quiet := run
		quiet.Progress = nil
		for _, level := range []string{"0.05", "0.95"} {
			side, err := train(ctx, d, quiet, ofQuantile(slices.Concat(given, last), level)...)
			if side == nil || err != nil && !crossval.Unfinished(err) {
				return nil, err
			}
			p.Band = append(p.Band, side.Model)
		}
	}
	if held != nil {
		if err := p.Conform(held, t.Adaptive, rng.Derive(run.Seed, "adaptive")); err != nil {
			return nil, err
		}
	}
	return p, slow
}

// calibrate fits the probabilities of t.Proba to rows that are held out in folds, for each of which train
// trains the method on the others.
func (t Trust) calibrate(ctx context.Context, d *dataset.Set, run gram.Run,
	train func(ctx context.Context, d *dataset.Set, run gram.Run) (*pipeline.Model, error)) (*calibration.Map, error) {
	folds := t.Folds
	rows, _ := d.Dims()
	if folds == 0 {
		if folds = 5; rows < folds {
			return nil, settings.Refuse("rows", rows, "at least %d for probabilities, which are fitted to rows held out in %[1]d folds", folds)
		}
	}
	if folds < 2 || folds > rows {
		return nil, settings.Refuse("folds", folds, "from 2 to the number of rows, %d", rows)
	}
	splits := crossval.Folds(rows, folds, d.Labels.Class, rng.Derive(run.Seed, "calibration"))
	meter := run.Meter()
	quiet := run
	quiet.Progress = nil
	var scaled *pipeline.Model // of the fold
	done := int64(0)
	return calibration.CrossFit(ctx, *t.Proba, d.Labels, d.Weight, splits, func(ctx context.Context, split crossval.Split) (gram.Classifier, error) {
		meter.Report(gram.Event{Phase: "calibration", Done: done, Total: int64(folds)})
		done++
		var err error
		if scaled, err = train(ctx, d.Select(split.Train), quiet); scaled == nil || err != nil && !crossval.Unfinished(err) {
			return nil, err
		}
		return scaled.Model.(gram.Classifier), nil
	}, func(index []int) mat.Matrix {
		x, err := scaled.Scaled(dataset.SelectRows(d.X, index))
		if err != nil {
			panic(err) // cannot happen: the rows are of the same data
		}
		return x
	})
}

// ofQuantile returns the settings NAME=VALUE with the loss of a quantile.
func ofQuantile(given []string, level string) []string {
	out := slices.DeleteFunc(slices.Clone(given), func(s string) bool {
		name, _, _ := strings.Cut(s, "=")
		return name == "loss" || name == "level" || name == "delta"
	})
	return append(out, "loss=quantile", "level="+level)
}

// hasQuantiles reports whether the method has the loss of a quantile.
func hasQuantiles(m catalog.Method) bool {
	loss := m.New().Settings().Lookup("loss")
	return loss != nil && slices.Contains(loss.Choices, "quantile")
}

// Check is a *gram.ConfigError unless what t asks for can be fitted beside m on d.
func (t Trust) Check(m catalog.Method, given []string, d *dataset.Set) error {
	switch {
	case t.Proba == nil && t.Conformal == 0 && !t.Adaptive:
	case m.Clusters || d.Task() == dataset.MultiLabel:
		return settings.Refuse("method", m.Name, "one of classes or values, for probabilities, intervals and sets")
	case t.Proba != nil && d.Task() != dataset.Classes:
		return settings.Refuse("task", d.Task(), "classes, for probabilities")
	case !(t.Conformal >= 0 && t.Conformal < 1):
		return settings.Refuse("conformal", t.Conformal, "from 0 to below 1")
	case t.Adaptive && t.Conformal == 0:
		return settings.Refuse("adaptive", true, "false without conformal, the share of the rows that intervals and sets are made of")
	case t.Adaptive && d.Task() == dataset.Classes && t.Proba == nil:
		return settings.Refuse("adaptive", true, "false without probabilities, of which adaptive sets are made")
	case t.Adaptive && d.Task() == dataset.Regression && !hasQuantiles(m):
		return settings.Refuse("adaptive", true, "false for intervals of method %s: they are made of two quantiles, which only gbdt has (--method gbdt)", m.Name)
	case slices.ContainsFunc(given, func(s string) bool { return strings.HasPrefix(s, catalog.PairsFile+"=") }):
		return settings.Refuse(catalog.PairsFile, "given", "none beside probabilities, intervals and sets, for which parts of the data with other row numbers are trained on")
	}
	return nil
}
