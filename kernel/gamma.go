package kernel

import (
	"math"
	"slices"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/num/rng"
	"github.com/gramworks/gram/sparse"
	"gonum.org/v1/gonum/mat"
)

// The functions below return the widths that are commonly used for a Gaussian
// kernel when none is given. Each result is 0 < γ < ∞ for finite data that are
// not constant. For constant data, and for fewer than two rows, it is 1, since
// any γ gives the same kernel then.

// ScaleGamma returns 1/(d·v), where v is the variance of all n·d entries of x
// taken together. This is scikit-learn's gamma="scale". Cost: one pass,
// O(n·d), or O(nnz) for sparse rows.
func ScaleGamma(x mat.Matrix) float64 {
	n, d := x.Dims()
	var mean, sum, count float64
	add := func(v float64) {
		count++
		delta := v - mean
		mean += delta / count
		sum += delta * (v - mean)
	}
	s := gram.Of(x)
	if a := s.CSR(); a != nil {
		a.DoNonZero(func(_, _ int, v float64) { add(v) })
		// The zeros are a group of their own, with the mean 0.
		zeros := float64(n)*float64(d) - count
		sum += mean * mean * count * (zeros / max(1, count+zeros))
		return reciprocal(float64(d) * sum / (count + zeros))
	}
	for i := range n {
		for _, v := range s.Row(nil, i) {
			add(v)
		}
	}
	return reciprocal(float64(d) * sum / count)
}

// MeanGamma returns the reciprocal of the mean of ‖x_i−x_j‖² over all pairs i
// < j. It is computed from the variances of the columns, in O(n·d), or O(nnz +
// d) for sparse rows. [Z12].
func MeanGamma(x mat.Matrix) float64 {
	n, d := x.Dims()
	samples := gram.Of(x)
	if a := samples.CSR(); a != nil {
		return reciprocal(2 * scatter(a) / float64(n-1))
	}
	mean, sum := make([]float64, d), make([]float64, d)
	for i := range n {
		for j, v := range samples.Row(nil, i) {
			delta := v - mean[j]
			mean[j] += delta / float64(i+1)
			sum[j] += delta * (v - mean[j])
		}
	}
	var total float64
	for _, s := range sum {
		total += s
	}
	// The mean over pairs of (a−b)² is 2·Σ(a−mean)²/(n−1).
	return reciprocal(2 * total / float64(n-1))
}

// scatter returns the sum of the squared distances of a's rows from their
// mean.
func scatter(a *sparse.CSR) float64 {
	mean, count := make([]float64, a.D), make([]float64, a.D)
	a.DoNonZero(func(_, j int, v float64) {
		mean[j] += v
		count[j]++
	})
	var sum float64
	for j := range mean {
		mean[j] /= float64(a.N)
		sum += (float64(a.N) - count[j]) * mean[j] * mean[j]
	}
	a.DoNonZero(func(_, j int, v float64) { sum += (v - mean[j]) * (v - mean[j]) })
	return sum
}

// MedianGamma returns 1/(2·m²), where m is the median of ‖x_i−x_j‖ over the
// pairs i < j of up to 1000 rows drawn without replacement with the given
// seed. The width σ of the kernel is thus the median distance. Cost: O(10⁶·d).
func MedianGamma(x mat.Matrix, seed uint64) float64 {
	n, _ := x.Dims()
	rows := rng.New(seed, 0).Perm(n)
	rows = rows[:min(n, 1000)]
	a := dense64(gram.Of(x).Select(rows))
	var s []float64
	for i := range rows {
		for j := range i {
			s = append(s, squaredDistance(a.Row(i), a.Row(j)))
		}
	}
	if len(s) == 0 {
		return 1
	}
	slices.Sort(s)
	h := len(s) / 2
	m := math.Sqrt(s[h])
	if len(s)%2 == 0 {
		m = (m + math.Sqrt(s[h-1])) / 2
	}
	return reciprocal(2 * m * m)
}

// reciprocal returns 1/v if that is a usable Gamma, else 1.
func reciprocal(v float64) float64 {
	if g := 1 / v; g > 0 && !math.IsInf(g, 0) {
		return g
	}
	return 1
}
