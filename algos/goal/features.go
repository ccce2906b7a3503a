package goal

import (
	"context"
	"fmt"
	"math"

	"github.com/gramworks/gram/algos/solve"
	"github.com/gramworks/gram/asm/vec"
	"github.com/gramworks/gram/internal/par"
	"github.com/gramworks/gram/internal/rows"
	"github.com/gramworks/gram/kernel"
	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"
)

// Features says what is learned.
type Features uint8

const (
	// Nystrom features are kernel values with landmarks: Goal-NYS.
	Nystrom Features = iota
	// Fourier features are cosines and sines of projections: Goal-RFF.
	Fourier
)

// String returns the name of the method.
func (f Features) String() string {
	switch f {
	case Nystrom:
		return "goal-nys"
	case Fourier:
		return "goal-rff"
	}
	return fmt.Sprintf("features(%d)", uint8(f))
}

// width is the number of features for m points.
func (f Features) width(m int) int {
	if f == Fourier {
		return 2 * m
	}
	return m
}

// features are the features for fixed points.
type features interface {
	// fill computes the features of rows, n×width. It is safe for concurrent use.
	fill(phi *mat.Dense, x mat.Matrix)
	// pull adds to g, d×m, the derivatives by the points of a function with the
	// derivatives a by the features phi of the rows x. It overwrites a.
	pull(g *mat.Dense, x mat.Matrix, phi, a *mat.Dense)
}

// at returns the features for the points, the columns of the d×m matrix u.
func (f Features) at(k kernel.Kernel, u *mat.Dense, workers int) features {
	if f == Fourier {
		return &fourier{u, workers}
	}
	return &nystrom{u, kernel.Against[float64](k, mat.DenseCopyOf(u.T())).Limit(workers), k.(kernel.Gaussian).Gamma}
}

type nystrom struct {
	u     *mat.Dense // d×m
	block *kernel.Block[float64]
	gamma float64
}

func (f *nystrom) fill(phi *mat.Dense, x mat.Matrix) { solve.Fill(f.block, phi, x) }

// pull uses ∂K(x,u)/∂u = 2γ·K(x,u)·(x−u).
func (f *nystrom) pull(g *mat.Dense, x mat.Matrix, phi, a *mat.Dense) {
	n, m := phi.Dims()
	sum := make([]float64, m)
	for i := range n {
		row, k := a.RawRowView(i), phi.RawRowView(i)
		for j, v := range k {
			row[j] *= 2 * f.gamma * v
			sum[j] += row[j]
		}
	}
	rows.AddMulTrans(g, x, a)
	d, _ := g.Dims()
	for c := range d {
		row, u := g.RawRowView(c), f.u.RawRowView(c)
		for j, s := range sum {
			row[j] -= float64(s * u[j])
		}
	}
}

type fourier struct {
	u       *mat.Dense // d×m
	workers int
}

const sinCosRows = 64 // rows of one goroutine

func (f *fourier) fill(phi *mat.Dense, x mat.Matrix) {
	n, p := phi.Dims()
	m := p / 2
	rows.Mul(phi.Slice(0, n, 0, m).(*mat.Dense), x, f.u)
	scale := 1 / math.Sqrt(float64(m))
	_ = par.For(context.Background(), f.workers, n, sinCosRows, func(lo, hi int) {
		for i := lo; i < hi; i++ {
			row := phi.RawRowView(i)
			vec.SinCos(row[m:], row[:m], row[:m])
			blas64.Scal(scale, blas64.Vector{N: p, Data: row, Inc: 1})
		}
	})
}

// pull uses ∂cos⟨u,x⟩/∂u = −sin⟨u,x⟩·x, ∂sin⟨u,x⟩/∂u = cos⟨u,x⟩·x.
func (f *fourier) pull(g *mat.Dense, x mat.Matrix, phi, a *mat.Dense) {
	n, p := phi.Dims()
	m := p / 2
	for i := range n {
		row, v := a.RawRowView(i), phi.RawRowView(i)
		for j := range m {
			row[j] = float64(row[m+j]*v[j]) - float64(row[j]*v[m+j])
		}
	}
	rows.AddMulTrans(g, x, a.Slice(0, n, 0, m).(*mat.Dense))
}

// outer sets dst = r·wᵀ.
func outer(dst, r, w *mat.Dense) {
	blas64.Gemm(blas.NoTrans, blas.Trans, 1, r.RawMatrix(), w.RawMatrix(), 0, dst.RawMatrix())
}
