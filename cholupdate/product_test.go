package cholupdate

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/gramworks/gram/internal/must"
	"github.com/gramworks/gram/internal/race"
	"github.com/gramworks/gram/num"
	"gonum.org/v1/gonum/mat"
)

// TestProducts compares everything that a factor tells of its matrix with the matrix, after a
// change of the place where the factor begins.
func TestProducts(t *testing.T) {
	t.Run("float64", func(t *testing.T) { checkProducts[float64](t, 0x1p-52) })
	t.Run("float32", func(t *testing.T) { checkProducts[float32](t, 0x1p-23) })
}

func checkProducts[F num.Float](t *testing.T, eps float64) {
	r := rand.New(rand.NewPCG(3, 4))
	for _, n := range []int{1, 2, 5, 9, 33} {
		whole := definite(r, n+2)
		f := must.Have(NewFactor[F](whole))(t)
		f.DeleteFirst(2)
		a := part(whole, 2, n+2)
		tol := 100 * float64(n) * eps
		var sym, inverse, product mat.SymDense
		f.ToSym(&sym)
		if e := distance(&sym, a); !(e <= tol) {
			t.Errorf("n=%d: ToSym is off by %g", n, e)
		}
		f.InverseTo(&inverse)
		var c mat.Cholesky
		c.Factorize(a)
		must.Do(t, c.InverseTo(&product))
		if e := distance(&inverse, &product); !(e <= tol*c.Cond()) {
			t.Errorf("n=%d: InverseTo is off by %g", n, e)
		}
		x, y, z := make([]F, n), mat.NewVecDense(n, nil), make([]F, n)
		for i := range x {
			x[i] = F(r.NormFloat64())
			y.SetVec(i, float64(x[i]))
		}
		copy(z, x)
		if got, want := f.Quad(x), mat.Inner(y, a, y); !(math.Abs(got-want) <= tol*mat.Norm(a, 2)*mat.Inner(y, mat.NewDiagDense(n, ones(n)), y)) {
			t.Errorf("n=%d: xᵀAx is %g, not %g", n, got, want)
		}
		if got, want := f.InverseQuad(x), mat.Inner(y, &product, y); !(math.Abs(got-want) <= tol*c.Cond()*want) {
			t.Errorf("n=%d: xᵀA⁻¹x is %g, not %g", n, got, want)
		}
		for i := range x {
			if x[i] != z[i] {
				t.Fatal("a quadratic form has changed x")
			}
		}
		f.MulVec(x)
		var want mat.VecDense
		want.MulVec(a, y)
		for i := range n {
			if !(math.Abs(float64(x[i])-want.AtVec(i)) <= tol*mat.Norm(a, 2)*mat.Norm(y, 2)) {
				t.Errorf("n=%d: element %d of Ax is %g, not %g", n, i, x[i], want.AtVec(i))
			}
			for j := range n {
				if got := f.At(i, j); !(math.Abs(got-a.At(i, j)) <= tol*mat.Norm(a, 2)) {
					t.Errorf("n=%d: A(%d,%d) is %g, not %g", n, i, j, got, a.At(i, j))
				}
			}
		}
	}
}

func ones(n int) []float64 {
	x := make([]float64, n)
	for i := range x {
		x[i] = 1
	}
	return x
}

// TestFactor32 takes a factor of float32 numbers through the changes, with solutions in between.
func TestFactor32(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	const n, window = 60, 20
	a := definite(r, n)
	step := mat.NewDense(window, window, nil)
	for i := range window {
		step.Set(i, i, 2)
	}
	f := must.Have(NewFactor[float32](part(a, 0, 4)))(t)
	b := mat.DenseCopyOf(mat.DenseCopyOf(a).Slice(0, 4, 4, window))
	must.Do(t, f.Extend(b, part(a, 4, window)))
	for hi := window + 1; hi <= n; hi++ {
		column := make([]float32, window)
		for i := range column {
			column[i] = float32(a.At(hi-window+i, hi-1))
		}
		must.Have(f.Slide(column))(t)
		if e := distance(f.gramOf(), part(a, hi-window, hi)); !(e <= 1e-5) {
			t.Fatalf("row %d: distance %g", hi, e)
		}
	}
	f.Scale(.25)
	if err := f.Propagate(step, nil); err != nil { // 4·A/4
		t.Fatal(err)
	}
	want := part(a, n-window, n)
	if e := distance(f.gramOf(), want); !(e <= 1e-5) {
		t.Fatalf("after Propagate: distance %g", e)
	}
	x := mat.NewDense(window, 1, nil)
	v := make([]float32, window)
	for i := range window {
		v[i] = float32(want.At(i, 3))
		x.Set(i, 0, want.At(i, 3))
	}
	f.SolveVec(v)
	f.Solve(x)
	for i := range window {
		unit := 0.
		if i == 3 {
			unit = 1
		}
		if !(math.Abs(float64(v[i])-unit) <= 1e-2 && math.Abs(x.At(i, 0)-unit) <= 1e-2) {
			t.Fatalf("element %d of the solution is %g and %g, not %g", i, v[i], x.At(i, 0), unit)
		}
	}
}

// TestProductsAllocate says which methods of a factor allocate nothing.
func TestProductsAllocate(t *testing.T) {
	if race.Enabled {
		t.Skip("under the detector a sync.Pool drops what it is given")
	}
	a := definite(rand.New(rand.NewPCG(1, 2)), 6)
	f, _ := NewFactor[float64](a)
	g, _ := NewFactor[float32](a)
	x, y := make([]float64, 6), make([]float32, 6)
	if n := testing.AllocsPerRun(100, func() {
		f.MulVec(x)
		f.SolveVec(x)
		_ = f.Quad(x) + f.InverseQuad(x) + f.At(1, 2)
		g.MulVec(y)
		g.SolveVec(y)
		_ = g.Quad(y) + g.InverseQuad(y)
	}); n >= 1 {
		t.Errorf("%g allocations", n)
	}
}
