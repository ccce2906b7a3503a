//go:build parquet

package dataset

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"math/big"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/gramworks/gram"
)

// field is a column of a binary table.
type field struct {
	name     string
	used     bool
	category bool
	reason   string // why it cannot be read
	cells    []tableCell
}

// blockRows is the largest number of rows that are read at once.
const blockRows = 1024

// columnarRows makes rows of blocks of columns.
type columnarRows struct {
	in     *input
	limit  int64 // bytes; 0: none
	fields []field
	// fill sets the cells of the used fields to those of the next rows, at most their length,
	// and returns the number of rows, or io.EOF.
	fill  func() (int, error)
	n, at int // the rows at hand, and the next of them
	seen  int
	cells []tableCell
}

// begin takes the fields and returns the places of those that it keeps: all but the ones that
// hold the index of pandas.
func (r *columnarRows) begin(fields []field) (places []int) {
	for k, f := range fields {
		if !strings.HasPrefix(f.name, "__index_level_") {
			r.fields, places = append(r.fields, f), append(places, k)
		}
	}
	r.cells = make([]tableCell, len(r.fields))
	for k := range r.cells {
		r.cells[k] = tableCell{kind: absentCell}
	}
	return places
}

func (r *columnarRows) header() []string {
	names := make([]string, len(r.fields))
	for k, f := range r.fields {
		names[k] = f.name
	}
	return names
}

func (r *columnarRows) columns() int { return len(r.fields) }

func (r *columnarRows) row() int { return r.seen }

func (r *columnarRows) place(int) (line, col int) { return 0, 0 }

func (r *columnarRows) use(k int) (category bool, reason string) {
	f := &r.fields[k]
	if f.reason != "" {
		return false, f.reason
	}
	f.used = true
	f.cells = make([]tableCell, max(16, min(blockRows, 1<<16/len(r.fields))))
	return f.category, ""
}

func (r *columnarRows) next() ([]tableCell, error) {
	for r.at == r.n {
		r.at, r.n = 0, 0
		if !slices.ContainsFunc(r.fields, func(f field) bool { return f.used }) {
			return nil, r.in.fail(0, 0, "there are no columns beside the target") // nor bytes that bound the number of rows
		}
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
func (r *columnarRows) guarded(read func() error) (err error) {
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
func (r *columnarRows) damaged(reason any) error {
	if err, is := reason.(error); is {
		var limit *gram.MemoryError // which a library has wrapped
		if errors.As(err, &limit) {
			return limit
		}
		if errors.Is(err, io.ErrUnexpectedEOF) {
			return r.in.fail(0, 0, "after row %d the file ends too early", r.seen)
		}
	}
	text, _, _ := strings.Cut(fmt.Sprint(reason), "\n")
	for _, word := range []string{"arrow/ipc: ", "arrow/array: ", "unknown error while reading: ", "could not read message schema: "} {
		if at := strings.LastIndex(text, word); at >= 0 {
			text = text[at+len(word):]
		}
	}
	if strings.HasPrefix(text, "runtime error: ") {
		return r.in.fail(0, 0, "after row %d the file is damaged", r.seen)
	}
	return r.in.fail(0, 0, "after row %d the file is damaged, or of a kind that is not supported: %s", r.seen, text)
}

// random returns the file, or what is left of a stream, which is read into memory.
func (r *columnarRows) random() (io.ReaderAt, int64, error) {
	if f := r.in.file; f != nil {
		at, err := f.Seek(0, io.SeekCurrent)
		if err == nil {
			size, err := f.Seek(0, io.SeekEnd)
			if err == nil {
				_, err = f.Seek(at, io.SeekStart)
			}
			return f, size, err
		}
	}
	from := io.Reader(r.in.r)
	if r.limit > 0 {
		from = io.LimitReader(from, r.limit+1)
	}
	data, err := io.ReadAll(from)
	if err != nil {
		return nil, 0, r.in.wrap(err, 0)
	}
	return bytes.NewReader(data), int64(len(data)), r.check(int64(len(data)))
}

// check returns an error if so many bytes are above the limit.
func (r *columnarRows) check(bytes int64) error {
	if r.limit > 0 && bytes > r.limit {
		return &gram.MemoryError{Need: bytes, Limit: r.limit}
	}
	return nil
}

// Reasons why columns are not read.
const (
	noDates  = "holds dates or times: make numbers of them (days, say), or leave the column out"
	noNested = "is nested (a list, a structure or a map): make plain columns of it, or leave it out"
	noBytes  = "holds %s, which are neither numbers nor texts: leave it out"
)

// textCell is a cell that refers to the text. An empty one is missing, as in other formats.
func textCell(text []byte) tableCell {
	if !utf8.Valid(text) {
		return refused("the cell holds bytes that are no text")
	}
	if text = bytes.TrimSpace(text); len(text) == 0 {
		return tableCell{kind: absentCell}
	}
	return tableCell{kind: namedCell, text: text}
}

func refused(reason string) tableCell { return tableCell{kind: refusedCell, text: []byte(reason)} }

// boolCell is the text that the cell is in other formats.
func boolCell(v bool) tableCell {
	if v {
		return tableCell{kind: namedCell, text: trueText}
	}
	return tableCell{kind: namedCell, text: falseText}
}

func floatCell(v float64) tableCell {
	switch {
	case v != v:
		return tableCell{kind: absentCell}
	case math.IsInf(v, 0):
		return refused("the number is not finite")
	}
	return tableCell{kind: numberCell, value: v}
}

const mostWholeDigits = 1 << 53

// tooLong is a cell with a whole number that no float64 is. As an identifier it can be kept.
func tooLong(digits string) tableCell {
	c := refused(digits + " is above 2^53 and would lose digits")
	c.written = digits
	return c
}

func intCell(v int64) tableCell {
	if v > mostWholeDigits || v < -mostWholeDigits {
		return tooLong(strconv.FormatInt(v, 10))
	}
	return tableCell{kind: numberCell, value: float64(v)}
}

func uintCell(v uint64) tableCell {
	if v > mostWholeDigits {
		return tooLong(strconv.FormatUint(v, 10))
	}
	return tableCell{kind: numberCell, value: float64(v)}
}

// decimalCell is the number nearest to v·10^−scale.
func decimalCell(v *big.Int, scale int32) tableCell {
	x, reason := number(fmt.Appendf(nil, "%se%d", v, -int64(scale)))
	if reason != "" {
		return refused(reason)
	}
	return tableCell{kind: numberCell, value: x}
}
