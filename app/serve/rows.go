package serve

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/gramworks/gram/sparse"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"
)

// badRow says what is wrong with a row. column counts from 1; 0 stands for the
// whole row.
type badRow struct {
	column int
	name   string // of the column, if it has one
	reason string
}

// Error names the column, where one is wrong, and the reason.
func (e *badRow) Error() string {
	if e.name != "" {
		return fmt.Sprintf("column %q: %s", e.name, e.reason)
	}
	if e.column > 0 {
		return fmt.Sprintf("column %d: %s", e.column, e.reason)
	}
	return e.reason
}

func badf(column int, format string, args ...any) error {
	return &badRow{column: column, reason: fmt.Sprintf(format, args...)}
}

// batch gathers rows of dim columns, dense or sparse.
type batch struct {
	columns *columns
	dim, n  int
	sparse  bool
	seen    []int // by column, the number of the last row that named it, from 1
	dense   []float64
	ptr     []int
	col     []int32
	val     []float64
	entry   []entry
	view    mat.Dense // of dense
}

type entry struct {
	col   int
	value float64
}

func newBatch(c *columns, dim int, csr bool) *batch {
	b := &batch{columns: c, dim: dim, sparse: csr}
	b.reset()
	return b
}

func (b *batch) reset() {
	b.n = 0
	clear(b.seen)
	b.dense, b.ptr, b.col, b.val = b.dense[:0], append(b.ptr[:0], 0), b.col[:0], b.val[:0]
}

// matrix returns the rows; there is at least one.
func (b *batch) matrix() mat.Matrix {
	if b.sparse {
		return &sparse.CSR{N: b.n, D: b.dim, Ptr: b.ptr, Col: b.col, Val: b.val}
	}
	b.view.SetRawMatrix(blas64.General{Rows: b.n, Cols: b.dim, Stride: b.dim, Data: b.dense})
	return &b.view
}

// add appends the row in raw, which is valid JSON: an array of all cells, an object that
// maps the names of all columns to cells or, if they have no names, column numbers from 1 to
// values, or {"indices": […], "values": […]}. On an error the batch is unchanged.
func (b *batch) add(raw []byte) error {
	raw = bytes.TrimLeft(raw, space)
	b.entry = b.entry[:0]
	var err error
	switch {
	case len(raw) > 0 && raw[0] == '[':
		err = b.addArray(raw)
	case len(raw) > 0 && raw[0] == '{' && b.columns.named():
		err = b.addNamed(raw)
	case len(raw) > 0 && raw[0] == '{':
		err = b.addObject(raw)
	default:
		err = badf(0, "a row is an array of numbers or an object, not %s", kindOf(raw))
	}
	return err
}

const space = " \t\r\n"

// kindOf names the kind of a JSON value.
func kindOf(raw []byte) string {
	if len(raw) == 0 {
		return "nothing"
	}
	switch raw[0] {
	case '"':
		return "a string"
	case '[':
		return "an array"
	case '{':
		return "an object"
	case 't', 'f':
		return "a boolean"
	case 'n':
		return "null"
	}
	return "a number"
}

// number reads a JSON value that must be a number.
func number(raw []byte) (float64, error) {
	if k := kindOf(raw); k != "a number" {
		return 0, fmt.Errorf("want a number, not %s", k)
	}
	v, err := strconv.ParseFloat(string(raw), 64)
	if err != nil || math.IsInf(v, 0) {
		return 0, fmt.Errorf("%.40s is beyond the range of numbers", raw)
	}
	return v, nil
}

// elements calls use for each element of an array in valid JSON until use returns
// an error.
func elements(raw []byte, use func(i int, element []byte) error) error {
	raw = raw[1:]
	for i := 0; ; i++ {
		raw = bytes.TrimLeft(raw, space)
		if raw[0] == ']' {
			return nil
		}
		end := valueEnd(raw)
		if err := use(i, raw[:end]); err != nil {
			return err
		}
		raw = bytes.TrimLeft(raw[end:], space)
		if raw[0] == ',' {
			raw = raw[1:]
		}
	}
}

