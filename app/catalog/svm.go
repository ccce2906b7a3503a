package catalog

import (
	"context"
	"fmt"
	"io"
	"math"
	"os"
	"strings"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/divide/dcsvm"
	"github.com/gramworks/gram/algos/svm"
	"github.com/gramworks/gram/app/pipeline"
	"github.com/gramworks/gram/dataset"
	"github.com/gramworks/gram/modelfile"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
)

var svmMethod = Method{
	Name:    "svm",
	Summary: "exact kernel support vector machine for classes; the problem of 10000 rows or more starts from those of clusters, as in dc-svm",
	Tasks:   []dataset.Task{dataset.Classes},
	New:     trying(of(startedSVM{}, classes(startedSVM.Fit)), triedLosses),
	Decode:  func(f *modelfile.File) (modelfile.Model, error) { return svm.Decode(f) },
}

// startedSVM is the machine with the start that takes the least time.
type startedSVM struct{ svm.Config }

// dividedRows is the number of rows of a problem from which the clusters of dcsvm save more time
// than they take: half of it for ijcnn1 and a9a, nothing at 6000 rows, and the pairs of
// classes of pendigits and usps take twice as long with them.
const dividedRows = 10000

// divided reports whether the problems of n rows, of that many classes, have dividedRows rows.
func (c startedSVM) divided(n, classes int) bool {
	if classes > 2 && c.Multi == svm.OneVsOne {
		n = 2 * n / classes
	}
	return n >= dividedRows
}

// Plan is that of the start and the machine.
func (c startedSVM) Plan(s gram.Shape) (gram.Plan, error) {
	if c.divided(s.N, s.Outputs) {
		return dcsvm.Config{Machine: c.Config}.Plan(s)
	}
	return c.Config.Plan(s)
}

// Fit trains the machine, which is optimal to its tolerance whatever it starts from.
func (c startedSVM) Fit(ctx context.Context, x mat.Matrix, y gram.Labels, w []float64) (*svm.Model, error) {
	if n, _ := x.Dims(); c.divided(n, len(y.Names)) {
		m, _, err := dcsvm.Config{Machine: c.Config}.Fit(ctx, x, y, w)
		return m, err
	}
	return c.Config.Fit(ctx, x, y, w)
}

var svrMethod = Method{
	Name:    "svr",
	Summary: "exact kernel support vector regression",
	Tasks:   []dataset.Task{dataset.Regression},
	New:     trying(newTube, triedTube),
	Decode:  func(f *modelfile.File) (modelfile.Model, error) { return svm.DecodeRegressor(f) },
}

// triedTube are the weights of the loss of support vector regression.
var triedTube = open{
	task:  dataset.Regression,
	names: []string{"c"},
	words: []string{"the one of 10, 1 and 100 standard deviations of the target"},
	walks: func(d *dataset.Set) [][]string {
		sd := stat.PopStdDev(d.Value, d.Weight)
		if !(sd > 0) || math.IsInf(sd, 0) {
			return nil
		}
		return [][]string{{fmt.Sprint("c=", sd)}, {fmt.Sprint("c=", 100*sd)}}
	},
}

// newTube returns the Fitter of support vector regression, whose defaults are in units of the
// standard deviation of the target. The fit is that of the target divided by it.
func newTube() Fitter {
	f := tube{of(svm.Regression{}, func(ctx context.Context, c svm.Regression, d *dataset.Set) (modelfile.Model, error) {
		if sd := stat.PopStdDev(d.Value, d.Weight); sd > 0 && !math.IsInf(sd, 0) {
			if c.C == 0 {
				c.C = 10 * sd
			}
			if !c.Epsilon.Given() {
				c.Epsilon = gram.Set(.1 * sd)
			}
			if c.Tol == 0 {
				c.Tol = 1e-3 * sd
			}
		}
		return result(c.Fit(ctx, d.X, d.Value, d.Weight))
	})().(*estimator[svm.Regression, *svm.Regression])}
	for name, def := range map[string]string{
		"c": "ten times the standard deviation of the target", "epsilon": "a tenth of the standard deviation of the target", "tol": "a thousandth of the standard deviation of the target",
	} {
		f.Settings().Lookup(name).Default = def
	}
	return f
}

// tube is the Fitter of support vector regression.
type tube struct {
	*estimator[svm.Regression, *svm.Regression]
}

// Unit returns the standard deviation of the target for c and epsilon.
func (tube) Unit(setting string, d *dataset.Set) float64 {
	if sd := stat.PopStdDev(d.Value, d.Weight); sd > 0 && !math.IsInf(sd, 0) && (setting == "c" || setting == "epsilon") {
		return sd
	}
	return 1
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
	out.Calibration = m.Calibration()
	return out, nil
}
