package dataset

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/gramworks/gram/internal/enum"
	"github.com/gramworks/gram/modelfile"
	"github.com/gramworks/gram/settings"
)

// Kind says what the cells of a column are.
type Kind uint8

const (
	Number   Kind = iota // numbers
	Category             // texts, each one of the column's Levels
	Date                 // dates and times, see ParseDate
)

// String returns "number", "category" or "date".
func (k Kind) String() string { return enum.Name(k, "number", "category", "date") }

// Column is the name and the kind of a column of a table, and what its cells may be.
type Column struct {
	Name    string // as in the header; empty if the file has no names
	Kind    Kind
	Levels  []string // the texts of a Category, at least one, ascending, as numbers if all are numbers; truth values are true and false
	Missing bool     // a cell may be missing
	First   float64  // the first Date, in days since 1970-01-01
}

// Schema describes the columns of X and names that of the target. A model that stores it
// finds its columns by name in any other file.
//
// In X, a cell of a Category is the place of its text in Levels, or UnknownLevel, and a Date the
// days since 1970-01-01. A cell that is missing is NaN.
type Schema struct {
	Columns []Column
	Target  string   // name of the target's column; empty if there is none or it has no name
	Ignored []string // columns that are left out where a file has them

	// RowNames is the title of a column that was left out of the file without being asked, because it
	// has the numbers or names of the rows: the first one, if it has no name or is called "Unnamed: 0",
	// as pandas and R write them. It is not stored.
	RowNames string
}

// isRowNames reports whether column k of a header has the numbers or names of rows.
func isRowNames(k int, name string) bool { return k == 0 && (name == "" || name == "Unnamed: 0") }

// UnknownLevel is the value in X of a text that is not among the Levels of its column.
const UnknownLevel = -1

// booleans are the spellings of the truth values: the one of JSON, which stands for all of them
// among the levels of a category and the names of classes, and those of other programs.
var booleans = [...][3]string{{"false", "False", "FALSE"}, {"true", "True", "TRUE"}}

// spellings returns the texts that mean the same as text.
func spellings(text string) []string {
	for k := range booleans {
		if slices.Contains(booleans[k][:], text) {
			return booleans[k][:]
		}
	}
	return []string{text}
}

// canonical returns the spelling that stands for all that mean the same as text.
func canonical(text []byte) []byte {
	switch string(text) {
	case "False", "FALSE":
		return falseText
	case "True", "TRUE":
		return trueText
	}
	return text
}

var falseText, trueText = []byte(booleans[0][0]), []byte(booleans[1][0])

// placesOf maps texts to their places, and other spellings of a truth value to the place of the
// first that is there.
func placesOf(texts []string) map[string]int {
	places := make(map[string]int, len(texts))
	for k, text := range texts {
		places[text] = k
	}
	for k, text := range texts {
		for _, same := range spellings(text) {
			if _, known := places[same]; !known {
				places[same] = k
			}
		}
	}
	return places
}

// Places returns the place in Levels of each text of a Category. A truth value has all its
// spellings: true, True and TRUE are one level, unless Levels has several of them.
func (c Column) Places() map[string]int { return placesOf(c.Levels) }

// Find returns the number of the column of that name, −1 if there is none.
func (s *Schema) Find(name string) int {
	if !s.Named() {
		return -1
	}
	return slices.IndexFunc(s.Columns, func(c Column) bool { return c.Name == name })
}

// Named reports whether the columns have names; false for a nil schema.
func (s *Schema) Named() bool { return s != nil && len(s.Columns) > 0 && s.Columns[0].Name != "" }

// Mixed reports whether X has more than numbers: categories, dates, or cells that may be missing.
func (s *Schema) Mixed() bool {
	return s != nil && slices.ContainsFunc(s.Columns, func(c Column) bool { return c.Kind != Number || c.Missing })
}

// same reports whether numbers in X mean the same. Names may differ.
func (s *Schema) same(t *Schema) bool {
	if !s.Mixed() && !t.Mixed() {
		return true
	}
	return s != nil && t != nil && slices.EqualFunc(s.Columns, t.Columns, func(a, b Column) bool {
		return a.Kind == b.Kind && slices.Equal(a.Levels, b.Levels)
	})
}

// schemaOf returns the schema of a table, nil for other sources.
func schemaOf(src source) *Schema {
	if t, is := src.(*tableSource); is {
		return t.schema
	}
	return nil
}

