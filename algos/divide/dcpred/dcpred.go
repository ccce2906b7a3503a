package dcpred

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/basis"
	"github.com/gramworks/gram/algos/cluster/kmeans"
	"github.com/gramworks/gram/algos/internal/parts"
	"github.com/gramworks/gram/algos/krr"
	"github.com/gramworks/gram/algos/linear"
	"github.com/gramworks/gram/algos/lowrank/fastnys"
	"github.com/gramworks/gram/algos/lowrank/landmark"
	"github.com/gramworks/gram/algos/lowrank/pseudo"
	"github.com/gramworks/gram/algos/multiclass"
	"github.com/gramworks/gram/algos/solve"
	"github.com/gramworks/gram/algos/svm"
	"github.com/gramworks/gram/internal/check"
	"github.com/gramworks/gram/internal/clusters"
	"github.com/gramworks/gram/internal/program"
	"github.com/gramworks/gram/internal/rows"
	"github.com/gramworks/gram/kernel"
	"github.com/gramworks/gram/num/rng"
	"github.com/gramworks/gram/settings"
	"github.com/gramworks/gram/structured"
	"gonum.org/v1/gonum/mat"
)

// Config holds the settings of classifiers (Fit) and of regressions (FitValues).
//
// A fit takes settings that are not given at their defaults; crossval.Tune chooses C, Leaf, Lambda and the width of the kernel by the data.
type Config struct {
	Kernel kernel.Kernel `json:"-"` // stored as its Spec; no default

	// The tree: nodes with more than Leaf rows have Branch children, down to Depth.
	Branch int // default 4
	Depth  int // default 20
	Leaf   int // default 1000

	// Given is a partition of the rows to be used instead of the tree; each part is a leaf. Its
	// Router must be a kmeans.Centered. Branch, Depth and Leaf are then ignored.
	Given kmeans.Partition `json:"-"`

	// The local machines.
	C       float64           // weight of the loss, in kernel and in linear support vector machines; default 1
	Lambda  gram.Opt[float64] // penalty of ridge regressions for values; default 1/n with the rows n of the whole fit; 0: least squares, with the solution of least norm
	Penalty solve.Penalty     // default solve.Total: λ is not multiplied by the number of rows

	// The landmarks of a leaf. A leaf has at most as many as it has support vectors.
	M          int               // default 16
	Kind       pseudo.Kind       // kind of the pseudo-landmarks; default pseudo.Products
	P          int               // number of pseudo-landmarks; 0: 2M, or all if there are fewer
	All        bool              // use all products of two kernel values
	Structured bool              // DC-Fast-Nys: use structured landmarks and no pseudo-landmarks
	Matrix     structured.Matrix // of structured landmarks; default structured.Haar
	Rows       int               // rows of the matrix for each seed, a power of two; default 8, or what the columns and M allow
	gram.Run   `json:"-"`
}

// Stats holds figures of a finished fit, for reports and comparisons. Predictions do not depend on them.
type Stats struct {
	Leaves      int
	Constant    int     // number of leaves with one class
	Sizes       []int   // number of rows of each leaf
	Support     []int   // number of support vectors of each leaf's machine; for values, the number of rows
	Landmarks   []int   // number of landmarks of each leaf
	LeaveOneOut float64 // values: root mean square of y_i − f_{−i}(x_i), where f_{−i} leaves row i out of the linear model of its leaf (step 5) but not out of the landmarks
	Spread      float64 // values: root mean square of y_i minus the mean of all other targets
	TreeSeconds float64
	LeafSeconds float64
}

