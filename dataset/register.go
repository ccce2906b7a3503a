package dataset

import (
	"bufio"
	"bytes"
	"cmp"
	"errors"
	"io"
	"math"
	"strings"
	"unicode/utf8"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/internal/machine"
)

// RegisterTable sets the reader of Parquet or of Arrow. Package dataset knows these formats by
// name and by their first bytes, but their readers need libraries that few programs want. The
// package app/columnar has the readers and registers them when it is imported.
//
// open reads what is before the first row. RegisterTable is called from an init function as a
// rule, but it may be called while files are read. It panics if f is another format or has a
// reader already, and if open is nil.
func RegisterTable(f Format, open func(in *Input) (Table, error)) {
	switch {
	case open == nil:
		panic("dataset: RegisterTable of no reader")
	case f.codec == nil || f.reader == nil:
		panic("dataset: RegisterTable of the format " + f.String() + ", which takes no reader")
	case !f.reader.CompareAndSwap(nil, &open):
		panic("dataset: RegisterTable of the format " + f.String() + " for the second time")
	}
}

// Table reads the rows of a file whose columns have names and types of their own. Package dataset
// calls its methods one after the other. An error that is neither a *ParseError nor a
// *gram.MemoryError is taken for one of reading the file, and gets its name.
type Table interface {
	// Columns returns the names of the columns, in the order in which Next returns their cells.
	Columns() []string
	// Use asks for the cells of a column, before the first row; those of other columns may be
	// missing. category says that the cells are a category's whatever they look like. The error
	// says why the column cannot be read, in words that go on after its name.
	Use(column int) (category bool, err error)
	// Next returns the cells of the next row, one for each column, or io.EOF. They are valid
	// until the call after it.
	Next() ([]Cell, error)
	// Close releases what the reader holds. It does not close the file.
	Close() error
}

// Grouped is a Table whose rows lie in groups, each of which can be read without those before it. Items cuts
// such files between groups.
type Grouped interface {
	Table
	// Groups returns the size of each group, in the order of the file.
	Groups() []Group
	// Select makes Next return the rows of the groups lo … hi−1 alone. It is called before the first row, and at most once.
	Select(lo, hi int)
}

// Group is a group of rows of a file.
type Group struct {
	Rows  int64
	Bytes int64 // of the file, about
}

// Input is a file that a Table is read from.
type Input struct {
	// Reader reads the file. What was compressed with gzip has been unpacked.
	Reader *bufio.Reader
	// Memory is the number of bytes that the reader may hold at a time. It is above 0.
	Memory int64

	in *textInput
}

// ReaderAt returns the file and its size. What can be read only once, or is compressed, is read
// into memory from where Reader stands, and Reader begins there once more.
func (in *Input) ReaderAt() (io.ReaderAt, int64, error) {
	if f := in.in.file; f != nil {
		at, err := f.Seek(0, io.SeekCurrent)
		if err == nil {
			size, err := f.Seek(0, io.SeekEnd)
			if err == nil {
				_, err = f.Seek(at, io.SeekStart)
			}
			return f, size, err
		}
	}
	data, err := io.ReadAll(io.LimitReader(in.Reader, min(in.Memory, math.MaxInt64-1)+1))
	if err != nil {
		return nil, 0, in.in.wrap(err, 0)
	}
	size := int64(len(data))
	if size > in.Memory {
		return nil, 0, &gram.MemoryError{Need: size, Limit: in.Memory}
	}
	in.Reader = bufio.NewReader(bytes.NewReader(data))
	return bytes.NewReader(data), size, nil
}

// Errorf returns a *ParseError with the name of the file. The reason is formatted as by
// fmt.Sprintf.
func (in *Input) Errorf(format string, args ...any) error { return in.in.fail(0, 0, format, args...) }

// Cell is a cell of a Table: a number, a text, or missing. The zero value is missing.
type Cell struct {
	text  []byte  // of a refusedCell, why
	value float64 // if kind is numberCell
	kind  cellKind

	written string // the cell as it is in the file, if neither text nor value says that
}

type cellKind uint8