// Title names column j in messages: "age", or column 3 without a name.
func (s *Schema) Title(j int) string {
	if s == nil || j >= len(s.Columns) || s.Columns[j].Name == "" {
		return fmt.Sprintf("column %d", j+1)
	}
	return fmt.Sprintf("column %q", s.Columns[j].Name)
}

// Text returns the text of the value v of column j, and whether it has one: a category's
// level, a date, "" for a missing cell.
func (s *Schema) Text(j int, v float64) (text string, is bool) {
	if s == nil || s.Columns[j].Kind == Number && !(s.Columns[j].Missing && v != v) {
		return "", false
	}
	levels := s.Columns[j].Levels
	switch {
	case v != v:
		return "", s.Columns[j].Missing
	case s.Columns[j].Kind == Date:
		return dateText(v), true
	case v >= 0 && v < float64(len(levels)) && v == math.Trunc(v):
		return levels[int(v)], true
	}
	return "", false
}

// unknownColumn reports a column that a schema does not know.
type unknownColumn struct{ name, hint string }

// Error names the column and one of the schema's that is called almost so.
func (e unknownColumn) Error() string {
	return fmt.Sprintf("there was no column %q in training%s", e.name, e.hint)
}

// match returns the column of the schema for each name of a header, −1 for those that are
// left out, the target among them. The error names a column that the header lacks, or one
// that the schema does not know.
func (s *Schema) match(header []string, target int, unmatched map[int]bool) ([]int, error) {
	numbers := make(map[string]int, len(s.Columns))
	names := make([]string, len(s.Columns))
	for j, c := range s.Columns {
		numbers[c.Name], names[j] = j, c.Name
	}
	place := make([]int, len(header))
	at := make([]int, len(s.Columns)) // where each column is, from 1
	for k, name := range header {
		j, known := numbers[name]
		switch {
		case k == target || unmatched[k]:
			place[k] = -1
			continue
		case !known && (name == s.Target || slices.Contains(s.Ignored, name)):
			place[k] = -1
			continue
		case !known:
			return nil, unknownColumn{name, settings.Hint(name, names)}
		case at[j] > 0:
			return nil, fmt.Errorf("columns %d and %d are both called %q", at[j], k+1, name)
		}
		place[k], at[j] = j, k+1
	}
	for j, k := range at {
		if k == 0 {
			return nil, fmt.Errorf("column %q is not there%s", names[j], settings.Hint(names[j], header))
		}
	}
	return place, nil
}

// form lists what a file holds of the schema. Writing and reading a file go through these same statements.
func (s *Schema) form(x *modelfile.Exchange) {
	config := struct {
		Target string
		First  []float64 `json:",omitempty"` // of the dates
	}{Target: s.Target}
	for _, c := range s.Columns {
		if c.Kind == Date {
			config.First = append(config.First, c.First)
		}
	}
	x.Header("schema", 1, &config)
	n := len(s.Columns)
	var names, levels []string
	kinds, missing, counts := make([]int, n), make([]int, n), make([]int, n)
	for j, c := range s.Columns {
		kinds[j], counts[j] = int(c.Kind), len(c.Levels)
		if c.Missing {
			missing[j] = 1
		}
		names, levels = append(names, c.Name), append(levels, c.Levels...)
	}
	x.Strings("names", &names)
	x.Ints("kinds", &kinds, len(names), 0, int(Date))
	x.Ints("missing", &missing, len(names), 0, 1)
	x.Ints("level_counts", &counts, len(names), 0, maxDim)
	x.Strings("levels", &levels)
	x.Strings("ignored", &s.Ignored)
	if !x.Reading() {
		return
	}
	s.Target, s.Columns = config.Target, make([]Column, len(names))
	seen := map[string]bool{}
	for j, name := range names {
		if counts[j] > len(levels) || (counts[j] > 0) != (kinds[j] == int(Category)) || kinds[j] == int(Date) && len(config.First) == 0 {
			x.Errorf("level_counts", "column %d is a %v of %d levels", j+1, Kind(kinds[j]), counts[j])
			return
		}
		s.Columns[j] = Column{Name: name, Kind: Kind(kinds[j]), Missing: missing[j] == 1}
		if kinds[j] == int(Date) {
			s.Columns[j].First, config.First = config.First[0], config.First[1:]
		}
		if counts[j] > 0 {
			s.Columns[j].Levels, levels = levels[:counts[j]:counts[j]], levels[counts[j]:]
		}
		if (name == "") != (names[0] == "") || name != "" && seen[name] {
			x.Errorf("names", "column %d is called %q", j+1, name)
			return
		}
		seen[name] = true
	}
	if len(s.Ignored) == 0 {
		s.Ignored = nil
	}
	x.Require(len(levels) == 0, "levels", "%d too many", len(levels))
	x.Require(len(config.First) == 0, "", "%d first dates too many", len(config.First))
}

