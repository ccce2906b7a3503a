package reference_test

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/solve"
	"github.com/gramworks/gram/cholupdate"
	"github.com/gramworks/gram/eig"
	"github.com/gramworks/gram/fwht"
	"github.com/gramworks/gram/haar"
	"github.com/gramworks/gram/internal/must"
	"github.com/gramworks/gram/kernel"
	"gonum.org/v1/gonum/mat"
)

// transformed are the transforms of the unit vectors: the columns of a matrix.
func transformed(n int, by func(x []float64)) *mat.Dense {
	h := mat.NewDense(n, n, nil)
	for j := range n {
		x := make([]float64, n)
		x[j] = 1
		by(x)
		h.SetCol(j, x)
	}
	return h
}

// [FA76], [S16] §4.2: the matrices of the fast transforms.
func TestTransforms(t *testing.T) {
	for _, n := range []int{2, 8, 32} {
		root := math.Sqrt(float64(n))
		agree(t, fmt.Sprintf("[FA76] H₂ₙ = [H H; H −H], n = %d", n), transformed(n, fwht.Transform[float64]), sylvester(n))
		agree(t, fmt.Sprintf("[FA76] H/√n, n = %d", n), transformed(n, fwht.Orthonormal[float64]), scaled(1/root, sylvester(n)))
		agree(t, fmt.Sprintf("[FA76] in sequency order, n = %d", n), transformed(n, fwht.Sequency[float64]), walsh(n))
		h := haarMatrix(n)
		agree(t, fmt.Sprintf("[S16] §4.2 Haar, n = %d", n), transformed(n, haar.Transform[float64]), h)
		agree(t, fmt.Sprintf("[S16] §4.2 Haar, transposed, n = %d", n), transformed(n, haar.Transpose[float64]), h.T())
		agree(t, fmt.Sprintf("[S16] §4.2 Haar, inverse, n = %d", n), transformed(n, haar.Inverse[float64]), solution(h, identity(n)))
		norm := make([]float64, n)
		for q := range norm {
			norm[q] = 1 / mat.Norm(h.RowView(q), 2)
		}
		agree(t, fmt.Sprintf("[S16] §4.2 Haar, orthonormal, n = %d", n), transformed(n, haar.Orthonormal[float64]), times(diagonal(norm), h))
	}
}

// [GVL13] §6.5.4, [K06]: factors of what changes by rank one.
func TestRankOneChanges(t *testing.T) {
	const n = 6
	b, x := normal(151, n, n, 1), mat.Col(nil, 0, normal(152, n, 1, 1))
	a := sum(times(b, b.T()), identity(n))
	outer := times(column(x), column(x).T())
	sym := func(a *mat.Dense) *mat.SymDense { return mat.NewSymDense(n, a.RawMatrix().Data) }
	factor := func(a *mat.Dense) (u mat.TriDense) {
		var c mat.Cholesky
		if !c.Factorize(sym(a)) {
			t.Fatal("not positive definite")
		}
		c.UTo(&u)
		return u
	}
	u := factor(a)
	must.Do(t, cholupdate.Update(u.RawTriangular(), x))
	agree(t, "[GVL13] UᵀU = A + xxᵀ", times(u.T(), &u), sum(a, outer))
	u = factor(sum(a, outer))
	must.Have(cholupdate.Downdate(u.RawTriangular(), x))(t)
	agree(t, "[GVL13] UᵀU = A − xxᵀ", times(u.T(), &u), a)
	for _, beta := range []float64{0.8, -0.5 / square(x, make([]float64, n))} {
		var l cholupdate.IdentityPlusRankOne[float64]
		must.Have(l.Set(beta, x))(t)
		left := mat.DenseCopyOf(b)
		l.ApplyRight(gram.View(left), 1)
		agree(t, fmt.Sprintf("[K06] B·L·Lᵀ·Bᵀ = B(I + βwwᵀ)Bᵀ, β = %.2g", beta), times(left, left.T()), times(b, sum(identity(n), scaled(beta, outer)), b.T()))
	}
	d := []float64{3, 1, 1, -2, 0.5, 1}
	for _, rho := range []float64{0.7, -1.3} {
		e := must.Have(eig.RankOne(d, x, rho))(t)
		q := e.Vectors()
		full := sum(diagonal(d), scaled(rho, outer))
		agree(t, fmt.Sprintf("[BNS78] QΛQᵀ = D + ρzzᵀ, ρ = %g", rho), times(q, diagonal(e.Values()), q.T()), full)
		agree(t, fmt.Sprintf("[GE94] QᵀQ = I, ρ = %g", rho), times(q.T(), q), identity(n))
	}
	signed := sum(a, scaled(-5, identity(n)))
	positive, _ := must.Have2(eig.ProjectPSD(t.Context(), sym(signed)))(t)
	agree(t, "the nearest positive semi-definite matrix", positive, spectral(signed, func(_ int, v float64) float64 { return max(0, v) }))
	root, _ := must.Have2(solve.InvSqrt(t.Context(), sym(a), 3, 1e-12))(t)
	agree(t, "W_k⁺", times(root, root.T()), spectral(a, func(j int, v float64) float64 {
		if j < 3 {
			return 1 / v
		}
		return 0
	}))
}

// Kernel blocks: K(X,Z), K(X,Z)·V and K(X,Z)ᵀ·V.
func TestKernels(t *testing.T) {
	x, z, v, w := normal(161, 9, 4, 1), normal(162, 7, 4, 1), normal(163, 7, 3, 1), normal(164, 9, 3, 1)
	for name, k := range map[string]kernel.Kernel{
		"Gaussian": kernel.Gaussian{Gamma: 0.3}, "Laplacian": kernel.Laplacian{Gamma: 0.3},
		"polynomial": kernel.Polynomial{Degree: 3, Offset: 0.5}, "linear": kernel.Linear{},
	} {
		g := gramMatrix(k, x, z)
		b := kernel.Against[float64](k, z)
		dst := mat.NewDense(9, 7, nil)
		b.Fill(gram.View(dst), gram.Of(x))
		agree(t, name+", K(X,Z)", dst, g)
		product := mat.NewDense(9, 3, nil)
		b.Mul(gram.View(product), gram.Of(x), gram.View(v))
		agree(t, name+", K(X,Z)·V", product, times(g, v))
		product = mat.NewDense(7, 3, nil)
		b.MulT(gram.View(product), gram.Of(x), gram.View(w))
		agree(t, name+", K(X,Z)ᵀ·V", product, times(g.T(), w))
	}
	far := mat.DenseCopyOf(x)
	far.Apply(func(_, _ int, v float64) float64 { return v + 1e6 }, x)
	dst := mat.NewDense(9, 9, nil)
	k := kernel.Gaussian{Gamma: 0.3}
	kernel.Against[float64](k, far).Fill(gram.View(dst), gram.Of(far))
	agree(t, "Gaussian, far from the origin", dst, gramMatrix(k, far, far))
	if i := slices.Index(mat.Col(nil, 0, dst), 1); i != 0 {
		t.Errorf("K(x,x) is %g", dst.At(0, 0))
	}
}
