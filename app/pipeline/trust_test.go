package pipeline_test

import (
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/calibration"
	"github.com/gramworks/gram/algos/conformal"
	"github.com/gramworks/gram/algos/multiclass"
	"github.com/gramworks/gram/app/pipeline"
	"github.com/gramworks/gram/dataset"
	"github.com/gramworks/gram/modelfile"
	"gonum.org/v1/gonum/mat"
)

// scoring is a classifier of rows of three columns: they are the scores of three classes, or the first one
// is the score of two. It has the map own, which may be nil.
type scoring struct {
	names []string
	own   *calibration.Map
}

func (m *scoring) Dim() int                         { return 3 }
func (m *scoring) Encode(w *modelfile.Writer) error { return w.Header("scoring", 1, len(m.names)) }
func (m *scoring) Classes() []string                { return m.names }
func (m *scoring) Calibration() *calibration.Map    { return m.own }
func (m *scoring) Scores(dst *mat.Dense, x mat.Matrix) *mat.Dense {
	n, _ := x.Dims()
	return mat.DenseCopyOf(mat.DenseCopyOf(x).Slice(0, n, 0, multiclass.Functions(len(m.names))))
}

func (m *scoring) Predict(dst []int, x mat.Matrix) []int {
	s := m.Scores(nil, x)
	for i := range s.RawMatrix().Rows {
		dst = append(dst, multiclass.Decide(s.RawRowView(i)))
	}
	return dst
}

// dueling is a scoring with a function for each pair of classes: the columns are its values.
type dueling struct{ scoring }

func (m *dueling) Pairs() bool                                    { return true }
func (m *dueling) Values(dst *mat.Dense, x mat.Matrix) *mat.Dense { return mat.DenseCopyOf(x) }
func (m *dueling) Encode(w *modelfile.Writer) error               { return w.Header("dueling", 1, 0) }
func (m *dueling) Scores(dst *mat.Dense, x mat.Matrix) *mat.Dense { panic("the values are asked for") }

// picking is a model of values that returns a column of rows of d columns.
type picking struct{ d, column int }

func (m *picking) Dim() int { return m.d }
func (m *picking) Encode(w *modelfile.Writer) error {
	return w.Header("picking", 1, []int{m.d, m.column})
}
func (m *picking) Predict(dst []float64, x mat.Matrix) []float64 {
	return mat.Col(nil, m.column, x)
}

// uncertain has the value, and the variance about it, in the first two columns.
type uncertain struct{ picking }

func (m *uncertain) Encode(w *modelfile.Writer) error               { return w.Header("uncertain", 1, 0) }
func (m *uncertain) Variance(dst []float64, x mat.Matrix) []float64 { return mat.Col(nil, 1, x) }
func (m *uncertain) Noise() float64                                 { return .75 }

var abc = []string{"a", "b", "c"}

func classes(names ...string) *pipeline.Model {
	return &pipeline.Model{Method: "scoring", Task: dataset.Classes, Dim: 3, Names: names, Model: &scoring{names: names}}
}

func values(m modelfile.Model) *pipeline.Model {
	return &pipeline.Model{Method: "values", Task: dataset.Regression, Dim: 3, Model: m}
}

// softmax is e to the power of the scores divided by the sum of these numbers.
func softmax(s ...float64) []float64 {
	p, sum := make([]float64, len(s)), 0.
	for c, v := range s {
		p[c] = math.Exp(v)
		sum += p[c]
	}
	for c := range p {
		p[c] /= sum
	}
	return p
}

