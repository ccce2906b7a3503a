package catalog

import (
	"fmt"
	"io"
	"strings"

	"github.com/gramworks/gram/algos/svm"
	"github.com/gramworks/gram/app/pipeline"
	"github.com/gramworks/gram/dataset"
	"github.com/gramworks/gram/modelfile"
	"github.com/gramworks/gram/store"
)

var svmMethod = Method{
	Name:    "svm",
	Summary: "exact kernel support vector machine for classes; the problem of 10000 rows or more starts from those of clusters, as in dc-svm",
	Tasks:   []dataset.Task{dataset.Classes},
	New:     choosing(of(svm.Config{}, classes(svm.Config.Fit))),
	Decode:  func(f *modelfile.File) (modelfile.Model, error) { return svm.Decode(f) },
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
	f, err := store.Open(path)
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