// Settings gives the name, default, range and help of every setting, from which fits, flags and the reference page
// follow.
func (c *Config) Settings(s *settings.Fields) {
	n, d := s.Shape.N, s.Shape.D
	leaves := 0
	c.Given.Check(s, &leaves)
	if r := c.Given.Router; r != nil {
		_, centered := r.(kmeans.Centered)
		s.Require(centered, &c.Given.Router, "a kmeans.Centered: a model of package kmeans")
	}
	kernel.Setting(s, &c.Kernel)
	s.Int(&c.Branch, "branch", "children of a node of the tree").Default(4).AtLeast(2)
	s.Int(&c.Depth, "depth", "levels of the tree").Default(20).AtLeast(1)
	s.Int(&c.Leaf, "leaf", "nodes of at most that many rows are not split").Default(1000).AtLeast(1).SearchLog(100, 4000)
	s.Float(&c.C, "c", "classes: weight of the loss against the norm").Default(1).Above(0).SearchLog(1e-2, 1e3)
	s.OptFloat(&c.Lambda, "lambda", "values: weight of the squared norm; 0: none").DefaultRule(1/float64(max(n, 1)), "1 over the number of rows").AtLeast(0).LeaveOneOut(settings.AnyTargets)
	solve.Setting(s, &c.Penalty)
	s.Int(&c.M, "m", "landmarks of a leaf").Default(16).AtLeast(1)
	settings.Named(s, &c.Structured, "landmarks", "k-means centroids with pseudo-landmarks, or structured ones",
		settings.Option[bool]{Name: "kmeans", Value: false}, settings.Option[bool]{Name: "structured", Value: true})
	settings.Choice(s, &c.Kind, "kind", "kmeans: columns of the pseudo-landmarks", pseudo.Products, pseudo.Lower, pseudo.Upper, pseudo.Mid)
	s.Int(&c.P, "p", "kmeans: pseudo-landmarks; 0: as many as pseudo takes").AtLeast(0)
	s.Require(!c.Structured || c.P == 0, &c.P, "0 with structured landmarks")
	s.Bool(&c.All, "all", "kmeans: all products of two kernel values")
	s.Require(!c.Structured || !c.All, &c.All, "false with structured landmarks")
	settings.Choice(s, &c.Matrix, "matrix", "structured: fast transform", structured.Haar, structured.Hadamard)
	if s.Resolving() && !c.Structured {
		s.Require(c.Rows == 0, &c.Rows, "0 without structured landmarks")
	} else {
		perLeaf := 8
		for perLeaf > 1 && (perLeaf/2 >= d || c.M%perLeaf != 0) {
			perLeaf /= 2
		}
		s.Int(&c.Rows, "rows", "structured: rows of the matrix for each seed").DefaultRule(perLeaf, "8, or what the columns and m allow").AtLeast(1)
	}
	s.Tries(settings.Candidates{Names: []string{"c"}, Lists: [][]string{{"c=10"}, {"c=100"}}, Targets: settings.ForClasses})
	s.Tries(settings.Candidates{Names: []string{"leaf"}, Lists: [][]string{{"leaf=300", "leaf=100"}}, MostRows: 5000})
	s.Tries(settings.Candidates{Names: []string{"gamma"}, Lists: [][]string{{"gamma=0.3*scale", "gamma=0.1*scale", "gamma=0.03*scale"}}})
	if !s.Resolving() {
		return
	}
	// Check the settings by the methods of the leaves, for a leaf that is large enough.
	shape := gram.Shape{N: max(n, c.M), D: d}
	var err error
	if c.Structured {
		_, err = c.fastnys(c.M, gram.Run{}).Plan(shape)
	} else {
		_, err = c.pseudo(c.M, gram.Run{}).Plan(shape)
	}
	s.Check(err)
}

// whole returns the number of structured landmarks of a leaf that takes m of them, at most M: M, or
// below that all rows of each seed.
func (c Config) whole(m int) int {
	if m == c.M {
		return m
	}
	return max(m/c.Rows, 1) * c.Rows
}

// leafRun returns the Run of the fit of a leaf.
func (c Config) leafRun(leaf int) gram.Run {
	return gram.Run{Seed: rng.Derive(c.Seed, fmt.Sprint("leaf ", leaf)), Workers: 1}
}

// fastnys returns the settings of the structured landmarks of a leaf.
func (c Config) fastnys(m int, run gram.Run) fastnys.Config {
	return fastnys.Config{Kernel: c.Kernel, Matrix: c.Matrix, M: m, Rows: c.Rows, Run: run}
}

