package catalog

import (
	"cmp"
	"context"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/kernels/itml"
	"github.com/gramworks/gram/algos/svm"
	"github.com/gramworks/gram/dataset"
	"github.com/gramworks/gram/modelfile"
	"github.com/gramworks/gram/settings"
)

var inductiveMethod = Method{
	Name:    "inductive",
	Summary: "nearest neighbors or a support vector machine in a kernel learned from pairs of rows: LogDet (ITML), Frobenius, near-identity, trace norm",
	Tasks:   []dataset.Task{dataset.Classes},
	New: of(inductive{}, func(ctx context.Context, c inductive, d *dataset.Set) (modelfile.Model, error) {
		statements, err := c.File.read(ctx, d)
		if err != nil {
			return nil, err
		}
		m, slow := c.KNN.FitStatements(ctx, d.X, d.Labels, d.Weight, statements)
		if m == nil || !c.SVM {
			return result(m, slow)
		}
		s, err := svm.Config{Kernel: m.Kernel(), C: c.C, Start: svm.ZeroStart, Run: c.Run}.Fit(ctx, d.X, d.Labels, d.Weight)
		return result(s, cmp.Or(err, slow))
	}),
	Decode: func(f *modelfile.File) (modelfile.Model, error) { return itml.DecodeClassifier(f) },
}

// inductive holds the settings of a machine in a learned kernel.
type inductive struct {
	itml.KNN
	File pairsFitter
	SVM  bool
	C    float64
}

// Settings describes the file of pairs, the machine that uses the learned kernel, and the settings of the neighbors.
func (c *inductive) Settings(s *settings.Fields) {
	c.File.describe(s)
	s.Bool(&c.SVM, "svm", "a support vector machine in the learned kernel instead of the nearest neighbors")
	s.Float(&c.C, "c", "svm: weight of the loss against the norm").Default(1).Above(0)
	s.Part(&c.KNN)
}

// Plan returns what the fit of the kernel and that of the machine will cost.
func (c inductive) Plan(s gram.Shape) (gram.Plan, error) {
	p, err := c.KNN.Plan(s)
	if err != nil || !c.SVM {
		return p, err
	}
	q, err := svm.Config{Kernel: c.Kernel, Start: svm.ZeroStart}.Plan(s)
	p.Flops, p.PeakBytes = p.Flops+q.Flops, max(p.PeakBytes, p.ModelBytes+q.PeakBytes)
	p.ModelBytes += q.ModelBytes
	p.Description += "; " + q.Description
	return p, err
}
