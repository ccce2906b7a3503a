package cholupdate

import (
	"errors"
	"math"
	"slices"
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/internal/asmtest"
	"github.com/gramworks/gram/internal/must"
	"github.com/gramworks/gram/num/rng"
	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"
)

func TestAppend(t *testing.T) {
	for _, uplo := range orders {
		// Grow from nothing to order 12, one column at a time.
		whole := product(random(12, uplo, 1, 1))
		l := blas64.Triangular{Stride: 1, Uplo: uplo, Diag: blas.NonUnit}
		for n := range 12 {
			column := make([]float64, n+1)
			for i := range column {
				column[i] = whole.At(i, n)
			}
			grown, margin, err := appendTo(l, column)
			if err != nil || !(margin > 0 && margin <= 1) {
				t.Fatalf("order %d: margin %v, %v", n, margin, err)
			}
			l = grown
		}
		// The memory of the factor is used if it is large enough, down to the last
		// number.
		for _, room := range []int{0, 1} {
			data := make([]float64, 5, 15-room) // order 2 becomes order 3 in rows of 6
			short := blas64.Triangular{N: 2, Stride: 6, Data: append(data[:0], make([]float64, 8)...), Uplo: uplo, Diag: blas.NonUnit}
			short.Data[0], short.Data[7] = 1, 1
			grown, _, err := appendTo(short, []float64{0, 0, 1})
			if shared := err == nil && &grown.Data[0] == &short.Data[0]; err != nil || shared != (room == 0) {
				t.Errorf("capacity %d for 15 numbers: memory is used again: %t, %v", 15-room, shared, err)
			}
		}
		if e := backward(l, whole, 0, make([]float64, 12)); !(e <= 12*eps) {
			t.Errorf("%c: backward error %g", uplo, e)
		}
		// α at the edge of definiteness.
		column := make([]float64, 13)
		for i := range 12 {
			column[i] = whole.At(i, 3)
		}
		column[12] = whole.At(3, 3) * (1 - 1e-9)
		kept := slices.Clone(l.Data)
		var npd *gram.NotPDError
		if _, margin, err := appendTo(l, column); !errors.As(err, &npd) || npd.Pivot != 12 || margin > 0 {
			t.Errorf("margin %g, error %v", margin, err)
		}
		for _, alpha := range []float64{-2, 0} {
			column[12] = alpha
			if _, margin, err := appendTo(l, column); !errors.As(err, &npd) || margin != alpha || npd.Margin != alpha || npd.Pivot != 12 {
				t.Errorf("α = %g: margin %g, error %v", alpha, margin, err)
			}
		}
		if !slices.Equal(kept, l.Data) {
			t.Error("a failed append changed the factor")
		}
		column[12] = whole.At(3, 3) * (1 + 1e-6)
		if _, margin, err := appendTo(l, column); err != nil || !(math.Abs(margin-1e-6) < 1e-11) {
			t.Errorf("margin %g, want 1e-6 (%v)", margin, err)
		}
	}
}

func TestDelete(t *testing.T) {
	asmtest.ForEachLevel(t, levels, func(t *testing.T) {
		for _, uplo := range orders {
			for _, n := range []int{1, 2, 5, 12, 23} {
				for j := range n {
					l := random(n, uplo, 2, 3)
					a := product(l)
					less, err := deleteFrom(l, j)
					if err != nil || less.N != n-1 {
						t.Fatal(less.N, err)
					}
					if n == 1 {
						continue
					}
					want := mat.NewSymDense(n-1, nil)
					skip := func(i int) int {
						if i >= j {
							return i + 1
						}
						return i
					}
					for p := range n - 1 {
						for q := range p + 1 {
							want.SetSym(p, q, a.At(skip(p), skip(q)))
						}
					}
					if e := backward(less, want, 0, make([]float64, n-1)); !(e <= 8*float64(n)*eps) {
						t.Errorf("%c n %d j %d: backward error %g", uplo, n, j, e)
					}
				}
			}
		}
	})
}

// Update and Downdate of the triangle that a mat.Cholesky holds are the changes of gonum.
func TestCholesky(t *testing.T) {
	const n = 20
	a := product(random(n, blas.Upper, 3, 1))
	x := mat.NewVecDense(n, asmtest.Normal[float64](rng.New(4, 0), n))
	var c, want mat.Cholesky
	if !c.Factorize(a) || !want.SymRankOne(&c, 1, x) {
		t.Fatal("not positive definite")
	}
	u := c.RawU().(*mat.TriDense)
	compare := func(want *mat.Cholesky) {
		t.Helper()
		var got mat.Cholesky
		got.SetFromU(u)
		var p, q mat.SymDense
		got.ToSym(&p)
		want.ToSym(&q)
		if !mat.EqualApprox(&p, &q, 1e-12) {
			t.Error("the factor differs from gonum's")
		}
	}
	must.Do(t, Update(u.RawTriangular(), x.RawVector().Data))
	compare(&want)
	if m, err := Downdate(u.RawTriangular(), x.RawVector().Data); err != nil || !(m > 0) {
		t.Fatal(m, err)
	}
	var first mat.Cholesky
	first.Factorize(a)
	compare(&first)
}

// TestTriDense: a mat.TriDense shares its memory with RawTriangular.
func TestTriDense(t *testing.T) {
	l := mat.NewTriDense(2, mat.Lower, []float64{3, 0, 0, 4})
	must.Do(t, Update(l.RawTriangular(), []float64{4, 0}))
	if got := l.At(0, 0); !(math.Abs(got-5) < 1e-14) {
		t.Errorf("L00 = %v, want 5", got)
	}
}
