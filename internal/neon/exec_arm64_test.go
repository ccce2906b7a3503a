package neon

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
)

type lanes interface {
	~float32 | ~float64 | ~int8 | ~int16 | ~int32 | ~int64 | ~uint8 | ~uint16 | ~uint32
}

// map3 applies f to each lane.
func map3[T lanes](f func(m, n, d T) T) func(m, n, d vec, i int) vec {
	return func(m, n, d vec, _ int) vec {
		x, y, z := load[T](m), load[T](n), load[T](d)
		for k := range z {
			z[k] = f(x[k], y[k], z[k])
		}
		return store(z)
	}
}

// cmp returns a mask of all ones where f holds.
func cmp[F, I lanes](f func(m, n F) bool) func(m, n, d vec, i int) vec {
	return func(m, n, _ vec, _ int) vec {
		x, y := load[F](m), load[F](n)
		z := make([]I, len(x))
		for k := range z {
			if f(x[k], y[k]) {
				z[k]--
			}
		}
		return store(z)
	}
}

// element applies f with lane i of m for all lanes.
func element[T lanes](f func(m, n, d T) T) func(m, n, d vec, i int) vec {
	return func(m, n, d vec, i int) vec {
		x, y, z := load[T](m), load[T](n), load[T](d)
		for k := range z {
			z[k] = f(x[i], y[k], z[k])
		}
		return store(z)
	}
}

// convert converts the lanes of n from A to B by f.
func convert[A, B lanes](f func(n A) B) func(m, n, d vec, i int) vec {
	return func(_, n, _ vec, _ int) vec {
		y := load[A](n)
		z := make([]B, len(y))
		for k := range z {
			z[k] = f(y[k])
		}
		return store(z)
	}
}

func pairs[T lanes](m, n, _ vec, _ int) vec {
	all := append(load[T](n), load[T](m)...)
	z := make([]T, len(all)/2)
	for k := range z {
		z[k] = all[2*k] + all[2*k+1]
	}
	return store(z)
}

func shift[T lanes](f func(n T, i int) T) func(m, n, d vec, i int) vec {
	return func(_, n, _ vec, i int) vec {
		y := load[T](n)
		for k := range y {
			y[k] = f(y[k], i)
		}
		return store(y)
	}
}

func fma32(m, n, d float32) float32 {
	// The exact product and sum in float64 round once more than a fused
	// instruction; the operands of the test are so short that this makes no
	// difference.
	return float32(float64(m)*float64(n) + float64(d))
}

