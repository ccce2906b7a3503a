package pipeline

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/calibration"
	"github.com/gramworks/gram/algos/conformal"
	"github.com/gramworks/gram/algos/multiclass"
	"github.com/gramworks/gram/dataset"
	"github.com/gramworks/gram/predict"
	"github.com/gramworks/gram/predict/approx"
	"github.com/gramworks/gram/settings"
	"gonum.org/v1/gonum/mat"
)

// Predictions are the predictions for some rows. The task of the model says which
// fields are set.
type Predictions struct {
	Class  []int           // for classes: indices into Model.Names, −1 for a row with NaN
	Scores *mat.Dense      // for classes, if asked for
	Order  *mat.Dense      // for classes, if asked for: see the function Order
	Value  []float64       // for values
	Top    [][]gram.Scored // for label sets: the best labels

	Probability *mat.Dense // for classes, if asked for: n×classes
	Low, High   []float64  // for values, if an interval is asked for: its bounds
	Set         [][]int    // for classes, if a set is asked for: its classes, ascending

	Unknown [][]int // if asked for: the columns of each row whose text was not in training
}

// Want says what to predict beside classes, values and labels.
type Want struct {
	Scores      bool    // the scores of the classes
	Order       bool    // the numbers by which measures such as the area under a curve order the rows
	Probability bool    // the probabilities of the classes
	Level       float64 // if not 0, intervals of values or sets of classes that hold the truth with this probability: of Conformal, or else of a gram.Posterior
	Top         int     // number of labels, of a model of label sets
	Unknown     bool    // the columns of each row whose text was not in training
}

// Check returns an error that says what the model would need if it does not have what is
// wanted.
func (p *Model) Check(w Want) error {
	_, classes := p.Model.(gram.Classifier)
	switch {
	case (w.Scores || w.Order) && !classes:
		return errors.New("scores are for models of classes")
	case w.Probability && !classes:
		return errors.New("probabilities are for models of classes")
	case w.Probability && p.Probabilities() == nil:
		return errors.New("the model has no probabilities; gram fit --proba stores them with it")
	case w.Level != 0 && p.Conformal == nil:
		if !p.Intervals() {
			return errors.New("the model has no intervals and no sets of classes; gram fit --conformal stores them with it")
		}
		if !(w.Level > 0 && w.Level < 1) {
			return settings.Refuse("level", w.Level, "above 0 and below 1")
		}
	case w.Level != 0:
		_, err := p.Conformal.Quantile(w.Level)
		return err
	}
	return nil
}

// Intervals reports whether there are intervals of values or sets of classes.
func (p *Model) Intervals() bool {
	_, ok := p.Model.(gram.Posterior)
	return ok || p.Conformal != nil
}

// Probabilities returns the map from the scores of the classifier to probabilities, nil if
// there is none.
func (p *Model) Probabilities() *calibration.Map {
	if p.Calibration != nil {
		return p.Calibration
	}
	if c, ok := p.Model.(calibration.Calibrated); ok {
		return c.Calibration()
	}
	return nil
}

// checkTrust returns an error unless calibration and conformal predictor fit the model.
func (p *Model) checkTrust() error {
	c, classes := p.Model.(gram.Classifier)
	if m := p.Calibration; m != nil && (!classes || m.Classes() != len(p.Names) || m.Pairs() != calibration.Pairs(c)) {
		return errors.New("the calibration is not for the model's scores")
	}
	f := p.Conformal
	if band := f != nil && f.Band(); len(p.Band) != map[bool]int{true: 2}[band] {
		return errors.New("there is a band without models of its sides, or the other way round")
	}
	if f == nil {
		return nil
	}
	for _, side := range p.Band {
		_, values := side.(gram.Regressor)
		if d, is := side.(interface{ Dim() int }); !values || !is || d.Dim() != p.Width() {
			return errors.New("the models of the band are not for the rows of the model")
		}
	}
	_, values := p.Model.(gram.Regressor)
	switch {
	case classes && f.Classes() != len(p.Names), !classes && (!values || f.Classes() > 0):
		return errors.New("the conformal predictor is not for what the model predicts")
	case f.Probability() && p.Probabilities() == nil:
		return errors.New("the conformal predictor needs probabilities, which the model does not have")
	}
	return nil
}