// pseudo returns the settings of the landmarks and pseudo-landmarks of a leaf.
func (c Config) pseudo(m int, run gram.Run) pseudo.Config {
	p := pseudo.Config{Kernel: c.Kernel, Kind: c.Kind, M: m, P: c.P, All: c.All, Run: run}
	if m < c.M && c.P > 0 && !c.All { // a leaf with fewer landmarks has fewer pairs of them
		p.P = min(c.P, m*(m+1)/2)
	}
	return p
}

func (c Config) tree() kmeans.Tree {
	run := c.Run
	run.Seed = rng.Derive(c.Seed, "tree")
	return kmeans.Tree{Branch: c.Branch, Depth: c.Depth, Leaf: c.Leaf, Run: run}
}

// cacheBytes returns the memory for kernel rows of the machine of a leaf with n rows.
func cacheBytes(n int) int64 { return min(64<<20, max(1<<20, 8*int64(n)*int64(n))) }

// Plan returns the expected cost of Fit, or of FitValues for at most one output, for data of shape
// s. It assumes leaves of equal size.
func (c Config) Plan(s gram.Shape) (gram.Plan, error) {
	c, err := settings.Resolved(c, s)
	if err != nil {
		return gram.Plan{}, err
	}
	c.Branch = min(c.Branch, max(1, s.N)) // a node has no more children than rows
	leaves, size := 1.0, float64(s.N)
	given := !c.Given.IsZero()
	if given {
		leaves = float64(c.Given.Parts())
		size /= leaves
	}
	for d := 0; !given && d < c.Depth && size > float64(c.Leaf); d++ {
		leaves *= float64(c.Branch)
		size /= float64(c.Branch)
	}
	part := gram.Shape{N: int(size) + 1, D: s.D, Outputs: s.Outputs}
	if s.NNZ > 0 {
		part.NNZ = 1 + s.NNZ/int64(leaves)
	}
	out := gram.Plan{Description: fmt.Sprintf("about %.0f leaves of %.0f rows with %d landmarks each", leaves, size, c.M)}
	if leaves > 1 && !given {
		if out, err = c.tree().Plan(s); err != nil {
			return out, err
		}
		out.Description += fmt.Sprintf("; about %.0f leaves of %.0f rows with %d landmarks each", leaves, size, c.M)
	}
	var machine, features gram.Plan
	run := c.leafRun(0)
	if s.Outputs > 1 {
		machine, err = svm.Config{Kernel: c.Kernel, C: c.C, Start: svm.ZeroStart, CacheBytes: cacheBytes(part.N), Run: run}.Plan(part)
	} else {
		machine, err = krr.Config{Kernel: c.Kernel, Lambda: c.Lambda, Run: run}.Plan(part)
	}
	if err != nil {
		return out, err
	}
	var width int
	m := min(c.M, part.N)
	if c.Structured {
		m = c.whole(m)
		f := c.fastnys(m, run)
		if features, err = f.Plan(part); err == nil {
			width, err = f.Features(part)
		}
	} else {
		f := c.pseudo(m, run)
		if features, err = f.Plan(part); err == nil {
			width, err = f.Features(part)
		}
	}
	if err != nil {
		return out, err
	}
	outputs := multiclass.Functions(s.Outputs)
	lin := int64(8 * part.N * (width + outputs))
	copied := 8 * int64(part.N) * int64(s.D)
	if s.NNZ > 0 {
		copied = 12 * part.NNZ
	}
	side := int64(min(float64(c.NumWorkers()), leaves))
	// The garbage collector may not have freed the machine's memory yet when landmarks are made.
	each := machine.PeakBytes + max(features.PeakBytes, features.ModelBytes+lin)
	// The tree and the leaves, stored once as they are and once prepared for prediction.
	model := check.Bytes(leaves * 8 * float64(2*m*s.D+width*outputs))
	if c.Structured {
		model = check.Bytes(leaves * 8 * float64(3*(m/c.Rows+1)*s.D+width*outputs))
	}
	out.Flops += leaves * (machine.Flops + features.Flops + 200*float64(width*part.N*outputs))
	out.ModelBytes += model
	out.PeakBytes = max(out.PeakBytes, out.ModelBytes+side*(each+copied)) + 24*int64(s.N)
	return out, nil
}

