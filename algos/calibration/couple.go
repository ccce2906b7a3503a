package calibration

import "math"

// coupling finds the probabilities p of k classes that fit the probabilities within pairs best
// ([WLW04] problem (21)):
//
//	min Σ_i Σ_{j≠i} (r_ji·p_i − r_ij·p_j)²,  Σ p_i = 1,  p ≥ 0,
//
// where r_ij is the probability of class i for a row that has class i or j.
type coupling struct {
	k  int
	q  []float64 // k×k
	qp []float64
}

func newCoupling(k int) *coupling { return &coupling{k, make([]float64, k*k), make([]float64, k)} }

// leastWithin is the least probability within a pair, as in LIBSVM.
const leastWithin = 1e-7

// solve sets p. within has r_ji for the pairs (i,j) in the order (0,1), (0,2), …, (1,2), …: the
// probability of the second class. They are moved into [leastWithin, 1−leastWithin] first. The minimum is
// found by [WLW04] Algorithm 2, k² operations for each step.
func (c *coupling) solve(p, within []float64) {
	k, q, qp := c.k, c.q, c.qp
	clear(q)
	f := 0
	for i := range k {
		for j := i + 1; j < k; j++ {
			second := min(max(within[f], leastWithin), 1-leastWithin) // r_ji
			first := 1 - second
			q[i*k+i] += second * second
			q[j*k+j] += first * first
			q[i*k+j] = -first * second
			q[j*k+i] = q[i*k+j]
			f++
		}
	}
	for i := range p {
		p[i] = 1 / float64(k)
	}
	// At the minimum all (Qp)_i are equal to pᵀQp.
	const maxSteps = 100_000
	for range max(100, maxSteps/k) {
		var square, worst float64
		for i := range k {
			qp[i] = 0
			for j, v := range p {
				qp[i] += q[i*k+j] * v
			}
			square += p[i] * qp[i]
		}
		for _, v := range qp {
			worst = max(worst, math.Abs(v-square))
		}
		if worst <= 1e-13 {
			break
		}
		for i := range k {
			d := (square - qp[i]) / q[i*k+i]
			p[i] += d
			square = (square + d*(d*q[i*k+i]+2*qp[i])) / (1 + d) / (1 + d)
			for j := range k {
				qp[j] = (qp[j] + d*q[i*k+j]) / (1 + d)
				p[j] /= 1 + d
			}
		}
	}
}
