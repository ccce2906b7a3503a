package dataset

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"github.com/gramworks/gram"
	"gonum.org/v1/gonum/mat"
)

// CSV is comma-separated text whose first line holds names.
var CSV = Format{&codec{
	name:     "csv",
	about:    "text with a header; the target is the last column unless another is chosen",
	suffixes: []string{".csv", ".tsv"},
	sniff: func(head []byte) likelihood {
		if line := firstLine(head); bytes.ContainsAny(line, ",;\t") || len(bytes.Fields(line)) == 1 {
			return possible
		}
		return unlikely
	},
	target: true,
	open:   newCSV,
	write:  newCSVWriter,
	dense:  true,
	lines:  true,
	header: true,
}}

// csvSource reads CSV through encoding/csv.
type csvSource struct {
	textSource
	limit  *limiter
	r      *csv.Reader
	o      Options
	target int      // −1: none
	d      int      // features
	first  []string // the first row, if it was read to find the number of cells
	at     [][2]int // where its cells are
	line   int      // of the last record that was read whole
	val    []float64
	text   []byte // of the cell at hand
	label  []byte // of the row's target
}

// limiter makes one record of a CSV file a bounded piece of input, whatever
// quotes it holds. encoding/csv reads ahead by at most its buffer.
type limiter struct {
	r         io.Reader
	left, max int
}

var errRecord = errors.New("record too long")

func (l *limiter) Read(p []byte) (int, error) {
	if l.left <= 0 {
		return 0, errRecord
	}
	n, err := l.r.Read(p[:min(len(p), l.left)])
	l.left -= n
	return n, err
}

func (l *limiter) reset() { l.left = l.max + 1<<13 }

func newCSV(in *input, o Options) (source, error) {
	if o.Task == MultiLabel {
		return nil, wrong("Task", o.Task, o.Format)
	}
	if mark, err := in.r.Peek(3); err == nil && bytes.Equal(mark, byteOrderMark) {
		_, _ = in.r.Discard(3)
	}
	s := &csvSource{textSource: textSource{in}, o: o, target: -1}
	if o.Comma == 0 {
		o.Comma = ','
		head, _ := in.r.Peek(1 << 12)
		line, _, _ := bytes.Cut(head, []byte{'\n'})
		for _, c := range ";\t" {
			if bytes.Count(line, []byte{byte(c)}) > bytes.Count(line, []byte(string(o.Comma))) {
				o.Comma = c
			}
		}
	}
	s.limit = &limiter{r: in.r, max: o.MaxLine}
	if o.MemoryLimit > 0 { // a cell of one byte takes up to 100
		s.limit.max = int(min(int64(o.MaxLine), max(1<<16, o.MemoryLimit/128)))
	}
	s.r = csv.NewReader(s.limit)
	s.r.Comma = o.Comma
	s.r.ReuseRecord = true
	record, err := s.record()
	if err == io.EOF {
		return nil, in.fail(0, 0, "the file is empty")
	}
	if err != nil {
		return nil, err
	}
	cells := len(record)
	header := record
	if o.NoHeader {
		header = nil
		s.first = append([]string(nil), record...)
		for j := range record {
			line, col := s.r.FieldPos(j)
			s.at = append(s.at, [2]int{line, col})
		}
	}
	if o.Task != NoTarget {
		if s.target, err = pickColumn(o.Target, header, cells); err != nil {
			return nil, in.fail(1, 0, "%v", err)
		}
	} else if o.Target != "" {
		return nil, gram.Refuse("Target", o.Target, "none for the task none")
	}
	if header != nil && isRow(header, s.target) {
		return nil, in.fail(1, 1, "the first line holds numbers, not names (is there a header?)")
	}
	s.d = cells
	if s.target >= 0 {
		s.d--
	}
	switch {
	case o.Dim > 0 && s.d == o.Dim+1 && s.target < 0:
		return nil, in.fail(1, 0, "the file has %d columns, want %d (if one is the target, name it)", s.d, o.Dim)
	case o.Dim > 0 && o.Dim != s.d:
		return nil, in.fail(1, 0, "the file has %d columns beside the target, want %d", s.d, o.Dim)
	case s.d > o.MaxDim:
		return nil, in.fail(1, 0, "%d columns are above the limit of %d", s.d, o.MaxDim)
	}
	return s, nil
}

// pickColumn finds the target's column. header is nil if there is none.
func pickColumn(target string, header []string, cells int) (int, error) {
	if target == "" {
		return cells - 1, nil
	}
	found := -1
	for j, name := range header {
		if strings.TrimSpace(name) == target {
			if found >= 0 {
				return 0, fmt.Errorf("columns %d and %d are both called %q", found+1, j+1, target)
			}
			found = j
		}
	}
	if found >= 0 {
		return found, nil
	}
	k, err := strconv.Atoi(target)
	if err != nil {
		return 0, fmt.Errorf("no column is called %q", target)
	}
	if k < 1 || k > cells {
		return 0, fmt.Errorf("there is no column %d, there are %d", k, cells)
	}
	return k - 1, nil
}

