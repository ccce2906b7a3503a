package protocol

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/gonum/stat/distuv"
)

// sealed keeps what a value holds out of printed text.
type sealed struct{}

// Format prints the word sealed in place of the value, whatever the verb.
func (sealed) Format(s fmt.State, _ rune) { fmt.Fprint(s, "sealed") }

// Score is what a model reaches on a test part. Nothing but a Figure takes it.
type Score struct {
	sealed
	value     float64
	duplicate float64 // share of the test rows that are training rows, too
	seconds   float64 // that the model took to answer
	seen      string
	counted   *bool
	_         [0]func() // scores cannot be compared
}

func newScore(v float64) (Score, error) {
	if math.IsNaN(v) {
		return Score{}, broken("a score is not a number")
	}
	return Score{value: v, counted: new(bool)}, nil
}

// Seconds is the time that the model took to answer for all test rows, 0 for a
// program.
func (s Score) Seconds() float64 { return s.seconds }

func (s *Split) score(v, seconds float64) (Score, error) {
	out, err := newScore(v)
	out.seconds = seconds
	out.seen, out.duplicate = s.seen, float64(s.duplicate)/float64(max(1, s.TestRows()))
	return out, err
}

// Mean returns the mean of scores, such as those of the folds of one repeat.
func Mean(scores []Score) Score {
	out := Score{counted: new(bool)}
	for _, s := range scores {
		out.value += s.value / float64(len(scores))
		out.duplicate += s.duplicate / float64(len(scores))
		if s.seen != "" {
			out.seen = s.seen
		}
	}
	return out
}

// Above returns by how much the chosen score is above the least of them all.
func Above(all []Score, chosen int) (Score, error) {
	least := math.Inf(1)
	for _, s := range all {
		least = min(least, s.value)
	}
	return newScore(all[chosen].value - least)
}

// Figure collects the values of all repeats of a measurement.
type Figure struct {
	sealed
	repeats int
	values  []float64
	seconds float64
	bytes   int64
	seen    string
	shared  float64 // sum of the shares of duplicates
	err     error
}

// NewFigure returns a figure of that many repeats. One of fewer or more is not
// published.
func NewFigure(repeats int) *Figure { return &Figure{repeats: repeats} }

// Add counts a score, once, with the seconds and the bytes that it took.
func (f *Figure) Add(s Score, seconds float64, bytes int64) {
	if s.counted == nil || *s.counted {
		f.err = broken("a score counts once")
		return
	}
	*s.counted = true
	f.shared += s.duplicate
	if s.seen != "" {
		f.seen = s.seen
	}
	f.AddValue(s.value, seconds, bytes)
}

// AddValue counts what is no score of a test part: seconds, the error of an
// approximation, a rank.
func (f *Figure) AddValue(v, seconds float64, bytes int64) {
	f.values = append(f.values, v)
	f.seconds += seconds
	f.bytes = max(f.bytes, bytes)
}

// Seconds returns the mean of the seconds over the repeats.
func (f *Figure) Seconds() float64 { return f.seconds / float64(max(1, len(f.values))) }

// Bytes returns the largest number of bytes of a repeat.
func (f *Figure) Bytes() int64 { return f.bytes }

// Row is one figure of a table: what a method reaches on a data set, and what the paper prints.
type Row struct {
	Table   string   `json:"table"`
	Dataset string   `json:"dataset"`
	Method  string   `json:"method"`
	Metric  string   `json:"metric"`
	Paper   *float64 `json:"paper"` // null where the paper prints none
	Got     *float64 `json:"got"`   // null where it could not be computed: see Note
	Std     *float64 `json:"std"`   // standard deviation over the repeats; null with one
	Repeats int      `json:"repeats,omitempty"`
	Seconds float64  `json:"seconds"`
	Bytes   int64    `json:"bytes"`
	Note    string   `json:"note"`

	// Mean differences from other methods over the same repeats.
	Paired []Paired `json:"paired,omitempty"`
	// What made the test part known to the method; empty: nothing.
	Seen string `json:"seen,omitempty"`
	// Share of the test rows that are training rows, too.
	Duplicates float64 `json:"duplicates,omitempty"`

	// The row's place in a figure: the line it belongs to and its x.
	Series string  `json:"series,omitempty"`
	X      float64 `json:"x,omitempty"`

	Cloud *Cloud `json:"-"` // points that a figure shows beside the row's value; nil: none

	figure  *Figure
	against []rival
	rivals  []*Figure
}

// rival is the figure of another method, by its name, that a row is compared with repeat by repeat.
type rival struct {
	name string
	*Figure
}

// Paired is the mean of what a method has less than another on the same repeats,
// with its standard error; null with one repeat.
type Paired struct {
	Against   string   `json:"against"`
	Below     float64  `json:"below"`
	Deviation *float64 `json:"deviation"`
}

