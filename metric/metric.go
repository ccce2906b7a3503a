// Package metric measures how good predictions, rankings and clusterings are.
//
// Functions that compare two slices need equal lengths n ≥ 1 and panic
// otherwise, unless their comment says more. All functions take O(n) or O(n log
// n) operations. Measures lists the measures that have names, by which the command and
// the search for settings find them.
package metric

import (
	"math"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/sparse"
)

func same[T, U any](a []T, b []U) {
	if len(a) != len(b) {
		panic("metric: slices differ in length")
	}
	if len(a) == 0 {
		panic("metric: nothing to measure")
	}
}

// Accuracy returns the fraction of rows whose predicted class is the true one. A
// prediction of −1, which stands for a row that could not be predicted, counts
// as wrong.
func Accuracy(predicted, class []int) float64 {
	same(predicted, class)
	right := 0
	for i, c := range predicted {
		if c == class[i] && c >= 0 {
			right++
		}
	}
	return float64(right) / float64(len(class))
}

// RMSE returns the root of the mean squared difference, in the unit of y.
func RMSE(predicted, y []float64) float64 {
	same(predicted, y)
	return math.Sqrt(squares(predicted, y) / float64(len(y)))
}

// squares returns Σ(v−y)².
func squares(predicted, y []float64) (s float64) {
	for i, v := range predicted {
		s += (v - y[i]) * (v - y[i])
	}
	return s
}

// MAE returns the mean absolute difference, in the unit of y.
func MAE(predicted, y []float64) float64 {
	same(predicted, y)
	return absolutes(predicted, y) / float64(len(y))
}

// absolutes returns Σ|v−y|.
func absolutes(predicted, y []float64) (s float64) {
	for i, v := range predicted {
		s += math.Abs(v - y[i])
	}
	return s
}

// R2 returns one minus the sum of squared differences divided by the sum of
// squared differences of y from its mean. It is 1 for perfect predictions, 0 for
// predictions that are as good as the mean, and −Inf if y is constant and the
// predictions are wrong.
func R2(predicted, y []float64) float64 {
	same(predicted, y)
	var mean float64
	for _, v := range y {
		mean += v / float64(len(y))
	}
	var num, den float64
	for i, v := range predicted {
		num += (v - y[i]) * (v - y[i])
		den += (y[i] - mean) * (y[i] - mean)
	}
	return explained(num, den)
}

// explained returns R² for sums of squares of the differences and of the values.
func explained(residual, total float64) float64 {
	if residual == 0 {
		return 1
	}
	return 1 - residual/total
}

// PrecisionAt returns P@k for every k of ks: the mean over rows of the fraction
// of the k best labels that are true. top has the labels of each row, best
// first; if there are fewer than k, the missing ones count as wrong. It panics
// if truth has no rows.
func PrecisionAt(ks []int, top [][]gram.Scored, truth *sparse.CSR) []float64 {
	if truth.N == 0 {
		panic("metric: nothing to measure")
	}
	r := NewRanking(ks, nil)
	r.Add(top, truth)
	return r.Precision()
}
