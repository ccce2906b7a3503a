package cholupdate

import (
	"math"
	"testing"

	"github.com/gramworks/gram/internal/rng"
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

// The block of an update is the factor of the sum, and the rotations take w to 0. The
// chain of products gives the same as one rotation after the other, which is used where
// squares leave the range.
func TestUpdateTriangle(t *testing.T) {
	for seed := range uint64(20) {
		start := randomTriangle(seed)
		want := start.gram(1)
		a, b := start, start
		a.update()
		b.updateScaled()
		for name, g := range map[string]triangle{"in a chain": a, "one after the other": b} {
			w := [4]float64{start.w0, start.w1, start.w2, start.w3}
			l := [4][4]float64{{start.l00}, {start.l10, start.l11}, {start.l20, start.l21, start.l22}, {start.l30, start.l31, start.l32, start.l33}}
			for j := range 4 {
				for i := j; i < 4; i++ {
					l[i][j], w[i] = g.c[j]*l[i][j]+g.s[j]*w[i], g.c[j]*w[i]-g.s[j]*l[i][j]
				}
			}
			for i, v := range w {
				if !(math.Abs(v) < 1e-13) {
					t.Errorf("%s: the rotations leave %g at %d", name, v, i)
				}
			}
			rotated := [10]float64{l[0][0], l[1][0], l[2][0], l[3][0], l[1][1], l[2][1], l[3][1], l[2][2], l[3][2], l[3][3]}
			for i, v := range rotated {
				if !(math.Abs(v-g.numbers()[i]) < 1e-13) {
					t.Errorf("%s: number %d of the block is %g, the rotations give %g", name, i, g.numbers()[i], v)
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
		for _, e := range []int{-1000, 1000} {
			far := start
			p := far.parts()
			for _, v := range p {
				*v = math.Ldexp(*v, e)
			}
			far.update()
			if far.c != b.c || far.s != b.s {
				t.Errorf("times 2^%d the rotations are %v and %v, want %v and %v", e, far.c, far.s, b.c, b.s)
			}
			for i, v := range far.numbers()[:10] {
				if want := math.Ldexp(b.numbers()[i], e); v != want {
					t.Errorf("times 2^%d number %d is %g, want %g", e, i, v, want)
				}
			}
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