// localModel is a linear machine on the features of a part, or a constant.
type localModel struct {
	landmarks basis.Basis // a *basis.Pseudo or a *basis.Structured; nil: a constant
	coef      *mat.Dense  // width×k
	bias      []float64
	bounds    []float64 // the least and the largest value; nil: none
	support   int       // support vectors of its machine; for values, rows; 0 for one of a file
}

// Leaf is a local model. The outputs for a row x are φ(x)·Coef + Bias, limited to Bounds if there
// are any.
type Leaf struct {
	Columns basis.Basis // φ: the columns C̄ of a *basis.Pseudo, or the kernel values of a *basis.Structured; nil: the outputs are constant
	Coef    *mat.Dense  // width×k
	Bias    []float64
	Bounds  []float64 // the least and the largest value; nil for classes
}

// Machine is the tree with its leaves, which Classifier and Regressor share. It is immutable and
// safe for concurrent use.
type Machine struct {
	kernel  kernel.Kernel
	d, k    int
	router  kmeans.Centered // nil: one leaf
	labels  []int           // the leaf of every row of the fit
	leaves  []localModel
	workers int
	program gram.Program[float64]
}

// Leaves returns the number of leaves, 1 without a tree.
func (m *Machine) Leaves() int { return len(m.leaves) }

// Leaf returns leaf l. Its contents must not be changed.
func (m *Machine) Leaf(l int) Leaf {
	f := &m.leaves[l]
	return Leaf{Columns: f.landmarks, Coef: f.coef, Bias: f.bias, Bounds: f.bounds}
}

// Given returns the partition into leaves that the machine was fitted with, in the form of
// Config.Given. It is zero if there is a single leaf. It must not be changed. That of a machine
// read from a file has no labels.
func (m *Machine) Given() kmeans.Partition {
	if m.router == nil {
		return kmeans.Partition{}
	}
	return kmeans.Partition{Labels: m.labels, Router: m.router}
}

// Cost returns the cost of predicting one row in float64.
func (m *Machine) Cost() gram.Plan { return m.program.Cost() }

// values computes the outputs of the rows of x.
func (m *Machine) values(dst *mat.Dense, x mat.Matrix) *mat.Dense {
	n, _ := x.Dims()
	dst = rows.Destination("dcpred", dst, x, m.d, m.k)
	if n > 0 {
		program.Evaluate(m.workers, evaluateRows, m.program, dst, x)
	}
	return dst
}

// evaluateRows is the number of rows that one goroutine takes at a time.
const evaluateRows = 1024

// grow builds the tree and fits its leaves. If the machine of a leaf does not converge, grow
// returns the model and the error.
func (c Config) grow(ctx context.Context, x gram.Samples[float64], k int, fit func(l int, index []int) (localModel, error), stats *Stats) (*Machine, error) {
	begin := time.Now()
	n, d := x.Dims()
	m := &Machine{kernel: c.Kernel, d: d, k: k, workers: c.Workers}
	label, leaves := make([]int, n), 1
	var err error
	switch {
	case !c.Given.IsZero():
		given, router, err := c.Given.Divide(x)
		if err != nil {
			return nil, err
		}
		label, leaves, m.router = given, c.Given.Parts(), router.(kmeans.Centered)
	case n > c.Leaf:
		tree, err := c.tree().Fit(ctx, x)
		if err != nil {
			return nil, err
		}
		label, leaves, m.router = tree.Labels(), tree.Leaves(), tree
	}
	m.labels = label
	stats.TreeSeconds = time.Since(begin).Seconds()
	begin = time.Now()
	var short error
	if m.leaves, short, err = parts.Fit(ctx, c.Run, "local models", c.Workers, rows.Groups(label, leaves), fit); err != nil {
		return nil, err
	}
	stats.Leaves, stats.Sizes = leaves, clusters.Sizes(label, leaves)
	for _, l := range m.leaves {
		count := 0
		switch u := l.landmarks.(type) {
		case *basis.Structured:
			_, count = u.Dims()
		case *basis.Pseudo:
			count, _ = u.Landmarks().Dims()
		default:
			stats.Constant++
		}
		stats.Landmarks, stats.Support = append(stats.Landmarks, count), append(stats.Support, l.support)
	}
	stats.LeafSeconds = time.Since(begin).Seconds()
	m.program = newProgram[float64](m)
	return m, short
}

