package metric

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/gramworks/gram/internal/must"
	"gonum.org/v1/gonum/mat"
)

// Figures of a confusion are compared with counts by hand. A class that neither occurs nor
// is predicted does not count, and a row without a prediction counts as wrong.
func TestConfusion(t *testing.T) {
	class := []int{0, 0, 0, 0, 1, 1, 2, 2, 2}
	predicted := []int{0, 0, 1, -1, 1, 0, 2, 2, 1}
	c := NewConfusion(4)
	c.Add(predicted[:5], class[:5])
	c.Add(predicted[5:], class[5:])
	near(t, "accuracy", c.Accuracy(), 5./9)
	near(t, "balanced accuracy", c.BalancedAccuracy(), (2./4+1./2+2./3)/3)
	near(t, "macro F1", c.MacroF1(), (2*2./7+2*1./5+2*2./5)/3)
	for k, want := range [][3]float64{{2. / 3, 1. / 2, 4. / 7}, {1. / 3, 1. / 2, 2. / 5}, {1, 2. / 3, 4. / 5}, {0, 0, 0}} {
		near(t, fmt.Sprint("precision of ", k), c.Precision(k), want[0])
		near(t, fmt.Sprint("recall of ", k), c.Recall(k), want[1])
		near(t, fmt.Sprint("F1 of ", k), c.F1(k), want[2])
	}
	if c.Count[0][1] != 1 || c.None[0] != 1 || c.Count[2][1] != 1 || c.Actual(0) != 4 || c.Predicted(1) != 3 {
		t.Errorf("counts %v, %v", c.Count, c.None)
	}
}

// Measures of probabilities are compared with their definitions.
func TestProbabilities(t *testing.T) {
	two := mat.NewDense(2, 2, []float64{.5, .5, .25, .75})
	near(t, "log loss", LogLoss(two, []int{1, 0}), (math.Log(2)+math.Log(4))/2)
	near(t, "Brier score of two classes", Brier(two, []int{1, 0}), (.25+.5625)/2)
	three := mat.NewDense(2, 3, []float64{.2, .3, .5, 1, 0, 0})
	near(t, "log loss of three classes", LogLoss(three, []int{1, 0}), -math.Log(.3)/2)
	near(t, "Brier score of three classes", Brier(three, []int{1, 0}), (.04+.49+.25)/2)
	near(t, "log loss of an impossible row", LogLoss(three.Slice(1, 2, 0, 3).(*mat.Dense), []int{2}), -math.Log(1e-15))
	if v := LogLoss(mat.NewDense(1, 2, []float64{math.NaN(), math.NaN()}), []int{0}); v == v {
		t.Errorf("the log loss of NaN is %v", v)
	}

	// Rows in two of four bins: .5–.75 with mean .6 of which one of two is right, and the
	// last with mean .9, all right.
	p := mat.NewDense(4, 2, []float64{.4, .6, .6, .4, .1, .9, .9, .1})
	near(t, "calibration error", CalibrationError(p, []int{1, 1, 1, 0}, 4), (2*math.Abs(.5-.6)+2*math.Abs(1-.9))/4)
	r := NewReliability([]float64{0, .1, .5, 1}, []bool{false, true, true, true}, 2)
	near(t, "mean of the second bin", r.Mean[1], .75)
	near(t, "frequency of the first bin", r.Frequency[0], .5)
	near(t, "error", r.Error(), (2*.45+2*.25)/4)

	// Probabilities by which the classes are drawn are calibrated.
	g := rand.New(rand.NewPCG(3, 3))
	const n = 20000
	drawn, class := mat.NewDense(n, 2, nil), make([]int, n)
	for i := range n {
		v := g.Float64()
		drawn.SetRow(i, []float64{1 - v, v})
		if g.Float64() < v {
			class[i] = 1
		}
	}
	if e := CalibrationError(drawn, class, 15); !(e < .02) {
		t.Errorf("calibration error %v of true probabilities", e)
	}
}

// The curves have the areas that AUC and AveragePrecision say, also with equal scores.
func TestCurves(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 5))
	for range 20 {
		n := 3 + r.IntN(30)
		s, pos := make([]float64, n), make([]bool, n)
		for i := range n {
			s[i], pos[i] = float64(r.IntN(8)), r.IntN(2) == 0
		}
		pos[0], pos[1] = true, false
		c := ROC(s, pos)
		var area float64
		for i := 1; i < len(c.X); i++ {
			area += (c.X[i] - c.X[i-1]) * (c.Y[i] + c.Y[i-1]) / 2
		}
		near(t, "area under the ROC curve", area, AUC(s, pos))
		if last := len(c.X) - 1; c.X[0] != 0 || c.Y[0] != 0 || c.X[last] != 1 || c.Y[last] != 1 {
			t.Errorf("the curve is %v", c)
		}
		// Average precision by the definition, over all thresholds.
		var want, recall float64
		for v := 7.; v >= 0; v-- {
			var hit, all, total float64
			for i := range n {
				if pos[i] {
					total++
				}
				if s[i] >= v {
					all++
					if pos[i] {
						hit++
					}
				}
			}
			if all > 0 {
				want += (hit/total - recall) * hit / all
				recall = hit / total
			}
		}
		near(t, "average precision", AveragePrecision(s, pos), want)
	}
	if c := ROC([]float64{1, math.NaN()}, []bool{true, false}); len(c.X) != 0 || AUC([]float64{1, math.NaN()}, []bool{true, false}) == 0 {
		t.Errorf("a curve of NaN: %v", c)
	}
}

// Every measure says of perfect predictions that nothing is better, and errors name the
// measures of the kind that is asked for.
func TestMeasures(t *testing.T) {
	class := []int{0, 1, 2, 1}
	a := Answers{Class: class, Classes: 3, Predicted: class, Scores: mat.NewDense(4, 3, nil), Probability: mat.NewDense(4, 3, nil), Target: []float64{1, 2, 3}, Value: []float64{1, 2, 3}}
	for i, c := range class {
		a.Scores.Set(i, c, 1)
		a.Probability.Set(i, c, 1)
	}
	seen := map[string]bool{}
	for _, m := range Measures() {
		if seen[m.Name] || m.Summary == "" {
			t.Errorf("measure %q", m.Name)
		}
		seen[m.Name] = true
		if m.Needs == NeedTop {
			continue
		}
		want := 0.
		if m.Larger {
			want = 1
		}
		near(t, m.Name, m.Of(a), want)
	}
	a.Scores.Set(0, 1, 2) // the largest score of class 1 belongs to class 0
	near(t, "auc", must.Have(Find("auc"))(t).Of(a), (1+.5+1)/3.)
	if _, err := Find("acuracy", NeedClass); err == nil || err.Error() == "" {
		t.Error("a measure that does not exist")
	}
	if _, err := Find("rmse", NeedClass); err == nil {
		t.Error("rmse is a measure of classes")
	}
}
