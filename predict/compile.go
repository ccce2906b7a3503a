package predict

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/bits"
	"slices"
	"sort"
	"strings"
	"time"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/internal/check"
	"github.com/gramworks/gram/internal/rows"
	"github.com/gramworks/gram/kernel"
	"github.com/gramworks/gram/modelfile"
	"gonum.org/v1/gonum/mat"
)

// Method says how a program approximates its model.
type Method uint8

const (
	// Auto is Exact if that is within the budget, else the method with the
	// smallest error of those that are.
	Auto Method = iota
	// Exact computes what the model computes.
	Exact
	// Nystrom computes kernel values with M landmarks instead of all points.
	Nystrom
	// RFF computes M random frequencies; for the Gaussian and the Laplacian.
	RFF
	// FastNys computes kernel values with M landmarks that are made of a few
	// seeds by Haar's transform, 8 of each where there are as many columns.
	FastNys
	// DCPred computes kernel values with M landmarks and takes products of two of
	// them for more, all M(M+1)/2 or the 1 200 that are drawn: DC-Pred++ with one
	// leaf (package pseudo).
	DCPred
)

var methodNames = [...]string{"auto", "exact", "nystrom", "rff", "fastnys", "dcpred"}

// String returns the name as the command line takes it.
func (m Method) String() string {
	if int(m) < len(methodNames) {
		return methodNames[m]
	}
	return fmt.Sprintf("method(%d)", uint8(m))
}

// ParseMethod is the inverse of String.
func ParseMethod(s string) (Method, error) {
	if i := slices.Index(methodNames[:], s); i >= 0 {
		return Method(i), nil
	}
	return 0, &gram.ConfigError{Field: "Method", Value: s, Want: "one of " + strings.Join(methodNames[:], ", ")}
}

// Precision is the type that a compiled model computes in and is stored in.
type Precision uint8

const (
	Float64 Precision = iota
	Float32
)

// String returns the name as the command line takes it.
func (p Precision) String() string {
	if p == Float32 {
		return "float32"
	}
	return "float64"
}

// ParsePrecision is the inverse of String.
func ParsePrecision(s string) (Precision, error) {
	switch s {
	case "float64":
		return Float64, nil
	case "float32":
		return Float32, nil
	}
	return 0, &gram.ConfigError{Field: "Precision", Value: s, Want: "float64 or float32"}
}

// Options are the settings of Compile.
type Options struct {
	Method    Method
	Precision Precision
	M         int        // landmarks, RFF: frequencies; default: the most that Budget allows, 256 without one
	Budget    float64    // cost at most, in multiples of the flops of a linear model with as many outputs; 0: no limit
	Points    mat.Matrix `json:"-"` // rows like those to come, where approximations are fitted; nil: the machine's own points
	gram.Run  `json:"-"`
}

// Stats says how a compilation went. The figures about rows are those of an
// approximation on rows that it was not fitted to: a fifth of Options.Points.
type Stats struct {
	Exact     gram.Plan // cost of the exact program, in the precision asked for
	Rows      int       // rows the approximation was fitted to
	Held      int       // rows kept out of that
	Error     float64   // root mean square of f−f̃ over that of f about its mean; 0: exact
	Agreement float64   // fraction of rows of equal class; 1: exact, or no classes
	Penalty   float64   // weight of the squared norm of the correction, per row; +Inf: no correction
	Rounding  float64   // Float32: largest |difference from float64| over the largest |f|, on a thousand of these rows (an exact program: of Options.Points or its own)
	Seconds   float64
}

// Compiled is a *Classifier or a *Regressor.
type Compiled interface {
	modelfile.Model
	// Dim is the number of columns.
	Dim() int
	// Float64 and Float32 return the program in either type; that of the other
	// precision than the model's own is made at the first call.
	Float64() Program[float64]
	Float32() Program[float32]
	// Cost is that of a row in the model's own precision.
	Cost() gram.Plan
	// Multiple is the cost of a row in the flops of a linear model with as many
	// outputs.
	Multiple() float64
	// Options returns the settings with all defaults filled in.
	Options() Options
	// Stats says how the compilation went. A model that was read from a file has none.
	Stats() Stats

	compiled() *core
}

const (
	pointLimit = 20_000 // rows that approximations are fitted to
	leastHeld  = 20     // rows at least for an approximation: fewer say nothing
)

