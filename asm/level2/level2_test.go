package level2

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/gramworks/gram/internal/asmtest"
	"github.com/gramworks/gram/internal/must"
	"github.com/gramworks/gram/internal/race"
	"github.com/gramworks/gram/num"
)

// routines holds the functions for one type.
type routines[F num.Float] struct {
	dot   func(x, y []F) F
	axpy  func(alpha F, x, y []F)
	scale func(alpha F, x []F)
	ger   func(a []F, lda int, x, y []F, alpha F)
	gemvN func(y, a []F, lda int, x []F, alpha F)
	gemvT func(y, a []F, lda int, x []F, alpha F)
}

var (
	of64 = all[float64]()
	of32 = all[float32]()
)

func all[F num.Float]() routines[F] {
	return routines[F]{Dot[F], Axpy[F], Scale[F], Ger[F], GemvN[F], GemvT[F]}
}

// sum is the oracle: Σ aᵢ·bᵢ in twice the digits of float64 by error-free
// products and sums, and the sum of the absolute values.
func sum[F num.Float](a, b []F) (value, abs float64) {
	lo := 0.
	for i := range a {
		x, y := float64(a[i]), float64(b[i])
		p := x * y
		e := math.FMA(x, y, -p)
		s := value + p
		t := s - value
		lo += (value - (s - t)) + (p - t) + e
		value = s
		abs += math.Abs(p)
	}
	return value + lo, abs
}

// within reports whether got is a sum of n terms of the class: an error of at
// most n+3 roundings of Σ|aᵢbᵢ|.
func within[F num.Float](got F, want, abs float64, n int) bool {
	return math.Abs(float64(got)-want) <= float64(n+3)*asmtest.Epsilon[F]()/2*abs
}

func vectorLengths() []int {
	if testing.Short() {
		return asmtest.Lengths(16, 64)
	}
	return asmtest.Lengths(64, maxColumns, maxElements)
}

func TestVectors(t *testing.T) {
	asmtest.ForEachLevel(t, levels, func(t *testing.T) {
		checkVectors(t, of64)
		checkVectors(t, of32)
	})
}

func checkVectors[F num.Float](t *testing.T, f routines[F]) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, n := range vectorLengths() {
		x, y := asmtest.Normal[F](r, n), asmtest.Normal[F](r, n)
		alpha := F(r.NormFloat64())
		want, abs := sum(x, y)
		ref := f.dot(x, y)
		refAxpy := slices.Clone(y)
		f.axpy(alpha, x, refAxpy)
		for i := range y {
			w, a := sum([]F{alpha, 1}, []F{x[i], y[i]})
			if !within(refAxpy[i], w, a, 0) {
				t.Fatalf("axpy, n = %d: element %d is %v, want %v", n, i, refAxpy[i], w)
			}
		}
		check := func(what string, xs, ys []F) {
			t.Helper()
			if got := f.dot(xs, ys); !within(got, want, abs, n) || !asmtest.SameBits(got, ref) {
				t.Fatalf("dot, n = %d, %s: %v, want %v, elsewhere %v", n, what, got, want, ref)
			}
			f.axpy(alpha, xs, ys)
			for i, v := range ys {
				if !asmtest.SameBits(v, refAxpy[i]) {
					t.Fatalf("axpy, n = %d, %s: element %d is %v, elsewhere %v", n, what, i, v, refAxpy[i])
				}
			}
			f.scale(alpha, xs)
			for i, v := range xs {
				if !asmtest.SameBits(v, x[i]*alpha) {
					t.Fatalf("scale, n = %d, %s: element %d is %v, want %v", n, what, i, v, x[i]*alpha)
				}
			}
		}
		for o := range 8 {
			for _, p := range []int{0, o} {
				cx, cy := asmtest.NewCanary[F](n, 1, o), asmtest.NewCanary[F](n, 1, p)
				cx.Set(x)
				cy.Set(y)
				check(fmt.Sprint("offsets ", o, p), cx.Slice(), cy.Slice())
				cx.Check(t)
				cy.Check(t)
			}
		}
		asmtest.Guarded(t, n, func(xs []F) {
			asmtest.Guarded(t, n, func(ys []F) {
				copy(xs, x)
				copy(ys, y)
				check("guarded", xs, ys)
			})
		})
	}
}

func TestMatrices(t *testing.T) {
	asmtest.ForEachLevel(t, levels, func(t *testing.T) {
		checkMatrices(t, of64)
		checkMatrices(t, of32)
	})
}

// matrix is an m×n matrix between canaries, with canaries also in the gaps
// between its rows.
type matrix[F num.Float] struct {
	all       *asmtest.Canary[F]
	m, n, lda int
	before    []F
	rows      [][]F
}

