package main

import (
	"errors"
	"math"
	"slices"
)

// A verdict is what the measurements say of one benchmark.
type verdict int

const (
	open   verdict = iota // not decided: in the end, nobody can tell
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

// A block is the least time of each side, in a set of slices that are
// interleaved. It is zero for a benchmark that only one side has.
type block struct{ old, new float64 }

// A round measures some of the benchmarks once more: one block of each, a longer
// one for suspects.
type round func(which []int, suspects bool) ([]block, error)

// errLate is what a round returns if the time is over before its end.
var errLate = errors.New("the time is over")

// The plan. Every benchmark is screened; a suspect is measured afresh.
const (
	screenLeast = 8    // blocks before the first look
	screenMost  = 16   // blocks after which a benchmark that is not fine is a suspect
	screenShare = 0.6  // of the time, at the most
	screenError = 0.01 // of one look, to take a benchmark for fine that is slower by the limit
	familyError = 0.01 // to take any of all benchmarks for slower that is not
)

// looks are the numbers of blocks after which a suspect is looked at.
var looks = []int{16, 32, 64, 128, 256}

// decide screens n benchmarks and measures the suspects afresh. late says
// whether more than a part of the time is over.
//
// What screening saw is not used to condemn: the figures of a suspect come from
// new blocks alone, and the bound on all wrong alarms together is split among
// the suspects and the looks at them.
func decide(n int, limit float64, measure round, late func(part float64) bool) ([]result, error) {
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
	for b := 1; b <= screenMost && !late(screenShare); b++ {
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
	share := familyError / float64(max(suspects, 1)*len(looks))
	for b := 1; b <= looks[len(looks)-1] && !late(1); b++ {
		done, err := more(true)
		if done {
			return results, err
		}
		if !slices.Contains(looks, b) {
			continue
		}
		for i := range results {
			if r := &results[i]; r.verdict == open {
				*r = judge(blocks[i], limit, share)
			}
		}
	}
	return results, nil
}

// judge decides on a suspect. It is slower if all of its interval is above a
// third of the limit and the ratio above the limit. It is fine if the ratio is
// surely below the limit; or if it seems to be below half of it, and surely is
// below five thirds; or if the interval is narrow.
func judge(d []block, limit, share float64) result {
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

// summary estimates the ratio of the two sides. The true ratio is below lo, and
// above hi, with probability error each, at the most.
//
// Each block is a pair, old and new, which noise treats alike: the sides take
// turns, a random one first, and no process serves two blocks of a benchmark.
// If the sides differ by a factor θ alone, old·θ and new may change places in
// each block. Two consequences are used, with half of the error each. Neither
// assumes anything on how noise is distributed.
//
// The ratios within the blocks are above and below θ like heads and tails. This
// bound is good where the clock drifts, which blocks do not notice.
//
// The k least of all values old·θ and new together are of the same side with
// probability 2⁻ᵏ for each side, so that the k-th least old·θ is hardly below
// the least new. This bound is good where other programs run: they make most
// values worse and leave the least ones alone.
func summary(d []block, error float64) result {
	n := len(d)
	k := int(math.Ceil(math.Log2(2 / error)))
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
	if h := outside(n, error/2); h > 0 {
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
// probability of at most p: the k-th least of n figures is a lower bound of
// their median, with that error. It is 0 if there is none.
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