func (o Options) resolve(f *form) (Options, error) {
	switch {
	case o.Method > DCPred:
		return o, &gram.ConfigError{Field: "Method", Value: o.Method, Want: "Auto, Exact, Nystrom, RFF, FastNys or DCPred"}
	case o.Precision > Float32:
		return o, &gram.ConfigError{Field: "Precision", Value: uint8(o.Precision), Want: "Float64 or Float32"}
	case !(o.Budget >= 0) || math.IsInf(o.Budget, 0):
		return o, &gram.ConfigError{Field: "Budget", Value: o.Budget, Want: "a finite number ≥ 0"}
	case o.M < 0 || o.M > 1<<24:
		return o, &gram.ConfigError{Field: "M", Value: o.M, Want: "from 0 to 2^24"}
	case o.M > 0 && (o.Method == Auto || o.Method == Exact):
		return o, &gram.ConfigError{Field: "M", Value: o.M, Want: "0 for this method"}
	}
	d, k := f.dims()
	limit := math.Inf(1)
	if o.Budget > 0 {
		limit = o.Budget * linearFlops(d, k)
	}
	if o.Method == Auto && f.flops() <= limit {
		o.Method = Exact
	}
	if o.Method == Exact {
		if f.flops() > limit {
			return o, &gram.ConfigError{Field: "Budget", Value: o.Budget, Want: fmt.Sprintf("at least %.3g for the exact program", f.flops()/linearFlops(d, k))}
		}
		return o, nil
	}
	if f.Kind != kernelForm {
		return o, &gram.ConfigError{Field: "Method", Value: o.Method, Want: fmt.Sprintf("exact: there is nothing cheaper for a %s program", f.Kind)}
	}
	if !applies(o.Method, f.kernel) {
		return o, &gram.ConfigError{Field: "Method", Value: o.Method, Want: fmt.Sprintf("another one for the %s kernel", f.kernel.Spec().Name)}
	}
	if o.Method == Auto {
		if !slices.ContainsFunc(approximations, func(m Method) bool { return most(m, f, limit) > 0 }) {
			return o, &gram.ConfigError{Field: "Budget", Value: o.Budget, Want: "at least what one landmark costs"}
		}
		return o, nil
	}
	top := most(o.Method, f, limit)
	switch {
	case top == 0:
		return o, &gram.ConfigError{Field: "Budget", Value: o.Budget, Want: "at least what one landmark or frequency costs"}
	case o.M > top:
		return o, &gram.ConfigError{Field: "M", Value: o.M, Want: fmt.Sprintf("at most %d, for the machine and the budget", top)}
	case o.Method == FastNys && o.M%perSeed(d) != 0:
		return o, &gram.ConfigError{Field: "M", Value: o.M, Want: fmt.Sprintf("a multiple of %d for fastnys", perSeed(d))}
	case o.M == 0 && o.Budget > 0:
		o.M = min(top, 1<<14)
	case o.M == 0:
		o.M = min(top, usual(o.Method))
	}
	return o, nil
}

// approximations are the methods that Auto chooses among.
var approximations = []Method{Nystrom, RFF, FastNys, DCPred}

// Methods returns the approximations that there are for a model, none if its
// exact program is all there is. The error is that of Compile for a model that
// has no program.
func Methods(model any) ([]Method, error) {
	f, err := formOf(model)
	if err != nil || f.Kind != kernelForm {
		return nil, err
	}
	var out []Method
	for _, m := range approximations {
		if applies(m, f.kernel) {
			out = append(out, m)
		}
	}
	return out, nil
}

// applies reports whether there is the approximation m for kernel k.
func applies(m Method, k kernel.Kernel) bool {
	switch m {
	case RFF:
		switch k.(type) {
		case kernel.Gaussian, kernel.Laplacian:
			return true
		}
		return false
	case FastNys:
		_, radial := k.(kernel.Radial)
		_, inner := k.(kernel.Inner)
		return radial || inner
	}
	return true
}

// perSeed is the number of landmarks for each seed of FastNys.
func perSeed(d int) int { return min(8, 1<<bits.Len(uint(max(d, 1)-1))) }

// usual is the M of a method without a budget.
func usual(m Method) int {
	if m == DCPred {
		return 32
	}
	return 256
}

// products is the number of products of M landmarks that DCPred takes: fitting
// them takes the decomposition of a matrix with as many columns.
func products(m int) int { return min(m*(m+1)/2, 1200) }

// seedSample is the most rows that seeds are learned from.
const seedSample = 2000

// most is the largest M of a method with at most that many flops a row, 0 if
// there is none.
func most(m Method, f *form, flops float64) int {
	if !applies(m, f.kernel) {
		return 0
	}
	d, k := f.dims()
	switch m {
	case Nystrom:
		return int(min(float64(f.size()), flops/kernelFlops(f.kernel, 1, d, k)))
	case FastNys:
		b := perSeed(d)
		return b * int(min(float64(min(f.size(), seedSample)), flops/structuredFlops(f.kernel, b, b, d, k)))
	}
	if m == DCPred {
		size := f.size()
		return sort.Search(size, func(i int) bool { return pseudoFlops(f.kernel, i+1, products(i+1), d, k) > flops })
	}
	return int(min(1<<24, flops/fourierFlops(1, d, k)))
}

