package metric

import (
	"fmt"
	"slices"
	"strings"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/settings"
	"github.com/gramworks/gram/sparse"
	"gonum.org/v1/gonum/mat"
)

// Answers are predictions for some rows together with the truth. A Measure says which
// fields it needs.
type Answers struct {
	Class       []int      // true classes
	Classes     int        // number of classes
	Predicted   []int      // predicted classes, −1 for none
	Scores      *mat.Dense // n×1 for two classes, positive for class 1, else n×classes: probabilities where there are some, as votes are not compared between rows
	Probability *mat.Dense // n×classes

	Target []float64 // true values
	Value  []float64 // predicted values

	Truth *sparse.CSR     // true labels
	Top   [][]gram.Scored // ranked labels, best first
}

// Need is a kind of prediction that a measure needs.
type Need uint8

const (
	NeedClass       Need = iota // Class, Classes and Predicted
	NeedScores                  // Class, Classes and Scores
	NeedProbability             // Class, Classes and Probability
	NeedValue                   // Target and Value
	NeedTop                     // Truth and Top
)

// Measure is a measure with a name. Of returns the measure of answers that have what Needs
// says; NaN if it is not defined for them.
type Measure struct {
	Name    string
	Summary string
	Needs   Need
	Larger  bool // a larger number is better
	K       int  // number of ranked labels that count, for NeedTop
	Of      func(a Answers) float64

	sums func(s *Sums) float64 // the same of Sums; nil: not of sums
}

// calibrationBins is the number of bins of the measure calibration_error.
const calibrationBins = 15

// Measures returns all measures that have names. The first one of each kind of target is
// what a search for settings takes by default.
func Measures() []Measure {
	confusion := func(of func(*Confusion) float64) (func(Answers) float64, func(*Sums) float64) {
		return func(a Answers) float64 {
			c := NewConfusion(a.Classes)
			c.Add(a.Predicted, a.Class)
			return of(c)
		}, func(s *Sums) float64 { return of(s.Confusion) }
	}
	f1, f1Sums := confusion((*Confusion).MacroF1)
	balanced, balancedSums := confusion((*Confusion).BalancedAccuracy)
	mean := func(of func(*Sums) float64) func(*Sums) float64 {
		return func(s *Sums) float64 { return of(s) / float64(s.Rows) }
	}
	list := []Measure{
		{Name: "accuracy", Summary: "fraction of rows predicted correctly", Needs: NeedClass, Larger: true, Of: func(a Answers) float64 { return Accuracy(a.Predicted, a.Class) }, sums: func(s *Sums) float64 { return s.Confusion.Accuracy() }},
		{Name: "macro_f1", Summary: "mean over the classes of the harmonic mean of precision and recall", Needs: NeedClass, Larger: true, Of: f1, sums: f1Sums},
		{Name: "balanced_accuracy", Summary: "mean over the classes of the fraction of their rows predicted correctly", Needs: NeedClass, Larger: true, Of: balanced, sums: balancedSums},
		{Name: "auc", Summary: "area under the ROC curve; for more than two classes the mean over the classes, each against the rest", Needs: NeedScores, Larger: true, Of: each(AUC)},
		{Name: "average_precision", Summary: "area under the precision-recall curve of the second class; for more classes the mean over all", Needs: NeedScores, Larger: true, Of: each(AveragePrecision)},
		{Name: "log_loss", Summary: "mean of minus the logarithm of the true class's probability, in nats", Needs: NeedProbability, Of: func(a Answers) float64 { return LogLoss(a.Probability, a.Class) }, sums: mean(func(s *Sums) float64 { return s.LogLoss })},
		{Name: "brier", Summary: "mean squared error of the probabilities", Needs: NeedProbability, Of: func(a Answers) float64 { return Brier(a.Probability, a.Class) }, sums: mean(func(s *Sums) float64 { return s.Brier })},
		{Name: "calibration_error", Summary: "mean difference between the largest probability and the accuracy, in 15 bins", Needs: NeedProbability, Of: func(a Answers) float64 { return CalibrationError(a.Probability, a.Class, calibrationBins) }, sums: func(s *Sums) float64 { return s.Bins.means().Error() }},
		{Name: "rmse", Summary: "root of the mean squared error", Needs: NeedValue, Of: func(a Answers) float64 { return RMSE(a.Value, a.Target) }, sums: func(s *Sums) float64 { return s.Square }},
		{Name: "mae", Summary: "mean absolute error", Needs: NeedValue, Of: func(a Answers) float64 { return MAE(a.Value, a.Target) }, sums: func(s *Sums) float64 { return s.Absolute }},
		{Name: "r2", Summary: "1 - residual / total sum of squares", Needs: NeedValue, Larger: true, Of: func(a Answers) float64 { return R2(a.Value, a.Target) }, sums: (*Sums).r2},
	}
	for _, k := range []int{1, 3, 5} {
		ranked := func(of func(*Ranking) []float64) func(Answers) float64 {
			return func(a Answers) float64 {
				r := NewRanking([]int{k}, nil)
				r.Add(a.Top, a.Truth)
				return of(r)[0]
			}
		}
		list = append(list,
			Measure{Name: fmt.Sprintf("p@%d", k), Summary: fmt.Sprintf("mean fraction of the %d best labels that are true", k), Needs: NeedTop, Larger: true, K: k, Of: ranked((*Ranking).Precision)},
			Measure{Name: fmt.Sprintf("ndcg@%d", k), Summary: fmt.Sprintf("discounted gain of the true labels among the best %d over that of the best ranking", k), Needs: NeedTop, Larger: true, K: k, Of: ranked((*Ranking).NDCG)})
	}
	return list
}

// each returns the mean of a measure of scores over the classes that have rows and do not
// have all rows; for a single score the measure of class 1.
func each(of func(score []float64, positive []bool) float64) func(Answers) float64 {
	return func(a Answers) float64 {
		n, k := a.Scores.Dims()
		score, positive := make([]float64, n), make([]bool, n)
		one := func(column, class int) float64 {
			mat.Col(score, column, a.Scores)
			for i, c := range a.Class {
				positive[i] = c == class
			}
			return of(score, positive)
		}
		if k == 1 {
			return one(0, 1)
		}
		var sum float64
		classes := 0
		for c := range k {
			if slices.Contains(a.Class, c) && slices.ContainsFunc(a.Class, func(t int) bool { return t != c }) {
				sum += one(c, c)
				classes++
			}
		}
		return sum / float64(classes)
	}
}

// Find returns the measure of that name. The error lists the names of those whose need is
// among needs, or of all if there are none given.
func Find(name string, needs ...Need) (Measure, error) {
	var names []string
	for _, m := range Measures() {
		if len(needs) > 0 && !slices.Contains(needs, m.Needs) {
			continue
		}
		if m.Name == name {
			return m, nil
		}
		names = append(names, m.Name)
	}
	return Measure{}, settings.Refuse("metric", name, "one of %s%s", strings.Join(names, ", "), settings.Hint(name, names))
}
