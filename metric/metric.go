// Package metric measures how good predictions, rankings and clusterings are.
//
// Functions compare two slices of the same length n; another length panics, and
// so does n = 0 unless it says otherwise. All take O(n) or O(n log n).
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

// Accuracy is the fraction of rows whose predicted class is the true one. A
// class of −1, for a row that could not be predicted, is wrong.
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

// BalancedAccuracy is the mean over the classes that occur of the fraction of
// their rows that is predicted rightly.
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

// RMSE is the root of the mean of the squared differences, in the unit of y.
func RMSE(predicted, y []float64) float64 {
	same(predicted, y)
	var s float64
	for i, v := range predicted {
		s += (v - y[i]) * (v - y[i])
	}
	return math.Sqrt(s / float64(len(y)))
}

// MAE is the mean of the absolute differences, in the unit of y.
func MAE(predicted, y []float64) float64 {
	same(predicted, y)
	var s float64
	for i, v := range predicted {
		s += math.Abs(v - y[i])
	}
	return s / float64(len(y))
}

// R2 is one minus the sum of squared differences over that of the differences
// from the mean of y: 1 for perfect predictions, 0 for those that are as good as
// the mean, −Inf if y is constant and the predictions are not right.
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

// LogLoss is the mean of −log p of the true class, in nats, where p is what the
// n×1 scores of two classes (log-odds of class 1), or the n×k scores of k
// classes one against the rest, give to it: sigmoid(score), normalized to sum
// one over more than two classes. Probabilities are taken as at least 1e-15.
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

// PrecisionAt returns, for every k from 1 to len(result), the mean over rows of
// the fraction of the k best labels that are true: P@k. top has at least that
// many labels for a row, best first; where it has fewer, the missing ones count
// as wrong.
func PrecisionAt(ks []int, top [][]gram.Scored, truth *sparse.CSR) []float64 {
	if truth.N == 0 {
		panic("metric: nothing to measure")
	}
	r := NewRanking(ks, nil)
	r.Add(top, truth)
	return r.Precision()
}
