// Package conformal makes prediction intervals and prediction sets that hold the truth with
// a given probability, for any model and any distribution of the data, by split-conformal
// prediction ([PPVG02], [VGS05]).
//
// The model is trained on some of the rows. Each of the n other rows, the calibration rows,
// gets a score of nonconformity: how badly its true target fits the model's prediction. For
// a new row, the targets whose score is at most the ⌈(n+1)·level⌉-th smallest score of the
// calibration rows form the interval or the set. If the calibration rows and the new row are
// exchangeable, the true target is among them with a probability of at least level, and of
// at most level + 1/(n+1) if no two scores are equal. The probability is over the choice of
// all these rows; it does not hold for each row by itself. With n calibration rows the
// coverage of new rows has a standard deviation of about √(level·(1−level)/n).
//
// The scores are
//
//	values                      |y − f(x)|, so that intervals are f(x) ± q
//	values with a band          max(l(x)−y, y−u(x)), so that intervals are l(x)−q … u(x)+q ([RPC19])
//	classes with probabilities  1 − p_y(x) ([SLW19])
//	classes with scores         the largest score of another class minus that of y
//	adaptive sets               Σ p_c(x) over the classes more probable than y, plus u·p_y(x) ([RSC20])
//
// A band is that of models of two quantiles, l and u: intervals are then wider where the values scatter more, and hold the truth as often as
// the level says however good these models are. q is negative where the band is too wide.
//
// The first score for probabilities gives the smallest sets in the mean, but rows that are hard to tell apart
// get sets that hold the truth less often than easy rows. Adaptive sets are larger where the row is hard and
// hold the truth almost equally often everywhere. Their u is drawn from the uniform distribution for each row;
// here it is a hash of the seed and of the row's probabilities, so that a row has the same set whenever it is asked for.
//
// A set always holds the strongest class, also where its own score is too large: an empty set would say less, and
// coverage can only grow by this class.
//
// [PPVG02] H. Papadopoulos, K. Proedrou, V. Vovk and A. Gammerman. Inductive confidence
// machines for regression. ECML 2002.
//
// [RPC19] Y. Romano, E. Patterson and E. Candès. Conformalized quantile regression. NeurIPS 2019.
//
// [RSC20] Y. Romano, M. Sesia and E. Candès. Classification with valid and adaptive coverage.
// NeurIPS 2020.
//
// [SLW19] M. Sadinle, J. Lei and L. Wasserman. Least ambiguous set-valued classifiers with
// bounded error levels. JASA 114, 2019.
//
// [VGS05] V. Vovk, A. Gammerman and G. Shafer. Algorithmic Learning in a Random World.
// Springer, 2005.
package conformal

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/calibration"
	"github.com/gramworks/gram/modelfile"
	"github.com/gramworks/gram/num/rng"
	"github.com/gramworks/gram/settings"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// Predictor makes intervals or sets of a model's predictions. It is immutable.
type Predictor struct {
	classes     int       // 0: values
	probability bool      // classes are scored by their probabilities
	adaptive    bool      // by the sums of the more probable ones
	band        bool      // values are scored by a band
	seed        uint64    // of the draws of adaptive scores
	score       []float64 // of the calibration rows, ascending
}

// FitValues returns the predictor of intervals for a model that predicts the given values
// for rows with targets y, on which it was not trained. The error is a *gram.DataError for
// a number that is not finite.
func FitValues(predicted, y []float64) (*Predictor, error) {
	if len(predicted) != len(y) || len(y) == 0 {
		panic("conformal: predictions and targets do not belong together")
	}
	p := &Predictor{score: make([]float64, len(y))}
	for i, v := range y {
		p.score[i] = math.Abs(v - predicted[i])
	}
	return p.sorted()
}

// FitBand returns the predictor of intervals for two models that predict the band from low to high for rows with targets y, on
// which they were not trained. The error is a *gram.DataError for a number that is not finite.
func FitBand(low, high, y []float64) (*Predictor, error) {
	if len(low) != len(y) || len(high) != len(y) || len(y) == 0 {
		panic("conformal: bands and targets do not belong together")
	}
	p := &Predictor{band: true, score: make([]float64, len(y))}
	for i, v := range y {
		p.score[i] = max(low[i]-v, v-high[i])
	}
	return p.sorted()
}

// FitClasses returns the predictor of sets for a classifier that gives the n rows, on which
// it was not trained, the given n×classes strengths, as Strengths returns them. probability
// says that they are probabilities.
func FitClasses(strength *mat.Dense, class []int, probability bool) (*Predictor, error) {
	n, k := strength.Dims()
	if len(class) != n || n == 0 || k < 2 {
		panic("conformal: strengths and classes do not belong together")
	}
	p := &Predictor{classes: k, probability: probability}
	return p.calibrate(strength, class)
}

