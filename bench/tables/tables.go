// Package tables reproduces the tables and figures of the papers that the
// methods come from: one file per table, one row per data set and method with
// the paper's value and ours.
//
// Nothing but the paper's values is stored: every Got is computed when the table
// is run, from the data, the seed and the settings. Accuracy figures are means
// over repeats with other seeds, with the standard deviation between them.
package tables

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/dataset"
	"github.com/gramworks/gram/internal/rng"
)

// Table is a table or figure of a paper. ID is the number as printed: 3.7,
// fig-3.8, zhang-1.
type Table struct {
	ID, Title string
	Run       func(ctx context.Context, env Env, emit func(Row)) error

	// The axes of a figure; empty for a table.
	X, Y       string
	LogX, LogY bool
}

// All lists the tables in the order of the papers.
func All() []Table {
	return []Table{
		fig31c,
		fig32,
		table32,
		table33,
		fig33,
		fig34,
		table35,
		fig35,
		fig36,
		table37,
		fig37,
		fig38,
		fig39,
		fig310,
		table38,
		table39,
		table310,
		fig311,
		fig312,
		fig313,
		fig314,
		fig315,
		table41,
		fig41,
		fig42,
		fig43,
		fig44,
		table51,
		fig51,
		table52,
		fig52,
		table53,
		fig53,
		table55,
		fig54,
		fig55,
		table57,
		table58,
		gimcScale,
		selectors,
		kulisFig1,
		kulisDigits,
		kulisFig2,
		jain1,
		jainFig1c,
		zhang1,
		zhangFig1,
		fig61,
		table61,
		table63,
		fig62,
		gbmlGrowth,
	}
}

// Find returns the table with the given ID.
func Find(id string) (Table, error) {
	all := All()
	i := slices.IndexFunc(all, func(t Table) bool { return t.ID == id })
	if i < 0 {
		var ids []string
		for _, t := range all {
			ids = append(ids, t.ID)
		}
		return Table{}, fmt.Errorf("there is no table %q; there are %s", id, strings.Join(ids, ", "))
	}
	return all[i], nil
}

// Env is what a table runs in.
type Env struct {
	Dir     dataset.Dir       // the data sets; empty: none at hand
	Repeats int               // 0: as the table says
	Quick   bool              // fewer repeats or rows, which the rows' notes say; the same expectations
	Set     map[string]string // settings of the table that are not the paper's
	gram.Run
}

// Row is one figure of a table.
type Row struct {
	Table   string   `json:"table"`
	Dataset string   `json:"dataset"`
	Method  string   `json:"method"`
	Metric  string   `json:"metric"`
	Paper   *float64 `json:"paper"` // null where the paper prints none
	Got     *float64 `json:"got"`   // null where it could not be computed: see Note
	Std     *float64 `json:"std"`   // standard deviation over the repeats; null with one
	Seconds float64  `json:"seconds"`
	Bytes   int64    `json:"bytes"`
	Note    string   `json:"note"`

	// The row's place in a figure: the line it belongs to and its x.
	Series string  `json:"-"`
	X      float64 `json:"-"`

	Cloud *Cloud `json:"-"` // points that a figure shows beside the row's value; nil: none
}

// Cloud are points in the plane with classes.
type Cloud struct {
	X, Y  []float64
	Class []int
	Names []string
}

// flags returns an empty set of settings.
func (e Env) flags() *flag.FlagSet {
	f := flag.NewFlagSet("table", flag.ContinueOnError)
	f.SetOutput(io.Discard)
	return f
}

// parse puts e.Set into the settings in f. The error is a *gram.ConfigError.
func (e Env) parse(f *flag.FlagSet) error {
	var known []string
	f.VisitAll(func(g *flag.Flag) { known = append(known, g.Name) })
	for k, v := range e.Set {
		if f.Lookup(k) == nil {
			return &gram.ConfigError{Field: "--set", Value: k, Want: "one of " + strings.Join(known, ", ")}
		}
		if err := f.Set(k, v); err != nil {
			return &gram.ConfigError{Field: "--set " + k, Value: v, Want: "a value of the same kind as " + strconv.Quote(f.Lookup(k).DefValue)}
		}
	}
	return nil
}

// repeats returns how often to repeat: full times, quick times with --quick, or
// what the user asked for.
func (e Env) repeats(full, quick int) int {
	switch {
	case e.Repeats > 0:
		return e.Repeats
	case e.Quick:
		return quick
	}
	return full
}

// repeat returns the settings of repeat i.
func (e Env) repeat(i int) gram.Run {
	run := e.Run
	run.Seed = rng.Derive(e.Seed, fmt.Sprint("repeat ", i))
	return run
}

// load reads a data set. ok is false if it is not at hand.
func (e Env) load(name string, o dataset.Options) (train, test *dataset.Set, ok bool, err error) {
	if e.Dir == "" {
		return nil, nil, false, nil
	}
	train, test, err = e.Dir.Load(name, o)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil, false, nil
	}
	return train, test, err == nil, err
}

// noData is the note of rows whose data set is not at hand.
const noData = "no data"

func value(v float64) *float64 { return &v }

// paper is value, and nil for 0: the paper prints none.
func paper(v float64) *float64 {
	if v == 0 {
		return nil
	}
	return &v
}

// sample collects a figure over repeats.
type sample struct {
	values  []float64
	seconds float64
	bytes   int64
}

func (s *sample) add(v, seconds float64, bytes int64) {
	s.values = append(s.values, v)
	s.seconds += seconds
	s.bytes = max(s.bytes, bytes)
}

// into writes mean, standard deviation, mean seconds and bytes into r.
func (s *sample) into(r Row) Row {
	n := float64(len(s.values))
	var sum, squares float64
	for _, v := range s.values {
		sum += v
	}
	for _, v := range s.values {
		squares += (v - sum/n) * (v - sum/n)
	}
	r.Got = value(sum / n)
	if n > 1 {
		r.Std = value(math.Sqrt(squares / (n - 1)))
	}
	r.Seconds, r.Bytes = s.seconds/n, s.bytes
	return r
}

// notes joins the remarks that are not empty.
func notes(s ...string) string {
	return strings.Join(slices.DeleteFunc(s, func(t string) bool { return t == "" }), "; ")
}
