package catalog

import (
	"context"
	"slices"
	"strings"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/dataset"
	"github.com/gramworks/gram/internal/check"
	"github.com/gramworks/gram/pipeline"
	"gonum.org/v1/gonum/mat"
)

// Scale selects how columns are scaled before a method is trained.
type Scale uint8

const (
	NoScale  Scale = iota
	MinMax         // to [0,1]
	Unit           // to variance 1, without a shift: sparse data stay sparse
	Standard       // to mean 0 and variance 1
)

var scaleNames = [...]string{"none", "minmax", "unit", "standard"}

func (s Scale) String() string { return scaleNames[s] }

// ParseScale is the inverse of String.
func ParseScale(s string) (Scale, error) {
	i := slices.Index(scaleNames[:], s)
	if i < 0 {
		return 0, gram.Refuse("scale", s, "one of %s", strings.Join(scaleNames[:], ", "))
	}
	return Scale(i), nil
}

// Scaling returns the scaling of x, nil for NoScale.
func (s Scale) Scaling(x mat.Matrix) (*dataset.Scaling, error) {
	switch s {
	case MinMax:
		return dataset.MinMax(x, 0, 1)
	case Unit:
		return dataset.UnitVariance(x)
	case Standard:
		return dataset.Standardize(x)
	}
	return nil, nil
}

// Train fits method m with fitter f to d, the columns scaled, which copies
// them. On a *gram.ConvergenceError the result is the model so far.
func Train(ctx context.Context, m Method, f Fitter, d *dataset.Set, scale Scale, run gram.Run) (*pipeline.Model, error) {
	if err := m.check(d); err != nil {
		return nil, err
	}
	if d.Weight != nil && (m.Clusters || d.Task() == dataset.MultiLabel) {
		return nil, gram.Refuse("weights", "given", "none for method %s", m.Name)
	}
	n, dim := d.Dims()
	if err := check.Rows(n); err != nil {
		return nil, err
	}
	scaling, err := scale.Scaling(d.X)
	if err != nil {
		return nil, err
	}
	if scaling != nil {
		scaled := *d
		scaled.X = scaling.Apply(d.X)
		d = &scaled
	}
	model, err := f.Fit(ctx, d, run)
	if model == nil {
		return nil, err
	}
	storage := dataset.Dense
	if gram.CSR(d.X) != nil {
		storage = dataset.Sparse
	}
	task, names := d.Task(), d.Labels.Names
	if c, is := model.(gram.Classifier); is && m.Clusters {
		task, names = dataset.Classes, c.Classes()
	}
	return &pipeline.Model{
		Method: m.Name, Task: task, Dim: dim, Names: slices.Clone(names), Model: model, Scaling: scaling, Storage: storage,
	}, err
}
