package catalog

import (
	"context"
	"flag"
	"fmt"
	"strconv"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/basis"
	"github.com/gramworks/gram/algos/krr"
	"github.com/gramworks/gram/algos/solve"
	"github.com/gramworks/gram/dataset"
	"github.com/gramworks/gram/internal/check"
	"github.com/gramworks/gram/internal/rows"
	"github.com/gramworks/gram/modelfile"
	"gonum.org/v1/gonum/mat"
)

var krrMethod = Method{
	Name:    "krr",
	Summary: "kernel ridge regression on all rows; classes by regression on ±1, one against the rest",
	Tasks:   []dataset.Task{dataset.Classes, dataset.Regression},
	New:     func() Fitter { return &krrFitter{} },
	Decode:  func(f *modelfile.File) (modelfile.Model, error) { return decodeRidge(f, "krr") },
}

var dividedMethod = Method{
	Name:    "dc-krr",
	Summary: "kernel ridge regression in parts: clusters of the rows, each with a model of its own, or the mean of random parts",
	Tasks:   []dataset.Task{dataset.Classes, dataset.Regression},
	New:     func() Fitter { return &dividedFitter{} },
	Decode:  func(f *modelfile.File) (modelfile.Model, error) { return decodeRidge(f, "dc-krr") },
}

// ridgeFlags are the settings of one problem.
type ridgeFlags struct {
	kernel     kernelFlags
	lambda     float64
	perRow     bool
	noBias     bool
	solver     string
	m          int
	tol        float64
	iterations int
}

func (f *ridgeFlags) define(fs *flag.FlagSet) {
	f.kernel.define(fs)
	fs.Float64Var(&f.lambda, "lambda", 0, "weight of the squared norm (default 1 over the number of rows)")
	fs.BoolVar(&f.perRow, "per-row", false, "count lambda once per row")
	fs.BoolVar(&f.noBias, "no-bias", false, "no constant")
	oneOf(fs, &f.solver, "solver", "solver of a linear system; auto: cholesky up to 16384 rows, then cg, which does not store the kernel matrix", "auto", "cholesky", "eigen", "cg")
	fs.IntVar(&f.m, "landmarks", 0, "cg: landmarks of the preconditioner (default 4 times the root of the number of rows)")
	fs.Float64Var(&f.tol, "tol", 1e-6, "cg: relative residual")
	fs.IntVar(&f.iterations, "max-iter", 0, "cg: products with the kernel matrix at most (default 2 times the number of rows, from 1000 to 10000)")
}

func (f *ridgeFlags) config(x mat.Matrix, seed uint64) (krr.Config, error) {
	k, err := f.kernel.kernel(x, seed)
	if err != nil {
		return krr.Config{}, err
	}
	if err := positive("tol", f.tol); err != nil {
		return krr.Config{}, err
	}
	c := krr.Config{Kernel: k, Lambda: f.lambda, Bias: !f.noBias, M: f.m, Tol: f.tol, MaxIter: f.iterations}
	if f.perRow {
		c.Penalty = solve.PerRow
	}
	for _, s := range []krr.Solver{krr.Auto, krr.Cholesky, krr.Eigen, krr.CG} {
		if s.String() == f.solver {
			c.Solver = s
		}
	}
	return c, nil
}

type krrFitter struct{ ridge ridgeFlags }

func (f *krrFitter) Flags(fs *flag.FlagSet) { f.ridge.define(fs) }

func (f *krrFitter) Plan(s gram.Shape) (gram.Plan, error) {
	c, err := f.ridge.config(nil, 0)
	if err != nil {
		return gram.Plan{}, err
	}
	return c.Plan(ridgeShape(s))
}

func (f *krrFitter) Fit(ctx context.Context, d *dataset.Set, run gram.Run) (modelfile.Model, error) {
	c, err := f.ridge.config(d.X, run.Seed)
	if err != nil {
		return nil, err
	}
	c.Run = run
	y, err := ridgeTargets(d)
	if err != nil {
		return nil, err
	}
	m, err := c.FitAll(ctx, d.X, y, nil)
	if m == nil {
		return nil, err
	}
	return wrapRidge("krr", m, d), err
}

func (f *krrFitter) sweeps() string { return "lambda" }

