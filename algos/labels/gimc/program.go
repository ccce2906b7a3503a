package gimc

import (
	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/basis"
	"gonum.org/v1/gonum/mat"
)

var _ gram.Compiler = (*Model)(nil)

// Program64 returns the program of the scores of all labels.
func (m *Model) Program64() (gram.Program[float64], error) {
	return m.Scoring().Program64()
}

// Program32 returns the program of the scores of all labels in float32.
func (m *Model) Program32() (gram.Program[float32], error) {
	return m.Scoring().Program32()
}

// Scoring returns the scores of all labels, φ_U(x)·W, as a function of the features.
func (m *Model) Scoring() basis.Function {
	labels, p := m.w.Dims()
	_, features := m.f.Dims()
	f := basis.Function{Basis: m.f, Coef: mat.DenseCopyOf(m.w.Slice(0, labels, 0, features).T()), Bias: make([]float64, labels)}
	if p > features {
		mat.Col(f.Bias, features, m.w)
	}
	return f
}
