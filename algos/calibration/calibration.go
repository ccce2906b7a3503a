package calibration

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/crossval"
	"github.com/gramworks/gram/algos/multiclass"
	"github.com/gramworks/gram/internal/enum"
	"github.com/gramworks/gram/modelfile"
	"github.com/gramworks/gram/settings"
	"gonum.org/v1/gonum/mat"
)

// Kind is a kind of map from scores to probabilities.
type Kind uint8

const (
	Platt       Kind = iota // a sigmoid of each function's scores
	Isotonic                // steps that ascend with each function's scores
	Temperature             // all scores divided by a number
)

var kinds = [...]string{"platt", "isotonic", "temperature"}

// String returns "platt", "isotonic" or "temperature".
func (k Kind) String() string { return enum.Name(k, kinds[:]...) }

// ParseKind returns the kind for which String returns s. The error is a *gram.ConfigError if there is none.
func ParseKind(s string) (Kind, error) {
	i := slices.Index(kinds[:], s)
	if i < 0 {
		return 0, settings.Refuse("calibration", s, "one of %s", strings.Join(kinds[:], ", "))
	}
	return Kind(i), nil
}

// Map turns scores into probabilities. It is immutable.
type Map struct {
	kind     Kind
	classes  int
	pairs    bool
	sigmoids []Sigmoid // Platt: one for each function; Temperature: a single one without offset
	steps    []steps   // Isotonic: one for each function
}

// Calibrated is a classifier that knows the map of its scores; nil if it has none.
type Calibrated interface {
	gram.Classifier
	Calibration() *Map
}

// pairwise is a classifier with a function for each pair of classes, if Pairs says so.
type pairwise interface {
	Pairs() bool
	Values(dst *mat.Dense, x mat.Matrix) *mat.Dense
}

// Pairs reports whether c has a function for each pair of classes (0,1), (0,2), …, (1,2), …,
// positive for the second class, rather than one for each class.
func Pairs(c gram.Classifier) bool {
	p, ok := c.(pairwise)
	return ok && p.Pairs()
}

// Scores returns what maps of the classifier are functions of: the values of the functions
// of pairs if there are any, else c.Scores.
func Scores(c gram.Classifier, x mat.Matrix) *mat.Dense {
	if Pairs(c) {
		return c.(pairwise).Values(nil, x)
	}
	return c.Scores(nil, x)
}

// functions returns the number of scores of a row.
func functions(classes int, pairs bool) int {
	if pairs {
		return classes * (classes - 1) / 2
	}
	return multiclass.Functions(classes)
}

// Fit fits a map to the scores of n rows: an n×1 matrix for two classes, positive for class
// 1, an n×classes matrix for more, or, if pairs is true, an n×classes(classes−1)/2 matrix
// with a column for each pair (0,1), (0,2), …, (1,2), … that is positive for the second
// class. w are weights of the rows; nil means ones. It panics if the shapes do not belong
// together, and returns a *gram.ConfigError for a class without weight and a
// *gram.DataError for a score that is not finite. It takes O(n log n) operations for each
// column.
func Fit(kind Kind, scores *mat.Dense, y gram.Labels, pairs bool, w []float64) (*Map, error) {
	n, columns := scores.Dims()
	k := len(y.Names)
	if len(y.Class) != n || k < 2 || columns != functions(k, pairs) || w != nil && len(w) != n {
		panic("calibration: scores, classes and weights do not belong together")
	}
	if kind > Temperature {
		return nil, settings.Refuse("calibration", uint8(kind), "one of %s", strings.Join(kinds[:], ", "))
	}
	if err := gram.Of(scores).Finite(); err != nil {
		return nil, fmt.Errorf("scores: %w", err)
	}
	total := make([]float64, k)
	for i, c := range y.Class {
		total[c] += weight(w, i)
	}
	if c := slices.IndexFunc(total, func(v float64) bool { return !(v > 0) }); c >= 0 {
		return nil, settings.Refuse("class", y.Names[c], "rows of every class, to fit probabilities")
	}
	m := &Map{kind: kind, classes: k, pairs: pairs}
	if kind == Temperature {
		m.sigmoids = []Sigmoid{{A: -sharpness(scores, y.Class, k, pairs, w)}}
		return m, nil
	}
	var e events
	for f := range columns {
		first, second := f, -1
		switch {
		case columns == 1:
			first, second = 0, 1
		case pairs:
			first, second = pairOf(f, k)
		}
		e.reset()
		for i, c := range y.Class {
			switch {
			case second < 0: // a class against the rest
				e.add(scores.At(i, f), c == first, weight(w, i))
			case c == first || c == second:
				e.add(scores.At(i, f), c == second, weight(w, i))
			}
		}
		if kind == Platt {
			m.sigmoids = append(m.sigmoids, e.sigmoid())
		} else {
			m.steps = append(m.steps, e.isotonic())
		}
	}
	return m, nil
}

