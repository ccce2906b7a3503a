package metric

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/internal/must"
	"github.com/gramworks/gram/sparse"
	"gonum.org/v1/gonum/mat"
)

func near(t *testing.T, what string, got, want float64) {
	t.Helper()
	if !(math.Abs(got-want) <= 1e-12) {
		t.Errorf("%s is %v, want %v", what, got, want)
	}
}

func TestPredictions(t *testing.T) {
	near(t, "accuracy", Accuracy([]int{0, 1, -1, 2}, []int{0, 1, -1, 1}), 0.5)
	p, y := []float64{1, 2, 3}, []float64{1, 4, 1}
	near(t, "RMSE", RMSE(p, y), math.Sqrt(8./3))
	near(t, "MAE", MAE(p, y), 4./3)
	near(t, "R²", R2(p, y), 1-8./6)
	near(t, "R² of the mean", R2([]float64{2, 2, 2}, y), 0)
	near(t, "R² of perfect predictions of a constant", R2([]float64{2, 2}, []float64{2, 2}), 1)
	if v := R2([]float64{2, 3}, []float64{2, 2}); !math.IsInf(v, -1) {
		t.Errorf("R² of wrong predictions of a constant is %v", v)
	}
}

// Slices of different lengths and of length 0 are refused.
func TestLengths(t *testing.T) {
	for name, f := range map[string]func(n, m int){
		"Accuracy": func(n, m int) { Accuracy(make([]int, n), make([]int, m)) },
		"AUC":      func(n, m int) { AUC(make([]float64, n), make([]bool, m)) },
		"Brier":    func(n, m int) { Brier(mat.NewDense(max(n, 1), 2, nil), make([]int, m)) },
		"RMSE":     func(n, m int) { RMSE(make([]float64, n), make([]float64, m)) },
		"MAE":      func(n, m int) { MAE(make([]float64, n), make([]float64, m)) },
		"R2":       func(n, m int) { R2(make([]float64, n), make([]float64, m)) },
		"LogLoss":  func(n, m int) { LogLoss(mat.NewDense(max(n, 1), 2, nil), make([]int, m)) },
	} {
		for _, c := range []struct {
			n, m int
			want string
		}{{2, 3, "metric: slices differ in length"}, {3, 2, "metric: slices differ in length"}, {0, 0, "metric: nothing to measure"}} {
			if (name == "LogLoss" || name == "Brier") && c.n == 0 {
				continue
			}
			if p := must.Recovered(func() { f(c.n, c.m) }); p != c.want {
				t.Errorf("%s of %d and %d: panic %v, want %q", name, c.n, c.m, p, c.want)
			}
		}
	}
}

func TestPrecisionAt(t *testing.T) {
	truth := &sparse.CSR{N: 2, D: 4, Ptr: []int{0, 2, 3}, Col: []int32{0, 2, 3}}
	top := [][]gram.Scored{{{Label: 2}, {Label: 1}, {Label: 0}}, {{Label: 3}}}
	got := PrecisionAt([]int{1, 2, 3}, top, truth)
	for i, want := range []float64{1, 0.5, 0.5} {
		near(t, fmt.Sprintf("P@%d", i+1), got[i], want)
	}
}

// The lower of equal labels comes first; what has no score is left out.
func TestTop(t *testing.T) {
	none, nan := math.Inf(-1), math.NaN()
	got := Top(mat.NewDense(3, 4, []float64{1, 3, 3, none, nan, nan, nan, nan, none, -5, math.Inf(1), nan}), 3)
	want := [][]gram.Scored{{{Label: 1, Score: 3}, {Label: 2, Score: 3}, {Label: 0, Score: 1}}, nil, {{Label: 2, Score: math.Inf(1)}, {Label: 1, Score: -5}}}
	for i := range want {
		if !slices.Equal(got[i], want[i]) {
			t.Errorf("row %d: %v, want %v", i, got[i], want[i])
		}
	}
	if got := Top(&mat.Dense{}, 2); len(got) != 0 {
		t.Errorf("%d rows of none", len(got))
	}
}

