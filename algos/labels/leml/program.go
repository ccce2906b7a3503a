package leml

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

// Scoring returns the scores of all labels, (x·W + b)·Hᵀ, as a function of the data.
func (m *Model) Scoring() basis.Function {
	labels, rank := m.h.Dims()
	bias := mat.NewDense(1, labels, nil)
	bias.Mul(mat.NewDense(1, rank, m.bias), m.h.T())
	return basis.Function{Basis: basis.NewRooted(basis.Identity(m.Dim()), m.w), Coef: mat.DenseCopyOf(m.h.T()), Bias: bias.RawRowView(0)}
}