// Encode stores the schema, usually as a part of a model.
func (s *Schema) Encode(w *modelfile.Writer) error { return modelfile.Put(w, s.form) }

// DecodeSchema reads a schema that Encode wrote, and checks that its kinds, levels and names fit together.
func DecodeSchema(f *modelfile.File) (*Schema, error) {
	return modelfile.Get(f, &Schema{}, (*Schema).form)
}

// MissingCell reports whether a text stands for a cell that is missing: if it is empty, NA, N/A,
// NaN or null in any case, or a question mark.
func MissingCell(text []byte) bool {
	switch len(text) {
	case 0:
		return true
	case 1:
		return text[0] == '?'
	case 2, 3, 4:
		switch strings.ToLower(string(text)) {
		case "na", "n/a", "nan", "null":
			return true
		}
	}
	return false
}

// Bounds of what is taken for a category without being asked.
const (
	mostNumbers = 20      // different numbers in a column of texts
	fewLevels   = 20      // always taken
	mostLevels  = 1 << 12 // never more
)

// columnSurvey gathers what the cells of one column are.
type columnSurvey struct {
	pick    string          // its name or number, for Options.Ignore and Options.Categories
	forced  bool            // it is to be a category
	known   map[string]bool // texts, numbers among them
	numbers int             // different texts that are numbers
	texts   int             // different texts that are not
	rows    int             // that are not missing
	dates   int             // rows that hold dates
	low     float64         // the first date
	missing bool
	first   string // the first text that is no number
	at      ParseError
	most    int // levels of one that is asked for; 0: no bound
}

// add takes a cell and returns its number, the days of a date, NaN if it is none. text is nil for one that is
// missing. at says where it is.
func (c *columnSurvey) add(text []byte, named bool, at func() ParseError) float64 {
	if text == nil {
		c.missing = true
		return math.NaN()
	}
	c.rows++
	v, reason := parseNumber(text)
	numeric := reason == "" && !named
	if !numeric {
		if v = math.NaN(); c.first == "" {
			c.first, c.at = string(text), at()
		}
		if days, is := ParseDate(text); is && !c.forced {
			c.date(days, 1)
			return days
		}
	}
	if !c.known[string(text)] {
		c.note(string(text), numeric)
	}
	return v
}

// date takes the dates of some rows, the first of which is low.
func (c *columnSurvey) date(low float64, rows int) {
	if rows > 0 && (c.dates == 0 || low < c.low) {
		c.low = low
	}
	c.dates += rows
}

// note counts a text of the column among its levels; numeric says that the text is a number.
func (c *columnSurvey) note(text string, numeric bool) {
	switch {
	case c.known[text]:
		return
	case c.forced && c.most > 0 && len(c.known) > c.most, !c.forced && len(c.known) > mostLevels:
		return
	case !c.forced && numeric && c.numbers > mostNumbers: // it is no category
		return
	}
	if c.known == nil {
		c.known = map[string]bool{}
	}
	c.known[text] = true
	if numeric {
		c.numbers++
	} else {
		c.texts++
	}
}

// value is the number that a text is.
func value(text string) float64 {
	v, _ := parseNumber([]byte(text))
	return v
}

