package dataset

import (
	"context"
	"io"
	"maps"
	"slices"

	"github.com/gramworks/gram/modelfile"
)

// streamLevels is the largest number of levels of a column of a Survey.
const streamLevels = 1 << 16

// Survey is what a pass over an item of a table finds out before the kinds of its columns are
// known: the texts of each column, as far as they matter, where cells are missing, and the
// targets. The surveys of all items, merged in their order, give the Info of the table that a
// pass over all rows gives.
type Survey struct {
	summary Summary
	cells   *inference // nil: no rows yet
}

// Survey reads the item of a table once, whose cells may be texts and be missing. If each is not
// nil, it is called for every row with the numbers of its columns, NaN where a cell is none; the
// slice is valid until each returns. A column may have at most 65536 levels.
func (it Item) Survey(ctx context.Context, o Options, each func(numbers []float64) error) (*Survey, error) {
	return surveyOf(ctx, it.walk, o, each)
}

// ReadSurvey is Item.Survey for the rows that r holds.
func ReadSurvey(ctx context.Context, r io.Reader, o Options, each func(numbers []float64) error) (*Survey, error) {
	return surveyOf(ctx, readerOf(r), o, each)
}

func surveyOf(ctx context.Context, open opener, o Options, each func(numbers []float64) error) (*Survey, error) {
	s := &Survey{summary: Summary{names: o.Names}}
	o.Table = false // no kind is found while the file is read
	err := open(&o, func(src source, _ *textInput) error {
		t, is := src.(*tableSource)
		if !is {
			return wrong("Categories", o.Categories, o.Format)
		}
		// The names are those of a table that allows texts: none may be there twice.
		left, err := t.left()
		if err != nil {
			return t.head("%v", err)
		}
		if _, twice := t.described(len(t.schema.Columns), left); twice != nil {
			return twice
		}
		s.cells = newInference(t)
		for j := range s.cells.columns {
			s.cells.columns[j].most = streamLevels
		}
		goals := newTargets(o, false)
		err = s.cells.add(ctx, t, func(record []Cell, numbers []float64) error {
			s.summary.N++
			var r row
			if t.target >= 0 {
				if err := t.aim(&r, &record[t.target]); err != nil {
					return err
				}
			}
			if err := goals.add(t, &r); err != nil || each == nil {
				return err
			}
			return each(numbers)
		})
		s.summary.Format, s.summary.Fixed, s.summary.D = o.Format, true, len(t.schema.Columns)
		s.summary.goals(goals)
		return err
	})
	return s, err
}

// Merge adds the survey of the next rows. The error says why the two are not of one table.
func (s *Survey) Merge(o *Survey) error {
	if s.summary.N == 0 || o.summary.N == 0 {
		if s.summary.N == 0 {
			*s = *o
		}
		return nil
	}
	if err := s.summary.Merge(&o.summary); err != nil {
		return err
	}
	if err := (&Summary{Schema: s.cells.schema}).mergeSchema(o.cells.schema); err != nil {
		return err
	}
	for j := range s.cells.columns {
		s.cells.columns[j].merge(&o.cells.columns[j])
	}
	return nil
}

// merge adds the survey of the rows that follow.
func (c *columnSurvey) merge(o *columnSurvey) {
	c.rows += o.rows
	c.date(o.low, o.dates)
	c.missing = c.missing || o.missing
	if c.first == "" {
		c.first, c.at = o.first, o.at
	}
	for text := range o.known {
		c.note(text, o.numeric(text))
	}
}

// numeric reports whether a text of the column is a number.
func (c *columnSurvey) numeric(text string) bool {
	_, reason := parseNumber([]byte(text))
	return reason == "" && c.numbers > 0
}

// Info returns what is known when all rows have been seen. name stands for the data in errors.
func (s *Survey) Info(name string) (Info, error) {
	all := s.summary
	if s.cells != nil {
		cells := *s.cells
		schema := *cells.schema
		schema.Columns = slices.Clone(schema.Columns)
		cells.schema = &schema
		var err error
		if all.Schema, err = cells.decide(); err != nil {
			return Info{}, err
		}
	}
	all.NNZ = all.N * int64(all.D)
	return all.Info(name)
}

// storedColumn is a column of a Survey in a file.
type storedColumn struct {
	Name, Pick     string
	Asked, Missing bool `json:",omitempty"`
	Rows           int
	Dates          int        `json:",omitempty"`
	Low            float64    `json:",omitempty"`
	Numbers        []string   `json:",omitempty"` // ascending
	Texts          []string   `json:",omitempty"` // ascending
	First          string     `json:",omitempty"`
	At             ParseError `json:",omitzero"`
}

// Exchange lists what a file holds of the survey. Writing and reading a file go through these same statements. Texts are in
// ascending order, so that equal surveys give equal files.
func (s *Survey) Exchange(x *modelfile.Exchange) {
	head := struct {
		Summary
		Format  string
		Header  *ParseError `json:",omitempty"`
		Target  string
		Ignored []string
		Columns []storedColumn
	}{Summary: s.summary, Format: s.summary.Format.String()}
	if f := s.cells; f != nil {
		head.Target, head.Ignored = f.schema.Target, f.schema.Ignored
		if f.header != nil {
			head.Header = &ParseError{File: f.header.File, Line: f.header.Line, Col: f.header.Col, Reason: f.header.Reason}
		}
		for j := range f.columns {
			c := &f.columns[j]
			out := storedColumn{Name: f.schema.Columns[j].Name, Pick: c.pick, Asked: c.forced, Missing: c.missing, Rows: c.rows, Dates: c.dates, Low: c.low, First: c.first, At: c.at}
			for _, text := range slices.Sorted(maps.Keys(c.known)) {
				if c.numeric(text) {
					out.Numbers = append(out.Numbers, text)
				} else {
					out.Texts = append(out.Texts, text)
				}
			}
			head.Columns = append(head.Columns, out)
		}
	}
	x.Header("dataset.survey", 1, &head)
	if !x.Reading() {
		return
	}
	var err error
	s.summary = head.Summary
	s.summary.Format, err = ParseFormat(head.Format)
	x.Require(err == nil, "", "the format %q", head.Format)
	x.Require(s.summary.N == 0 || len(head.Columns) == s.summary.D, "", "%d columns, want %d", len(head.Columns), s.summary.D)
	s.cells = &inference{schema: &Schema{Target: head.Target, Ignored: head.Ignored}, header: head.Header}
	for _, c := range head.Columns {
		v := columnSurvey{pick: c.Pick, forced: c.Asked, missing: c.Missing, rows: c.Rows, dates: c.Dates, low: c.Low, first: c.First, at: c.At, most: streamLevels}
		for _, text := range c.Numbers {
			v.note(text, true)
		}
		for _, text := range c.Texts {
			v.note(text, false)
		}
		s.cells.schema.Columns = append(s.cells.schema.Columns, Column{Name: c.Name})
		s.cells.columns = append(s.cells.columns, v)
	}
}
