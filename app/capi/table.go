//go:build cgo

package main

/*
#define GRAM_TYPES_ONLY
#include "gram.h"
*/
import "C"

import (
	"io"
	"math"
	"unsafe"

	"github.com/gramworks/gram/app/pipeline"
	"github.com/gramworks/gram/dataset"
)

//export gram_fit_table
func gram_fit_table(method *C.char, config **C.char, table *C.gram_table, target, task *C.char, weights *C.double, options *C.gram_options, model *C.gram_model, e *C.gram_error) C.gram_status {
	return call(e, func() error {
		a, err := asks(method, config, options, model)
		if err != nil {
			return err
		}
		defer a.end()
		read := dataset.Options{Table: true, MemoryLimit: a.Run.MemoryLimit}
		if target == nil {
			return invalid("target is NULL: it names the column that is learned")
		}
		read.Target = C.GoString(target)
		if task != nil {
			if read.Task, err = dataset.ParseTask(C.GoString(task)); err != nil {
				return invalid("%v", err)
			}
		}
		rows, err := newTable(table)
		if err != nil {
			return err
		}
		a.Set, err = dataset.ReadTable(rows.open, read)
		rows.end()
		if err != nil {
			return invalid("%v", err)
		}
		return a.fit(weights, model)
	})
}

//export gram_rows
func gram_rows(h C.gram_model, table *C.gram_table, rows *C.double, unknown *C.int64_t, e *C.gram_error) C.gram_status {
	return call(e, func() error {
		m, err := at[*pipeline.Model](h, "model that predicts")
		if err != nil {
			return err
		}
		t, err := newTable(table)
		if err != nil {
			return err
		}
		defer t.end()
		to, err := outputs[float64]("rows", unsafe.Pointer(rows), t.n, m.Dim)
		if err != nil {
			return err
		}
		read := m.Options(dataset.Options{Task: dataset.NoTarget})
		read.Storage, read.Table = dataset.Dense, true
		set, err := dataset.ReadTable(t.open, read)
		if err != nil {
			return invalid("%v", err)
		}
		if n, d := set.Dims(); n != t.n || d != m.Dim {
			return invalid("the table has %d rows and %d columns of the model, want %d and %d", n, d, t.n, m.Dim)
		}
		for i := range t.n {
			for j := range m.Dim {
				to[i*m.Dim+j] = set.X.At(i, j)
			}
		}
		if unknown == nil {
			return nil
		}
		counts, err := array[int64]("unknown", unsafe.Pointer(unknown), m.Dim)
		clear(counts)
		for _, u := range set.Unknown {
			counts[u.Column] = int64(u.Rows)
		}
		return err
	})
}

//export gram_column_name
func gram_column_name(h C.gram_model, column C.int64_t, name *C.char, size C.int64_t, length *C.int64_t, e *C.gram_error) C.gram_status {
	return call(e, func() error {
		m, err := at[*pipeline.Model](h, "model that predicts")
		if err != nil {
			return err
		}
		if column < 0 || column >= C.int64_t(m.Dim) {
			return invalid("there is no column %d of %d", int64(column), m.Dim)
		}
		text := ""
		if m.Schema.Named() {
			text = m.Schema.Columns[column].Name
		}
		return writeName(text, name, size, length)
	})
}

//export gram_arrow_read
func gram_arrow_read(stream *C.struct_ArrowArrayStream, table *C.gram_arrow, rows *C.int64_t, e *C.gram_error) C.gram_status {
	return call(e, func() error {
		if stream == nil || table == nil || rows == nil {
			return invalid("the stream, the place of the table or that of its number of rows is NULL")
		}
		*table, *rows = 0, 0
		t, n, err := importArrow(unsafe.Pointer(stream))
		if err != nil {
			return err
		}
		*table, *rows = newHandle(t), C.int64_t(n)
		return nil
	})
}

//export gram_arrow_free
func gram_arrow_free(h C.gram_arrow) {
	if held, there := handles.values.Load(uint64(h)); there {
		if t, is := held.(arrowRows); is {
			release(h)
			t.free()
		}
	}
}

// arrowRows is a table of Arrow that a handle stands for.
type arrowRows interface {
	rows() source
	free()
}

// source is where the rows of a table are read from.
type source struct {
	n    int
	open func() (dataset.Table, error) // from the first row on
	end  func()                        // must be called when they have been read
}

// table is a table in the caller's memory.
type table struct {
	n       int
	columns []column
	names   []string
}