// features fits at most m landmarks of leaf l to its rows with the weights alpha². f maps rows to
// features; root turns linear functions of these into functions of the columns raw.
func (c Config) features(ctx context.Context, l int, x gram.Samples[float64], alpha []float64, m int, out *localModel) (f gram.FeatureMap, root *mat.Dense, raw gram.FeatureMap, err error) {
	run := c.leafRun(l)
	m = max(1, min(m, c.M))
	if alpha != nil { // squares can underflow
		m = min(m, len(alpha)-len(slices.DeleteFunc(slices.Clone(alpha), func(v float64) bool { return v > 0 })))
	}
	if c.Structured {
		model, err := c.fastnys(c.whole(m), run).FitWeighted(ctx, x, alpha)
		if err != nil {
			return nil, nil, nil, err
		}
		out.landmarks = model.Landmarks()
		return model, model.Root(), out.landmarks, nil
	}
	// The weights are for the landmarks alone: the features are those of all rows of the leaf.
	seeded := run
	seeded.Seed = rng.Derive(run.Seed, "landmarks")
	chosen, err := landmark.KMeans{}.Select(ctx, c.Kernel, x, alpha, m, seeded)
	if err != nil {
		return nil, nil, nil, err
	}
	approximation := c.pseudo(m, run)
	approximation.Landmarks = landmark.Fixed{U: chosen.U}
	model, err := approximation.Fit(ctx, x)
	if err != nil {
		return nil, nil, nil, err
	}
	out.landmarks = model.Columns()
	return model, model.Root(), out.landmarks, nil
}

// Fit trains a classifier on the rows of x with weights w; nil means ones. It neither keeps nor
// changes x. If ctx ends the fit, there is no model. If the machine of a leaf does not converge,
// Fit returns the model and a *gram.ConvergenceError.
func (c Config) Fit(ctx context.Context, x mat.Matrix, y gram.Labels, w []float64) (*Classifier, error) {
	given := c.Given.Labels
	start, err := rows.Begin(&c, c.Run, x, y, w, rows.Picked(&c.Given.Labels))
	if err != nil {
		return nil, err
	}
	s, y, w := start.X, start.Y, start.W
	k := multiclass.Functions(len(y.Names))
	out := &Classifier{cfg: c, names: append([]string(nil), y.Names...)}
	out.cfg.Given = kmeans.Partition{}
	out.m, err = c.grow(ctx, s, k, func(l int, index []int) (localModel, error) {
		return c.classify(ctx, l, s.Select(index), rows.Pick(y.Class, index), rows.Pick(w, index), k)
	}, &out.stats)
	if out.m == nil {
		return nil, err
	}
	out.m.labels = start.Labels(out.m.labels, given, out.m.assign)
	return out, err
}

// assign returns the leaf of every row of x.
func (m *Machine) assign(_ []int, x mat.Matrix) []int {
	if m.router == nil {
		n, _ := x.Dims()
		return make([]int, n)
	}
	return m.router.Assign(nil, x)
}

