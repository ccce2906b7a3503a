package eig

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/internal/must"
	"gonum.org/v1/gonum/mat"
)

// TestPairs changes a matrix forty times, also by vectors that repeat, vanish or are unit vectors, and compares
// the pairs with the matrix after each change.
func TestPairs(t *testing.T) {
	for _, n := range []int{1, 2, 7, 30, 140} {
		r := rand.New(rand.NewPCG(uint64(n), 3))
		a := mat.NewSymDense(n, nil)
		for i := range n {
			a.SetSym(i, i, float64(i/2)) // pairs of equal eigenvalues
		}
		p := must.Have(NewPairs(context.Background(), a))(t)
		x := make([]float64, n)
		for step := range 40 {
			switch step % 4 {
			case 0, 1:
				for i := range x {
					x[i] = r.NormFloat64()
				}
			case 2: // the same again, of the other sign
			case 3:
				clear(x)
				x[r.IntN(n)] = float64(step % 8)
			}
			rho := 1 - float64(step%4)
			must.Do(t, p.Update(x, rho))
			a.SymRankOne(a, rho, mat.NewVecDense(n, x))
			var product, gap mat.Dense
			product.Mul(p.Vectors(), mat.NewDiagDense(n, p.Values()))
			product.Mul(&product, p.Vectors().T())
			product.Sub(&product, a)
			gap.Mul(p.Vectors().T(), p.Vectors())
			for i := range n {
				gap.Set(i, i, gap.At(i, i)-1)
			}
			tol := 0x1p-52 * 10 * float64(n+step)
			if !(mat.Norm(&product, 2) <= tol*(mat.Norm(a, 2)+float64(n))*10) || !(mat.Norm(&gap, 2) <= tol) {
				t.Fatalf("n=%d, step %d: residual %g of %g, orthogonality %g", n, step, mat.Norm(&product, 2), mat.Norm(a, 2), mat.Norm(&gap, 2))
			}
		}
		shift := 1 - min(0, p.Values()[0])
		b := make([]float64, n)
		copy(b, x)
		must.Do(t, p.SolveShifted(b, shift))
		var back mat.VecDense
		back.MulVec(a, mat.NewVecDense(n, b))
		for i := range n {
			if !(math.Abs(back.AtVec(i)+shift*b[i]-x[i]) <= 1e-11*float64(n)*mat.Norm(a, 2)) {
				t.Errorf("n=%d: element %d of (A+shift)·b is %g, not %g", n, i, back.AtVec(i)+shift*b[i], x[i])
			}
		}
		var failed *gram.NotPDError
		if err := p.SolveShifted(b, -p.Values()[0]-1); !errors.As(err, &failed) || failed.Pivot != 0 {
			t.Errorf("n=%d: a shift below the spectrum: %v", n, err)
		}
		var data *gram.DataError
		before := p.Values()[0]
		x[0] = math.NaN()
		if err := p.Update(x, 1); !errors.As(err, &data) || data.Argument != "x" || p.Values()[0] != before {
			t.Errorf("n=%d: an update by NaN: %v", n, err)
		}
	}
}