// isRow reports whether the first line is a row and not a header: all its cells
// but the target's are numbers. Names that count, 0,1,2,… or 2019,2020,…, are
// names if the target's is one, too.
func isRow(record []string, target int) bool {
	last, counting, seen := 0.0, true, 0
	for j, cell := range record {
		v, reason := number([]byte(strings.TrimSpace(cell)))
		switch {
		case j == target && reason != "":
			continue
		case reason != "":
			return false
		case j == target:
			counting = false
			continue
		}
		counting = counting && v == math.Trunc(v) && (seen == 0 || v == last+1)
		last = v
		seen++
	}
	return seen == 1 || seen > 1 && !counting
}

func (s *csvSource) record() ([]string, error) {
	s.limit.reset()
	record, err := s.r.Read()
	var bad *csv.ParseError
	switch {
	case err == nil:
		s.line, _ = s.r.FieldPos(0)
		return record, nil
	case errors.As(err, &bad):
		if errors.Is(err, csv.ErrFieldCount) {
			line, _ := s.r.FieldPos(0)
			return nil, s.in.fail(line, 0, "%d cells, want %d", len(record), s.r.FieldsPerRecord)
		}
		if errors.Is(bad.Err, errRecord) {
			return nil, s.in.fail(bad.StartLine, 0, "the line is longer than the limit of %d bytes", s.limit.max)
		}
		return nil, s.in.fail(bad.Line, bad.Column, "%v", bad.Err)
	case errors.Is(err, errRecord):
		return nil, s.in.fail(s.line+1, 0, "the line is longer than the limit of %d bytes", s.limit.max)
	case err == io.EOF:
		return nil, err
	}
	return nil, s.in.wrap(err, s.line+1)
}

func (s *csvSource) size() (n, d, tags int) { return -1, s.d, -1 }

func (s *csvSource) next(r *row) error {
	record := s.first
	place := s.r.FieldPos
	if record != nil {
		s.first = nil
		place = func(j int) (line, col int) { return s.at[j][0], s.at[j][1] }
	} else {
		var err error
		if record, err = s.record(); err != nil {
			return err
		}
	}
	*r = row{dense: true, maxIndex: s.d}
	val := s.val[:0]
	for j, cell := range record {
		if j == s.target {
			r.line, r.col = place(j)
			s.label = append(s.label[:0], strings.TrimSpace(cell)...)
			if len(s.label) == 0 {
				return s.fail(r, "the target is missing")
			}
			r.target, r.hasText, r.named = s.label, true, true
			continue
		}
		s.text = append(s.text[:0], cell...)
		v, reason := number(bytes.TrimSpace(s.text))
		if reason != "" {
			line, col := place(j)
			return s.in.fail(line, col, "%s", reason)
		}
		val = append(val, v)
	}
	if s.target < 0 {
		r.line, _ = place(0)
	}
	s.val, r.val = val, val
	return nil
}

type csvWriter struct {
	w      *csv.Writer
	record []string
	row    []float64
}

func newCSVWriter(w *bufio.Writer, path string, info Info) (writer, error) {
	if info.Task == MultiLabel {
		return nil, refuse(info, "one target at most", "csv")
	}
	c := &csvWriter{w: csv.NewWriter(w), row: make([]float64, info.D)}
	if strings.HasSuffix(strings.TrimSuffix(strings.ToLower(path), ".gz"), ".tsv") {
		c.w.Comma = '\t'
	}
	for j := range info.D {
		c.record = append(c.record, "x"+strconv.Itoa(j+1))
	}
	if info.Task != NoTarget {
		c.record = append(c.record, "target")
	}
	return c, nil
}

func (c *csvWriter) write(s *Set, first int) error {
	if first == 0 {
		if err := c.w.Write(c.record); err != nil {
			return err
		}
	}
	n, _ := s.Dims()
	for i := range n {
		for j, v := range mat.Row(c.row, i, s.X) {
			if err := cell(first+i, j, v); err != nil {
				return err
			}
			c.record[j] = strconv.FormatFloat(v, 'g', -1, 64)
		}
		last := len(c.record) - 1
		switch s.Task() {
		case Classes:
			name := s.Labels.Names[s.Labels.Class[i]]
			if strings.TrimSpace(name) != name || name == "" {
				return &gram.DataError{Row: first + i, Col: -1, Reason: fmt.Sprintf("class %q cannot be written as CSV, spaces would be lost", name)}
			}
			c.record[last] = name
		case Regression:
			if err := cell(first+i, -1, s.Value[i]); err != nil {
				return err
			}
			c.record[last] = strconv.FormatFloat(s.Value[i], 'g', -1, 64)
		}
		if err := c.w.Write(c.record); err != nil {
			return err
		}
	}
	c.w.Flush()
	return c.w.Error()
}
