package catalog

import (
	"context"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/divide/dcsvm"
	"github.com/gramworks/gram/algos/svm"
	"github.com/gramworks/gram/app/pipeline"
	"github.com/gramworks/gram/dataset"
	"github.com/gramworks/gram/modelfile"
	"gonum.org/v1/gonum/mat"
)

var svmMethod = Method{
	Name:    "svm",
	Summary: "exact kernel support vector machine for classes; the problem of 10000 rows or more starts from those of clusters, as in dc-svm",
	Tasks:   []dataset.Task{dataset.Classes},
	New:     choosing(of(startedSVM{}, classes(startedSVM.Fit))),
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
	New:     choosing(of(svm.Regression{}, values(svm.Regression.Fit))),
	Decode:  func(f *modelfile.File) (modelfile.Model, error) { return svm.DecodeRegressor(f) },
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
