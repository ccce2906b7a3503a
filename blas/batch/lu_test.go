package batch

import (
	"errors"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/internal/asmtest"
	"github.com/gramworks/gram/internal/must"
)

// general returns elements of matrices that are hard in different ways: random, with rows or columns of different scale,
// nearly singular, and with equal pivots.
func general(r *rand.Rand, n int) func(q, i, j int) float64 {
	x, y := asmtest.Normal[float64](r, n), asmtest.Normal[float64](r, n)
	return func(q, i, j int) float64 {
		v := r.NormFloat64()
		switch q % 6 {
		case 1:
			return v * math.Pow(10, float64(300*i)/float64(n)-150)
		case 2:
			return v * math.Pow(10, float64(300*j)/float64(n)-150)
		case 3:
			return x[i]*y[j] + 1e-13*v
		case 4:
			return math.Copysign(1, v)
		case 5:
			return math.Copysign(1, v) * max(0, float64(1-max(i-j, j-i))) // ±1 on the diagonal
		}
		return v
	}
}

// An exact sum of products of float64 numbers.
func exact(terms ...[2]float64) float64 {
	sum := new(big.Float).SetPrec(3000)
	for _, t := range terms {
		p := new(big.Float).SetPrec(200).SetFloat64(t[0])
		sum.Add(sum, p.Mul(p, new(big.Float).SetPrec(200).SetFloat64(t[1])))
	}
	v, _ := sum.Float64()
	return v
}

// permuted returns the rows of matrix q of a in the order of the exchanges.
func permuted(pivots []int) []int {
	at := make([]int, len(pivots))
	for i := range at {
		at[i] = i
	}
	for j, p := range pivots {
		at[j], at[p] = at[p], at[j]
	}
	return at
}

// checkLU fails unless |P·A − L·U| ≤ n·2⁻⁵²·|L|·|U| and |L| ≤ 1, and returns |L|·|U| with the rows of A.
func checkLU(t *testing.T, a, f Matrices, pivots []int, q int) (size []float64) {
	t.Helper()
	n := a.Rows
	at := permuted(pivots[q*n:][:n])
	size = make([]float64, n*n)
	for i := range n {
		for j := range n {
			terms, scale := [][2]float64{{-1, a.element(q, at[i], j)}}, 0.
			for k := range min(i, j) + 1 {
				l := 1.
				if k < i {
					l = f.element(q, i, k)
				}
				if !(math.Abs(l) <= 1) {
					t.Fatalf("order %d, matrix %d: element %d,%d of L is %v", n, q, i, k, l)
				}
				terms = append(terms, [2]float64{l, f.element(q, k, j)})
				scale += math.Abs(l * f.element(q, k, j))
			}
			if e := exact(terms...); !(math.Abs(e) <= float64(n)*0x1p-52*scale+0x1p-1060) {
				t.Fatalf("order %d, matrix %d: element %d,%d of LU is off by %v of %v", n, q, i, j, e, scale)
			}
			size[at[i]*n+j] = scale
		}
	}
	return size
}

// L and U are factors of A with rows exchanged, X solves the systems, and the inverse is one, to what the factors allow.
func TestLU(t *testing.T) {
	forEachLevel(t, func(t *testing.T) {
		r := rand.New(rand.NewPCG(11, 12))
		for _, n := range orders {
			for _, count := range []int{1, 7, 8, 19} {
				a, canary := apart(r, count, n, n, general(r, n))
				f := a
				f.Data = canary.Slice()
				a.Data = slices.Clone(a.Data)
				pivots := make([]int, count*n)
				singular := LU(f, pivots)
				canary.Check(t)
				f.between(t)
				cols := 1 + r.IntN(5)
				b, canaryB := apart(r, count, n, cols, normal(r))
				x := b
				b.Data = slices.Clone(b.Data)
				inverse := New(count, n, n)
				copyMatrices(inverse, a)
				bad := named(Inverse(inverse))
				SolveLU(f, pivots, x)
				canaryB.Check(t)
				x.between(t)
				for q := range count {
					if named(singular)[q] {
						continue
					}
					size := checkLU(t, a, f, pivots, q)
					checkResidual(t, a, x, b.element, size, q)
					if !bad[q] {
						checkResidual(t, a, inverse, func(_, i, j int) float64 {
							if i == j {
								return 1
							}
							return 0
						}, size, q)
					}
				}
			}
		}
	})
}

// copyMatrices copies the elements of a.
func copyMatrices(to, a Matrices) {
	for q := range a.Count {
		for i := range a.Rows {
			copy(to.Data[q*to.Step+i*to.Stride:][:a.Cols], a.Data[q*a.Step+i*a.Stride:])
		}
	}
}

