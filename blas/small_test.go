package blas_test

import (
	"fmt"
	"testing"

	"github.com/gramworks/gram/blas"
	"gonum.org/v1/gonum/mat"
)

// smallOrders are the orders at which no routine of gonum/mat may be slower with
// Native than with Gonum.
var smallOrders = []int{1, 2, 3, 4, 6, 8, 12, 16, 24, 32}

// A smallCall is a call of gonum/mat.
type smallCall struct {
	name string
	body func()
}

// smallCalls returns calls for matrices of order n, which run on the backend in use.
func smallCalls(n int) []smallCall {
	m := 2 * n
	a, b := mat.NewDense(n, n, values[float64](n*n)), mat.NewDense(n, n, values[float64](n*n))
	tall, wide, x := mat.NewDense(m, n, values[float64](m*n)), mat.NewDense(n, m, values[float64](m*n)), mat.NewVecDense(n, values[float64](n))
	long := mat.NewVecDense(m, values[float64](m))
	var definite mat.SymDense
	definite.SymOuterK(1, tall.T())
	general := mat.NewSymDense(n, nil)
	general.CopySym(&definite)
	triangle := mat.NewTriDense(n, mat.Upper, values[float64](n*n))
	for i := range n {
		general.SetSym(i, i, general.At(i, i)-float64(m))
		a.Set(i, i, a.At(i, i)+float64(n))
		triangle.SetTri(i, i, float64(n))
	}
	var (
		eigenSym          mat.EigenSym
		eigen             mat.Eigen
		svd               mat.SVD
		qr, qrTall        mat.QR
		lq, lqWide        mat.LQ
		lu, factored      mat.LU
		cholesky, triSolv mat.Cholesky
		qrFactored        mat.QR
		symmetric         mat.SymDense
	)
	factored.Factorize(a)
	triSolv.Factorize(&definite)
	qrFactored.Factorize(tall)
	q := mat.NewDense(m, m, nil)
	dst, vec, values := mat.NewDense(n, n, nil), mat.NewVecDense(n, nil), mat.NewDense(n, n, nil)
	must := func(ok bool) {
		if !ok {
			panic("blas_test: no factorization")
		}
	}
	done := func(err error) {
		if err != nil {
			panic(err)
		}
	}
	return []smallCall{
		{"EigenSym", func() { must(eigenSym.Factorize(general, true)) }},
		{"EigenSym-values", func() { must(eigenSym.Factorize(general, false)) }},
		{"Eigen", func() { must(eigen.Factorize(a, mat.EigenRight)) }},
		{"Eigen-both", func() { must(eigen.Factorize(a, mat.EigenBoth)) }},
		{"Eigen-values", func() { must(eigen.Factorize(a, mat.EigenNone)) }},
		{"SVD-none", func() { must(svd.Factorize(b, mat.SVDNone)) }},
		{"SVD-thin", func() { must(svd.Factorize(b, mat.SVDThin)) }},
		{"SVD-full", func() { must(svd.Factorize(b, mat.SVDFull)) }},
		{"SVD-none-tall", func() { must(svd.Factorize(tall, mat.SVDNone)) }},
		{"SVD-thin-tall", func() { must(svd.Factorize(tall, mat.SVDThin)) }},
		{"SVD-full-tall", func() { must(svd.Factorize(tall, mat.SVDFull)) }},
		{"SVD-thin-wide", func() { must(svd.Factorize(wide, mat.SVDThin)) }},
		{"QR", func() { qr.Factorize(b) }},
		{"QR-tall", func() { qrTall.Factorize(tall) }},
		{"QR-Q", func() { qrTall.Factorize(tall); qrTall.QTo(q) }},
		{"QR-solve", func() { done(qrFactored.SolveVecTo(vec, false, long)) }},
		{"LQ", func() { lq.Factorize(b) }},
		{"LQ-wide", func() { lqWide.Factorize(wide) }},
		{"LU", func() { lu.Factorize(a) }},
		{"LU-solve", func() { done(factored.SolveTo(dst, false, b)) }},
		{"LU-solve-vector", func() { done(factored.SolveVecTo(vec, false, x)) }},
		{"Cholesky", func() { must(cholesky.Factorize(&definite)) }},
		{"Cholesky-solve", func() { done(triSolv.SolveTo(dst, b)) }},
		{"Cholesky-solve-vector", func() { done(triSolv.SolveVecTo(vec, x)) }},
		{"Cholesky-inverse", func() { done(triSolv.InverseTo(&symmetric)) }},
		{"Mul", func() { dst.Mul(a, b) }},
		{"Mul-transposed", func() { dst.Mul(a.T(), b) }},
		{"Mul-symmetric", func() { dst.Mul(general, b) }},
		{"Mul-triangle", func() { dst.Mul(triangle, b) }},
		{"MulVec", func() { vec.MulVec(a, x) }},
		{"MulVec-transposed", func() { vec.MulVec(a.T(), x) }},
		{"MulVec-symmetric", func() { vec.MulVec(general, x) }},
		{"SymOuterK", func() { symmetric.SymOuterK(1, b) }},
		{"SymRankOne", func() { symmetric.SymRankOne(general, 1, x) }},
		{"Outer", func() { dst.Outer(1, x, x) }},
		{"RankOne", func() { dst.RankOne(a, 1, x, x) }},
		{"Solve", func() { done(dst.Solve(a, b)) }},
		{"Solve-tall", func() { done(values.Solve(tall, tall)) }},
		{"Solve-triangle", func() { done(dst.Solve(triangle, b)) }},
		{"Inverse", func() { done(dst.Inverse(a)) }},
		{"Inverse-triangle", func() { done(triangle2(n).InverseTri(triangle)) }},
		{"Det", func() { mat.Det(a) }},
		{"Cond", func() { mat.Cond(a, 2) }},
		{"Norm", func() { mat.Norm(a, 2) }},
		{"Dot", func() { mat.Dot(x, vec) }},
		{"AddScaled", func() { vec.AddScaledVec(x, 2, x) }},
		{"Exp", func() { dst.Exp(a) }},
	}
}

func triangle2(n int) *mat.TriDense { return mat.NewTriDense(n, mat.Upper, nil) }

// BenchmarkSmall has calls of gonum/mat for small matrices with both backends, which
// ci/bench-gate compares.
func BenchmarkSmall(b *testing.B) {
	for _, n := range smallOrders {
		for _, c := range smallCalls(n) {
			for _, x := range backends {
				b.Run(fmt.Sprintf("call=%s/n=%d/backend=%s", c.name, n, x.Name()), func(b *testing.B) {
					before := blas.Current()
					blas.Use(x)
					defer blas.Use(before)
					for b.Loop() {
						c.body()
					}
				})
			}
		}
	}
}