// members calls use for the members of an object in valid JSON until one returns an
// error.
func members(raw []byte, use func(key string, value []byte) error) error {
	raw = raw[1:]
	for {
		raw = bytes.TrimLeft(raw, space)
		if raw[0] == '}' {
			return nil
		}
		end := valueEnd(raw)
		key := unquote(raw[:end])
		raw = bytes.TrimLeft(raw[end:], space)
		raw = bytes.TrimLeft(raw[1:], space) // the colon
		end = valueEnd(raw)
		if err := use(key, raw[:end]); err != nil {
			return err
		}
		if raw = bytes.TrimLeft(raw[end:], space); raw[0] == ',' {
			raw = raw[1:]
		}
	}
}

// valueEnd is the length of the value at the start of raw.
func valueEnd(raw []byte) int {
	depth := 0
	for i := 0; i < len(raw); i++ {
		switch raw[i] {
		case '"':
			for i++; raw[i] != '"'; i++ {
				if raw[i] == '\\' {
					i++
				}
			}
		case '[', '{':
			depth++
		case ']', '}':
			if depth == 0 {
				return i
			}
			depth--
		case ',', ':', ' ', '\t', '\r', '\n':
			if depth == 0 {
				return i
			}
			continue
		default:
			continue
		}
		if depth == 0 {
			return i + 1
		}
	}
	return len(raw)
}

func (b *batch) addArray(raw []byte) error {
	before, nnz := len(b.dense), len(b.col)
	count := 0
	err := elements(raw, func(i int, element []byte) error {
		if i == b.dim {
			return badf(0, "more than the model's %d columns", b.dim)
		}
		v, err := b.columns.value(i, element)
		if err != nil {
			return b.columns.bad(i, err)
		}
		count++
		if !b.sparse {
			b.dense = append(b.dense, v)
		} else if v != 0 {
			b.col, b.val = append(b.col, int32(i)), append(b.val, v)
		}
		return nil
	})
	if err == nil && count != b.dim {
		err = badf(0, "%d columns, the model has %d", count, b.dim)
	}
	if err != nil {
		b.dense, b.col, b.val = b.dense[:before], b.col[:nnz], b.val[:nnz]
		return err
	}
	b.end()
	return nil
}

// addCells appends a row of the cells that cell returns, column after column.
func (b *batch) addCells(cell func(j int) (float64, error)) error {
	before, nnz := len(b.dense), len(b.col)
	for j := range b.dim {
		v, err := cell(j)
		switch {
		case err != nil:
			b.dense, b.col, b.val = b.dense[:before], b.col[:nnz], b.val[:nnz]
			return b.columns.bad(j, err)
		case !b.sparse:
			b.dense = append(b.dense, v)
		case v != 0:
			b.col, b.val = append(b.col, int32(j)), append(b.val, v)
		}
	}
	b.end()
	return nil
}

func (b *batch) end() {
	b.n++
	if b.sparse {
		b.ptr = append(b.ptr, len(b.col))
	}
}

// addNamed appends a row whose keys are the names of columns. A sparse model takes indices
// and values, too.
func (b *batch) addNamed(raw []byte) error {
	c := b.columns
	if _, is := c.place["indices"]; !is && isPairs(raw) {
		if c.schema.Mixed() {
			return badf(0, "indices and values are for models of numbers: this one has categories or missing cells")
		}
		return b.addObject(raw)
	}
	if b.seen == nil {
		b.seen = make([]int, b.dim)
	}
	count := 0
	err := members(raw, func(key string, value []byte) error {
		j, known := c.place[key]
		switch {
		case !known && c.ignored(key):
			return nil
		case !known:
			return c.unknown(key)
		case b.seen[j] == b.n+1:
			return c.bad(j, errors.New("is there twice"))
		}
		v, err := c.value(j, value)
		if err != nil {
			return c.bad(j, err)
		}
		b.seen[j] = b.n + 1
		b.entry = append(b.entry, entry{j + 1, v})
		count++
		return nil
	})
	if err == nil && count < b.dim {
		err = b.lacking()
	}
	if err != nil {
		for _, e := range b.entry { // the next row has the same number
			b.seen[e.col-1] = 0
		}
		return err
	}
	return b.addEntries()
}

