package batch

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/asm/cpu"
	gramblas "github.com/gramworks/gram/blas"
	"github.com/gramworks/gram/internal/asmtest"
	"github.com/gramworks/gram/internal/must"
	"gonum.org/v1/gonum/blas"
)

// orders are the orders that are tested.
var orders = []int{1, 2, 3, 4, 5, 7, 8, 9, 16, 17, 32}

// apart returns count matrices whose rows and which themselves stand apart, with canaries, filled by element.
func apart(r *rand.Rand, count, rows, cols int, element func(q, i, j int) float64) (Matrices, *asmtest.Canary[float64]) {
	m := Matrices{Count: count, Rows: rows, Cols: cols, Stride: cols + r.IntN(3)}
	m.Step = rows*m.Stride + r.IntN(4)
	c := asmtest.NewCanary[float64]((count-1)*m.Step+(rows-1)*m.Stride+cols, 1, r.IntN(8))
	for i := range c.Slice() {
		c.Slice()[i] = math.Inf(1) // between the elements
	}
	m.Data = c.Slice()
	for q := range count {
		for i := range rows {
			for j := range cols {
				m.Data[q*m.Step+i*m.Stride+j] = element(q, i, j)
			}
		}
	}
	return m, c
}

func normal(r *rand.Rand) func(q, i, j int) float64 {
	return func(q, i, j int) float64 { return r.NormFloat64() }
}

// definite returns elements of positive definite matrices.
func definite(r *rand.Rand, n int) func(q, i, j int) float64 {
	x := map[int][]float64{}
	return func(q, i, j int) float64 {
		if x[q] == nil {
			x[q] = asmtest.Normal[float64](r, n*(n+2))
		}
		return dot(x[q][i*(n+2):][:n+2], x[q][j*(n+2):])
	}
}

func dot(x, y []float64) (s float64) {
	for i, v := range x {
		s += v * y[i]
	}
	return s
}

// element returns element (i, j) of matrix q.
func (m Matrices) element(q, i, j int) float64 { return m.Data[q*m.Step+i*m.Stride+j] }

// between fails if a number between the elements of m, which were infinite, has changed.
func (m Matrices) between(t *testing.T) {
	t.Helper()
	for i, v := range m.Data {
		if in := i % m.Step; m.Count > 1 && (in/m.Stride >= m.Rows || in%m.Stride >= m.Cols) && !math.IsInf(v, 1) {
			t.Fatalf("number %d is between the elements and was written", i)
		}
	}
}

func forEachLevel(t *testing.T, body func(t *testing.T)) {
	asmtest.ForEachLevel(t, cpu.Levels()[1:], body)
}

// Products have the bits of those of the backend, one by one.
func TestMul(t *testing.T) {
	forEachLevel(t, func(t *testing.T) {
		r := rand.New(rand.NewPCG(1, 2))
		for range 150 {
			m, n, k, count := 1+r.IntN(MaxOrder), 1+r.IntN(MaxOrder), 1+r.IntN(MaxOrder), 1+r.IntN(40)
			if r.IntN(2) == 0 {
				m, n, k = 1+r.IntN(8), 1+r.IntN(8), 1+r.IntN(8)
			}
			tA, tB := []blas.Transpose{blas.NoTrans, blas.Trans}[r.IntN(2)], []blas.Transpose{blas.NoTrans, blas.ConjTrans}[r.IntN(2)]
			alpha, beta := []float64{1, -.5, 0}[r.IntN(3)], []float64{0, 1, 2}[r.IntN(3)]
			ar, ac, br, bc := m, k, k, n
			if tA != blas.NoTrans {
				ar, ac = ac, ar
			}
			if tB != blas.NoTrans {
				br, bc = bc, br
			}
			a, _ := apart(r, count, ar, ac, normal(r))
			b, _ := apart(r, count, br, bc, normal(r))
			if r.IntN(4) == 0 {
				b.Step = 0 // the same for all
			}
			c, canary := apart(r, count, m, n, normal(r))
			want := slices.Clone(c.Data)
			for q := range count {
				gramblas.Native.Float64().Dgemm(tA, tB, m, n, k, alpha, a.Data[q*a.Step:], a.Stride, b.Data[q*b.Step:], b.Stride, beta, want[q*c.Step:], c.Stride)
			}
			Mul(tA, tB, alpha, a, b, beta, c)
			if !slices.Equal(c.Data, want) {
				t.Fatalf("%d products %c%c %d×%d over %d, alpha %v, beta %v: not the bits of Dgemm", count, tA, tB, m, n, k, alpha, beta)
			}
			canary.Check(t)
			c.between(t)
		}
	})
}

