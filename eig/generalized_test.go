package eig

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/internal/gen"
	"github.com/gramworks/gram/internal/must"
	"gonum.org/v1/gonum/mat"
)

// graded returns a matrix of condition number cond whose row and column i are multiplied by
// 10^(−decades·rank(i)/2(n−1)), so that its diagonal goes over that many decades.
func graded(n int, cond, decades float64, seed uint64, rank func(i int) int) *mat.SymDense {
	a := gen.SPD(n, cond, seed)
	scale := func(i int) float64 {
		return math.Pow(10, -decades*float64(rank(i))/float64(2*max(1, n-1)))
	}
	for i := range n {
		for j := i; j < n; j++ {
			a.SetSym(i, j, a.At(i, j)*scale(i)*scale(j))
		}
	}
	return a
}

// checkGeneralized tests Ax = λBx of each pair relative to (‖A‖ + |λ|·‖B‖)·‖x‖, XᵀBX = I, and the order.
func checkGeneralized(t *testing.T, name string, a, b *mat.SymDense, residual float64) {
	t.Helper()
	n := a.SymmetricDim()
	values, x, err := Generalized(t.Context(), a, b)
	if err != nil {
		t.Errorf("%s: %v", name, err)
		return
	}
	if !slices.IsSorted(values) {
		t.Errorf("%s: the eigenvalues are not in order", name)
	}
	var ax, bx, xbx mat.Dense
	ax.Mul(a, x)
	bx.Mul(b, x)
	normA, normB := mat.Norm(a, 2), mat.Norm(b, 2)
	for j, v := range values {
		var r mat.VecDense
		r.AddScaledVec(ax.ColView(j), -v, bx.ColView(j))
		size := (normA + math.Abs(v)*normB) * mat.Norm(x.ColView(j), 2)
		if e := mat.Norm(&r, 2); !(e <= residual*size) {
			t.Errorf("%s: residual %.3g of pair %d, want %.3g", name, e, j, residual*size)
			break
		}
	}
	xbx.Mul(x.T(), &bx)
	for i := range n {
		for j := range n {
			want := 0.
			if i == j {
				want = 1
			}
			// as far as BX itself is known
			if tol := residual * (1 + mat.Norm(x.ColView(i), 2)*normB*mat.Norm(x.ColView(j), 2)); !(math.Abs(xbx.At(i, j)-want) <= tol) {
				t.Fatalf("%s: XᵀBX at %d, %d is %v, off by more than %.3g", name, i, j, xbx.At(i, j), tol)
			}
		}
	}
}

// Pairs belong to the problem that is given, also where B is graded: in whichever order its rows
// come, the residuals stay far below the condition number of B times a rounding error.
func TestGeneralized(t *testing.T) {
	const eps = 0x1p-52
	for _, n := range []int{1, 2, 3, 5, 18, 30, 100} {
		for _, decades := range []float64{0, 6, 10} {
			for order, rank := range map[string]func(i int) int{
				"descending": func(i int) int { return i },
				"ascending":  func(i int) int { return n - 1 - i },
				"mixed":      func(i int) int { return i * 7 % n },
			} {
				indefinite := gen.SPD(n, 100, 3)
				for i := range n {
					indefinite.SetSym(i, i, indefinite.At(i, i)-.3)
				}
				for kind, a := range map[string]*mat.SymDense{
					"indefinite": indefinite, "graded": graded(n, 10, decades, 4, rank), "zero": mat.NewSymDense(n, nil),
				} {
					name := fmt.Sprintf("n %d, B over %g decades, %s, A %s", n, decades, order, kind)
					residual := 4000 * eps
					if n < 14 { // gonum reduces small matrices from their last row on
						residual = 1e6 * eps
					}
					checkGeneralized(t, name, a, graded(n, 10, decades, 5, rank), residual)
				}
			}
		}
	}
	// The bound for any B is its condition number.
	checkGeneralized(t, "κ(B) 1e9", gen.SPD(60, 100, 6), gen.SPD(60, 1e9, 7), 60*1e9*eps)
}

