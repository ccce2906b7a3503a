package metric

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/gramworks/gram"
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
	near(t, "balanced accuracy", BalancedAccuracy([]int{0, 0, 0, 1, 0}, []int{0, 0, 0, 1, 1}), 0.75)
	p, y := []float64{1, 2, 3}, []float64{1, 4, 1}
	near(t, "RMSE", RMSE(p, y), math.Sqrt(8./3))
	near(t, "MAE", MAE(p, y), 4./3)
	near(t, "R²", R2(p, y), 1-8./6)
	near(t, "R² of the mean", R2([]float64{2, 2, 2}, y), 0)
	near(t, "R² of perfect predictions of a constant", R2([]float64{2, 2}, []float64{2, 2}), 1)
	if v := R2([]float64{2, 3}, []float64{2, 2}); !math.IsInf(v, -1) {
		t.Errorf("R² of wrong predictions of a constant is %v", v)
	}
	near(t, "log loss", LogLoss(mat.NewDense(2, 1, []float64{0, math.Log(3)}), []int{1, 0}), (math.Log(2)+math.Log(4))/2)
	near(t, "log loss of three classes", LogLoss(mat.NewDense(1, 3, []float64{0, 0, 0}), []int{2}), math.Log(3))
}

func TestPrecisionAt(t *testing.T) {
	truth := &sparse.CSR{N: 2, D: 4, Ptr: []int{0, 2, 3}, Col: []int32{0, 2, 3}}
	top := [][]gram.Scored{{{Label: 2}, {Label: 1}, {Label: 0}}, {{Label: 3}}}
	got := PrecisionAt([]int{1, 2, 3}, top, truth)
	for i, want := range []float64{1, 0.5, 0.5} {
		near(t, fmt.Sprintf("P@%d", i+1), got[i], want)
	}
}

// Oracles by the definitions, over all pairs or all cells.
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
			pu := share(a, u, nil, 0)
			for v := range 3 {
				pv, puv := share(b, v, nil, 0), share(a, u, b, v)
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
			if pv := share(b, v, nil, 0); pv > 0 {
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

func share(a []int, u int, b []int, v int) float64 {
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
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: no panic", name)
				}
			}()
			f()
		}()
	}
}

func ExampleNMI() {
	found := []int{0, 0, 1, 1, 2, 2}
	class := []int{7, 7, 7, 3, 3, 3}
	fmt.Printf("NMI %.3f, purity %.3f, pair error %.3f\n", NMI(found, class), Purity(found, class), PairError(found, class))
	// Output: NMI 0.530, purity 0.833, pair error 0.333
}
