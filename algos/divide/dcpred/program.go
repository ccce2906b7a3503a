package dcpred

import (
	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/basis"
	"github.com/gramworks/gram/algos/cluster/kmeans"
	"github.com/gramworks/gram/internal/program"
)

var (
	_ gram.Compiler = (*Machine)(nil)
	_ gram.Compiler = (*Classifier)(nil)
	_ gram.Compiler = (*Regressor)(nil)
)

// Program64 returns the program in float64 that the machine itself evaluates: it finds the leaf of a row and computes the
// functions of that leaf.
func (m *Machine) Program64() (gram.Program[float64], error) { return m.program, nil }

// Program32 returns a program in float32 that finds the leaf of a row and computes the functions of that leaf. Each call makes
// another one.
func (m *Machine) Program32() (gram.Program[float32], error) { return newProgram[float32](m), nil }

// Program64 returns a program in float64 that computes the scores of rows.
func (m *Classifier) Program64() (gram.Program[float64], error) { return m.m.Program64() }

// Program32 returns a program in float32 that computes the scores of rows.
func (m *Classifier) Program32() (gram.Program[float32], error) { return m.m.Program32() }

// Program64 returns a program in float64 that computes the values of rows.
func (m *Regressor) Program64() (gram.Program[float64], error) { return m.m.Program64() }

// Program32 returns a program in float32 that computes the values of rows.
func (m *Regressor) Program32() (gram.Program[float32], error) { return m.m.Program32() }

// newProgram returns the program that sends rows down the tree and evaluates their
// leaves.
func newProgram[F gram.Float](m *Machine) gram.Program[F] {
	leaves := make([]gram.Program[F], len(m.leaves))
	for i := range m.leaves {
		l := &m.leaves[i]
		if l.landmarks != nil {
			leaves[i] = basis.With[F](l.landmarks, l.coef, l.bias)
			if l.bounds != nil {
				low, high := program.Convert[F](l.bounds[:1]), program.Convert[F](l.bounds[1:])
				leaves[i] = &program.Bounded[F]{Program: leaves[i], Low: low, High: high}
			}
		} else {
			leaves[i] = &program.Constant[F]{D: m.d, Values: program.Convert[F](l.bias)}
		}
	}
	if m.router == nil {
		return leaves[0]
	}
	return program.NewRouted("dcpred", kmeans.NewRouter[F](m.router, nil), leaves, m.k, false)
}
