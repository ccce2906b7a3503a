// Package bins maps the columns of a matrix to small integers, so that trees can search splits in histograms.
package bins

import (
	"context"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/internal/par"
	"github.com/gramworks/gram/num"
	"github.com/gramworks/gram/num/rng"
	"github.com/gramworks/gram/sparse"
)

// sampleRows is the largest number of rows from which quantiles are computed.
const sampleRows = 200_000

// Sampled returns the number of rows from which the quantiles of n rows are computed.
func Sampled(n float64) float64 { return min(n, sampleRows) }

// limit16 is the number of bins that a uint16 can distinguish.
const limit16 = 1 << 16

// Code is the type of a bin number.
type Code interface{ uint8 | uint16 }

// Table holds the bins of n rows, column by column. The bin of a value v in column j is the number of elements of
// Cuts[j] that are less than v, so v ≤ Cuts[j][b] exactly if its bin is at most b. A cell that is missing has the last
// bin, behind these. Either Narrow or Wide is set.
type Table struct {
	N      int
	Cuts   [][]float64 // ascending
	Mixed  []Column    // what the columns hold; nil: numbers alone
	Narrow [][]uint8   // Narrow[j][i] is column j of row i, if every column has at most 256 bins
	Wide   [][]uint16

	find []finder // of the columns, in tables that Make returns
}

// Column says what a column holds beside numbers.
type Column struct {
	Levels  int  // the cells are the levels 0 … Levels−1 of a category, each with a bin of its own, or missing; 0: numbers
	Missing bool // cells may be missing: NaN, and below 0 for a category
}

// Missing reports whether column j has a bin for missing cells.
func (t *Table) Missing(j int) bool {
	return t.Mixed != nil && (t.Mixed[j].Missing || t.Mixed[j].Levels > 0)
}

// Levels returns the number of levels of column j, 0 if it holds numbers.
func (t *Table) Levels(j int) int {
	if t.Mixed == nil {
		return 0
	}
	return t.Mixed[j].Levels
}

// Bins returns the number of bins of column j.
func (t *Table) Bins(j int) int {
	if t.Missing(j) {
		return len(t.Cuts[j]) + 2
	}
	return len(t.Cuts[j]) + 1
}

// finder returns what finds the bins of numbers in column j: with the grid of Make, or without one for other tables.
func (t *Table) finder(j int) finder {
	if t.find == nil {
		return finder{cuts: t.Cuts[j]}
	}
	return t.find[j]
}

// bin returns the bin of a cell of column j, with its finder.
func (t *Table) bin(f *finder, j int, v float64) int {
	if t.Missing(j) && (v != v || v < 0 && t.Mixed[j].Levels > 0) {
		return len(t.Cuts[j]) + 1
	}
	return f.bin(v)
}

// Make divides every column of x into at most most bins with about equal numbers of rows; if most is 0, every
// distinct value has a bin of its own. Cuts lie midway between neighboring values. The cuts of more than 200 000 rows
// come from a sample. It takes O(n·d·log n) time and one or two bytes per value. mixed says what the columns hold; nil
// means numbers alone.
func Make(ctx context.Context, workers int, x gram.Samples[float64], most int, seed uint64, mixed []Column) (*Table, error) {
	n, d := x.Dims()
	t := &Table{N: n, Cuts: make([][]float64, d), Mixed: mixed}
	c := columns{n: n}
	c.dense, _ = x.Dense()
	if a := x.CSR(); a != nil {
		c.sparse = a.Transpose()
	}
	if most > 0 && n > sampleRows {
		c.sample = ascending(n, rng.New(seed, 0).Perm(n)[:sampleRows])
	}
	wide, err := t.cut(ctx, workers, c, most)
	if err != nil {
		return nil, err
	}
	narrow := true
	for j, k := range wide {
		if k > 0 {
			return nil, &gram.DataError{Row: 0, Col: j, Value: float64(k), Reason: "more than 65536 distinct values; use quantile bins"}
		}
		narrow = narrow && t.Bins(j) <= 256
	}
	if narrow {
		t.Narrow, err = encode[uint8](ctx, workers, c, t)
	} else {
		t.Wide, err = encode[uint16](ctx, workers, c, t)
	}
	if err != nil {
		return nil, err
	}
	return t, nil
}