// UᵀU is A to a few units in the last place of the products of its diagonal, X solves the systems to a residual of
// such a size, and no other triangle is touched.
func TestCholeskyAndSolve(t *testing.T) {
	forEachLevel(t, func(t *testing.T) {
		r := rand.New(rand.NewPCG(3, 4))
		for _, n := range orders {
			for _, count := range []int{1, 7, 8, 19} {
				a, canary := apart(r, count, n, n, definite(r, n))
				u := a
				u.Data = canary.Slice()
				a.Data = slices.Clone(a.Data)
				must.Do(t, Cholesky(u))
				canary.Check(t)
				u.between(t)
				cols := 1 + r.IntN(7)
				b, canaryB := apart(r, count, n, cols, normal(r))
				x := b
				b.Data = slices.Clone(b.Data)
				Solve(u, x)
				canaryB.Check(t)
				x.between(t)
				for q := range count {
					checkFactor(t, a, u, q)
					checkSolution(t, a, x, b, q)
				}
			}
		}
	})
}

func checkFactor(t *testing.T, a, u Matrices, q int) {
	t.Helper()
	n := a.Rows
	for i := range n {
		for j := range n {
			if j < i {
				if u.element(q, i, j) != a.element(q, i, j) {
					t.Fatalf("matrix %d: element %d,%d of the lower triangle has changed", q, i, j)
				}
				continue
			}
			sum := 0.
			for k := range i + 1 {
				sum += u.element(q, k, i) * u.element(q, k, j)
			}
			scale := math.Sqrt(a.element(q, i, i) * a.element(q, j, j))
			if e := sum - a.element(q, i, j); !(math.Abs(e) <= float64(n+4)*0x1p-52*scale) {
				t.Fatalf("matrix %d of order %d: element %d,%d of UᵀU is off by %v of %v", q, n, i, j, e, scale)
			}
		}
	}
}

func checkSolution(t *testing.T, a, x, b Matrices, q int) {
	t.Helper()
	n := a.Rows
	for i := range n {
		for j := range b.Cols {
			sum, scale := 0., 0.
			for k := range n {
				p := a.element(q, i, k) * x.element(q, k, j)
				sum += p
				// |U|ᵀ|U||x| bounds the error; its elements are at most the roots of products of the diagonal.
				scale += math.Sqrt(a.element(q, i, i)*a.element(q, k, k)) * math.Abs(x.element(q, k, j))
			}
			if e := sum - b.element(q, i, j); !(math.Abs(e) <= float64(3*n+8)*0x1p-52*(scale+math.Abs(b.element(q, i, j)))) {
				t.Fatalf("matrix %d of order %d: residual %v at %d,%d, scale %v", q, n, e, i, j, scale)
			}
		}
	}
}

// The bits for a matrix depend neither on the others nor on its place.
func TestBitsOfOneAtATime(t *testing.T) {
	forEachLevel(t, func(t *testing.T) {
		r := rand.New(rand.NewPCG(5, 6))
		for _, n := range orders {
			const count = 21
			a, _ := apart(r, count, n, n, definite(r, n))
			for q := 1; q < count; q += 3 { // others take more and fewer sweeps
				for i := range n {
					for j := range n {
						if i != j {
							a.Data[q*a.Step+i*a.Stride+j] *= math.Ldexp(1, -5*q)
						}
					}
				}
			}
			values, vectors := make([]float64, count*n), New(count, n, n)
			must.Do(t, EigenSym(a, values, vectors))
			u, x := New(count, n, n), New(count, n, 2)
			for q := range count {
				for i := range n {
					copy(u.Data[q*u.Step+i*n:][:n], a.Data[q*a.Step+i*a.Stride:])
					x.Data[q*x.Step+2*i] = float64(i + 1)
				}
			}
			single, one := slices.Clone(u.Data), slices.Clone(x.Data)
			must.Do(t, Cholesky(u))
			Solve(u, x)
			for q := range count {
				v, w := make([]float64, n), New(1, n, n)
				must.Do(t, EigenSym(a.Slice(q, q+1), v, w))
				if !slices.EqualFunc(v, values[q*n:][:n], asmtest.SameBits[float64]) || !slices.EqualFunc(w.Data, vectors.Data[q*n*n:][:n*n], asmtest.SameBits[float64]) {
					t.Fatalf("order %d, matrix %d: other eigenpairs than by itself", n, q)
				}
				f := Matrices{1, n, n, n, n * n, single[q*n*n:][:n*n], nil}
				y := Matrices{1, n, 2, 2, 2 * n, one[q*2*n:][:2*n], nil}
				must.Do(t, Cholesky(f))
				Solve(f, y)
				if !slices.Equal(f.Data, u.Data[q*n*n:][:n*n]) || !slices.Equal(y.Data, x.Data[q*2*n:][:2*n]) {
					t.Fatalf("order %d, matrix %d: other factors or solutions than by itself", n, q)
				}
			}
		}
	})
}

