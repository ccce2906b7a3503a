package bins

import (
	"context"
	"math"
	"slices"

	"github.com/gramworks/gram/internal/par"
)

// ascending returns a list of different numbers below n in ascending order.
func ascending(n int, list []int) []int {
	in := make([]bool, n)
	for _, i := range list {
		in[i] = true
	}
	list = list[:0]
	for i, in := range in {
		if in {
			list = append(list, i)
		}
	}
	return list
}

// distinct returns the different values of column j of a sparse matrix, or of a sample of it, in ascending order, and how
// many rows have each. NaN, which are missing cells, are left out.
func (c *columns) distinct(j int) (values []float64, count []int) {
	row, val := c.sparse.Row(j)
	keys, zeros := make([]uint64, 0, len(row)), c.n-len(row) // that are not stored
	var at []bool                                            // whether a row is in the sample
	if c.sample != nil {
		at, zeros = make([]bool, c.n), len(c.sample)
		for _, i := range c.sample {
			at[i] = true
		}
	}
	for p, i := range row {
		if at == nil {
			keys = append(keys, key(value(val, p)))
		} else if at[i] {
			keys = append(keys, key(value(val, p)))
			zeros--
		}
	}
	values, count = numbers(unique(keys))
	if zeros > 0 {
		at, found := slices.BinarySearch(values, 0)
		if !found {
			values, count = slices.Insert(values, at, 0), slices.Insert(count, at, 0)
		}
		count[at] += zeros
	}
	return values, count
}

// Abreast is the number of columns of dense rows that are read together, those of a cache line.
const Abreast = 8