func newMatrix[F num.Float](a []F, m, n, lda, offset int) *matrix[F] {
	size := 0
	if m > 0 && n > 0 {
		size = (m-1)*lda + n
	}
	x := &matrix[F]{all: asmtest.NewCanary[F](size, 1, offset), m: m, n: n, lda: lda}
	if size == 0 {
		return x
	}
	s := x.all.Slice()
	for i := range m {
		copy(s[i*lda:i*lda+n], a[i*n:])
		x.rows = append(x.rows, s[i*lda:i*lda+n])
	}
	x.before = slices.Clone(s)
	return x
}

// check checks that nothing around the elements has changed, nor the elements
// themselves unless written is true.
func (x *matrix[F]) check(t *testing.T, written bool) {
	t.Helper()
	x.all.Check(t)
	for i, v := range x.all.Slice() {
		if (i%x.lda >= x.n || !written) && !asmtest.SameBits(v, x.before[i]) {
			t.Fatalf("element %d of row %d, of %d, was written", i%x.lda, i/x.lda, x.n)
		}
	}
}

func checkMatrices[F num.Float](t *testing.T, f routines[F]) {
	r := rand.New(rand.NewPCG(5, 6))
	type shape struct{ m, n int }
	var shapes []shape
	rows, columns := []int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}, []int{0, 1, 2, 3, 7, 8, 9, 15, 16, 17, 24, 31, 33, 40, 48, 63, 64, 65, 100}
	if testing.Short() {
		rows, columns = []int{0, 1, 3, 4, 5, 9}, []int{0, 1, 7, 8, 17, 33, 40, 65}
	}
	for _, m := range rows {
		for _, n := range columns {
			shapes = append(shapes, shape{m, n})
		}
	}
	shapes = append(shapes, shape{100, 5}, shape{37, 130})
	if !testing.Short() {
		shapes = append(shapes, shape{6, maxColumns + 3}, shape{5, maxColumns + 1}, shape{maxElements/8 + 5, 8}, shape{1, 3 * maxColumns})
	}
	for _, s := range shapes {
		for o := range 3 {
			m, n, lda := s.m, s.n, max(s.n, 1)+o
			a, x, y := asmtest.Normal[F](r, m*n), asmtest.Normal[F](r, n), asmtest.Normal[F](r, m)
			alpha := F(r.NormFloat64())
			name := fmt.Sprintf("%d×%d, lda %d, alpha %v", m, n, lda, alpha)

			am := newMatrix(a, m, n, lda, o+s.n%8)
			cx, cy := asmtest.NewCanary[F](n, 1, s.m%8), asmtest.NewCanary[F](m, 1, o)
			cx.Set(x)
			cy.Set(y)
			f.gemvN(cy.Slice(), am.all.Slice(), lda, cx.Slice(), alpha)
			am.check(t, false)
			cx.Check(t)
			cy.Check(t)
			for i, got := range cy.Get() {
				want, abs := sum(a[i*n:(i+1)*n], x)
				want, abs = float64(alpha)*want+float64(y[i]), math.Abs(float64(alpha))*abs+math.Abs(float64(y[i]))
				if !within(got, want, abs, n+1) {
					t.Fatalf("gemvN, %s: row %d is %v, want %v", name, i, got, want)
				}
				alone := []F{y[i]}
				f.gemvN(alone, append([]F(nil), am.rowsOrNil(i)...), max(n, 1), x, alpha)
				if !asmtest.SameBits(alone[0], got) {
					t.Fatalf("gemvN, %s: row %d is %v, alone %v", name, i, got, alone[0])
				}
			}

			cx.Set(x)
			cy.Set(y)
			f.gemvT(cx.Slice(), am.all.Slice(), lda, cy.Slice(), alpha)
			am.check(t, false)
			cx.Check(t)
			cy.Check(t)
			column := make([]F, m)
			for j, got := range cx.Get() {
				for i := range column {
					column[i] = a[i*n+j]
				}
				want, abs := sum(column, y)
				want, abs = float64(alpha)*want+float64(x[j]), math.Abs(float64(alpha))*abs+math.Abs(float64(x[j]))
				if !within(got, want, abs, 2*m+1) {
					t.Fatalf("gemvT, %s: column %d is %v, want %v", name, j, got, want)
				}
			}

			cx.Set(x)
			cy.Set(y)
			f.ger(am.all.Slice(), lda, cy.Slice(), cx.Slice(), alpha)
			am.check(t, true)
			cx.Check(t)
			cy.Check(t)
			for i := range m {
				for j := range n {
					p := float64(alpha) * float64(y[i]) * float64(x[j])
					if got := am.rows[i][j]; !within(got, p+float64(a[i*n+j]), math.Abs(p)+math.Abs(float64(a[i*n+j])), 1) {
						t.Fatalf("ger, %s: element %d, %d is %v", name, i, j, got)
					}
				}
			}
		}
	}
	for _, s := range []shape{{1, 1}, {3, 5}, {4, 8}, {5, 16}, {9, 37}} {
		lda := s.n + 3
		asmtest.Guarded(t, (s.m-1)*lda+s.n, func(a []F) {
			asmtest.Guarded(t, s.n, func(x []F) {
				asmtest.Guarded(t, s.m, func(y []F) {
					f.gemvN(y, a, lda, x, 2)
					f.gemvT(x, a, lda, y, 2)
					f.ger(a, lda, y, x, 2)
				})
			})
		})
	}
}

