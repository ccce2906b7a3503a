package training

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/calibration"
	"github.com/gramworks/gram/algos/crossval"
	"github.com/gramworks/gram/app/catalog"
	"github.com/gramworks/gram/app/encode"
	"github.com/gramworks/gram/app/pipeline"
	"github.com/gramworks/gram/dataset"
	"github.com/gramworks/gram/modelfile"
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
	// InPlace lets Train scale the rows of the data where they are, if they are dense and no other training needs them. The
	// caller reads them no more, also after an error.
	InPlace bool
	// Chosen, if set, is called with the settings NAME=VALUE that a default has chosen by folds, once for each time that the
	// method is trained; the first call is for the model, later calls are for folds.
	Chosen func([]string)
}

// mostHeld is the number of rows that Trust.Conformal holds out at most. With them the
// coverage at level .9 has a standard deviation of .003.
const mostHeld = 10_000

// Train trains method m with the given settings NAME=VALUE on d, as the function Train does, and fits what t asks for. The method
// is trained once for the model and once for each fold of Proba. A *gram.ConvergenceError of the model is returned with it; those
// of folds are ignored.
func (t Trust) Train(ctx context.Context, m catalog.Method, given []string, d *dataset.Set, scale Scale, run gram.Run) (*pipeline.Model, error) {
	p, err := t.Parts(m, given, d, scale, run.Seed)
	if err != nil {
		return nil, err
	}
	p.inPlace = (t.InPlace || p.calibration != nil) && p.Number()+p.Band() == 1
	meter := run.Meter()
	quiet := run
	quiet.Progress = nil
	return p.Join(ctx, func(k int) (*Part, error) {
		if k == 0 {
			return p.Make(ctx, 0, nil, run)
		}
		if fold := k - 1; fold < len(p.folds) {
			meter.Report(gram.Event{Phase: "calibration", Done: int64(fold), Total: int64(len(p.folds))})
		}
		return p.Make(ctx, k, p.chosen, quiet)
	})
}

// Parts are the trainings of a model together with what a Trust asks for. They may be made apart, by any processes that have the
// same rows: number 0 trains the model, then come the folds of Proba, and the last two train the band of Adaptive.
type Parts struct {
	t           Trust
	m           catalog.Method
	given       []string
	scale       Scale
	seed        uint64
	rows        *dataset.Set     // that the model is trained on
	calibration *dataset.Set     // for intervals and sets; nil: none
	folds       []crossval.Split // of rows
	band        int
	chosen      []string // by the last training of Join

	inPlace bool // rows are those of a single training, which may change them
}

// Part is the result of one training of Parts: a model, or the scores of a fold.
type Part struct {
	Model  *pipeline.Model        // nil for a fold
	Scores *mat.Dense             // of the rows that a fold holds out, in their order; see calibration.Scores
	Pairs  bool                   // the scores are those of pairs of classes
	Chosen []string               // settings that a default has chosen by folds
	Short  *gram.ConvergenceError // the training of the model stopped before its tolerance
}

// bandLevels are the levels of the two quantiles whose models make the band of adaptive intervals.
var bandLevels = []string{"0.05", "0.95"}

// Parts returns the trainings of method m with the given settings on d. It returns the error of Check, or one that says that
// there are too few rows.
func (t Trust) Parts(m catalog.Method, given []string, d *dataset.Set, scale Scale, seed uint64) (*Parts, error) {
	if err := t.Check(m, given, d); err != nil {
		return nil, err
	}
	p := &Parts{t: t, m: m, given: given, scale: scale, seed: seed, rows: d}
	if t.Conformal > 0 {
		n, _ := d.Dims()
		share := min(t.Conformal, mostHeld/float64(max(n, 1)))
		split := crossval.Share(n, share, d.Labels.Class, rng.Derive(seed, "conformal"))
		if len(split.Held) == 0 || len(split.Train) == 0 {
			return nil, settings.Refuse("conformal", t.Conformal, "a share that leaves rows to train on and rows to hold out, of %d", n)
		}
		p.rows, p.calibration = d.Select(split.Train), d.Select(split.Held)
	}
	if t.Proba != nil {
		var err error
		if p.folds, err = t.splits(p.rows, seed); err != nil {
			return nil, err
		}
	}
	if t.Adaptive && d.Task() == dataset.Regression {
		p.band = len(bandLevels)
	}
	return p, nil
}

// splits returns the folds of Proba, stratified by class: t.Folds of them, by default 5, at most one for each row.
func (t Trust) splits(d *dataset.Set, seed uint64) ([]crossval.Split, error) {
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
	return crossval.Folds(rows, folds, d.Labels.Class, rng.Derive(seed, "calibration")), nil
}

// Number returns how many trainings need no other: that of the model and those of the folds.
func (p *Parts) Number() int { return 1 + len(p.folds) }

// Band returns the number of trainings behind these, which need the settings that the model has chosen.
func (p *Parts) Band() int { return p.band }

