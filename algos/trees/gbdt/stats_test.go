package gbdt

import (
	"context"
	"math"
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/internal/must"
	"github.com/gramworks/gram/num/rng"
	"gonum.org/v1/gonum/mat"
)

// Objective and Holdout are the weighted mean losses of the model's own
// predictions over the rows of the fit and those kept back, and the first of
// them that of the constant; FromZero makes it that of scores 0.
func TestStatsAreWeightedMeans(t *testing.T) {
	const n = 300
	x, y, two := problem(21, n)
	three := gram.Labels{Class: make([]int, n), Names: []string{"a", "b", "c"}}
	w, kept := make([]float64, n), []int32{}
	r := rng.New(3, 3)
	for i := range n {
		three.Class[i] = min(2, max(0, int(y[i]+1)))
		if w[i] = float64(r.IntN(4)); w[i] > 0 {
			kept = append(kept, int32(i))
		}
	}
	for _, fromZero := range []bool{false, true} {
		c := Config{Rounds: 6, MinRows: 3, FromZero: fromZero, Run: gram.Run{Seed: 9}}
		for _, share := range []float64{0, 0.25} {
			c.Holdout, c.Patience = share, 100
			train, held := split(len(kept), share, rng.New(9, 1).Perm)
			for _, list := range [][]int32{train, held} {
				for k, i := range list {
					list[k] = kept[i]
				}
			}
			check := func(l lossFunction, m *model) {
				t.Helper()
				k := l.outputs()
				mean := func(score []float64, rows []int32) float64 {
					var sum, total float64
					for _, i := range rows {
						s := score
						if len(score) > k {
							s = score[int(i)*k : int(i+1)*k]
						}
						sum += w[i] * lossOf(l, s, int(i))
						total += w[i]
					}
					return sum / total
				}
				same := func(what string, got, want float64) {
					t.Helper()
					if !(math.Abs(got-want) <= 1e-10*(1+want)) {
						t.Errorf("%T, %g kept back, from zero %v: %s is %g, want %g", l, share, fromZero, what, got, want)
					}
				}
				s := m.stats
				scores := mat.NewDense(n, k, nil)
				m.scores(scores, x)
				last := scores.RawMatrix().Data
				same("the first loss", s.Objective[0], mean(m.first, train))
				same("the loss of the kept rounds", s.Objective[s.Rounds], mean(last, train))
				if fromZero {
					for _, v := range m.first {
						if v != 0 {
							t.Errorf("a constant of %v", m.first)
						}
					}
				}
				if (s.Holdout != nil) != (share > 0) {
					t.Fatalf("losses of rows kept back: %v", s.Holdout)
				}
				if share > 0 {
					same("the first loss kept back", s.Holdout[0], mean(m.first, held))
					same("the loss kept back", s.Holdout[s.Rounds], mean(last, held))
				}
				// No other constant has a smaller loss.
				if !fromZero {
					for c := range m.first {
						for _, d := range []float64{-1e-3, 1e-3} {
							moved := append([]float64(nil), m.first...)
							if moved[c] += d; !(mean(moved, train) > s.Objective[0]) {
								t.Errorf("%T: the constant %v is not the best", l, m.first)
							}
						}
					}
				}
				var splits int
				for j, v := range s.Splits {
					splits += v
					if (v > 0) != (s.Gain[j] > 0) {
						t.Errorf("column %d: %d splits with the gain %g", j, v, s.Gain[j])
					}
				}
				if s.Trees != s.Rounds*k || splits != s.Leaves-s.Trees || s.Splits[2] != 0 {
					t.Errorf("%+v; every split makes one leaf more", s)
				}
			}
			m := must.Have(c.FitValues(context.Background(), x, y, w))(t)
			check(squaredLoss{y}, &m.model)
			for _, l := range []gram.Labels{two, three} {
				m := must.Have(c.Fit(context.Background(), x, l, w))(t)
				if len(l.Names) == 2 {
					check(logistic{l.Class}, &m.model)
				} else {
					check(softmax{l.Class, 3}, &m.model)
				}
			}
		}
	}
}

// For the squared loss without shrinkage and penalty the gains of the splits are
// what the trees take off the summed loss.
func TestGainsAreTheLoss(t *testing.T) {
	const n = 200
	x, y, _ := problem(22, n)
	m := must.Have(Config{Rounds: 3, Shrinkage: 1, Lambda: gram.Set(0.), MinRows: 5}.FitValues(context.Background(), x, y, nil))(t)
	s := m.Stats()
	var gain float64
	for _, v := range s.Gain {
		gain += v
	}
	if want := n * (s.Objective[0] - s.Objective[3]); !(math.Abs(gain-want) <= 1e-9*want) {
		t.Errorf("the gains sum to %g, the loss fell by %g", gain, want)
	}
}

// A round's progress tells the loss after it; a fit that stops early says so.
func TestProgressOfRounds(t *testing.T) {
	x, y, _ := problem(23, 100)
	var last gram.Event
	run := gram.Run{Progress: func(e gram.Event) { last = e }}
	m, err := Config{Rounds: 5, Run: run}.FitValues(context.Background(), x, y, nil)
	if want := (gram.Event{Phase: "boosting", Done: 5, Total: 5, Objective: m.Stats().Objective[5]}); err != nil || last != want {
		t.Errorf("the last event is %+v, want %+v", last, want)
	}
	// Constant targets: no tree grows.
	m, err = Config{Rounds: 5, Run: run}.FitValues(context.Background(), x, make([]float64, 100), nil)
	if err != nil || last.Done != 1 || last.Total != 1 || m.Stats().Leaves != m.Stats().Trees {
		t.Errorf("the last event is %+v after nothing to learn, %+v", last, m.Stats())
	}
}

// Where the penalty is next to nothing the leaf of rows of one class stays
// within the limit of scores.
func TestMinimizeWithoutPenalty(t *testing.T) {
	for class, want := range []float64{-valueLimit, valueLimit} {
		d := &direct{g: &grower{c: Config{Lambda: gram.Set(1e-300)}}, class: []int{class}, score: []float64{0}, odds: []float64{1}}
		var s rowset
		s.reset()
		d.put(&s, 0)
		if h, v := s.minimize(1e-300, 0); !(math.Abs(h) <= valueLimit && h*want > 0) || v-v != 0 {
			t.Errorf("class %d: %g with the loss %g", class, h, v)
		}
		if h, _ := s.minimize(1e-300, 2*want); !(math.Abs(h) <= valueLimit) {
			t.Errorf("class %d, from beyond the limit: %g", class, h)
		}
	}
}
