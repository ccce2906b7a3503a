package catalog

import (
	"context"
	"fmt"
	"io"
	"math"
	"os"
	"strings"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/svm"
	"github.com/gramworks/gram/dataset"
	"github.com/gramworks/gram/modelfile"
	"github.com/gramworks/gram/pipeline"
	"gonum.org/v1/gonum/stat"
)

var svmMethod = Method{
	Name:    "svm",
	Summary: "exact kernel support vector machine for classes",
	Tasks:   []dataset.Task{dataset.Classes},
	New:     of(svm.Config{}, classes(svm.Config.Fit)),
	Decode:  func(f *modelfile.File) (modelfile.Model, error) { return svm.Decode(f) },
}

var svrMethod = Method{
	Name:    "svr",
	Summary: "exact kernel support vector regression",
	Tasks:   []dataset.Task{dataset.Regression},
	New:     newTube,
	Decode:  func(f *modelfile.File) (modelfile.Model, error) { return svm.DecodeRegressor(f) },
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

// inUnits returns the range of c or epsilon, which is in units of the standard deviation of
// the target, in those of d.
func (tube) inUnits(d *dataset.Set, r drawn) drawn {
	if sd := stat.PopStdDev(d.Value, d.Weight); sd > 0 && !math.IsInf(sd, 0) && (r.name == "c" || r.name == "epsilon") {
		r.in.Low, r.in.High = r.in.Low*sd, r.in.High*sd
	}
	return r
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
