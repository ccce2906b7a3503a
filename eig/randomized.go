package eig

import (
	"context"
	"math"
	"slices"

	"github.com/gramworks/gram"
	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/lapack/lapack64"
	"gonum.org/v1/gonum/mat"
)

// Randomized returns approximations of the k largest eigenvalues of the symmetric
// operator a, descending (Options.Magnitude: by absolute value), and the n×k
// matrix of their orthonormal eigenvectors, by subspace iteration from k +
// Options.Oversample random vectors: Y = AΩ, then q = Options.Power times an
// orthonormal basis Q of Y and Y = AQ, and the eigenpairs of QᵀAQ.
//
// It takes q + 2 products with all vectors at once where TopK goes on until the
// residuals are small. The error of λ_k shrinks with (λ_{l+1}/λ_k)^{2q+1} for l
// vectors: good for spectra that decay fast, poor for flat ones. With
// Options.Tol > 0 the rounds go on, up to Options.MaxProducts, until the
// residuals are below. Subspace iteration finds what is largest by absolute
// value; a negative eigenvalue of that size takes a vector's place.
//
// Panics and errors as TopK. Cost: (q+2)·l products, 4·n·l² flops a round; memory
// 3·n·l numbers. [HMT11] Algorithms 4.4 and 5.3.
func Randomized(ctx context.Context, a gram.Operator, k int, o Options) ([]float64, *mat.Dense, error) {
	n := a.Dim()
	o.check(k, n)
	l, power := o.sketch(k, n)
	if o.MaxProducts == 0 {
		o.MaxProducts = 2000 + 100*k
	}
	q, y := mat.NewDense(n, l, nil), mat.NewDense(n, l, nil)
	fill(newSource(o.Seed), q)
	var values []float64
	var x *mat.Dense
	stats := Stats{}
	give := func(err error) ([]float64, *mat.Dense, error) {
		if o.Stats != nil {
			*o.Stats = stats
		}
		return values, x, err
	}
	for round := 0; ; round++ {
		if err := ctx.Err(); err != nil {
			return give(err)
		}
		Orthonormal(q)
		a.Apply(y, q)
		stats.Products += l
		stats.Restarts = round
		if err := finiteProduct(y); err != nil {
			values, x = nil, nil
			return give(err)
		}
		if round <= power {
			q, y = y, q
			continue
		}
		// QᵀAQ = YΘYᵀ gives vectors QY and, with the product at hand, residuals.
		var t mat.Dense
		t.Mul(q.T(), y)
		h := mat.NewSymDense(l, nil)
		for i := range l {
			for j := i; j < l; j++ {
				h.SetSym(i, j, (t.At(i, j)+t.At(j, i))/2)
			}
		}
		theta, all, err := SymAll(ctx, h)
		if err != nil {
			return give(err)
		}
		small := mat.NewDense(l, k, nil)
		values = make([]float64, k)
		norm := math.SmallestNonzeroFloat64
		for c, i := range o.order(theta)[:k] {
			values[c] = theta[i]
			for r := range l {
				small.Set(r, c, all.At(r, i))
			}
		}
		for _, v := range theta {
			norm = max(norm, math.Abs(v))
		}
		x = mat.NewDense(n, k, nil)
		x.Mul(q, small)
		var image mat.Dense
		image.Mul(y, small)
		for i := range n {
			for j, v := range x.RawRowView(i) {
				image.Set(i, j, image.At(i, j)-v*values[j])
			}
		}
		stats.Residuals = columnNorms(&image)
		worst := slices.Max(stats.Residuals) / norm
		switch {
		case o.Tol == 0 || worst <= o.Tol:
			return give(nil)
		case stats.Products >= o.MaxProducts:
			return give(&gram.ConvergenceError{Iter: stats.Products, Residual: worst, Tol: o.Tol})
		}
		q, y = y, q
	}
}

// sketch returns the number of random vectors and of rounds.
func (o *Options) sketch(k, n int) (l, power int) {
	p := 10
	power = 2
	if o.Oversample.Given() {
		p = o.Oversample.Value()
	}
	if o.Power.Given() {
		power = o.Power.Value()
	}
	return min(k+p, n), power
}

