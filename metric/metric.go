// Package metric measures how good predictions, rankings and clusterings are.
//
// Functions that compare two slices need equal lengths n ≥ 1 and panic
// otherwise, unless their comment says more. All functions take O(n) or O(n log
// n) operations.
package metric

import (
	"math"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/sparse"
	"gonum.org/v1/gonum/mat"
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

// BalancedAccuracy returns the mean, over the classes that occur, of the
// fraction of a class's rows that are predicted correctly.
func BalancedAccuracy(predicted, class []int) float64 {
	same(predicted, class)
	right, total := map[int]int{}, map[int]int{}
	for i, c := range class {
		total[c]++
		if predicted[i] == c {
			right[c]++
		}
	}
	var sum float64
	for c := range maxKey(total) {
		if total[c] > 0 {
			sum += float64(right[c]) / float64(total[c])
		}
	}
	return sum / float64(len(total))
}

func maxKey(m map[int]int) int {
	top := 0
	for k := range m {
		top = max(top, k+1)
	}
	return top
}

// RMSE returns the root of the mean squared difference, in the unit of y.
func RMSE(predicted, y []float64) float64 {
	same(predicted, y)
	var s float64
	for i, v := range predicted {
		s += (v - y[i]) * (v - y[i])
	}
	return math.Sqrt(s / float64(len(y)))
}

// MAE returns the mean absolute difference, in the unit of y.
func MAE(predicted, y []float64) float64 {
	same(predicted, y)
	var s float64
	for i, v := range predicted {
		s += math.Abs(v - y[i])
	}
	return s / float64(len(y))
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
	if num == 0 {
		return 1
	}
	return 1 - num/den
}

// LogLoss returns the mean of −log p in nats, where p is the probability that
// the scores give to the true class. For n×1 scores of two classes these are
// log-odds of class 1 and p is their sigmoid. For n×k scores of k classes, each
// against the rest, the sigmoids are divided by their sum. A p below 1e-15
// counts as 1e-15.
func LogLoss(scores *mat.Dense, class []int) float64 {
	n, k := scores.Dims()
	same(make([]struct{}, n), class)
	var s float64
	for i, c := range class {
		row := scores.RawRowView(i)
		var p float64
		if k == 1 {
			z := row[0]
			if c == 0 {
				z = -z
			}
			p = sigmoid(z)
		} else {
			var sum float64
			for _, z := range row {
				sum += sigmoid(z)
			}
			if p = sigmoid(row[c]); sum > 0 {
				p /= sum
			}
		}
		s -= math.Log(max(p, 1e-15))
	}
	return s / float64(n)
}

func sigmoid(z float64) float64 { return 1 / (1 + math.Exp(-z)) }

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
