package dataset

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/gramworks/gram/settings"
)

// cells reads the rows of a table, cell by cell.
type cells interface {
	// header returns the names of the columns, nil if the file has none.
	header() []string
	// columns returns the number of cells of every row.
	columns() int
	// next returns the next row, valid until the call after it, or io.EOF.
	next() ([]Cell, error)
	// place says where cell j of the last row is; line 0 in binary files.
	place(j int) (line, col int)
	close() error
}

// tableSource makes rows of numbers from the cells of a table.
type tableSource struct {
	in       *textInput
	cells    cells
	typed    *typedCells // the cells, if their columns have types; else nil
	kinds    []bool      // of the cells of typed: they are a category's
	o        Options
	names    []string // of the cells; nil: the file has no names
	target   int      // −1: none
	label    bool     // the first cell has the number or the name of the row, and is left out without being asked
	at       []int    // the column of X of every cell, −1 for those that are left out
	schema   *Schema  // of X
	levels   []map[string]int
	needed   []int    // cells that every row must have; see Options.DropMissing
	kept     []int    // cells that are wanted as they are; see Options.Keep
	texts    []string // of the row at hand, of the cells of kept
	inferred bool     // the schema is found while the file is read: columns are numbers
	val      []float64

	dropped int              // rows without a needed cell
	unknown map[int]*Unknown // texts of the rows that have been read since unknowns, by column
}

// errCategory ends the reading of a table whose columns were all thought to be numbers.
var errCategory = errors.New("a column is a category")

// HasTexts reports whether err comes from a pass that met a category in a table whose kinds of
// columns were not known; see Options.Table and Item.Survey.
func HasTexts(err error) bool { return errors.Is(err, errCategory) }

func newTable(in *textInput, o Options) (source, error) {
	if o.Task == MultiLabel {
		return nil, wrong("Task", o.Task, o.Format)
	}
	c, err := openTable(in, o)
	if err != nil {
		return nil, err
	}
	s := &tableSource{in: in, cells: c, o: o, target: -1}
	s.typed, _ = c.(*typedCells)
	if err := s.begin(); err != nil {
		_ = c.close()
		return nil, err
	}
	return s, nil
}

// begin finds the target and the columns of X.
func (s *tableSource) begin() error {
	in, o := s.in, s.o
	header, n := s.cells.header(), s.cells.columns()
	for _, name := range header {
		s.names = append(s.names, strings.TrimSpace(name))
	}
	var err error
	switch {
	case o.Task == NoTarget && o.Target != "":
		return settings.Refuse("Target", o.Target, "none for the task none")
	case o.Task == NoTarget:
	case o.Target == "" && o.Schema.Named() && o.Schema.Target != "" && header != nil:
		if s.target = slices.Index(s.names, o.Schema.Target); s.target < 0 {
			return s.head("no column is called %q, the target in training (another one can be named)", o.Schema.Target)
		}
	default:
		if s.target, err = pickColumn(o.Target, s.names, n); err != nil {
			return s.head("%v", err)
		}
	}
	if s.needed, err = s.picked(o.DropMissing); err != nil {
		return s.head("%v", err)
	}
	if s.kept, err = s.picked(o.Keep); err != nil {
		return s.head("%v", err)
	}
	if s.headed() && !o.Header && o.Schema == nil && isRow(header, s.target) {
		return withRemedies(in.fail(1, 1, "the first line holds numbers, not names: the file seems to have no header"), Options{NoHeader: true}, Options{Header: true})
	}
	if o.Schema.Named() && header != nil {
		s.schema = o.Schema
		left, err := s.left()
		if err == nil {
			s.at, err = s.schema.match(s.names, s.target, left)
		}
		if unknown := (unknownColumn{}); errors.As(err, &unknown) && unknown.hint == "" {
			return withRemedies(s.head("%v", err), leaveOut(unknown.name))
		}
		if err != nil {
			return s.head("%v", err)
		}
	} else if err := s.number(n); err != nil {
		return err
	}
	if err := s.use(); err != nil {
		return err
	}
	for j, c := range s.schema.Columns {
		if c.Kind != Category {
			continue
		}
		if s.levels == nil {
			s.levels = make([]map[string]int, len(s.schema.Columns))
		}
		s.levels[j] = c.Places()
	}
	s.val = make([]float64, len(s.schema.Columns))
	return nil
}