// String returns the difference, with its standard error if there is one, as notes say it.
func (p Paired) String() string {
	if p.Deviation == nil {
		return fmt.Sprintf("%.3g below %s", p.Below, p.Against)
	}
	return fmt.Sprintf("%.3g ± %.2g below %s", p.Below, *p.Deviation, p.Against)
}

// Cloud are points in the plane, by classes.
type Cloud struct {
	names []string
	x, y  [][]float64
}

// Plane returns the points of every class, in the order of the names.
func (c *Cloud) Plane() (names []string, x, y [][]float64) { return c.names, c.x, c.y }

// Of returns the row with that figure, which fills in its numbers when it is
// published.
func (r Row) Of(f *Figure) Row {
	r.figure = f
	return r
}

// Against returns the row with a difference from another method.
func (r Row) Against(name string, f *Figure) Row {
	r.against = append(slices.Clip(r.against), rival{name, f})
	return r
}

// Among returns the row with the figures of which it may be the lowest. The
// published note says so, or that it is not above it by a paired t-test.
func (r Row) Among(figures []*Figure) Row {
	r.rivals = figures
	return r
}

// Rounded returns the row with five digits of its numbers, as it is stored.
func Rounded(r Row) Row {
	five := func(v float64) float64 {
		v, _ = strconv.ParseFloat(strconv.FormatFloat(v, 'g', 5, 64), 64)
		return v
	}
	for _, p := range []**float64{&r.Got, &r.Std} {
		if *p != nil && !math.IsInf(**p, 0) {
			v := five(**p)
			*p = &v
		}
	}
	r.Seconds, r.X, r.Paired = five(r.Seconds), five(r.X), slices.Clone(r.Paired)
	for i := range r.Paired {
		if r.Paired[i].Below = five(r.Paired[i].Below); r.Paired[i].Deviation != nil {
			v := five(*r.Paired[i].Deviation)
			r.Paired[i].Deviation = &v
		}
	}
	return r
}

// Publish fills in the numbers of a row.
func Publish(r Row) (Row, error) {
	f := r.figure
	if f == nil {
		return r, nil
	}
	if f.err == nil && len(f.values) != f.repeats {
		f.err = broken("%d values of %d repeats", len(f.values), f.repeats)
	}
	if f.err != nil {
		return r, fmt.Errorf("%s, %s: %w", r.Dataset, r.Method, f.err)
	}
	mean, std := moments(f.values)
	r.Got, r.Repeats, r.Seconds, r.Bytes = &mean, f.repeats, f.Seconds(), f.bytes
	if r.Repeats > 1 {
		r.Std = &std
	}
	r.Duplicates = math.Round(1e4*f.shared/float64(f.repeats)) / 1e4
	r.Seen, r.Paired = f.seen, nil
	for _, other := range r.against {
		r.Paired = append(r.Paired, Difference(other.name, other.Figure, f))
	}
	slices.SortFunc(r.Paired, func(a, b Paired) int { return strings.Compare(a.Against, b.Against) })
	if r.rivals != nil {
		if m := mark(f, r.rivals); m != "" && r.Note != "" {
			r.Note = m + "; " + r.Note
		} else {
			r.Note += m
		}
	}
	r.figure, r.against, r.rivals = nil, nil, nil
	return r, nil
}

// moments returns the mean and the standard deviation.
func moments(v []float64) (mean, std float64) {
	n := float64(len(v))
	for _, x := range v {
		mean += x / n
	}
	for _, x := range v {
		std += (x - mean) * (x - mean)
	}
	return mean, math.Sqrt(std / (n - 1))
}

// Difference returns by how much b is below a, repeat by repeat.
func Difference(name string, a, b *Figure) Paired {
	var diff []float64
	for i, v := range a.values[:min(len(a.values), len(b.values))] {
		diff = append(diff, v-b.values[i])
	}
	mean, std := moments(diff)
	p := Paired{Against: name, Below: mean}
	if len(diff) > 1 {
		std /= math.Sqrt(float64(len(diff)))
		p.Deviation = &std
	}
	return p
}

// mark says whether f is the lowest of figures, or not above the lowest.
func mark(f *Figure, figures []*Figure) string {
	best, least := f, math.Inf(1)
	for _, g := range figures {
		if mean, _ := moments(g.values); mean < least {
			best, least = g, mean
		}
	}
	switch {
	case f == best:
		return "lowest"
	case len(f.values) > 1 && !greaterMean(f, best):
		return "not above the lowest at 95 %"
	}
	return ""
}

// greaterMean tells whether the mean of a is above that of b by a paired t-test, one
// side, at 95 %.
func greaterMean(a, b *Figure) bool {
	d := Difference("", a, b)
	if *d.Deviation == 0 {
		return d.Below > 0
	}
	return d.Below / *d.Deviation > distuv.StudentsT{Mu: 0, Sigma: 1, Nu: float64(len(a.values)) - 1}.Quantile(0.95)
}
