package batch

import (
	"fmt"
	"slices"
	"sync"

	"github.com/gramworks/gram/asm/gemm"
	"github.com/gramworks/gram/asm/lanes"
	"gonum.org/v1/gonum/blas/blas64"
)

// MaxOrder is the largest number of rows and of columns of a matrix.
const MaxOrder = 32

// Matrices are Count matrices of Rows rows and Cols columns: element (i, j) of matrix q is Data[q·Step+i·Stride+j], or
// Each[q][i·Stride+j] if Each is not nil, for matrices that lie apart; Step and Data have no meaning then. The bits of a result are the
// same. Where matrices are only read they may overlap; with Step 0 one matrix takes the place of all.
type Matrices struct {
	Count, Rows, Cols int
	Stride, Step      int
	Data              []float64
	Each              [][]float64
}

// from returns the elements from matrix q on.
func (m Matrices) from(q int) []float64 {
	if m.Each != nil {
		return m.Each[q]
	}
	return m.Data[q*m.Step:]
}

// New returns count matrices of zeros. It panics if count is negative, or rows or cols not in [0, MaxOrder].
func New(count, rows, cols int) Matrices {
	if count < 0 {
		panic("batch: negative number of matrices")
	}
	if min(rows, cols) < 0 || max(rows, cols) > MaxOrder {
		panic("batch: order out of range")
	}
	return Matrices{Count: count, Rows: rows, Cols: cols, Stride: cols, Step: rows * cols, Data: make([]float64, count*rows*cols)}
}

// At returns matrix q, which shares the memory of m. It panics if q is not in [0, Count).
func (m Matrices) At(q int) blas64.General {
	if q < 0 || q >= m.Count {
		panic("batch: no such matrix")
	}
	return blas64.General{Rows: m.Rows, Cols: m.Cols, Stride: max(1, m.Stride), Data: m.from(q)}
}

// Slice returns matrices lo to hi−1, which share the memory of m. It panics if they do not exist.
func (m Matrices) Slice(lo, hi int) Matrices {
	if lo < 0 || hi < lo || hi > m.Count {
		panic("batch: no such matrices")
	}
	m.Count = hi - lo
	switch {
	case m.Each != nil:
		m.Each = m.Each[lo:hi]
	case m.Count > 0:
		m.Data = m.Data[lo*m.Step:]
	}
	return m
}

// check panics if m is no batch, or, if it is written, its matrices overlap. Whether those of Each do is not looked at.
func (m Matrices) check(name string, written bool) {
	size := (m.Rows-1)*m.Stride + m.Cols // of a matrix
	switch {
	case m.Count < 0 || min(m.Rows, m.Cols) < 0 || max(m.Rows, m.Cols) > MaxOrder:
		panic("batch: order out of range of " + name)
	case m.Count == 0 || m.Rows == 0 || m.Cols == 0:
	case m.Stride < m.Cols || m.Each == nil && m.Step < 0:
		panic("batch: bad stride of " + name)
	case m.Each != nil:
		if len(m.Each) < m.Count || slices.ContainsFunc(m.Each[:m.Count], func(x []float64) bool { return len(x) < size }) {
			panic("batch: insufficient length of " + name)
		}
	case written && m.Count > 1 && m.Step < size:
		panic("batch: overlapping matrices of " + name)
	case len(m.Data) < (m.Count-1)*m.Step+size:
		panic("batch: insufficient length of " + name)
	}
}

// A group holds eight matrices of a batch, interleaved.
type group struct {
	x          []float64
	rows, cols int
}

// load copies up to eight matrices of m, from matrix q on, and returns how many. The lanes of others keep what
// they had.
func (g *group) load(m Matrices, q int) int {
	count := min(lanes.Width, m.Count-q)
	if m.Each != nil {
		for l, x := range m.Each[q : q+count] {
			for i := range m.Rows {
				to := g.x[i*m.Cols*lanes.Width+l:]
				for j, v := range x[i*m.Stride:][:m.Cols] {
					to[j*lanes.Width] = v
				}
			}
		}
		return count
	}
	from := m.Data[q*m.Step:]
	if m.Stride == m.Cols || m.Rows == 1 {
		gemm.Transpose(g.x, lanes.Width, from, m.Step, count, m.Rows*m.Cols)
		return count
	}
	for i := range m.Rows {
		gemm.Transpose(g.x[i*m.Cols*lanes.Width:], lanes.Width, from[i*m.Stride:], m.Step, count, m.Cols)
	}
	return count
}

// store copies the matrices back but those whose bits are set in failed.
func (g *group) store(m Matrices, q, failed int) {
	count := min(lanes.Width, m.Count-q)
	if m.Each == nil && failed == 0 && (m.Stride == m.Cols || m.Rows == 1) {
		gemm.Transpose(m.from(q), m.Step, g.x, lanes.Width, m.Rows*m.Cols, count)
		return
	}
	for l := range count {
		if failed>>l&1 == 0 {
			to := m.from(q + l)
			for i := range m.Rows {
				for j := range m.Cols {
					to[i*m.Stride+j] = g.x[(i*m.Cols+j)*lanes.Width+l]
				}
			}
		}
	}
}

var spaces sync.Pool // of *[]float64

// groups returns memory for matrices of the given numbers of elements, and what gives it back.
func groups(elements int) (x []float64, done func()) {
	p, _ := spaces.Get().(*[]float64)
	if p == nil || len(*p) < elements*lanes.Width {
		space := make([]float64, elements*lanes.Width)
		p = &space
	}
	return *p, func() { spaces.Put(p) }
}

// An Error says why a matrix of a batch has no result.
type Error struct {
	Matrix int // its number, from 0
	Err    error
}

// Error names the matrix, counted from 0, and the reason.
func (e *Error) Error() string { return fmt.Sprintf("matrix %d: %v", e.Matrix, e.Err) }

// Unwrap returns why the matrix has no result.
func (e *Error) Unwrap() error { return e.Err }

// Errors has an error for each matrix that has no result, in ascending order of their numbers.
type Errors []*Error

// Error names the first matrix and the number of others.
func (e Errors) Error() string {
	if len(e) == 1 {
		return "batch: " + e[0].Error()
	}
	return fmt.Sprintf("batch: %v, and %d more matrices without result", e[0], len(e)-1)
}

// Unwrap returns the errors of the matrices, so that errors.As and errors.Is find them.
func (e Errors) Unwrap() []error {
	all := make([]error, len(e))
	for i, x := range e {
		all[i] = x
	}
	return all
}

// or returns e, or nil if it is empty.
func (e Errors) or() error {
	if len(e) == 0 {
		return nil
	}
	return e
}
