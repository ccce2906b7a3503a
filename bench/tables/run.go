package tables

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/bench/tables/protocol"
	"github.com/gramworks/gram/dataset"
	"github.com/gramworks/gram/internal/rng"
	"gonum.org/v1/gonum/mat"
)

// Env is what a table runs in.
type Env struct {
	Data    *protocol.Data    // the data sets; nil: none at hand
	Repeats int               // 0: as the table says
	Quick   bool              // less work; the rows' notes say what is cut
	Set     map[string]string // settings of the table that are not the paper's
	gram.Run
}

// Run makes the rows of a table. They are complete when emit gets them.
func (t Table) Run(ctx context.Context, env Env, emit func(Row)) error {
	env.Data = env.Data.Again()
	r := &run{Env: env, ctx: ctx, id: t.ID, out: emit}
	err := t.run(r)
	if err == nil {
		err = r.check()
	}
	if err == nil {
		err = r.err
	}
	return err
}

// run is a table that is being made.
type run struct {
	Env
	ctx context.Context

	id       string
	out      func(Row)
	known    map[string]string // settings, with what they mean
	cuts     []string          // what --quick cuts
	missing  bool              // the data set at hand is not there
	err      error             // the first error of a setting or a row
	settings bool              // they have been checked
}

// set returns the text of a setting that the user has given.
func (r *run) set(name, help string) (text string, given bool) {
	if r.known == nil {
		r.known = map[string]string{}
	}
	r.known[name] = help
	text, given = r.Set[name]
	return text, given
}

func (r *run) wrong(name string, value any, want string) {
	if r.err == nil {
		r.err = &gram.ConfigError{Field: "--set " + name, Value: value, Want: want}
	}
}

// int returns a setting, which is at least low.
func (r *run) int(name string, v, low int, help string) int {
	if text, given := r.set(name, help); given {
		n, err := strconv.Atoi(text)
		if err != nil || n < low {
			r.wrong(name, text, fmt.Sprintf("a whole number of at least %d", low))
		}
		return n
	}
	return v
}

// float returns a setting, which is at least low.
func (r *run) float(name string, v, low float64, help string) float64 {
	if text, given := r.set(name, help); given {
		n, err := strconv.ParseFloat(text, 64)
		if err != nil || !(n >= low) {
			r.wrong(name, text, fmt.Sprintf("a number of at least %g", low))
		}
		return n
	}
	return v
}

// bool returns a setting that is off unless given.
func (r *run) bool(name, help string) bool {
	text, given := r.set(name, help)
	v, err := strconv.ParseBool(text)
	if given && err != nil {
		r.wrong(name, text, "true or false")
	}
	return v
}

// text returns a setting, which is one of the choices if there are any.
func (r *run) text(name, help string, choices ...string) string {
	text, given := r.set(name, help)
	if given && len(choices) > 0 && !slices.Contains(choices, text) {
		r.wrong(name, text, "one of "+strings.Join(choices, ", "))
	}
	return text
}

// check says what is wrong with the settings: nothing is done before.
func (r *run) check() error {
	if r.settings {
		return r.err
	}
	r.settings = true
	for _, name := range slices.Sorted(maps.Keys(r.Set)) {
		if _, is := r.known[name]; !is && r.err == nil {
			var all []string
			for k, help := range r.known {
				all = append(all, fmt.Sprintf("%s (%s)", k, help))
			}
			slices.Sort(all)
			want := "a setting of the table: " + strings.Join(all, ", ")
			if len(all) == 0 {
				want = "nothing: the table has no settings"
			}
			r.err = &gram.ConfigError{Field: "--set", Value: name, Want: want}
		}
	}
	return r.err
}

