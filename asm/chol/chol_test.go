package chol

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/gramworks/gram/asm/cpu"
	"github.com/gramworks/gram/internal/asmtest"
	"github.com/gramworks/gram/num"
	"github.com/gramworks/gram/num/rng"
)

// Accuracy class reassociated: an element goes through at most four rotations
// of two products and a sum, each with |c|, |s| ≤ 1 (updates) or with growth
// r = 1/c per rotation (downdates; the tests use c ≥ 1/2).
const rotationUlps = 64

var kinds = map[string]Kind{"update": Update, "downdate": Downdate, "solved": Solved}

// testRotations returns four rotations of the kind.
func testRotations[F num.Float](kind Kind, seed uint64) *Rotations[F] {
	r := rng.New(seed, 1)
	var out Rotations[F]
	for k := range 4 {
		s := r.Float64()*1.6 - .8
		c := math.Sqrt((1 - s) * (1 + s))
		out.C[k], out.S[k], out.R[k] = F(c), F(s), F(1/c)
		if k == 2 && seed%3 == 0 {
			out.C[k], out.S[k], out.R[k] = 1, 0, 1
		}
	}
	return &out
}

// rotateOracle applies the rotations as 2×2 matrices in float64, one element
// after the other, straight from their definitions.
func rotateOracle(kind Kind, l [4]float64, w float64, c, s [4]float64) ([4]float64, float64) {
	for k := range 4 {
		switch kind {
		case Update:
			l[k], w = c[k]*l[k]+s[k]*w, c[k]*w-s[k]*l[k]
		case Solved: // with the r of rotations, 1/c
			l[k], w = c[k]*l[k]+(w-s[k]*l[k])/c[k], w-s[k]*l[k]
		default:
			// The hyperbolic rotation [1 −s; −s 1]/c.
			l[k], w = (l[k]-s[k]*w)/c[k], (w-s[k]*l[k])/c[k]
		}
	}
	return l, w
}

func TestRotate(t *testing.T) {
	asmtest.ForEachLevel(t, levels, func(t *testing.T) {
		t.Run("float64", func(t *testing.T) { checkRotate[float64](t) })
		t.Run("float32", func(t *testing.T) { checkRotate[float32](t) })
	})
}

func checkRotate[F num.Float](t *testing.T) {
	eps := asmtest.Epsilon[F]()
	r := rng.New(7, 0)
	lengths := asmtest.Lengths(16, 127, maxWork)
	if testing.Short() {
		lengths = asmtest.Lengths(8, 67)
	}
	for tail := range 36 { // beyond the limits of every variant
		lengths = append(lengths, 640+tail)
	}
	for name, kind := range kinds {
		for _, form := range []string{"upper", "upper, rows alike on lines", "lower"} {
			for _, n := range lengths {
				lower := form == "lower"
				rot := testRotations[F](kind, uint64(n))
				var c, s [4]float64
				for k := range 4 {
					c[k], s[k] = float64(rot.C[k]), float64(rot.S[k])
				}
				offset := n % 8
				stride := n + 5 // elements from one row of u to the next
				if form != "upper" {
					stride = (stride + 15) &^ 15
				}
				size := 3*stride + n
				if lower {
					stride, size = 9, max(0, (n-1)*9+4)
				}
				if n == 0 {
					size = 0
				}
				u := asmtest.NewCanary[F](size, 1, offset)
				u.Set(asmtest.Normal[F](r, size))
				before := u.Get()
				w := asmtest.NewCanary[F](n, 1, (offset+3)%8)
				w.Set(asmtest.Normal[F](r, n))
				w0 := w.Get()
				at := func(j, k int) int {
					if lower {
						return j*stride + k
					}
					return k*stride + j
				}
				call := Rotate[F]
				if lower {
					call = RotateLower[F]
				}
				if n > 0 {
					call(kind, u.Slice(), stride, w.Slice(), rot)
				} else {
					call(kind, make([]F, 4*stride), stride, w.Slice(), rot)
				}
				u.Check(t)
				w.Check(t)
				after, w1 := u.Get(), w.Get()
				touched := make([]bool, size)
				for j := range n {
					var l [4]float64
					scale := math.Abs(float64(w0[j]))
					for k := range 4 {
						l[k] = float64(before[at(j, k)])
						scale = max(scale, math.Abs(l[k]))
					}
					want, ww := rotateOracle(kind, l, float64(w0[j]), c, s)
					for k := range 4 {
						touched[at(j, k)] = true
						v := want[k]
						if d := math.Abs(float64(after[at(j, k)]) - v); !(d <= rotationUlps*eps*scale) {
							t.Fatalf("%s %s n %d: l[%d,%d] = %v, want %v", name, form, n, j, k, after[at(j, k)], v)
						}
					}
					if d := math.Abs(float64(w1[j]) - ww); !(d <= rotationUlps*eps*scale) {
						t.Fatalf("%s %s n %d: w[%d] = %v, want %v", name, form, n, j, w1[j], ww)
					}
				}
				for i, hit := range touched {
					if !hit && !asmtest.SameBits(before[i], after[i]) {
						t.Fatalf("%s %s n %d: element %d between the rows was written", name, form, n, i)
					}
				}
			}
		}
	}
}

