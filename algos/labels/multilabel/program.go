package multilabel

import (
	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/basis"
	"gonum.org/v1/gonum/mat"
)

var (
	_ gram.Compiler = (*LEMLModel)(nil)
	_ gram.Compiler = (*GIMCModel)(nil)
)

// Program64 returns the program of the scores of all labels.
func (m *LEMLModel) Program64() (gram.Program[float64], error) {
	return m.scores().Program64()
}

// Program32 returns the program of the scores of all labels in float32.
func (m *LEMLModel) Program32() (gram.Program[float32], error) {
	return m.scores().Program32()
}

// Program64 returns the program of the scores of all labels.
func (m *GIMCModel) Program64() (gram.Program[float64], error) {
	return m.scores().Program64()
}

// Program32 returns the program of the scores of all labels in float32.
func (m *GIMCModel) Program32() (gram.Program[float32], error) {
	return m.scores().Program32()
}

// scores are (x·W + b)·Hᵀ.
func (m *LEMLModel) scores() basis.Function {
	labels, rank := m.h.Dims()
	bias := mat.NewDense(1, labels, nil)
	bias.Mul(mat.NewDense(1, rank, m.bias), m.h.T())
	return basis.Function{Basis: basis.NewRooted(basis.Identity(m.Dim()), m.w), Coef: mat.DenseCopyOf(m.h.T()), Bias: bias.RawRowView(0)}
}

// scores are φ_U(x)·W.
func (m *GIMCModel) scores() basis.Function {
	labels, p := m.w.Dims()
	_, features := m.f.Dims()
	f := basis.Function{Basis: m.f, Coef: mat.DenseCopyOf(m.w.Slice(0, labels, 0, features).T()), Bias: make([]float64, labels)}
	if p > features {
		mat.Col(f.Bias, features, m.w)
	}
	return f
}