func (x *matrix[F]) rowsOrNil(i int) []F {
	if len(x.rows) == 0 {
		return nil
	}
	return x.rows[i]
}

// TestPropagation puts a NaN or an infinity in every place, multiplied by
// zeros.
func TestPropagation(t *testing.T) {
	asmtest.ForEachLevel(t, levels, func(t *testing.T) {
		checkPropagation(t, of64)
		checkPropagation(t, of32)
	})
}

func checkPropagation[F num.Float](t *testing.T, f routines[F]) {
	bad := []F{F(math.NaN()), F(math.Inf(1)), F(math.Inf(-1))}
	isNaN := func(v F) bool { return v != v }
	for _, n := range []int{1, 5, 8, 23, 37} {
		for at := range n {
			for _, v := range bad {
				x, y, zero := make([]F, n), make([]F, n), make([]F, n)
				x[at] = v
				if got := f.dot(x, zero); !isNaN(got) {
					t.Fatalf("dot with %v·0 is %v", v, got)
				}
				if got := f.dot(zero, x); !isNaN(got) {
					t.Fatalf("dot with 0·%v is %v", v, got)
				}
				f.axpy(0, x, y)
				for i, got := range y {
					if isNaN(got) != (i == at) {
						t.Fatalf("axpy with 0·%v at %d: element %d is %v", v, at, i, got)
					}
				}
				f.scale(0, x)
				if !isNaN(x[at]) {
					t.Fatalf("0·%v is %v", v, x[at])
				}
				const m = 6
				for row := range m {
					a := make([]F, m*n)
					a[row*n+at] = v
					out := make([]F, m)
					f.gemvN(out, a, n, zero, 1)
					for i, got := range out {
						if isNaN(got) != (i == row) {
							t.Fatalf("gemvN with %v·0 in row %d: row %d is %v", v, row, i, got)
						}
					}
					col := make([]F, n)
					f.gemvT(col, a, n, make([]F, m), 1)
					for j, got := range col {
						if isNaN(got) != (j == at) {
							t.Fatalf("gemvT with %v·0 in column %d: column %d is %v", v, at, j, got)
						}
					}
					y := make([]F, m)
					y[row] = v
					a = make([]F, m*n)
					f.ger(a, n, y, zero, 1)
					for i, got := range a {
						if isNaN(got) != (i/n == row) {
							t.Fatalf("ger with %v·0 in row %d: element %d is %v", v, row, i, got)
						}
					}
				}
			}
		}
	}
}

func TestPanics(t *testing.T) {
	x := make([]float64, 10)
	for want, call := range map[string]func(){
		"level2: lengths differ":                              func() { Dot(x, x[1:]) },
		"level2: lengths differ ":                             func() { Axpy(1, x, x[1:]) },
		"level2: row distance is below the number of columns": func() { Ger(x, 2, x[:2], x[:3], 1) },
		"level2: matrix is too short":                         func() { GemvN(x[:3], x, 4, x[:3], 1) },
		"level2: matrix is too short ":                        func() { GemvT(x[:3], x, 4, x[:3], 1) },
	} {
		if r := must.Recovered(call); r == nil || fmt.Sprint(r) != strings.TrimSpace(want) {
			t.Errorf("panic %v, want %q", r, want)
		}
	}
}

func TestAllocs(t *testing.T) {
	if race.Enabled {
		t.Skip("what the detector is told of lies on the heap")
	}
	asmtest.ForEachLevel(t, levels, func(t *testing.T) {
		a := make([]float64, 400)
		if n := testing.AllocsPerRun(5, func() {
			var onStack [40]float64
			x, y := onStack[:20], onStack[20:]
			Dot(x, y)
			Axpy(1, x, y)
			Scale(1, x)
			Ger(a, 20, x, y, 1)
			GemvN(y, a, 20, x, 1)
			GemvT(y, a, 20, x, 1)
			Symv4(a, 20, x, y, (*[4]float64)(x))
		}); n != 0 {
			t.Errorf("%v allocations", n)
		}
	})
}