func (f *krrFitter) fitEach(ctx context.Context, d *dataset.Set, values []string, run gram.Run) ([]modelfile.Model, error) {
	c, err := f.ridge.config(d.X, run.Seed)
	if err != nil {
		return nil, err
	}
	c.Run = run
	y, err := ridgeTargets(d)
	if err != nil {
		return nil, err
	}
	lambda := make([]float64, len(values))
	for i, v := range values {
		if lambda[i], err = strconv.ParseFloat(v, 64); err != nil {
			return nil, err
		}
		if lambda[i] == 0 { // as for a single fit: the default
			n, _ := d.Dims()
			lambda[i] = 1 / float64(n)
		}
	}
	models, err := c.FitEach(ctx, d.X, y, nil, lambda)
	out := make([]modelfile.Model, len(models))
	for i, m := range models {
		out[i] = wrapRidge("krr", m, d)
	}
	if models == nil {
		return nil, err
	}
	return out, err
}

type dividedFitter struct {
	ridge        ridgeFlags
	partition    string
	parts        int
	radius       float64
	soft, starts int
}

func (f *dividedFitter) Flags(fs *flag.FlagSet) {
	f.ridge.define(fs)
	oneOf(fs, &f.partition, "partition", "how the rows are divided; random: the mean of the models of random parts", "kmeans", "kernel-kmeans", "voronoi", "random")
	fs.IntVar(&f.parts, "parts", 0, "parts (default one for 1000 rows; voronoi: at most 1000)")
	fs.Float64Var(&f.radius, "radius", 0.5, "voronoi: radius of the cells as a share of the largest distance")
	fs.IntVar(&f.soft, "soft", 1, "parts that a prediction mixes, by distance; 1: the nearest alone")
	fs.IntVar(&f.starts, "starts", 1, "kmeans, kernel-kmeans: seedings, of which the best counts")
}

// config is one of both, for random parts the average.
func (f *dividedFitter) config(x mat.Matrix, run gram.Run) (krr.Divided, krr.Average, error) {
	local, err := f.ridge.config(x, run.Seed)
	if err != nil {
		return krr.Divided{}, krr.Average{}, err
	}
	c := krr.Divided{Local: local, Parts: f.parts, Radius: f.radius, Soft: f.soft, Starts: f.starts, Run: run}
	for _, p := range []krr.Partition{krr.KMeans, krr.KernelKMeans, krr.Voronoi} {
		if p.String() == f.partition {
			c.Partition = p
		}
	}
	return c, krr.Average{Local: local, Parts: f.parts, Run: run}, nil
}

func (f *dividedFitter) Plan(s gram.Shape) (gram.Plan, error) {
	c, a, err := f.config(nil, gram.Run{})
	if err != nil {
		return gram.Plan{}, err
	}
	if f.partition == "random" {
		return a.Plan(ridgeShape(s))
	}
	return c.Plan(ridgeShape(s))
}

func (f *dividedFitter) Fit(ctx context.Context, d *dataset.Set, run gram.Run) (modelfile.Model, error) {
	c, a, err := f.config(d.X, run)
	if err != nil {
		return nil, err
	}
	y, err := ridgeTargets(d)
	if err != nil {
		return nil, err
	}
	if f.partition == "random" {
		m, err := a.FitAll(ctx, d.X, y, nil)
		if m == nil {
			return nil, err
		}
		return wrapRidge("dc-krr", m, d), err
	}
	m, err := c.FitAll(ctx, d.X, y, nil)
	if m == nil {
		return nil, err
	}
	return wrapRidge("dc-krr", m, d), err
}

// ridgeShape has the outputs of ridgeTargets: two classes are one.
func ridgeShape(s gram.Shape) gram.Shape {
	if s.Outputs == 2 {
		s.Outputs = 1
	}
	return s
}

// ridgeTargets are the values; for two classes ±1, for more one column of ±1
// each.
func ridgeTargets(d *dataset.Set) (*mat.Dense, error) {
	n, _ := d.Dims()
	if err := check.Rows(n); err != nil {
		return nil, err
	}
	if d.Task() == dataset.Regression {
		if err := check.Target(d.Value, n); err != nil {
			return nil, err
		}
		return mat.NewDense(n, 1, d.Value), nil
	}
	if err := check.Classes(d.Labels, n); err != nil {
		return nil, err
	}
	k := len(d.Labels.Names)
	if k == 2 {
		y := mat.NewDense(n, 1, nil)
		for i, c := range d.Labels.Class {
			y.Set(i, 0, float64(2*c-1))
		}
		return y, nil
	}
	y := mat.NewDense(n, k, nil)
	for i, c := range d.Labels.Class {
		row := y.RawRowView(i)
		for j := range row {
			row[j] = -1
		}
		row[c] = 1
	}
	return y, nil
}