// Compile makes a program of a model: of anything that is an Expansion and has
// a method Kernel() kernel.Kernel, of linear models on nothing, Nyström features
// and random Fourier features, and of compiled models. A model that is a
// gram.Classifier becomes a *Classifier, a gram.Regressor a *Regressor. A
// classifier with a method Pairs() bool that returns true has a function for each
// pair of classes (0,1), (0,2), …, (1,2), …, positive for the second.
//
// ctx is looked at between blocks of rows and between the steps of a fit; the
// longest that cannot be interrupted is the eigendecomposition for M landmarks
// or the factorisation for its features.
func Compile(ctx context.Context, model any, o Options) (Compiled, error) {
	begin := time.Now()
	f, err := formOf(model)
	if err != nil {
		return nil, err
	}
	if !f.finite() {
		return nil, errors.New("predict: the model has coefficients that are not finite")
	}
	if o, err = o.resolve(f); err != nil {
		return nil, err
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	d, k := f.dims()
	if o.Points != nil {
		if _, pd := o.Points.Dims(); pd != d {
			return nil, &gram.ConfigError{Field: "Points", Value: fmt.Sprintf("%d columns", pd), Want: fmt.Sprintf("the model's %d", d)}
		}
		if err := check.Finite(o.Points); err != nil {
			return nil, err
		}
	}
	var names []string
	pairs := false
	switch m := model.(type) {
	case gram.Classifier:
		names = m.Classes()
		if p, ok := model.(interface{ Pairs() bool }); ok {
			pairs = p.Pairs()
		}
		if want := functions(len(names), pairs); k != want {
			return nil, fmt.Errorf("predict: the model has %d functions for %d classes, want %d", k, len(names), want)
		}
	case gram.Regressor:
	default:
		return nil, fmt.Errorf("predict: models of type %T neither classify nor predict values", model)
	}
	c := &compiler{ctx: ctx, o: o, exact: f, names: names, pairs: pairs}
	done, err := c.compile()
	if err != nil {
		return nil, err
	}
	done.stats.Exact = f.cost(done.bytes(), 0)
	done.stats.Seconds = time.Since(begin).Seconds()
	if names != nil {
		return &Classifier{core: done, names: slices.Clone(names), pairs: pairs}, nil
	}
	return &Regressor{core: done}, nil
}

// functions is the number of outputs for that many classes: one for each, or for
// each pair of them.
func functions(classes int, pairs bool) int {
	switch {
	case classes == 2:
		return 1
	case pairs:
		return classes * (classes - 1) / 2
	}
	return classes
}

// compile chooses among the methods.
func (c *compiler) compile() (*core, error) {
	if c.o.Method == Exact {
		x := c.o.Points
		if x == nil && c.exact.Kind == kernelForm {
			x = c.exact.points
		}
		return c.finish(c.exact, c.o, Stats{Agreement: 1}, x)
	}
	if err := c.prepare(); err != nil {
		return nil, err
	}
	methods := []Method{c.o.Method}
	if c.o.Method == Auto {
		methods = approximations
	}
	d, k := c.exact.dims()
	var best *form
	var chosen Options
	var figures Stats
	for _, m := range methods {
		o := c.o
		o.Method = m
		if c.o.Method == Auto {
			if o.M = min(1<<14, most(m, c.exact, o.Budget*linearFlops(d, k))); o.M == 0 {
				continue
			}
		}
		f, stats, err := c.approximate(o)
		if err != nil {
			return nil, err
		}
		if best == nil || stats.Error < figures.Error {
			best, chosen, figures = f, o, stats
		}
	}
	return c.finish(best, chosen, figures, c.held)
}

// finish makes the model. For float32 it rounds f and measures on the rows of
// x, at most a thousand and nil for none, what that and computing in float32
// cost.
func (c *compiler) finish(f *form, o Options, stats Stats, x mat.Matrix) (*core, error) {
	if o.Precision == Float64 {
		return newCore(f, o, stats), nil
	}
	done := newCore(f.single(), o, stats)
	if !done.form.finite() {
		return nil, &gram.ConfigError{Field: "Precision", Value: o.Precision, Want: "float64: the model has numbers beyond float32"}
	}
	if x == nil {
		return done, nil
	}
	x = rows.Of(x)
	n, _ := x.Dims()
	if n == 0 {
		return done, nil
	}
	x = rows.Slice(x, 0, min(n, 1000))
	wide, err := evaluate(c.ctx, o.Workers, newProgram[float64](f), x)
	if err != nil {
		return nil, err
	}
	narrow, err := done.scores(c.ctx, x)
	if err != nil {
		return nil, err
	}
	var worst, largest float64
	for i, v := range wide.RawMatrix().Data {
		worst = max(worst, math.Abs(v-narrow.RawMatrix().Data[i]))
		largest = max(largest, math.Abs(v))
	}
	if largest > 0 {
		done.stats.Rounding = worst / largest
	}
	return done, nil
}