// What is wanted of classes is computed from the scores: probabilities by the map of the model or that beside
// it, numbers that order the rows, and sets of the classes whose nonconformity is at most that of the
// calibration rows.
func TestAnswerClasses(t *testing.T) {
	x := mat.NewDense(3, 3, []float64{1, .5, 0, 4, 0, 3.5, -.1, 3, 2.9})
	soft := mat.NewDense(3, 3, nil)
	for i := range 3 {
		soft.SetRow(i, softmax(x.RawRowView(i)...))
	}
	own := classes(abc...)
	own.Model.(*scoring).own = calibration.Softmax(3)
	beside := classes(abc...)
	beside.Calibration = calibration.Softmax(3)
	both := classes(abc...)
	both.Model.(*scoring).own, both.Calibration = calibration.NewPairs(3, make([]calibration.Sigmoid, 3)), beside.Calibration
	none := classes(abc...)
	for name, p := range map[string]*pipeline.Model{"own": own, "beside": beside, "both": both, "none": none} {
		w := pipeline.Want{Scores: true, Order: true, Probability: name != "none"}
		out := must(p.Answer(x, w))(t)
		if !slices.Equal(out.Class, []int{0, 0, 1}) || !mat.Equal(out.Scores, x) || out.Set != nil || out.Value != nil {
			t.Errorf("%s: %+v", name, out)
		}
		order := mat.Matrix(soft)
		if name == "none" {
			order = x
			if out.Probability != nil || p.Probabilities() != nil {
				t.Error("there are probabilities without a map")
			}
		} else if !mat.EqualApprox(out.Probability, soft, 1e-12) {
			t.Errorf("%s: the probabilities are %v", name, mat.Formatted(out.Probability))
		}
		if !mat.EqualApprox(out.Order, order, 1e-12) {
			t.Errorf("%s: the rows are ordered by %v", name, mat.Formatted(out.Order))
		}
		out = must(p.Answer(x, pipeline.Want{}))(t)
		if out.Scores != nil || out.Order != nil || out.Probability != nil || out.Unknown != nil {
			t.Errorf("%s: more than what is wanted: %+v", name, out)
		}
	}
	// Two classes are ordered by their score, whatever the map, and their probabilities are those of a sigmoid.
	two := classes("no", "yes")
	two.Calibration = calibration.NewPairs(2, []calibration.Sigmoid{{A: -2, B: 1}})
	out := must(two.Answer(x, pipeline.Want{Order: true, Probability: true}))(t)
	for i := range 3 {
		p := 1 / (1 + math.Exp(1-2*x.At(i, 0)))
		no, yes := out.Probability.At(i, 0), out.Probability.At(i, 1)
		if len(out.Order.RawRowView(i)) != 1 || out.Order.At(i, 0) != x.At(i, 0) || !(math.Abs(yes-p) < 1e-12) || !(math.Abs(no+p-1) < 1e-12) {
			t.Errorf("row %d of two classes: %v, %v", i, out.Order.RawRowView(i), out.Probability.RawRowView(i))
		}
	}
	// Functions of pairs are what a map of pairs takes.
	duel := classes(abc...)
	duel.Model = &dueling{scoring{names: abc}}
	duel.Calibration = calibration.NewPairs(3, []calibration.Sigmoid{{A: -1}, {A: -1}, {A: -1}})
	got := pipeline.Order(duel.Model.(gram.Classifier), duel.Calibration, x)
	if !mat.Equal(got, duel.Calibration.Probabilities(nil, x)) {
		t.Errorf("pairs of classes are ordered by %v", mat.Formatted(got))
	}

	// The nonconformity of scores is the largest other score minus that of the class, here .5, −.5, … for the
	// calibration row, and that of probabilities is 1 − p. One row supports levels up to one half.
	scored := must(conformal.FitClasses(mat.NewDense(1, 3, []float64{0, .5, 0}), []int{0}, false))(t)
	likely := must(conformal.FitClasses(mat.NewDense(1, 3, []float64{.2, .65, .15}), []int{2}, true))(t)
	for name, c := range map[string]struct {
		p    *conformal.Predictor
		want [][]int
	}{
		"scores":        {scored, [][]int{{0, 1}, {0, 2}, {1, 2}}},
		"probabilities": {likely, nil},
	} {
		p := classes(abc...)
		p.Calibration, p.Conformal = calibration.Softmax(3), c.p
		if c.want == nil {
			for i := range 3 {
				var set []int
				for class, v := range soft.RawRowView(i) {
					if 1-v <= .85 {
						set = append(set, class)
					}
				}
				c.want = append(c.want, set)
			}
		}
		out := must(p.Answer(x, pipeline.Want{Level: .5}))(t)
		if !reflect.DeepEqual(out.Set, c.want) || out.Probability != nil || !p.Intervals() {
			t.Errorf("sets by %s: %v, want %v", name, out.Set, c.want)
		}
	}
}