// reference computes each instruction in Go.
var reference = map[string]func(m, n, d vec, i int) vec{
	"VFADD_S4": map3(func(m, n, _ float32) float32 { return n + m }), "VFADD_D2": map3(func(m, n, _ float64) float64 { return n + m }),
	"VFSUB_S4": map3(func(m, n, _ float32) float32 { return n - m }), "VFSUB_D2": map3(func(m, n, _ float64) float64 { return n - m }),
	"VFMUL_S4": map3(func(m, n, _ float32) float32 { return n * m }), "VFMUL_D2": map3(func(m, n, _ float64) float64 { return n * m }),
	"VFDIV_S4": map3(func(m, n, _ float32) float32 { return n / m }), "VFDIV_D2": map3(func(m, n, _ float64) float64 { return n / m }),
	"VFMAX_S4": map3(func(m, n, _ float32) float32 { return max(m, n) }), "VFMAX_D2": map3(func(m, n, _ float64) float64 { return max(m, n) }),
	"VFMIN_S4": map3(func(m, n, _ float32) float32 { return min(m, n) }), "VFMIN_D2": map3(func(m, n, _ float64) float64 { return min(m, n) }),
	"VFABD_S4":  map3(func(m, n, _ float32) float32 { return float32(math.Abs(float64(n - m))) }),
	"VFABD_D2":  map3(func(m, n, _ float64) float64 { return math.Abs(n - m) }),
	"VFADDP_S4": pairs[float32], "VFADDP_D2": pairs[float64],
	"VFCMEQ_S4": cmp[float32, int32](func(m, n float32) bool { return n == m }), "VFCMEQ_D2": cmp[float64, int64](func(m, n float64) bool { return n == m }),
	"VFCMGE_S4": cmp[float32, int32](func(m, n float32) bool { return n >= m }), "VFCMGE_D2": cmp[float64, int64](func(m, n float64) bool { return n >= m }),
	"VFCMGT_S4": cmp[float32, int32](func(m, n float32) bool { return n > m }), "VFCMGT_D2": cmp[float64, int64](func(m, n float64) bool { return n > m }),
	"VFABS_S4": map3(func(_, n, _ float32) float32 { return float32(math.Abs(float64(n))) }), "VFABS_D2": map3(func(_, n, _ float64) float64 { return math.Abs(n) }),
	"VFNEG_S4": map3(func(_, n, _ float32) float32 { return -n }), "VFNEG_D2": map3(func(_, n, _ float64) float64 { return -n }),
	"VFSQRT_S4":  map3(func(_, n, _ float32) float32 { return float32(math.Sqrt(float64(n))) }),
	"VFSQRT_D2":  map3(func(_, n, _ float64) float64 { return math.Sqrt(n) }),
	"VFRINTN_S4": map3(func(_, n, _ float32) float32 { return float32(math.RoundToEven(float64(n))) }),
	"VFRINTN_D2": map3(func(_, n, _ float64) float64 { return math.RoundToEven(n) }),
	"VFRINTM_S4": map3(func(_, n, _ float32) float32 { return float32(math.Floor(float64(n))) }),
	"VFRINTM_D2": map3(func(_, n, _ float64) float64 { return math.Floor(n) }),
	"VFCVTNS_S4": convert(func(n float32) int32 { return int32(math.RoundToEven(float64(n))) }),
	"VFCVTNS_D2": convert(func(n float64) int64 { return int64(math.RoundToEven(n)) }),
	"VFCVTZS_S4": convert(func(n float32) int32 { return int32(n) }), "VFCVTZS_D2": convert(func(n float64) int64 { return int64(n) }),
	"VSCVTF_S4": convert(func(n int32) float32 { return float32(n) }), "VSCVTF_D2": convert(func(n int64) float64 { return float64(n) }),
	"VFMLAE_S4": element(fma32), "VFMLAE_D2": element(func(m, n, d float64) float64 { return math.FMA(m, n, d) }),
	"VFMLSE_S4": element(func(m, n, d float32) float32 { return fma32(-m, n, d) }), "VFMLSE_D2": element(func(m, n, d float64) float64 { return math.FMA(-m, n, d) }),
	"VFMULE_S4": element(func(m, n, _ float32) float32 { return m * n }), "VFMULE_D2": element(func(m, n, _ float64) float64 { return m * n }),
	"VCMGT_S4": cmp[int32, int32](func(m, n int32) bool { return n > m }), "VCMGT_D2": cmp[int64, int64](func(m, n int64) bool { return n > m }),
	"VSSHL_S4": map3(func(m, n, _ int32) int32 { return sshl(n, int8(m)) }), "VSSHL_D2": map3(func(m, n, _ int64) int64 { return sshl(n, int8(m)) }),
	"VSSHR_S4": shift(func(n int32, i int) int32 { return n >> i }), "VSSHR_D2": shift(func(n int64, i int) int64 { return n >> i }),
	"VFCVTL": func(_, n, _ vec, _ int) vec {
		y := load[float32](n)
		return store([]float64{float64(y[0]), float64(y[1])})
	},
	"VFCVTL2": func(_, n, _ vec, _ int) vec {
		y := load[float32](n)
		return store([]float64{float64(y[2]), float64(y[3])})
	},
	"VFCVTN": func(_, n, _ vec, _ int) vec {
		y := load[float64](n)
		return store([]float32{float32(y[0]), float32(y[1]), 0, 0})
	},
	"VFCVTN2": func(_, n, d vec, _ int) vec {
		y, z := load[float64](n), load[float32](d)
		return store([]float32{z[0], z[1], float32(y[0]), float32(y[1])})
	},
	"VXTN_S2": func(_, n, _ vec, _ int) vec {
		y := load[int64](n)
		return store([]int32{int32(y[0]), int32(y[1]), 0, 0})
	},
	"VSXTL_D2": func(_, n, _ vec, _ int) vec {
		y := load[int32](n)
		return store([]int64{int64(y[0]), int64(y[1])})
	},
	"VSXTL_H8":   widen(0),
	"VSXTL2_H8":  widen(8),
	"VSMLAL_S4":  multiplyAdd(0),
	"VSMLAL2_S4": multiplyAdd(4),
	"VSMULL_H8":  multiply[int8, int16](0, false),
	"VSMULL2_H8": multiply[int8, int16](8, false),
	"VSMLAL_H8":  multiply[int8, int16](0, true),
	"VSMLAL2_H8": multiply[int8, int16](8, true),
	"VUMULL_H8":  multiply[uint8, uint16](0, false),
	"VUMULL2_H8": multiply[uint8, uint16](8, false),
	"VSADALP_S4": addPairs[int16, int32],
	"VUADALP_S4": addPairs[uint16, uint32],
	"VSABD_B16":  map3(func(m, n, _ int8) int8 { return max(m, n) - min(m, n) }),
	"VUABD_B16":  map3(func(m, n, _ uint8) uint8 { return max(m, n) - min(m, n) }),
	"VSTNP":      func(_, n, _ vec, _ int) vec { return n },
}

