package metric

import (
	"cmp"
	"math"
	"slices"
)

// Curve is a sequence of points, one for each threshold of the score. ROC has the false
// positive rate in X and the true positive rate in Y, PrecisionRecall the recall in X and
// the precision in Y.
type Curve struct{ X, Y []float64 }

// descending calls use for every distinct score, the largest first, with the numbers of
// positive and of other rows that have this score or a larger one. It returns the numbers
// of all of them; ok is false if a score is NaN.
func descending(score []float64, positive []bool, use func(pos, neg float64)) (pos, neg float64, ok bool) {
	same(score, positive)
	order := make([]int, len(score))
	for i, v := range score {
		if v != v {
			return 0, 0, false
		}
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(score[b], score[a]) })
	for k, i := range order {
		if positive[i] {
			pos++
		} else {
			neg++
		}
		if k+1 == len(order) || score[order[k+1]] != score[i] {
			use(pos, neg)
		}
	}
	return pos, neg, true
}

// ROC returns the receiver operating characteristic: for each threshold the fraction of
// the other rows and of the positive rows whose score reaches it, from (0, 0) to (1, 1).
// The rates of a class that does not occur are NaN. The curve is empty if a score is NaN.
func ROC(score []float64, positive []bool) Curve {
	c := Curve{X: []float64{0}, Y: []float64{0}}
	pos, neg, ok := descending(score, positive, func(pos, neg float64) {
		c.X, c.Y = append(c.X, neg), append(c.Y, pos)
	})
	if !ok {
		return Curve{}
	}
	for i := range c.X {
		c.X[i] /= neg
		c.Y[i] /= pos
	}
	return c
}

// AUC returns the area under the ROC curve: the probability that a row of the
// positive class has a larger score than a row of the other class, where equal
// scores count one half. It is NaN if one of the classes does not occur or a
// score is NaN.
func AUC(score []float64, positive []bool) float64 {
	var area, lastPos, lastNeg float64
	pos, neg, ok := descending(score, positive, func(pos, neg float64) {
		area += (neg - lastNeg) * (pos + lastPos) / 2
		lastPos, lastNeg = pos, neg
	})
	if !ok {
		return math.NaN()
	}
	return area / (pos * neg)
}

// PrecisionRecall returns, for each threshold, the fraction of the positive rows whose
// score reaches it and the fraction of positive rows among all that reach it, in order of
// ascending recall. The curve is empty if a score is NaN.
func PrecisionRecall(score []float64, positive []bool) Curve {
	var c Curve
	pos, _, ok := descending(score, positive, func(pos, neg float64) {
		c.X, c.Y = append(c.X, pos), append(c.Y, pos/(pos+neg))
	})
	if !ok {
		return Curve{}
	}
	for i := range c.X {
		c.X[i] /= pos
	}
	return c
}

// AveragePrecision returns Σ_k (R_k − R_{k−1})·P_k over the thresholds, in order of
// ascending recall R: the area under the steps of the precision-recall curve. It is NaN if
// there is no positive row or a score is NaN.
func AveragePrecision(score []float64, positive []bool) float64 {
	c := PrecisionRecall(score, positive)
	if c.X == nil {
		return math.NaN()
	}
	var sum, last float64
	for i, r := range c.X {
		sum += (r - last) * c.Y[i]
		last = r
	}
	return sum
}
