package krr

import (
	"context"
	"fmt"
	"slices"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/basis"
	"github.com/gramworks/gram/internal/check"
	"github.com/gramworks/gram/internal/rows"
	"github.com/gramworks/gram/modelfile"
	"gonum.org/v1/gonum/mat"
)

// Functions are functions of rows: a *Model, or a model in parts, of package dckrr.
type Functions interface {
	gram.Regressor
	gram.Compiler
	modelfile.Model
	Dims() (d, outputs int)
	PredictAll(dst *mat.Dense, x mat.Matrix) *mat.Dense
}

// Method is the name of kernel ridge regression on all rows in model files.
const Method = "krr"

// named are functions in a file that names the method that they were fitted by.
type named struct {
	Functions
	method string
}

// Regressor is a function in a file that names the method it was fitted by, Method or
// dckrr.Method. It is safe for concurrent use.
type Regressor struct{ named }

// Classifier is kernel ridge regression on the signs of classes (gram.Signs): one
// function for two classes, positive for the second, else one for each class against
// the rest. It is safe for concurrent use.
type Classifier struct {
	named
	names []string
}

var (
	_ gram.Regressor  = (*Regressor)(nil)
	_ gram.Classifier = (*Classifier)(nil)
)

// NewRegressor returns f, of one output, as a model of the method of that name.
func NewRegressor(f Functions, method string) *Regressor {
	if _, k := f.Dims(); k != 1 {
		panic("krr: a regressor has one output")
	}
	return &Regressor{named{f, method}}
}

// PlanClasses returns what FitClasses will cost for data of shape s, where Outputs is
// the number of classes.
func (c Config) PlanClasses(s gram.Shape) (gram.Plan, error) {
	s.Outputs = gram.Functions(s.Outputs)
	return c.Plan(s)
}

// FitClasses trains a classifier on the rows of x with weights w, nil meaning ones. It
// neither keeps nor changes x and y. Errors are those of Fit.
func (c Config) FitClasses(ctx context.Context, x mat.Matrix, y gram.Labels, w []float64) (*Classifier, error) {
	return FitClasses(ctx, Method, x, y, w, c.FitAll)
}

// FitClassesEach returns the classifiers for several λ on the same rows, which share
// rows and work as those of FitEach do.
func (c Config) FitClassesEach(ctx context.Context, x mat.Matrix, y gram.Labels, w, lambda []float64) ([]*Classifier, error) {
	signs, err := signsOf(x, y)
	if err != nil {
		return nil, err
	}
	models, err := c.FitEach(ctx, x, signs, w, lambda)
	var out []*Classifier
	for _, m := range models {
		out = append(out, newClassifier(m, Method, y.Names))
	}
	return out, err
}

// FitClasses is Config.FitClasses for another method that fits functions: fitAll is its
// FitAll, and method its name in model files.
func FitClasses[M interface {
	comparable
	Functions
}](ctx context.Context, method string, x mat.Matrix, y gram.Labels, w []float64, fitAll func(context.Context, mat.Matrix, *mat.Dense, []float64) (M, error)) (*Classifier, error) {
	signs, err := signsOf(x, y)
	if err != nil {
		return nil, err
	}
	var none M
	m, err := fitAll(ctx, x, signs, w)
	if m == none {
		return nil, err
	}
	return newClassifier(m, method, y.Names), err
}

func newClassifier(f Functions, method string, names []string) *Classifier {
	return &Classifier{named{f, method}, slices.Clone(names)}
}

// signsOf returns the targets of the functions.
func signsOf(x mat.Matrix, y gram.Labels) (*mat.Dense, error) {
	n, _ := x.Dims()
	if err := check.Rows(n); err != nil {
		return nil, err
	}
	if err := check.Classes(y, n); err != nil {
		return nil, err
	}
	return gram.Signs(y.Class, len(y.Names)), nil
}

// Model returns the functions themselves.
func (m *named) Model() Functions { return m.Functions }

// Dim returns the number of columns.
func (m *named) Dim() int { d, _ := m.Dims(); return d }

// Function returns the functions of kernel values. Those of a model in parts have none
// in common.
func (m *named) Function() (basis.Function, error) {
	if f, ok := m.Functions.(*Model); ok {
		return f.Function()
	}
	return basis.Function{}, fmt.Errorf("%T has a function for each part of the rows", m.Functions)
}

// Encode writes the function.
func (m *Regressor) Encode(w *modelfile.Writer) error { return m.encode(w, nil) }

// Encode writes the names and the functions.
func (m *Classifier) Encode(w *modelfile.Writer) error { return m.encode(w, m.names) }

func (m *named) encode(w *modelfile.Writer, names []string) error {
	if err := w.Header(m.method, 1, struct{}{}); err != nil {
		return err
	}
	if names != nil {
		w.Strings("classes", names)
	}
	return m.Functions.Encode(w.Sub("function"))
}

// Classes returns the names of the classes.
func (m *Classifier) Classes() []string { return m.names }

// Scores returns the values of the functions: n×1 for two classes, positive for
// class 1, else n×classes.
func (m *Classifier) Scores(dst *mat.Dense, x mat.Matrix) *mat.Dense { return m.PredictAll(dst, x) }

// Predict returns the class with the largest score for every row, the lower one of
// equals, and −1 for a row whose scores are NaN.
func (m *Classifier) Predict(dst []int, x mat.Matrix) []int {
	return rows.Decide("krr", dst, x, gram.Functions(len(m.names)), m.PredictAll)
}

// DecodeAny reads a model of this package: a *Classifier, a *Regressor or a *Model.
func DecodeAny(f *modelfile.File) (modelfile.Model, error) {
	return DecodeNamed(f, Method, func(f *modelfile.File) (Functions, error) {
		m, err := Decode(f)
		if err != nil {
			return nil, err
		}
		return m, nil
	})
}

// DecodeNamed reads a *Classifier or a *Regressor of the method of that name, whose
// functions decode reads, or the bare functions.
func DecodeNamed(f *modelfile.File, method string, decode func(*modelfile.File) (Functions, error)) (modelfile.Model, error) {
	if !f.HasSub("function") {
		m, err := decode(f)
		if err != nil {
			return nil, err
		}
		return m, nil
	}
	m := named{method: method}
	if err := f.Expect(method, 1, &struct{}{}); err != nil {
		return nil, err
	}
	sub, err := f.Sub("function")
	if err != nil {
		return nil, err
	}
	if m.Functions, err = decode(sub); err != nil {
		return nil, err
	}
	_, outputs := m.Dims()
	if !f.Has("classes") {
		if outputs != 1 {
			return nil, f.Errorf("classes", "%d functions, not 1", outputs)
		}
		return &Regressor{m}, nil
	}
	names, err := f.Strings("classes")
	if err != nil {
		return nil, err
	}
	if len(names) < 2 || outputs != gram.Functions(len(names)) {
		return nil, f.Errorf("classes", "%d functions for %d classes", outputs, len(names))
	}
	return &Classifier{m, names}, nil
}
