package main

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// A machine makes blocks like those of a busy machine.
type machine struct {
	r       *rand.Rand
	jitter  float64 // of every slice, always upwards
	busy    float64 // probability that a slice is interrupted
	drift   float64 // of the clock, from block to block, for both sides alike
	process float64 // of a process, depending on the pages that it gets
}

func (m machine) block(ratio float64, n int) block {
	clock := math.Exp(m.drift * m.r.NormFloat64())
	side := func(time float64) float64 {
		time *= clock * math.Exp(m.process*m.r.NormFloat64())
		least := math.Inf(1)
		for range n {
			t := time * (1 + m.jitter*m.r.ExpFloat64())
			if m.r.Float64() < m.busy {
				t += time * 6 * m.r.Float64()
			}
			least = min(least, t)
		}
		return least
	}
	return block{side(1), side(ratio)}
}

var machines = map[string]machine{
	"quiet":    {jitter: 0.005, busy: 0.01, process: 0.005},
	"busy":     {jitter: 0.02, busy: 0.6, process: 0.01},
	"drifting": {jitter: 0.01, busy: 0.2, drift: 0.2, process: 0.005},
}

func decided(t *testing.T, m machine, ratios []float64) []result {
	t.Helper()
	results, err := decide(len(ratios), 0.03, func(which []int, suspects bool) ([]block, error) {
		d, n := make([]block, len(which)), 2
		if suspects {
			n = 8
		}
		for j, i := range which {
			d[j] = m.block(ratios[i], n)
		}
		return d, nil
	}, func(float64) bool { return false })
	if err != nil {
		t.Fatal(err)
	}
	return results
}

// Ten comparisons of equal trees raise no alarm and leave no benchmark
// undecided.
func TestEqual(t *testing.T) {
	for name, m := range machines {
		for seed := range uint64(10) {
			m.r = rand.New(rand.NewPCG(seed, 1))
			for i, r := range decided(t, m, slices.Repeat([]float64{1}, 1000)) {
				if r.verdict != fine {
					t.Errorf("%s, comparison %d: benchmark %d is %+v", name, seed, i, r)
				}
			}
		}
	}
}

// The slow benchmarks among many are found, and no others.
func TestPlanted(t *testing.T) {
	ratios := slices.Repeat([]float64{1}, 200)
	ratios[10], ratios[50], ratios[150], ratios[190] = 1.05, 1.1, 1.2, 0.8
	for name, m := range machines {
		for seed := range uint64(10) {
			m.r = rand.New(rand.NewPCG(seed, 2))
			for i, r := range decided(t, m, ratios) {
				want := fine
				if ratios[i] > 1 {
					want = slower
				}
				if r.verdict != want || want == slower && !(math.Abs(r.ratio/ratios[i]-1) <= 0.02) {
					t.Errorf("%s, comparison %d: benchmark %d with ratio %g is %+v", name, seed, i, ratios[i], r)
				}
			}
		}
	}
}

// If noise hides the ratio, or time runs out, nothing is claimed.
func TestUnsure(t *testing.T) {
	m := machine{r: rand.New(rand.NewPCG(1, 3)), process: 0.3}
	count := map[verdict]int{}
	for _, r := range decided(t, m, slices.Repeat([]float64{1}, 40)) {
		count[r.verdict]++
	}
	if count[slower] > 0 || count[open] < 20 {
		t.Errorf("slower: %d, open: %d of 40", count[slower], count[open])
	}
	late := func(float64) bool { return true }
	results, err := decide(3, 0.03, func([]int, bool) ([]block, error) { t.Fatal("measured"); return nil, nil }, late)
	if err != nil || slices.ContainsFunc(results, func(r result) bool { return r.verdict != open }) {
		t.Errorf("%+v, %v", results, err)
	}
}

func TestAbsent(t *testing.T) {
	results, err := decide(2, 0.03, func(which []int, _ bool) ([]block, error) { return make([]block, len(which)), nil }, func(float64) bool { return false })
	if err != nil || results[0].verdict != absent || results[1].verdict != absent {
		t.Errorf("%+v, %v", results, err)
	}
}

// The true ratio lies within the interval as often as promised.
func TestCoverage(t *testing.T) {
	const trials, risk = 4000, 0.02
	for name, m := range machines {
		m.r = rand.New(rand.NewPCG(4, 4))
		for _, n := range []int{8, 16, 64} {
			below, above := 0, 0
			for range trials {
				var d []block
				for range n {
					d = append(d, m.block(1.07, 2))
				}
				r := summary(d, risk)
				if !(r.lo <= 1.07) {
					below++
				}
				if !(r.hi >= 1.07) {
					above++
				}
			}
			most := int(trials*risk + 4*math.Sqrt(trials*risk))
			if below > most || above > most {
				t.Errorf("%s, %d blocks: the ratio is outside %d and %d times of %d, more than %d", name, n, below, above, trials, most)
			}
		}
	}
}

func TestOutside(t *testing.T) {
	for _, c := range []struct {
		n    int
		p    float64
		want int
	}{{8, 0.005, 1}, {7, 0.005, 0}, {16, 0.005, 3}, {10, 0.05, 2}, {3, 1, 3}} {
		if got := outside(c.n, c.p); got != c.want {
			t.Errorf("outside(%d, %v) is %d, want %d", c.n, c.p, got, c.want)
		}
	}
}