// each calls body for the sets, or for those that the setting only names, with
// commas between them.
func each[S fmt.Stringer](r *run, sets []S, body func(s S)) error {
	var names []string
	for _, s := range sets {
		if name := s.String(); !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	var wanted []string
	if text, given := r.set("only", "data sets, of "+strings.Join(names, ", ")); given {
		wanted = []string{text}
		if !slices.Contains(names, text) {
			wanted = strings.Split(text, ",")
		}
		for _, name := range wanted {
			if !slices.Contains(names, name) {
				r.wrong("only", text, "one of the data sets "+strings.Join(names, ", "))
			}
		}
	}
	if err := r.check(); err != nil {
		return err
	}
	for _, s := range sets {
		if wanted != nil && !slices.Contains(wanted, s.String()) {
			continue
		}
		if r.fail(r.ctx.Err()) {
			break
		}
		r.missing = false
		body(s)
		if r.err != nil {
			return fmt.Errorf("%v: %w", s, r.err)
		}
	}
	return r.err
}

// fail reports whether there is an error, this one or one before. After an error
// nothing is loaded, measured or emitted.
func (r *run) fail(err error) bool {
	if r.err == nil {
		r.err = err
	}
	return r.err != nil
}

// name is a data set that nothing but its name is said of.
type name string

func (n name) String() string { return string(n) }

// cut is full, 0 for all, or with --quick less, which the notes of all rows say.
func cut[T any](r *run, what string, full, quick T) T {
	if !r.Quick {
		return full
	}
	was := fmt.Sprint(full)
	if was == "0" || was == "[]" {
		was = "all"
	}
	if text := fmt.Sprintf("%s %v instead of %s", what, quick, was); !slices.Contains(r.cuts, text) {
		r.cuts = append(r.cuts, text)
	}
	return quick
}

// repeats returns how often to repeat: full times, quick times with --quick, or
// what the user asked for.
func (r *run) repeats(full, quick int) int {
	switch {
	case r.Repeats > 0:
		return r.Repeats
	case quick < full:
		return cut(r, "repeats", full, quick)
	}
	return full
}

// repeat returns the settings of repeat i.
func (r *run) repeat(i int) gram.Run {
	run := r.Env.Run
	run.Seed = rng.Derive(r.Seed, fmt.Sprint("repeat ", i))
	return run
}

// noData is the note of rows whose data set is not at hand.
const noData = "no data"

// emit publishes a row.
func (r *run) emit(row Row) {
	if r.err != nil {
		return
	}
	row.Table = r.id
	row, r.err = protocol.Publish(row)
	if r.Quick && row.Got != nil && len(r.cuts) > 0 {
		row.Note = notes(row.Note, "quick: "+strings.Join(r.cuts, ", "))
	}
	if r.err == nil {
		r.out(row)
	}
}

// trial is one repeat of a measurement.
type trial struct {
	gram.Run
	ctx     context.Context
	index   int
	begin   time.Time
	row     *Row // of which the body may complete the note and the place in a figure
	figures []*protocol.Figure
}

// seconds since the trial or since the last reset of begin.
func (t *trial) seconds() float64 { return time.Since(t.begin).Seconds() }

// add counts a score for the first figure.
func (t *trial) add(s protocol.Score, err error, seconds float64, bytes int64) error {
	if err == nil {
		t.figures[0].Add(s, seconds, bytes)
	}
	return err
}

// note sets the row's note.
func (t *trial) note(s ...string) { t.row.Note = notes(s...) }

// also is another metric of the same trials.
type also struct {
	metric string
	paper  float64
}

// measure repeats body and emits the row and those of the other metrics, each of
// which has a figure of its own. Without the data set the rows say so.
func (r *run) measure(row Row, repeats int, body func(t *trial) error, others ...also) {
	rows, _ := r.collect(row, repeats, body, others...)
	for _, row := range rows {
		r.emit(row)
	}
}

// collect is measure without emitting the rows, which it returns with their
// figures. There are no figures without the data set, and no rows after an error.
func (r *run) collect(row Row, repeats int, body func(t *trial) error, others ...also) (rows []Row, figures []*protocol.Figure) {
	if r.err != nil {
		return nil, nil
	}
	all := append([]also{{metric: row.Metric}}, others...)
	if r.missing {
		row.Note = noData
		for i, m := range all {
			if row.Metric = m.metric; i > 0 {
				row.Paper = paper(m.paper)
			}
			rows = append(rows, row)
		}
		return rows, nil
	}
	t := &trial{ctx: r.ctx, row: &row}
	for range all {
		t.figures = append(t.figures, protocol.NewFigure(repeats))
	}
	for t.index = range repeats {
		t.Run, t.begin = r.repeat(t.index), time.Now()
		err := r.ctx.Err()
		if err == nil {
			err = body(t)
		}
		if err != nil {
			r.fail(fmt.Errorf("%s: %w", row.Method, err))
			return nil, nil
		}
	}
	for i, f := range t.figures {
		if row.Metric = all[i].metric; i > 0 {
			row.Paper = paper(all[i].paper)
		}
		rows = append(rows, row.Of(f))
	}
	return rows, t.figures
}

// rows returns the rows of a set without targets, as dense ones; nil if it is not
// at hand.
func (r *run) rows(name string, both bool) *mat.Dense {
	x := loaded(r, func() (mat.Matrix, error) { return r.Data.Rows(name, both, dataset.Options{Storage: dataset.Dense}) })
	if x == nil {
		return nil
	}
	return x.(*mat.Dense)
}

// split returns a set that comes in two files; nil if it is not at hand.
func (r *run) split(name string, o dataset.Options) *protocol.Split {
	return loaded(r, func() (*protocol.Split, error) { return r.Data.Split(name, o) })
}

// pool returns the rows of a set to cut splits of; nil if it is not at hand.
func (r *run) pool(name string, both bool, o dataset.Options) *protocol.Pool {
	return loaded(r, func() (*protocol.Pool, error) { return r.Data.Pool(name, both, o) })
}

// loaded returns what load does, and remembers whether that is nothing.
func loaded[T comparable](r *run, load func() (T, error)) (out T) {
	var none T
	if r.err == nil {
		var err error
		if out, err = load(); r.fail(err) {
			out = none
		}
	}
	r.missing = out == none
	return out
}

// unitRange is the scaling of columns to [0,1].
func unitRange(x mat.Matrix) (*dataset.Scaling, error) { return dataset.MinMax(x, 0, 1) }

func value(v float64) *float64 { return &v }

// paper is value, and nil for 0: the paper prints none.
func paper(v float64) *float64 {
	if v == 0 {
		return nil
	}
	return &v
}

// notes joins the remarks that are not empty.
func notes(s ...string) string {
	return strings.Join(slices.DeleteFunc(s, func(t string) bool { return t == "" }), "; ")
}

// counted is a number of things: 1 step, 5 steps.
func counted(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// firstRows are the numbers below n.
func firstRows(n int) []int {
	rows := make([]int, n)
	for i := range rows {
		rows[i] = i
	}
	return rows
}

// median returns the middle value, the lower of two.
func median(v []float64) float64 {
	v = slices.Sorted(slices.Values(v))
	return v[(len(v)-1)/2]
}
