// Package bins maps the columns of a matrix to small integers, so that trees can search splits in histograms.
package bins

import (
	"context"
	"slices"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/internal/par"
	"github.com/gramworks/gram/num"
	"github.com/gramworks/gram/num/rng"
	"github.com/gramworks/gram/sparse"
)

// sampled is the largest number of rows from which quantiles are computed.
const sampled = 200_000

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

// bin returns the bin of a cell of column j.
func (t *Table) bin(j int, v float64) int {
	if t.Missing(j) && (v != v || v < 0 && t.Mixed[j].Levels > 0) {
		return len(t.Cuts[j]) + 1
	}
	return below(t.Cuts[j], v)
}

// below returns the number of ascending cuts that are less than v, by a search without branches that depend on v.
func below(cuts []float64, v float64) int {
	at, n := 0, len(cuts)
	if n == 0 {
		return 0
	}
	for n > 1 {
		half := n / 2
		next := at + half
		if cuts[next-1] < v {
			at = next
		}
		n -= half
	}
	if cuts[at] < v {
		at++
	}
	return at
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
	if most > 0 && n > sampled {
		c.sample = rng.New(seed, 0).Perm(n)[:sampled]
		slices.Sort(c.sample)
	}
	kinds := make([]*fewKinds, d)
	var err error
	if c.sparse == nil {
		err = par.For(ctx, workers, d, sideBySide, func(lo, hi int) { copy(kinds[lo:hi], c.kinds(lo, hi)) })
	}
	if err != nil {
		return nil, err
	}
	wide := make([]int, d) // numbers of distinct values of columns that have too many
	err = par.For(ctx, workers, d, 1, func(lo, hi int) {
		for j := lo; j < hi; j++ {
			if levels := t.Levels(j); levels > 0 {
				t.Cuts[j] = betweenLevels(levels)
			} else if kinds[j] != nil {
				values, count := numbers(kinds[j].sorted())
				t.Cuts[j] = cuts(values, count, most)
			} else {
				values, count := c.distinct(j)
				t.Cuts[j] = cuts(values, count, most)
			}
			if t.Bins(j) > limit16 {
				wide[j] = t.Bins(j)
			}
		}
	})
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

// Put sets dst to the bins of values v of column j, of a table whose bins have codes of type C.
func Put[C Code](t *Table, dst []C, j int, v []float64) {
	for i, x := range v {
		dst[i] = C(t.bin(j, x))
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

// cuts returns at most most−1 cuts between distinct values in ascending order, of which count have each.
func cuts(distinct []float64, count []int, most int) []float64 {
	if len(distinct) < 2 {
		return nil
	}
	if most == 0 || len(distinct) <= most {
		c := make([]float64, len(distinct)-1)
		for i := range c {
			c[i] = between(distinct[i], distinct[i+1])
		}
		return c
	}
	// A bin ends when it has its share of the remaining rows, and before a value that has such a share alone.
	c := make([]float64, 0, most-1)
	left, held := 0, 0
	for _, k := range count {
		left += k
	}
	for i := range len(distinct) - 1 {
		held += count[i]
		if share := most - len(c); held*share >= left || count[i+1]*share >= left {
			c = append(c, between(distinct[i], distinct[i+1]))
			left, held = left-held, 0
			if len(c) == most-1 {
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

// fewRows is the number of rows of which all columns are encoded while the rows are in the cache.
const fewRows = 64

// encode returns the bins of all values.
func encode[C Code](ctx context.Context, workers int, c columns, t *Table) ([][]C, error) {
	codes := make([][]C, len(t.Cuts))
	for j := range codes {
		codes[j] = make([]C, c.n)
	}
	if c.sparse == nil {
		return codes, par.For(ctx, workers, c.n, fewRows, func(lo, hi int) {
			for j, dst := range codes {
				dst, data := dst[lo:hi], c.dense.Data[lo*c.dense.Stride+j:]
				if missing := t.Missing(j); len(t.Cuts[j]) == 1 && !missing {
					cut := t.Cuts[j][0]
					for i := range dst {
						if cut < data[i*c.dense.Stride] {
							dst[i] = 1
						}
					}
				} else if len(t.Cuts[j]) > 0 || missing {
					for i := range dst {
						dst[i] = C(t.bin(j, data[i*c.dense.Stride]))
					}
				}
			}
		})
	}
	err := par.For(ctx, workers, len(t.Cuts), 1, func(lo, hi int) {
		for j := lo; j < hi; j++ {
			dst := codes[j]
			if zero := C(t.bin(j, 0)); zero != 0 {
				for i := range dst {
					dst[i] = zero
				}
			}
			row, val := c.sparse.Row(j)
			for p, i := range row {
				dst[i] = C(t.bin(j, value(val, p)))
			}
		}
	})
	return codes, err
}
