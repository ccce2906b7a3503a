package haar

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"
	"unsafe"

	"github.com/gramworks/gram/internal/asmtest"
	"github.com/gramworks/gram/num"
	"github.com/gramworks/gram/num/rng"
)

// entry returns the element of H of order d in row q and column j by its
// definition.
func entry(d, q, j int) int {
	if q == 0 {
		return 1
	}
	blocks := 1 // 2^l, the rows q … of level l
	for 2*blocks <= q {
		blocks *= 2
	}
	width := d / blocks
	switch j -= (q - blocks) * width; {
	case j < 0 || j >= width:
		return 0
	case j < width/2:
		return 1
	}
	return -1
}

// weight returns c of row q as a float64, which is exact for powers of two.
func weight(s Scaling, d, q int) float64 {
	norm := 0
	for j := range d {
		norm += entry(d, q, j) * entry(d, q, j)
	}
	switch s {
	case Ones:
		return 1
	case Inverse:
		return 1 / float64(norm)
	}
	return 1 / math.Sqrt(float64(norm))
}

func apply[F num.Float](back bool, dst []F, ds int, src []F, ss, n, d int, s Scaling, scratch []F) {
	if back {
		Backward(dst, ds, src, ss, n, d, s, scratch)
	} else {
		Forward(dst, ds, src, ss, n, d, s, scratch)
	}
}

func name(back bool) string {
	if back {
		return "backward"
	}
	return "forward"
}

var scalings = map[string]Scaling{"ones": Ones, "orthonormal": Orthonormal, "inverse": Inverse}

// sizes lists lengths of short rows, and of long rows for which every pass of
// the long path runs.
func sizes() []int {
	d := []int{1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024}
	if testing.Short() {
		return append(d, 16384)
	}
	return append(d, 2048, 4096, 8192, 16384, 1<<17)
}

func eachType(t *testing.T, f32, f64 func(t *testing.T)) {
	t.Run("float32", f32)
	t.Run("float64", f64)
}

// TestDefinition compares with the matrix on integers, bit for bit.
func TestDefinition(t *testing.T) {
	eachType(t, checkDefinition[float32], checkDefinition[float64])
}

func checkDefinition[F num.Float](t *testing.T) {
	asmtest.ForEachLevel(t, levels, func(t *testing.T) {
		for _, d := range []int{1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024} {
			if d > 256 && testing.Short() {
				break
			}
			for _, s := range []Scaling{Ones, Inverse} {
				x := asmtest.Integers[F](rng.New(1, uint64(d)), d, 100)
				want, back := make([]float64, d), make([]float64, d)
				for q := range d {
					w := weight(s, d, q)
					for j := range d {
						e := float64(entry(d, q, j))
						want[q] += e * float64(x[j]) * w
						back[j] += e * w * float64(x[q])
					}
				}
				y, scratch := make([]F, d), make([]F, Scratch(d))
				apply(false, y, d, x, d, 1, d, s, scratch)
				for i := range y {
					if float64(y[i]) != want[i] {
						t.Fatalf("forward, d %d, scaling %d: element %d is %v, want %v", d, s, i, y[i], want[i])
					}
				}
				if unsafe.Sizeof(y[0]) == 4 && s == Inverse && d > 256 {
					continue // not all sums are exact
				}
				apply(true, y, d, x, d, 1, d, s, scratch)
				for i := range y {
					if float64(y[i]) != back[i] {
						t.Fatalf("backward, d %d, scaling %d: element %d is %v, want %v", d, s, i, y[i], back[i])
					}
				}
			}
		}
	})
}

// TestSame compares every level with the generic version, bit for bit: rows
// with all offsets and several strides, in place and not, with canaries around
// and between them.
func TestSame(t *testing.T) {
	eachType(t, checkSame[float32], checkSame[float64])
}

func checkSame[F num.Float](t *testing.T) {
	asmtest.ForEachLevel(t, levels, func(t *testing.T) {
		for _, d := range sizes() {
			r := rng.New(2, uint64(d))
			trials := 10
			if testing.Short() {
				trials = 2
			}
			for sname, s := range scalings {
				for _, back := range []bool{false, true} {
					for trial := range trials {
						n, offset, extra := 1+r.IntN(3), trial%8, r.IntN(3)
						if d < 64 && trial%2 == 1 {
							n = 20
						}
						if d > 4096 {
							n = 1
							if trial > 0 && (trial > 1 || d > 16384 || testing.Short()) {
								break
							}
						}
						t.Run(fmt.Sprintf("%s/%s/d=%d/%d", name(back), sname, d, trial), func(t *testing.T) {
							checkRows[F](t, r, back, s, n, d, offset, extra)
						})
					}
				}
			}
		}
	})
}

