package batch

import (
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/gramworks/gram/internal/asmtest"
)

// checkEigen checks the eigenpairs of matrix q: residual and orthogonality, and, against numbers of many bits,
// the eigenvalues, relative to the largest or, where it is so far right, to themselves.
func checkEigen(t *testing.T, a Matrices, q int, values []float64, v Matrices, relative bool, what string) {
	t.Helper()
	n := a.Rows
	at := func(i, j int) float64 { return a.element(q, min(i, j), max(i, j)) }
	size := math.Max(math.Abs(values[0]), math.Abs(values[n-1]))
	bound := float64(n+6) * 4 * 0x1p-53
	num := func(v float64) *big.Float { return new(big.Float).SetPrec(300).SetFloat64(v) }
	sum := func(terms int, term func(k int) (x, y float64)) float64 {
		s := num(0)
		for k := range terms {
			x, y := term(k)
			s.Add(s, num(0).Mul(num(x), num(y)))
		}
		f, _ := s.Float64()
		return f
	}
	for j := range n {
		for i := range n {
			unit := 0.
			if i == j {
				unit = 1
			}
			e := sum(n+1, func(k int) (float64, float64) {
				if k == n {
					return -1, unit
				}
				return v.element(q, k, i), v.element(q, k, j)
			})
			if !(math.Abs(e) <= bound) {
				t.Fatalf("%s of order %d: vectors %d and %d: VᵀV is off by %v", what, n, i, j, e)
			}
			e = sum(n+1, func(k int) (float64, float64) {
				if k == n {
					return -values[j], v.element(q, i, j)
				}
				return at(i, k), v.element(q, k, j)
			})
			if !(math.Abs(e) <= bound*size) {
				t.Fatalf("%s of order %d: residual %v of pair %d, values %v", what, n, e, j, values)
			}
		}
	}
	if n > 8 || q > 2 || testing.Short() && n > 5 {
		return
	}
	for i, want := range asmtest.Eigenvalues(n, at) {
		diff, _ := num(0).Sub(want, num(values[i])).Float64()
		w, _ := want.Float64()
		scale := size
		if relative {
			scale = math.Abs(w)
		}
		if !(math.Abs(diff) <= bound*scale+5e-324) {
			t.Fatalf("%s of order %d: eigenvalue %d is %v, want %v, off by %v", what, n, i, values[i], w, diff)
		}
	}
}

// adversaries returns matrices on which careless eigensolvers fail. relative says that small eigenvalues
// are determined to relative precision.
func adversaries(r *rand.Rand) map[string]struct {
	element  func(n int) func(q, i, j int) float64
	relative bool
} {
	type kind = struct {
		element  func(n int) func(q, i, j int) float64
		relative bool
	}
	scaled := func(scale float64) func(n int) func(q, i, j int) float64 {
		return func(n int) func(q, i, j int) float64 {
			return func(q, i, j int) float64 { return scale * r.NormFloat64() }
		}
	}
	plain := func(f func(q, i, j int) float64) func(n int) func(q, i, j int) float64 {
		return func(int) func(q, i, j int) float64 { return f }
	}
	return map[string]kind{
		"random":     {scaled(1), false},
		"huge":       {scaled(1e150), false},
		"tiny":       {scaled(1e-150), false},
		"zero":       {plain(func(q, i, j int) float64 { return 0 }), true},
		"all equal":  {plain(func(q, i, j int) float64 { return 1 }), false},
		"identity":   {plain(func(q, i, j int) float64 { return map[bool]float64{true: 3}[i == j] }), true},
		"nearly one": {plain(func(q, i, j int) float64 { return map[bool]float64{true: 1, false: 1e-16 * float64(q)}[i == j] }), false},
		"equal pairs": {plain(func(q, i, j int) float64 { // cyclic, eigenvalues 2cos
			if i != j && (i-j == 1 || j-i == 1) {
				return 1
			}
			return 0
		}), false},
		"graded up":   {plain(func(q, i, j int) float64 { return math.Ldexp(grade(i, j), 9*(i+j)) }), true},
		"graded down": {plain(func(q, i, j int) float64 { return math.Ldexp(grade(i, j), -40*(i+j)) }), true},
		"range":       {plain(func(q, i, j int) float64 { return math.Ldexp(grade(i, j), 120*((i*3)%5-2+(j*3)%5-2)) }), true},
	}
}

// grade is an element of a well conditioned positive definite matrix.
func grade(i, j int) float64 {
	if i == j {
		return 1
	}
	return .25 / float64((i-j)*(i-j))
}

func TestEigenSym(t *testing.T) {
	forEachLevel(t, func(t *testing.T) {
		r := rand.New(rand.NewPCG(9, 10))
		for what, kind := range adversaries(r) {
			for _, n := range orders {
				count := 1
				if n == 3 {
					count = 9
				}
				a, _ := apart(r, count, n, n, kind.element(n))
				before := slices.Clone(a.Data)
				v, canary := apart(r, count, n, n, normal(r))
				values := make([]float64, count*n)
				if err := EigenSym(a, values, v); err != nil {
					t.Fatal(what, err)
				}
				canary.Check(t)
				v.between(t)
				if !slices.Equal(a.Data, before) {
					t.Fatal("a has changed")
				}
				for q := range count {
					if testing.Short() && n > 5 && what != "random" {
						continue
					}
					own := values[q*n:][:n]
					if !slices.IsSorted(own) {
						t.Fatalf("%s: values %v", what, own)
					}
					checkEigen(t, a, q, own, v, kind.relative, what)
				}
				only := make([]float64, count*n)
				if err := EigenSym(a, only, Matrices{}); err != nil || !slices.Equal(only, values) {
					t.Fatalf("%s: without vectors the values are %v and %v, with them %v", what, err, only, values)
				}
				if err := EigenSym(a, values, a); err != nil || a.element(0, 0, 0) != v.element(0, 0, 0) {
					t.Fatalf("%s: other vectors in place of a", what)
				}
			}
		}
	})
}
