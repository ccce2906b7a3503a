package predict

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/basis"
	"github.com/gramworks/gram/algos/multiclass"
	"github.com/gramworks/gram/internal/enum"
	"github.com/gramworks/gram/modelfile"
	"github.com/gramworks/gram/settings"
	"gonum.org/v1/gonum/mat"
)

// Method selects the program that represents a model: Auto, Exact, or the name of a Candidate.
type Method string

const (
	// Auto selects Exact if that is within the budget, else the candidate with the smallest error
	// of those within the budget.
	Auto Method = "auto"
	// Exact computes the outputs of the model itself, up to the rounding of the Precision.
	Exact Method = "exact"
)

// numbered lists the methods in the order of the numbers that represented them in files of old
// versions.
var numbered = [...]Method{Auto, Exact, "nystrom", "rff", "fastnys", "dcpred"}

// MarshalJSON writes the number for a method that old files know, so that old programs can read it,
// and the name for all others.
func (m Method) MarshalJSON() ([]byte, error) {
	if i := slices.Index(numbered[:], m); i >= 0 {
		return json.Marshal(i)
	}
	return json.Marshal(string(m))
}

// UnmarshalJSON reads a name, or the number that old files have.
func (m *Method) UnmarshalJSON(text []byte) error {
	var i uint
	if json.Unmarshal(text, &i) == nil {
		if i >= uint(len(numbered)) {
			return fmt.Errorf("method %d", i)
		}
		*m = numbered[i]
		return nil
	}
	return json.Unmarshal(text, (*string)(m))
}

// ParseMethod returns the method of that name: auto, exact or that of one of the
// candidates.
func ParseMethod(s string, candidates []Candidate) (Method, error) {
	m := Method(s)
	if m == Auto || m == Exact {
		return m, nil
	}
	c, err := find(m, candidates)
	return c.Method, err
}

// Precision is the type that a compiled model computes in and is stored in.
type Precision uint8

const (
	Float64 Precision = iota // float64, the default
	Float32                  // float32: half the memory and time, rounded
)

// String returns the name as the command line takes it.
func (p Precision) String() string { return enum.Name(p, "float64", "float32") }

// bytes returns the size of a number in this precision: 8 or 4 bytes.
func (p Precision) bytes() int {
	if p == Float32 {
		return 4
	}
	return 8
}

// ParsePrecision returns the precision that s names, float64 or float32, and an error for any other text.
func ParsePrecision(s string) (Precision, error) {
	switch s {
	case "float64":
		return Float64, nil
	case "float32":
		return Float32, nil
	}
	return 0, settings.Refuse("Precision", s, "float64 or float32")
}

// Options holds the settings of Compile: the method, the precision and the limit on the cost of a prediction.
type Options struct {
	Method     Method // default Auto
	Precision  Precision
	M          int         // size of an approximation: landmarks or frequencies; default: the most that Budget allows, the candidate's usual one without
	Budget     float64     // largest cost, in multiples of the flops of a linear model with as many outputs; 0: no limit
	Candidates []Candidate `json:"-"` // the approximations to choose from; nil: only exact programs
	Points     mat.Matrix  `json:"-"` // rows to which approximations are fitted, similar to those to be predicted; nil: the machine's own points
	gram.Run   `json:"-"`
}

// Stats describes a finished compilation. Figures about rows concern an approximation and the fifth of
// Options.Points to which it was not fitted.
type Stats struct {
	Exact     gram.Plan // cost of the exact program, in the precision asked for
	Rows      int       // number of rows to which the approximation was fitted
	Held      int       // number of rows held out of the fit
	Error     float64   // root mean square of f−f̃ over that of f about its mean; 0: exact
	Agreement float64   // fraction of rows of equal class; 1: exact, or no classes
	Penalty   float64   // weight of the squared norm of the correction, per row; +Inf: no correction
	Rounding  float64   // Float32: largest |difference from float64| over the largest |f|, on a thousand of these rows (an exact program: of Options.Points or its own)
	Seconds   float64
}