// column is a column of one of the three kinds.
type column struct {
	category bool
	number   []float64
	integer  []int64
	place    []int32 // in levels, −1: missing
	levels   [][]byte
}

// newTable checks the table and returns its rows.
func newTable(c *C.gram_table) (source, error) {
	if c == nil {
		return source{}, invalid("the table is NULL")
	}
	n, err := number("n", c.n)
	if err != nil {
		return source{}, err
	}
	if c.arrow != 0 {
		a, err := at[arrowRows](c.arrow, "table of Arrow")
		if err != nil {
			return source{}, err
		}
		rows := a.rows()
		if rows.n != n {
			rows.end()
			return source{}, invalid("n is %d, the table of Arrow has %d rows", n, rows.n)
		}
		return rows, nil
	}
	t, err := columnsOf(c, n)
	return source{n: n, open: t.open, end: func() {}}, err
}

// columnsOf returns the table of the columns of c.
func columnsOf(c *C.gram_table, n int) (*table, error) {
	d, err := number("columns", c.columns)
	if err != nil {
		return nil, err
	}
	columns, err := array[C.gram_column]("column", unsafe.Pointer(c.column), d)
	if err != nil {
		return nil, err
	}
	t := &table{n: n}
	for k := range columns {
		from := &columns[k]
		if from.name == nil {
			return nil, invalid("the name of column %d is NULL", k+1)
		}
		t.names = append(t.names, C.GoString(from.name))
		to, err := newColumn(from, t.names[k], n)
		if err != nil {
			return nil, err
		}
		t.columns = append(t.columns, to)
	}
	return t, nil
}

// newColumn checks a column of n cells and returns it.
func newColumn(from *C.gram_column, name string, n int) (c column, err error) {
	switch from._type {
	case C.GRAM_FLOAT64:
		c.number, err = array[float64](name, from.data, n)
	case C.GRAM_INT64:
		c.integer, err = array[int64](name, from.data, n)
	case C.GRAM_TEXT, C.GRAM_CATEGORY:
		c.category = from._type == C.GRAM_CATEGORY
		count, wrong := number("count", from.count)
		if wrong != nil {
			return c, wrong
		}
		levels, wrong := array[*C.char]("levels", unsafe.Pointer(from.levels), count)
		if wrong != nil {
			return c, wrong
		}
		for l, text := range levels {
			if text == nil {
				return c, invalid("column %q: level %d is NULL", name, l)
			}
			c.levels = append(c.levels, []byte(C.GoString(text)))
		}
		if c.place, err = array[int32](name, from.data, n); err != nil {
			return c, err
		}
		for i, l := range c.place {
			if l < -1 || int(l) >= count {
				return c, invalid("column %q: row %d has level %d of %d", name, i+1, l, count)
			}
		}
	default:
		return c, invalid("column %q has the type %d", name, int32(from._type))
	}
	return c, err
}

// open returns the rows from the first one on.
func (t *table) open() (dataset.Table, error) {
	return &cursor{table: t, cells: make([]dataset.Cell, len(t.columns))}, nil
}

// cursor is a dataset.Table of the caller's columns. A row's cells are overwritten by those of the next row.
type cursor struct {
	*table
	next  int
	cells []dataset.Cell
}

// Columns returns the names of the columns.
func (c *cursor) Columns() []string { return c.names }

// Use reports whether a column is a category whatever its texts look like; all columns can be read.
func (c *cursor) Use(column int) (bool, error) { return c.columns[column].category, nil }

// Close does nothing: the memory is the caller's.
func (c *cursor) Close() error { return nil }

// Next returns the cells of the next row, which are valid until the call after it.
func (c *cursor) Next() ([]dataset.Cell, error) {
	i := c.next
	if i == c.n {
		return nil, io.EOF
	}
	c.next++
	for k, from := range c.columns {
		switch {
		case from.number != nil:
			c.cells[k] = dataset.NumberCell(from.number[i])
		case from.integer != nil:
			if v := from.integer[i]; v < -1<<53 || v > 1<<53 {
				c.cells[k] = dataset.RefusedCell("the number has more than 53 bits", "")
			} else {
				c.cells[k] = dataset.NumberCell(float64(v))
			}
		case from.place[i] < 0:
			c.cells[k] = dataset.NumberCell(math.NaN())
		default:
			c.cells[k] = dataset.TextCell(from.levels[from.place[i]])
		}
	}
	return c.cells, nil
}
