package svm

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/multiclass"
	"github.com/gramworks/gram/internal/check"
	"github.com/gramworks/gram/internal/enum"
	"github.com/gramworks/gram/internal/par"
	"github.com/gramworks/gram/internal/rows"
	"github.com/gramworks/gram/kernel"
	"github.com/gramworks/gram/num"
	"github.com/gramworks/gram/settings"
	"gonum.org/v1/gonum/mat"
)

// Multi selects how more than two classes are told apart.
type Multi uint8

const (
	// OneVsOne trains one function for each pair of classes; the class with the most votes wins.
	OneVsOne Multi = iota
	// OneVsRest trains one function for each class; the class with the largest value wins.
	OneVsRest
)

// String returns the name as the command line takes it: one-vs-one or one-vs-rest.
func (m Multi) String() string { return enum.Name(m, "one-vs-one", "one-vs-rest") }

// Config holds the settings of a support vector classifier (C-SVC),
//
//	min ½‖w‖² + Σ_i C_i·max(0, 1−y_i(⟨w,φ(x_i)⟩+b)),   C_i = C·ClassWeights[class of i]·w_i.
//
// A fit takes settings that are not given at their defaults; crossval.Tune chooses C by the data.
type Config struct {
	Kernel       kernel.Kernel `json:"-"` // stored as its Spec; no default
	C            float64       // default 1
	ClassWeights []float64     // factors of C for the classes in the order of their names; default 1 for each
	NoBias       bool          // b = 0: the dual has no equality constraint
	Multi        Multi         // how more than two classes are told apart
	Tol          float64       // largest violation of the optimality conditions, see Solve; default 1e-3
	MaxIter      int           // largest number of iterations for one function; default 10⁷, or 100·n if that is more
	CacheBytes   int64         // memory for kernel rows; default 256 MiB, less if MemoryLimit requires it
	Double       bool          // compute kernel rows in float64 from the start; see the package documentation
	Start        Start         `json:"-"` // what the fit starts from; a model does not keep it
	gram.Run     `json:"-"`
	nu           float64 // above 0: the fit is that of a NuSVC
}

// Stats holds figures of a finished fit, for reports and comparisons. Predictions do not depend on them.
type Stats struct {
	Problems []SolveStats // one for each function
	Support  int          // rows that are support vectors of at least one function
	Seconds  float64
}

// Settings gives the name, default, range and help of every setting, from which fits, flags and the reference page
// follow.
func (c *Config) Settings(s *settings.Fields) {
	kernel.SettingOrMatrix(s, &c.Kernel)
	s.Float(&c.C, "c", "weight of the loss against the norm").Default(1).Above(0).SearchLog(.1, 1e3).Tries(10).Tries(100)
	s.Bool(&c.NoBias, "no-bias", "no constant")
	s.Float(&c.Tol, "tol", "violation of the optimality conditions").Default(defaultTol).Above(0)
	shared(s, &c.MaxIter, &c.CacheBytes, &c.Double)
	settings.Choice(s, &c.Start, "start", "coefficients that a fit starts from; auto: those of clusters for problems of 10000 rows or more, as in dc-svm", AutoStart, ZeroStart, ClusterStart)
	classSettings(s, &c.Multi, &c.ClassWeights, "c")
}

// classSettings describes the settings of classes that Config and NuSVC share.
func classSettings(s *settings.Fields, multi *Multi, weights *[]float64, of string) {
	settings.Choice(s, multi, "multi", "more than two classes: one function for each pair, or for each class", OneVsOne, OneVsRest)
	s.Floats(weights, "class-weights", "factors of "+of+" for the classes in the order of their names: 1,2.5", "1 for each",
		func(v float64) bool { return v > 0 && !math.IsInf(v, 1) }, "finite numbers > 0")
	if k := s.Shape.Outputs; *weights != nil && k > 0 && len(*weights) != k {
		s.Refuse(weights, fmt.Sprintf("of length %d", len(*weights)), fmt.Sprintf("one for each of the %d classes", k))
	}
}

