package kernel

import (
	"math"
	"slices"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/asm/panel"
)

// A block of sparse rows Z with few nonzeros keeps lists of them in place of panels, so that
// it takes memory for the nonzeros and not for the columns. Inner products add up columns:
// a number of a row of X meets the nonzeros of its column of Z alone. Sums of absolute
// differences need the columns of either row and go along both lists. The order of
// summation is that of panels, and what is left out are zeros: the bits are the same.

// sparseShare is the share of nonzeros below which rows are kept as lists: 1 in sparseShare.
// An entry of a list costs about as much time as sparseShare numbers of a panel, and memory
// as six of them.
const sparseShare = 32

// lists has the nonzeros of rows by row and, for inner products, by column.
type lists[F gram.Float] struct {
	first []int // entries first[i] … first[i+1]−1 are those of row i
	col   []int32
	val   []F

	columns []int32 // the columns that occur, ascending
	start   []int   // entries start[k] … start[k+1]−1 are those of columns[k], by ascending row
	row     []int32
	value   []F
}

// listed reports whether the rows of z are kept as lists.
func listed(z gram.Samples[float64]) bool {
	m, d := z.Dims()
	return z.IsSparse() && float64(z.NNZ())*sparseShare < float64(m)*float64(d) && z.NNZ() <= math.MaxInt32
}

// newLists returns the lists of the rows of z, those by column only if columns is set.
func newLists[F gram.Float](z gram.Samples[float64], columns bool) *lists[F] {
	m, nnz := z.N(), z.NNZ()
	l := &lists[F]{first: make([]int, 1, m+1), col: make([]int32, 0, nnz), val: make([]F, 0, nnz)}
	for i := range m {
		l.add(z.Nonzeros(i))
	}
	if columns {
		l.sortByColumn()
	}
	return l
}

// add appends a row. val is nil if all values are 1.
func (l *lists[F]) add(col []int32, val []float64) {
	l.col = append(l.col, col...)
	l.val = appendValues(l.val, len(col), val)
	l.first = append(l.first, len(l.col))
}

// appendValues appends n values, which are 1 if val is nil.
func appendValues[F gram.Float](to []F, n int, val []float64) []F {
	for k := range n {
		v := F(1)
		if val != nil {
			v = F(val[k])
		}
		to = append(to, v)
	}
	return to
}

// at returns the columns and values of the nonzeros of row i, in the memory of l.
func (l *lists[F]) at(i int) (col []int32, val []F) {
	lo, hi := l.first[i], l.first[i+1]
	return l.col[lo:hi], l.val[lo:hi]
}

// sortByColumn makes the lists by column. It needs no memory that grows with the number of
// columns that a row might have.
func (l *lists[F]) sortByColumn() {
	keys := make([]uint64, len(l.col)) // column, then entry
	rows := make([]int32, len(l.col))
	for i := range len(l.first) - 1 {
		for e := l.first[i]; e < l.first[i+1]; e++ {
			keys[e], rows[e] = uint64(l.col[e])<<32|uint64(e), int32(i)
		}
	}
	slices.Sort(keys)
	l.row, l.value = make([]int32, len(keys)), make([]F, len(keys))
	for at, key := range keys {
		e := int(uint32(key))
		l.row[at], l.value[at] = rows[e], l.val[e]
		if c := int32(key >> 32); at == 0 || c != l.columns[len(l.columns)-1] {
			l.columns, l.start = append(l.columns, c), append(l.start, at)
		}
	}
	l.start = append(l.start, len(keys))
}

// pick returns the lists of the rows with the given indices.
func (l *lists[F]) pick(index []int) *lists[F] {
	to := &lists[F]{first: make([]int, 1, len(index)+1)}
	for _, i := range index {
		col, val := l.at(i)
		to.col, to.val, to.first = append(to.col, col...), append(to.val, val...), append(to.first, len(to.col)+len(col))
	}
	if l.start != nil {
		to.sortByColumn()
	}
	return to
}

// bytes returns the memory of the lists, by row and by column, in bytes.
func (l *lists[F]) bytes() int64 {
	return int64(8*(len(l.first)+len(l.start)) + 4*(len(l.col)+len(l.columns)+len(l.row)) + sizeof[F]()*(len(l.val)+len(l.value)))
}

// finite reports whether no value is NaN or ±Inf.
func (l *lists[F]) finite() bool {
	return !slices.ContainsFunc(l.val, func(v F) bool { return v-v != 0 })
}

// loadLists makes rows lo … hi−1 of lists the loaded block.
func (w *workspace[F]) loadLists(l *lists[F], lo, hi int) {
	w.col, w.val, w.first = w.col[:0], w.val[:0], w.first[:0]
	for i := lo; i < hi; i++ {
		col, val := l.at(i)
		w.first = append(w.first, len(w.val))
		w.col, w.val = append(w.col, col...), append(w.val, val...)
	}
	w.first = append(w.first, len(w.val))
}