// column decides whether the column is a category, a date or a number, and returns its description.
func (c *columnSurvey) column(name, title string) (Column, error) {
	out := Column{Name: name, Missing: c.missing}
	refuse := func(reason string, args ...any) (Column, error) {
		wrong := c.at
		wrong.Reason = title + fmt.Sprintf(reason, args...)
		return out, withRemedies(&wrong, leaveOut(c.pick), asCategory(c.pick))
	}
	switch {
	case c.rows == 0, c.first == "" && !c.forced: // without any text it is a column of missing numbers
		return out, nil
	case c.forced && c.most > 0 && len(c.known) > c.most:
		wrong := &ParseError{File: c.at.File, Reason: fmt.Sprintf("%s has more than %d levels, the most of a stream of rows: leave it out", title, c.most)}
		return out, withRemedies(wrong, leaveOut(c.pick))
	case c.forced:
	case isExtreme(c.first):
		_, reason := parseNumber([]byte(c.first))
		return refuse(": %s", reason)
	case c.dates == c.rows:
		out.Kind, out.First = Date, c.low
		return out, nil
	case c.dates > 0:
		return refuse(" holds dates in %d of its %d cells that are not missing: correct the others, leave the column out, or take it as a category", c.dates, c.rows)
	case isDate(c.first):
		return refuse(" holds dates or times such as %q: write dates as 2024-01-31 and times as 2024-01-31T18:30:00, leave the column out, or take it as a category", c.first)
	case decimalPoint(c.first) != "":
		wrong := c.at
		wrong.Reason = title + fmt.Sprintf(": %q is a number with a decimal comma", c.first)
		ways := []Options{withCommas, leaveOut(c.pick), asCategory(c.pick)}
		if formattedNumber(c.first, false) != "" {
			wrong.Reason += ", or with one between thousands"
			ways = slices.Insert(ways, 1, withFormatted)
		}
		return out, withRemedies(&wrong, ways...)
	case formattedNumber(c.first, false) != "" || formattedNumber(c.first, true) != "":
		wrong := c.at
		wrong.Reason = title + fmt.Sprintf(": %q is a number with a unit or separators", c.first)
		ways := []Options{withFormatted, leaveOut(c.pick), asCategory(c.pick)}
		if formattedNumber(c.first, false) == "" {
			ways[0].DecimalComma = true
		}
		return out, withRemedies(&wrong, ways...)
	case isFormatted(c.first):
		return refuse(": %q is a number with a decimal comma, a unit or separators: write it as a plain number, or take the column as a category", c.first)
	case c.numbers > mostNumbers:
		return refuse(": %q is not a number, as other cells of the column are: correct it, or take the column as a category", c.first)
	case len(c.known) > fewLevels && 2*len(c.known) > c.rows, len(c.known) > mostLevels:
		more := ""
		if len(c.known) > mostLevels {
			more = "more than "
		}
		return refuse(" has %s%d different texts in %d rows (the first is %q), too many for a category: leave it out, or say that it is one", more, min(len(c.known), mostLevels), c.rows, c.first)
	}
	out.Kind = Category
	out.Levels = slices.Sorted(maps.Keys(c.known))
	if c.texts == 0 {
		slices.SortStableFunc(out.Levels, func(a, b string) int { return cmp.Compare(value(a), value(b)) })
	}
	return out, nil
}

// isDate reports whether a text is three numbers with - / or . between them, two or three
// with colons, or begins so.
func isDate(text string) bool {
	i, parts := 0, 0
	var mark byte
	for {
		from := i
		for i < len(text) && text[i]-'0' < 10 {
			i++
		}
		if i == from || i-from > 4 {
			return false
		}
		if parts++; parts == 3 {
			return i == len(text) || text[i] == ' ' || text[i] == 'T' || text[i] == '.' && mark == ':'
		}
		if i == len(text) {
			return parts == 2 && mark == ':'
		}
		if c := text[i]; c != '-' && c != '/' && c != '.' && c != ':' || mark != 0 && c != mark {
			return false
		}
		mark = text[i]
		i++
	}
}

// isExtreme reports whether a text is a number for other programs: infinite, too large, or
// hexadecimal.
func isExtreme(text string) bool {
	_, err := strconv.ParseFloat(text, 64)
	_, reason := parseNumber([]byte(text))
	return reason != "" && (err == nil || errors.Is(err, strconv.ErrRange))
}

// isFormatted reports whether a text without signs of currency, percent and thousands, and
// with a point for a comma, is a number.
func isFormatted(text string) bool {
	plain := strings.NewReplacer("$", "", "€", "", "£", "", "%", "", "'", "", " ", "", ",", "").Replace(text)
	if plain == text || plain == "" {
		return false
	}
	_, err := strconv.ParseFloat(plain, 64)
	return err == nil
}
