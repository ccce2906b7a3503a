package dataset

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strconv"
)

// JSONLines is text with a JSON object or array in each line.
var JSONLines = Format{&codec{
	name:     "jsonl",
	summary:  "a JSON object of named cells, or an array of cells, in each line; a table like CSV",
	suffixes: []string{".jsonl", ".ndjson"},
	sniff: func(head []byte) likelihood {
		line := firstLine(head)
		if len(line) > 1 && (line[0] == '{' || line[0] == '[' && line[len(line)-1] == ']') || isDocument(line) != "" {
			return likely
		}
		return unlikely
	},
	target: true,
	table:  newJSONLines,
	dense:  true,
}}

// jsonCells reads a table whose rows are JSON. The first row says which columns there are.
type jsonCells struct {
	lines *lines
	names []string // nil: the rows are arrays
	index map[string]int
	row   []Cell
	seen  []bool
	first bool // the row is the first one, which has not been returned
}

func newJSONLines(in *textInput, o Options) (cells, error) {
	c := &jsonCells{lines: newLines(in, o.MaxLine), first: true}
	switch err := c.read(); err {
	case nil:
		return c, nil
	case io.EOF:
		return nil, in.fail(0, 0, "the file is empty")
	default:
		return nil, err
	}
}

func (c *jsonCells) header() []string { return c.names }

func (c *jsonCells) columns() int { return len(c.row) }

func (c *jsonCells) place(int) (line, col int) { return c.lines.number, 0 }

func (c *jsonCells) close() error { return nil }

func (c *jsonCells) next() ([]Cell, error) {
	if c.first {
		c.first = false
		return c.row, nil
	}
	return c.row, c.read()
}

// read reads the next line that is not blank into c.row. It returns io.EOF after the last line.
func (c *jsonCells) read() error {
	var line []byte
	for len(line) == 0 {
		var err error
		if line, err = c.lines.next(); err != nil {
			return err
		}
		line = bytes.TrimSpace(line)
	}
	if reason := isDocument(line); c.first && reason != "" {
		return c.lines.in.fail(c.lines.number, 0, "%s", reason)
	}
	d := json.NewDecoder(bytes.NewReader(line))
	d.UseNumber()
	err := c.parse(d)
	if err == nil {
		if _, end := d.Token(); end != io.EOF {
			err = fmt.Errorf("the line goes on after its row")
		}
	}
	if err != nil {
		return c.lines.in.fail(c.lines.number, 0, "%v", err)
	}
	return nil
}

// isDocument says what is wrong if the first line of a file is not a row but begins one JSON value
// for all of them, or a row that is spread over lines.
func isDocument(line []byte) string {
	if len(line) == 0 {
		return ""
	}
	rest := bytes.TrimSpace(line[1:])
	switch {
	case line[0] == '[' && (len(rest) == 0 || rest[0] == '{' || rest[0] == '['):
		return "the file is one JSON array: write each row in a line of its own, as jq -c '.[]' does"
	case line[0] == '{' && len(rest) == 0:
		return "the row goes on in the next line: write each row in a line of its own, as jq -c . does"
	}
	return ""
}

// parse reads the object or array of a row into c.row. The first row fixes which of them the rows are, and the names or the
// number of the cells; keys that an object leaves out are missing cells.
func (c *jsonCells) parse(d *json.Decoder) error {
	begin, err := d.Token()
	object := begin == json.Delim('{')
	switch {
	case err != nil:
		return notJSON(err)
	case !object && begin != json.Delim('['):
		return fmt.Errorf("a row is an object or an array, not %v", begin)
	case !c.first && object != (c.names != nil):
		return fmt.Errorf("some rows are objects, others are arrays")
	}
	if c.first && object {
		c.names, c.index = []string{}, map[string]int{}
	}
	for j := range c.row {
		c.row[j] = Cell{}
		c.seen[j] = false
	}
	count := 0
	for d.More() {
		j := count
		count++
		if object {
			key, err := d.Token()
			if err != nil {
				return notJSON(err)
			}
			if j, err = c.column(key.(string)); err != nil {
				return err
			}
		} else if c.first {
			c.row, c.seen = append(c.row, Cell{}), append(c.seen, false)
		} else if j >= len(c.row) {
			return fmt.Errorf("more cells than the %d of the first row", len(c.row))
		}
		c.seen[j] = true
		if c.row[j], err = jsonCell(d); err != nil {
			return err
		}
	}
	if _, err := d.Token(); err != nil {
		return notJSON(err)
	}
	if !object && count < len(c.row) {
		return fmt.Errorf("%d cells, want %d", count, len(c.row))
	}
	return nil
}

// column returns the index of a key in the row. A new key adds a column in the first row and is an error later, as is a key that
// a row has twice.
func (c *jsonCells) column(key string) (int, error) {
	j, known := c.index[key]
	switch {
	case known && c.seen[j]:
		return 0, fmt.Errorf("%q is there twice", key)
	case !known && !c.first:
		return 0, fmt.Errorf("%q is not in the first row", key)
	case !known:
		j = len(c.names)
		c.names, c.index[key] = append(c.names, key), j
		c.row, c.seen = append(c.row, Cell{}), append(c.seen, false)
	}
	return j, nil
}

// notJSON is the error of a line that the decoder does not take.
func notJSON(err error) error {
	if err == io.EOF || err == io.ErrUnexpectedEOF {
		return fmt.Errorf("the line is not JSON: it ends within its row")
	}
	return fmt.Errorf("the line is not JSON: %v", err)
}

// jsonCell reads a cell: a number, a text, true, false, or null for a missing cell.
func jsonCell(d *json.Decoder) (Cell, error) {
	v, err := d.Token()
	if err != nil {
		return Cell{}, notJSON(err)
	}
	switch v := v.(type) {
	case nil:
		return Cell{}, nil
	case bool:
		return Cell{kind: writtenCell, text: strconv.AppendBool(nil, v)}, nil
	case string:
		return Cell{kind: writtenCell, text: slices.Clone(bytes.TrimSpace([]byte(v)))}, nil
	case json.Number:
		value, reason := parseNumber([]byte(v))
		if reason != "" {
			return Cell{}, fmt.Errorf("%s", reason)
		}
		return Cell{kind: numericCell, value: value, written: v.String()}, nil
	}
	return Cell{}, fmt.Errorf("a cell is a number, a text, true, false or null, not %v", v)
}