// classify fits leaf l to the rows x with the given classes.
func (c Config) classify(ctx context.Context, l int, x gram.Samples[float64], class []int, w []float64, k int) (localModel, error) {
	out := localModel{bias: make([]float64, k)}
	for f := range out.bias {
		out.bias[f] = -1
	}
	// The classes of the rows in this leaf.
	number, there := map[int]int{}, []int{}
	sub := gram.Labels{Class: make([]int, len(class))}
	for i, y := range class {
		t, seen := number[y]
		if !seen {
			t = len(there)
			number[y] = t
			there = append(there, y)
			sub.Names = append(sub.Names, fmt.Sprint(y))
		}
		sub.Class[i] = t
	}
	// function returns the output that is positive for class y, and its sign.
	function := func(y int) (int, float64) {
		if k == 1 {
			return 0, float64(2*y - 1)
		}
		return y, 1
	}
	if len(there) == 1 {
		f, sign := function(there[0])
		out.bias[f] = sign
		return out, nil
	}
	run := c.leafRun(l)
	var rough *gram.ConvergenceError
	machine, err := svm.Config{Kernel: c.Kernel, C: c.C, Start: svm.ZeroStart, CacheBytes: cacheBytes(len(class)), Run: run}.Fit(ctx, x, sub, w)
	if err != nil && !(machine != nil && errors.As(err, &rough)) {
		return out, err
	}
	_, coef, _ := machine.Expand()
	support := machine.Support()
	out.support = len(support)
	f, root, raw, err := c.features(ctx, l, x, squares(len(class), support, coef), len(support), &out)
	if err != nil {
		return out, err
	}
	lin, err := linear.SVM{C: c.C, Loss: linear.Hinge, Run: run}.Fit(ctx, f, x, sub, w)
	if err != nil && !(lin != nil && errors.As(err, &rough)) {
		return out, err
	}
	v, b := lin.On(raw, root).Weights()
	width, _ := v.Dims()
	out.coef = mat.NewDense(width, k, nil)
	put := func(f int, from int, sign float64) {
		for i := range width {
			out.coef.Set(i, f, sign*v.At(i, from))
		}
		out.bias[f] = sign * b[from]
	}
	for t, y := range there {
		f, sign := function(y)
		switch {
		case len(there) > 2:
			put(f, t, 1)
		case k > 1 || t == 1: // a single function, positive for there[1]
			put(f, 0, sign*float64(2*t-1))
		}
	}
	if rough != nil {
		return out, rough
	}
	return out, nil
}

// squares returns the sums of the squared coefficients of each of n rows, in units of about the
// largest one so that they neither overflow nor vanish; nil if all are 0.
func squares(n int, support []int, coef gram.Rows[float64]) []float64 {
	var most float64
	for i := range support {
		for _, v := range coef.Row(i) {
			most = max(most, math.Abs(v))
		}
	}
	if !(most > 0) || math.IsInf(most, 0) {
		return nil
	}
	_, exponent := math.Frexp(most)
	a := make([]float64, n)
	for i, r := range support {
		for _, v := range coef.Row(i) {
			v = math.Ldexp(v, -exponent)
			a[r] += v * v
		}
	}
	return a
}

// FitValues trains a regression: local kernel ridge regressions, and ridge
// regressions on the approximate kernels. A leaf predicts no value further than a tenth of
// the range of its targets beyond them. Otherwise as Fit; where the rows, each left out of
// the last fit of its leaf, are predicted worse than by the mean of the others, the model
// comes with a *gram.ConvergenceError whose Residual is Stats.LeaveOneOut/Stats.Spread.
func (c Config) FitValues(ctx context.Context, x mat.Matrix, y, w []float64) (*Regressor, error) {
	given := c.Given.Labels
	start, err := rows.Begin(&c, c.Run, x, y, w, rows.Picked(&c.Given.Labels))
	if err != nil {
		return nil, err
	}
	s, y, w := start.X, start.Y, start.W
	out := &Regressor{cfg: c}
	out.cfg.Given = kmeans.Partition{}
	left := make([]float64, s.N()) // the leave-one-out predictions
	out.m, err = c.grow(ctx, s, 1, func(l int, index []int) (localModel, error) {
		own := make([]float64, len(index))
		fit, err := c.regress(ctx, l, s.Select(index), rows.Pick(y, index), rows.Pick(w, index), own)
		for k, i := range index {
			left[i] = own[k]
		}
		return fit, err
	}, &out.stats)
	if out.m == nil {
		return nil, err
	}
	out.m.labels = start.Labels(out.m.labels, given, out.m.assign)
	out.stats.LeaveOneOut, out.stats.Spread = compare(y, left, w)
	if err == nil && out.stats.LeaveOneOut > out.stats.Spread+nothing*largest(y) {
		err = &gram.ConvergenceError{Residual: out.stats.LeaveOneOut / out.stats.Spread, Tol: 1}
	}
	return out, err
}