// Clusterings are compared with the definitions, over all pairs or all cells.
func TestClusterings(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for range 50 {
		n := 2 + r.IntN(30)
		a, b := make([]int, n), make([]int, n)
		for i := range n {
			a[i], b[i] = r.IntN(4)-1, r.IntN(3)
		}
		wrong := 0
		for i := range n {
			for j := range i {
				if (a[i] == a[j]) != (b[i] == b[j]) {
					wrong++
				}
			}
		}
		near(t, "pair error", PairError(a, b), float64(wrong)/float64(n*(n-1)/2))

		var info, ha, hb float64
		pure := 0
		for u := -1; u < 3; u++ {
			best := 0
			pu := part(a, u, nil, 0)
			for v := range 3 {
				pv, puv := part(b, v, nil, 0), part(a, u, b, v)
				if puv > 0 {
					info += puv * math.Log(puv/(pu*pv))
				}
				best = max(best, int(math.Round(puv*float64(n))))
			}
			pure += best
			if pu > 0 {
				ha -= pu * math.Log(pu)
			}
		}
		for v := range 3 {
			if pv := part(b, v, nil, 0); pv > 0 {
				hb -= pv * math.Log(pv)
			}
		}
		if ha > 0 && hb > 0 {
			near(t, "NMI", NMI(a, b), max(0, info)/math.Sqrt(ha*hb))
		}
		near(t, "purity", Purity(a, b), float64(pure)/float64(n))
	}
	near(t, "NMI of the same partition", NMI([]int{0, 0, 1, 2}, []int{5, 5, 3, 4}), 1)
	near(t, "NMI with one cluster", NMI([]int{0, 0, 0}, []int{0, 1, 2}), 0)
	near(t, "NMI of one cluster each", NMI([]int{0, 0}, []int{1, 1}), 1)
	near(t, "pair error of one row", PairError([]int{0}, []int{1}), 0)
}

func part(a []int, u int, b []int, v int) float64 {
	c := 0
	for i, x := range a {
		if x == u && (b == nil || b[i] == v) {
			c++
		}
	}
	return float64(c) / float64(len(a))
}

func TestAUC(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 2))
	for range 30 {
		n := 2 + r.IntN(20)
		s, pos := make([]float64, n), make([]bool, n)
		for i := range n {
			s[i], pos[i] = float64(r.IntN(5)), r.IntN(2) == 0
		}
		pos[0], pos[1] = true, false
		var num, den float64
		for i := range n {
			for j := range n {
				if pos[i] && !pos[j] {
					den++
					if s[i] > s[j] {
						num++
					} else if s[i] == s[j] {
						num += 0.5
					}
				}
			}
		}
		near(t, "AUC", AUC(s, pos), num/den)
	}
}

func TestPanics(t *testing.T) {
	for name, f := range map[string]func(){
		"lengths": func() { Accuracy([]int{1}, nil) },
		"nothing": func() { RMSE(nil, nil) },
		"k":       func() { PrecisionAt([]int{0}, [][]gram.Scored{nil}, &sparse.CSR{N: 1, D: 1, Ptr: []int{0, 0}}) },
	} {
		if must.Recovered(f) == nil {
			t.Errorf("%s: no panic", name)
		}
	}
}

func ExampleNMI() {
	found := []int{0, 0, 1, 1, 2, 2}
	class := []int{7, 7, 7, 3, 3, 3}
	fmt.Printf("NMI %.3f, purity %.3f, pair error %.3f\n", NMI(found, class), Purity(found, class), PairError(found, class))
	// Output: NMI 0.530, purity 0.833, pair error 0.333
}

