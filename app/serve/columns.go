package serve

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strconv"

	"github.com/gramworks/gram/dataset"
	"github.com/gramworks/gram/settings"
)

// columns finds the columns of a model by name and the levels of its categories. It is nil
// for a model without a schema.
type columns struct {
	schema *dataset.Schema
	place  map[string]int
	levels []map[string]int // of categories

	count func(column string) // counts a text that is none of the levels
}

func newColumns(s *dataset.Schema, count func(column string)) *columns {
	if s == nil {
		return nil
	}
	c := &columns{schema: s, place: map[string]int{}, levels: make([]map[string]int, len(s.Columns)), count: count}
	for j, about := range s.Columns {
		if about.Name != "" {
			c.place[about.Name] = j
		}
		if about.Kind == dataset.Category {
			c.levels[j] = about.Places()
		}
	}
	return c
}

// named reports whether rows may be objects whose keys are names.
func (c *columns) named() bool { return c != nil && c.schema.Named() }

// value reads the cell of column j from a JSON value.
func (c *columns) value(j int, raw []byte) (float64, error) {
	if c == nil {
		return number(raw)
	}
	kind := kindOf(raw)
	if kind == "null" {
		return c.missing(j)
	}
	if !c.texts(j) {
		return number(raw)
	}
	text := string(raw)
	switch kind {
	case "a string":
		text = unquote(raw)
	case "an array", "an object":
		return 0, fmt.Errorf("want a text, not %s", kind)
	}
	return c.level(j, text)
}

// texts reports whether the cells of column j are texts: a category's levels, or dates.
func (c *columns) texts(j int) bool {
	return c != nil && (c.levels[j] != nil || c.schema.Columns[j].Kind == dataset.Date)
}

// missing returns the value of a missing cell of column j.
func (c *columns) missing(j int) (float64, error) {
	if c == nil || !c.schema.Columns[j].Missing {
		return 0, errors.New("null, but no cell of the column was missing in training")
	}
	return math.NaN(), nil
}

// level returns the value of a text in column j, a category or a date.
func (c *columns) level(j int, text string) (float64, error) {
	if k, known := c.levels[j][text]; known {
		return float64(k), nil
	}
	date := c.schema.Columns[j].Kind == dataset.Date
	if days, is := dataset.ParseDate([]byte(text)); date && is {
		return days, nil
	}
	if c.schema.Columns[j].Missing && dataset.MissingCell([]byte(text)) {
		return math.NaN(), nil
	}
	if date {
		return 0, fmt.Errorf("want a date such as \"2024-01-31\", not %.40q", text)
	}
	c.count(cmp.Or(c.schema.Columns[j].Name, strconv.Itoa(j+1)))
	return dataset.UnknownLevel, nil
}

// bad returns the error of a row whose cell in column j is refused, with the column's name.
func (c *columns) bad(j int, err error) error {
	b := &badRow{column: j + 1, reason: err.Error()}
	if c.named() {
		b.name = c.schema.Columns[j].Name
	}
	return b
}

// unknown is the error for a key that is no column.
func (c *columns) unknown(key string) error {
	var names []string
	for _, about := range c.schema.Columns {
		names = append(names, about.Name)
	}
	return badf(0, "there was no column %.80q in training%s", key, settings.Hint(key, names))
}

// ignored reports whether a key is one that a row may have beside the columns.
func (c *columns) ignored(key string) bool {
	if key == c.schema.Target {
		return true
	}
	for _, name := range c.schema.Ignored {
		if name == key {
			return true
		}
	}
	return false
}

// unquote returns the text of a JSON string.
func unquote(raw []byte) string {
	if bytes.IndexByte(raw, '\\') < 0 {
		return string(raw[1 : len(raw)-1])
	}
	var text string
	if err := json.Unmarshal(raw, &text); err != nil {
		panic(err) // cannot happen: raw is a valid string
	}
	return text
}
