package papers

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/crossval"
	"github.com/gramworks/gram/app/papers/protocol"
	"github.com/gramworks/gram/dataset"
	"github.com/gramworks/gram/num/rng"
	"github.com/gramworks/gram/settings"
	"gonum.org/v1/gonum/mat"
)

// Env says with which data, how often, how thoroughly and with which settings a table is run.
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
	return try(func() {
		t.run(r)
		r.check()
	})
}

// failure is an error on its way from fail to try. The function of a table is a
// script that the first error ends, so that its text is what is done and not what
// could go wrong.
type failure struct{ error }

// fail ends what try has called, unless err is nil.
func fail(err error) {
	if err != nil {
		panic(failure{err})
	}
}

// must returns v, or ends the table by fail if err is not nil.
func must[T any](v T, err error) T {
	fail(err)
	return v
}

// fitted returns the model of a fit and, if it ended before it had converged, the
// error that says so. It fails if there is no model.
func fitted[M comparable](m M, err error) (M, *gram.ConvergenceError) {
	var none M
	var rough *gram.ConvergenceError
	if m != none && errors.As(err, &rough) {
		return m, rough
	}
	return must(m, err), nil
}

// try returns the error that body fails with.
func try(body func()) (err error) {
	defer func() {
		switch p := recover().(type) {
		case nil:
		case failure:
			err = p.error
		default:
			panic(p)
		}
	}()
	body()
	return nil
}

// named puts a name before the error that body fails with.
func named(name string, body func()) {
	if err := try(body); err != nil {
		fail(fmt.Errorf("%s: %w", name, err))
	}
}