// TestRotatePanel compares with RotateLower column by column for panels of all sizes, bit
// for bit or, for Solved, up to the rounding of the sums, and checks that nothing around
// them changes.
func TestRotatePanel(t *testing.T) {
	asmtest.ForEachLevel(t, levels, asmtest.Types(checkRotatePanel[float64], checkRotatePanel[float32]))
}

func checkRotatePanel[F num.Float](t *testing.T) {
	r := rng.New(11, 0)
	for name, kind := range kinds {
		for _, rows := range []int{0, 1, 4, 7, PanelRows} {
			for _, quads := range []int{0, 1, 2, 3, 4, 5, 8, 33, maxQuads + 3} {
				if testing.Short() && quads > 33 {
					continue
				}
				stride := 4*quads + quads%3
				size := max(0, (rows-1)*stride+4*quads)
				rots := make([]Rotations[F], quads)
				for k := range rots {
					rots[k] = *testRotations[F](kind, uint64(quads+k))
				}
				l, w := asmtest.NewCanary[F](size, 1, quads%8), asmtest.NewCanary[F](rows, 1, (quads+3)%8)
				l.Set(asmtest.Normal[F](r, size))
				w.Set(asmtest.Normal[F](r, rows))
				wantL, wantW := l.Get(), w.Get()
				tol := make([]float64, rows) // of a row; s is below 1 and r below 1.7
				for i := range tol {
					if kind == Solved {
						for _, v := range append(wantL[i*stride:][:4*quads:4*quads], wantW[i]) {
							tol[i] += math.Abs(float64(v)) * float64(4*quads+8) * asmtest.Epsilon[F]()
						}
					}
				}
				for k := range rots {
					if rows > 0 {
						RotateLower(kind, wantL[4*k:], stride, wantW, &rots[k])
					}
				}
				RotatePanel(kind, l.Slice(), stride, w.Slice(), rots)
				l.Check(t)
				w.Check(t)
				for i, v := range l.Get() {
					if !asmtest.Same(v, wantL[i]) && !(math.Abs(float64(v-wantL[i])) <= tol[i/max(1, stride)]) {
						t.Fatalf("%s: %d rows, %d columns: element %d is %v, want %v", name, rows, 4*quads, i, v, wantL[i])
					}
				}
				for i, v := range w.Get() {
					if !asmtest.Same(v, wantW[i]) && !(math.Abs(float64(v-wantW[i])) <= tol[i]) {
						t.Fatalf("%s: %d rows, %d columns: w[%d] is %v, want %v", name, rows, 4*quads, i, v, wantW[i])
					}
				}
			}
		}
	}
}

// sweepOracle multiplies a row by the dense factor in float64.
func sweepOracle[F num.Float](b, w, d, c []F) (out, scale []float64) {
	out, scale = make([]float64, len(b)), make([]float64, len(b))
	for j := range b {
		for i := j; i < len(b); i++ {
			l := float64(d[j])
			if i > j {
				l = float64(c[j]) * float64(w[i])
			}
			out[j] += float64(b[i]) * l
			scale[j] += math.Abs(float64(b[i]) * l)
		}
	}
	return out, scale
}

