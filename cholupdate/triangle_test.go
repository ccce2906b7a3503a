package cholupdate

import (
	"math"
	"slices"
	"testing"

	"github.com/gramworks/gram/internal/asmtest"
	"github.com/gramworks/gram/num/rng"
)

// numbers returns all numbers of a triangle and its vector.
func (t *triangle) numbers() []float64 {
	return []float64{t.l00, t.l10, t.l20, t.l30, t.l11, t.l21, t.l31, t.l22, t.l32, t.l33, t.w0, t.w1, t.w2, t.w3}
}

func randomTriangle(seed uint64) triangle {
	r := rng.New(seed, 0)
	v := make([]float64, 14)
	for i := range v {
		v[i] = r.NormFloat64()
	}
	return triangle{l00: 1 + v[0]*v[0], l10: v[1], l20: v[2], l30: v[3], l11: 1 + v[4]*v[4], l21: v[5], l31: v[6],
		l22: 1 + v[7]*v[7], l32: v[8], l33: 1 + v[9]*v[9], w0: v[10], w1: v[11], w2: v[12], w3: v[13]}
}

// gram returns L·Lᵀ + sign·w·wᵀ.
func (t *triangle) gram(sign float64) (a [4][4]float64) {
	l := [4][4]float64{{t.l00}, {t.l10, t.l11}, {t.l20, t.l21, t.l22}, {t.l30, t.l31, t.l32, t.l33}}
	w := [4]float64{t.w0, t.w1, t.w2, t.w3}
	for i := range 4 {
		for j := range 4 {
			a[i][j] = sign * w[i] * w[j]
			for k := range 4 {
				a[i][j] += l[i][k] * l[j][k]
			}
		}
	}
	return a
}

// The block of an update is the factor of the sum, and its coefficients take w to 0, those of
// rotations as well as those that start from the solution of Lz = w.
func TestUpdateTriangle(t *testing.T) {
	for seed := range uint64(20) {
		start := randomTriangle(seed)
		for _, w := range []*float64{&start.w0, &start.w1, &start.w2, &start.w3} {
			*w /= 8
		}
		want := start.gram(1)
		a, b := start, start
		if s, inverse, ok := a.solve(1, 1, 1); !ok || !(math.Abs(inverse*inverse*s-1) < 1e-15) {
			t.Fatalf("s is %g, 1/√s %g, solved %t", s, inverse, ok)
		}
		b.update()
		for name, g := range map[string]triangle{"solved": a, "rotated": b} {
			w := [4]float64{start.w0, start.w1, start.w2, start.w3}
			l := [4][4]float64{{start.l00}, {start.l10, start.l11}, {start.l20, start.l21, start.l22}, {start.l30, start.l31, start.l32, start.l33}}
			for j := range 4 {
				for i := j; i < 4; i++ {
					if name == "solved" {
						w[i] -= g.s[j] * l[i][j]
						l[i][j] = g.c[j]*l[i][j] + g.r[j]*w[i]
						continue
					}
					l[i][j], w[i] = g.c[j]*l[i][j]+g.s[j]*w[i], g.c[j]*w[i]-g.s[j]*l[i][j]
				}
			}
			for i, v := range w {
				if !(math.Abs(v) < 1e-13) {
					t.Errorf("%s: the coefficients leave %g at %d", name, v, i)
				}
			}
			changed := [10]float64{l[0][0], l[1][0], l[2][0], l[3][0], l[1][1], l[2][1], l[3][1], l[2][2], l[3][2], l[3][3]}
			for i, v := range changed {
				if !(math.Abs(v-g.numbers()[i]) < 1e-13) {
					t.Errorf("%s: number %d of the block is %g, the coefficients give %g", name, i, g.numbers()[i], v)
				}
			}
			g.w0, g.w1, g.w2, g.w3 = 0, 0, 0, 0
			got := g.gram(1)
			for i := range 4 {
				for j := range 4 {
					if !(math.Abs(got[i][j]-want[i][j]) < 1e-12*(1+math.Abs(want[i][j]))) {
						t.Errorf("%s: element %d,%d of the product is %g, want %g", name, i, j, got[i][j], want[i][j])
					}
				}
			}
		}
		// Scaling by a power of two scales the result by it exactly, also near the ends
		// of the range.
		for _, e := range []int{-980, 980} {
			far := start
			for _, v := range far.parts() {
				*v = math.Ldexp(*v, e)
			}
			g := far
			_, _, ok := g.solve(1, 1, 1)
			far.update()
			for _, c := range []struct {
				name      string
				got, want triangle
			}{{"solved", g, a}, {"rotated", far, b}} {
				if !ok || c.got.c != c.want.c || c.got.s != c.want.s {
					t.Errorf("%s: times 2^%d the coefficients are %v and %v, want %v and %v", c.name, e, c.got.c, c.got.s, c.want.c, c.want.s)
				}
				for i, v := range c.got.numbers()[:10] {
					if want := math.Ldexp(c.want.numbers()[i], e); v != want {
						t.Errorf("%s: times 2^%d number %d is %g, want %g", c.name, e, i, v, want)
					}
				}
			}
		}
		// A block that is out of range is left alone.
		for i := range 10 {
			for _, bad := range []float64{0x1p1001, math.Inf(1), math.NaN()} {
				far := start
				*far.parts()[i] = bad
				kept := far
				if _, _, ok := far.solve(1, 1, 1); ok && (math.IsNaN(bad) || i == 0 || i == 4 || i == 7 || i == 9) {
					t.Errorf("number %d is %g: solved", i, bad)
				} else if !ok && !slices.EqualFunc(far.numbers(), kept.numbers(), asmtest.SameBits[float64]) {
					t.Errorf("number %d is %g: the block was changed", i, bad)
				}
			}
		}
		if _, _, ok := start.solve(1, mostSolved, 1/math.Sqrt(mostSolved)); ok {
			t.Error("solved beyond the range")
		}
	}
}

