// Package sparse has matrices in compressed sparse row form, their products and
// their construction from triplets. A matrix takes memory and time for its entries alone; a
// CSR is a mat.Matrix of gonum, and methods of this module take it as data. Products do not depend
// on the number of goroutines.
package sparse

import (
	"fmt"
	"math"
	"slices"
	"sort"

	"gonum.org/v1/gonum/mat"
)

// CSR is an N×D matrix in compressed sparse row form. Row i has entries in the
// columns Col[Ptr[i]:Ptr[i+1]], which ascend, with the values
// Val[Ptr[i]:Ptr[i+1]]. A nil Val means that all values are 1, as in the label
// sets of multi-label data. CSR is a mat.Matrix. Memory: 8(N+1) + 4·nnz + 8·nnz
// bytes, the last term only if there is a Val.
type CSR struct {
	N, D int
	Ptr  []int
	Col  []int32
	Val  []float64
}

var (
	_ mat.Matrix         = (*CSR)(nil)
	_ mat.NonZeroDoer    = (*CSR)(nil)
	_ mat.RowNonZeroDoer = (*CSR)(nil)
)

// Dims returns the numbers N of rows and D of columns.
func (a *CSR) Dims() (n, d int) { return a.N, a.D }

// NNZ returns the number of stored entries, and 0 if Ptr is too short for the rows, which Validate
// refuses.
func (a *CSR) NNZ() int {
	if len(a.Ptr) <= a.N {
		return 0
	}
	return a.Ptr[a.N] - a.Ptr[0]
}

// Row returns the columns and values of row i, which share a's memory; val is
// nil if all values are 1.
func (a *CSR) Row(i int) (col []int32, val []float64) {
	lo, hi := a.Ptr[i], a.Ptr[i+1]
	if a.Val == nil {
		return a.Col[lo:hi:hi], nil
	}
	return a.Col[lo:hi:hi], a.Val[lo:hi:hi]
}

// At returns the entry in row i and column j, in O(log nnz(row)).
func (a *CSR) At(i, j int) float64 {
	if i < 0 || i >= a.N {
		panic("sparse: row index out of range")
	}
	if j < 0 || j >= a.D {
		panic("sparse: column index out of range")
	}
	col, val := a.Row(i)
	k := sort.Search(len(col), func(k int) bool { return int(col[k]) >= j })
	if k == len(col) || int(col[k]) != j {
		return 0
	}
	if val == nil {
		return 1
	}
	return val[k]
}

// T returns the transpose as a view that shares a's memory; Transpose makes a copy.
func (a *CSR) T() mat.Matrix { return mat.Transpose{Matrix: a} }

// Slice returns the rows lo..hi−1 as a view that shares a's memory.
func (a *CSR) Slice(lo, hi int) *CSR {
	return &CSR{N: hi - lo, D: a.D, Ptr: a.Ptr[lo : hi+1], Col: a.Col, Val: a.Val}
}

// Select returns a new matrix with copies of the given rows, in that order.
func (a *CSR) Select(rows []int) *CSR {
	s := &CSR{N: len(rows), D: a.D, Ptr: make([]int, 1, len(rows)+1)}
	if a.Val != nil {
		s.Val = []float64{}
	}
	for _, i := range rows {
		col, val := a.Row(i)
		s.Col = append(s.Col, col...)
		if a.Val != nil {
			s.Val = append(s.Val, val...)
		}
		s.Ptr = append(s.Ptr, len(s.Col))
	}
	return s
}

// DenseRow writes row i into dst, which has length D.
func (a *CSR) DenseRow(dst []float64, i int) {
	if len(dst) != a.D {
		panic("sparse: destination has the wrong length")
	}
	clear(dst)
	col, val := a.Row(i)
	if val == nil {
		for _, j := range col {
			dst[j] = 1
		}
		return
	}
	for k, j := range col {
		dst[j] = val[k]
	}
}

// Dense returns a dense N×D copy. The copy is an empty mat.Dense if a has no rows or no columns.
func (a *CSR) Dense() *mat.Dense {
	if a.N == 0 || a.D == 0 {
		return &mat.Dense{}
	}
	x := mat.NewDense(a.N, a.D, nil)
	for i := range a.N {
		a.DenseRow(x.RawRowView(i), i)
	}
	return x
}

// Validate checks everything that the methods rely on: Ptr has length N+1 and
// does not decrease, columns are below D and ascend in every row, and Val is
// nil or long enough. The error names the row. Values are not checked.
func (a *CSR) Validate() error {
	if a.N < 0 || a.D < 0 || len(a.Ptr) != a.N+1 {
		return fmt.Errorf("sparse: %d row pointers for a %d×%d matrix", len(a.Ptr), a.N, a.D)
	}
	if a.Ptr[0] < 0 || a.Ptr[a.N] > len(a.Col) || (a.Val != nil && a.Ptr[a.N] > len(a.Val)) {
		return fmt.Errorf("sparse: row pointers %d..%d outside the %d entries", a.Ptr[0], a.Ptr[a.N], len(a.Col))
	}
	for i := range a.N {
		if a.Ptr[i+1] < a.Ptr[i] || a.Ptr[i+1] > len(a.Col) {
			return fmt.Errorf("sparse: row pointer %d is %d after %d", i+1, a.Ptr[i+1], a.Ptr[i])
		}
		last := int32(-1)
		for _, j := range a.Col[a.Ptr[i]:a.Ptr[i+1]] {
			if j <= last || int(j) >= a.D {
				return fmt.Errorf("sparse: row %d has column %d after %d, want ascending columns below %d", i, j, last, a.D)
			}
			last = j
		}
	}
	return nil
}