// A = L·diag(λ)·Lᵀ and B = L·Lᵀ with whole numbers in L and λ, and ones on L's diagonal: the
// eigenvalues are λ, and the vectors are the columns of L⁻ᵀ.
func TestGeneralizedKnown(t *testing.T) {
	for _, n := range []int{1, 2, 4, 9, 20} {
		l, x := mat.NewDense(n, n, nil), mat.NewDense(n, n, nil)
		for i := range n {
			l.Set(i, i, 1)
			if i > 0 {
				l.Set(i, i-1, float64(i%3-1))
			}
			if i > 3 {
				l.Set(i, i-3, float64(i%2))
			}
		}
		must.Do(t, x.Inverse(l.T()))
		a, b := mat.NewSymDense(n, nil), mat.NewSymDense(n, nil)
		for i := range n {
			for j := i; j < n; j++ {
				var sa, sb float64
				for k := range n {
					sa += float64(k*k-10) * l.At(i, k) * l.At(j, k)
					sb += l.At(i, k) * l.At(j, k)
				}
				a.SetSym(i, j, sa)
				b.SetSym(i, j, sb)
			}
		}
		keepA, keepB := mat.NewSymDense(n, nil), mat.NewSymDense(n, nil)
		keepA.CopySym(a)
		keepB.CopySym(b)
		values, vectors := must.Have2(Generalized(t.Context(), a, b))(t)
		if !mat.Equal(a, keepA) || !mat.Equal(b, keepB) {
			t.Errorf("n %d: an argument has been changed", n)
		}
		for j, v := range values {
			if want := float64(j*j - 10); !(math.Abs(v-want) <= 1e-10) {
				t.Errorf("n %d: eigenvalue %d is %v, want %v", n, j, v, want)
			}
			sign := 1.
			if mat.Dot(vectors.ColView(j), x.ColView(j)) < 0 {
				sign = -1
			}
			for i := range n {
				if got, want := sign*vectors.At(i, j), x.At(i, j); !(math.Abs(got-want) <= 1e-9*(1+math.Abs(want))) {
					t.Fatalf("n %d: element %d of vector %d is %v, want %v", n, i, j, got, want)
				}
			}
		}
	}
	if values, _, err := Generalized(t.Context(), &mat.SymDense{}, &mat.SymDense{}); err != nil || len(values) != 0 {
		t.Error("order 0")
	}
}

// What B is not definite by, and what has no numbers, is said with its place.
func TestGeneralizedErrors(t *testing.T) {
	const n = 5
	good := gen.SPD(n, 10, 1)
	changed := func(i, j int, v float64) *mat.SymDense {
		m := mat.NewSymDense(n, nil)
		m.CopySym(good)
		m.SetSym(i, j, v)
		return m
	}
	var pd *gram.NotPDError
	for row := range n {
		if _, _, err := Generalized(t.Context(), good, changed(row, row, -1)); !errors.As(err, &pd) || pd.Pivot != row || !(pd.Margin <= -.9) {
			t.Errorf("row %d of B has the pivot −1: %v", row, err)
		}
	}
	if _, _, err := Generalized(t.Context(), good, mat.NewSymDense(n, nil)); !errors.As(err, &pd) || pd.Margin != 0 {
		t.Errorf("B is 0: %v", err)
	}
	var de *gram.DataError
	for _, bad := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
		if _, _, err := Generalized(t.Context(), changed(1, 3, bad), good); !errors.As(err, &de) || de.Row != 1 || de.Col != 3 || de.Argument != "a" {
			t.Errorf("%v in A: %v", bad, err)
		}
		if _, _, err := Generalized(t.Context(), good, changed(2, 4, bad)); !errors.As(err, &de) || de.Row != 2 || de.Col != 4 || de.Argument != "b" {
			t.Errorf("%v in B: %v", bad, err)
		}
	}
	tiny, huge := mat.NewSymDense(n, nil), mat.NewSymDense(n, nil)
	for i := range n {
		tiny.SetSym(i, i, 1e-200)
		huge.SetSym(i, i, 1e200)
	}
	if _, _, err := Generalized(t.Context(), huge, tiny); !errors.As(err, &de) || err.Error() != "an eigenvalue is +Inf" {
		t.Errorf("eigenvalues of 1e400: %v", err)
	}
	if p := must.Recovered(func() { _, _, _ = Generalized(t.Context(), good, gen.SPD(n+1, 10, 1)) }); p != "eig: a and b have different orders" {
		t.Errorf("panic %v", p)
	}
}