// named returns the matrices that an error names.
func named(err error) map[int]bool {
	all := map[int]bool{}
	var list Errors
	errors.As(err, &list)
	for _, e := range list {
		all[e.Matrix] = true
	}
	return all
}

// checkResidual fails unless |B − A·X| is at most 3n units of |L|·|U|·|X|.
func checkResidual(t *testing.T, a, x Matrices, b func(q, i, j int) float64, size []float64, q int) {
	t.Helper()
	n := a.Rows
	for i := range n {
		for j := range x.Cols {
			terms, scale := [][2]float64{{-1, b(q, i, j)}}, math.Abs(b(q, i, j))
			for k := range n {
				terms = append(terms, [2]float64{a.element(q, i, k), x.element(q, k, j)})
				scale += size[i*n+k] * math.Abs(x.element(q, k, j))
			}
			if e := exact(terms...); !(math.Abs(e) <= float64(3*n+4)*0x1p-52*scale) {
				t.Fatalf("order %d, matrix %d: the residual at %d,%d is %v of %v", n, q, i, j, e, scale)
			}
		}
	}
}

// The determinant of integers is exact to rounding, that of a permutation its sign, and scales that cancel do no harm.
func TestDet(t *testing.T) {
	forEachLevel(t, func(t *testing.T) {
		r := rand.New(rand.NewPCG(13, 14))
		for _, n := range orders {
			const count = 11
			a, det := New(count, n, n), make([]float64, count)
			want := make([]float64, count)
			for q := range count {
				want[q] = 1
				p := r.Perm(n)
				for i, j := range p {
					v := math.Ldexp(float64(1+r.IntN(3)), r.IntN(3)*900-900) // products of any size
					want[q] *= math.Copysign(1, v)
					a.Data[q*n*n+i*n+j] = v
					for k := range i {
						if p[k] > j {
							want[q] = -want[q]
						}
					}
				}
				exact := new(big.Float).SetFloat64(want[q])
				for i, j := range p {
					exact.Mul(exact, big.NewFloat(a.Data[q*n*n+i*n+j]))
				}
				want[q], _ = exact.Float64()
			}
			must.Do(t, Det(a, det))
			for q, v := range det {
				if !(math.Abs(v-want[q]) <= float64(n)*0x1p-52*math.Abs(want[q])) && v != want[q] {
					t.Fatalf("order %d, matrix %d: %v, want %v", n, q, v, want[q])
				}
			}
		}
		// Hadamard's matrix of order 16: 16⁸, and a matrix of rank one.
		h, det := New(2, 16, 16), make([]float64, 2)
		for i := range 16 {
			for j := range 16 {
				h.Data[i*16+j] = 1 - 2*float64((i&j&1)^(i&j>>1&1)^(i&j>>2&1)^(i&j>>3&1))
				h.Data[256+i*16+j] = float64((i + 1) * (j + 1))
			}
		}
		must.Do(t, Det(h, det))
		if math.Abs(det[0]) != 0x1p32 || det[1] != 0 {
			t.Errorf("%v, want 2³² and 0", det)
		}
	})
}

// The bits of factors, solutions, inverses and determinants are those of each matrix by itself.
func TestLUBitsOfOneAtATime(t *testing.T) {
	forEachLevel(t, func(t *testing.T) {
		r := rand.New(rand.NewPCG(15, 16))
		for _, n := range orders {
			const count = 21
			a, _ := apart(r, count, n, n, general(r, n))
			f, inverse, x, pivots, det := New(count, n, n), New(count, n, n), New(count, n, 2), make([]int, count*n), make([]float64, count)
			copyMatrices(f, a)
			copyMatrices(inverse, a)
			copy(x.Data, asmtest.Normal[float64](r, len(x.Data)))
			single, invert, one := slices.Clone(f.Data), slices.Clone(f.Data), slices.Clone(x.Data)
			bad, badInverse := named(LU(f, pivots)), named(Inverse(inverse))
			SolveLU(f, pivots, x)
			must.Do(t, Det(a, det))
			for q := range count {
				g, h := Matrices{1, n, n, n, n * n, single[q*n*n:][:n*n], nil}, Matrices{1, n, n, n, n * n, invert[q*n*n:][:n*n], nil}
				y, p, d := Matrices{1, n, 2, 2, 2 * n, one[q*2*n:][:2*n], nil}, make([]int, n), make([]float64, 1)
				if (LU(g, p) != nil) != bad[q] || (Inverse(h) != nil) != badInverse[q] {
					t.Fatalf("order %d, matrix %d: another error than by itself", n, q)
				}
				SolveLU(g, p, y)
				must.Do(t, Det(a.Slice(q, q+1), d))
				same := asmtest.SameBits[float64]
				if !slices.EqualFunc(g.Data, f.Data[q*n*n:][:n*n], same) || !slices.EqualFunc(h.Data, inverse.Data[q*n*n:][:n*n], same) ||
					!slices.EqualFunc(y.Data, x.Data[q*2*n:][:2*n], same) || !slices.Equal(p, pivots[q*n:][:n]) || !same(d[0], det[q]) {
					t.Fatalf("order %d, matrix %d: other results than by itself", n, q)
				}
			}
		}
	})
}

