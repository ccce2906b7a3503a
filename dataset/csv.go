package dataset

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/settings"
	"gonum.org/v1/gonum/mat"
)

// CSV is comma-separated text whose first line holds names.
var CSV = Format{&codec{
	name:     "csv",
	summary:  "text with a header; the target is the last column unless another is chosen",
	suffixes: []string{".csv", ".tsv"},
	sniff: func(head []byte) likelihood {
		if line := firstLine(head); bytes.ContainsAny(line, ",;\t") || len(bytes.Fields(line)) == 1 {
			return possible
		}
		return unlikely
	},
	target: true,
	table:  newCSV,
	write:  newCSVWriter,
	dense:  true,
	lines:  true,
	header: true,
}}

// csvCells reads the cells of a CSV file through encoding/csv.
type csvCells struct {
	in    *textInput
	limit *limiter
	r     *csv.Reader
	n     int
	comma bool // numbers are written with a comma
	units bool // numbers may be formatted
	names []string
	first []string // the first row, if it was read to find the number of cells
	at    [][2]int // where its cells are, while it is the row at hand
	line  int      // of the last record that was read whole
	row   []Cell
	text  []byte // of the row at hand
}

// limiter makes one record of a CSV file a bounded piece of input, whatever
// quotes it holds. encoding/csv reads ahead by at most its buffer.
type limiter struct {
	r         io.Reader
	left, max int
}

var errRecord = errors.New("record too long")

// Read reads at most what is left of the record, and returns errRecord when that is nothing.
func (l *limiter) Read(p []byte) (int, error) {
	if l.left <= 0 {
		return 0, errRecord
	}
	n, err := l.r.Read(p[:min(len(p), l.left)])
	l.left -= n
	return n, err
}

func (l *limiter) reset() { l.left = l.max + 1<<13 }

func newCSV(in *textInput, o Options) (cells, error) {
	if o.Header && o.NoHeader {
		return nil, settings.Refuse("Header", true, "false beside NoHeader")
	}
	if mark, err := in.r.Peek(3); err == nil && bytes.Equal(mark, byteOrderMark) {
		_, _ = in.r.Discard(3)
	}
	if o.Comma == 0 {
		o.Comma = ','
		head, _ := in.r.Peek(1 << 12)
		line, _, _ := bytes.Cut(head, []byte{'\n'})
		for _, c := range ";\t" {
			k, most := bytes.Count(line, []byte{byte(c)}), bytes.Count(line, []byte(string(o.Comma)))
			if o.DecimalComma && o.Comma == ',' { // those of the line may be in numbers
				most = 0
			}
			if k > most {
				o.Comma = c
			}
		}
	}
	s := &csvCells{in: in, comma: o.DecimalComma, units: o.FormattedNumbers, limit: &limiter{r: in.r, max: o.MaxLine}}
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
	s.n, s.row = len(record), slices.Repeat([]Cell{{kind: writtenCell}}, len(record))
	if !o.NoHeader {
		s.names = slices.Clone(record)
		return s, nil
	}
	s.first = slices.Clone(record)
	for j := range record {
		line, col := s.r.FieldPos(j)
		s.at = append(s.at, [2]int{line, col})
	}
	return s, nil
}

// quotation says what is wrong with the quotation marks of a record.
var quotation = map[error]string{
	csv.ErrBareQuote: `a quotation mark (") stands inside a cell that does not begin with one: put the cell into quotation marks and write each mark inside twice`,
	csv.ErrQuote:     `a cell that begins with a quotation mark (") does not end with one: end it, or write each mark inside twice`,
}

// valid returns an error if a cell of the record is no text. Other readers and writers of
// the names, JSON among them, would change it.
func (c *csvCells) valid(record []string) error {
	for j, s := range record {
		if !utf8.ValidString(s) {
			line, col := c.r.FieldPos(j)
			return c.in.fail(line, col, "the cell %s is not UTF-8: save the file as UTF-8", quote([]byte(s)))
		}
	}
	return nil
}

