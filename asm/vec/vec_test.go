package vec

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/gramworks/gram/internal/asmtest"
	"github.com/gramworks/gram/internal/must"
	"github.com/gramworks/gram/num"
)

// unary is a function of one slice into another.
type unary[F num.Float] func(dst, src []F)

// one applies f to a single element.
func (f unary[F]) one(x F) F {
	var d [1]F
	f(d[:], []F{x})
	return d[0]
}

// lengths returns 0 to 99, which covers four iterations of the widest loop for
// float64 (24 elements) and two for float32 (48).
func lengths(t *testing.T) []int {
	if testing.Short() {
		return asmtest.Lengths(8)
	}
	return asmtest.Lengths(24, maxElements)
}

// checkMemory tests that the result for an element depends only on the element, not
// on its position, the length or the alignment; that nothing outside dst is written
// and nothing outside src is read; and that f works in place. NaN payloads are not
// compared.
func checkMemory[F num.Float](t *testing.T, f unary[F], value func(r *rand.Rand) F) {
	t.Helper()
	r := rand.New(rand.NewPCG(1, 2))
	pool := append(asmtest.Specials[F](), make([]F, 64)...)
	for i := len(asmtest.Specials[F]()); i < len(pool); i++ {
		pool[i] = value(r)
	}
	ref := make([]F, len(pool))
	for i, x := range pool {
		ref[i] = f.one(x)
	}
	check := func(what string, got []F, pick []int) {
		t.Helper()
		for i, p := range pick {
			if !asmtest.SameBits(got[i], ref[p]) && !(got[i] != got[i] && ref[p] != ref[p]) {
				t.Fatalf("%s, n = %d: element %d, f(%v) = %v, alone %v", what, len(pick), i, pool[p], got[i], ref[p])
			}
		}
	}
	for _, n := range lengths(t) {
		pick := make([]int, n)
		in := make([]F, n)
		for i := range in {
			pick[i] = r.IntN(len(pool))
			in[i] = pool[pick[i]]
		}
		// Offsets of each operand alone, then of both together.
		pairs := [][2]int{{0, 0}, {1, 3}, {2, 6}, {3, 1}, {4, 4}, {5, 7}, {6, 2}, {7, 5}}
		if n <= 20 && !testing.Short() {
			for o := 1; o < 8; o++ {
				pairs = append(pairs, [2]int{o, 0}, [2]int{0, o})
			}
		}
		if n > 100 {
			pairs = pairs[:1]
		}
		for _, pair := range pairs {
			o, p := pair[0], pair[1]
			src, dst := asmtest.NewCanary[F](n, 1, o), asmtest.NewCanary[F](n, 1, p)
			src.Set(in)
			f(dst.Slice(), src.Slice())
			src.Check(t)
			dst.Check(t)
			check(fmt.Sprintf("offsets %d, %d", o, p), dst.Get(), pick)
			for i, x := range src.Get() {
				if !asmtest.SameBits(x, in[i]) {
					t.Fatalf("n = %d: src[%d] changed", n, i)
				}
			}
			f(src.Slice(), src.Slice())
			src.Check(t)
			check(fmt.Sprintf("in place, offset %d", o), src.Get(), pick)
		}
		asmtest.Guarded(t, n, func(src []F) {
			copy(src, in)
			asmtest.Guarded(t, n, func(dst []F) {
				f(dst, src)
				check("guarded", dst, pick)
			})
		})
	}
}

// checkPanics tests that slices of different lengths are refused before the
// first write.
func checkPanics[F num.Float](t *testing.T, f unary[F]) {
	t.Helper()
	dst := []F{7, 7}
	if r := must.Recovered(func() { f(dst, []F{1}) }); r != "vec: lengths differ" {
		t.Errorf("panic %v", r)
	}
	if dst[0] != 7 || dst[1] != 7 {
		t.Error("written before the panic")
	}
}

func checkAllocs[F num.Float](t *testing.T, f unary[F]) {
	t.Helper()
	x := make([]F, 1000)
	if n := testing.AllocsPerRun(5, func() { f(x, x) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// samples returns how many samples are taken.
func samples(n int) int {
	if testing.Short() {
		return n / 10
	}
	return n
}

// worst keeps the largest error.
type worst struct {
	ulp     float64
	x       any
	got     any
	checked int
}

func (w *worst) add(ulp float64, x, got any) {
	w.checked++
	if !(ulp <= w.ulp) {
		w.ulp, w.x, w.got = ulp, x, got
		if math.IsNaN(ulp) {
			w.ulp = math.Inf(1)
		}
	}
}

func (w *worst) check(t *testing.T, what string, bound float64) {
	t.Helper()
	if !(w.ulp <= bound) {
		t.Errorf("%s: %.4f ULP at %v (result %v), bound %v", what, w.ulp, w.x, w.got, bound)
	}
	t.Logf("%s: largest error of %d is %.4f ULP, at %v", what, w.checked, w.ulp, w.x)
}
