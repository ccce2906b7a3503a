package catalog

import (
	"context"
	"flag"
	"strconv"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/krr"
	"github.com/gramworks/gram/algos/solve"
	"github.com/gramworks/gram/dataset"
	"github.com/gramworks/gram/internal/check"
	"github.com/gramworks/gram/modelfile"
	"gonum.org/v1/gonum/mat"
)

var krrMethod = Method{
	Name:    "krr",
	Summary: "kernel ridge regression on all rows; classes by regression on ±1, one against the rest",
	Tasks:   []dataset.Task{dataset.Classes, dataset.Regression},
	New:     func() Fitter { return &krrFitter{} },
	Decode:  krr.DecodeAny,
}

var dividedMethod = Method{
	Name:    "dc-krr",
	Summary: "kernel ridge regression in parts: clusters of the rows, each with a model of its own, or the mean of random parts",
	Tasks:   []dataset.Task{dataset.Classes, dataset.Regression},
	New:     func() Fitter { return &dividedFitter{} },
	Decode:  krr.DecodeAny,
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
	return c.PlanClasses(s)
}

func (f *krrFitter) Fit(ctx context.Context, d *dataset.Set, run gram.Run) (modelfile.Model, error) {
	c, err := f.ridge.config(d.X, run.Seed)
	if err != nil {
		return nil, err
	}
	c.Run = run
	return fitRidge(ctx, c, d, false)
}

func (f *krrFitter) sweeps() string { return "lambda" }

func (f *krrFitter) fitEach(ctx context.Context, d *dataset.Set, values []string, run gram.Run) ([]modelfile.Model, error) {
	c, err := f.ridge.config(d.X, run.Seed)
	if err != nil {
		return nil, err
	}
	c.Run = run
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
	var out []modelfile.Model
	if d.Task() == dataset.Classes {
		models, err := c.FitClassesEach(ctx, d.X, d.Labels, nil, lambda)
		for _, m := range models {
			out = append(out, m)
		}
		return out, err
	}
	n, _ := d.Dims()
	if err := check.Target(d.Value, n); err != nil {
		return nil, err
	}
	models, err := c.FitEach(ctx, d.X, mat.NewDense(n, 1, d.Value), nil, lambda)
	for _, m := range models {
		out = append(out, krr.NewRegressor(m, false))
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
		return a.PlanClasses(s)
	}
	return c.PlanClasses(s)
}

func (f *dividedFitter) Fit(ctx context.Context, d *dataset.Set, run gram.Run) (modelfile.Model, error) {
	c, a, err := f.config(d.X, run)
	if err != nil {
		return nil, err
	}
	if f.partition == "random" {
		return fitRidge(ctx, a, d, true)
	}
	return fitRidge(ctx, c, d, true)
}

// fitRidge trains on classes or on values.
func fitRidge[M interface {
	*krr.Model | *krr.DividedModel
	krr.Functions
}](ctx context.Context, c interface {
	Fit(ctx context.Context, x mat.Matrix, y, w []float64) (M, error)
	FitClasses(ctx context.Context, x mat.Matrix, y gram.Labels, w []float64) (*krr.Classifier, error)
}, d *dataset.Set, divided bool) (modelfile.Model, error) {
	if d.Task() == dataset.Classes {
		return result(c.FitClasses(ctx, d.X, d.Labels, nil))
	}
	m, err := c.Fit(ctx, d.X, d.Value, nil)
	if m == nil {
		return nil, err
	}
	return krr.NewRegressor(m, divided), err
}