// Predict scales the rows of x and predicts them. top is the number of labels per
// row for a model of label sets. It returns an error that states both numbers if
// x has another number of columns than the training data.
func (p *Model) Predict(x mat.Matrix, scores bool, top int) (Predictions, error) {
	_, classes := p.Model.(gram.Classifier)
	return p.Answer(x, Want{Scores: scores && classes, Top: top})
}

// Answer scales the rows of x and predicts them with what is wanted. It returns the error of Check if the model does not have what
// is wanted, that of Scaled if x has another number of columns than the training data, and errors of the conformal predictor.
func (p *Model) Answer(x mat.Matrix, w Want) (Predictions, error) {
	if err := p.Check(w); err != nil {
		return Predictions{}, err
	}
	raw := x
	x, err := p.Scaled(x)
	if err != nil {
		return Predictions{}, err
	}
	out, err := p.answer(x, w)
	if w.Unknown && err == nil {
		out.Unknown = p.unknown(raw)
	}
	return out, err
}

// unknown returns the categories of each row of x that have dataset.UnknownLevel.
func (p *Model) unknown(x mat.Matrix) [][]int {
	n, _ := x.Dims()
	columns := make([][]int, n)
	if p.Schema == nil {
		return columns
	}
	for j, c := range p.Schema.Columns {
		for i := 0; i < n && c.Kind == dataset.Category; i++ {
			if x.At(i, j) == dataset.UnknownLevel {
				columns[i] = append(columns[i], j)
			}
		}
	}
	return columns
}

// answer is Answer for scaled rows and what the model has.
func (p *Model) answer(x mat.Matrix, w Want) (out Predictions, err error) {
	if m, ok := p.Model.(fallible); ok {
		return p.evaluate(m, x, w)
	}
	switch m := p.Model.(type) {
	case gram.Classifier:
		out.Class = m.Predict(nil, x)
		if w.Scores {
			out.Scores = m.Scores(nil, x)
		}
		if w.Order {
			out.Order = Order(m, p.Probabilities(), x)
		}
		if w.Probability {
			out.Probability = p.Probabilities().Probabilities(nil, calibration.Scores(m, x))
		}
		if w.Level != 0 {
			out.Set, err = p.Conformal.Sets(p.strengths(m, x), w.Level)
		}
	case gram.Regressor:
		out.Value = m.Predict(nil, x)
		switch {
		case w.Level == 0:
		case p.Band != nil:
			low, high := p.band(x)
			out.Low, out.High, err = p.Conformal.Widened(low, high, w.Level)
		case p.Conformal != nil:
			out.Low, out.High, err = p.Conformal.Intervals(out.Value, w.Level)
		default:
			out.Low, out.High = normal(m.(gram.Posterior), out.Value, x, w.Level)
		}
	case gram.Ranker:
		out.Top = m.Top(nil, x, w.Top)
	default:
		return out, fmt.Errorf("models of method %s do not predict", p.Method)
	}
	return out, err
}

// fallible is a classifier or a model of values that reads files when it predicts. Evaluate returns
// the scores or the values.
type fallible interface {
	Evaluate(dst *mat.Dense, x mat.Matrix) (*mat.Dense, error)
}

// evaluate is Answer for scaled rows and a model whose files may be unreadable. It has neither
// probabilities nor intervals.
func (p *Model) evaluate(m fallible, x mat.Matrix, w Want) (out Predictions, err error) {
	if w.Probability || w.Level != 0 {
		return out, fmt.Errorf("models of method %s have neither probabilities nor intervals", p.Method)
	}
	v, err := m.Evaluate(nil, x)
	if err != nil {
		return out, err
	}
	n, _ := x.Dims()
	if p.Task != dataset.Classes {
		out.Value = mat.Col(nil, 0, v)
		return out, nil
	}
	for i := range n {
		out.Class = append(out.Class, multiclass.Decide(v.RawRowView(i)))
	}
	if w.Scores {
		out.Scores = v
	}
	if w.Order {
		out.Order = v
	}
	return out, nil
}

