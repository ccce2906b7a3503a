package columnar

import (
	"errors"
	"fmt"
	"io"
	"math/big"
	"runtime/debug"
	"strconv"
	"strings"
	"time"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/dataset"
)

// field is a column of a binary table.
type field struct {
	name     string
	used     bool
	category bool
	reason   string // why it cannot be read
	cells    []dataset.Cell
}

// blockRows is the largest number of rows that are read at once.
const blockRows = 1024

// blocks reads a table that is stored by column, a block at a time, and gives its rows.
type blocks struct {
	in     *dataset.Input
	fail   func(format string, args ...any) error // makes an error of the table
	fields []field
	// fill sets the cells of the used fields to those of the next rows, at most their length,
	// and returns the number of rows, or io.EOF. A field is used.
	fill  func() (int, error)
	n, at int // the rows at hand, and the next of them
	seen  int
	cells []dataset.Cell
}

// begin takes the fields and returns the places of those that it keeps: all but the ones that
// hold the index of pandas.
func (r *blocks) begin(fields []field) (places []int) {
	for k, f := range fields {
		if !strings.HasPrefix(f.name, "__index_level_") {
			r.fields, places = append(r.fields, f), append(places, k)
		}
	}
	r.cells = make([]dataset.Cell, len(r.fields))
	for k := range r.cells {
		r.cells[k] = dataset.Cell{}
	}
	return places
}

// Columns returns the names of the fields.
func (r *blocks) Columns() []string {
	names := make([]string, len(r.fields))
	for k, f := range r.fields {
		names[k] = f.name
	}
	return names
}

// Use asks for the cells of field k.
func (r *blocks) Use(k int) (category bool, err error) {
	f := &r.fields[k]
	if f.reason != "" {
		return false, errors.New(f.reason)
	}
	f.used = true
	f.cells = make([]dataset.Cell, max(16, min(blockRows, 1<<16/len(r.fields))))
	return f.category, nil
}

// Next returns the cells of the next row.
func (r *blocks) Next() ([]dataset.Cell, error) {
	for r.at == r.n {
		r.at, r.n = 0, 0
		err := r.guarded(func() (err error) { r.n, err = r.fill(); return err })
		if err == nil && r.n < 0 {
			err = r.damaged("it has a negative number of rows")
		}
		if err != nil {
			return nil, err
		}
	}
	for k := range r.fields {
		if r.fields[k].used {
			r.cells[k] = r.fields[k].cells[r.at]
		}
	}
	r.at++
	r.seen++
	return r.cells, nil
}

// guarded calls read, which calls a library that may panic, or read where no memory is, if the
// file is damaged. That becomes an error.
func (r *blocks) guarded(read func() error) (err error) {
	before := debug.SetPanicOnFault(true)
	defer func() {
		debug.SetPanicOnFault(before)
		if reason := recover(); reason != nil {
			err = r.damaged(reason)
		}
	}()
	return read()
}

// damaged is an error about what a library says of the file. What it says of itself, in errors of
// the runtime and before the last of these words, is left out.
func (r *blocks) damaged(reason any) error {
	if err, is := reason.(error); is {
		var limit *gram.MemoryError // which a library has wrapped
		if errors.As(err, &limit) {
			return limit
		}
		if errors.Is(err, io.ErrUnexpectedEOF) {
			return r.fail("after row %d the file ends too early", r.seen)
		}
	}
	text, _, _ := strings.Cut(fmt.Sprint(reason), "\n")
	for _, word := range []string{"arrow/ipc: ", "arrow/array: ", "unknown error while reading: ", "could not read message schema: "} {
		if at := strings.LastIndex(text, word); at >= 0 {
			text = text[at+len(word):]
		}
	}
	if strings.HasPrefix(text, "runtime error: ") {
		return r.fail("after row %d the file is damaged", r.seen)
	}
	return r.fail("after row %d the file is damaged, or of a kind that is not supported: %s", r.seen, text)
}

// check returns an error if so many bytes are above the limit.
func (r *blocks) check(bytes int64) error {
	if bytes > r.in.Memory {
		return &gram.MemoryError{Need: bytes, Limit: r.in.Memory}
	}
	return nil
}

// Reasons why columns are not read.
const (
	noDates  = "holds times of day or durations: make numbers of them (hours, say), or leave the column out"
	noNested = "is nested (a list, a structure or a map): make plain columns of it, or leave it out"
	noBytes  = "holds %s, which are neither numbers nor texts: leave it out"
)

// dateCell is the text of a moment that is so many units after 1970-01-01 UTC, of which a second has
// some, in the spelling of text formats. It has microseconds; what is finer is cut off.
func dateCell(v, perSecond int64) dataset.Cell {
	seconds, rest := v/perSecond, v%perSecond
	if rest < 0 {
		seconds, rest = seconds-1, rest+perSecond
	}
	t := time.Unix(seconds, rest*(1e9/perSecond)).UTC().Truncate(time.Microsecond)
	switch {
	case t.Year() < 1 || t.Year() > 9999:
		return dataset.RefusedCell("a date outside of the years 1 to 9999", strconv.FormatInt(v, 10))
	case t.Equal(t.Truncate(24 * time.Hour)):
		return dataset.TextCell(t.AppendFormat(nil, time.DateOnly))
	}
	return dataset.TextCell(t.AppendFormat(nil, "2006-01-02T15:04:05.999999"))
}

// dayCell is the text of a day after 1970-01-01.
func dayCell(days int32) dataset.Cell { return dateCell(int64(days)*24*60*60, 1) }

var falseText, trueText = []byte("false"), []byte("true")

// boolCell is the text that the cell is in other formats.
func boolCell(v bool) dataset.Cell {
	if v {
		return dataset.TextCell(trueText)
	}
	return dataset.TextCell(falseText)
}

const mostWholeDigits = 1 << 53

// tooLong is a cell with a whole number that no float64 is. As an identifier it can be kept.
func tooLong(digits string) dataset.Cell {
	return dataset.RefusedCell(digits+" is above 2^53 and would lose digits", digits)
}

func intCell(v int64) dataset.Cell {
	if v > mostWholeDigits || v < -mostWholeDigits {
		return tooLong(strconv.FormatInt(v, 10))
	}
	return dataset.NumberCell(float64(v))
}

func uintCell(v uint64) dataset.Cell {
	if v > mostWholeDigits {
		return tooLong(strconv.FormatUint(v, 10))
	}
	return dataset.NumberCell(float64(v))
}

// decimalCell returns the float64 nearest to v·10^−scale, or a refused cell if that is out of range.
func decimalCell(v *big.Int, scale int32) dataset.Cell {
	text := fmt.Sprintf("%se%d", v, -int64(scale))
	x, err := strconv.ParseFloat(text, 64)
	if err == nil {
		return dataset.NumberCell(x)
	}
	if len(text) > 40 {
		return dataset.RefusedCell(fmt.Sprintf("%.40q… is out of range", text), "")
	}
	return dataset.RefusedCell(fmt.Sprintf("%q is out of range", text), "")
}
