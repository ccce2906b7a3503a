package krr

import (
	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/basis"
	"github.com/gramworks/gram/internal/program"
	"github.com/gramworks/gram/kernel"
)

var _ gram.Compiler = (*Model)(nil)

// Function returns the model as functions of kernel values.
func (m *Model) Function() (basis.Function, error) {
	return basis.Expansion(m.cfg.Kernel, m.x, m.alpha, m.bias), nil
}

// Program64 returns a program in float64 that computes the values of all functions for rows.
func (m *Model) Program64() (gram.Program[float64], error) { return newProgram[float64](m), nil }

// Program32 returns the program of the functions in float32.
func (m *Model) Program32() (gram.Program[float32], error) { return newProgram[float32](m), nil }

// newProgram makes a program that shares the packed rows of the model in float64.
func newProgram[F gram.Float](m *Model) gram.Program[F] {
	if block, same := any(m.block).(*kernel.Block[F]); same { // shares the packed rows
		return basis.NewProduct(block.Limit(1).Times(program.Rows[F](m.alpha)), m.bias)
	}
	f, _ := m.Function()
	return basis.With[F](f.Basis, f.Coef, f.Bias)
}