// Matrices that have no factors are named and left as they are, and the others have theirs.
func TestLUErrors(t *testing.T) {
	r := rand.New(rand.NewPCG(17, 18))
	a := New(11, 3, 3)
	copy(a.Data, asmtest.Normal[float64](r, len(a.Data)))
	copy(a.At(1).Data, []float64{1, 2, 3, 2, 4, 6, 1, 1, 1}) // pivot 2
	clear(a.At(4).Data[:9])                                  // pivot 0
	a.At(6).Data[5] = math.NaN()
	a.At(8).Data[6] = math.Inf(-1)
	copy(a.At(9).Data, []float64{1.5e308, 1.5e308, 0, 1.5e308, -1.5e308, 0, 0, 0, 1})
	f, pivots := a, make([]int, 33)
	f.Data = slices.Clone(a.Data)
	inverse := f
	inverse.Data = slices.Clone(a.Data)
	for name, err := range map[string]error{"LU": LU(f, pivots), "Inverse": Inverse(inverse)} {
		var all Errors
		if !errors.As(err, &all) || len(all) != 5 {
			t.Fatalf("%s: %v", name, err)
		}
		var data *gram.DataError
		var singular *SingularError
		for i, q := range []int{1, 4, 6, 8, 9} {
			right := all[i].Matrix == q
			switch q {
			case 1:
				right = right && errors.As(all[i], &singular) && singular.Pivot == 2
			case 4:
				right = right && errors.As(all[i], &singular) && singular.Pivot == 0
			case 6:
				right = right && errors.As(all[i], &data) && data.Row == 1 && data.Col == 2
			case 8:
				right = right && errors.As(all[i], &data) && data.Row == 2 && data.Col == 0
			case 9:
				right = right && errors.As(all[i], &data) && data.Row == -1
			}
			if !right {
				t.Errorf("%s: error %d is %v", name, i, all[i])
			}
			for _, m := range []Matrices{f, inverse} {
				if !slices.EqualFunc(m.At(q).Data[:9], a.At(q).Data[:9], asmtest.SameBits[float64]) {
					t.Errorf("%s: matrix %d has changed", name, q)
				}
			}
			if p := pivots[3*q:][:3]; !slices.Equal(p, []int{0, 1, 2}) {
				t.Errorf("matrix %d: pivots %v", q, p)
			}
		}
	}
	checkLU(t, a, f, pivots, 10)
	det := make([]float64, 11)
	if bad := named(Det(a, det)); len(bad) != 3 || det[1] != 0 || det[4] != 0 || !math.IsNaN(det[6]) || !math.IsNaN(det[8]) || !math.IsNaN(det[9]) {
		t.Errorf("determinants %v, errors of %v", det, bad)
	}
	tiny := Matrices{1, 1, 1, 1, 1, []float64{1e-310}, nil}
	var data *gram.DataError
	if err := Inverse(tiny); !errors.As(err, &data) || data.Row != 0 || tiny.Data[0] != 1e-310 {
		t.Errorf("an inverse that is too large: %v", err)
	}
	for name, call := range map[string]func(){
		"not square":      func() { _ = LU(New(1, 2, 3), pivots) },
		"short pivots":    func() { _ = LU(New(2, 3, 3), pivots[:5]) },
		"short pivots, b": func() { SolveLU(New(2, 3, 3), pivots[:5], New(2, 3, 1)) },
		"bad pivot":       func() { SolveLU(New(1, 2, 2), []int{0, 0}, New(1, 2, 1)) },
		"shapes":          func() { SolveLU(New(1, 2, 2), []int{0, 1}, New(1, 3, 1)) },
		"short det":       func() { _ = Det(New(2, 3, 3), det[:1]) },
	} {
		if s, is := must.Recovered(call).(string); !is || s[:7] != "batch: " {
			t.Errorf("%s: %q", name, s)
		}
	}
	if LU(New(0, 3, 3), nil) != nil || Inverse(New(2, 0, 0)) != nil || Det(New(1, 0, 0), det) != nil || det[0] != 1 {
		t.Error("an error for nothing")
	}
}
