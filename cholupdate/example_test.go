package cholupdate_test

import (
	"errors"
	"fmt"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/cholupdate"
	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"
)

// An update takes the factor of A to that of A + xxᵀ; the downdate takes it
// back.
func ExampleUpdate() {
	l := mat.NewTriDense(2, mat.Lower, []float64{3, 0, 0, 1}) // A = diag(9, 1)
	if err := cholupdate.Update(l.RawTriangular(), []float64{4, 0}); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%.3f\n", mat.Formatted(l))
	margin, err := cholupdate.Downdate(l.RawTriangular(), []float64{4, 0})
	fmt.Printf("%.3f\nmargin %.2f, error %v\n", mat.Formatted(l), margin, err)
	// Output:
	// ⎡5.000  0.000⎤
	// ⎣0.000  1.000⎦
	// ⎡3.000  0.000⎤
	// ⎣0.000  1.000⎦
	// margin 0.36, error <nil>
}

// A downdate that would lose definiteness leaves the factor unchanged.
func ExampleDowndate() {
	l := blas64.Triangular{N: 2, Stride: 2, Data: []float64{2, 0, 0, 1}, Uplo: blas.Lower, Diag: blas.NonUnit}
	_, err := cholupdate.Downdate(l, []float64{0, 1.5})
	var notPD *gram.NotPDError
	if errors.As(err, &notPD) {
		fmt.Println("pivot", notPD.Pivot, "factor", l.Data)
	}
	// Output:
	// pivot 1 factor [2 0 0 1]
}

// A change by ggᵀ takes the vector g; a change by XXᵀ takes the n×k matrix X.
func ExampleUpdateRank() {
	var c mat.Cholesky
	c.Factorize(mat.NewSymDense(2, []float64{16, 0, 0, 9}))
	u := c.RawU().(*mat.TriDense).RawTriangular()
	x := blas64.General{Rows: 2, Cols: 2, Stride: 2, Data: []float64{3, 0, 0, 4}}
	if err := cholupdate.UpdateRank(u, x); err != nil {
		fmt.Println(err)
	}
	fmt.Printf("%.0f %.0f\n", u.Data[0], u.Data[3])
	// Output:
	// 5 5
}

// ApplyRight computes B ← B·chol(I + β·wwᵀ) in O(r) operations per row.
func ExampleIdentityPlusRankOne() {
	var l cholupdate.IdentityPlusRankOne[float64]
	margin, err := l.Set(3, []float64{1, 0})
	b := gram.Rows[float64]{Data: []float64{1, 2, 3, 4}, N: 2, D: 2, Stride: 2}
	l.ApplyRight(b, 1)
	fmt.Println(margin, err, b.Data)
	// Output:
	// 4 <nil> [2 2 6 4]
}

// A Drift tells when to factorize again.
func ExampleDrift() {
	l := blas64.Triangular{N: 1, Stride: 1, Data: []float64{1}, Uplo: blas.Lower, Diag: blas.NonUnit}
	d := cholupdate.Drift{Tolerance: 1e-14}
	d.Start(l)
	changes := 0
	for x := []float64{1}; !d.Advised(); changes++ {
		_ = cholupdate.Update(l, x)
		d.Add(l, x)
	}
	fmt.Println("factorize again after", changes, "changes")
	// Output:
	// factorize again after 23 changes
}