// Measures of rankings are compared with their definitions, over all cells of a
// row, computed at once and in blocks.
func TestRanking(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 7))
	const n, labels = 60, 9
	truth := &sparse.CSR{N: n, D: labels, Ptr: []int{0}}
	top := make([][]gram.Scored, n)
	for i := range n {
		for l := range labels {
			if r.IntN(4) == 0 && i%7 > 0 { // some rows have no label
				truth.Col = append(truth.Col, int32(l))
			}
		}
		truth.Ptr = append(truth.Ptr, len(truth.Col))
		for _, l := range r.Perm(labels)[:i%(labels+1)] { // some rankings are shorter than k
			top[i] = append(top[i], gram.Scored{Label: l})
		}
	}
	train := &sparse.CSR{N: 4, D: 3, Ptr: []int{0, 2, 3, 4, 4}, Col: []int32{0, 2, 0, 0}}
	p := Propensities(train, labels, PropensityA, PropensityB)
	c := (math.Log(4) - 1) * math.Pow(2.5, .55)
	for l, count := range []float64{3, 0, 1, 0, 0, 0, 0, 0, 0} {
		near(t, fmt.Sprintf("propensity of label %d", l), p[l], 1/(1+c*math.Exp(-.55*math.Log(count+1.5))))
	}
	ks := []int{1, 3, 5, 12}
	whole, blocks := NewRanking(ks, p), NewRanking(ks, p)
	whole.Add(top, truth)
	for lo := 0; lo < n; lo += 7 {
		hi := min(lo+7, n)
		blocks.Add(top[lo:hi], truth.Slice(lo, hi))
	}
	dense := truth.Dense()
	for a, k := range ks {
		var precision, ndcg float64
		var ps, best [2]float64
		for i := range n {
			y := dense.RawRowView(i)
			own := 0
			for _, v := range y {
				own += int(v)
			}
			if own == 0 {
				continue
			}
			// gain sums the weights of the first k labels of an order.
			gain := func(order []int, weight func(l int) float64, discounted bool) float64 {
				var s float64
				for place, l := range order[:min(k, len(order))] {
					v := y[l] * weight(l)
					if discounted {
						v /= math.Log2(float64(place) + 2)
					}
					s += v
				}
				return s
			}
			var order, ideal []int
			for _, e := range top[i] {
				order = append(order, e.Label)
			}
			for l := range labels {
				if y[l] != 0 {
					ideal = append(ideal, l)
				}
			}
			slices.SortFunc(ideal, func(a, b int) int { return cmp.Compare(p[a], p[b]) })
			one := func(int) float64 { return 1 }
			scored := func(l int) float64 { return 1 / p[l] }
			z := gain(ideal, one, true)
			precision += gain(order, one, false) / float64(k) / n
			ndcg += gain(order, one, true) / z / n
			ps[0] += gain(order, scored, false)
			best[0] += gain(ideal, scored, false)
			ps[1] += gain(order, scored, true) / z
			best[1] += gain(ideal, scored, true) / z
		}
		for name, m := range map[string]*Ranking{"": whole, " in blocks": blocks} {
			near(t, fmt.Sprintf("P@%d%s", k, name), m.Precision()[a], precision)
			near(t, fmt.Sprintf("nDCG@%d%s", k, name), m.NDCG()[a], ndcg)
			near(t, fmt.Sprintf("PSP@%d%s", k, name), m.PSPrecision()[a], ps[0]/best[0])
			near(t, fmt.Sprintf("PSnDCG@%d%s", k, name), m.PSNDCG()[a], ps[1]/best[1])
		}
	}
	// The best ranking has 1 everywhere except in P@k.
	perfect := make([][]gram.Scored, n)
	for i := range n {
		own, _ := truth.Row(i)
		for _, l := range own {
			perfect[i] = append(perfect[i], gram.Scored{Label: int(l)})
		}
		slices.SortFunc(perfect[i], func(a, b gram.Scored) int { return cmp.Compare(p[a.Label], p[b.Label]) })
	}
	ideal := NewRanking(ks, p)
	ideal.Add(perfect, truth)
	for a := range ks {
		near(t, "PSP of the best ranking", ideal.PSPrecision()[a], 1)
		near(t, "PSnDCG of the best ranking", ideal.PSNDCG()[a], 1)
	}
}

func ExampleRanking() {
	truth := &sparse.CSR{N: 2, D: 4, Ptr: []int{0, 2, 3}, Col: []int32{0, 2, 3}}
	r := NewRanking([]int{1, 3}, nil)
	r.Add([][]gram.Scored{{{Label: 1}, {Label: 2}, {Label: 0}}, {{Label: 3}}}, truth)
	fmt.Printf("P %.3f, nDCG %.3f\n", r.Precision(), r.NDCG())
	// Output:
	// P [0.500 0.500], nDCG [0.500 0.847]
}