const (
	absentCell  cellKind = iota
	writtenCell          // text that may be a number or stand for a missing cell
	namedCell            // text that is never a number
	numericCell
	invalidCell // has a value that is not taken
)

// NumberCell returns a cell with a number. NaN is a missing cell, and an infinite number one that
// is refused.
func NumberCell(v float64) Cell {
	switch {
	case v != v:
		return Cell{}
	case math.IsInf(v, 0):
		return RefusedCell("the number is not finite", "")
	}
	return Cell{kind: numericCell, value: v}
}

// TextCell returns a cell with a text, which it does not copy. Blanks around the text are no part
// of it. An empty text is a missing cell, as in other formats, and one that is not UTF-8 is refused.
func TextCell(text []byte) Cell {
	if !utf8.Valid(text) {
		return RefusedCell("the cell holds bytes that are no text", "")
	}
	if text = bytes.TrimSpace(text); len(text) == 0 {
		return Cell{}
	}
	return Cell{kind: namedCell, text: text}
}

// RefusedCell returns a cell with a value that is an error where it is used. The reason says why.
// written is the value as a text, which Options.Keep can keep; it may be empty.
func RefusedCell(reason, written string) Cell {
	return Cell{kind: invalidCell, text: []byte(reason), written: written}
}

// missing reports whether the cell has no value.
func (c *Cell) missing() bool {
	return c.kind == absentCell || c.kind == writtenCell && MissingCell(c.text)
}

// typedCells reads the cells of a Table, whose columns have names and types.
type typedCells struct {
	in    *textInput
	table Table
	names []string
	used  bool // a column is
	n     int  // rows that were read
}

// openTyped opens the registered reader of the format.
func openTyped(in *textInput, o Options) (cells, error) {
	open := o.Format.reader.Load()
	if open == nil {
		name := o.Format.String()
		return nil, in.fail(0, 0, "this program was built without %s: build it with -tags parquet (go build -tags parquet ./app/cmd/gram; in a program of your own import github.com/gramworks/gram/app/columnar), or convert the file to CSV", strings.ToUpper(name[:1])+name[1:])
	}
	t, err := (*open)(&Input{Reader: in.r, Memory: cmp.Or(max(0, o.MemoryLimit), machine.Memory(), math.MaxInt32), in: in})
	if err != nil {
		return nil, in.typedError(err)
	}
	return &typedCells{in: in, table: t, names: t.Columns()}, nil
}

// ReadTable reads a data set from a Table that is no file: what its columns are taken for, and what is refused, is as
// for Parquet and Arrow. open is called once or twice, and gives the rows from the first one on.
func ReadTable(open func() (Table, error), o Options) (*Set, error) {
	o.rows, o.Format = open, Arrow
	return Read(strings.NewReader(""), o)
}

// openTable opens the cells of a file, or those of ReadTable.
func openTable(in *textInput, o Options) (cells, error) {
	if o.rows == nil {
		return o.Format.table(in, o)
	}
	t, err := o.rows()
	if err != nil {
		return nil, err
	}
	return &typedCells{in: in, table: t, names: t.Columns()}, nil
}

// typedError is an error of a Table: what is none of the file's contents has come from reading it.
func (in *textInput) typedError(err error) error {
	var parse *ParseError
	var limit *gram.MemoryError
	if errors.As(err, &parse) || errors.As(err, &limit) {
		return err
	}
	return in.wrap(err, 0)
}

func (t *typedCells) header() []string { return t.names }

func (t *typedCells) columns() int { return len(t.names) }

func (t *typedCells) place(int) (line, col int) { return 0, 0 }

// use asks for the cells of column k; see Table.
func (t *typedCells) use(k int) (category bool, err error) {
	t.used = true
	return t.table.Use(k)
}

func (t *typedCells) next() ([]Cell, error) {
	if !t.used { // no bytes bound the number of rows
		return nil, t.in.fail(0, 0, "there are no columns beside the target")
	}
	row, err := t.table.Next()
	switch {
	case err == io.EOF:
		return nil, err
	case err != nil:
		return nil, t.in.typedError(err)
	}
	t.n++
	return row, nil
}

func (t *typedCells) close() error { return t.table.Close() }