// headed reports whether the names were a line of their own, which may be a row after all.
func (s *tableSource) headed() bool {
	_, is := s.cells.(*csvCells)
	return is && s.names != nil
}

// use asks for the columns that are read, if they have types.
func (s *tableSource) use() error {
	if s.typed == nil {
		return nil
	}
	s.kinds = make([]bool, len(s.at))
	for k, j := range s.at {
		if j < 0 && k != s.target && !slices.Contains(s.needed, k) && !slices.Contains(s.kept, k) {
			continue
		}
		category, err := s.typed.use(k)
		if err != nil {
			return s.head("column %q %v", s.names[k], err)
		}
		s.kinds[k] = category
	}
	return nil
}

// head is an error about the names of the columns.
func (s *tableSource) head(reason string, args ...any) *ParseError {
	line := 1
	if s.typed != nil {
		line = 0
	}
	return s.in.fail(line, 0, reason, args...)
}

// number gives the columns their places in the order of the file.
func (s *tableSource) number(n int) error {
	o := s.o
	left, err := s.left()
	if err != nil {
		return s.head("%v", err)
	}
	d := 0
	s.at = make([]int, n)
	for k := range s.at {
		s.at[k] = -1
		if k != s.target && !left[k] {
			s.at[k] = d
			d++
		}
	}
	if o.Schema != nil {
		o.Dim = len(o.Schema.Columns)
	}
	switch {
	case o.Dim > 0 && d == o.Dim+1 && s.target < 0:
		return s.head("the file has %d columns, want %d (if one is the target, name it)", d, o.Dim)
	case o.Dim > 0 && o.Dim != d:
		return s.head("the file has %d columns beside the target, want %d", d, o.Dim)
	case d > o.MaxDim:
		return s.head("%d columns are above the limit of %d", d, o.MaxDim)
	}
	if s.schema = o.Schema; s.schema != nil {
		return nil
	}
	s.inferred = true
	if s.schema, err = s.described(d, left); err != nil && o.Table {
		return err
	}
	return nil
}

// picked returns the places of columns that are named or numbered.
func (s *tableSource) picked(columns []string) ([]int, error) {
	var places []int
	for _, name := range columns {
		k, err := pickColumn(name, s.names, s.cells.columns())
		if err != nil {
			return nil, err
		}
		places = append(places, k)
	}
	return places, nil
}

// left returns the cells that are no columns of X: those that Options.Ignore names, and those of
// Options.Keep that the schema does not know.
func (s *tableSource) left() (map[int]bool, error) {
	left := map[int]bool{}
	ignored, err := s.picked(s.o.Ignore)
	for i, k := range ignored {
		if k == s.target {
			return nil, fmt.Errorf("column %q is the target, it cannot be left out", s.o.Ignore[i])
		}
		left[k] = true
	}
	for _, k := range s.kept {
		if k != s.target && (!s.o.Schema.Named() || s.names == nil || !slices.ContainsFunc(s.o.Schema.Columns, func(c Column) bool { return c.Name == s.names[k] })) {
			left[k] = true
		}
	}
	if name, is := s.rowNames(); is {
		left[name], s.label = true, true
	}
	return left, err
}

// rowNames returns the cell with the names of rows, and false if there is none that nothing was asked of.
func (s *tableSource) rowNames() (k int, is bool) {
	if len(s.names) < 2 || !isRowNames(0, s.names[0]) || s.target == 0 || s.o.Schema.Find(s.names[0]) >= 0 {
		return 0, false
	}
	for _, asked := range [][]string{s.o.Categories, s.o.Ignore, s.o.Keep, s.o.DropMissing} {
		if slices.ContainsFunc(asked, func(name string) bool { return name == "1" || name == s.names[0] }) {
			return 0, false
		}
	}
	return 0, true
}