func TestSweep(t *testing.T) {
	asmtest.ForEachLevel(t, levels, func(t *testing.T) {
		t.Run("float64", func(t *testing.T) { checkSweep[float64](t) })
		t.Run("float32", func(t *testing.T) { checkSweep[float32](t) })
	})
}

func checkSweep[F num.Float](t *testing.T) {
	r := rng.New(9, 0)
	for _, length := range asmtest.Lengths(16, 200) {
		for _, n := range []int{1, 3, 14} { // 8, 4, 1 and 1 at a time
			stride := length + 3
			b := asmtest.NewCanary[F]((n-1)*stride+length, 1, length%8)
			b.Set(asmtest.Normal[F](r, (n-1)*stride+length))
			before := b.Get()
			w, d, c := asmtest.Normal[F](r, length), asmtest.Normal[F](r, length), asmtest.Normal[F](r, length)
			kept := slices.Concat(w, d, c)
			Sweep(b.Slice(), n, stride, w, d, c)
			b.Check(t)
			if !slices.Equal(kept, slices.Concat(w, d, c)) {
				t.Fatal("an input was changed")
			}
			after := b.Get()
			for i := range n {
				row := slices.Clone(before[i*stride:][:length])
				Sweep(row, 1, length, w, d, c)
				if length > 0 && !slices.Equal(row, after[i*stride:][:length]) {
					t.Fatalf("length %d: row %d of %d has other bits by itself", length, i, n)
				}
				want, scale := sweepOracle(before[i*stride:][:length], w, d, c)
				for j := range length {
					tol := float64(length+4) * asmtest.Epsilon[F]() * scale[j]
					if diff := math.Abs(float64(after[i*stride+j]) - want[j]); !(diff <= tol) {
						t.Fatalf("length %d, row %d of %d: b[%d] = %v, want %v", length, i, n, j, after[i*stride+j], want[j])
					}
				}
				if i+1 < n {
					for j := length; j < stride; j++ {
						if !asmtest.SameBits(before[i*stride+j], after[i*stride+j]) {
							t.Fatalf("length %d: memory between the rows was written", length)
						}
					}
				}
			}
		}
	}
}

// TestEdges puts every operand beside pages without access.
func TestEdges(t *testing.T) {
	asmtest.ForEachLevel(t, levels, func(t *testing.T) {
		t.Run("float64", func(t *testing.T) { checkEdges[float64](t) })
		t.Run("float32", func(t *testing.T) { checkEdges[float32](t) })
	})
}

func checkEdges[F num.Float](t *testing.T) {
	r := rng.New(10, 0)
	for _, n := range []int{1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 32, 33, 40} {
		rot := testRotations[F](Downdate, uint64(n))
		for _, kind := range kinds {
			asmtest.Guarded(t, 4*n, func(u []F) {
				asmtest.Guarded(t, n, func(w []F) {
					copy(u, asmtest.Normal[F](r, len(u)))
					copy(w, asmtest.Normal[F](r, len(w)))
					Rotate(kind, u, n, w, rot)
					RotateLower(kind, u, 4, w, rot)
				})
			})
		}
		w, d := asmtest.Normal[F](r, n), asmtest.Normal[F](r, n)
		for _, rows := range []int{2, 4, 8} {
			asmtest.Guarded(t, rows*n, func(b []F) {
				asmtest.Guarded(t, n, func(c []F) {
					copy(c, w)
					Sweep(b, rows, n, c, d, d)
					Sweep(b, rows, n, d, c, d)
					Sweep(b, rows, n, d, d, c)
				})
			})
		}
		rots := make([]Rotations[F], n)
		asmtest.Guarded(t, PanelRows*4*n, func(l []F) {
			asmtest.Guarded(t, PanelRows, func(w []F) {
				RotatePanel(Update, l, 4*n, w, rots)
				RotatePanel(Downdate, l, 4*n, w, rots)
				RotatePanel(Solved, l, 4*n, w, rots)
			})
		})
	}
}

