package goal

import (
	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/basis"
	"github.com/gramworks/gram/internal/enum"
	"github.com/gramworks/gram/internal/rows"
	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"
)

// Features selects what a fit learns: the landmarks of kernel values, or the frequencies of cosines and sines.
type Features uint8

const (
	// Nystrom features are kernel values with landmarks: Goal-NYS.
	Nystrom Features = iota
	// Fourier features are cosines and sines of projections: Goal-RFF.
	Fourier
)

// String returns the name of the method as the command line takes it.
func (f Features) String() string {
	return enum.Name(f, "goal-nys", "goal-rff")
}

// width is the number of features for m points.
func (f Features) width(m int) int {
	if f == Fourier {
		return 2 * m
	}
	return m
}

// basis returns the features with the points, the columns of the d×m matrix u.
func (c Config) basis(u *mat.Dense) basis.Learnable {
	if c.Features == Fourier {
		return basis.NewFourier(u, c.Workers)
	}
	return basis.NewValues(c.Kernel, mat.DenseCopyOf(u.T()), c.Workers).With(u)
}

// pull adds to g, d×m, the derivatives by the points of f of a function with the
// derivatives a by the features phi of the rows x. It overwrites a.
func pull(f basis.Learnable, g *mat.Dense, x gram.Samples[float64], phi, a *mat.Dense) {
	n, _ := phi.Dims()
	_, m := g.Dims()
	s := make([]float64, m)
	f.Chain(a, phi, s)
	rows.AddMulTrans(g, x, a.Slice(0, n, 0, m).(*mat.Dense))
	basis.Shift(g, f.Points(), s)
}

// outer sets dst = r·wᵀ.
func outer(dst, r, w *mat.Dense) {
	blas64.Gemm(blas.NoTrans, blas.Trans, 1, r.RawMatrix(), w.RawMatrix(), 0, dst.RawMatrix())
}
