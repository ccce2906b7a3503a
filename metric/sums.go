package metric

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"
)

// Sums holds what the measures of classes and of values have to know of rows. Rows are added in
// blocks, and the sums of two sets of rows are merged, so that the measures of many rows need
// neither the rows nor their predictions in memory together. Except for what KeepScores asks for,
// the size of a Sums does not depend on the number of rows. The measures are those of all rows at
// once up to rounding.
type Sums struct {
	Rows      int64
	Confusion *Confusion // nil for values

	LogLoss, Brier float64 // summed over the rows
	// The rows by their largest probability, in the bins of the calibration error: their numbers,
	// the sums of these probabilities, and how many of the rows are of the class that has it.
	Bins Reliability

	// For predictions v of values y: the mean of |v−y|, the root of the mean of (v−y)², ȳ, and the
	// root of the mean of (y−ȳ)². None of them overflows or vanishes as sums of squares do.
	Absolute, Square, Mean, Scatter float64

	// KeepScores makes Add keep the scores and the class of every row, which measures of the order
	// of scores need: 8 bytes for each score and for the class of a row.
	KeepScores bool
	Width      int       // scores of a row
	Scores     []float64 // row by row
	Class      []int
}

// NewSums returns the sums of no rows. classes is the number of classes, 0 for values.
func NewSums(classes int) *Sums {
	s := &Sums{Bins: emptyReliability(calibrationBins)}
	if classes > 0 {
		s.Confusion = NewConfusion(classes)
	}
	return s
}

// Add adds the rows of a, which may be empty. Of Probability and Scores it uses what is there.
func (s *Sums) Add(a Answers) {
	if s.Confusion == nil {
		s.addValues(a.Value, a.Target)
		return
	}
	s.Rows += int64(len(a.Class))
	s.Confusion.Add(a.Predicted, a.Class)
	if len(a.Class) == 0 {
		return
	}
	if p := a.Probability; p != nil {
		sameRows(p, a.Class)
		s.LogLoss += logLosses(p, a.Class)
		s.Brier += brierScores(p, a.Class)
		if top, right, ok := largest(p, a.Class); ok {
			s.Bins.count(top, right)
		} else {
			s.Bins.Rows[0]++
			s.Bins.Mean[0] = math.NaN()
		}
	}
	if s.KeepScores && a.Scores != nil {
		sameRows(a.Scores, a.Class)
		_, s.Width = a.Scores.Dims()
		for i := range a.Class {
			s.Scores = append(s.Scores, a.Scores.RawRowView(i)...)
		}
		s.Class = append(s.Class, a.Class...)
	}
}

func (s *Sums) addValues(v, y []float64) {
	if len(v) == 0 && len(y) == 0 {
		return
	}
	same(v, y)
	mean := meanOf(y)
	s.mergeValues(&Sums{
		Rows: int64(len(y)), Absolute: MAE(v, y), Square: RMSE(v, y),
		Mean: mean, Scatter: rootMean(func(int) float64 { return mean }, y),
	})
}

// mergeValues adds the rows of o to those of s, the mean and the scatter by the formula of [CGL83].
//
// [CGL83] T. F. Chan, G. H. Golub and R. J. LeVeque. Algorithms for computing the sample
// variance: analysis and recommendations. The American Statistician 37, 1983.
func (s *Sums) mergeValues(o *Sums) {
	if o.Rows == 0 {
		return
	}
	all := float64(s.Rows + o.Rows)
	before, share := float64(s.Rows)/all, float64(o.Rows)/all
	a, b := math.Sqrt(before), math.Sqrt(share)
	d := o.Mean - s.Mean
	s.Absolute = float64(before*s.Absolute) + float64(share*o.Absolute)
	s.Square = math.Hypot(a*s.Square, b*o.Square)
	s.Scatter = math.Hypot(math.Hypot(a*s.Scatter, b*o.Scatter), a*b*d)
	s.Mean += float64(d * share)
	s.Rows += o.Rows
}

// r2 returns R² = 1 − Σ(v−y)²/Σ(y−ȳ)²: 1 for perfect predictions, −Inf if y is constant and predictions are wrong.
func (s *Sums) r2() float64 {
	if s.Square == 0 {
		return 1
	}
	ratio := s.Square / s.Scatter
	return 1 - float64(ratio*ratio)
}

// Merge adds the rows of o, which stays as it is. Both must be for the same number of classes.
func (s *Sums) Merge(o *Sums) {
	if (s.Confusion == nil) != (o.Confusion == nil) {
		panic("metric: sums of classes and of values")
	}
	if s.Confusion == nil {
		s.mergeValues(o)
	} else {
		s.Rows += o.Rows
		s.Confusion.Merge(o.Confusion)
	}
	s.LogLoss += o.LogLoss
	s.Brier += o.Brier
	for b := range s.Bins.Rows {
		s.Bins.Rows[b] += o.Bins.Rows[b]
		s.Bins.Mean[b] += o.Bins.Mean[b]
		s.Bins.Frequency[b] += o.Bins.Frequency[b]
	}
	s.Width = max(s.Width, o.Width)
	s.Scores, s.Class = append(s.Scores, o.Scores...), append(s.Class, o.Class...)
}

// Of returns the measure m of the rows; NaN if it is not defined for them. It panics for a measure
// of label sets, and for one of scores that were not kept.
func (s *Sums) Of(m Measure) float64 {
	switch {
	case s.Rows == 0:
		return math.NaN()
	case m.sums != nil:
		return m.sums(s)
	case m.Needs != NeedScores || int64(len(s.Class)) != s.Rows:
		panic("metric: the sums have not what the measure needs")
	}
	return m.Of(Answers{Class: s.Class, Classes: len(s.Confusion.Count), Scores: mat.NewDense(len(s.Class), s.Width, slices.Clone(s.Scores))})
}