// TestSpecials checks that NaN and infinities occur where the generic code has
// them.
func TestSpecials(t *testing.T) {
	asmtest.ForEachLevel(t, levels, func(t *testing.T) {
		special := asmtest.Specials[float64]()
		r := rng.New(11, 0)
		for _, n := range []int{5, 16, 21} {
			for _, v := range special {
				for _, kind := range kinds {
					u, w := asmtest.Normal[float64](r, 4*n), asmtest.Normal[float64](r, n)
					u[r.IntN(len(u))], w[r.IntN(n)] = v, v
					rot := testRotations[float64](kind, 5)
					gu, gw := slices.Clone(u), slices.Clone(w)
					Rotate(kind, u, n, w, rot)
					rotateGeneric(kind, gu, n, gw, rot)
					for i := range u {
						if math.IsNaN(u[i]) != math.IsNaN(gu[i]) {
							t.Fatalf("%v: u[%d] = %v, generic %v", v, i, u[i], gu[i])
						}
					}
					for i := range w {
						if math.IsNaN(w[i]) != math.IsNaN(gw[i]) {
							t.Fatalf("%v: w[%d] = %v, generic %v", v, i, w[i], gw[i])
						}
					}
				}
			}
		}
	})
}

func FuzzRotate(f *testing.F) {
	f.Add(uint16(5), uint8(0), uint64(1))
	f.Add(uint16(33), uint8(1), uint64(2))
	f.Fuzz(func(t *testing.T, size uint16, kind uint8, seed uint64) {
		n, k := int(size)%800+1, Kind(kind%3)
		r := rng.New(seed, 0)
		u, w := asmtest.Mixed[float64](r, 4*n), asmtest.Mixed[float64](r, n)
		rot := testRotations[float64](k, seed)
		for _, lower := range []bool{false, true} {
			gu, gw := slices.Clone(u), slices.Clone(w)
			call, stride := Rotate[float64], n
			if lower {
				call, stride = RotateLower[float64], 4
			}
			asmtest.At(cpu.Generic, func() { call(k, gu, stride, gw, rot) })
			for _, l := range asmtest.Available(levels)[1:] {
				lu, lw := slices.Clone(u), slices.Clone(w)
				asmtest.At(l, func() { call(k, lu, stride, lw, rot) })
				for j := range n {
					var scale float64 = math.Abs(w[j])
					for m := range 4 {
						i := m*stride + j
						if lower {
							i = j*stride + m
						}
						scale = max(scale, math.Abs(u[i]))
					}
					for m := range 4 {
						i := m*stride + j
						if lower {
							i = j*stride + m
						}
						if d := math.Abs(lu[i] - gu[i]); !(d <= 0x1p-46*scale) {
							t.Fatalf("%s lower %v: %v, generic %v", l, lower, lu[i], gu[i])
						}
					}
					if d := math.Abs(lw[j] - gw[j]); !(d <= 0x1p-46*scale) {
						t.Fatalf("%s lower %v: w %v, generic %v", l, lower, lw[j], gw[j])
					}
				}
			}
		}
	})
}

func BenchmarkRotate(b *testing.B) {
	for _, n := range []int{64, 256, 1024} {
		for _, l := range asmtest.Available(levels) {
			b.Run(fmt.Sprintf("n=%d/isa=%s", n, l), func(b *testing.B) {
				r := rng.New(1, 0)
				u, w := asmtest.Normal[float64](r, 4*n), asmtest.Normal[float64](r, n)
				rot := testRotations[float64](Update, 1)
				asmtest.At(l, func() {
					b.SetBytes(int64(10 * n * 8))
					b.ReportAllocs()
					for b.Loop() {
						Rotate(Update, u, n, w, rot)
					}
				})
			})
		}
	}
}

func BenchmarkSweep(b *testing.B) {
	for _, n := range []int{64, 256, 1024} {
		for _, l := range asmtest.Available(levels) {
			b.Run(fmt.Sprintf("n=%d/isa=%s", n, l), func(b *testing.B) {
				r := rng.New(1, 0)
				x, w, d, c := asmtest.Normal[float64](r, n*n), asmtest.Normal[float64](r, n), make([]float64, n), make([]float64, n)
				for i := range d {
					d[i] = 1
				}
				asmtest.At(l, func() {
					b.SetBytes(int64(2 * n * n * 8))
					b.ReportAllocs()
					for b.Loop() {
						Sweep(x, n, n, w, d, c)
					}
				})
			})
		}
	}
}
