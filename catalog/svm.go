package catalog

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/svm"
	"github.com/gramworks/gram/dataset"
	"github.com/gramworks/gram/modelfile"
	"github.com/gramworks/gram/pipeline"
	"gonum.org/v1/gonum/mat"
)

var svmMethod = Method{
	Name:    "svm",
	Summary: "exact kernel support vector machine for classes",
	Tasks:   []dataset.Task{dataset.Classes},
	New:     func() Fitter { return &svmFitter{} },
	Decode:  func(f *modelfile.File) (modelfile.Model, error) { return svm.Decode(f) },
}

var svrMethod = Method{
	Name:    "svr",
	Summary: "exact kernel support vector regression",
	Tasks:   []dataset.Task{dataset.Regression},
	New:     func() Fitter { return &svrFitter{} },
	Decode:  func(f *modelfile.File) (modelfile.Model, error) { return svm.DecodeRegressor(f) },
}

// svmFlags are the settings of kernel support vector machines.
type svmFlags struct {
	kernel     kernelFlags
	c          float64
	noBias     bool
	tol        float64
	iterations int
	cache      int64
	double     bool
}

func (f *svmFlags) define(fs *flag.FlagSet) {
	f.kernel.define(fs)
	fs.Float64Var(&f.c, "c", 1, "weight of the loss against the norm")
	fs.BoolVar(&f.noBias, "no-bias", false, "no constant")
	fs.Float64Var(&f.tol, "tol", 1e-3, "violation of the optimality conditions")
	fs.IntVar(&f.iterations, "max-iter", 0, "iterations (default 10⁷, or 100 for each row)")
	fs.Int64Var(&f.cache, "cache", 256, "`MIB` for rows of the kernel matrix")
	fs.BoolVar(&f.double, "double", false, "rows of the kernel matrix in float64 from the start")
}

func (f *svmFlags) check() error {
	if err := positive("c", f.c); err != nil {
		return err
	}
	if err := positive("tol", f.tol); err != nil {
		return err
	}
	return positive("cache", float64(f.cache))
}

// weights is a flag of numbers: a,b,c.
type weights []float64

func (w *weights) String() string {
	var s []string
	for _, v := range *w {
		s = append(s, strconv.FormatFloat(v, 'g', -1, 64))
	}
	return strings.Join(s, ",")
}

func (w *weights) Set(s string) error {
	*w = nil
	if s == "" {
		return nil
	}
	for part := range strings.SplitSeq(s, ",") {
		v, err := strconv.ParseFloat(part, 64)
		if err != nil {
			return fmt.Errorf("want numbers with commas between them")
		}
		*w = append(*w, v)
	}
	return nil
}

type svmFitter struct {
	svmFlags
	multi   string
	weights weights
}

func (f *svmFitter) Flags(fs *flag.FlagSet) {
	f.define(fs)
	oneOf(fs, &f.multi, "multi", "more than two classes: one function for each pair, or for each class", "one-vs-one", "one-vs-rest")
	fs.Var(&f.weights, "class-weights", "`FACTORS` of c for the classes in the order of their names: 1,2.5")
}

func (f *svmFitter) config(x mat.Matrix, run gram.Run) (svm.Config, error) {
	if err := f.check(); err != nil {
		return svm.Config{}, err
	}
	k, err := f.kernel.kernel(x, run.Seed)
	c := svm.Config{Kernel: k, C: f.c, ClassWeights: f.weights, NoBias: f.noBias, Tol: f.tol, MaxIter: f.iterations,
		CacheBytes: f.cache << 20, Double: f.double, Run: run}
	if f.multi == "one-vs-rest" {
		c.Multi = svm.OneVsRest
	}
	return c, err
}

func (f *svmFitter) Plan(s gram.Shape) (gram.Plan, error) { return planOf(f.config, s) }

func (f *svmFitter) Fit(ctx context.Context, d *dataset.Set, run gram.Run) (modelfile.Model, error) {
	c, err := f.config(d.X, run)
	if err != nil {
		return nil, err
	}
	return result(c.Fit(ctx, d.X, d.Labels, nil))
}

type svrFitter struct {
	svmFlags
	epsilon float64
}

func (f *svrFitter) Flags(fs *flag.FlagSet) {
	f.define(fs)
	fs.Float64Var(&f.epsilon, "epsilon", 0.1, "half the width of the tube without loss; 0: none")
}

func (f *svrFitter) config(x mat.Matrix, run gram.Run) (svm.Regression, error) {
	if err := f.check(); err != nil {
		return svm.Regression{}, err
	}
	k, err := f.kernel.kernel(x, run.Seed)
	return svm.Regression{Kernel: k, C: f.c, Epsilon: f.epsilon, NoEpsilon: f.epsilon == 0, NoBias: f.noBias, Tol: f.tol,
		MaxIter: f.iterations, CacheBytes: f.cache << 20, Double: f.double, Run: run}, err
}

func (f *svrFitter) Plan(s gram.Shape) (gram.Plan, error) { return planOf(f.config, s) }

func (f *svrFitter) Fit(ctx context.Context, d *dataset.Set, run gram.Run) (modelfile.Model, error) {
	c, err := f.config(d.X, run)
	if err != nil {
		return nil, err
	}
	return result(c.Fit(ctx, d.X, d.Value, nil))
}

// loadLIBSVM reads a model file of LIBSVM; nil without an error if path is not
// one. Its data have as many columns as its support vectors need, and are sparse.
func loadLIBSVM(path string) (modelfile.Model, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	const begin = "svm_type " // of all of them
	head := make([]byte, len(begin)+len("epsilon_svr"))
	n, err := io.ReadFull(f, head)
	if err != nil && err != io.ErrUnexpectedEOF && err != io.EOF {
		return nil, err
	}
	kind, is := strings.CutPrefix(string(head[:n]), begin)
	if !is {
		return nil, nil
	}
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return nil, err
	}
	out := &pipeline.Model{Storage: dataset.Sparse}
	if strings.HasPrefix(kind, "epsilon_svr") || strings.HasPrefix(kind, "nu_svr") {
		m, err := svm.ReadLIBSVMRegressor(f, 0)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		out.Method, out.Task, out.Dim, out.Model = "svr", dataset.Regression, m.Dim(), m
		return out, nil
	}
	m, err := svm.ReadLIBSVM(f, 0)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	out.Method, out.Task, out.Dim, out.Names, out.Model = "svm", dataset.Classes, m.Dim(), m.Classes(), m
	return out, nil
}