// described returns the schema of a table of numbers. Without names, or with one name twice,
// which is an error too, it has no names.
func (s *tableSource) described(d int, unmatched map[int]bool) (*Schema, error) {
	schema := &Schema{Columns: make([]Column, d)}
	if s.names == nil {
		return schema, nil
	}
	row, is := s.rowNames()
	if !is {
		row = -1
	} else if schema.RowNames = "column 1, which has no name,"; s.names[row] != "" {
		schema.RowNames = fmt.Sprintf("column %q", s.names[row])
	}
	first := map[string]int{}
	for k, name := range s.names {
		if unmatched[k] {
			continue
		}
		before, twice := first[name]
		switch {
		case twice:
			wrong := withRemedies(s.head("columns %d and %d are both called %q: rename one or leave it out", before+1, k+1, name), leaveOut(strconv.Itoa(k+1)))
			if s.headed() {
				wrong = withRemedies(wrong, Options{NoHeader: true})
			}
			return schema, wrong
		case name == "":
			return schema, withRemedies(s.head("column %d has no name: write one or leave it out", k+1), leaveOut(strconv.Itoa(k+1)))
		}
		first[name] = k
	}
	for k, j := range s.at {
		if j >= 0 {
			schema.Columns[j].Name = s.names[k]
		} else if unmatched[k] && k != row {
			schema.Ignored = append(schema.Ignored, s.names[k])
		}
	}
	if s.target >= 0 {
		schema.Target = s.names[s.target]
	}
	return schema, nil
}

// withCommas is a remedy for numbers such as 3,5.
var withCommas = Options{DecimalComma: true}

// withFormatted is a remedy for numbers such as 1,234.50 and 12 %.
var withFormatted = Options{FormattedNumbers: true}

// leaveOut and asCategory are remedies for a column.
func leaveOut(column string) Options { return Options{Ignore: []string{column}} }

func asCategory(column string) Options { return Options{Categories: []string{column}} }

