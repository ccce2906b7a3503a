package dataset

import (
	"fmt"
	"slices"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/internal/check"
	"github.com/gramworks/gram/sparse"
	"gonum.org/v1/gonum/mat"
)

// Set is a data set: rows of X and at most one kind of target.
type Set struct {
	Name   string
	X      mat.Matrix  // n×d, *mat.Dense or *sparse.CSR
	Value  []float64   // regression: one number per row
	Labels gram.Labels // classification: one class per row
	Tags   *sparse.CSR // multi-label: n×labels, Val nil
	Weight []float64   // weights of the rows; nil: ones
	Schema *Schema     // of the columns, if they were read from a table; else nil

	Kept    []Texts   // the columns of Options.Keep
	Dropped int       // rows that Options.DropMissing left out when the set was read
	Unknown []Unknown // the columns with texts that Options.Schema does not have, ascending, when the set was read
}

// Texts is a column of a table as it was written.
type Texts struct {
	Name  string   // its number from 1, if the table has no names
	Cells []string // of each row, empty where one is missing
}

// Unknown counts the rows that have a text in a column which is not among its Levels.
type Unknown struct {
	Column int // of X
	Rows   int
	Text   string // of the first of them
}

// Dims returns the number of rows and columns of X.
func (s *Set) Dims() (n, d int) { return s.X.Dims() }

// Bytes is the memory that the rows and their targets take.
func (s *Set) Bytes() int64 {
	shape := s.Shape()
	rows := 8 * int64(shape.N) * int64(shape.D)
	if shape.NNZ > 0 {
		rows = 12*shape.NNZ + 8*int64(shape.N)
	}
	if s.Tags != nil {
		rows += 8*int64(len(s.Tags.Ptr)) + 4*int64(len(s.Tags.Col))
	}
	return rows + 8*int64(len(s.Labels.Class)+len(s.Value)+len(s.Weight))
}

// Task returns the kind of target that the set has: MultiLabel for Tags, Classes for Labels, Regression for Value, or NoTarget.
func (s *Set) Task() Task {
	switch {
	case s.Tags != nil:
		return MultiLabel
	case s.Labels.Class != nil:
		return Classes
	case s.Value != nil:
		return Regression
	}
	return NoTarget
}

// Shape returns the size of the problem as a Plan wants it.
func (s *Set) Shape() gram.Shape {
	shape := gram.ShapeOf(s.X, 0)
	switch s.Task() {
	case MultiLabel:
		shape.Outputs = s.Tags.D
	case Classes:
		shape.Outputs = len(s.Labels.Names)
	case Regression:
		shape.Outputs = 1
	}
	return shape
}

// Select returns a new set of the given rows, in that order. Class names stay
// as they are, also those that no row has any more.
func (s *Set) Select(rows []int) *Set {
	t := &Set{Name: s.Name, X: SelectRows(s.X, rows), Schema: s.Schema}
	if s.Value != nil {
		t.Value = make([]float64, len(rows))
		for k, i := range rows {
			t.Value[k] = s.Value[i]
		}
	}
	if s.Labels.Class != nil {
		t.Labels = gram.Labels{Class: make([]int, len(rows)), Names: s.Labels.Names}
		for k, i := range rows {
			t.Labels.Class[k] = s.Labels.Class[i]
		}
	}
	if s.Tags != nil {
		t.Tags = s.Tags.Select(rows)
	}
	if s.Weight != nil {
		t.Weight = make([]float64, len(rows))
		for k, i := range rows {
			t.Weight[k] = s.Weight[i]
		}
	}
	for _, c := range s.Kept {
		cells := make([]string, len(rows))
		for k, i := range rows {
			cells[k] = c.Cells[i]
		}
		t.Kept = append(t.Kept, Texts{c.Name, cells})
	}
	return t
}

// Balanced returns weights of the rows with which every class counts the same: n/(k·n_c)
// for the n_c of n rows that have class c, one of the k classes with rows. The weights sum
// to n. It returns nil if the set has no classes.
func (s *Set) Balanced() []float64 {
	if s.Labels.Class == nil {
		return nil
	}
	count := make([]float64, len(s.Labels.Names))
	var classes float64
	for _, c := range s.Labels.Class {
		if count[c] == 0 {
			classes++
		}
		count[c]++
	}
	w := make([]float64, len(s.Labels.Class))
	for i, c := range s.Labels.Class {
		w[i] = float64(len(w)) / (classes * count[c])
	}
	return w
}

