package linear

import (
	"fmt"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/basis"
	"gonum.org/v1/gonum/mat"
)

var (
	_ gram.Compiler = (*Classifier)(nil)
	_ gram.Compiler = (*Regressor)(nil)
)

// evaluated is a feature map that makes programs of linear functions φ(x)·coef + bias of
// its features; coef is features×k.
type evaluated interface {
	With64(coef *mat.Dense, bias []float64) gram.Program[float64]
	With32(coef *mat.Dense, bias []float64) gram.Program[float32]
}

// Program64 returns the program of the scores. It exists if the model has no feature map
// or one with the methods With64 and With32; otherwise Program64 returns an error.
func (m *Classifier) Program64() (gram.Program[float64], error) { return m.use.program64(m.bias) }

// Program32 returns the program of the scores in float32, see Program64.
func (m *Classifier) Program32() (gram.Program[float32], error) { return m.use.program32(m.bias) }

// Program64 returns the program of the functions. It exists if the model has no feature
// map or one with the methods With64 and With32; otherwise Program64 returns an error.
func (m *Regressor) Program64() (gram.Program[float64], error) { return m.use.program64(m.bias) }

// Program32 returns the program of the functions in float32, see Program64.
func (m *Regressor) Program32() (gram.Program[float32], error) { return m.use.program32(m.bias) }

func (f functions) program64(bias []float64) (gram.Program[float64], error) {
	e, err := f.evaluated()
	if err != nil {
		return nil, err
	}
	return e.With64(f.w, bias), nil
}

func (f functions) program32(bias []float64) (gram.Program[float32], error) {
	e, err := f.evaluated()
	if err != nil {
		return nil, err
	}
	return e.With32(f.w, bias), nil
}

func (f functions) evaluated() (evaluated, error) {
	switch m := f.m.(type) {
	case nil:
		d, _ := f.w.Dims()
		return basis.Identity(d), nil
	case evaluated:
		return m, nil
	}
	return nil, fmt.Errorf("linear: there is no program for models on features of type %T, which have no methods With64 and With32", f.m)
}

// functionOf returns a linear model as a function of a basis: of its feature map, which
// must be a basis, or of the data themselves.
func functionOf(m gram.FeatureMap, w *mat.Dense, bias []float64) (basis.Function, error) {
	var b basis.Basis
	switch m := m.(type) {
	case nil:
		d, _ := w.Dims()
		b = basis.Identity(d)
	case basis.Basis:
		b = m
	default:
		return basis.Function{}, fmt.Errorf("linear: the feature map %T is no basis.Basis", m)
	}
	return basis.Function{Basis: b, Coef: w, Bias: bias}, nil
}

// Function returns the linear functions of the features. It returns an error that names
// the type of the feature map if the map is not a basis.Basis.
func (m *Classifier) Function() (basis.Function, error) { return functionOf(m.m, m.w, m.bias) }

// Function returns the linear functions of the features; see Classifier.Function.
func (m *Regressor) Function() (basis.Function, error) { return functionOf(m.m, m.w, m.bias) }
