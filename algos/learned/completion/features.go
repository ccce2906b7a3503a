package completion

import (
	"github.com/gramworks/gram/algos/basis"
	"github.com/gramworks/gram/internal/enum"
	"github.com/gramworks/gram/kernel"
	"gonum.org/v1/gonum/mat"
)

// Kind selects how rows of side information become features.
type Kind uint8

const (
	// Linear takes the rows of side information as they are.
	Linear Kind = iota
	// Fourier features ([S16] eq. 5.9): m^{−½}·[cos u₁ᵀx … cos u_mᵀx,
	// sin u₁ᵀx … sin u_mᵀx] with frequencies u_j, drawn from N(0, 2γI).
	Fourier
	// Nystrom features ([S16] eq. 5.11 with M = I): [K(x,u₁) … K(x,u_m)] of the
	// Gaussian kernel exp(−γ‖x−u‖²) with landmarks u_j.
	Nystrom
)

// String returns the name as the command line takes it.
func (k Kind) String() string {
	return enum.Name(k, kinds...)
}

var kinds = []string{"linear", "fourier", "nystrom"}

// Basis returns the Fourier features of the frequencies in the columns of u, d×m, or
// the Nystrom features of the landmarks in the rows of u, m×d, for which gamma is above
// 0 and thin says that they are for sparse rows. It keeps u.
func (k Kind) Basis(u *mat.Dense, gamma float64, thin bool, workers int) basis.Learnable {
	switch {
	case k == Fourier:
		return basis.NewFourier(u, workers)
	case k != Nystrom:
		panic("completion: features with parameters are Fourier or Nystrom")
	case thin:
		return basis.NewSparseValues(kernel.Gaussian{Gamma: gamma}, u, workers)
	}
	return basis.NewValues(kernel.Gaussian{Gamma: gamma}, u, workers)
}
