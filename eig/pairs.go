package eig

import (
	"context"

	"github.com/gramworks/gram"
	"gonum.org/v1/gonum/mat"
)

// Pairs are all eigenpairs of a symmetric matrix A = QΛQᵀ that changes by rank one, again and again. A
// change takes the time of one product, 2n³ flops, where a new decomposition takes 9n³, and less where eigenvalues
// are deflated. The memory for the product is kept from one change to the next.
//
// The rounding errors of changes add up: each adds a small multiple of n·eps to those of Q's orthogonality, and
// as much of ‖A‖ to those of the eigenvalues. NewPairs starts anew.
type Pairs struct {
	values  []float64
	vectors *mat.Dense
	z, work []float64
}

// NewPairs returns the eigenpairs of a, which is not changed. Errors and cost are those of SymAll.
func NewPairs(ctx context.Context, a *mat.SymDense) (*Pairs, error) {
	values, vectors, err := SymAll(ctx, a)
	if err != nil {
		return nil, err
	}
	return &Pairs{values: values, vectors: vectors, z: make([]float64, len(values))}, nil
}

// Values returns the eigenvalues, ascending. The slice belongs to p and must not be changed.
func (p *Pairs) Values() []float64 { return p.values }

// Vectors returns Q, n×n, whose column j belongs to eigenvalue j. The matrix belongs to p, must not be changed, and is
// overwritten by the next change.
func (p *Pairs) Vectors() *mat.Dense { return p.vectors }

// Update makes A into A + rho·xxᵀ. x has length n and is not changed; rho may be of either sign. Errors are as for RankOne, with
// the names of these arguments; p is unchanged then. It panics if x has another length.
func (p *Pairs) Update(x []float64, rho float64) error {
	if len(x) != len(p.values) {
		panic("eig: x has not the length of the eigenvectors")
	}
	if len(x) == 0 {
		return nil
	}
	u, err := inBasis(p.values, p.vectors, x, p.z, rho)
	if err != nil {
		return err
	}
	p.work = u.MulRightTo(p.vectors, p.vectors, p.work)
	p.values = u.Values()
	return nil
}

// SolveShifted overwrites x, of length n, by (A + shift·I)⁻¹x. The error is a *gram.NotPDError with the number of the
// first eigenvalue for which λ + shift is not positive; x is unchanged then. It panics if x has another length. Cost: 4n² flops for
// any shift.
func (p *Pairs) SolveShifted(x []float64, shift float64) error {
	n := len(p.values)
	if len(x) != n {
		panic("eig: x has not the length of the eigenvectors")
	}
	for i, v := range p.values {
		if !(v+shift > 0) {
			return &gram.NotPDError{Pivot: i, Margin: v + shift}
		}
	}
	if n == 0 {
		return nil
	}
	v, z := mat.NewVecDense(n, x), mat.NewVecDense(n, p.z)
	z.MulVec(p.vectors.T(), v)
	for i, value := range p.values {
		p.z[i] /= value + shift
	}
	v.MulVec(p.vectors, z)
	return nil
}