func (t *triangle) parts() []*float64 {
	return []*float64{&t.l00, &t.l10, &t.l20, &t.l30, &t.l11, &t.l21, &t.l31, &t.l22, &t.l32, &t.l33, &t.w0, &t.w1, &t.w2, &t.w3}
}

// The block of a downdate is the factor of the difference. A pivot that becomes 0,
// negative or NaN is reported with its value.
func TestDowndateTriangle(t *testing.T) {
	for seed := range uint64(20) {
		start := randomTriangle(seed)
		for _, w := range []*float64{&start.w0, &start.w1, &start.w2, &start.w3} {
			*w /= 8
		}
		want := start.gram(-1)
		got := start
		failed, q := got.downdate()
		ratio := 1.
		for i, v := range []float64{got.l00 / start.l00, got.l11 / start.l11, got.l22 / start.l22, got.l33 / start.l33} {
			ratio *= v * v
			if c := got.c[i] * got.c[i]; !(math.Abs(c-v*v) < 1e-14) || !(math.Abs(c+got.s[i]*got.s[i]-1) < 1e-14) || !(math.Abs(got.c[i]*got.r[i]-1) < 1e-14) {
				t.Errorf("rotation %d has cosine %g, sine %g and inverse %g", i, got.c[i], got.s[i], got.r[i])
			}
		}
		if failed != -1 || !(math.Abs(q-ratio) < 1e-13) {
			t.Fatalf("pivot %d fails, the product is %g, want %g", failed, q, ratio)
		}
		got.w0, got.w1, got.w2, got.w3 = 0, 0, 0, 0
		a := got.gram(-1)
		for i := range 4 {
			for j := range 4 {
				if !(math.Abs(a[i][j]-want[i][j]) < 1e-13*(1+math.Abs(want[i][j]))) {
					t.Errorf("element %d,%d of the product is %g, want %g", i, j, a[i][j], want[i][j])
				}
			}
		}
	}
	for pivot := range 4 {
		for w, want := range map[float64]float64{2: 0, -2: 0, 4: -3, math.NaN(): math.NaN()} {
			g := triangle{l00: 2, l11: 2, l22: 2, l33: 2}
			*[]*float64{&g.w0, &g.w1, &g.w2, &g.w3}[pivot] = w
			if failed, q := g.downdate(); failed != pivot || q != want && q == q {
				t.Errorf("w is %g at %d: pivot %d fails with %g, want %g", w, pivot, failed, q, want)
			}
		}
	}
}
