package bins

import (
	"math"
	"slices"
)

// distinct returns the different values of column j, or of a sample of it, in ascending order, and how
// many rows have each. NaN, which are missing cells, are left out.
func (c *columns) distinct(j int) (values []float64, count []int) {
	keys := make([]uint64, 0, c.n)
	zeros := 0 // that are not stored
	switch {
	case c.sparse != nil:
		row, val := c.sparse.Row(j)
		zeros = c.n - len(row)
		var at []bool // whether a row is in the sample
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
	case c.sample != nil:
		for _, i := range c.sample {
			keys = append(keys, key(c.dense.Data[i*c.dense.Stride+j]))
		}
	default:
		for i := range c.n {
			keys = append(keys, key(c.dense.Data[i*c.dense.Stride+j]))
		}
	}
	keys, count = unique(keys)
	for i, k := range keys {
		if v := number(k); v == v {
			values = append(values, v)
		} else {
			count = slices.Delete(count, i, i+1) // all NaN have the last key
		}
	}
	if zeros > 0 {
		at, found := slices.BinarySearch(values, 0)
		if !found {
			values, count = slices.Insert(values, at, 0), slices.Insert(count, at, 0)
		}
		count[at] += zeros
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

// unique returns the different keys in ascending order and how often there is each. It may overwrite the keys.
func unique(keys []uint64) (distinct []uint64, count []int) {
	var seen [few]uint64
	var times [few]int
	n, at := 0, 0
	for _, k := range keys {
		if n == 0 || seen[at] != k {
			for at = 0; at < n && seen[at] != k; at++ {
			}
			if at == few {
				return runs(sortKeys(keys))
			}
			if at == n {
				seen[n] = k
				n++
			}
		}
		times[at]++
	}
	for _, k := range slices.Sorted(slices.Values(seen[:n])) {
		distinct, count = append(distinct, k), append(count, times[slices.Index(seen[:n], k)])
	}
	return distinct, count
}

// runs returns the different keys of a sorted list and how often there is each.
func runs(keys []uint64) (distinct []uint64, count []int) {
	for i, k := range keys {
		if i == 0 || k != keys[i-1] {
			distinct, count = append(distinct, k), append(count, 0)
		}
		count[len(count)-1]++
	}
	return distinct, count
}

// sortKeys returns the keys in ascending order, and may overwrite them.
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
	other := make([]uint64, len(keys))
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