// widen returns eight int8 from the given lane on as int16.
func widen(from int) func(m, n, d vec, i int) vec {
	return func(_, n, _ vec, _ int) vec {
		y, z := load[int8](n), make([]int16, 8)
		for k := range z {
			z[k] = int16(y[from+k])
		}
		return store(z)
	}
}

// multiply returns the products of eight bytes from the given lane on, added to d or not.
func multiply[T, D lanes](from int, add bool) func(m, n, d vec, i int) vec {
	return func(m, n, d vec, _ int) vec {
		x, y, z := load[T](m), load[T](n), load[D](d)
		for k := range z {
			if !add {
				z[k] = 0
			}
			z[k] += D(x[from+k]) * D(y[from+k])
		}
		return store(z)
	}
}

// addPairs adds the sums of neighbors.
func addPairs[T, D lanes](_, n, d vec, _ int) vec {
	y, z := load[T](n), load[D](d)
	for k := range z {
		z[k] += D(y[2*k]) + D(y[2*k+1])
	}
	return store(z)
}

// multiplyAdd adds the products of four int16 from the given lane on.
func multiplyAdd(from int) func(m, n, d vec, i int) vec {
	return func(m, n, d vec, _ int) vec {
		x, y, z := load[int16](m), load[int16](n), load[int32](d)
		for k := range z {
			z[k] += int32(x[from+k]) * int32(y[from+k])
		}
		return store(z)
	}
}

func sshl[T int32 | int64](n T, by int8) T {
	if by < 0 {
		return n >> -by
	}
	return n << by
}

// TestExecution runs every macro on operands of the type in its name and
// compares bits with the reference.
func TestExecution(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	ran := 0
	for _, in := range Table {
		ref := reference[in.Name]
		if ref == nil {
			t.Errorf("%s has no reference", in.Name)
			continue
		}
		for _, imm := range in.immediates() {
			for _, v := range in.variants() {
				call := in.Name + "(" + strings.Trim(strings.ReplaceAll(fmt.Sprint(in.operands(imm, v)), " ", ", "), "[]") + ")"
				f := run[call]
				if f == nil {
					t.Fatalf("no function for %s", call)
				}
				for range 50 {
					p := operands(r, in.Name)
					want := ref(p[0], p[1], p[2], int(imm))
					q := p
					f(&q)
					if q[2] != want || in.Form == Pair && q[1] != p[0] {
						t.Fatalf("%s on %v: got %v, want %v", call, p, q[2], want)
					}
					ran++
				}
			}
		}
	}
	if ran == 0 || len(reference) != len(Table) {
		t.Errorf("%d runs, %d references for %d instructions", ran, len(reference), len(Table))
	}
}

// operands returns three vectors that suit the instruction: floats of either
// width with ties and equal lanes among them, or integers.
func operands(r *rand.Rand, name string) (p [3]vec) {
	half := func() float64 { return float64(r.IntN(201)-100) / 2 }
	for i := range p {
		switch {
		case strings.HasPrefix(name, "VSCVTF_S4"), strings.HasPrefix(name, "VSXTL"), name == "VCMGT_S4", name == "VSSHR_S4":
			p[i] = store([]int32{int32(r.Uint32()), int32(r.IntN(5)), -7, int32(r.Uint32())})
		case strings.HasPrefix(name, "VSSHL_S4"):
			p[i] = store([]int32{int32(r.IntN(61) - 30), int32(r.IntN(61) - 30), 3, -3})
		case strings.HasPrefix(name, "VSSHL_D2"):
			p[i] = store([]int64{int64(r.IntN(101) - 50), int64(r.IntN(101) - 50)})
		case strings.HasPrefix(name, "VSCVTF"), strings.HasPrefix(name, "VXTN"), name == "VCMGT_D2", name == "VSSHR_D2":
			p[i] = store([]int64{int64(r.Uint64()) >> r.IntN(60), int64(r.IntN(5))})
		case strings.HasSuffix(name, "_D2"), strings.HasPrefix(name, "VFCVTN"):
			p[i] = store([]float64{half(), r.NormFloat64()})
		default:
			p[i] = store([]float32{float32(half()), float32(half()), float32(half()) / 4, 3})
		}
	}
	if strings.HasPrefix(name, "VFSQRT") {
		for i := range p {
			p[i][15] &= 0x7f
			p[i][11] &= 0x7f
			p[i][7] &= 0x7f
			p[i][3] &= 0x7f
		}
	}
	return p
}

func load[T lanes](v vec) []T {
	var zero T
	x := make([]T, 16/binary.Size(zero))
	if _, err := binary.Decode(v[:], binary.LittleEndian, x); err != nil {
		panic(err)
	}
	return x
}

func store[T lanes](x []T) (v vec) {
	if _, err := binary.Encode(v[:], binary.LittleEndian, x); err != nil {
		panic(err)
	}
	return v
}