// ridgeModel is a function of several outputs, *krr.Model or *krr.DividedModel.
type ridgeModel interface {
	modelfile.Model
	gram.Compiler
	Dims() (d, outputs int)
	PredictAll(dst *mat.Dense, x mat.Matrix) *mat.Dense
	Predict(dst []float64, x mat.Matrix) []float64
}

type ridgeRegressor struct {
	ridgeModel
	method string
}

type ridgeClassifier struct {
	ridge  ridgeModel
	method string
	names  []string
}

func wrapRidge(method string, m ridgeModel, d *dataset.Set) modelfile.Model {
	return named(method, m, d.Labels.Names)
}

// named returns the model for the names of classes, nil for values.
func named(method string, m ridgeModel, names []string) modelfile.Model {
	if names == nil {
		return &ridgeRegressor{m, method}
	}
	return &ridgeClassifier{m, method, names}
}

// functionOf returns the model as functions of kernel values, which a divided one is not.
func functionOf(m ridgeModel) (basis.Function, error) {
	if f, ok := m.(interface {
		Function() (basis.Function, error)
	}); ok {
		return f.Function()
	}
	return basis.Function{}, fmt.Errorf("%T has a function for each part of the rows", m)
}

// Function returns the model as a function of kernel values.
func (r *ridgeRegressor) Function() (basis.Function, error) { return functionOf(r.ridgeModel) }

// Function returns the model as functions of kernel values.
func (c *ridgeClassifier) Function() (basis.Function, error) { return functionOf(c.ridge) }

// Encode writes the function.
func (r *ridgeRegressor) Encode(w *modelfile.Writer) error {
	if err := w.Header(r.method, 1, struct{}{}); err != nil {
		return err
	}
	return r.ridgeModel.Encode(w.Sub("function"))
}

// Encode writes the names and the functions.
func (c *ridgeClassifier) Encode(w *modelfile.Writer) error {
	if err := w.Header(c.method, 1, struct{}{}); err != nil {
		return err
	}
	w.Strings("classes", c.names)
	return c.ridge.Encode(w.Sub("function"))
}

func (r *ridgeRegressor) Dim() int { d, _ := r.Dims(); return d }

func (c *ridgeClassifier) Dim() int { d, _ := c.ridge.Dims(); return d }

// Classes returns the names.
func (c *ridgeClassifier) Classes() []string { return c.names }

// Scores returns the values of the functions.
func (c *ridgeClassifier) Scores(dst *mat.Dense, x mat.Matrix) *mat.Dense {
	return c.ridge.PredictAll(dst, x)
}

// Program64 returns the program of the functions.
func (c *ridgeClassifier) Program64() (gram.Program[float64], error) { return c.ridge.Program64() }

// Program32 returns the program of the functions in float32.
func (c *ridgeClassifier) Program32() (gram.Program[float32], error) { return c.ridge.Program32() }

// Predict returns the class that the scores stand for.
func (c *ridgeClassifier) Predict(dst []int, x mat.Matrix) []int {
	_, k := c.ridge.Dims()
	return rows.Decide("catalog", dst, x, k, c.ridge.PredictAll)
}

func decodeRidge(f *modelfile.File, method string) (modelfile.Model, error) {
	if err := f.Expect(method, 1, &struct{}{}); err != nil {
		return nil, err
	}
	sub, err := f.Sub("function")
	if err != nil {
		return nil, err
	}
	var m ridgeModel
	if sub.Method() == "krr.divided" {
		m, err = krr.DecodeDivided(sub)
	} else {
		m, err = krr.Decode(sub)
	}
	if err != nil {
		return nil, err
	}
	_, outputs := m.Dims()
	want := 1
	var names []string
	if f.Has("classes") {
		if names, err = f.Strings("classes"); err != nil {
			return nil, err
		}
		if want = len(names); want == 2 {
			want = 1
		}
	}
	if outputs != want {
		return nil, f.Errorf("classes", "%d functions, not %d", outputs, want)
	}
	return named(method, m, names), nil
}