// sort calls use with the keys of all rows, or of the sample, of those dense columns that are wanted. It may overwrite the keys, which have
// room behind them for as many.
func (c *columns) sort(ctx context.Context, workers int, wanted []bool, use func(j int, keys []uint64)) error {
	var list []int
	for j, is := range wanted {
		if is {
			list = append(list, j)
		}
	}
	n := c.n
	if c.sample != nil {
		n = len(c.sample)
	}
	keys := make([][]uint64, min(len(list), Abreast))
	for k := range keys {
		keys[k] = make([]uint64, n, 2*n)
	}
	for some := range slices.Chunk(list, Abreast) {
		err := par.For(ctx, workers, n, 1<<12, func(lo, hi int) {
			for p := lo; p < hi; p++ {
				i := p
				if c.sample != nil {
					i = c.sample[p]
				}
				row := c.dense.Data[i*c.dense.Stride:]
				for k, j := range some {
					keys[k][p] = key(row[j])
				}
			}
		})
		if err != nil {
			return err
		}
		err = par.For(ctx, workers, len(some), 1, func(lo, hi int) {
			for k := lo; k < hi; k++ {
				use(some[k], keys[k])
			}
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// numbers returns the numbers of ascending keys that are numbers, and their counts.
func numbers(keys []uint64, count []int) ([]float64, []int) {
	values := make([]float64, 0, len(keys))
	for i, k := range keys {
		if v := number(k); v == v {
			values = append(values, v)
		} else {
			count = slices.Delete(count, i, i+1) // all NaN have the last key
		}
	}
	return values, count
}

const sign = 1 << 63

// key returns an integer that is ordered like v; both zeros have the same one, and NaN the largest.
func key(v float64) uint64 {
	if v != v {
		return math.MaxUint64
	}
	b := math.Float64bits(v + 0) // −0 becomes 0
	if b&sign != 0 {
		return ^b
	}
	return b | sign
}

// number is the inverse of key, which is NaN for the largest one.
func number(k uint64) float64 {
	if k&sign != 0 {
		return math.Float64frombits(k &^ sign)
	}
	return math.Float64frombits(^k)
}

// Keys are sorted by digits of so many bits, from the last one on; a digit that all keys share is passed over.
const (
	digitBits = 11
	digits    = (64 + digitBits - 1) / digitBits
	fewKeys   = 2048 // of which a sort by comparisons takes less time
)

// few is the number of different keys that are looked for one after the other.
const few = 8

// fewKinds counts keys of which at most few are different.
type fewKinds struct {
	seen  [few]uint64
	times [few]int
	n, at int // of seen, and the last one found
}

// add counts k so many times and reports whether there is room for it.
func (f *fewKinds) add(k uint64, times int) bool {
	if f.n == 0 || f.seen[f.at] != k {
		at := 0
		for at < f.n && f.seen[at] != k {
			at++
		}
		if at == few {
			return false
		}
		if f.at = at; at == f.n {
			f.seen[at] = k
			f.n++
		}
	}
	f.times[f.at] += times
	return true
}

// sorted returns the keys in ascending order and how often there is each.
func (f *fewKinds) sorted() (distinct []uint64, count []int) {
	for _, k := range slices.Sorted(slices.Values(f.seen[:f.n])) {
		distinct, count = append(distinct, k), append(count, f.times[slices.Index(f.seen[:f.n], k)])
	}
	return distinct, count
}

// unique returns the different keys in ascending order and how often there is each. It may overwrite the keys.
func unique(keys []uint64) (distinct []uint64, count []int) {
	var f fewKinds
	for _, k := range keys {
		if !f.add(k, 1) {
			return runs(sortKeys(keys))
		}
	}
	return f.sorted()
}

// sideBySide is the number of columns that are read together: 512 bytes of a row, which the processor fetches ahead. Of 16 columns it does not.
const sideBySide = 64

// pair counts the cells of a column that have each of two bit patterns: those of two different cells, if the column has different
// ones.
type pair struct {
	bits  [2]uint64
	times [2]uint64
}

// kinds counts the keys of columns lo … hi−1 of dense rows, row by row; nil stands for columns with more than few kinds. Most
// columns with few of them have two, which are counted without a branch.
func (c *columns) kinds(lo, hi int) []*fewKinds {
	all, pairs := make([]*fewKinds, hi-lo), make([]pair, hi-lo)
	for j := range all {
		all[j] = new(fewKinds)
	}
	n, left := c.n, hi-lo
	if c.sample != nil {
		n = len(c.sample)
	}
	for p := 0; p < n && left > 0; p++ {
		i := p
		if c.sample != nil {
			i = c.sample[p]
		}
		row := c.dense.Data[i*c.dense.Stride:][lo:hi]
		for j := range pairs {
			b, f := math.Float64bits(row[j]), &pairs[j]
			x, y := b^f.bits[0], b^f.bits[1]
			first, second := ^(x|-x)>>63, ^(y|-y)>>63 // whether they are 0
			f.times[0] += first
			f.times[1] += second &^ first
			if first|second == 0 && all[j] != nil && !f.other(all[j], b) {
				all[j] = nil
				left--
			}
		}
	}
	for j, f := range all {
		for at, times := range pairs[j].times {
			if f != nil && times > 0 && !f.add(key(math.Float64frombits(pairs[j].bits[at])), int(times)) {
				all[j] = nil
			}
		}
	}
	return all
}

// other counts a cell whose bits are not those of the pair, which becomes one of the pair if that has room.
func (f *pair) other(kinds *fewKinds, b uint64) bool {
	for at := range f.bits {
		if f.times[at] == 0 {
			f.bits[at], f.times[at] = b, 1
			return true
		}
	}
	return kinds.add(key(math.Float64frombits(b)), 1)
}

// runs returns the different keys of a sorted list and how often there is each.
func runs(keys []uint64) (distinct []uint64, count []int) {
	n := 0
	for i, k := range keys {
		if i == 0 || k != keys[i-1] {
			n++
		}
	}
	distinct, count = make([]uint64, 0, n), make([]int, n)
	for i, k := range keys {
		if i == 0 || k != keys[i-1] {
			distinct = append(distinct, k)
		}
		count[len(distinct)-1]++
	}
	return distinct, count
}

// sortKeys returns the keys in ascending order, and may overwrite them and the room behind them.
func sortKeys(keys []uint64) []uint64 {
	if len(keys) < fewKeys {
		slices.Sort(keys)
		return keys
	}
	var start [digits][1 << digitBits]int
	for _, k := range keys {
		for d := range start {
			start[d][k>>(d*digitBits)%(1<<digitBits)]++
		}
	}
	other := slices.Grow(keys, len(keys))[len(keys) : 2*len(keys)]
	for d := range start {
		shift := d * digitBits
		s := &start[d]
		if s[keys[0]>>shift%(1<<digitBits)] == len(keys) {
			continue
		}
		total := 0
		for b, n := range s {
			s[b] = total
			total += n
		}
		for _, k := range keys {
			b := k >> shift % (1 << digitBits)
			other[s[b]] = k
			s[b]++
		}
		keys, other = other, keys
	}
	return keys
}
