package metric

import (
	"cmp"
	"math"
	"slices"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/internal/topk"
	"github.com/gramworks/gram/sparse"
	"gonum.org/v1/gonum/mat"
)

// PropensityA and PropensityB are the constants a and b that [JPV16] takes for all data sets except Wikipedia (0.5, 0.4) and Amazon
// (0.6, 2.6).
const (
	PropensityA = 0.55
	PropensityB = 1.5
)

// Propensities returns, for each label, an estimate of the probability that a row
// to which the label applies is marked with it ([JPV16] eq. 2),
//
//	p_l = 1 / (1 + C·(N_l+b)^−a),  C = (ln N − 1)·(b+1)^a,
//
// where N_l of the N rows of train have label l. labels is the number of labels,
// at least train.D. a and b are usually PropensityA and PropensityB. For N < 3,
// where C would be negative, all propensities are 1.
//
// [JPV16] H. Jain, Y. Prabhu and M. Varma. Extreme multi-label loss functions for
// recommendation, tagging, ranking & other missing label applications. KDD 2016.
func Propensities(train *sparse.CSR, labels int, a, b float64) []float64 {
	if labels < train.D {
		panic("metric: fewer labels than occur")
	}
	p := make([]float64, labels)
	train.DoNonZero(func(_, l int, _ float64) { p[l]++ })
	c := max(0, (math.Log(float64(train.N))-1)*math.Pow(b+1, a))
	for l, count := range p {
		p[l] = 1 / (1 + c*math.Pow(count+b, -a))
	}
	return p
}

// Ranking computes measures of ranked labels over any number of blocks of rows. A
// row without true labels counts with 0. Let y_r be 1 if the label in place r is
// true, else 0, and w_r = 1/p_r the reciprocal of its propensity. The measures for
// each k are
//
//	P@k     mean of Σ_{r≤k} y_r / k
//	nDCG@k  mean of Σ_{r≤k} y_r/log₂(r+1) / Z_k,  Z_k = Σ_{r≤min(k,true labels)} 1/log₂(r+1)
//	PSP@k   sum over rows of Σ_{r≤k} w_r·y_r, divided by that sum for the best rankings
//	PSnDCG@k  sum over rows of Σ_{r≤k} w_r·y_r/log₂(r+1) / Z_k, divided by that sum for the best rankings
//
// The best ranking of a row begins with its true labels in order of ascending
// propensity.
type Ranking struct {
	ks         []int
	propensity []float64
	rows       int
	hit, dcg   []float64
	ps, best   [2][]float64 // PSP, PSnDCG
}

// NewRanking returns a Ranking for the given ks. propensity has an entry for every
// label that occurs, as Propensities returns them; nil stands for ones.
func NewRanking(ks []int, propensity []float64) *Ranking {
	r := &Ranking{ks: slices.Clone(ks), propensity: propensity, hit: make([]float64, len(ks)), dcg: make([]float64, len(ks))}
	for i := range r.ps {
		r.ps[i], r.best[i] = make([]float64, len(ks)), make([]float64, len(ks))
	}
	for _, k := range ks {
		if k < 1 {
			panic("metric: k is not positive")
		}
	}
	return r
}

// Top returns the k labels with the largest scores for each row of scores, n×labels, best
// first; of equal scores the lower label. Labels whose score is −Inf or NaN are left out, so that
// the result is what the Top of the ranker gives whose scores they are.
func Top(scores *mat.Dense, k int) [][]gram.Scored {
	n, _ := scores.Dims()
	top := make([][]gram.Scored, n)
	var best topk.List
	for i := range top {
		top[i] = best.Rank(nil, scores.RawRowView(i), k)
	}
	return top
}

func (r *Ranking) weight(label int) float64 {
	if r.propensity == nil {
		return 1
	}
	return 1 / r.propensity[label]
}

// Add adds rows with their ranked labels, best first, and their true labels. If a
// row has fewer than k ranked labels, the missing ones count as wrong.
func (r *Ranking) Add(top [][]gram.Scored, truth *sparse.CSR) {
	if len(top) != truth.N {
		panic("metric: slices differ in length")
	}
	r.rows += len(top)
	var ideal []float64
	for i, labels := range top {
		own, _ := truth.Row(i)
		if len(own) == 0 {
			continue
		}
		ideal = ideal[:0]
		for _, l := range own {
			ideal = append(ideal, r.weight(int(l)))
		}
		slices.SortFunc(ideal, func(a, b float64) int { return cmp.Compare(b, a) })
		for a, k := range r.ks {
			var hit, dcg, z float64
			var ps, best [2]float64
			for place := range k {
				discount := 1 / math.Log2(float64(place+2))
				if place < len(own) {
					z += discount
					best[0] += ideal[place]
					best[1] += ideal[place] * discount
				}
				if place < len(labels) && truth.At(i, labels[place].Label) != 0 {
					w := r.weight(labels[place].Label)
					hit++
					dcg += discount
					ps[0] += w
					ps[1] += w * discount
				}
			}
			r.hit[a] += hit
			r.dcg[a] += dcg / z
			r.ps[0][a] += ps[0]
			r.best[0][a] += best[0]
			r.ps[1][a] += ps[1] / z
			r.best[1][a] += best[1] / z
		}
	}
}

// Precision returns P@k for each k, and NaN if no row was added.
func (r *Ranking) Precision() []float64 {
	out := make([]float64, len(r.ks))
	for a, k := range r.ks {
		out[a] = r.hit[a] / float64(k) / float64(r.rows)
	}
	return out
}

// NDCG returns nDCG@k for each k, and NaN if no row was added.
func (r *Ranking) NDCG() []float64 {
	out := make([]float64, len(r.ks))
	for a, v := range r.dcg {
		out[a] = v / float64(r.rows)
	}
	return out
}

// PSPrecision returns PSP@k for each k, and NaN if no row with labels was added.
func (r *Ranking) PSPrecision() []float64 { return ratio(r.ps[0], r.best[0]) }

// PSNDCG returns PSnDCG@k for each k, and NaN if no row with labels was added.
func (r *Ranking) PSNDCG() []float64 { return ratio(r.ps[1], r.best[1]) }

func ratio(a, b []float64) []float64 {
	out := make([]float64, len(a))
	for i, v := range a {
		out[i] = v / b[i]
	}
	return out
}