// Matrices that have no result are named and left as they are, and the others have theirs.
func TestErrors(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	a, _ := apart(r, 11, 3, 3, definite(r, 3))
	a.Data[2*a.Step+a.Stride+2] = math.NaN() // matrix 2, element 1,2
	a.Data[5*a.Step+a.Stride+1] = -1         // matrix 5, pivot 1
	a.Data[9*a.Step] = math.Inf(1)           // matrix 9, element 0,0
	u := a
	u.Data = slices.Clone(a.Data)
	err := Cholesky(u)
	var all Errors
	if !errors.As(err, &all) || len(all) != 3 || all[0].Matrix != 2 || all[1].Matrix != 5 || all[2].Matrix != 9 {
		t.Fatalf("%v", err)
	}
	var data *gram.DataError
	if !errors.As(all[0], &data) || data.Row != 1 || data.Col != 2 || !errors.As(all[2], &data) || data.Row != 0 || data.Col != 0 {
		t.Errorf("%v, %v", all[0], all[2])
	}
	var pivot *gram.NotPDError
	if !errors.As(err, &pivot) || pivot.Pivot != 1 || !strings.Contains(err.Error(), "matrix 2") || !strings.Contains(err.Error(), "2 more") {
		t.Errorf("%v", err)
	}
	for q := range a.Count {
		if q != 2 && q != 5 && q != 9 {
			checkFactor(t, a, u, q)
			continue
		}
		if !slices.EqualFunc(u.At(q).Data[:8], a.At(q).Data[:8], asmtest.SameBits[float64]) {
			t.Errorf("matrix %d has changed", q)
		}
	}
	values, vectors := make([]float64, 33), New(11, 3, 3)
	err = EigenSym(a, values, vectors)
	if !errors.As(err, &all) || len(all) != 2 || all[0].Matrix != 2 || all[1].Matrix != 9 || !errors.As(all[1], &data) || data.Row != 0 {
		t.Fatalf("%v", err)
	}
	for q := range a.Count {
		if missing := q == 2 || q == 9; missing != math.IsNaN(values[3*q]) || missing != (vectors.Data[9*q] == 0) {
			t.Errorf("matrix %d: values %v, vectors %v", q, values[3*q:][:3], vectors.Data[9*q:][:9])
		}
	}
	huge := Matrices{1, 2, 2, 2, 4, []float64{1.5e308, 1.5e308, 0, 1.5e308}, nil}
	if err := EigenSym(huge, values, Matrices{}); !errors.As(err, &data) || data.Row != -1 || !math.IsNaN(values[1]) {
		t.Errorf("an eigenvalue beyond the numbers: %v", err)
	}
}

func TestPanics(t *testing.T) {
	a, b, values := New(2, 3, 3), New(2, 3, 2), make([]float64, 6)
	short, overlapping, flat := a, a, a
	short.Data = a.Data[:17]
	overlapping.Step = 8
	flat.Stride = 2
	for name, call := range map[string]func(){
		"negative":          func() { New(-1, 2, 2) },
		"too large":         func() { New(1, 2, MaxOrder+1) },
		"no such matrix":    func() { a.At(2) },
		"no such matrices":  func() { a.Slice(1, 3) },
		"short":             func() { _ = Cholesky(short) },
		"overlapping":       func() { _ = Cholesky(overlapping) },
		"stride":            func() { _ = Cholesky(flat) },
		"not square":        func() { _ = Cholesky(b) },
		"transpose":         func() { Mul('X', blas.NoTrans, 1, a, a, 0, New(2, 3, 3)) },
		"shapes of Mul":     func() { Mul(blas.NoTrans, blas.Trans, 1, a, b, 0, New(2, 3, 3)) },
		"counts of Mul":     func() { Mul(blas.NoTrans, blas.NoTrans, 1, a, a, 0, New(3, 3, 3)) },
		"shapes of Solve":   func() { Solve(a, New(2, 2, 2)) },
		"counts of Solve":   func() { Solve(a, New(3, 3, 2)) },
		"values":            func() { _ = EigenSym(a, values[:5], Matrices{}) },
		"shapes of vectors": func() { _ = EigenSym(a, values, b) },
	} {
		if s, is := must.Recovered(call).(string); !is || !strings.HasPrefix(s, "batch: ") {
			t.Errorf("%s: %q", name, s)
		}
	}
	// Nothing to do is no error.
	none := New(0, 3, 3)
	Mul(blas.NoTrans, blas.NoTrans, 1, none, none, 0, none)
	Solve(none, none)
	if Cholesky(none) != nil || EigenSym(none, nil, none) != nil || Cholesky(New(2, 0, 0)) != nil {
		t.Error("an error for nothing")
	}
	Mul(blas.NoTrans, blas.NoTrans, 1, Matrices{Count: 2, Cols: 3}, a, 0, Matrices{Count: 2, Cols: 3}) // without rows no stride is needed
}