// FromDense returns the entries of x that are not 0. NaN is kept.
func FromDense(x mat.Matrix) *CSR {
	n, d := x.Dims()
	if d > math.MaxInt32 {
		panic("sparse: more than 2147483647 columns")
	}
	a := &CSR{N: n, D: d, Ptr: make([]int, 1, n+1), Col: []int32{}, Val: []float64{}}
	row := make([]float64, d)
	for i := range n {
		if d > 0 {
			mat.Row(row, i, x)
		}
		for j, v := range row {
			if v != 0 {
				a.Col = append(a.Col, int32(j))
				a.Val = append(a.Val, v)
			}
		}
		a.Ptr = append(a.Ptr, len(a.Col))
	}
	return a
}

// Clone returns a copy that shares no memory with a.
func (a *CSR) Clone() *CSR {
	lo, hi := a.Ptr[0], a.Ptr[a.N]
	c := &CSR{N: a.N, D: a.D, Ptr: make([]int, a.N+1), Col: slices.Clone(a.Col[lo:hi])}
	for i, p := range a.Ptr {
		c.Ptr[i] = p - lo
	}
	if a.Val != nil {
		c.Val = slices.Clone(a.Val[lo:hi])
	}
	return c
}

// Columns returns a new matrix with copies of the columns lo..hi−1.
func (a *CSR) Columns(lo, hi int) *CSR {
	if lo < 0 || hi < lo || hi > a.D {
		panic("sparse: column range out of bounds")
	}
	c := &CSR{N: a.N, D: hi - lo, Ptr: make([]int, 1, a.N+1), Col: []int32{}}
	if a.Val != nil {
		c.Val = []float64{}
	}
	for i := range a.N {
		col, val := a.Row(i)
		from := sort.Search(len(col), func(k int) bool { return int(col[k]) >= lo })
		to := sort.Search(len(col), func(k int) bool { return int(col[k]) >= hi })
		for _, j := range col[from:to] {
			c.Col = append(c.Col, j-int32(lo))
		}
		if val != nil {
			c.Val = append(c.Val, val[from:to]...)
		}
		c.Ptr = append(c.Ptr, len(c.Col))
	}
	return c
}

// Transpose returns Aᵀ as a new CSR, in O(N + D + nnz). Its Val is nil if
// that of a is.
func (a *CSR) Transpose() *CSR {
	if a.N > math.MaxInt32 {
		panic("sparse: more than 2147483647 columns")
	}
	t := &CSR{N: a.D, D: a.N, Ptr: make([]int, a.D+1), Col: make([]int32, a.NNZ())}
	if a.Val != nil {
		t.Val = make([]float64, a.NNZ())
	}
	// Ptr[j+1] first counts column j. As the sum of the counts before column
	// j it then is the index for the column's next entry, and ends as the end
	// of column j.
	next := t.Ptr[1:]
	for _, j := range a.Col[a.Ptr[0]:a.Ptr[a.N]] {
		next[j]++
	}
	sum := 0
	for j, c := range next {
		next[j] = sum
		sum += c
	}
	for i := range a.N {
		col, val := a.Row(i)
		for k, j := range col {
			at := next[j]
			next[j]++
			t.Col[at] = int32(i)
			if val != nil {
				t.Val[at] = val[k]
			}
		}
	}
	return t
}

// SquaredNorms sets dst[i] to the sum of the squares of row i and returns
// dst. A nil dst is allocated.
func (a *CSR) SquaredNorms(dst []float64) []float64 {
	if dst == nil {
		dst = make([]float64, a.N)
	}
	if len(dst) != a.N {
		panic("sparse: destination has the wrong length")
	}
	for i := range dst {
		dst[i] = a.SumSquares(i)
	}
	return dst
}

// ScaleRows returns a matrix with row i multiplied by f[i]. It shares a's Ptr
// and Col.
func (a *CSR) ScaleRows(f []float64) *CSR {
	if len(f) != a.N {
		panic("sparse: not as many factors as rows")
	}
	return a.scaled(func(i int, j int32) float64 { return f[i] })
}

// ScaleColumns returns a matrix with column j multiplied by f[j]. It shares a's
// Ptr and Col.
func (a *CSR) ScaleColumns(f []float64) *CSR {
	if len(f) != a.D {
		panic("sparse: not as many factors as columns")
	}
	return a.scaled(func(i int, j int32) float64 { return f[j] })
}

func (a *CSR) scaled(factor func(i int, j int32) float64) *CSR {
	s := &CSR{N: a.N, D: a.D, Ptr: a.Ptr, Col: a.Col, Val: make([]float64, a.Ptr[a.N])}
	for i := range a.N {
		for k := a.Ptr[i]; k < a.Ptr[i+1]; k++ {
			s.Val[k] = factor(i, a.Col[k])
			if a.Val != nil {
				s.Val[k] *= a.Val[k]
			}
		}
	}
	return s
}

// DoNonZero calls f for every stored entry, row by row. gonum's interface
// mat.NonZeroDoer has this method.
func (a *CSR) DoNonZero(f func(i, j int, v float64)) {
	for i := range a.N {
		a.DoRowNonZero(i, f)
	}
}

// DoRowNonZero calls f for every stored entry of row i, in order of the
// columns.
func (a *CSR) DoRowNonZero(i int, f func(i, j int, v float64)) {
	col, val := a.Row(i)
	for k, j := range col {
		v := 1.0
		if val != nil {
			v = val[k]
		}
		f(i, int(j), v)
	}
}
