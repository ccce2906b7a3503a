package catalog

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/dataset"
	"github.com/gramworks/gram/internal/check"
	"github.com/gramworks/gram/modelfile"
	"gonum.org/v1/gonum/mat"
)

// Fitted is a model with all that is needed to use it on files: the number of
// columns, the task, the classes and the scaling of the data it was trained on.
// It is safe for concurrent use.
type Fitted struct {
	Method string
	Task   dataset.Task
	Dim    int      // columns of the data
	Names  []string // classes, in the order of the model's class numbers
	Model  modelfile.Model

	// Scaling maps the columns of the data to what Model was trained on; nil: as
	// they are.
	Scaling *dataset.Scaling
	Storage dataset.Storage // how the data were kept: Dense or Sparse
}

const fittedName = "fitted"

// stored are the settings in the file.
type stored struct {
	Task   string
	Dim    int
	Sparse bool
}

// Scale says how columns are scaled before a method is trained.
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
		return 0, &gram.ConfigError{Field: "scale", Value: s, Want: "one of " + strings.Join(scaleNames[:], ", ")}
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
func Train(ctx context.Context, m Method, f Fitter, d *dataset.Set, scale Scale, run gram.Run) (*Fitted, error) {
	if err := m.check(d); err != nil {
		return nil, err
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
	return &Fitted{
		Method: m.Name, Task: d.Task(), Dim: dim, Names: slices.Clone(d.Labels.Names), Model: model, Scaling: scaling, Storage: storage,
	}, err
}

// Encode writes the model.
func (f *Fitted) Encode(w *modelfile.Writer) error {
	if err := w.Header(fittedName, 1, stored{f.Task.String(), f.Dim, f.Storage == dataset.Sparse}); err != nil {
		return err
	}
	w.Strings("names", f.Names)
	if f.Scaling != nil {
		if err := f.Scaling.Encode(w.Sub("scaling")); err != nil {
			return err
		}
	}
	return f.Model.Encode(w.Sub("model"))
}

func decodeFitted(f *modelfile.File) (*Fitted, error) {
	var s stored
	if err := f.Expect(fittedName, 1, &s); err != nil {
		return nil, err
	}
	task, err := dataset.ParseTask(s.Task)
	if err != nil || s.Dim < 1 {
		return nil, f.Errorf("", "task %q with %d columns", s.Task, s.Dim)
	}
	names, err := f.Strings("names")
	if err != nil {
		return nil, err
	}
	sub, err := f.Sub("model")
	if err != nil {
		return nil, err
	}
	m, err := decode(sub)
	if err != nil {
		return nil, err
	}
	out := &Fitted{Method: sub.Method(), Task: task, Dim: s.Dim, Names: names, Model: m, Storage: dataset.Dense}
	if s.Sparse {
		out.Storage = dataset.Sparse
	}
	if f.HasSub("scaling") {
		part, err := f.Sub("scaling")
		if err != nil {
			return nil, err
		}
		if out.Scaling, err = dataset.DecodeScaling(part); err != nil {
			return nil, err
		}
		if len(out.Scaling.Shift) != s.Dim {
			return nil, f.Errorf("", "the scaling is for %d columns, not %d", len(out.Scaling.Shift), s.Dim)
		}
	}
	switch task {
	case dataset.Classes:
		c, ok := m.(gram.Classifier)
		if !ok || !slices.Equal(c.Classes(), names) {
			return nil, f.Errorf("names", "the classes are not those of the model")
		}
	case dataset.Regression:
		if _, ok := m.(gram.Regressor); !ok {
			return nil, f.Errorf("", "the model of method %q does not predict values", sub.Method())
		}
	case dataset.MultiLabel:
		if _, ok := m.(gram.Ranker); !ok {
			return nil, f.Errorf("", "the model of method %q does not rank labels", sub.Method())
		}
	default:
		return nil, f.Errorf("", "task %q", s.Task)
	}
	if d, ok := m.(interface{ Dim() int }); ok && d.Dim() != s.Dim {
		return nil, f.Errorf("", "the model is for %d columns, not %d", d.Dim(), s.Dim)
	}
	return out, nil
}

// Scaled returns x as Model takes it. The error names both numbers if x does
// not have the columns of the data the model was trained on.
func (f *Fitted) Scaled(x mat.Matrix) (mat.Matrix, error) {
	if _, d := x.Dims(); d != f.Dim {
		return nil, fmt.Errorf("the data have %d columns, the model was trained on %d", d, f.Dim)
	}
	if f.Scaling == nil {
		return x, nil
	}
	return f.Scaling.Apply(x), nil
}