// Intervals of values are those of the conformal predictor, of its band, or else normal ones.
func TestAnswerValues(t *testing.T) {
	x := mat.NewDense(2, 3, []float64{1, .25, 5, -2, 3.25, 7})
	near := func(a, b float64) bool { return math.Abs(a-b) < 1e-9 }
	// With probability .9 a standard normal number is between ±1.6448536.
	z := func(v float64) float64 { return 1.6448536269514722 * math.Sqrt(v) }
	posterior := values(&uncertain{picking{3, 0}})
	around := values(&uncertain{picking{3, 0}})
	around.Conformal = must(conformal.FitValues(make([]float64, 9), []float64{1, -2, 3, -4, 5, -6, 7, -8, 9}))(t)
	band := values(&picking{3, 0})
	band.Band = []modelfile.Model{&picking{3, 1}, &picking{3, 2}}
	nine := make([]float64, 9)
	band.Conformal = must(conformal.FitBand(nine, nine, []float64{1, -2, 3, -4, 5, -6, 7, -8, 9}))(t)
	for name, c := range map[string]struct {
		p         *pipeline.Model
		low, high []float64
	}{
		"normal":    {posterior, []float64{1 - z(1), -2 - z(4)}, []float64{1 + z(1), -2 + z(4)}},
		"conformal": {around, []float64{1 - 9, -2 - 9}, []float64{1 + 9, -2 + 9}},
		"band":      {band, []float64{.25 - 9, 3.25 - 9}, []float64{5 + 9, 7 + 9}},
	} {
		out := must(c.p.Answer(x, pipeline.Want{Level: .9}))(t)
		between := slices.EqualFunc(out.Low, c.low, near) && slices.EqualFunc(out.High, c.high, near)
		if !between || !slices.Equal(out.Value, []float64{1, -2}) || out.Class != nil || !c.p.Intervals() {
			t.Errorf("%s: %+v, want %v to %v", name, out, c.low, c.high)
		}
		out = must(c.p.Answer(x, pipeline.Want{}))(t)
		if !slices.Equal(out.Value, []float64{1, -2}) || out.Low != nil || out.High != nil {
			t.Errorf("%s: intervals that nobody asks for: %+v", name, out)
		}
	}
}

// What a model does not have is refused before anything is computed, and the error says what it would need.
func TestCheck(t *testing.T) {
	x := mat.NewDense(1, 3, []float64{1, 2, 3})
	calibrated := classes(abc...)
	calibrated.Calibration = calibration.Softmax(3)
	sets := classes(abc...)
	sets.Conformal = must(conformal.FitClasses(mat.NewDense(3, 3, nil), []int{0, 1, 2}, false))(t)
	around := values(&picking{3, 0})
	around.Conformal = must(conformal.FitValues(make([]float64, 9), make([]float64, 9)))(t)
	posterior := values(&uncertain{picking{3, 0}})
	plain, ranks := values(&picking{3, 0}), &pipeline.Model{Task: dataset.MultiLabel, Dim: 3, Model: &ranking{}}
	type want = pipeline.Want
	const level = "level"
	for name, c := range map[string]struct {
		p     *pipeline.Model
		w     want
		needs string // empty: the model has it
	}{
		"nothing":                     {plain, want{}, ""},
		"scores":                      {calibrated, want{Scores: true, Order: true, Probability: true}, ""},
		"scores of values":            {plain, want{Scores: true}, "scores are for models of classes"},
		"order of values":             {plain, want{Order: true}, "scores are for models of classes"},
		"scores of labels":            {ranks, want{Scores: true}, "scores are for models of classes"},
		"probabilities of values":     {plain, want{Probability: true}, "probabilities are for models of classes"},
		"probabilities without a map": {sets, want{Probability: true}, "--proba"},
		"sets without a predictor":    {calibrated, want{Level: .5}, "--conformal"},
		"intervals without one":       {plain, want{Level: .5}, "--conformal"},
		"a NaN without one":           {plain, want{Level: math.NaN()}, "--conformal"},
		"normal intervals":            {posterior, want{Level: .5}, ""},
		"normal intervals of all":     {posterior, want{Level: 1}, level},
		"normal intervals below 0":    {posterior, want{Level: -.5}, level},
		"normal intervals of NaN":     {posterior, want{Level: math.NaN()}, level},
		"intervals":                   {around, want{Level: .9}, ""},
		"intervals for ten rows":      {around, want{Level: .91}, level},
		"intervals of NaN":            {around, want{Level: math.NaN()}, level},
		"sets":                        {sets, want{Level: .75}, ""},
		"sets for more rows":          {sets, want{Level: .76}, level},
	} {
		err := c.p.Check(c.w)
		var bad *gram.ConfigError
		if errors.As(err, &bad) != (c.needs == level) || (err == nil) != (c.needs == "") || err != nil && !strings.Contains(err.Error(), c.needs) {
			t.Errorf("%s: %v", name, err)
		}
		if bad != nil && (bad.Field != level || bad.Value != c.w.Level && c.w.Level == c.w.Level) {
			t.Errorf("%s: %s is said to be %v", name, bad.Field, bad.Value)
		}
		out, failed := c.p.Answer(x, c.w)
		if fmt.Sprint(failed) != fmt.Sprint(err) || err != nil && !reflect.DeepEqual(out, pipeline.Predictions{}) {
			t.Errorf("%s: the answer is %+v, %v", name, out, failed)
		}
	}
	if plain.Intervals() || calibrated.Intervals() || !around.Intervals() || !posterior.Intervals() {
		t.Error("there are intervals without a predictor, or none with one")
	}
	// Without a schema no column has texts.
	if out, err := plain.Answer(x, want{Unknown: true}); err != nil || len(out.Unknown) != 1 || out.Unknown[0] != nil {
		t.Errorf("texts that were not in training: %v, %v", out.Unknown, err)
	}
}

