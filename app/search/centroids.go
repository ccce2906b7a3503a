package search

import (
	"math"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/kernel"
	"github.com/gramworks/gram/sparse"
	"gonum.org/v1/gonum/mat"
)

// centroidLosses returns for each row of x 0 if it has the label whose centroid is most like it, else 1. truth holds the labels of these
// rows. The centroid of a label is the sum of the training rows that have it, with length 1, and the likeness is the inner product; of
// equal ones the first label counts. train and x have the same columns.
func centroidLosses(train mat.Matrix, y *sparse.CSR, x mat.Matrix, truth *sparse.CSR) []float64 {
	from, to := gram.Of(train), gram.Of(x)
	length := lengths(from, y)
	products := gram.MakeRows[float64](to.N(), from.N())
	kernel.Against[float64](kernel.Linear{}, train).Fill(products, to)
	losses, scores := make([]float64, to.N()), make([]float64, y.D)
	for i := range losses {
		clear(scores)
		for row, v := range products.Row(i) {
			labels, _ := y.Row(row)
			for _, l := range labels {
				scores[l] += v
			}
		}
		best, most := -1, math.Inf(-1)
		for l, v := range scores {
			if length[l] > 0 && v/length[l] > most {
				best, most = l, v/length[l]
			}
		}
		losses[i] = notAmong(best, truth, i)
	}
	return losses
}

// lengths returns the length of the sum of the rows of each label.
func lengths(x gram.Samples[float64], y *sparse.CSR) []float64 {
	rows := make([][]int, y.D)
	for i := range y.N {
		labels, _ := y.Row(i)
		for _, l := range labels {
			rows[l] = append(rows[l], i)
		}
	}
	_, d := x.Dims()
	out, sum := make([]float64, y.D), make([]float64, d)
	var columns []int
	for l, of := range rows {
		for _, i := range of {
			x.Each(i, func(j int, v float64) {
				if sum[j] == 0 {
					columns = append(columns, j)
				}
				sum[j] += v
			})
		}
		var squares float64
		for _, j := range columns {
			squares += sum[j] * sum[j]
			sum[j] = 0 // a column may be listed twice
		}
		out[l], columns = math.Sqrt(squares), columns[:0]
	}
	return out
}

// topLosses returns for each row of x 0 if it has the label that m ranks first, else 1.
func topLosses(m gram.Ranker, x mat.Matrix, truth *sparse.CSR) []float64 {
	losses := make([]float64, truth.N)
	for i, top := range m.Top(nil, x, 1) {
		best := -1
		if len(top) > 0 {
			best = top[0].Label
		}
		losses[i] = notAmong(best, truth, i)
	}
	return losses
}

// notAmong returns 0 if row i of truth has the label, else 1.
func notAmong(label int, truth *sparse.CSR, i int) float64 {
	labels, _ := truth.Row(i)
	for _, l := range labels {
		if int(l) == label {
			return 0
		}
	}
	return 1
}