// Orthonormal replaces the columns of x, no more than it has rows, by an orthonormal
// basis of a space that contains them. The basis is that of a QR factorization by
// Householder reflectors, so that dependent columns do no harm. It panics if x has more
// columns than rows.
func Orthonormal(x *mat.Dense) {
	n, l := x.Dims()
	if l > n {
		panic("eig: the matrix has more columns than rows")
	}
	if l == 0 {
		return
	}
	raw := x.RawMatrix()
	tau := make([]float64, l)
	var size [1]float64
	lapack64.Geqrf(raw, tau, size[:], -1)
	work := make([]float64, int(size[0]))
	lapack64.Geqrf(raw, tau, work, len(work))
	lapack64.Orgqr(raw, tau, size[:], -1)
	if need := int(size[0]); need > len(work) {
		work = make([]float64, need)
	}
	lapack64.Orgqr(raw, tau, work, len(work))
}

// RandomizedSVD returns approximations of the k largest singular values of the
// m×n matrix a, descending, and the matrices u, m×k, and v, n×k, of orthonormal
// singular vectors: a ≈ u·diag(s)·vᵀ. Q is an orthonormal basis of (AAᵀ)^q·AΩ
// for k + Options.Oversample random vectors Ω, orthonormalized between all
// products, and the small problem is QᵀA. a is not changed. Options.Tol and
// MaxProducts are not used; Stats.Residuals are ‖a·v_j − s_j·u_j‖, which the
// method makes about as small as s_{l+1}.
//
// Panics if not 1 ≤ k ≤ min(m, n) or an option is negative. Errors: ctx.Err();
// *gram.DataError for an entry that is not finite; *gram.ConvergenceError if the
// small problem fails. Cost: 4·m·n·l·(q+1) flops for l = k + Oversample; memory
// 2·(m+n)·l numbers. [HMT11] Algorithms 4.4 and 5.1.
func RandomizedSVD(ctx context.Context, a *mat.Dense, k int, o Options) (u *mat.Dense, s []float64, v *mat.Dense, err error) {
	m, n := a.Dims()
	o.check(k, min(m, n))
	for i := range m {
		for j, x := range a.RawRowView(i) {
			if x-x != 0 {
				return nil, nil, nil, &gram.DataError{Row: i, Col: j, Value: x}
			}
		}
	}
	l, power := o.sketch(k, min(m, n))
	left, right := mat.NewDense(m, l, nil), mat.NewDense(n, l, nil)
	fill(newSource(o.Seed), right)
	products := 0
	apply := func(dst *mat.Dense, t blas.Transpose, x *mat.Dense) {
		blas64.Gemm(t, blas.NoTrans, 1, a.RawMatrix(), x.RawMatrix(), 0, dst.RawMatrix())
		products += l
	}
	for round := 0; round <= power; round++ {
		if err := ctx.Err(); err != nil {
			return nil, nil, nil, err
		}
		apply(left, blas.NoTrans, right)
		Orthonormal(left)
		apply(right, blas.Trans, left) // (QᵀA)ᵀ
		if round < power {
			Orthonormal(right)
		}
	}
	// (QᵀA)ᵀ = P·R with R l×l, so A ≈ Q·Rᵀ·Pᵀ and the SVD of Rᵀ is what is left.
	p := mat.DenseCopyOf(right)
	Orthonormal(p)
	var r mat.Dense
	r.Mul(right.T(), p) // Rᵀ
	var svd mat.SVD
	if !svd.Factorize(&r, mat.SVDThin) {
		return nil, nil, nil, &gram.ConvergenceError{Residual: math.NaN()}
	}
	var su, sv mat.Dense
	svd.UTo(&su)
	svd.VTo(&sv)
	u, v = mat.NewDense(m, k, nil), mat.NewDense(n, k, nil)
	u.Mul(left, su.Slice(0, l, 0, k))
	v.Mul(p, sv.Slice(0, l, 0, k))
	s = svd.Values(nil)[:k]
	if o.Stats != nil {
		e := mat.NewDense(m, k, nil)
		e.Mul(a, v)
		for i := range m {
			for j, x := range u.RawRowView(i) {
				e.Set(i, j, e.At(i, j)-x*s[j])
			}
		}
		*o.Stats = Stats{Products: products, Restarts: power, Residuals: columnNorms(e)}
	}
	return u, s, v, nil
}