// Compiled is a compiled model. It is also a gram.Classifier, a gram.Regressor with a method
// PredictAll(dst *mat.Dense, x mat.Matrix) *mat.Dense for all outputs, a gram.Posterior or a
// gram.Ranker, as the model is, and safe for concurrent use. A classifier has a method Pairs()
// bool, which reports whether there is a function for each pair of classes, and a method
// Values(dst *mat.Dense, x mat.Matrix) *mat.Dense for the outputs of the functions.
type Compiled interface {
	modelfile.Model
	// Dim returns the number d of columns that rows to predict must have.
	Dim() int
	// Float64 and Float32 return the program in either type. The program that is not in the
	// model's own precision is made by the first call.
	Float64() gram.Program[float64]
	Float32() gram.Program[float32]
	// Cost returns the cost of a row in the model's own precision.
	Cost() gram.Plan
	// Multiple returns the cost of a row divided by the flops of a linear model with as many
	// outputs.
	Multiple() float64
	// Options returns the settings with all defaults filled in.
	Options() Options
	// Function returns the linear function of features that the program computes. The error
	// is for a Source that is no such function.
	Function() (basis.Function, error)
	// Source returns the model that was compiled as it is, nil for a linear function.
	Source() modelfile.Model
	// Stats returns the figures of the compilation, such as the error of the approximation and the time it took. A model that
	// was read from a file has none.
	Stats() Stats

	compiled() *core
}

// resolve fills in the defaults and chooses between exact and approximate.
func (o Options) resolve(t *target) (Options, error) {
	if o.Method == "" {
		o.Method = Auto
	}
	switch {
	case o.Precision > Float32:
		return o, settings.Refuse("Precision", uint8(o.Precision), "Float64 or Float32")
	case !(o.Budget >= 0) || math.IsInf(o.Budget, 0):
		return o, settings.Refuse("Budget", o.Budget, "a finite number ≥ 0")
	case o.M < 0 || o.M > maxSize:
		return o, settings.Refuse("M", o.M, "from 0 to 2^24")
	case o.M > 0 && (o.Method == Auto || o.Method == Exact):
		return o, settings.Refuse("M", o.M, "0 for this method")
	}
	var candidate Candidate
	if o.Method != Auto && o.Method != Exact {
		var err error
		if candidate, err = find(o.Method, o.Candidates); err != nil {
			return o, err
		}
	}
	cost, err := t.cost(o.Precision)
	if err != nil {
		return o, err
	}
	d, k := t.d, t.outputs
	multiple := cost.Flops / linearFlops(d, k)
	within := o.Budget == 0 || multiple <= o.Budget
	if o.Method == Auto && within {
		o.Method = Exact
	}
	if o.Method == Exact {
		if !within {
			return o, settings.Refuse("Budget", o.Budget, "at least %.3g for the exact program", multiple)
		}
		return o, nil
	}
	m, ok := t.machine()
	if !ok {
		if o.Method == Auto {
			return o, settings.Refuse("Budget", o.Budget, "at least %.3g: %s, and there is nothing cheaper than its program (%s)", multiple, t.reason, cost.Description)
		}
		return o, settings.Refuse("Method", o.Method, "exact: %s, and there is nothing cheaper than its program (%s)", t.reason, cost.Description)
	}
	limit := o.limit(m)
	if o.Method == Auto {
		for _, c := range o.Candidates {
			if c.most(m, limit) > 0 {
				return o, nil
			}
		}
		return o, settings.Refuse("Budget", o.Budget, "at least what one landmark costs")
	}
	if !candidate.applies(m) {
		return o, settings.Refuse("Method", o.Method, "another one for the %s kernel", m.Kernel.Spec().Name)
	}
	unit := candidate.unit(m)
	top := candidate.most(m, limit)
	switch {
	case top == 0:
		return o, settings.Refuse("Budget", o.Budget, "at least what one landmark or frequency costs")
	case o.M > top:
		return o, settings.Refuse("M", o.M, "at most %d, for the machine and the budget", top)
	case o.M%unit != 0:
		return o, settings.Refuse("M", o.M, "a multiple of %d for %s", unit, o.Method)
	case o.M == 0 && o.Budget > 0:
		o.M = min(top, autoSize)
	case o.M == 0:
		o.M = min(top, candidate.Usual)
	}
	return o, nil
}

// Size returns the size M of the approximation that Compile makes of a model for a Method that is a
// candidate's, without making it. It is 0 for other methods. Errors are those of Compile about the
// model and the settings.
func Size(model any, o Options) (int, error) {
	t, err := targetOf(model, o.Precision)
	if err == nil {
		o, err = o.resolve(t)
	}
	return o.M, err
}

