package small

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/fnv"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/internal/asmtest"
	"github.com/gramworks/gram/internal/must"
)

// bound is that of all relative errors here.
const bound = 0x1p-48

func num(v float64) *big.Float { return new(big.Float).SetPrec(3000).SetFloat64(v) }

// sum returns Σ x·y, summed exactly.
func sum(terms ...[2]float64) float64 {
	s := num(0)
	for _, t := range terms {
		s.Add(s, num(0).Mul(num(t[0]), num(t[1])))
	}
	f, _ := s.Float64()
	return f
}

// symmetric returns symmetric matrices that are hard. relative says that small eigenvalues are determined, too.
func symmetric(r *rand.Rand) (all []square, relative []bool) {
	add := func(rel bool, f func(i, j int) float64) {
		var a square
		for i := range maxOrder {
			for j := i; j < maxOrder; j++ {
				a[i][j] = f(i, j)
				a[j][i] = a[i][j]
			}
		}
		all, relative = append(all, a), append(relative, rel)
	}
	grade := func(i, j int) float64 { return map[bool]float64{true: 1, false: .25}[i == j] }
	for _, scale := range []float64{1, 1e150, 1e-150} {
		for range 40 {
			add(false, func(i, j int) float64 { return scale * r.NormFloat64() })
			add(false, func(i, j int) float64 { return scale * float64(r.IntN(3)-1) })
		}
		add(false, func(i, j int) float64 { return scale })
		add(true, func(i, j int) float64 { return map[bool]float64{true: scale}[i == j] })
		add(false, func(i, j int) float64 { return map[bool]float64{true: scale, false: scale * 1e-16}[i == j] })
	}
	add(true, func(i, j int) float64 { return 0 })
	for _, step := range []int{30, -30, 120} {
		add(true, func(i, j int) float64 { return math.Ldexp(grade(i, j), step*(i+j)) })
		add(true, func(i, j int) float64 { return math.Ldexp(grade(i, j), step*((3*i)%4-2+(3*j)%4-2)) })
	}
	return all, relative
}

func checkOrthogonal(t *testing.T, n int, v *square, what string, a square) {
	t.Helper()
	for i := range n {
		for j := range n {
			terms := [][2]float64{{map[bool]float64{true: -1}[i == j], 1}}
			for k := range n {
				terms = append(terms, [2]float64{v[k][i], v[k][j]})
			}
			if e := sum(terms...); !(math.Abs(e) <= bound) {
				t.Fatalf("%v of order %d: columns %d and %d of %s are off by %v: %v", a, n, i, j, what, e, v)
			}
		}
	}
}

func TestEigenSym(t *testing.T) {
	all, relative := symmetric(rand.New(rand.NewPCG(1, 2)))
	for c, a := range all {
		for n := 2; n <= maxOrder; n++ {
			w, v := must.Have2(eigenSym(n, a))(t)
			checkOrthogonal(t, n, &v, "v", a)
			size := max(math.Abs(w[0]), math.Abs(w[n-1]))
			for j := range n {
				for i := range n {
					terms := [][2]float64{{-w[j], v[i][j]}}
					for k := range n {
						terms = append(terms, [2]float64{a[i][k], v[k][j]})
					}
					if e := sum(terms...); !(math.Abs(e) <= bound*size) {
						t.Fatalf("%v of order %d: residual %v of %v", a, n, e, w)
					}
				}
			}
			for i, want := range asmtest.Eigenvalues(n, func(i, j int) float64 { return a[i][j] }) {
				e, _ := num(0).Sub(want, num(w[i])).Float64()
				scale := size
				if relative[c] {
					scale, _ = num(0).Abs(want).Float64()
				}
				if !(math.Abs(e) <= bound*scale+5e-324) {
					t.Fatalf("%v of order %d: eigenvalue %v is off by %v", a, n, w[i], e)
				}
			}
		}
	}
}