func checkRows[F num.Float](t *testing.T, r *rand.Rand, back bool, s Scaling, n, d, offset, extra int) {
	ss, ds := d+extra, d+(extra+1)%3
	src, dst := newStrided[F](n, d, ss, offset), newStrided[F](n, d, ds, (offset+3)%8)
	x := asmtest.Mixed[F](r, n*d)
	want := make([]F, n*d)
	scratch := make([]F, Scratch(d))
	var f factors[F]
	f.fill(s, log2(d))
	if back {
		backwardGeneric(want, d, x, d, n, d, scratch, f[:])
	} else {
		forwardGeneric(want, d, x, d, n, d, scratch, f[:])
	}
	room := asmtest.NewCanary[F](Scratch(d), 1, (offset+5)%8)
	src.set(x)
	apply(back, dst.slice(), ds, src.slice(), ss, n, d, s, room.Slice())
	src.check(t, x)
	dst.check(t, want)
	room.Check(t)
	apply(back, src.slice(), ss, src.slice(), ss, n, d, s, room.Slice())
	src.check(t, want)
	room.Check(t)
}

// strided holds rows in memory in which every other element is a canary.
type strided[F num.Float] struct {
	c            *asmtest.Canary[F]
	n, d, stride int
}

func newStrided[F num.Float](n, d, stride, offset int) *strided[F] {
	return &strided[F]{c: asmtest.NewCanary[F]((n-1)*stride+d, 1, offset), n: n, d: d, stride: stride}
}

func (s *strided[F]) slice() []F { return s.c.Slice() }

func (s *strided[F]) set(x []F) {
	all := s.c.Slice()
	for i := range all {
		if i%s.stride < s.d {
			all[i] = x[i/s.stride*s.d+i%s.stride]
		} else {
			all[i] = 77
		}
	}
}

func (s *strided[F]) check(t *testing.T, want []F) {
	t.Helper()
	s.c.Check(t)
	all := s.c.Slice()
	gap := F(77)
	if s.n > 1 && s.stride > s.d && !asmtest.SameBits(all[s.d], gap) {
		gap = all[s.d] // rows that were never set have the canary between them
		if gap == gap {
			t.Fatalf("an element between rows became %v", gap)
		}
	}
	for i, v := range all {
		switch {
		case i%s.stride >= s.d:
			if !asmtest.SameBits(v, gap) {
				t.Fatalf("element %d behind row %d was written: %v", i%s.stride, i/s.stride, v)
			}
		case !sameValue(v, want[i/s.stride*s.d+i%s.stride]):
			t.Fatalf("row %d, element %d is %v, want %v", i/s.stride, i%s.stride, v, want[i/s.stride*s.d+i%s.stride])
		}
	}
}

func sameValue[F num.Float](a, b F) bool {
	return asmtest.SameBits(a, b) || a != a && b != b
}

func log2(d int) int {
	l := 0
	for 1<<l < d {
		l++
	}
	return l
}

// TestSpecials puts ±0, NaN, ±Inf, denormals and the largest numbers into rows.
func TestSpecials(t *testing.T) {
	eachType(t, checkSpecials[float32], checkSpecials[float64])
}

func checkSpecials[F num.Float](t *testing.T) {
	special := asmtest.Specials[F]()
	asmtest.ForEachLevel(t, levels, func(t *testing.T) {
		r := rng.New(3, 0)
		for _, d := range []int{1, 2, 4, 8, 16, 32, 64, 128, 256, 1024, 16384} {
			if d > 256 && testing.Short() {
				break
			}
			for _, s := range scalings {
				for _, back := range []bool{false, true} {
					for trial := range 8 {
						x := asmtest.Normal[F](r, d)
						for range 1 + trial*d/16 {
							x[r.IntN(d)] = special[r.IntN(len(special))]
						}
						if trial == 7 {
							for i := range x {
								x[i] = special[1] // −0
							}
						}
						got, want, scratch := make([]F, d), make([]F, d), make([]F, Scratch(d))
						var f factors[F]
						f.fill(s, log2(d))
						if back {
							backwardGeneric(want, d, x, d, 1, d, scratch, f[:])
						} else {
							forwardGeneric(want, d, x, d, 1, d, scratch, f[:])
						}
						apply(back, got, d, x, d, 1, d, s, scratch)
						for i := range got {
							if !sameValue(got[i], want[i]) {
								t.Fatalf("%s, d %d, scaling %d: element %d is %v, want %v", name(back), d, s, i, got[i], want[i])
							}
						}
					}
				}
			}
		}
	})
}