// shared describes the settings of the solver that Config and Regression share.
func shared(s *settings.Fields, maxIter *int, cache *int64, double *bool) {
	s.Int(maxIter, "max-iter", "iterations of one problem at most").DefaultRule(max(defaultIter, 100*s.Shape.N), "10⁷, or 100 for each row if that is more").AtLeast(1)
	s.MiB(cache, "cache", "MiB for rows of the kernel matrix").Default(defaultCache).Above(0)
	s.Bool(double, "double", "rows of the kernel matrix in float64 from the start")
}

// Functions returns the number of functions for the given number of classes.
func (c Config) Functions(classes int) int {
	if c.pairs(classes) {
		return classes * (classes - 1) / 2
	}
	return multiclass.Functions(classes)
}

// pairs reports whether the given number of classes needs a function for each pair.
func (c Config) pairs(classes int) bool { return classes > 2 && c.Multi == OneVsOne }

// outer returns how many of the given number of problems are solved at a time. If
// there are fewer problems than workers, all workers work on one problem.
func outer(run gram.Run, problems int) int {
	if w := run.NumWorkers(); problems >= w {
		return w
	}
	return 1
}

// Plan returns the expected cost of Fit for data of shape s, where s.Outputs is the
// number of classes. The flops assume that a tenth of all kernel values is computed.
// The number of support vectors is not known in advance: the plan assumes a quarter of
// the rows for two classes and half of them for more. If the classes are easily told
// apart, the model is several times smaller than planned: a third of the plan if 17 %
// of the rows are support vectors of pairs of classes.
func (c Config) Plan(s gram.Shape) (gram.Plan, error) {
	if c.clustered(s.N, s.Outputs) {
		return Clusters{Machine: c}.Plan(s)
	}
	c, err := settings.Resolved(c, s)
	if err != nil {
		return gram.Plan{}, err
	}
	p, _ := c.plan(s)
	return p, nil
}

// plan is Plan for resolved settings. It also returns the bytes for kernel rows of all
// problems that are solved at a time.
func (c Config) plan(s gram.Shape) (gram.Plan, int64) {
	classes := max(2, s.Outputs)
	q := quantities{part: s.N, problems: c.Functions(classes), support: s.N / 4}
	q.width = q.problems
	if classes > 2 {
		q.support = s.N / 2
	}
	if c.pairs(classes) {
		q.part, q.width = min(s.N, 2*s.N/classes), classes-1
		q.shared = q.part <= sharedRows
	}
	p, cache := q.plan(c.Run, s, c.CacheBytes, c.Double)
	p.Description = fmt.Sprintf("support vector machine, %d function(s), rows of the kernel matrix in %s, if %d rows become support vectors", q.problems, num.FormatBytes(cache), q.support)
	return p, cache
}

// quantities holds what a plan depends on besides the shape of the data.
type quantities struct {
	part     int // rows of a problem
	problems int
	width    int  // coefficients of each support vector
	support  int  // rows that are expected to be support vectors
	shared   bool // whether the problems share values of the kernel
}

