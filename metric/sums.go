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

	Absolute, Square float64 // Σ|v−y| and Σ(v−y)² for predictions v of values y
	Mean, Scatter    float64 // ȳ and Σ(y−ȳ)²

	// KeepScores makes Add keep the scores and the class of every row, which measures of the order
	// of scores need: 8 bytes for each score and for the class of a row.
	KeepScores bool
	Width      int       // scores of a row
	Scores     []float64 // row by row
	Class      []int
}

// NewSums returns the sums of no rows. classes is the number of classes, 0 for values.
func NewSums(classes int) *Sums {
	s := &Sums{Bins: newReliability(calibrationBins)}
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
	var mean, scatter float64
	for _, y := range y {
		mean += y / float64(len(v))
	}
	for _, y := range y {
		scatter += (y - mean) * (y - mean)
	}
	s.Absolute += absolutes(v, y)
	s.Square += squares(v, y)
	s.spread(int64(len(v)), mean, scatter)
}

// spread makes the mean and the scatter those of more rows, too, by the formula of [CGL83].
//
// [CGL83] T. F. Chan, G. H. Golub and R. J. LeVeque. Algorithms for computing the sample
// variance: analysis and recommendations. The American Statistician 37, 1983.
func (s *Sums) spread(rows int64, mean, scatter float64) {
	if rows == 0 {
		return
	}
	before := s.Rows
	s.Rows += rows
	d, share := mean-s.Mean, float64(rows)/float64(s.Rows)
	s.Scatter += scatter + d*d*float64(before)*share
	s.Mean += d * share
}

// Merge adds the rows of o, which stays as it is. Both must be for the same number of classes.
func (s *Sums) Merge(o *Sums) {
	if (s.Confusion == nil) != (o.Confusion == nil) {
		panic("metric: sums of classes and of values")
	}
	if s.Confusion == nil {
		s.spread(o.Rows, o.Mean, o.Scatter)
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
	s.Absolute += o.Absolute
	s.Square += o.Square
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