// The predictor is fitted to what the model and its map say of the scaled rows.
func TestConform(t *testing.T) {
	const n = 6
	scaling := &dataset.Scaling{Shift: []float64{1, 0, -1}, Divisor: []float64{2, 1, 4}, Width: 1}
	x := mat.NewDense(n, 3, nil)
	d := &dataset.Set{X: x, Labels: gram.Labels{Names: abc}}
	for i := range n {
		x.SetRow(i, []float64{float64(i), float64(i*i%7) / 2, 3 - float64(i)})
		d.Labels.Class = append(d.Labels.Class, i%3)
	}
	scaled := mat.DenseCopyOf(scaling.Apply(x))
	soft := calibration.Softmax(3)
	likely := soft.Probabilities(nil, scaled)
	for name, c := range map[string]struct {
		own, beside *calibration.Map
		adaptive    bool
		want        *conformal.Predictor
	}{
		"scores":            {nil, nil, false, must(conformal.FitClasses(scaled, d.Labels.Class, false))(t)},
		"own probabilities": {soft, nil, false, must(conformal.FitClasses(likely, d.Labels.Class, true))(t)},
		"probabilities":     {nil, soft, false, must(conformal.FitClasses(likely, d.Labels.Class, true))(t)},
		"adaptive":          {nil, soft, true, must(conformal.FitAdaptive(likely, d.Labels.Class, 5))(t)},
	} {
		p := classes(abc...)
		p.Model.(*scoring).own, p.Calibration, p.Scaling = c.own, c.beside, scaling
		do(t, p.Conform(d, c.adaptive, 5))
		if !reflect.DeepEqual(p.Conformal, c.want) {
			t.Errorf("%s: the predictor is %+v, want %+v", name, p.Conformal, c.want)
		}
	}
	v := &dataset.Set{X: x, Value: []float64{1, -2, 3, .5, 0, 8}}
	for _, adaptive := range []bool{false, true} {
		p := values(&picking{3, 0})
		p.Scaling, p.Band = scaling, []modelfile.Model{&picking{3, 1}, &picking{3, 2}}
		do(t, p.Conform(v, adaptive, 0))
		want := must(conformal.FitValues(mat.Col(nil, 0, scaled), v.Value))(t)
		if adaptive {
			want = must(conformal.FitBand(mat.Col(nil, 1, scaled), mat.Col(nil, 2, scaled), v.Value))(t)
		}
		if !reflect.DeepEqual(p.Conformal, want) || (p.Band != nil) != adaptive {
			t.Errorf("adaptive %t: the predictor is %+v, want %+v; the band stays: %t", adaptive, p.Conformal, want, p.Band != nil)
		}
	}

	other := &dataset.Set{X: x, Labels: gram.Labels{Names: []string{"a", "c", "b"}, Class: d.Labels.Class}}
	narrow := &dataset.Set{X: x.Slice(0, n, 0, 2), Value: v.Value}
	for name, c := range map[string]struct {
		p        *pipeline.Model
		d        *dataset.Set
		adaptive bool
		want     string
		field    string // of a *gram.ConfigError
	}{
		"other columns":              {values(&picking{3, 0}), narrow, false, "2 columns", ""},
		"other classes":              {classes(abc...), other, false, "classes are not those of the model", ""},
		"adaptive sets of scores":    {classes(abc...), d, true, "probabilities", "adaptive"},
		"classes for values":         {values(&picking{3, 0}), d, false, "values", "task"},
		"adaptive without a band":    {values(&picking{3, 0}), v, true, "band", "adaptive"},
		"labels have neither of two": {&pipeline.Model{Dim: 3, Model: &ranking{}}, v, false, "models of classes and values", ""},
	} {
		err := c.p.Conform(c.d, c.adaptive, 0)
		var bad *gram.ConfigError
		named := errors.As(err, &bad) && bad.Field == c.field
		if err == nil || !strings.Contains(err.Error(), c.want) || named != (c.field != "") || c.p.Conformal != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}
