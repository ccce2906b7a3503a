package crossval

import "math"

// Best keeps the value with the best score of all values offered; the first of equal ones
// stays. The zero Best prefers the smallest score.
type Best[T any] struct {
	Larger bool // a larger score is better
	Value  T
	Score  float64 // the score of Value
	Found  bool    // Value has been set
}

// Offer keeps v if its score is better than that of the present Value, or if there is none
// yet, and reports whether it did. It ignores a score of NaN.
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

// Choose returns the index of the best score, largest or smallest, and the first one of
// equals. It returns −1 if there are only NaN.
func Choose(scores []float64, larger bool) int {
	b := Best[int]{Larger: larger, Value: -1}
	for i, v := range scores {
		b.Offer(i, v)
	}
	return b.Value
}

// Curve collects the held-out scores of a model after each round of its training. The zero
// Curve prefers the smallest score and never stops.
type Curve struct {
	Larger   bool // a larger score is better
	Patience int  // rounds without a better score after which training should stop; 0: never
	Scores   []float64
	best     int // the number of the best round, plus one
}

// Add adds the score of the next round and reports whether training should continue.
func (c *Curve) Add(score float64) (more bool) {
	round := len(c.Scores)
	c.Scores = append(c.Scores, score)
	if !math.IsNaN(score) && (c.best == 0 || better(c.Larger, score, c.Scores[c.best-1])) {
		c.best = round + 1
	}
	return c.Patience == 0 || round-c.Best() < c.Patience
}

// Best returns the number of the first round with the best score, counted from 0, or −1 if
// all scores are NaN.
func (c *Curve) Best() int { return c.best - 1 }

// Mean returns the mean of curves for each round. A curve that ends earlier than others
// continues with its last value.
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

// Rounds returns the number of rounds that the curves of several splits recommend. The first
// score of each curve is that before training. The result is the round with the best mean,
// or 0 if that mean is not better than the first by more than the standard error of the mean
// of the differences. A single curve has no standard error, so the test is left out then.
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