// plan returns the plan of a fit, and the bytes for kernel rows of all problems that
// are solved at a time.
func (q quantities) plan(run gram.Run, s gram.Shape, cache int64, double bool) (gram.Plan, int64) {
	n, m, support := int64(s.N), int64(q.part), int64(q.support)
	rowBytes, numbers := 8*int64(s.D), s.D
	if s.NNZ > 0 && n > 0 {
		rowBytes = 12*s.NNZ/n + 8
	}
	size, packed := int64(4), kernel.PlannedBytes[float32](m, s)
	if double {
		size, packed = 8, kernel.PlannedBytes[float64](m, s)
	}
	if packed < size*m*int64(s.D) {
		numbers = int(s.NNZ / n)
	}
	// One problem has packed rows, vectors, and for the gradient a quarter of the rows,
	// once as they are and once packed in float64. Problems that share values of the kernel have
	// packed rows in common.
	each, common := packed+(m*rowBytes+kernel.PlannedBytes[float64](m, s))/4+m*140, int64(0)
	if q.part < s.N {
		each += m * rowBytes
	}
	if q.shared {
		each, common, size = m*140, 2*kernel.PlannedBytes[float64](n, s), 8
	}
	side := int64(outer(run, q.problems))
	file := support*(rowBytes+8*int64(q.width)+8) + 8*int64(q.problems)
	all := 8 * n * int64(q.width) // coefficients of all rows
	model := file + all + kernel.PlannedBytes[float64](support, s) + support*2*8*int64(q.width)
	row := int64(pitchOf(q.part)) * size
	if q.shared {
		cache = min(cache, 8*min(n*n, tileSide*tileSide)+side*m*row) / side
	} else {
		cache = min(cache/side, m*row)
	}
	if run.MemoryLimit > 0 {
		cache = min(cache, (run.MemoryLimit-all-common)/side-each)
	}
	cache = max(cache, min(m, fewRows)*row)
	p := gram.Plan{
		Flops:      0.1 * float64(q.problems) * float64(m) * float64(m) * float64(2*numbers+20),
		PeakBytes:  max(all+common+side*(each+cache), model),
		ModelBytes: file,
	}
	return p, side * cache
}

// Fit trains on the rows of x with weights w; nil means ones. It neither keeps nor
// changes x. Between two looks at ctx it computes at most a few rows of the kernel
// matrix.
//
// If MaxIter is reached, or kernel values are too large for Tol (see Solve), Fit returns the
// model so far and a *gram.ConvergenceError. If
// ctx ends the fit, it returns ctx.Err(), and the model so far if every function has
// been begun. If all rows have the same class, the error is a *gram.DataError. (Train
// accepts such rows: with a bias all coefficients are 0 and the bias has the sign of
// the class; without one the solution of the dual is not zero.)
//
// Cost: each iteration takes about 40 bytes of memory traffic for each active row, and
// the kernel rows that are not in the cache must be computed.
func (c Config) Fit(ctx context.Context, x mat.Matrix, y gram.Labels, w []float64) (*Model, error) {
	if n, _ := check.Dims(x); c.clustered(n, len(y.Names)) {
		m, _, err := Clusters{Machine: c}.Fit(ctx, x, y, w)
		return m, err
	}
	return c.FitFrom(ctx, x, y, w, nil)
}

// FitRows is Fit on the rows of x with the given numbers, which must ascend; w has a weight
// for each of them, nil means ones. Model.Support has the numbers of rows of x.
func (c Config) FitRows(ctx context.Context, x mat.Matrix, y gram.Labels, w []float64, index []int) (*Model, error) {
	some, err := rows.Select(x, index)
	if err != nil {
		return nil, err
	}
	if n, _ := x.Dims(); len(y.Class) != n {
		return nil, check.Classes(y, n)
	}
	m, err := c.Fit(ctx, some, gram.Labels{Names: y.Names, Class: rows.Pick(y.Class, index)}, w)
	if m != nil {
		for i, r := range m.support {
			m.support[i] = index[r]
		}
	}
	return m, err
}