func (c *csvCells) record() ([]string, error) {
	c.limit.reset()
	record, err := c.r.Read()
	if err == nil {
		if err := c.valid(record); err != nil {
			return nil, err
		}
	}
	var bad *csv.ParseError
	switch {
	case err == nil:
		c.line, _ = c.r.FieldPos(0)
		if c.comma || c.units {
			err = c.points(record)
		}
		return record, err
	case errors.As(err, &bad):
		if errors.Is(err, csv.ErrFieldCount) {
			line, _ := c.r.FieldPos(0)
			reason := fmt.Sprintf("%d cells, want %d", len(record), c.r.FieldsPerRecord)
			if c.line == 1 && len(record) == c.r.FieldsPerRecord+1 {
				reason += " (R's write.table gives no name to the column of row names: use write.csv, or row.names = FALSE)"
			}
			return nil, c.in.fail(line, 0, "%s", reason)
		}
		if errors.Is(bad.Err, errRecord) {
			return nil, c.in.fail(bad.StartLine, 0, "the line is longer than the limit of %d bytes", c.limit.max)
		}
		return nil, c.in.fail(bad.Line, bad.Column, "%s", cmp.Or(quotation[bad.Err], bad.Err.Error()))
	case errors.Is(err, errRecord):
		return nil, c.in.fail(c.line+1, 0, "the line is longer than the limit of %d bytes", c.limit.max)
	case err == io.EOF:
		return nil, err
	}
	return nil, c.in.wrap(err, c.line+1)
}

// points writes the numbers of a record with decimal points, and plainly.
func (c *csvCells) points(record []string) error {
	for j, s := range record {
		if c.units {
			if plain := formattedNumber(s, c.comma); plain != "" {
				record[j] = plain
				continue
			}
		}
		if !c.comma {
			continue
		}
		if point := decimalPoint(s); point != "" {
			record[j] = point
		} else if strings.Contains(s, ".") {
			if _, reason := parseNumber([]byte(strings.TrimSpace(s))); reason == "" {
				line, col := c.r.FieldPos(j)
				return c.in.fail(line, col, "%s has a decimal point, but numbers are to have decimal commas", quote([]byte(s)))
			}
		}
	}
	return nil
}

// decimalPoint returns a number that is written with a decimal comma with a point, "" if the
// text is none.
func decimalPoint(text string) string {
	before, after, found := strings.Cut(strings.TrimSpace(text), ",")
	if !found || strings.Contains(before, ".") {
		return ""
	}
	point := before + "." + after
	if _, reason := parseNumber([]byte(point)); reason != "" {
		return ""
	}
	return point
}

func (c *csvCells) header() []string { return c.names }

func (c *csvCells) columns() int { return c.n }

func (c *csvCells) close() error { return nil }

func (c *csvCells) place(j int) (line, col int) {
	if c.at != nil {
		return c.at[j][0], c.at[j][1]
	}
	return c.r.FieldPos(j)
}

func (c *csvCells) next() ([]Cell, error) {
	record := c.first
	if record != nil {
		c.first = nil
	} else {
		var err error
		if record, err = c.record(); err != nil {
			return nil, err
		}
		c.at = nil
	}
	text := c.text[:0]
	for _, s := range record {
		text = append(text, s...)
	}
	from := 0
	for j, s := range record {
		c.row[j].text = bytes.TrimSpace(text[from : from+len(s)])
		from += len(s)
	}
	c.text = text
	return c.row, nil
}

type csvWriter struct {
	w      *csv.Writer
	record []string
	row    []float64
	schema *Schema
}

func newCSVWriter(w *bufio.Writer, path string, info Info) (writer, error) {
	if info.Task == MultiLabel {
		return nil, refuse(info, "one target at most", "csv")
	}
	c := &csvWriter{w: csv.NewWriter(w), row: make([]float64, info.D), schema: info.Schema}
	if strings.HasSuffix(strings.TrimSuffix(strings.ToLower(path), ".gz"), ".tsv") {
		c.w.Comma = '\t'
	}
	target := "target"
	for j := range info.D {
		name := "x" + strconv.Itoa(j+1)
		if info.Schema.Named() {
			name, target = info.Schema.Columns[j].Name, cmp.Or(info.Schema.Target, target)
		}
		c.record = append(c.record, name)
	}
	if info.Task != NoTarget {
		c.record = append(c.record, target)
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
			if text, is := c.schema.Text(j, v); is {
				c.record[j] = text
				continue
			}
			if err := checkCell(first+i, j, v); err != nil {
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
			if err := checkCell(first+i, -1, s.Value[i]); err != nil {
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