// FitAdaptive returns the predictor of adaptive sets for a classifier that gives the n rows, on which it was not trained, the
// given n×classes probabilities. class holds the true class of each row; the numbers u follow from the seed and the probabilities
// of a row. The error is a *gram.DataError for a score that is not finite.
func FitAdaptive(probability *mat.Dense, class []int, seed uint64) (*Predictor, error) {
	n, k := probability.Dims()
	if len(class) != n || n == 0 || k < 2 {
		panic("conformal: probabilities and classes do not belong together")
	}
	p := &Predictor{classes: k, probability: true, adaptive: true, seed: seed}
	return p.calibrate(probability, class)
}

// calibrate takes the scores of the rows' own classes.
func (p *Predictor) calibrate(strength *mat.Dense, class []int) (*Predictor, error) {
	p.score = make([]float64, len(class))
	all := make([]float64, p.classes)
	for i, c := range class {
		p.score[i] = p.nonconformity(all, strength.RawRowView(i))[c]
	}
	return p.sorted()
}

func (p *Predictor) sorted() (*Predictor, error) {
	for i, v := range p.score {
		if v-v != 0 {
			return nil, fmt.Errorf("calibration rows: %w", &gram.DataError{Row: i, Value: v})
		}
	}
	slices.Sort(p.score)
	return p, nil
}

// nonconformity returns the scores of all classes, in to, for the strengths of a row.
func (p *Predictor) nonconformity(to, strength []float64) []float64 {
	switch {
	case p.adaptive:
		order := make([]int, len(strength))
		for c := range order {
			order[c] = c
		}
		slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(strength[b], strength[a]) })
		above, u := 0., p.draw(strength)
		for _, c := range order {
			to[c] = above + u*strength[c]
			above += strength[c]
		}
	case p.probability:
		for c, v := range strength {
			to[c] = 1 - v
		}
	default:
		for c := range strength {
			other := math.Inf(-1)
			for o, v := range strength {
				if o != c {
					other = max(other, v) // NaN if v is
				}
			}
			to[c] = other - strength[c]
		}
	}
	return to
}

// draw returns a number of [0, 1) that depends on the seed and the strengths alone.
func (p *Predictor) draw(strength []float64) float64 {
	h := uint64(14695981039346656037)
	for _, v := range strength { // FNV-1a, a word at a time
		h = (h ^ math.Float64bits(v)) * 1099511628211
	}
	return rng.New(p.seed, h).Float64()
}

// Strengths returns the n×classes strengths of the classes for the rows of x: their
// probabilities under m or, if m is nil, their scores. A single score s of two classes gives
// −s and s. Functions of pairs give each class the sum of the values that speak for it.
func Strengths(c gram.Classifier, m *calibration.Map, x mat.Matrix) *mat.Dense {
	scores := calibration.Scores(c, x)
	if m != nil {
		return m.Probabilities(nil, scores)
	}
	n, columns := scores.Dims()
	k := len(c.Classes())
	pairs := calibration.Pairs(c)
	if n == 0 || columns > 1 && !pairs {
		return scores
	}
	out := mat.NewDense(n, k, nil)
	for i := range n {
		s, to := scores.RawRowView(i), out.RawRowView(i)
		f := 0
		for a := range k {
			for b := a + 1; b < k; b++ {
				to[a] -= s[f]
				to[b] += s[f]
				f++
			}
		}
	}
	return out
}

// Rows returns the number of calibration rows.
func (p *Predictor) Rows() int { return len(p.score) }

// Classes returns the number of classes, 0 for a predictor of intervals.
func (p *Predictor) Classes() int { return p.classes }

// Probability reports whether the strengths of classes are probabilities.
func (p *Predictor) Probability() bool { return p.probability }

// Adaptive reports whether the predictor makes adaptive sets, as FitAdaptive does.
func (p *Predictor) Adaptive() bool { return p.adaptive }

// Band reports whether the predictor widens a band, as FitBand does; Widened then returns its intervals.
func (p *Predictor) Band() bool { return p.band }

// Quantile returns the largest nonconformity of what belongs to the interval or the set for
// a level in (0, 1). It returns a *gram.ConfigError for a level that n calibration rows do
// not support, which is one above n/(n+1).
func (p *Predictor) Quantile(level float64) (float64, error) {
	n := len(p.score)
	if !(level > 0 && level < 1) {
		return 0, settings.Refuse("level", level, "above 0 and below 1")
	}
	rank := int(math.Ceil(float64(n+1)*level - 1e-9))
	if rank > n {
		return 0, settings.Refuse("level", level, "at most %.4g, for %d calibration rows", float64(n)/float64(n+1), n)
	}
	return p.score[max(rank, 1)-1], nil
}