// general returns matrices whose singular values and systems are hard. conditioned says that scales of rows and
// columns apart, the condition number is below 10¹², so that solutions are right.
func general(r *rand.Rand) (all []square, conditioned []bool) {
	add := func(c bool, f func(i, j int) float64) {
		var a square
		for i := range maxOrder {
			for j := range maxOrder {
				a[i][j] = f(i, j)
			}
		}
		all, conditioned = append(all, a), append(conditioned, c)
	}
	for _, scale := range []float64{1, 1e150, 1e-150} {
		for range 30 {
			add(true, func(i, j int) float64 { return scale * r.NormFloat64() })
			add(false, func(i, j int) float64 { return scale * float64(r.IntN(3)-1) })
		}
		add(false, func(i, j int) float64 { return scale })
		add(false, func(i, j int) float64 { return map[bool]float64{true: scale}[i == 1 && j == 2] })
		add(false, func(i, j int) float64 { return scale * (1 + 1e-16*float64(i*j)) })
	}
	for range 30 { // rows and columns of different scale
		rows, cols := [maxOrder]int{}, [maxOrder]int{}
		for i := range rows {
			rows[i], cols[i] = r.IntN(400)-200, r.IntN(400)-200
		}
		add(true, func(i, j int) float64 {
			return math.Ldexp(2*map[bool]float64{true: 3}[i == j]+r.NormFloat64(), rows[i]+cols[j])
		})
		add(true, func(i, j int) float64 { return math.Ldexp(r.NormFloat64(), cols[j]) })
	}
	add(true, func(i, j int) float64 { return 1 / float64(i+j+1) })  // D. Hilbert
	add(true, func(i, j int) float64 { return 1 / float64(i+j+50) }) // of order four its condition number is 6·10¹⁰: one refinement is too few
	add(false, func(i, j int) float64 { return 0 })
	return all, conditioned
}

func TestSVD(t *testing.T) {
	all, _ := general(rand.New(rand.NewPCG(3, 4)))
	for _, a := range all {
		for n := 2; n <= maxOrder; n++ {
			u, s, v, err := svd(n, a)
			if err != nil {
				t.Fatal(err)
			}
			checkOrthogonal(t, n, &u, "u", a)
			checkOrthogonal(t, n, &v, "v", a)
			for j := range n {
				if !(s[j] >= 0) || j > 0 && s[j] > s[j-1] {
					t.Fatalf("%v: singular values %v", a, s)
				}
				for i := range n { // A·v = s·u
					terms := [][2]float64{{-s[j], u[i][j]}}
					for k := range n {
						terms = append(terms, [2]float64{a[i][k], v[k][j]})
					}
					if e := sum(terms...); !(math.Abs(e) <= bound*s[0]) {
						t.Fatalf("%v of order %d: residual %v, singular values %v", a, n, e, s)
					}
				}
			}
		}
	}
	// Columns of different scale, whose small singular values are determined: those of B·D for orthogonal
	// columns of B are the norms.
	b := square{{1, 1, 1, 1}, {1, -1, 1, -1}, {1, 1, -1, -1}, {1, -1, -1, 1}}
	for i := range b {
		for j := range b {
			b[i][j] = math.Ldexp(b[i][j], []int{-300, 0, 100, -77}[j])
		}
	}
	if _, s, _, _ := svd(4, b); s != [4]float64{0x1p101, 2, 0x1p-76, 0x1p-299} {
		t.Error(s)
	}
}

// exactly solves a system in rational numbers; nil if it is singular.
func exactly(n int, a square, b [maxOrder]float64) []*big.Rat {
	rat := func(v float64) *big.Rat { return new(big.Rat).SetFloat64(v) }
	var m [maxOrder][maxOrder + 1]*big.Rat
	for i := range n {
		for j := range n {
			m[i][j] = rat(a[i][j])
		}
		m[i][n] = rat(b[i])
	}
	for p := range n {
		pivot := p
		for pivot < n && m[pivot][p].Sign() == 0 {
			pivot++
		}
		if pivot == n {
			return nil
		}
		m[p], m[pivot] = m[pivot], m[p]
		for i := range n {
			if i == p {
				continue
			}
			by := new(big.Rat).Quo(m[i][p], m[p][p])
			for j := p; j <= n; j++ {
				m[i][j] = new(big.Rat).Sub(m[i][j], new(big.Rat).Mul(by, m[p][j]))
			}
		}
	}
	x := make([]*big.Rat, n)
	for i := range x {
		x[i] = new(big.Rat).Quo(m[i][n], m[i][i])
	}
	return x
}

func TestSolve(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	all, conditioned := general(r)
	for c, a := range all {
		for n := 2; n <= maxOrder; n++ {
			var b [maxOrder]float64
			for i := range n {
				row := 0.
				for _, v := range a[i][:n] {
					row = max(row, math.Abs(v))
				}
				b[i] = row * r.NormFloat64()
			}
			f, err := factor(n, a)
			want := exactly(n, a, b)
			if want == nil {
				if err == nil && conditioned[c] {
					t.Fatalf("%v: no error for a singular matrix", a)
				}
				continue
			}
			if err != nil {
				t.Fatalf("%v of order %d: %v", a, n, err)
			}
			if !conditioned[c] {
				continue
			}
			x := f.solve(b)
			size := 0. // of the scaled solution
			for j := range n {
				v, _ := want[j].Float64()
				size = max(size, math.Abs(math.Ldexp(v, -f.cols[j])))
			}
			for j := range n {
				diff, _ := new(big.Rat).Sub(want[j], new(big.Rat).SetFloat64(x[j])).Float64()
				if e := math.Abs(math.Ldexp(diff, -f.cols[j])); !(e <= 2*0x1p-53*size) {
					v, _ := want[j].Float64()
					t.Fatalf("%v of order %d: x[%d] is %v, want %v", a, n, j, x[j], v)
				}
			}
		}
	}
}