// Compile makes a program of a gram.Classifier, a gram.Regressor or a gram.Ranker and returns it as
// a model of the same kind. The exact program of a gram.Posterior is a gram.Posterior, which keeps
// the model for its variances; an approximation has none. The model must have a method Function() (basis.Function,
// error), or implement both gram.Compiler and modelfile.Model. A classifier with a method Pairs() bool
// that returns true has a function for each pair of classes (0,1), (0,2), …, (1,2), …, which is
// positive for the second class.
//
// Compile looks at ctx between blocks of rows and between the steps of a fit. The longest operation that
// cannot be interrupted is the eigendecomposition for M landmarks or the factorization for its features.
func Compile(ctx context.Context, model any, o Options) (Compiled, error) {
	begin := time.Now()
	t, err := targetOf(model, o.Precision)
	if err != nil {
		return nil, err
	}
	if t.model == nil && !finite(t.function) {
		return nil, errors.New("predict: the model has coefficients that are not finite")
	}
	d, k := t.d, t.outputs
	if want := functions(len(t.names), t.pairs); t.names != nil && k != want {
		return nil, fmt.Errorf("predict: the model has %d functions for %d classes, want %d", k, len(t.names), want)
	}
	if o, err = o.resolve(t); err != nil {
		return nil, err
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if o.Points != nil {
		if _, pd := o.Points.Dims(); pd != d {
			return nil, settings.Refuse("Points", fmt.Sprintf("%d columns", pd), "the model's %d", d)
		}
		x := gram.Of(o.Points)
		if m, is := t.model.(interface{ TakesMissing() bool }); !is || !m.TakesMissing() {
			if err := x.Finite(); err != nil {
				return nil, err
			}
		}
		o.Points = x
	}
	exact, err := t.cost(o.Precision)
	if err != nil {
		return nil, err
	}
	done, err := compileTarget(ctx, t, o)
	if err != nil {
		return nil, err
	}
	if done.stats.Exact = exact; done.o.Method == Exact {
		done.stats.Exact = done.Cost()
	}
	done.stats.Seconds = time.Since(begin).Seconds()
	return done.as(), nil
}

// functions returns the number of outputs for the given number of classes: one for each class, or one
// for each pair.
func functions(classes int, pairs bool) int {
	if pairs {
		return classes * (classes - 1) / 2
	}
	return multiclass.Functions(classes)
}

// compileTarget makes the model for settings that are resolved.
func compileTarget(ctx context.Context, t *target, o Options) (*core, error) {
	if o.Method == Exact {
		x := o.Points
		if m, ok := t.machine(); ok && x == nil {
			x = m.Points
		}
		return finish(ctx, t, o, Stats{Agreement: 1}, x)
	}
	m, _ := t.machine()
	c := &compiler{o: o, t: t, problem: Problem{Machine: m, Precision: o.Precision}}
	if err := c.prepare(ctx); err != nil {
		return nil, err
	}
	approximation, chosen, stats, err := c.approximate(ctx)
	if err != nil {
		return nil, err
	}
	return finish(ctx, approximation, chosen, stats, c.problem.Held)
}

// beyond is the error about a model that float32 does not hold.
func beyond(o Options) error {
	return settings.Refuse("Precision", o.Precision, "float64: the model has numbers beyond float32")
}

// finish makes the model. For float32 it rounds the function, and measures the effect of rounding and of
// computing in float32 on at most a thousand rows of x; nil means none.
func finish(ctx context.Context, t *target, o Options, stats Stats, x mat.Matrix) (*core, error) {
	if o.Precision == Float64 {
		return newCore(t, o, stats), nil
	}
	narrow := *t
	if t.model == nil {
		f := rounded(*t.function)
		narrow.function, narrow.program = &f, newPrograms(f)
		if !finite(&f) {
			return nil, beyond(o)
		}
	}
	done := newCore(&narrow, o, stats)
	if x == nil {
		return done, nil
	}
	rows := gram.Of(x)
	if rows.N() == 0 {
		return done, nil
	}
	rows = rows.Slice(0, min(rows.N(), 1000))
	wide, err := t.program.of.Program64() // not kept with a model in float32
	if err != nil {
		return nil, err
	}
	want, err := evaluate(ctx, o.Workers, wide, rows)
	if err != nil {
		return nil, err
	}
	got, err := done.scores(ctx, rows)
	if err != nil {
		return nil, err
	}
	var worst, largest float64
	for i, v := range want.RawMatrix().Data {
		if math.IsInf(v, -1) && got.RawMatrix().Data[i] == v {
			continue // neither of the two predicts this label
		}
		if u := got.RawMatrix().Data[i]; u-u != 0 && v-v == 0 {
			return nil, beyond(o)
		}
		worst = max(worst, math.Abs(v-got.RawMatrix().Data[i]))
		largest = max(largest, math.Abs(v))
	}
	if largest > 0 {
		done.stats.Rounding = worst / largest
	}
	return done, nil
}