// FitFrom is Fit starting from given coefficients, n×functions in the form of
// Model.Coefficients; nil means zeros. They can come from a model of the same rows and
// classes with another C, weights, kernel or tolerance, or from several models of
// parts of the rows. FitFrom puts them within the bounds.
func (c Config) FitFrom(ctx context.Context, x mat.Matrix, y gram.Labels, w []float64, coef *mat.Dense) (*Model, error) {
	if n, is, err := ofMatrix(&c.Kernel, &x); is {
		if err != nil {
			return nil, err
		}
		m, err := c.FitFrom(ctx, x, y, w, coef)
		if m != nil {
			m.cfg.Kernel = m.onMatrix(n, c.Workers)
		}
		return m, err
	}
	begin := time.Now()
	if c.Start <= ClusterStart {
		c.Start = ZeroStart // for its plan
	}
	count, _ := check.Dims(x)
	x, y, w, kept, err := rows.Weighted(c, c.Run, x, y, w)
	if err != nil {
		return nil, err
	}
	coef = of(coef, kept, count)
	n, _ := x.Dims()
	c, err = settings.Resolved(c, gram.Shape{N: n, Outputs: len(y.Names)})
	if err != nil {
		return nil, err
	}
	s, err := c.Run.Samples(c, x, len(y.Names))
	if err != nil {
		return nil, err
	}
	if err := check.Labeled(y, w, n); err != nil {
		return nil, err
	}
	if err := c.feasible(y, w); err != nil {
		return nil, err
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if coef != nil {
		if r, f := coef.Dims(); r != n || f != c.Functions(len(y.Names)) {
			panic("svm: the coefficients to start from have the wrong shape")
		}
		if err := gram.Of(coef).Finite(); err != nil {
			if bad, is := errors.AsType[*gram.DataError](err); is {
				bad.Row = rows.Number(bad.Row, kept)
			}
			return nil, fmt.Errorf("coefficients to start from: %w", err)
		}
	}
	within := c
	_, within.CacheBytes = c.plan(gram.ShapeOf(s, len(y.Names)))
	width := c.Functions(len(y.Names))
	var class []int
	if c.pairs(len(y.Names)) {
		width, class = len(y.Names)-1, y.Class
	}
	all := mat.NewDense(n, width, nil)
	bias, stats, err := within.solve(ctx, s, y, w, coef, func(f, i int, b float64) {
		if class != nil {
			first, second := pairOf(f, len(y.Names))
			f = column(class[i], first+second-class[i])
		}
		all.Set(i, f, b)
	})
	if err != nil && slices.ContainsFunc(stats, func(s SolveStats) bool { return s.Seconds == 0 }) {
		return nil, err // some functions were not begun
	}
	c.Start = AutoStart
	if c.nu > 0 {
		c.nu, c.C = 0, largestC(stats)
	}
	m := &Model{cfg: c, names: y.Names, machine: newMachine(c.Kernel, s, all, bias, class, len(y.Names), c.Workers)}
	m.stats = Stats{Problems: stats, Support: len(m.support), Seconds: time.Since(begin).Seconds()}
	rows.Renumber(m.support, kept)
	return m, err
}

// of returns the coefficients, of all n rows, for the rows kept; a nil kept stands for all.
func of(coef *mat.Dense, kept []int, n int) *mat.Dense {
	if kept != nil && coef != nil && coef.RawMatrix().Rows == n {
		return rows.Dense(gram.Of(coef), kept)
	}
	return coef
}

// Train solves the problems of all functions and returns their n×functions
// coefficients and their constants, from which NewModel makes a model. It is Fit for
// methods that work on parts of data that have been checked: the rows may all be of
// one class, and MemoryLimit is ignored. After cancellation, functions that were not
// begun have coefficients 0.
func (c Config) Train(ctx context.Context, x mat.Matrix, y gram.Labels, w []float64, coef *mat.Dense) (*mat.Dense, []float64, []SolveStats, error) {
	s := gram.Of(x)
	c, err := settings.Resolved(c, gram.Shape{N: s.N(), Outputs: len(y.Names)})
	if err != nil {
		return nil, nil, nil, err
	}
	all := mat.NewDense(s.N(), c.Functions(len(y.Names)), nil)
	bias, stats, err := c.solve(ctx, s, y, w, coef, func(f, i int, b float64) { all.Set(i, f, b) })
	return all, bias, stats, err
}

// solve solves the problems of all functions, several at a time if there are many. It
// calls put from several goroutines with every nonzero coefficient b of row i in
// function f. Functions that were not begun when ctx ended have zero statistics.
func (c Config) solve(ctx context.Context, x gram.Samples[float64], y gram.Labels, w []float64, coef *mat.Dense, put func(f, i int, b float64)) ([]float64, []SolveStats, error) {
	if _, is := c.Kernel.(kernel.Matrix); is {
		return nil, nil, settings.Refuse("Kernel", c.Kernel.Spec().Name, "a function of two rows: this method needs it for parts of the rows")
	}
	count := c.Functions(len(y.Names))
	bias, stats, errs := make([]float64, count), make([]SolveStats, count), make([]error, count)
	one := func(f int, index []int, p *Problem) {
		c.pose(p, x, y, w, f, coef, index)
		s, err := c.solution(ctx, p)
		errs[f], bias[f], stats[f] = err, s.Bias, s.Stats
		for k, b := range s.Coef {
			i := k
			if index != nil {
				i = index[k]
			}
			if b != 0 {
				put(f, i, b)
			}
		}
		if c.Multi == OneVsRest && len(y.Names) > 2 && s.Stats.Support == 0 && !slices.Contains(y.Class, f) {
			bias[f] = -math.MaxFloat64 // a class without rows is never predicted
		}
	}
	var members [][]int // the rows of each class, for pairs of classes
	if c.pairs(len(y.Names)) {
		members = make([][]int, len(y.Names))
		for i, class := range y.Class {
			members[class] = append(members[class], i)
		}
	}
	var err error
	if members != nil && shareValues(members) {
		err = c.solveShared(ctx, x, members, one)
	} else {
		err = c.solveApart(ctx, x, count, members, one)
	}
	if err == nil {
		err = ctx.Err()
	}
	for k := 0; err == nil && k < count; k++ {
		err = errs[k]
	}
	return bias, stats, err
}

// solveApart calls one for every function, several at a time if there are many. members has the rows of each class if there
// is a function for each pair of them.
func (c Config) solveApart(ctx context.Context, x gram.Samples[float64], count int, members [][]int, one func(f int, index []int, p *Problem)) error {
	side := outer(c.Run, count)
	spares := newSpares(side)
	solve := func(f int, run gram.Run) {
		m := spares.take()
		defer spares.give(m)
		var index []int
		p := &m.problem
		*p = Problem{X: x, Run: run, CacheBytes: c.CacheBytes / int64(side), Double: c.Double, spare: m}
		if members != nil {
			a, b := pairOf(f, len(members))
			index = append(append([]int{}, members[a]...), members[b]...) // not nil
			slices.Sort(index)
			p.X = x.Select(index)
		}
		one(f, index, p)
	}
	if side == 1 {
		for f := range count {
			if err := ctx.Err(); err != nil {
				return err
			}
			solve(f, c.Run)
		}
		return nil
	}
	inner := c.Run
	inner.Workers, inner.Progress = 1, nil
	meter := c.Run.Meter()
	return par.Each(ctx, side, count, func(f int) { solve(f, inner) }, func(calls int) {
		meter.Report(gram.Event{Phase: "svm", Done: int64(calls), Total: int64(count)})
	})
}

// pose makes p the problem of function f. index has the numbers of its rows, nil for all.
func (c Config) pose(p *Problem, x gram.Samples[float64], y gram.Labels, w []float64, f int, coef *mat.Dense, index []int) {
	positive := f
	switch classes := len(y.Names); {
	case classes == 2:
		positive = 1
	case c.pairs(classes):
		_, positive = pairOf(f, classes)
	}
	p.Kernel, p.NoBias, p.Tol, p.MaxIter = c.Kernel, c.NoBias, c.Tol, c.MaxIter
	n := len(y.Class)
	if index != nil {
		n = len(index)
	}
	p.Target, p.Lower, p.Upper = p.spare.take(n), p.spare.take(n), p.spare.take(n)
	if coef != nil {
		p.Start = p.spare.take(n)
	}
	for k := range n {
		i := k
		if index != nil {
			i = index[k]
		}
		if coef != nil {
			p.Start[k] = coef.At(i, f)
		}
		bound := c.bound(y, w, i)
		if y.Class[i] == positive {
			p.Target[k], p.Upper[k] = 1, bound
		} else {
			p.Target[k], p.Lower[k] = -1, -bound
		}
	}
}

// bound returns the largest α of row i.
func (c Config) bound(y gram.Labels, w []float64, i int) float64 {
	bound := c.C
	if c.ClassWeights != nil {
		bound *= c.ClassWeights[y.Class[i]]
	}
	if w != nil {
		bound *= w[i]
	}
	return bound
}
