package batch

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/gramworks/gram/internal/asmtest"
	"github.com/gramworks/gram/internal/must"
	"gonum.org/v1/gonum/blas"
)

// lyingApart returns the matrices of m with the elements between their own, each in a slice of its own.
func lyingApart(m Matrices) Matrices {
	out := m
	out.Data, out.Step = nil, -1
	for q := range m.Count {
		size := (m.Rows-1)*m.Stride + m.Cols
		out.Each = append(out.Each, slices.Clone(m.Data[q*m.Step:][:size:size]))
	}
	return out
}

// same fails unless the matrices of a and b have the same bits.
func same(t *testing.T, what string, a, b Matrices) {
	t.Helper()
	for q := range a.Count {
		if n := (a.Rows-1)*a.Stride + a.Cols; !slices.EqualFunc(a.At(q).Data[:n], b.At(q).Data[:n], asmtest.SameBits[float64]) {
			t.Fatalf("%s of %d×%d: matrix %d is another one in a slice of its own", what, a.Rows, a.Cols, q)
		}
	}
}

// alike reports whether two errors say the same.
func alike(a, b error) bool { return fmt.Sprint(a) == fmt.Sprint(b) }

// Matrices in slices of their own have the bits and the errors of those in one.
func TestEach(t *testing.T) {
	forEachLevel(t, func(t *testing.T) {
		r := rand.New(rand.NewPCG(11, 12))
		for _, n := range orders {
			const count = 19
			for _, tB := range []blas.Transpose{blas.NoTrans, blas.Trans} {
				a, _ := apart(r, count, n, n, normal(r))
				b, _ := apart(r, count, n, n, normal(r))
				c, _ := apart(r, count, n, n, normal(r))
				for _, alpha := range []float64{0, -1.5} {
					e := lyingApart(c)
					Mul(blas.Trans, tB, alpha, lyingApart(a), lyingApart(b), .5, e)
					Mul(blas.Trans, tB, alpha, a, b, .5, c)
					same(t, "Mul", c, e)
				}
			}
			u, _ := apart(r, count, n, n, definite(r, n))
			u.Data[3*u.Step] = math.NaN()
			y, _ := apart(r, count, n, 2, normal(r))
			values, others := make([]float64, count*n), make([]float64, count*n)
			v, w := New(count, n, n), lyingApart(New(count, n, n))
			if a, b := EigenSym(u, values, v), EigenSym(lyingApart(u), others, w); a == nil || !alike(a, b) || !slices.EqualFunc(values, others, asmtest.SameBits[float64]) {
				t.Fatalf("eigenvalues of order %d: %v, and in slices of their own %v", n, a, b)
			}
			same(t, "EigenSym", v, w)
			eu, ey := lyingApart(u), lyingApart(y)
			if a, b := Cholesky(u), Cholesky(eu); a == nil || !alike(a, b) {
				t.Fatalf("factors of order %d: %v, and in slices of their own %v", n, a, b)
			}
			Solve(u, y)
			Solve(eu, ey)
			same(t, "Cholesky", u, eu)
			same(t, "Solve", y, ey)

			f, _ := apart(r, count, n, n, general(r, n))
			ef, i, pivots, exchanges := lyingApart(f), lyingApart(f), make([]int, count*n), make([]int, count*n)
			if !alike(LU(f, pivots), LU(ef, exchanges)) || !slices.Equal(pivots, exchanges) {
				t.Fatalf("order %d: other pivots", n)
			}
			same(t, "LU", f, ef)
			SolveLU(f, pivots, y)
			SolveLU(ef, pivots, ey)
			same(t, "SolveLU", y, ey)
			if a, b := Det(f, values), Det(ef, others); !alike(a, b) || !slices.EqualFunc(values, others, asmtest.SameBits[float64]) {
				t.Fatalf("order %d: other determinants", n)
			}
			if a, b := Inverse(f), Inverse(ef.Slice(0, count)); !alike(a, b) {
				t.Fatalf("order %d: %v and %v", n, a, b)
			}
			same(t, "Inverse", f, ef)
			_ = Inverse(i.Slice(2, 5)) // the others are as they were
			if n := i.At(5).Data[0]; n-n != 0 {
				t.Fatal(n)
			}
		}
	})
	short := Matrices{Count: 2, Rows: 2, Cols: 2, Stride: 2, Each: [][]float64{make([]float64, 4), make([]float64, 3)}}
	if s := must.Recovered(func() { _ = Cholesky(short) }); s != "batch: insufficient length of A" {
		t.Error(s)
	}
	short.Each = short.Each[:1]
	if s := must.Recovered(func() { _ = Cholesky(short) }); s != "batch: insufficient length of A" {
		t.Error(s)
	}
}