func weight(w []float64, i int) float64 {
	if w == nil {
		return 1
	}
	return w[i]
}

// pairOf returns the classes of function f of the pairs of k classes.
func pairOf(f, k int) (a, b int) {
	for a = range k {
		if f < k-1-a {
			break
		}
		f -= k - 1 - a
	}
	return a, a + 1 + f
}

// Softmax returns the map of scores that are logarithms of odds: the sigmoid of a single
// score, or the exponentials of the scores of the classes divided by their sum.
func Softmax(classes int) *Map {
	return &Map{kind: Temperature, classes: classes, sigmoids: []Sigmoid{{A: -1}}}
}

// NewPairs returns a map of the kind Platt for the functions of pairs of classes, or for
// the single function of two classes.
func NewPairs(classes int, s []Sigmoid) *Map {
	if classes < 2 || len(s) != functions(classes, true) {
		panic("calibration: there is not a sigmoid for each pair")
	}
	return &Map{classes: classes, pairs: classes > 2, sigmoids: slices.Clone(s)}
}

// Kind returns how the map makes probabilities of scores: Platt, Isotonic or Temperature.
func (m *Map) Kind() Kind { return m.kind }

// Classes returns the number of classes.
func (m *Map) Classes() int { return m.classes }

// Pairs reports whether the map takes a score for each pair of classes.
func (m *Map) Pairs() bool { return m.pairs }

// Sigmoids returns the sigmoids of a map of the kind Platt, one for each function, and for
// Temperature a single one with A = −1/T. The slice must not be changed.
func (m *Map) Sigmoids() []Sigmoid { return m.sigmoids }

// Probabilities sets the rows of dst, an n×classes matrix, to the probabilities of the
// classes for scores in the form that Fit takes, and returns dst; a nil dst is allocated.
// They add up to 1. A row with a NaN has NaN for every class.
func (m *Map) Probabilities(dst, scores *mat.Dense) *mat.Dense {
	n, columns := scores.Dims()
	if n > 0 && columns != functions(m.classes, m.pairs) {
		panic("calibration: the scores have the wrong number of columns")
	}
	if dst == nil {
		if n == 0 {
			return &mat.Dense{}
		}
		dst = mat.NewDense(n, m.classes, nil)
	}
	if r, c := dst.Dims(); r != n || n > 0 && c != m.classes {
		panic("calibration: the destination has the wrong shape")
	}
	var couple *coupling
	if m.pairs {
		couple = newCoupling(m.classes)
	}
	within := make([]float64, columns)
	for i := range n {
		p, s := dst.RawRowView(i), scores.RawRowView(i)
		switch {
		case slices.ContainsFunc(s, func(v float64) bool { return v != v }):
			for c := range p {
				p[c] = math.NaN()
			}
		case m.pairs || columns == 1:
			for f, v := range s {
				within[f] = m.function(f, v)
			}
			if m.pairs {
				couple.solve(p, within)
			} else {
				p[0], p[1] = 1-within[0], within[0]
			}
		case m.kind == Temperature:
			softmaxInto(p, s, -m.sigmoids[0].A)
		default:
			var sum float64
			for c, v := range s {
				p[c] = m.function(c, v)
				sum += p[c]
			}
			for c := range p {
				if sum > 0 {
					p[c] /= sum
				} else {
					p[c] = 1 / float64(len(p))
				}
			}
		}
	}
	return dst
}

