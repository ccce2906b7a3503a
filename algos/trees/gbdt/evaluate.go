package gbdt

import (
	"context"
	"sort"
	"sync"

	"github.com/gramworks/gram/asm/hist"
	"github.com/gramworks/gram/internal/par"
)

// grain is the number of rows that one goroutine takes at a time.
const grain = 4096

// batch has memory for the derivatives and losses of some rows, so that they stay in the first caches until they are words.
type batch struct{ g, c, value []float64 }

// batchRows is the number of rows of a batch: of many outputs fewer.
func (g *grower) batchRows() int { return max(64, 512/g.k&^3) }

// watched are rows whose mean loss is of interest, in ascending order.
type watched struct {
	rows  []int32
	total float64 // of their weights
}

func watch(rows []int32, w []float64) watched {
	total := float64(len(rows))
	if w != nil {
		total = 0
		for _, i := range rows {
			total += w[i]
		}
	}
	return watched{rows, total}
}

// evaluate sets the words of all rows at their scores and returns the mean losses, weighted, of those that are watched. The units follow from
// the largest gradients of all rows: the words are written in the units of the round before, and again where the units are others.
func (g *grower) evaluate(l lossFunction, score []float64, lists ...watched) (means []float64) {
	sums := make([]float64, ((g.t.N-1)/grain+1)*len(lists)) // by block
	for {
		most := g.evaluateAll(l, score, lists, sums)
		if next := newFixed(most, g.t.N); next != g.fixed {
			g.fixed = next
			continue
		}
		break
	}
	means = make([]float64, len(lists))
	for i, list := range lists {
		for b := i; b < len(sums); b += len(lists) {
			means[i] += sums[b]
		}
		if list.total != 0 {
			means[i] /= list.total
		}
	}
	return means
}

// evaluateAll sets the words and their totals, and for each block of rows the sum of the losses of each list. It returns the largest gradients.
func (g *grower) evaluateAll(l lossFunction, score []float64, lists []watched, sums []float64) (most gradient) {
	var mu sync.Mutex
	clear(g.total)
	par.Compute(context.Background(), g.c.Workers, g.t.N, grain, func(lo, hi int) {
		b := g.batches.Get().(*batch)
		defer g.batches.Put(b)
		total, largest := make([]hist.Cell, g.k), gradient{}
		to := sums[lo/grain*len(lists):][:len(lists)]
		clear(to)
		for from := lo; from < hi; from += len(b.value) {
			end := min(from+len(b.value), hi)
			largest = g.evaluateSome(l, b, score, from, end, total).upTo(hist.Total{G: largest.g, C: largest.c})
			for i, list := range lists {
				to[i] = addLosses(to[i], list.rows, b.value, g.w, g.t.N, from, end)
			}
		}
		mu.Lock()
		defer mu.Unlock()
		most = most.upTo(hist.Total{G: largest.g, C: largest.c})
		for out, t := range total {
			g.total[out] = g.total[out].Plus(t)
		}
	})
	return most
}

// evaluateSome sets the words of rows lo … hi−1, at most those of a batch, adds their sums to total and returns the largest gradients.
// The losses are then in b.
func (g *grower) evaluateSome(l lossFunction, b *batch, score []float64, lo, hi int, total []hist.Cell) (most gradient) {
	n := hi - lo
	l.evaluate(b.g[:n*g.k], b.c[:n*g.k], b.value[:n], score, g.w, lo, hi)
	for out := range g.k {
		t := g.fixed.words(g.words[out][lo:hi], b.g[out*n:][:n], b.c[out*n:][:n], g.first+lo)
		total[out] = total[out].Plus(t.Sum)
		most = most.upTo(t)
	}
	return most
}

// addLosses adds the weighted losses of those of rows lo … hi−1 of n rows that are on a list to sum, one after the other. Value holds the
// losses from row lo on.
func addLosses(sum float64, list []int32, value, w []float64, n, lo, hi int) float64 {
	if len(list) == n && w == nil {
		for _, v := range value[:hi-lo] {
			sum += v
		}
		return sum
	}
	for _, i := range list[sort.Search(len(list), func(p int) bool { return int(list[p]) >= lo }):] {
		if int(i) >= hi {
			break
		}
		if v := value[int(i)-lo]; w == nil {
			sum += v
		} else {
			sum += float64(w[i] * v)
		}
	}
	return sum
}