// seek finds, for every nonzero of the loaded block of X, the entries of its column of Z
// from row jlo on. Nonzeros without such a column are left out of the block; those that
// are not finite stay, because they make NaN of the zeros of Z.
func (w *workspace[F]) seek(l *lists[F], jlo int) {
	w.from, w.to, w.wild = w.from[:0], w.to[:0], false
	kept, next := 0, 0
	for i := range len(w.first) - 1 {
		begin, end := next, w.first[i+1]
		next, w.first[i] = end, kept
		at := 0 // the columns of a row ascend
		for e := begin; e < end; e++ {
			c, v := w.col[e], w.val[e]
			k, found := slices.BinarySearch(l.columns[at:], c)
			at += k
			from, to := 0, 0
			if found {
				from, to = l.start[at], l.start[at+1]
				if jlo > 0 {
					skip, _ := slices.BinarySearch(l.row[from:to], int32(jlo))
					from += skip
				}
			}
			if v-v != 0 {
				w.wild = true
			} else if from == to {
				continue
			}
			w.col[kept], w.val[kept] = c, v
			w.from, w.to = append(w.from, from), append(w.to, to)
			kept++
		}
	}
	w.first[len(w.first)-1] = kept
	w.col, w.val = w.col[:kept], w.val[:kept]
}

// sumsOfLists computes what Sums computes for columns j … j+cols−1 of the given rows of the
// loaded block. The strips of a row come in ascending order after seek.
func (w *workspace[F]) sumsOfLists(l *lists[F], lds, i, rows, j, cols int) {
	chunk := int32(panel.Chunk[F]())
	w.part = grow(w.part, cols)
	clear(w.part)
	for r := range rows {
		out := w.strip[r*lds:][:cols]
		clear(out)
		lo, hi := w.first[i+r], w.first[i+r+1]
		for lo < hi {
			end, meet, last := lo, 0, lo
			for q := w.col[lo] / chunk; end < hi && w.col[end]/chunk == q; end++ {
				from := w.from[end]
				e := from
				for e < w.to[end] && int(l.row[e]) < j+cols {
					e++
				}
				if w.from[end] = e; e > from {
					meet, last = meet+1, end
				}
				w.met = append(w.met, from)
			}
			switch {
			case meet == 1: // a chunk of one column: its sums are its products
				v := w.val[last]
				for e := w.met[last-lo]; e < w.from[last]; e++ {
					out[int(l.row[e])-j] += F(v * l.value[e])
				}
			case meet > 1:
				for k := lo; k < end; k++ {
					from, to := w.met[k-lo], w.from[k]
					panel.SparseAxpy(w.part, w.val[k], l.value[from:to], l.row[from:to], j)
				}
				for k := lo; k < end; k++ {
					for _, at := range l.row[w.met[k-lo]:w.from[k]] {
						out[int(at)-j] += w.part[int(at)-j]
						w.part[int(at)-j] = 0
					}
				}
			}
			if w.wild {
				for k := lo; k < end; k++ {
					if v := w.val[k]; v-v != 0 {
						l.spoil(out, v, w.met[k-lo], w.from[k], j)
					}
				}
			}
			w.met, lo = w.met[:0], end
		}
	}
}

// spoil adds v·0, which is NaN, to the sums of the rows of Z that have no entry among from …
// to−1.
func (l *lists[F]) spoil(out []F, v F, from, to, j int) {
	for at := range out {
		if from < to && int(l.row[from]) == j+at {
			from++
			continue
		}
		out[at] += v * 0
	}
}

// distancesOfLists computes the sums of absolute differences of columns j … j+cols−1 of the
// given rows of the loaded block.
func (w *workspace[F]) distancesOfLists(l *lists[F], lds, i, rows, j, cols int) {
	for r := range rows {
		lo, hi := w.first[i+r], w.first[i+r+1]
		x, columns := w.val[lo:hi], w.col[lo:hi]
		for k := range cols {
			col, val := l.at(j + k)
			w.strip[r*lds+k] = absolute(columns, x, col, val)
		}
	}
}

// absolute returns Σ|x_k−z_k| over the columns of two rows, summed in chunks.
func absolute[F gram.Float](xc []int32, x []F, zc []int32, z []F) F {
	var total, sum F
	chunk := int32(panel.Chunk[F]())
	end := chunk
	for a, b := 0, 0; a < len(xc) || b < len(zc); {
		var c int32
		var t F
		switch {
		case b == len(zc) || a < len(xc) && xc[a] < zc[b]:
			c, t = xc[a], x[a]
			a++
		case a == len(xc) || zc[b] < xc[a]:
			c, t = zc[b], z[b]
			b++
		default:
			c, t = xc[a], z[b]-x[a]
			a, b = a+1, b+1
		}
		if c >= end {
			total, sum, end = total+sum, 0, c/chunk*chunk+chunk
		}
		if t < 0 {
			t = -t
		}
		sum += t
	}
	return total + sum
}