// nothing is an error relative to the largest target that is round-off.
const nothing = 1e-9

// largest returns the largest absolute value of y, 0 if there is none.
func largest(y []float64) float64 {
	var most float64
	for _, v := range y {
		most = max(most, math.Abs(v))
	}
	return most
}

// compare returns the root mean squares of y − left and of y minus the mean of the other targets.
// This mean replaces NaN in left.
func compare(y, left, w []float64) (leaveOneOut, spread float64) {
	weight := func(i int) float64 {
		if w == nil {
			return 1
		}
		return w[i]
	}
	var total, mean float64
	for i, v := range y {
		total += weight(i)
		mean += weight(i) * v
	}
	mean /= total
	for i, v := range y {
		rest := 0.0
		if a := weight(i); total > a {
			rest = (v - mean) * total / (total - a)
		}
		e := rest
		if l := left[i]; l == l {
			e = v - l
		}
		spread += weight(i) * rest * rest
		leaveOneOut += weight(i) * e * e
	}
	return math.Sqrt(leaveOneOut / total), math.Sqrt(spread / total)
}

// beyond is how far the values of a leaf may exceed the targets of its rows, relative to the range
// of these targets.
const beyond = 0.1

// boundsOf returns the bounds of the values of a leaf with targets y.
func boundsOf(y []float64) []float64 {
	low, high := math.Inf(1), math.Inf(-1)
	for _, v := range y {
		low, high = min(low, v), max(high, v)
	}
	more := beyond * (high - low)
	return []float64{low - more, high + more}
}

// regress fits leaf l to the rows x with targets y. It sets left to the leave-one-out predictions
// of the linear model.
func (c Config) regress(ctx context.Context, l int, x gram.Samples[float64], y, w, left []float64) (localModel, error) {
	var out localModel
	if check.Weights(w, len(y)) != nil {
		w = nil
	}
	if check.Target(y, len(y)) != nil {
		y = make([]float64, len(y)) // they vanish beside those of other leaves
	}
	out.bounds = boundsOf(y)
	run := c.leafRun(l)
	var rough *gram.ConvergenceError
	machine, err := krr.Config{Kernel: c.Kernel, Lambda: c.Lambda, Penalty: c.Penalty, Run: run}.Fit(ctx, x, y, w)
	if err != nil && !(machine != nil && errors.As(err, &rough)) {
		return out, err
	}
	_, coef, _ := machine.Expand()
	out.support = len(y)
	all := make([]int, len(y))
	for i := range all {
		all[i] = i
	}
	f, root, raw, err := c.features(ctx, l, x, squares(len(y), all, coef), len(y), &out)
	if err != nil {
		return out, err
	}
	r, err := linear.Ridge{Lambda: c.Lambda, Penalty: c.Penalty, Run: run}.Fit(ctx, f, x, y, w)
	if err != nil && !(r != nil && errors.As(err, &rough)) {
		return out, err
	}
	without, err := r.LeftOut(x, mat.NewDense(len(y), 1, y), w)
	for i := range left {
		if left[i] = math.NaN(); err == nil { // otherwise round-off exceeds λ
			left[i] = min(out.bounds[1], max(out.bounds[0], without.At(i, 0))) // NaN stays
		}
	}
	v, b := r.On(raw, root).Weights()
	out.coef, out.bias = mat.DenseCopyOf(v), append([]float64(nil), b...)
	if rough != nil {
		return out, rough
	}
	return out, nil
}

// ChooseLambda returns the λ of least leave-one-out error of krr with the same kernel on the same rows.
func (c Config) ChooseLambda(ctx context.Context, x mat.Matrix, y *mat.Dense, w []float64) (float64, error) {
	return krr.Config{Kernel: c.Kernel, Penalty: c.Penalty, Run: c.Run}.ChooseLambda(ctx, x, y, w)
}
