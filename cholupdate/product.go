package cholupdate

import (
	"math"

	"github.com/gramworks/gram/num"
	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas32"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"
)

// MulVec overwrites x, of length n, by A·x. It panics if x has another length. Cost: 2n² flops.
func (f *Factor[F]) MulVec(x []F) {
	f.fits(x)
	trmv(blas.NoTrans, f.Triangular(), x)
	trmv(blas.Trans, f.Triangular(), x)
}

// Quad returns the quadratic form xᵀAx = ‖Ux‖², which is never negative. x has length n and is
// not changed. It panics if x has another length. Cost: n² flops.
func (f *Factor[F]) Quad(x []F) float64 {
	f.fits(x)
	return f.squares(x, func(w []F) { trmv(blas.NoTrans, f.Triangular(), w) })
}

// InverseQuad returns the quadratic form xᵀA⁻¹x = ‖U⁻ᵀx‖², which is never negative. x has length n and
// is not changed. It panics if x has another length. Cost: n² flops.
func (f *Factor[F]) InverseQuad(x []F) float64 {
	f.fits(x)
	return f.squares(x, func(w []F) { trsv(blas.Trans, f.Triangular(), w) })
}

// squares returns the squared norm of what change makes of a copy of x.
func (f *Factor[F]) squares(x []F, change func([]F)) float64 {
	w := borrow[F](f.n)
	defer giveBack(w)
	copy(*w, x)
	change(*w)
	norm := nrm2(*w)
	return norm * norm
}

// At returns A_ij = Σ_k U_ki·U_kj. It panics if i or j is not in [0, n). Cost: 2·min(i, j) flops.
func (f *Factor[F]) At(i, j int) float64 {
	if i < 0 || j < 0 || i >= f.n || j >= f.n {
		panic("cholupdate: index out of range")
	}
	sum := 0.
	for k := range min(i, j) + 1 {
		row := f.data[(f.start+k)*f.order+f.start:]
		sum += float64(row[i]) * float64(row[j])
	}
	return sum
}

// ToSym sets dst to A. dst must be of order n or empty; else ToSym panics. Cost: n³/3 flops in
// level 3.
func (f *Factor[F]) ToSym(dst *mat.SymDense) {
	f.cholesky(dst, func(c *mat.Cholesky) { c.ToSym(dst) })
}

// InverseTo sets dst to A⁻¹. dst must be of order n or empty; else InverseTo panics. To multiply by the
// inverse, SolveVec and Solve are faster and more accurate. Cost: 2n³/3 flops in level 3.
func (f *Factor[F]) InverseTo(dst *mat.SymDense) {
	f.cholesky(dst, func(c *mat.Cholesky) {
		_ = c.InverseTo(dst) // the error says that A is ill-conditioned; dst is set nevertheless
	})
}

// cholesky calls use with the factor as one of gonum, if n is not 0 and dst has its order.
func (f *Factor[F]) cholesky(dst *mat.SymDense, use func(*mat.Cholesky)) {
	if !dst.IsEmpty() && dst.SymmetricDim() != f.n {
		panic("cholupdate: dst has not the factor's order")
	}
	if f.n == 0 {
		return
	}
	u := mat.NewTriDense(f.n, mat.Upper, nil)
	for i := range f.n {
		for j := i; j < f.n; j++ {
			u.SetTri(i, j, float64(f.data[(f.start+i)*f.order+f.start+j]))
		}
	}
	var c mat.Cholesky
	c.SetFromU(u)
	use(&c)
}

func (f *Factor[F]) fits(x []F) {
	if len(x) != f.n {
		panic("cholupdate: the vector has not the factor's order")
	}
}

// wide returns U in float64: the memory of f, or a copy of it in another type.
func (f *Factor[F]) wide() blas64.Triangular {
	t := f.Triangular()
	if t, ok := any(t).(Triangular[float64]); ok {
		return t
	}
	u := blas64.Triangular{Uplo: blas.Upper, Diag: blas.NonUnit, N: t.N, Stride: max(1, t.N), Data: make([]float64, t.N*t.N)}
	for i := range t.N {
		for j := i; j < t.N; j++ {
			u.Data[i*u.Stride+j] = float64(t.Data[i*t.Stride+j])
		}
	}
	return u
}

// trsv overwrites x by the solution of a triangular system.
func trsv[F num.Float](trans blas.Transpose, t Triangular[F], x []F) {
	if t.N == 0 {
		return
	}
	switch t := any(&t).(type) {
	case *Triangular[float64]:
		blas64.Trsv(trans, *t, blas64.Vector{N: t.N, Data: any(x).([]float64), Inc: 1})
	case *Triangular[float32]:
		blas32.Trsv(trans, blas32.Triangular{Uplo: t.Uplo, Diag: t.Diag, N: t.N, Data: t.Data, Stride: t.Stride}, blas32.Vector{N: t.N, Data: any(x).([]float32), Inc: 1})
	}
}

// trmv overwrites x by its product with a triangle.
func trmv[F num.Float](trans blas.Transpose, t Triangular[F], x []F) {
	if t.N == 0 {
		return
	}
	switch t := any(&t).(type) {
	case *Triangular[float64]:
		blas64.Trmv(trans, *t, blas64.Vector{N: t.N, Data: any(x).([]float64), Inc: 1})
	case *Triangular[float32]:
		blas32.Trmv(trans, blas32.Triangular{Uplo: t.Uplo, Diag: t.Diag, N: t.N, Data: t.Data, Stride: t.Stride}, blas32.Vector{N: t.N, Data: any(x).([]float32), Inc: 1})
	}
}

// nrm2 returns the 2-norm of x without overflow of the squares.
func nrm2[F num.Float](x []F) float64 {
	switch x := any(x).(type) {
	case []float64:
		return blas64.Nrm2(blas64.Vector{N: len(x), Data: x, Inc: 1})
	case []float32: // squares of float32 are within the range of float64
		sum := 0.
		for _, v := range x {
			sum += float64(v) * float64(v)
		}
		return math.Sqrt(sum)
	}
	panic("cholupdate: not a type of numbers")
}
