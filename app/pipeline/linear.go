package pipeline

import (
	"fmt"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/basis"
	"github.com/gramworks/gram/algos/linear"
	"github.com/gramworks/gram/modelfile"
	"github.com/gramworks/gram/predict"
	"gonum.org/v1/gonum/mat"
)

// Map is a feature map that can be stored.
type Map = predict.Map

// linearMethod is the method of linear models whose feature map names a method of its own,
// by which it is read.
const linearMethod = "linear.map"

// Classifier is a linear classifier that is stored together with its feature map.
type Classifier struct {
	*linear.Classifier
	method string
	m      Map // nil: the classifier has no feature map
}

// Regressor is a linear function that is stored together with its feature map.
type Regressor struct {
	*linear.Regressor
	method string
	m      Map // nil: the function has no feature map
}

// Ranker has linear functions of labels, stored as other linear models are.
type Ranker struct{ *linear.Ranker }

// On joins a *linear.Classifier or *linear.Regressor with the feature map m that it was
// trained with, nil for none, to a model that is stored under the given method. A *linear.Ranker has no map and
// is of the method linear. On panics for other models.
func On(method string, m Map, model any) modelfile.Model {
	switch l := model.(type) {
	case *linear.Classifier:
		return &Classifier{l, method, m}
	case *linear.Regressor:
		return &Regressor{l, method, m}
	case *linear.Ranker:
		return &Ranker{l}
	}
	panic(fmt.Sprintf("pipeline: %T is no linear model", model))
}

// Onto takes a model from On that was trained on the features raw(x)·a and returns the same
// model on the features raw(x). It returns other models unchanged.
func Onto(model modelfile.Model, raw Map, a *mat.Dense) modelfile.Model {
	switch m := model.(type) {
	case *Classifier:
		return &Classifier{m.Classifier.On(raw, a), m.method, raw}
	case *Regressor:
		return &Regressor{m.Regressor.On(raw, a), m.method, raw}
	}
	return model
}

// withMap joins a linear model with its feature map and returns other models unchanged. The
// error names the type of a map that cannot be stored.
func withMap(model modelfile.Model) (modelfile.Model, error) {
	if l, is := model.(*linear.Ranker); is {
		return &Ranker{l}, nil
	}
	l, ok := model.(interface{ Map() gram.FeatureMap })
	switch model.(type) {
	case *linear.Classifier, *linear.Regressor:
	default:
		ok = false
	}
	if !ok {
		return model, nil
	}
	if l.Map() == nil {
		return On("linear", nil, model), nil
	}
	m, ok := l.Map().(basis.Basis)
	if !ok {
		return nil, fmt.Errorf("pipeline: the feature map %T is no basis.Basis, which can be stored", l.Map())
	}
	return On(linearMethod, m, model), nil
}

// FeatureMap returns the map that is stored with the model, or nil.
func (c *Classifier) FeatureMap() Map { return c.m }

// FeatureMap returns the map that is stored with the model, or nil.
func (r *Regressor) FeatureMap() Map { return r.m }

// Encode writes the map, if there is one, and the linear model.
func (c *Classifier) Encode(w *modelfile.Writer) error {
	return encodeLinear(w, c.method, c.m, c.Classifier)
}

// Encode writes the map, if there is one, and the linear model.
func (r *Regressor) Encode(w *modelfile.Writer) error {
	return encodeLinear(w, r.method, r.m, r.Regressor)
}

// Encode writes the functions of the labels.
func (r *Ranker) Encode(w *modelfile.Writer) error {
	return encodeLinear(w, "linear", nil, r.Ranker)
}

// Dim returns the number of columns of the data.
func (c *Classifier) Dim() int {
	w, _ := c.Weights()
	return inputs(c.m, w)
}

// Dim returns the number of columns of the data.
func (r *Regressor) Dim() int {
	w, _ := r.Weights()
	return inputs(r.m, w)
}

func inputs(m Map, w *mat.Dense) int {
	d, _ := w.Dims()
	if m != nil {
		d, _ = m.Dims()
	}
	return d
}

func encodeLinear(w *modelfile.Writer, method string, m Map, model modelfile.Model) error {
	if err := w.Header(method, 1, struct{}{}); err != nil {
		return err
	}
	if m != nil {
		if err := encodeMap(w.Sub("map"), method, m); err != nil {
			return err
		}
	}
	return model.Encode(w.Sub("linear"))
}

// encodeMap writes a map. If the method of the model does not say how the map is read, the
// map must be one that a basis.Registry can read.
func encodeMap(w *modelfile.Writer, method string, m Map) error {
	if b, is := m.(basis.Basis); is && method == linearMethod {
		return basis.Encode(w, b)
	}
	return m.Encode(w)
}

// DecodeLinear reads a linear model of the given method and, unless decodeMap is nil, its
// feature map.
func DecodeLinear[M Map](f *modelfile.File, method string, decodeMap func(*modelfile.File) (M, error)) (modelfile.Model, error) {
	if err := f.Expect(method, 1, &struct{}{}); err != nil {
		return nil, err
	}
	var m Map
	var features gram.FeatureMap
	if decodeMap != nil {
		sub, err := f.Sub("map")
		if err != nil {
			return nil, err
		}
		read, err := decodeMap(sub)
		if err != nil {
			return nil, err
		}
		m, features = read, read
	}
	sub, err := f.Sub("linear")
	if err != nil {
		return nil, err
	}
	switch sub.Method() {
	case "linear.ranker":
		r, err := linear.DecodeRanker(sub)
		if err != nil {
			return nil, err
		}
		if m != nil {
			return nil, sub.Errorf("", "functions of labels on a feature map")
		}
		return On(method, nil, r), nil
	case "linear.ridge":
		r, err := linear.DecodeRegressor(sub, features)
		if err != nil {
			return nil, err
		}
		return On(method, m, r), nil
	}
	c, err := linear.DecodeClassifier(sub, features)
	if err != nil {
		return nil, err
	}
	return On(method, m, c), nil
}