// cut sets the cuts of all columns, with their finders. It returns the numbers of bins of the columns that have too many, and 0 for the others.
func (t *Table) cut(ctx context.Context, workers int, c columns, maxBins int) (wide []int, err error) {
	d := len(t.Cuts)
	wide, t.find = make([]int, d), make([]finder, d)
	set := func(j int, cuts []float64) {
		t.Cuts[j], t.find[j] = cuts, newFinder(cuts)
		if t.Bins(j) > limit16 {
			wide[j] = t.Bins(j)
		}
	}
	kinds := make([]*fewKinds, d)
	if c.sparse == nil {
		err = par.For(ctx, workers, d, sideBySide, func(lo, hi int) { copy(kinds[lo:hi], c.kinds(lo, hi)) })
	}
	if err != nil {
		return nil, err
	}
	many := make([]bool, d) // dense columns whose values are sorted
	err = par.For(ctx, workers, d, 1, func(lo, hi int) {
		for j := lo; j < hi; j++ {
			if levels := t.Levels(j); levels > 0 {
				set(j, betweenLevels(levels))
			} else if kinds[j] != nil {
				values, count := numbers(kinds[j].sorted())
				set(j, cuts(values, count, maxBins))
			} else if c.sparse != nil {
				values, count := c.distinct(j)
				set(j, cuts(values, count, maxBins))
			} else {
				many[j] = true
			}
		}
	})
	if err != nil {
		return nil, err
	}
	return wide, c.sort(ctx, workers, many, func(j int, keys []uint64) {
		values, count := numbers(unique(keys))
		set(j, cuts(values, count, maxBins))
	})
}

// Put sets dst to the bins of values v of column j, of a table whose bins have codes of type C.
func Put[C Code](t *Table, dst []C, j int, v []float64) { putStrided(t, dst, j, v, 1) }

// putStrided sets dst to the bins of every stride-th value of v, of column j.
func putStrided[C Code](t *Table, dst []C, j int, v []float64, stride int) {
	cuts, missing := t.Cuts[j], t.Missing(j)
	switch {
	case len(cuts) == 0 && !missing:
		clear(dst)
	case len(cuts) == 1 && !missing:
		for i := range dst {
			b := C(0)
			if cuts[0] < v[i*stride] {
				b = 1
			}
			dst[i] = b
		}
	case missing:
		f := t.finder(j)
		for i := range dst {
			dst[i] = C(t.bin(&f, j, v[i*stride]))
		}
	default:
		f := t.finder(j)
		for i := range dst {
			dst[i] = C(f.bin(v[i*stride]))
		}
	}
}

// columns gives access to the columns of a dense or sparse matrix.
type columns struct {
	n      int
	dense  num.Rows[float64]
	sparse *sparse.CSR // the transpose, with a row for each column; nil: x is dense
	sample []int       // ascending rows from which quantiles are computed; nil: all rows
}

func value(val []float64, p int) float64 {
	if val == nil {
		return 1
	}
	return val[p]
}

// cuts returns at most maxBins−1 cuts between distinct values in ascending order, of which count have each.
func cuts(distinct []float64, count []int, maxBins int) []float64 {
	if len(distinct) < 2 {
		return nil
	}
	if maxBins == 0 || len(distinct) <= maxBins {
		c := make([]float64, len(distinct)-1)
		for i := range c {
			c[i] = between(distinct[i], distinct[i+1])
		}
		return c
	}
	// A bin ends when it has its share of the remaining rows, and before a value that has such a share alone.
	c := make([]float64, 0, maxBins-1)
	left, held := 0, 0
	for _, k := range count {
		left += k
	}
	for i := range len(distinct) - 1 {
		held += count[i]
		if share := maxBins - len(c); held*share >= left || count[i+1]*share >= left {
			c = append(c, between(distinct[i], distinct[i+1]))
			left, held = left-held, 0
			if len(c) == maxBins-1 {
				break
			}
		}
	}
	return c
}

// betweenLevels returns the cuts between the numbers 0 … levels−1.
func betweenLevels(levels int) []float64 {
	c := make([]float64, levels-1)
	for k := range c {
		c[k] = float64(k) + 0.5
	}
	return c
}

// between returns a number in [a, b), midway if there is one.
func between(a, b float64) float64 {
	if m := a/2 + b/2; m > a && m < b {
		return m
	}
	return a
}

// encode returns the bins of all values. Of dense rows all columns are encoded while the rows are in the cache.
func encode[C Code](ctx context.Context, workers int, c columns, t *Table) ([][]C, error) {
	const fewRows, cells = 64, 1 << 14
	codes := make([][]C, len(t.Cuts))
	for j := range codes {
		codes[j] = make([]C, c.n)
	}
	if c.sparse == nil {
		return codes, par.For(ctx, workers, c.n, max(fewRows, min(1024, cells/max(1, len(codes)))), func(lo, hi int) {
			for j, dst := range codes {
				putStrided(t, dst[lo:hi], j, c.dense.Data[lo*c.dense.Stride+j:], c.dense.Stride)
			}
		})
	}
	err := par.For(ctx, workers, len(t.Cuts), 1, func(lo, hi int) {
		for j := lo; j < hi; j++ {
			dst, f := codes[j], t.finder(j)
			if zero := C(t.bin(&f, j, 0)); zero != 0 {
				for i := range dst {
					dst[i] = zero
				}
			}
			row, val := c.sparse.Row(j)
			for p, i := range row {
				dst[i] = C(t.bin(&f, j, value(val, p)))
			}
		}
	})
	return codes, err
}