// lacking names the first column that the row at hand does not have.
func (b *batch) lacking() error {
	j := slices.IndexFunc(b.seen, func(row int) bool { return row != b.n+1 })
	return b.columns.bad(j, errors.New("is not there; null stands for a missing cell"))
}

// isPairs reports whether the first key of an object is indices or values.
func isPairs(raw []byte) bool {
	raw = bytes.TrimLeft(raw[1:], space)
	return bytes.HasPrefix(raw, []byte(`"indices"`)) || bytes.HasPrefix(raw, []byte(`"values"`))
}

func (b *batch) addObject(raw []byte) error {
	var indices, values []byte
	err := members(raw, func(key string, value []byte) error {
		switch {
		case key == "indices" && indices == nil:
			indices = value
		case key == "values" && values == nil:
			values = value
		case key == "indices" || key == "values":
			return badf(0, "%s is there twice", key)
		default:
			col, err := strconv.Atoi(key)
			if err != nil {
				return badf(0, "%.40q is no column: the keys are column numbers from 1, or indices and values", key)
			}
			v, err := number(value)
			if err != nil {
				return badf(max(col, 0), "%v", err)
			}
			b.entry = append(b.entry, entry{col, v})
		}
		return nil
	})
	if err != nil {
		return err
	}
	if indices != nil || values != nil {
		if len(b.entry) > 0 {
			return badf(0, "column numbers beside indices and values")
		}
		if err := b.pairs(indices, values); err != nil {
			return err
		}
	}
	return b.addEntries()
}

// pairs reads a sparse row: an array of columns and an array of as many values.
func (b *batch) pairs(indices, values []byte) error {
	if kindOf(indices) != "an array" || kindOf(values) != "an array" {
		return badf(0, "indices and values are two arrays")
	}
	err := elements(indices, func(i int, element []byte) error {
		if i == b.dim {
			return badf(0, "more indices than the model's %d columns", b.dim)
		}
		col, err := strconv.Atoi(string(element))
		if err != nil {
			return badf(0, "index %d is %.40s, want a column number", i+1, element)
		}
		b.entry = append(b.entry, entry{col: col})
		return nil
	})
	if err != nil {
		return err
	}
	n := 0
	err = elements(values, func(i int, element []byte) error {
		if i == len(b.entry) {
			return badf(0, "more values than indices")
		}
		v, err := number(element)
		if err != nil {
			return badf(max(b.entry[i].col, 0), "%v", err)
		}
		b.entry[i].value = v
		n++
		return nil
	})
	if err == nil && n < len(b.entry) {
		err = badf(0, "%d indices and %d values", len(b.entry), n)
	}
	return err
}

func byColumn(a, b entry) int { return a.col - b.col }

// addEntries appends the row that b.entry holds, sorted by column; a column that is out of range or there twice is an error.
func (b *batch) addEntries() error {
	if !slices.IsSortedFunc(b.entry, byColumn) {
		slices.SortFunc(b.entry, byColumn)
	}
	for i, e := range b.entry {
		if e.col < 1 || e.col > b.dim {
			return badf(0, "column %d: the model has columns 1 to %d", e.col, b.dim)
		}
		if i > 0 && e.col == b.entry[i-1].col {
			return badf(e.col, "is there twice")
		}
	}
	if b.sparse {
		for _, e := range b.entry {
			b.col, b.val = append(b.col, int32(e.col-1)), append(b.val, e.value)
		}
	} else {
		from := len(b.dense)
		b.dense = slices.Grow(b.dense, b.dim)[:from+b.dim]
		row := b.dense[from:]
		clear(row)
		for _, e := range b.entry {
			row[e.col-1] = e.value
		}
	}
	b.end()
	return nil
}