func TestInverse(t *testing.T) {
	x, err := Inverse3([3][3]float64{{1, 2, 0}, {0, 1, 1e200}, {0, 0, 1}})
	if err != nil || x != [3][3]float64{{1, -2, 2e200}, {0, 1, -1e200}, {0, 0, 1}} {
		t.Error(x, err)
	}
	y := must.Have(Inverse4([4][4]float64{{16, -120, 240, -140}, {-120, 1200, -2700, 1680}, {240, -2700, 6480, -4200}, {-140, 1680, -4200, 2800}}))(t)
	for i := range 4 {
		for j := range 4 {
			if y[i][j] != 1/float64(i+j+1) {
				t.Errorf("element %d,%d of Hilbert's matrix is %v", i, j, y[i][j])
			}
		}
	}
}

// The results are the same bits everywhere: never change without a reason.
func TestBits(t *testing.T) {
	h := fnv.New64a()
	put := func(numbers ...float64) {
		for _, v := range numbers {
			binary.Write(h, binary.LittleEndian, v+0) // −0 is 0
		}
	}
	r := rand.New(rand.NewPCG(7, 8))
	for range 300 {
		var a square
		for i := range maxOrder {
			for j := range maxOrder {
				a[i][j] = float64(r.Int64N(1<<52)-1<<51) * math.Ldexp(1, r.IntN(40))
			}
		}
		for n := 2; n <= maxOrder; n++ {
			w, v, _ := eigenSym(n, a)
			u, s, x, _ := svd(n, a)
			inverse := must.Have(invert(n, a))(t)
			put(append(w[:], s[:]...)...)
			for i := range n {
				put(append(append(append(v[i][:], u[i][:]...), x[i][:]...), inverse[i][:]...)...)
			}
		}
	}
	if got := h.Sum64(); got != 0x8cc06503102688a7 {
		t.Errorf("the bits have changed: %#x", got)
	}
}

func TestErrors(t *testing.T) {
	var data *gram.DataError
	bad := [3][3]float64{{1, 2, 3}, {2, 1, math.Inf(-1)}, {3, math.NaN(), 1}}
	if _, _, err := EigenSym3(bad); !errors.As(err, &data) || data.Row != 1 || data.Col != 2 {
		t.Error(err)
	}
	bad[1][2] = 0
	if _, _, err := EigenSym3(bad); err != nil {
		t.Error("the lower triangle is read:", err)
	}
	if _, _, _, err := SVD3(bad); !errors.As(err, &data) || data.Row != 2 || data.Col != 1 {
		t.Error(err)
	}
	if _, err := Solve3(bad, [3]float64{}); !errors.As(err, &data) {
		t.Error(err)
	}
	if _, err := Inverse2([2][2]float64{{1, 2}, {2, 4}}); !errors.Is(err, ErrSingular) {
		t.Error(err)
	}
	if _, err := Solve2([2][2]float64{{1, 2}, {2, 4}}, [2]float64{1, 1}); !errors.Is(err, ErrSingular) {
		t.Error(err)
	}
	if _, err := Solve4([4][4]float64{}, [4]float64{}); !errors.Is(err, ErrSingular) {
		t.Error(err)
	}
}

func BenchmarkSmall(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 2))
	var a square
	for i := range a {
		for j := range i + 1 {
			a[i][j] = r.NormFloat64()
			a[j][i] = a[i][j]
		}
	}
	for n := 2; n <= maxOrder; n++ {
		for name, call := range map[string]func(){
			"eigen":   func() { _, _, _ = eigenSym(n, a) },
			"svd":     func() { _, _, _, _ = svd(n, a) },
			"inverse": func() { _, _ = invert(n, a) },
		} {
			b.Run(fmt.Sprintf("n=%d/call=%s", n, name), func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					call()
				}
			})
		}
	}
}

// Scales by powers of two are those of math.Ldexp, also where a factor would be no normal number.
func TestScaled(t *testing.T) {
	for _, x := range []float64{1, -1.5, math.MaxFloat64, 0x1p-1022, 0x1p-1074, 0} {
		for e := -2200; e <= 2200; e += 7 {
			if got, want := scaled(x, e), math.Ldexp(x, e); got != want {
				t.Errorf("%g·2^%d is %g, want %g", x, e, got, want)
			}
		}
	}
}
