package metric

import (
	"math"

	"gonum.org/v1/gonum/mat"
)

// Functions of probabilities take an n×k matrix with one row of k ≥ 2 probabilities for
// each of the n classes in class.

// leastProbability bounds the logarithm of a probability of 0.
const leastProbability = 1e-15

func sameRows(p *mat.Dense, class []int) {
	n, _ := p.Dims()
	same(make([]struct{}, n), class)
}

// LogLoss returns the mean of −ln p in nats, where p is the probability of the true
// class. A p below 1e-15 counts as 1e-15.
func LogLoss(probability *mat.Dense, class []int) float64 {
	sameRows(probability, class)
	return logLosses(probability, class) / float64(len(class))
}

// logLosses returns the sum of −ln p in nats over the rows, where p is the probability of the row's class and at least
// leastProbability; NaN if a p is NaN.
func logLosses(probability *mat.Dense, class []int) (s float64) {
	for i, c := range class {
		p := probability.At(i, c)
		if p != p {
			return p
		}
		s -= math.Log(max(p, leastProbability))
	}
	return s
}

// Brier returns the Brier score, the mean of Σ_c (p_c − y_c)², where y_c is 1 for the true
// class and 0 for the others. For two classes it is half of that, the mean of (p₁ − y₁)².
//
// [B50] G. W. Brier. Verification of forecasts expressed in terms of probability. Monthly
// Weather Review 78, 1950.
func Brier(probability *mat.Dense, class []int) float64 {
	sameRows(probability, class)
	return brierScores(probability, class) / float64(len(class))
}

// brierScores returns the sum of the scores of the rows.
func brierScores(probability *mat.Dense, class []int) (s float64) {
	for i, t := range class {
		for c, p := range probability.RawRowView(i) {
			if c == t {
				p--
			}
			s += p * p
		}
	}
	if _, k := probability.Dims(); k == 2 {
		s /= 2
	}
	return s
}

// Reliability compares probabilities with frequencies. Bin b of k bins holds the rows
// with a probability in [b/k, (b+1)/k); the last one also holds probability 1.
type Reliability struct {
	Rows      []int     // rows of each bin
	Mean      []float64 // mean probability of the rows of each bin; NaN for an empty bin
	Frequency []float64 // fraction of the rows of each bin for which the event is true; NaN for an empty bin
}

// NewReliability compares the probabilities of events with what happened, in the given
// number of bins ≥ 1. It panics for a probability that is not in [0, 1].
func NewReliability(probability []float64, happened []bool, bins int) Reliability {
	same(probability, happened)
	r := emptyReliability(bins)
	r.count(probability, happened)
	return r.means()
}

func emptyReliability(bins int) Reliability {
	return Reliability{make([]int, bins), make([]float64, bins), make([]float64, bins)}
}

// count adds events to the bins, which hold sums in place of means.
func (r Reliability) count(probability []float64, happened []bool) {
	bins := len(r.Rows)
	for i, p := range probability {
		if !(p >= 0 && p <= 1) {
			panic("metric: a probability is not in [0, 1]")
		}
		b := min(int(p*float64(bins)), bins-1)
		r.Rows[b]++
		r.Mean[b] += p
		if happened[i] {
			r.Frequency[b]++
		}
	}
}

// means returns the bins with means in place of sums.
func (r Reliability) means() Reliability {
	m := emptyReliability(len(r.Rows))
	for b, n := range r.Rows {
		m.Rows[b], m.Mean[b], m.Frequency[b] = n, r.Mean[b]/float64(n), r.Frequency[b]/float64(n)
	}
	return m
}

// Error returns Σ_b n_b/n·|frequency_b − mean_b|, the expected calibration error.
func (r Reliability) Error() float64 {
	var s float64
	n := 0
	for b, rows := range r.Rows {
		if rows > 0 {
			s += float64(rows) * math.Abs(r.Frequency[b]-r.Mean[b])
			n += rows
		}
	}
	return s / float64(n)
}

// CalibrationError returns the expected calibration error of the largest probability of
// each row ([GPSW17] eq. 3): with the rows divided into bins of equal width by that
// probability, the mean over the rows of the difference between the accuracy of a row's
// bin and the mean probability in it. Of equal probabilities the first counts. It is NaN
// if a row has a NaN.
//
// [GPSW17] C. Guo, G. Pleiss, Y. Sun and K. Q. Weinberger. On calibration of modern neural
// networks. ICML 2017.
func CalibrationError(probability *mat.Dense, class []int, bins int) float64 {
	sameRows(probability, class)
	top, right, ok := largest(probability, class)
	if !ok {
		return math.NaN()
	}
	return NewReliability(top, right, bins).Error()
}

// largest returns the largest probability of each row and whether the row's class has it. ok is
// false if a row has a NaN.
func largest(probability *mat.Dense, class []int) (top []float64, right []bool, ok bool) {
	top, right = make([]float64, len(class)), make([]bool, len(class))
	for i, t := range class {
		best := 0
		row := probability.RawRowView(i)
		for c, p := range row {
			if p != p {
				return nil, nil, false
			}
			if p > row[best] {
				best = c
			}
		}
		top[i], right[i] = row[best], best == t
	}
	return top, right, true
}