// SelectRows returns a new matrix of the given rows of x, in that order: a
// *sparse.CSR if x is one, else a *mat.Dense.
func SelectRows(x mat.Matrix, rows []int) mat.Matrix {
	if a := gram.CSR(x); a != nil {
		return a.Select(rows)
	}
	_, d := x.Dims()
	if len(rows) == 0 || d == 0 {
		return &mat.Dense{}
	}
	out := mat.NewDense(len(rows), d, nil)
	for k, i := range rows {
		mat.Row(out.RawRowView(k), i, x)
	}
	return out
}

// Append returns a new set with the rows of s followed by those of t. Both have
// the same number of columns, the same levels of categories and the same task; classes
// are matched by name, and the names of the result are those of both. Rows of a set without weights have
// weight 1. Columns of Options.Keep are kept if both sets have the same ones.
func (s *Set) Append(t *Set) (*Set, error) {
	n, d := s.Dims()
	m, e := t.Dims()
	if d != e || s.Task() != t.Task() {
		return nil, fmt.Errorf("dataset: %d columns (%v) cannot be joined with %d columns (%v)", d, s.Task(), e, t.Task())
	}
	if !s.Schema.same(t.Schema) {
		return nil, fmt.Errorf("dataset: the columns of the sets are of other kinds or have other levels")
	}
	out := &Set{Name: s.Name, Schema: s.Schema}
	if a, b := gram.CSR(s.X), gram.CSR(t.X); a != nil && b != nil {
		out.X = appendCSR(a, b)
	} else {
		x := mat.NewDense(n+m, d, nil)
		for i := range n {
			mat.Row(x.RawRowView(i), i, s.X)
		}
		for i := range m {
			mat.Row(x.RawRowView(n+i), i, t.X)
		}
		out.X = x
	}
	switch s.Task() {
	case Regression:
		out.Value = append(append([]float64{}, s.Value...), t.Value...)
	case Classes:
		rows := make([]string, 0, n+m)
		for _, l := range []gram.Labels{s.Labels, t.Labels} {
			for _, c := range l.Class {
				rows = append(rows, l.Names[c])
			}
		}
		out.Labels = gram.NewLabels(rows)
	case MultiLabel:
		if s.Tags.D != t.Tags.D {
			return nil, fmt.Errorf("dataset: %d labels cannot be joined with %d", s.Tags.D, t.Tags.D)
		}
		out.Tags = appendCSR(s.Tags, t.Tags)
	}
	if s.Weight != nil || t.Weight != nil {
		for _, part := range []*Set{s, t} {
			rows, _ := part.Dims()
			for i := range rows {
				v := 1.0
				if part.Weight != nil {
					v = part.Weight[i]
				}
				out.Weight = append(out.Weight, v)
			}
		}
	}
	if slices.EqualFunc(s.Kept, t.Kept, func(a, b Texts) bool { return a.Name == b.Name }) {
		for k, c := range s.Kept {
			out.Kept = append(out.Kept, Texts{c.Name, slices.Concat(c.Cells, t.Kept[k].Cells)})
		}
	}
	return out, nil
}

func appendCSR(a, b *sparse.CSR) *sparse.CSR {
	x := &sparse.CSR{N: a.N + b.N, D: a.D, Ptr: make([]int, 1, a.N+b.N+1)}
	ones := a.Val == nil && b.Val == nil
	for _, m := range []*sparse.CSR{a, b} {
		for i := range m.N {
			col, val := m.Row(i)
			x.Col = append(x.Col, col...)
			if !ones {
				if val == nil {
					for range col {
						x.Val = append(x.Val, 1)
					}
				}
				x.Val = append(x.Val, val...)
			}
			x.Ptr = append(x.Ptr, len(x.Col))
		}
	}
	if !ones && x.Val == nil {
		x.Val = []float64{}
	}
	return x
}

// widen adds columns of zeros. A CSR is changed in place.
func widen(x mat.Matrix, d int) mat.Matrix {
	if a := gram.CSR(x); a != nil {
		a.D = d
		return a
	}
	n, e := x.Dims()
	if e == d {
		return x
	}
	out := mat.NewDense(n, d, nil)
	for i := range n {
		mat.Row(out.RawRowView(i)[:e], i, x)
	}
	return out
}

// CheckTargets returns a *gram.DataError unless there is one target or class for each row,
// targets are in the range of gram.Samples, and at least two classes occur. Sets of labels,
// and rows without a target, are not looked at.
func (s *Set) CheckTargets() error {
	n, _ := s.Dims()
	switch s.Task() {
	case Regression:
		return check.Target(s.Value, n)
	case Classes:
		return check.Classes(s.Labels, n)
	}
	return nil
}