// Intervals returns the bounds value ± q of the intervals for a level. It returns the error of Quantile for a level that is not
// possible, and it panics for a predictor of sets or of a band.
func (p *Predictor) Intervals(value []float64, level float64) (low, high []float64, err error) {
	if p.classes > 0 || p.band {
		panic("conformal: a predictor of sets or of a band has no intervals around values")
	}
	q, err := p.Quantile(level)
	if err != nil {
		return nil, nil, err
	}
	low, high = make([]float64, len(value)), make([]float64, len(value))
	for i, v := range value {
		low[i], high[i] = v-q, v+q
	}
	return low, high, nil
}

// Widened returns the bounds low − q and high + q of the intervals for a level, where low and high are the band of rows; an
// interval that would be empty is one number. It returns the error of Quantile for a level that is not possible, and it panics
// for a predictor without a band.
func (p *Predictor) Widened(low, high []float64, level float64) (from, to []float64, err error) {
	if !p.band || len(low) != len(high) {
		panic("conformal: no predictor of a band, or no band")
	}
	q, err := p.Quantile(level)
	if err != nil {
		return nil, nil, err
	}
	from, to = make([]float64, len(low)), make([]float64, len(low))
	for i := range low {
		if from[i], to[i] = low[i]-q, high[i]+q; from[i] > to[i] {
			from[i] = from[i] + (to[i]-from[i])/2
			to[i] = from[i]
		}
	}
	return from, to, nil
}

// Sets returns the set of classes of each row for a level, ascending, for the n×classes strengths of the rows. The strongest
// class, the first of equals, is in every set. Only a row with NaN has an empty set. It returns the error of Quantile for a level
// that is not possible, and it panics for a predictor of intervals.
func (p *Predictor) Sets(strength *mat.Dense, level float64) ([][]int, error) {
	n, k := strength.Dims()
	if p.classes == 0 || n > 0 && k != p.classes {
		panic("conformal: the strengths are not of the predictor's classes")
	}
	q, err := p.Quantile(level)
	if err != nil {
		return nil, err
	}
	sets, score := make([][]int, n), make([]float64, k)
	for i := range sets {
		sets[i] = []int{}
		row := strength.RawRowView(i)
		if slices.ContainsFunc(row, func(v float64) bool { return v != v }) {
			continue
		}
		strongest := floats.MaxIdx(row)
		for c, v := range p.nonconformity(score, row) {
			if c == strongest || v <= q {
				sets[i] = append(sets[i], c)
			}
		}
	}
	return sets, nil
}

// Encode writes how rows are scored, the seed and the scores of the calibration rows.
func (p *Predictor) Encode(w *modelfile.Writer) error { return modelfile.Put(w, p.form) }

// Decode reads a Predictor that Encode has written. The error says what is wrong with a damaged file.
func Decode(f *modelfile.File) (*Predictor, error) {
	return modelfile.Get(f, new(Predictor), (*Predictor).form)
}

// form lists what a file holds of the predictor. Writing and reading a file go through these same statements.
func (p *Predictor) form(x *modelfile.Exchange) {
	s := struct {
		Classes     int
		Probability bool
		Adaptive    bool   `json:",omitempty"`
		Seed        uint64 `json:",omitempty"`
		Band        bool   `json:",omitempty"`
	}{p.classes, p.probability, p.adaptive, p.seed, p.band}
	version := 1 // which older programs read
	switch {
	case x.Reading() || p.band:
		version = 3
	case p.adaptive:
		version = 2
	}
	x.Header("conformal", version, &s)
	x.Require(s.Classes == 0 && !s.Probability || s.Classes >= 2 && s.Classes <= modelfile.MaxCount, "", "a predictor for %d classes", s.Classes)
	x.Require(s.Probability || !s.Adaptive, "", "adaptive sets without probabilities")
	x.Require(s.Classes == 0 || !s.Band, "", "a band of classes")
	p.classes, p.probability, p.adaptive, p.seed, p.band = s.Classes, s.Probability, s.Adaptive, s.Seed, s.Band
	x.Float64("score", &p.score, -1)
	x.Require(len(p.score) > 0, "score", "there are no calibration rows")
	x.Require(slices.IsSorted(p.score), "score", "the scores do not ascend")
	x.Require(s.Classes > 0 || s.Band || len(p.score) == 0 || p.score[0] >= 0, "score", "a distance is negative")
}
