package krr

import (
	"context"
	"fmt"
	"slices"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/basis"
	"github.com/gramworks/gram/algos/multiclass"
	"github.com/gramworks/gram/internal/check"
	"github.com/gramworks/gram/internal/rows"
	"github.com/gramworks/gram/modelfile"
	"gonum.org/v1/gonum/mat"
)

// Functions is a set of functions of rows: a *Model, or a divided model of package dckrr.
type Functions interface {
	gram.Regressor
	gram.Compiler
	modelfile.Model
	Dims() (d, outputs int)
	PredictAll(dst *mat.Dense, x mat.Matrix) *mat.Dense
}

// Method is the name, in model files, of kernel ridge regression on all rows.
const Method = "krr"

// named holds functions together with the name of the method by which they were fitted.
type named struct {
	Functions
	method string
}

// Regressor is a function together with the name of the method by which it was fitted,
// Method or dckrr.Method. Its model file holds both. It is safe for concurrent use.
type Regressor struct{ named }

// Classifier is kernel ridge regression on the signs of classes (multiclass.Signs). Two
// classes have one function, which is positive for the second class; more classes have
// one function each, for the class against the rest. It is safe for concurrent use.
type Classifier struct {
	named
	names []string
}

var (
	_ gram.Regressor  = (*Regressor)(nil)
	_ gram.Classifier = (*Classifier)(nil)
)

// NewRegressor returns the function f, which must have one output, as a model of the
// given method.
func NewRegressor(f Functions, method string) *Regressor {
	if _, k := f.Dims(); k != 1 {
		panic("krr: a regressor has one output")
	}
	return &Regressor{named{f, method}}
}

// PlanClasses returns the expected cost of FitClasses for data of shape s, where
// s.Outputs is the number of classes.
func (c Config) PlanClasses(s gram.Shape) (gram.Plan, error) {
	s.Outputs = multiclass.Functions(s.Outputs)
	return c.Plan(s)
}

// FitClasses trains a classifier on the rows of x with weights w; nil means ones. It neither keeps nor changes x and y. It
// returns the errors of Fit.
func (c Config) FitClasses(ctx context.Context, x mat.Matrix, y gram.Labels, w []float64) (*Classifier, error) {
	return FitClasses(ctx, Method, x, y, w, c.FitAll)
}

// FitClassesEach returns the classifiers for several λ on the same rows. They share
// rows and work in the same way as the models of FitEach.
func (c Config) FitClassesEach(ctx context.Context, x mat.Matrix, y gram.Labels, w, lambda []float64) ([]*Classifier, error) {
	return FitClassesEach(ctx, Method, x, y, w, lambda, c.FitEach)
}

// FitClassesEach is Config.FitClassesEach for any method that fits functions for several λ.
// fitEach is the FitEach of that method, and method its name in model files.
func FitClassesEach[M Functions](ctx context.Context, method string, x mat.Matrix, y gram.Labels, w, lambda []float64,
	fitEach func(context.Context, mat.Matrix, *mat.Dense, []float64, []float64) ([]M, error)) ([]*Classifier, error) {
	signs, err := signsOf(x, y, w)
	if err != nil {
		return nil, err
	}
	models, err := fitEach(ctx, x, signs, w, lambda)
	var out []*Classifier
	for _, m := range models {
		out = append(out, classifierOf(m, method, y.Names))
	}
	return out, err
}

// FitClasses is Config.FitClasses for any method that fits functions. fitAll is the
// FitAll of that method, and method its name in model files.
func FitClasses[M interface {
	comparable
	Functions
}](ctx context.Context, method string, x mat.Matrix, y gram.Labels, w []float64, fitAll func(context.Context, mat.Matrix, *mat.Dense, []float64) (M, error)) (*Classifier, error) {
	signs, err := signsOf(x, y, w)
	if err != nil {
		return nil, err
	}
	var none M
	m, err := fitAll(ctx, x, signs, w)
	if m == none {
		return nil, err
	}
	return classifierOf(m, method, y.Names), err
}

func classifierOf(f Functions, method string, names []string) *Classifier {
	return &Classifier{named{f, method}, slices.Clone(names)}
}

// signsOf returns the targets ±1 of the functions.
func signsOf(x mat.Matrix, y gram.Labels, w []float64) (*mat.Dense, error) {
	n, _ := check.Dims(x)
	if err := check.Rows(n); err != nil {
		return nil, err
	}
	if err := check.Labeled(y, w, n); err != nil {
		return nil, err
	}
	return multiclass.Signs(y.Class, len(y.Names)), nil
}

// Model returns the functions without the name of the method.
func (m *named) Model() Functions { return m.Functions }

// Dim returns the number d of columns that rows to predict must have.
func (m *named) Dim() int { d, _ := m.Dims(); return d }

// Function returns the functions as functions of kernel values. It returns an error
// for a divided model, whose parts have no kernel values in common.
func (m *named) Function() (basis.Function, error) {
	if f, ok := m.Functions.(interface {
		Function() (basis.Function, error)
	}); ok {
		return f.Function()
	}
	return basis.Function{}, fmt.Errorf("%T has a function for each part of the rows", m.Functions)
}

// Encode writes the function and the name of the method.
func (m *Regressor) Encode(w *modelfile.Writer) error { return m.encode(w, nil) }

// Encode writes the names of the classes, the functions and the name of the method.
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

// Classes returns the names of the classes in the order of their numbers. The slice belongs to the model and must
// not be changed.
func (m *Classifier) Classes() []string { return m.names }

// Scores returns the values of the functions: an n×1 matrix for two classes, positive
// for class 1, else an n×classes matrix.
func (m *Classifier) Scores(dst *mat.Dense, x mat.Matrix) *mat.Dense { return m.PredictAll(dst, x) }

// Predict returns the class with the largest score for every row. Of equal classes the
// first wins. The result is −1 for a row whose scores are NaN.
func (m *Classifier) Predict(dst []int, x mat.Matrix) []int {
	return rows.Decide("krr", dst, x, multiclass.Functions(len(m.names)), m.PredictAll)
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

// DecodeNamed reads a *Classifier or a *Regressor of the given method, or bare
// functions. decode reads the functions.
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
	if len(names) < 2 || outputs != multiclass.Functions(len(names)) {
		return nil, f.Errorf("classes", "%d functions for %d classes", outputs, len(names))
	}
	return &Classifier{m, names}, nil
}

// NewClassifier returns the classifier of the functions f, which were fitted by the named method to the
// signs of the named classes (multiclass.Signs). It panics if f has another number of outputs.
func NewClassifier(f Functions, method string, names []string) *Classifier {
	if _, k := f.Dims(); k != multiclass.Functions(len(names)) {
		panic("krr: a classifier has a function for each class, or one for two classes")
	}
	return classifierOf(f, method, names)
}
