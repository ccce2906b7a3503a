package main

import (
	"errors"
	"math"
	"slices"
)

// A verdict is what the measurements say about one benchmark.
type verdict int

const (
	open   verdict = iota // not decided; at the end it means that the noise hides the answer
	fine                  // not slower by more than the limit
	slower                // slower by more than the limit
	absent                // there is no such benchmark on one of the two sides
)

// A result is the ratio of the new time to the old one, with its interval.
type result struct {
	verdict       verdict
	ratio, lo, hi float64
	blocks        int
}

// A block holds the least time of each side in a set of interleaved slices. It
// is zero for a benchmark that only one side has.
type block struct{ old, new float64 }

// A round measures one block of each of the given benchmarks; blocks of suspects
// are longer.
type round func(index []int, suspects bool) ([]block, error)

// errLate is returned by a round that runs out of time.
var errLate = errors.New("the time is over")

// These constants are the plan: every benchmark is screened, and suspects are
// measured again.
const (
	screenLeast = 8    // blocks before the first decision
	screenMost  = 16   // blocks after which a benchmark that is not found fine becomes a suspect
	screenShare = 0.6  // largest share of the time for screening
	screenError = 0.01 // probability, at one decision, of finding a benchmark fine that is slower by the limit
	familyError = 0.01 // probability that any benchmark is called slower that is not
)

// roundSizes holds the numbers of blocks after which a suspect may be decided.
var roundSizes = []int{16, 32, 64, 128, 256}

// decide screens n benchmarks and measures the suspects again. outOfTime reports
// whether more than a given share of the time is over.
//
// The measurements of screening are not used against a suspect: its figures come
// only from new blocks. The bound on the probability of all false alarms is
// divided among the suspects and the decisions about them.
func decide(n int, limit float64, measure round, outOfTime func(part float64) bool) ([]result, error) {
	results, blocks := make([]result, n), make([][]block, n)
	more := func(suspects bool) (done bool, err error) {
		var which []int
		for i, r := range results {
			if r.verdict == open {
				which = append(which, i)
			}
		}
		if len(which) == 0 {
			return true, nil
		}
		d, err := measure(which, suspects)
		if errors.Is(err, errLate) {
			return true, nil
		}
		if err != nil {
			return true, err
		}
		for j, i := range which {
			if d[j] == (block{}) {
				results[i].verdict = absent
			}
			blocks[i] = append(blocks[i], d[j])
		}
		return false, nil
	}
	for b := 1; b <= screenMost && !outOfTime(screenShare); b++ {
		done, err := more(false)
		if done {
			return results, err
		}
		for i := range results {
			if r := &results[i]; r.verdict == open && b >= screenLeast {
				*r = summary(blocks[i], screenError)
				if r.hi <= 1+limit {
					r.verdict = fine
				}
			}
		}
	}
	suspects := 0
	for i := range results {
		if results[i].verdict == open {
			suspects++
			blocks[i] = nil
		}
	}
	share := familyError / float64(max(suspects, 1)*len(roundSizes))
	for b := 1; b <= roundSizes[len(roundSizes)-1] && !outOfTime(1); b++ {
		done, err := more(true)
		if done {
			return results, err
		}
		if !slices.Contains(roundSizes, b) {
			continue
		}
		for i := range results {
			if r := &results[i]; r.verdict == open {
				*r = decideOne(blocks[i], limit, share)
			}
		}
	}
	return results, nil
}

// decideOne decides about a suspect. It is slower if its whole interval is above a
// third of the limit and its ratio above the limit. It is fine if its ratio is
// surely below the limit, or if the ratio seems to be below half the limit and
// is surely below five thirds of it, or if the interval is narrow.
func decideOne(d []block, limit, share float64) result {
	r := summary(d, share)
	if r.lo > 1+limit/3 && r.ratio > 1+limit {
		r.verdict = slower
		return r
	}
	r = summary(d, screenError)
	if r.hi <= 1+limit || r.hi <= 1+limit*5/3 && r.ratio <= 1+limit/2 || r.hi-r.lo <= limit && r.ratio <= 1+limit {
		r.verdict = fine
	}
	return r
}

// summary estimates the ratio of the two sides. The true ratio is below lo with
// probability at most risk, and above hi with probability at most risk.
//
// Each block is a pair, old and new, which noise affects alike: the sides take
// turns, a random one first, and no process serves two blocks of a benchmark. If
// the sides differ only by a factor θ, old·θ and new may be exchanged in each
// block. Two consequences are used, with half of the risk each. Neither assumes
// anything about the distribution of the noise.
//
// First, the ratios within the blocks are above and below θ like heads and
// tails. This bound is good if the clock drifts, which does not affect the ratio
// within a block.
//
// Second, the k least of all values old·θ and new together are all of the same
// side with probability 2⁻ᵏ for each side, so the k-th least old·θ is hardly
// ever below the least new. This bound is good if other programs run: they
// increase most values and leave the least ones unchanged.
func summary(d []block, risk float64) result {
	n := len(d)
	k := int(math.Ceil(math.Log2(2 / risk)))
	r := result{lo: 0, hi: math.Inf(1), blocks: n}
	var before, after, ratios []float64
	for _, b := range d {
		before, after, ratios = append(before, b.old), append(after, b.new), append(ratios, b.new/b.old)
	}
	slices.Sort(before)
	slices.Sort(after)
	slices.Sort(ratios)
	if k <= n {
		r.lo, r.hi = after[0]/before[k-1], after[k-1]/before[0]
	}
	if h := outside(n, risk/2); h > 0 {
		r.lo, r.hi = max(r.lo, ratios[h-1]), min(r.hi, ratios[n-h])
	}
	sum := 0.0
	low := (n + 3) / 4
	for i := range low {
		sum += math.Log(after[i] / before[i])
	}
	r.ratio = max(r.lo, min(r.hi, math.Exp(sum/float64(low))))
	return r
}

// outside returns the largest k for which fewer than k heads in n throws have a
// probability of at most p. The k-th least of n figures is then a lower bound of
// their median with that error. It is 0 if there is no such k.
func outside(n int, p float64) int {
	term, sum := math.Pow(0.5, float64(n)), 0.0
	for k := range n {
		if sum += term; sum > p {
			return k
		}
		term *= float64(n-k) / float64(k+1)
	}
	return n
}