// TestTies has ties and classes that nobody predicts.
func TestTies(t *testing.T) {
	near(t, "accuracy of rows that are not predicted", Accuracy([]int{-1, -1, 0}, []int{-1, 0, 0}), 1./3)
	near(t, "AUC of scores that are equal", AUC([]float64{2, 2, 2}, []bool{true, false, false}), .5)
	near(t, "R2 of a constant that is right", R2([]float64{4, 4}, []float64{4, 4}), 1)
	if v := R2([]float64{4, 5}, []float64{4, 4}); !math.IsInf(v, -1) {
		t.Errorf("R2 of a constant that is not right is %v", v)
	}
	// Labels count in the order given; missing ones are wrong.
	truth := &sparse.CSR{N: 2, D: 3, Ptr: []int{0, 1, 3}, Col: []int32{2, 0, 1}}
	top := [][]gram.Scored{{{Label: 0, Score: 1}, {Label: 2, Score: 1}}, {{Label: 1}}}
	for i, want := range []float64{.5, .5, 1. / 3} {
		near(t, "precision", PrecisionAt([]int{1, 2, 3}, top, truth)[i], want)
	}
}

// Measures of values neither overflow nor vanish, however large or small the values are.
func TestSizes(t *testing.T) {
	p, y := []float64{1, 2, 3, 5, 7}, []float64{1, 4, 1, 6, 6}
	for _, k := range []int{-1060, -1000, -600, -300, 0, 300, 600, 1000, 1020} {
		tol := 1e-12
		if k < -1000 {
			tol = 1e-3 // the values have few digits
		}
		a := Answers{}
		for i := range p {
			a.Value, a.Target = append(a.Value, math.Ldexp(p[i], k)), append(a.Target, math.Ldexp(y[i], k))
		}
		s, rest := NewSums(0), NewSums(0)
		s.Add(Answers{Value: a.Value[:2], Target: a.Target[:2]})
		rest.Add(Answers{Value: a.Value[2:], Target: a.Target[2:]})
		s.Merge(rest)
		for _, m := range Measures() {
			if m.Needs != NeedValue {
				continue
			}
			want := m.Of(Answers{Value: p, Target: y})
			if m.Name != "r2" {
				want = math.Ldexp(want, k)
			}
			for from, got := range map[string]float64{"rows": m.Of(a), "sums": s.Of(m)} {
				if !(math.Abs(got-want) <= tol*math.Abs(want)) {
					t.Errorf("%s of %s times 2^%d is %v, want %v", m.Name, from, k, got, want)
				}
			}
		}
	}
	near(t, "RMSE beside exact predictions", RMSE([]float64{1, 1e-200}, []float64{1, 2e-200})*1e200, math.Sqrt(0.5))
	near(t, "MAE over the range", MAE([]float64{-1e308, 1, 1}, []float64{1e308, 1, 1})/1e308, 2./3)
	if got := R2([]float64{math.Inf(1), 2}, []float64{1, 2}); !math.IsInf(got, -1) {
		t.Errorf("R² of an infinite prediction is %v", got)
	}
	if got := RMSE([]float64{math.NaN(), 2}, []float64{1, 2}); got == got {
		t.Errorf("RMSE of NaN is %v", got)
	}
}

// The deviation of values with weights is that of values that come as often; values without one have 0.
func TestDeviation(t *testing.T) {
	if got, want := Deviation([]float64{1, 2, 7}, []float64{2, 3, 1}), Deviation([]float64{1, 1, 2, 2, 2, 7}, nil); !(math.Abs(got-want) <= 1e-12) || !(math.Abs(want-math.Sqrt(63./6-6.25)) <= 1e-12) {
		t.Errorf("with weights %v, of repeated values %v", got, want)
	}
	for _, y := range [][]float64{nil, {3}, {2, 2}, {math.MaxFloat64, -math.MaxFloat64}, {1, math.NaN()}} {
		if got := Deviation(y, nil); got != 0 {
			t.Errorf("%v has deviation %v, want 0", y, got)
		}
	}
}