// run is a table that is being made.
type run struct {
	Env
	ctx context.Context

	id      string
	out     func(Row)
	known   map[string]string // settings, with what they mean
	cuts    []string          // what --quick cuts
	missing bool              // the data set at hand is not there
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
	fail(settings.Refuse("--set "+name, value, "%s", want))
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

// check refuses settings that the table has not asked for: nothing is done before.
func (r *run) check() {
	for _, name := range slices.Sorted(maps.Keys(r.Set)) {
		if _, is := r.known[name]; is {
			continue
		}
		var all []string
		for k, help := range r.known {
			all = append(all, fmt.Sprintf("%s (%s)", k, help))
		}
		slices.Sort(all)
		want := "a setting of the table: " + strings.Join(all, ", ")
		if len(all) == 0 {
			want = "nothing: the table has no settings"
		}
		fail(settings.Refuse("--set", name, "%s", want))
	}
}

// eachSet calls body for the data sets, or for those that the setting only names, with
// commas between them.
func eachSet[S fmt.Stringer](r *run, sets []S, body func(s S)) { eachOf(r, "data sets", sets, body) }

// eachOf is each for sets of another noun.
func eachOf[S fmt.Stringer](r *run, noun string, sets []S, body func(s S)) {
	var names []string
	for _, s := range sets {
		if name := s.String(); !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	wanted := names
	if text, given := r.set("only", noun+", of "+strings.Join(names, ", ")); given {
		wanted = []string{text}
		if !slices.Contains(names, text) {
			wanted = strings.Split(text, ",")
		}
		for _, name := range wanted {
			if !slices.Contains(names, name) {
				r.wrong("only", text, "one of the "+noun+" "+strings.Join(names, ", "))
			}
		}
	}
	r.check()
	for _, s := range sets {
		if !slices.Contains(wanted, s.String()) {
			continue
		}
		fail(r.ctx.Err())
		r.missing = false
		named(s.String(), func() { body(s) })
	}
}

// name is a data set that nothing but its name is said of.
type name string

// String returns the name of the data set.
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

// repeat returns the settings of the run with the seed of repeat i, which is derived from the seed of the table.
func (r *run) repeat(i int) gram.Run {
	run := r.Env.Run
	run.Seed = rng.Derive(r.Seed, fmt.Sprint("repeat ", i))
	return run
}

// noData is the note of rows whose data set is not at hand.
const noData = "no data"

// emit completes a row with the table, the paper's figure and a note of what --quick has cut, and publishes it.
func (r *run) emit(row Row) {
	row.Table = r.id
	if f := printed(row); f != nil && row.Paper == nil {
		row.Paper = &f.value
	}
	row = must(protocol.Publish(row))
	if r.Quick && row.Got != nil && len(r.cuts) > 0 {
		row.Note = notes(row.Note, "quick: "+strings.Join(r.cuts, ", "))
	}
	r.out(row)
}

// trial is one repeat of a measurement. Its body may complete the rows' notes and
// places in a figure.
type trial struct {
	gram.Run
	ctx     context.Context
	index   int
	begin   time.Time
	rows    []Row
	figures []*protocol.Figure // of the rows
}

// start makes the seconds of the trial count from now on.
func (t *trial) start() { t.begin = time.Now() }

// seconds since the trial began, or since start.
func (t *trial) seconds() float64 { return time.Since(t.begin).Seconds() }

// add counts each score, with the same seconds and bytes, for the figure at its place.
func (t *trial) add(seconds float64, bytes int64, scores ...protocol.Score) {
	for i, s := range scores {
		t.figures[i].Add(s, seconds, bytes)
	}
}

// addValues is add for what is no score.
func (t *trial) addValues(seconds float64, bytes int64, values ...float64) {
	for i, v := range values {
		t.figures[i].AddValue(v, seconds, bytes)
	}
}

// note sets the notes of all rows of the trial to the same parts.
func (t *trial) note(s ...string) {
	for i := range t.rows {
		t.rows[i].Note = notes(s...)
	}
}

// metrics returns copies of the row, one for each of the metrics.
func metrics(row Row, names ...string) (rows []Row) {
	for _, name := range names {
		row.Metric = name
		rows = append(rows, row)
	}
	return rows
}

// measure repeats body and emits the rows, each of which has a figure of its own.
// Without the data set they say so.
func (r *run) measure(rows []Row, repeats int, body func(t *trial)) {
	rows, _ = r.collect(rows, repeats, body)
	for _, row := range rows {
		r.emit(row)
	}
}

// collect is measure without emitting the rows, which it returns with their
// figures. There are no figures without the data set.
func (r *run) collect(rows []Row, repeats int, body func(t *trial)) ([]Row, []*protocol.Figure) {
	t := &trial{ctx: r.ctx, rows: rows}
	if r.missing {
		t.note(noData)
		return t.rows, nil
	}
	for range t.rows {
		t.figures = append(t.figures, protocol.NewFigure(repeats))
	}
	for t.index = range repeats {
		fail(r.ctx.Err())
		t.Run, t.begin = r.repeat(t.index), time.Now()
		if rows[0].Method == rows[len(rows)-1].Method {
			named(rows[0].Method, func() { body(t) })
		} else {
			body(t)
		}
	}
	for i, f := range t.figures {
		t.rows[i] = t.rows[i].Of(f)
	}
	return t.rows, t.figures
}

// split returns a set that comes in two files; nil if it is not at hand.
func (r *run) split(name string, o dataset.Options) *protocol.Split {
	return loaded(r, func() (*protocol.Split, error) { return r.Data.Split(name, o) })
}

// digits is split, with the digits of mnist and usps in two classes, 0–4 and 5–9.
func (r *run) digits(name string, o dataset.Options) *protocol.Split {
	s := r.split(name, o)
	if s != nil && (name == "mnist" || name == "usps") {
		s = s.Grouped("0-4", "5-9")
	}
	return s
}

// pool returns the rows of a set to cut splits of; nil if it is not at hand.
func (r *run) pool(name string, both bool, o dataset.Options) *protocol.Pool {
	return loaded(r, func() (*protocol.Pool, error) { return r.Data.Pool(name, both, o) })
}

// loaded returns what load does, and remembers whether that is nothing.
func loaded[T comparable](r *run, load func() (T, error)) T {
	var none T
	out := must(load())
	r.missing = out == none
	return out
}

// denseValues and denseClasses are how most tables read their files.
var (
	denseValues  = dataset.Options{Storage: dataset.Dense, Task: dataset.Regression}
	denseClasses = dataset.Options{Storage: dataset.Dense, Task: dataset.Classes}
)

// unitRange is the scaling of columns to [0,1].
func unitRange(x mat.Matrix) (*dataset.Scaling, error) { return dataset.MinMax(x, 0, 1) }

func value(v float64) *float64 { return &v }

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

// firstRows returns the numbers 0 … n−1.
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

// choose returns the candidate with the best mean score on the rows of d that the
// splits hold out, and that score. score trains a candidate on the one part and
// judges it by the other. d are training rows, so that no test row has a say.
func choose[C any](r *run, d *dataset.Set, splits []crossval.Split, candidates []C, larger bool, score func(c C, train, validation *dataset.Set, run gram.Run) float64) (best C, mean float64) {
	search := crossval.Search{Splits: splits, Larger: larger, Run: r.repeat(0)}
	result := must(search.Do(r.ctx, crossval.Each(len(candidates)), func(_ context.Context, t crossval.Task) (scores []float64, err error) {
		err = try(func() {
			scores = []float64{score(candidates[t.Candidates[0]], d.Select(t.Train), d.Select(t.Held), t.Run)}
		})
		return scores, err
	}))
	return candidates[result.Best], result.Trials[result.Best].Mean
}

// fifth returns the single split of d that holds out a fifth of the rows, stratified by class.
func (r *run) fifth(d *dataset.Set) []crossval.Split {
	n, _ := d.Dims()
	return []crossval.Split{crossval.Share(n, .2, d.Labels.Class, r.Seed)}
}

// quarters are the first k of four folds of d.
func (r *run) quarters(d *dataset.Set, k int) []crossval.Split {
	n, _ := d.Dims()
	return crossval.Folds(n, 4, d.Labels.Class, r.repeat(0).Seed)[:k]
}
