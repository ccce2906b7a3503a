package crossval

import "math"

// Best keeps the first value with the best score of those offered. The zero Best looks
// for the smallest score.
type Best[T any] struct {
	Larger bool // a larger score is a better one
	Value  T
	Score  float64 // of Value
	Found  bool    // there is a Value
}

// Offer keeps v if its score is better than that of Value, or is the first, and
// reports whether it did. A NaN is no score.
func (b *Best[T]) Offer(v T, score float64) bool {
	if math.IsNaN(score) || b.Found && !better(b.Larger, score, b.Score) {
		return false
	}
	b.Value, b.Score, b.Found = v, score, true
	return true
}

// better reports whether the score a is better than b.
func better(larger bool, a, b float64) bool {
	if larger {
		return a > b
	}
	return a < b
}

// Choose returns the place of the first of the best scores, the largest or the
// smallest, and −1 if there are none but NaN.
func Choose(scores []float64, larger bool) int {
	b := Best[int]{Larger: larger, Value: -1}
	for i, v := range scores {
		b.Offer(i, v)
	}
	return b.Value
}

// Curve takes the scores on held-out data that a model has after each round of its
// training. The zero Curve looks for the smallest score and never stops.
type Curve struct {
	Larger   bool // a larger score is a better one
	Patience int  // rounds without a better score after which no more are wanted; 0: all are
	Scores   []float64
	best     int // the number of the best, plus one
}

// Add takes the score of the next round and reports whether more rounds are wanted.
func (c *Curve) Add(score float64) (more bool) {
	round := len(c.Scores)
	c.Scores = append(c.Scores, score)
	if !math.IsNaN(score) && (c.best == 0 || better(c.Larger, score, c.Scores[c.best-1])) {
		c.best = round + 1
	}
	return c.Patience == 0 || round-c.Best() < c.Patience
}

// Best returns the number of the first round with the best score, counted from 0, and
// −1 if no score was a number.
func (c *Curve) Best() int { return c.best - 1 }

// Mean returns the mean of curves, round by round; those that end earlier than others
// stay at their last value.
func Mean(curves [][]float64) []float64 {
	length := 0
	for _, c := range curves {
		length = max(length, len(c))
	}
	m := make([]float64, length)
	for i := range m {
		for _, c := range curves {
			m[i] += c[min(i, len(c)-1)] / float64(len(curves))
		}
	}
	return m
}

// Rounds returns the number of rounds after the start, which is the first score of each
// curve, that the curves of several splits speak for: where their mean is best, but 0 if
// that is better than at the start by no more than the standard error of the mean of
// the differences, which a single curve does not tell.
func Rounds(curves [][]float64, larger bool) int {
	m := Mean(curves)
	best := max(0, Choose(m, larger))
	if len(curves) == 1 {
		return best
	}
	gain := m[0] - m[best]
	n := float64(len(curves))
	var squares float64
	for _, c := range curves {
		d := c[0] - c[min(best, len(c)-1)] - gain
		squares += d * d
	}
	if !(math.Abs(gain) > math.Sqrt(squares/(n*(n-1)))) {
		return 0
	}
	return best
}