// Order returns the numbers by which each class, against the rest, orders the rows of x: of more than two classes
// the probabilities under m, unless m is nil, and else the scores. Scores of many classes are often votes, or are
// not compared between rows.
func Order(c gram.Classifier, m *calibration.Map, x mat.Matrix) *mat.Dense {
	if m != nil && len(c.Classes()) > 2 {
		return m.Probabilities(nil, calibration.Scores(c, x))
	}
	return c.Scores(nil, x)
}

// normal returns the bounds between which a normal target lies with the given probability.
func normal(m gram.Posterior, mean []float64, x mat.Matrix, level float64) (low, high []float64) {
	variance, noise := m.Variance(nil, x), m.Noise()
	low, high = make([]float64, len(mean)), make([]float64, len(mean))
	for i, v := range mean {
		q := math.Sqrt2 * math.Erfinv(level) * math.Sqrt(variance[i]+noise)
		low[i], high[i] = v-q, v+q
	}
	return low, high
}

// band returns the predictions of the models of the band for scaled rows.
func (p *Model) band(x mat.Matrix) (low, high []float64) {
	return p.Band[0].(gram.Regressor).Predict(nil, x), p.Band[1].(gram.Regressor).Predict(nil, x)
}

// Conform fits the predictor p.Conformal to the rows of d, on which p must not have been trained. Their columns are not scaled,
// and d.Labels.Names must be p.Names. Adaptive sets need p.Probabilities and draw from the seed; adaptive intervals need p.Band,
// which other intervals remove. The predictor replaces one that p had; an error changes nothing. Conform must not run while p predicts.
func (p *Model) Conform(d *dataset.Set, adaptive bool, seed uint64) error {
	x, err := p.Scaled(d.X)
	if err != nil {
		return err
	}
	var fitted *conformal.Predictor
	band := p.Band
	switch m := p.Model.(type) {
	case gram.Classifier:
		if !slices.Equal(d.Labels.Names, p.Names) {
			return errClasses
		}
		probabilities := p.Probabilities()
		if adaptive && probabilities == nil {
			return settings.Refuse("adaptive", true, "probabilities, of which adaptive sets are made")
		}
		strength := conformal.Strengths(m, probabilities, x)
		if adaptive {
			fitted, err = conformal.FitAdaptive(strength, d.Labels.Class, seed)
			break
		}
		fitted, err = conformal.FitClasses(strength, d.Labels.Class, probabilities != nil)
	case gram.Regressor:
		if d.Value == nil {
			return settings.Refuse("task", d.Task(), "values")
		}
		if adaptive {
			if p.Band == nil {
				return settings.Refuse("adaptive", true, "models of two quantiles, of whose band intervals are made")
			}
			low, high := p.band(x)
			fitted, err = conformal.FitBand(low, high, d.Value)
			break
		}
		band = nil
		fitted, err = conformal.FitValues(m.Predict(nil, x), d.Value)
	default:
		return errors.New("pipeline: intervals and sets are for models of classes and values")
	}
	if err == nil {
		p.Conformal, p.Band = fitted, band
	}
	return err
}

// strengths returns the strengths of the classes that the conformal predictor judges.
func (p *Model) strengths(m gram.Classifier, x mat.Matrix) *mat.Dense {
	if p.Conformal.Probability() {
		return conformal.Strengths(m, p.Probabilities(), x)
	}
	return conformal.Strengths(m, nil, x)
}

// Compile returns p with its model compiled. o.Points are rows of unscaled data.
// If o names no candidates, the approximations of package approx are the
// candidates. The program keeps the model's probabilities. It keeps a conformal predictor only
// if it is exact, since the predictor is about the errors of the model itself.
func (p *Model) Compile(ctx context.Context, o predict.Options) (*Model, predict.Compiled, error) {
	if o.Points != nil {
		x, err := p.Scaled(o.Points)
		if err != nil {
			return nil, nil, err
		}
		o.Points = x
	}
	if o.Candidates == nil {
		o.Candidates = approx.Candidates()
	}
	m, err := predict.Compile(ctx, p.Model, o)
	if err != nil {
		return nil, nil, err
	}
	out := *p
	out.Method, out.Model, out.Calibration = predict.FileMethod, m, p.Probabilities()
	if m.Options().Method != predict.Exact {
		out.Conformal, out.Band = nil, nil
	}
	return &out, m, nil
}
