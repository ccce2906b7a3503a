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
	"gonum.org/v1/gonum/stat"
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
	return rootMean(at(predicted), y)
}

// rootMean returns √(Σ(v(i)−y_i)²/n), without overflow of the squares.
func rootMean(v func(i int) float64, y []float64) float64 {
	sum, unit := differences(v, y, square)
	return unit * math.Sqrt(sum/float64(len(y)))
}

// MAE returns the mean absolute difference, in the unit of y.
func MAE(predicted, y []float64) float64 {
	same(predicted, y)
	sum, unit := differences(at(predicted), y, math.Abs)
	return unit * (sum / float64(len(y)))
}

// R2 returns one minus the sum of squared differences divided by the sum of
// squared differences of y from its mean. It is 1 for perfect predictions, 0 for
// predictions that are as good as the mean, and −Inf if y is constant and the
// predictions are wrong.
func R2(predicted, y []float64) float64 {
	same(predicted, y)
	residual, a := differences(at(predicted), y, square)
	mean := meanOf(y)
	total, b := differences(func(int) float64 { return mean }, y, square)
	return explained(residual, total, a/b)
}

// explained returns R² for sums of squares of the differences and of the values, whose units
// have the given ratio.
func explained(residual, total, ratio float64) float64 {
	if residual == 0 {
		return 1
	}
	return 1 - residual/total*ratio*ratio
}

func at(v []float64) func(i int) float64 { return func(i int) float64 { return v[i] } }

func square(d float64) float64 { return d * d }

// meanOf returns the mean of y, whose terms are divided before they are added, so that the sum does not overflow.
func meanOf(y []float64) (mean float64) {
	for _, v := range y {
		mean += v / float64(len(y))
	}
	return mean
}

// leastSum is a sum of terms from which no term is missing that matters because it was rounded to 0.
const leastSum = 0x1p-960

// differences returns Σ term((v(i)−y_i)/unit) and the unit, a power of two. The unit is 1 unless the
// sum would overflow or vanish.
func differences(v func(i int) float64, y []float64, term func(d float64) float64) (sum, unit float64) {
	unit = 1
	for i, y := range y {
		sum += term(v(i) - y)
	}
	if sum >= leastSum && sum <= math.MaxFloat64 {
		return sum, unit
	}
	var largest float64 // |v−y|/2
	for i, y := range y {
		half := math.Abs(v(i)-y) / 2
		if math.IsInf(half, 0) {
			half = math.Abs(v(i)/2 - y/2)
		}
		largest = max(largest, half)
	}
	if !(largest > 0 && largest <= math.MaxFloat64) {
		return sum, unit
	}
	_, exponent := math.Frexp(largest)
	unit, sum = math.Ldexp(1, min(exponent, 1023)), 0
	for i, y := range y {
		d := (v(i) - y) / unit
		if math.IsInf(d, 0) { // v−y overflows
			d = v(i)/unit - y/unit
		}
		sum += term(d)
	}
	return sum, unit
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

// Deviation returns the standard deviation of the values y, of which w holds the weights, nil meaning ones. It
// returns 0 for none, and for a deviation that is not a finite number: it serves as the unit of y.
func Deviation(y, w []float64) float64 {
	if sd := stat.PopStdDev(y, w); sd > 0 && !math.IsInf(sd, 0) {
		return sd
	}
	return 0
}