// Make makes training k. Those of the band take the settings that the model has chosen. The part of the model may come with an error: a
// *gram.ConvergenceError, which is in Part.Short, too, or that of a context.
func (p *Parts) Make(ctx context.Context, k int, chosen []string, run gram.Run) (*Part, error) {
	run.Seed = p.seed
	rows, given, fold, inPlace := p.rows, p.given, k-1, p.inPlace
	switch {
	case k == 0:
		fold = -1
	case fold < len(p.folds):
		rows, inPlace = p.rows.Select(p.folds[fold].Train), true
	default:
		given = ofQuantile(slices.Concat(given, chosen), bandLevels[fold-len(p.folds)])
		fold = -1
	}
	f := p.m.New()
	if err := f.Settings().Set(given...); err != nil {
		return nil, err
	}
	model, err := Prepare{Scale: p.scale, Encode: p.t.Encode, inPlace: inPlace}.Train(ctx, p.m, f, rows, run)
	out := &Part{Model: model}
	if of, is := catalog.Chosen(f); is {
		if out.Chosen = of; p.t.Chosen != nil {
			p.t.Chosen(of)
		}
	}
	if k == 0 {
		errors.As(err, &out.Short)
		return out, err
	}
	if model == nil || err != nil && !crossval.Unfinished(err) {
		return nil, err
	}
	if fold >= 0 {
		x, err := model.Scaled(dataset.SelectRows(p.rows.X, p.folds[fold].Held))
		if err != nil {
			panic(err) // cannot happen: the rows are of the same data
		}
		c := model.Model.(gram.Classifier)
		out.Model, out.Scores, out.Pairs = nil, calibration.Scores(c, x), calibration.Pairs(c)
	}
	return out, nil
}

// Through is Make for the model, which fit trains in place of the method's Fitter, that it is given. The error of fit is returned as it is.
func (p *Parts) Through(ctx context.Context, run gram.Run, fit func(f catalog.Fitter, d *dataset.Set, run gram.Run) (modelfile.Model, error)) (*Part, error) {
	run.Seed = p.seed
	f := catalog.Plain(p.m.New())
	if err := f.Settings().Set(p.given...); err != nil {
		return nil, err
	}
	model, err := Prepare{Scale: p.scale, Encode: p.t.Encode}.Train(ctx, p.m, fitFunc{f, fit}, p.rows, run)
	return &Part{Model: model}, err
}

// fitFunc replaces the method Fit of a Fitter by a function.
type fitFunc struct {
	catalog.Fitter
	fit func(f catalog.Fitter, d *dataset.Set, run gram.Run) (modelfile.Model, error)
}

// Fit calls t.fit with the Fitter whose method it replaces.
func (t fitFunc) Fit(_ context.Context, d *dataset.Set, run gram.Run) (modelfile.Model, error) {
	return t.fit(t.Fitter, d, run)
}

// Join makes the model of the trainings that part returns, which is asked for each once, in their order.
func (p *Parts) Join(ctx context.Context, part func(k int) (*Part, error)) (*pipeline.Model, error) {
	first, slow := part(0)
	if first == nil || first.Model == nil || slow != nil && !crossval.Unfinished(slow) {
		if first == nil {
			return nil, slow
		}
		return first.Model, slow
	}
	m := first.Model
	p.chosen = first.Chosen
	var err error
	if len(p.folds) > 0 {
		if m.Calibration, err = p.calibrate(ctx, part); err != nil {
			return nil, err
		}
	}
	for k := range p.band {
		side, err := part(p.Number() + k)
		if err != nil {
			return nil, err
		}
		m.Band = append(m.Band, side.Model.Model)
	}
	if p.calibration != nil {
		if err := m.Conform(p.calibration, p.t.Adaptive, rng.Derive(p.seed, "adaptive")); err != nil {
			return nil, err
		}
	}
	return m, slow
}

// calibrate fits the probabilities of Proba to the scores of rows that were held out in folds.
func (p *Parts) calibrate(ctx context.Context, part func(k int) (*Part, error)) (*calibration.Map, error) {
	d, fold := p.rows, 0
	return calibration.CrossFit(ctx, *p.t.Proba, d.Labels, d.Weight, p.folds, func(context.Context, crossval.Split) (gram.Classifier, error) {
		fold++
		of, err := part(fold)
		if err != nil {
			return nil, err
		}
		return scored{of}, nil
	}, func([]int) mat.Matrix { return nil })
}

// scored is a classifier that has scored the rows that it will be asked for.
type scored struct{ part *Part }

// Scores returns the scores that were computed before.
func (s scored) Scores(*mat.Dense, mat.Matrix) *mat.Dense { return s.part.Scores }

// Values returns the scores that were computed before.
func (s scored) Values(*mat.Dense, mat.Matrix) *mat.Dense { return s.part.Scores }

// Pairs reports whether there is a score for each pair of classes instead of each class.
func (s scored) Pairs() bool { return s.part.Pairs }

// Predict panics: probabilities are fitted to scores, and nothing calls it.
func (s scored) Predict([]int, mat.Matrix) []int { panic("training: there are scores alone") }

// Classes panics: probabilities are fitted to scores, and nothing calls it.
func (s scored) Classes() []string { panic("training: there are scores alone") }

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