// TestGuarded puts the operands beside pages without access.
func TestGuarded(t *testing.T) {
	eachType(t, checkGuarded[float32], checkGuarded[float64])
}

func checkGuarded[F num.Float](t *testing.T) {
	asmtest.ForEachLevel(t, levels, func(t *testing.T) {
		for _, d := range []int{1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 16384} {
			n := max(1, 64/d)
			asmtest.Guarded(t, n*d, func(x []F) {
				asmtest.Guarded(t, n*d, func(y []F) {
					asmtest.Guarded(t, Scratch(d), func(scratch []F) {
						for _, s := range scalings {
							apply(false, y, d, x, d, n, d, s, scratch)
							apply(true, y, d, x, d, n, d, s, scratch)
							apply(false, x, d, x, d, n, d, s, scratch)
							apply(true, x, d, x, d, n, d, s, scratch)
						}
					})
				})
			})
		}
	})
}

// TestInverse transforms forward and backward, which must give the same bits
// for integers, and checks Parseval's identity for the orthonormal transform.
func TestInverse(t *testing.T) {
	eachType(t, checkInverse[float32], checkInverse[float64])
}

func checkInverse[F num.Float](t *testing.T) {
	asmtest.ForEachLevel(t, levels, func(t *testing.T) {
		for _, d := range sizes() {
			x := asmtest.Integers[F](rng.New(4, uint64(d)), d, 8)
			y, scratch := slices.Clone(x), make([]F, Scratch(d))
			apply(false, y, d, y, d, 1, d, Ones, scratch)
			apply(true, y, d, y, d, 1, d, Inverse, scratch)
			if !slices.Equal(x, y) {
				t.Fatalf("d %d: the inverse does not give the row back", d)
			}
			apply(false, y, d, y, d, 1, d, Orthonormal, scratch)
			var a, b float64
			for i := range x {
				a += float64(x[i]) * float64(x[i])
				b += float64(y[i]) * float64(y[i])
			}
			eps := asmtest.Epsilon[F]()
			if !(math.Abs(a-b) <= 40*eps*a) {
				t.Errorf("d %d: the squared norm %v becomes %v", d, a, b)
			}
			apply(true, y, d, y, d, 1, d, Orthonormal, scratch)
			for i := range x {
				if !(math.Abs(float64(x[i]-y[i])) <= 40*eps*math.Sqrt(a)) {
					t.Fatalf("d %d: element %d is %v, want %v", d, i, y[i], x[i])
				}
			}
		}
	})
}

// TestAccuracy compares the errors with the bound of doc.go, by sums in
// big.Float.
func TestAccuracy(t *testing.T) {
	eachType(t, checkAccuracy[float32], checkAccuracy[float64])
}

func checkAccuracy[F num.Float](t *testing.T) {
	asmtest.ForEachLevel(t, levels, func(t *testing.T) {
		for _, d := range []int{8, 64, 256} {
			for _, s := range scalings {
				x := asmtest.Mixed[F](rng.New(5, uint64(d)), d)
				y := make([]F, d)
				apply(false, y, d, x, d, 1, d, s, make([]F, Scratch(d)))
				for q := range d {
					sum, mass, k := new(big.Float).SetPrec(2000), 0.0, 0
					for j := range d {
						if e := entry(d, q, j); e != 0 {
							sum.Add(sum, new(big.Float).SetFloat64(float64(e)*float64(x[j])))
							mass += math.Abs(float64(x[j]))
							k++
						}
					}
					w := weight(s, d, q)
					sum.Mul(sum, new(big.Float).SetFloat64(w))
					want, _ := sum.Float64()
					u := asmtest.Epsilon[F]() / 2
					bound := float64(log2(k)+4)*u*mass*w + 0x1p-1022
					if !(math.Abs(float64(y[q])-want) <= bound) {
						t.Fatalf("d %d, row %d: %v, want %v within %g", d, q, y[q], want, bound)
					}
				}
			}
		}
	})
}

func TestNoAllocation(t *testing.T) {
	x, scratch := make([]float64, 1<<15), make([]float64, 1<<14)
	for _, d := range []int{8, 256, 1 << 15} {
		if a := testing.AllocsPerRun(10, func() {
			Forward(x, d, x, d, 1, d, Orthonormal, scratch)
			Backward(x, d, x, d, 1, d, Orthonormal, scratch)
		}); a != 0 {
			t.Errorf("d %d: %v allocations", d, a)
		}
	}
}