// function returns the probability that function f gives to the score s.
func (m *Map) function(f int, s float64) float64 {
	switch m.kind {
	case Isotonic:
		return m.steps[f].at(s)
	case Temperature:
		f = 0
	}
	return m.sigmoids[f].At(s)
}

// softmaxInto sets p to exp(beta·s) divided by the sum.
func softmaxInto(p, s []float64, beta float64) {
	top := slices.Max(s)
	var sum float64
	for c, v := range s {
		p[c] = 1
		if v != top { // also if top is infinite
			p[c] = math.Exp(beta * (v - top))
		}
		sum += p[c]
	}
	for c := range p {
		p[c] /= sum
	}
}

// Classifier is a classifier with probabilities. It is safe for concurrent use if the
// classifier is.
type Classifier struct {
	gram.Classifier
	Map *Map
}

// Probabilities returns the n×classes probabilities of the classes for the rows of x.
func (c *Classifier) Probabilities(dst *mat.Dense, x mat.Matrix) *mat.Dense {
	return c.Map.Probabilities(dst, Scores(c.Classifier, x))
}

// Calibration returns the map from the scores of the classifier to probabilities.
func (c *Classifier) Calibration() *Map { return c.Map }

// CrossFit fits a map to scores of n rows that come from classifiers trained without them.
// For each split, train returns a classifier that has learned the rows in split.Train
// alone; rows returns rows of the data. The splits hold out every row once, as those of
// crossval.Folds do. CrossFit returns ctx.Err() and the errors of train and of Fit.
func CrossFit(ctx context.Context, kind Kind, y gram.Labels, w []float64, splits []crossval.Split,
	train func(ctx context.Context, split crossval.Split) (gram.Classifier, error), rows func(index []int) mat.Matrix) (*Map, error) {
	var scores *mat.Dense
	pairs := false
	for f, split := range splits {
		c, err := train(ctx, split)
		if err != nil {
			return nil, fmt.Errorf("fold %d of %d: %w", f+1, len(splits), err)
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if scores == nil {
			pairs = Pairs(c)
			scores = mat.NewDense(len(y.Class), functions(len(y.Names), pairs), nil)
		}
		part := Scores(c, rows(split.Held))
		for k, i := range split.Held {
			scores.SetRow(i, part.RawRowView(k))
		}
	}
	if scores == nil {
		panic("calibration: there are no splits")
	}
	return Fit(kind, scores, y, pairs, w)
}

// Encode writes the kind, the number of classes and the functions of the map.
func (m *Map) Encode(w *modelfile.Writer) error { return modelfile.Put(w, m.form) }

// Decode reads a Map that Encode has written. The error says what is wrong with a damaged file.
func Decode(f *modelfile.File) (*Map, error) { return modelfile.Get(f, new(Map), (*Map).form) }

// stored holds the settings of a map in a file.
type stored struct {
	Kind    Kind
	Classes int
	Pairs   bool
}

// form lists what a file holds of the map. Writing and reading a file go through these same statements.
func (m *Map) form(x *modelfile.Exchange) {
	s := stored{m.kind, m.classes, m.pairs}
	x.Header("calibration", 1, &s)
	x.Require(s.Kind <= Temperature && s.Classes >= 2 && s.Classes <= modelfile.MaxCount && (!s.Pairs || s.Classes > 2 && s.Classes <= 1<<15),
		"", "a map of kind %d for %d classes", s.Kind, s.Classes)
	m.kind, m.classes, m.pairs = s.Kind, s.Classes, s.Pairs
	functions := functions(s.Classes, s.Pairs)
	if m.kind == Isotonic {
		m.exchangeSteps(x, functions)
		return
	}
	if m.kind == Temperature {
		functions = 1
	}
	var a, b []float64
	for _, s := range m.sigmoids {
		a, b = append(a, s.A), append(b, s.B)
	}
	x.Float64("slope", &a, functions)
	x.Float64("offset", &b, functions)
	if x.Reading() {
		m.sigmoids = make([]Sigmoid, len(a))
		for f := range a {
			m.sigmoids[f] = Sigmoid{a[f], b[f]}
		}
		x.Require(m.kind != Temperature || a[0] <= 0 && b[0] == 0, "slope", "a temperature that is negative")
	}
}