// pickColumn finds a column by its name or number. header is nil if there are no names.
func pickColumn(target string, header []string, cells int) (int, error) {
	if target == "" {
		return cells - 1, nil
	}
	found := -1
	for j, name := range header {
		if name == target {
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
		return 0, fmt.Errorf("no column is called %q%s", target, settings.Hint(target, header))
	}
	if k < 1 || k > cells {
		return 0, fmt.Errorf("there is no column %d, there are %d", k, cells)
	}
	return k - 1, nil
}

// isRow reports whether the first line is a row and not a header: all its cells
// but the target's are numbers or missing. Names that count, 0,1,2,… or 2019,2020,…, are
// names if the target's is one, too, and they are three or more: 1,2,a is a row as likely as not.
func isRow(record []string, target int) bool {
	last, counting, seen := 0.0, true, 0
	for j, cell := range record {
		text := []byte(strings.TrimSpace(cell))
		v, reason := parseNumber(text)
		switch {
		case j == target && reason != "", j > 0 && MissingCell(text):
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
	return seen > 0 && (seen < 3 || !counting)
}

func (s *tableSource) size() (n, d, tags int) { return -1, len(s.schema.Columns), -1 }

func (s *tableSource) close() error { return s.cells.close() }

// bad returns an error about cell k of the row read last: with line and column, or with row and name of the column for typed
// cells.
func (s *tableSource) bad(k int, reason string, args ...any) *ParseError {
	line, col := s.cells.place(k)
	if s.typed != nil {
		reason = fmt.Sprintf("row %d, column %q: ", s.typed.n, s.names[k]) + reason
	}
	return s.in.fail(line, col, reason, args...)
}

func (s *tableSource) fail(r *row, reason string, args ...any) error {
	if s.typed != nil {
		return s.bad(s.target, reason, args...)
	}
	return s.in.fail(r.line, r.col, reason, args...)
}

func (s *tableSource) next(r *row) error {
	record, err := s.record()
	if err != nil {
		return err
	}
	*r = row{dense: true, maxIndex: len(s.val), val: s.val}
	r.kept = s.texts[:0]
	for _, k := range s.kept {
		text, err := s.text(k, &record[k])
		if err != nil {
			return err
		}
		r.kept = append(r.kept, text)
	}
	s.texts = r.kept
	for k := range record {
		c := &record[k]
		if k == s.target {
			if err := s.aim(r, c); err != nil {
				return err
			}
			continue
		}
		j := s.at[k]
		if j < 0 {
			continue
		}
		if s.levels != nil && s.levels[j] != nil {
			if s.val[j], err = s.level(k, j, c); err != nil {
				return err
			}
			continue
		}
		if s.schema.Columns[j].Kind == Date {
			if s.val[j], err = s.date(k, j, c); err != nil {
				return err
			}
			continue
		}
		reason := ""
		switch c.kind {
		case numericCell:
			s.val[j] = c.value
			continue
		case writtenCell:
			if s.val[j], reason = parseNumber(c.text); reason == "" {
				continue
			}
			if !MissingCell(c.text) {
				break
			}
			fallthrough
		case absentCell:
			if s.absent(j) {
				s.val[j] = math.NaN()
				continue
			}
			if !s.inferred {
				return s.missing(k, j)
			}
			reason = cmp.Or(reason, "a number is missing")
		case namedCell:
			reason = quote(c.text) + " is not a number"
		case invalidCell:
			return s.bad(k, "%s", c.text)
		}
		if s.inferred && s.o.Table {
			return errCategory
		}
		return s.notNumber(k, j, c, reason)
	}
	if s.target < 0 {
		r.line, _ = s.cells.place(0)
	}
	return nil
}

// notNumber is the error of cell k of column j, with what would read it.
func (s *tableSource) notNumber(k, j int, c *Cell, reason string) error {
	if s.schema.Named() && !s.inferred {
		reason += fmt.Sprintf(" (%s)", s.schema.Title(j))
	}
	var ways []Options
	if decimalPoint(string(c.text)) != "" {
		ways = append(ways, withCommas)
	}
	if formattedNumber(string(c.text), s.o.DecimalComma) != "" {
		ways = append(ways, withFormatted)
	}
	return withRemedies(s.bad(k, "%s", reason), ways...)
}

// text returns what cell k holds as a text, empty if it is missing.
func (s *tableSource) text(k int, c *Cell) (string, error) {
	if c.written != "" {
		return c.written, nil
	}
	switch c.kind {
	case invalidCell:
		return "", s.bad(k, "%s", c.text)
	case absentCell:
		return "", nil
	case numericCell:
		return strconv.FormatFloat(c.value, 'f', -1, 64), nil
	}
	return string(c.text), nil
}

// record returns the cells of the next row that has all of Options.DropMissing.
func (s *tableSource) record() ([]Cell, error) {
	for ; ; s.dropped++ {
		record, err := s.cells.next()
		if err == nil && s.label {
			err = s.labeled(&record[0])
		}
		if err != nil || !slices.ContainsFunc(s.needed, func(k int) bool { return record[k].missing() }) {
			return record, err
		}
	}
}

// labeled returns an error if the first cell, whose column has no name, is neither a whole number nor a text.
func (s *tableSource) labeled(c *Cell) error {
	v, reason := c.value, ""
	if c.kind != numericCell {
		v, reason = parseNumber(c.text)
	}
	if reason != "" || v == math.Trunc(v) {
		return nil
	}
	return withRemedies(s.bad(0, "column 1 has no name, but is no number of the row: write a name or leave it out"), leaveOut("1"))
}

// aim sets the target of r, whose cell is c.
func (s *tableSource) aim(r *row, c *Cell) error {
	r.line, r.col = s.cells.place(s.target)
	if c.kind == invalidCell {
		return s.bad(s.target, "%s", c.text)
	}
	if c.kind == absentCell || c.kind != numericCell && len(c.text) == 0 {
		return s.lacking(r, "the target is missing; such rows can be left out")
	}
	r.hasText, r.named, r.target = c.kind != numericCell, c.kind != numericCell, c.text
	r.hasValue, r.value = c.kind == numericCell, c.value
	return nil
}

// lacking is an error about a target that is missing.
func (s *tableSource) lacking(r *row, reason string, args ...any) error {
	return withRemedies(s.fail(r, reason, args...), Options{DropMissing: []string{s.title(s.target)}})
}

// title returns the name of the column of cell k, or its number from 1.
func (s *tableSource) title(k int) string {
	if s.names == nil {
		return strconv.Itoa(k + 1)
	}
	return s.names[k]
}

// absent reports whether a cell of column j may be missing, which it does from now on if the
// schema is being found.
func (s *tableSource) absent(j int) bool {
	c := &s.schema.Columns[j]
	if s.inferred && s.o.Table {
		c.Missing = true
	}
	return c.Missing
}

// missing is the error for cell k of column j.
func (s *tableSource) missing(k, j int) error {
	return s.bad(k, "a cell of %s is missing, as none was in training", s.schema.Title(j))
}

// level returns the place of a text among the levels of column j.
func (s *tableSource) level(k, j int, c *Cell) (float64, error) {
	if c.kind == invalidCell {
		return 0, s.bad(k, "%s", c.text)
	}
	if c.kind == numericCell {
		c.text = strconv.AppendFloat(nil, c.value, 'f', -1, 64)
	}
	if v, known := s.levels[j][string(c.text)]; known {
		return float64(v), nil
	}
	if c.missing() {
		if !s.absent(j) {
			return 0, s.missing(k, j)
		}
		return math.NaN(), nil
	}
	u := s.unknown[j]
	if u == nil {
		if s.unknown == nil {
			s.unknown = map[int]*Unknown{}
		}
		u = &Unknown{Column: j, Text: string(c.text)}
		s.unknown[j] = u
	}
	u.Rows++
	return UnknownLevel, nil
}

// date returns the days of cell k of column j.
func (s *tableSource) date(k, j int, c *Cell) (float64, error) {
	if c.kind == invalidCell {
		return 0, s.bad(k, "%s", c.text)
	}
	if c.kind == writtenCell || c.kind == namedCell {
		if days, is := ParseDate(c.text); is {
			return days, nil
		}
	}
	if c.missing() {
		if !s.absent(j) {
			return 0, s.missing(k, j)
		}
		return math.NaN(), nil
	}
	text, _ := s.text(k, c)
	return 0, s.bad(k, "%s is not a date such as 2024-01-31, as the cells of %s are", quote([]byte(text)), s.schema.Title(j))
}

// unknowns returns the unknown texts of the rows that have been read since it was called last.
func (s *tableSource) unknowns() []Unknown {
	var all []Unknown
	for _, j := range slices.Sorted(maps.Keys(s.unknown)) {
		all = append(all, *s.unknown[j])
	}
	s.unknown = nil
	return all
}

// typed calls read. If read finds that the files are a table with categories, typed decides
// the kinds of the columns in a pass of its own and calls read again.
func typed(ctx context.Context, o Options, files []Item, read func(o Options) error) error {
	if !o.Table || o.Schema != nil || len(o.Categories) == 0 {
		if err := read(o); !errors.Is(err, errCategory) {
			return err
		}
	}
	var all *inference
	for _, f := range files {
		o := o
		o.Table = false
		err := f.walk(&o, func(src source, _ *textInput) error {
			t, is := src.(*tableSource)
			if !is {
				return wrong("Categories", o.Categories, o.Format)
			}
			if all == nil {
				all = newInference(t)
			}
			return all.add(ctx, t, nil)
		})
		if err != nil {
			return err
		}
	}
	var err error
	if o.Schema, err = all.decide(); err != nil {
		return err
	}
	return read(o)
}

// inference decides the kinds of the columns of a table.
type inference struct {
	schema  *Schema // the names
	columns []columnSurvey
	header  *ParseError // the error if the names prove to be a row; nil: they are no line
}

func newInference(s *tableSource) *inference {
	return &inference{schema: s.schema, columns: make([]columnSurvey, len(s.schema.Columns))}
}

// add reads a table to its end. If each is not nil it is called for every row, with the cells and
// the numbers of the columns, NaN where a cell is none.
func (f *inference) add(ctx context.Context, s *tableSource, each func(record []Cell, numbers []float64) error) error {
	if err := (&Summary{Schema: f.schema}).mergeSchema(s.schema); err != nil {
		return err
	}
	if len(s.schema.Columns) != len(f.columns) {
		return s.head("the file has %d columns, another one has %d", len(s.schema.Columns), len(f.columns))
	}
	if s.headed() && !s.o.Header {
		f.header = s.in.fail(1, 1, "the first line looks like a row, its texts are found again in their columns: the file seems to have no header")
	}
	for k, j := range s.at {
		if j < 0 {
			continue
		}
		f.columns[j].pick = cmp.Or(f.schema.Columns[j].Name, strconv.Itoa(k+1))
		if s.typed != nil && s.kinds[k] {
			f.columns[j].forced = true
		}
		for _, name := range s.o.Categories {
			if pick, err := pickColumn(name, s.names, len(s.at)); err != nil {
				return s.head("%v", err)
			} else if pick == k {
				f.columns[j].forced = true
			}
		}
	}
	for i := 0; ; i++ {
		if i%256 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		record, err := s.record()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		for k := range record {
			j, c := s.at[k], &record[k]
			if j < 0 {
				continue
			}
			at := func() ParseError { return *s.bad(k, "") }
			switch {
			case c.kind == invalidCell:
				return s.bad(k, "%s", c.text)
			case c.missing():
				s.val[j] = f.columns[j].add(nil, false, at)
			case c.kind == numericCell:
				s.val[j] = f.columns[j].add(strconv.AppendFloat(nil, c.value, 'f', -1, 64), false, at)
			default:
				s.val[j] = f.columns[j].add(canonical(c.text), c.kind == namedCell, at)
			}
		}
		if each != nil {
			if err := each(record, s.val); err != nil {
				return err
			}
		}
	}
}

// isRow reports whether the names are a row: those of numbers are numbers, and those of texts
// are among the texts of their columns. There are two of these at least, or one beside a target
// whose name is a number.
func (f *inference) isRow() bool {
	texts := 0
	for j := range f.columns {
		name, c := f.schema.Columns[j].Name, &f.columns[j]
		_, reason := parseNumber([]byte(name))
		switch {
		case MissingCell([]byte(name)):
		case c.dates > 0 && c.dates == c.rows:
			if _, is := ParseDate([]byte(name)); !is {
				return false
			}
			texts++
		case c.texts == 0 && reason != "", c.texts > 0 && !c.known[string(canonical([]byte(name)))]:
			return false
		case c.texts > 0:
			texts++
		}
	}
	if _, reason := parseNumber([]byte(f.schema.Target)); f.schema.Target != "" && reason != "" {
		return texts > 1
	}
	return texts > 0
}

// decide returns the schema that follows from all cells. It is an error if the header looks like a row, or the cells of a column
// do not fit together.
func (f *inference) decide() (*Schema, error) {
	if f.header != nil && f.isRow() {
		return nil, withRemedies(f.header, Options{NoHeader: true}, Options{Header: true})
	}
	for j := range f.columns {
		c, wrong := f.columns[j].column(f.schema.Columns[j].Name, f.schema.Title(j))
		if wrong != nil {
			return nil, wrong
		}
		f.schema.Columns[j] = c
	}
	return f.schema, nil
}
