package codes

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"unsafe"

	"github.com/gramworks/gram/asm/cpu"
	"github.com/gramworks/gram/internal/asmtest"
	"github.com/gramworks/gram/internal/must"
)

// lengths are all up to a few blocks and those around the size of a call.
func lengths(block, call int) []int {
	var n []int
	for i := range 4*block + 4 {
		n = append(n, i)
	}
	return append(n, call-1, call, call+1, 2*call+block+3)
}

// integers returns n numbers of the given range, at random or all at its ends.
func integers[T uint8 | int8](r *rand.Rand, n, lo, hi, kind int) []T {
	x := make([]T, n)
	for i := range x {
		switch kind {
		case 0:
			x[i] = T(lo + r.IntN(hi-lo+1))
		case 1:
			x[i] = T(lo)
		default:
			x[i] = T(hi)
		}
	}
	return x
}

// TestBits compares the counts of bits with a count bit by bit, for every length and
// offset.
func TestBits(t *testing.T) {
	asmtest.ForEachLevel(t, levels, func(t *testing.T) {
		r := rand.New(rand.NewPCG(1, 2))
		for _, n := range lengths(words, mostWords) {
			for off := range 8 {
				if n > 100 && off > 1 {
					break
				}
				a, b := make([]uint64, n+off), make([]uint64, n+7-off)
				for i := range a {
					a[i] = r.Uint64()
				}
				for i := range b {
					b[i] = r.Uint64()
				}
				if n%5 == 4 {
					for i := range a[off:] { // all bits differ
						a[off+i] = ^b[7-off+i]
					}
				}
				differ, common := 0, 0
				for i, v := range a[off:] {
					for bit := range 64 {
						p, q := v>>bit&1, b[7-off+i]>>bit&1
						differ += int(p ^ q)
						common += int(p & q)
					}
				}
				if got := Hamming(a[off:], b[7-off:]); got != differ {
					t.Fatalf("%d words, offset %d: %d bits differ, want %d", n, off, got, differ)
				}
				if got := Common(a[off:], b[7-off:]); got != common {
					t.Fatalf("%d words, offset %d: %d common bits, want %d", n, off, got, common)
				}
			}
		}
	})
}

// TestBytes compares sums of bytes with sums number by number, for every length and
// offset, random numbers and those of the largest sums.
func TestBytes(t *testing.T) {
	asmtest.ForEachLevel(t, levels, func(t *testing.T) {
		r := rand.New(rand.NewPCG(3, 4))
		for _, n := range lengths(bytes, mostBytes) {
			for off := range 8 {
				if n > 300 && off > 0 || n > 130 && off > 2 || testing.Short() && off > 2 {
					break
				}
				for kind := range 3 {
					a := integers[uint8](r, n+off, 0, 255, kind)[off:]
					b := integers[uint8](r, n+7-off, 0, 255, 2*(kind%2))[7-off:]
					low := integers[int8](r, 2*n+7-off, -128, 127, (kind+off)%3)[7-off:]
					signed := integers[int8](r, n+off, -128, 127, (kind+1)%3)[off:]
					dot, dot4, squares, squares4, dotSigned, squaresSigned := 0, 0, 0, 0, 0, 0
					for i, v := range a {
						dot += int(v) * int(low[i])
						dot4 += int(v%16)*int(low[i]) + int(v/16)*int(low[n+i])
						dotSigned += int(signed[i]) * int(low[i])
						squaresSigned += (int(signed[i]) - int(low[i])) * (int(signed[i]) - int(low[i]))
						squares += (int(v) - int(b[i])) * (int(v) - int(b[i]))
						p, q := int(v%16)-int(b[i]%16), int(v/16)-int(b[i]/16)
						squares4 += p*p + q*q
					}
					if got := Dot8(a, low); got != dot {
						t.Fatalf("%d bytes, offset %d, kind %d: Dot8 %d, want %d", n, off, kind, got, dot)
					}
					if got := Dot4(a, low); got != dot4 {
						t.Fatalf("%d bytes, offset %d, kind %d: Dot4 %d, want %d", n, off, kind, got, dot4)
					}
					if got := Squares8(a, b); got != squares {
						t.Fatalf("%d bytes, offset %d, kind %d: Squares8 %d, want %d", n, off, kind, got, squares)
					}
					if got := DotSigned(signed, low); got != dotSigned {
						t.Fatalf("%d bytes, offset %d, kind %d: DotSigned %d, want %d", n, off, kind, got, dotSigned)
					}
					if got := SquaresSigned(signed, low); got != squaresSigned {
						t.Fatalf("%d bytes, offset %d, kind %d: SquaresSigned %d, want %d", n, off, kind, got, squaresSigned)
					}
					if got := Squares4(a, b); got != squares4 {
						t.Fatalf("%d bytes, offset %d, kind %d: Squares4 %d, want %d", n, off, kind, got, squares4)
					}
				}
			}
		}
	})
}

// TestGuarded puts bytes with signs beside pages without access.
func TestGuarded(t *testing.T) {
	signed := func(x []float64) []int8 { return unsafe.Slice((*int8)(unsafe.Pointer(&x[0])), 8*len(x)) }
	asmtest.ForEachLevel(t, levels, func(t *testing.T) {
		const room = 40
		asmtest.Guarded(t, room, func(x []float64) {
			asmtest.Guarded(t, room, func(y []float64) {
				a, b := signed(x), signed(y)
				for i := range a {
					a[i], b[i] = int8(37*i), int8(-91*i)
				}
				for n := range 8*room + 1 {
					for _, ends := range []bool{false, true} {
						p, q := a[:n], b[:n]
						if ends {
							p, q = a[8*room-n:], b[8*room-n:]
						}
						if dot, squares := DotSigned(p, q), SquaresSigned(p, q); dot != dotSignedGeneric(p, q) || squares != squaresSignedGeneric(p, q) {
							t.Fatalf("%d bytes: %d, %d", n, dot, squares)
						}
					}
				}
			})
		})
	})
}

func TestPanics(t *testing.T) {
	for i, body := range []func(){
		func() { Hamming(make([]uint64, 2), make([]uint64, 1, 9)) },
		func() { Common(make([]uint64, 9), make([]uint64, 8, 99)) },
		func() { Dot8(make([]uint8, 65), make([]int8, 64, 99)) },
		func() { Dot4(make([]uint8, 64), make([]int8, 127, 200)) },
		func() { Squares8(make([]uint8, 2), make([]uint8, 1, 9)) },
		func() { Squares4(make([]uint8, 65), make([]uint8, 64, 99)) },
		func() { DotSigned(make([]int8, 2), make([]int8, 1, 9)) },
		func() { SquaresSigned(make([]int8, 65), make([]int8, 64, 99)) },
	} {
		if must.Recovered(body) == nil {
			t.Errorf("case %d does not panic", i)
		}
	}
}

func TestDispatch(t *testing.T) {
	w, a, b := make([]uint64, 20), make([]uint8, 200), make([]int8, 400)
	asmtest.Dispatch(t, levels, []asmtest.Call{
		{Name: "Hamming", Run: func() { Hamming(w, w) }},
		{Name: "Common", Run: func() { Common(w, w) }},
		{Name: "Dot8", Run: func() { Dot8(a, b) }},
		{Name: "Dot4", Run: func() { Dot4(a, b) }},
		{Name: "Squares8", Run: func() { Squares8(a, a) }},
		{Name: "Squares4", Run: func() { Squares4(a, a) }},
		{Name: "DotSigned", Run: func() { DotSigned(b, b) }},
		{Name: "SquaresSigned", Run: func() { SquaresSigned(b, b) }},
	})
}

// FuzzCodes compares all levels with the generic code.
func FuzzCodes(f *testing.F) {
	f.Add([]byte("some bytes, from which all operands are taken, more than one block of them in any case, please"))
	f.Fuzz(func(t *testing.T, raw []byte) {
		n := len(raw) / 3
		a, b, signed := raw[:n], raw[n:2*n], make([]int8, 2*n)
		for i := range signed {
			signed[i] = int8(raw[len(raw)-2*n+i])
		}
		x, y := make([]uint64, n), make([]uint64, n)
		for i := range x {
			x[i], y[i] = uint64(a[i])*0x9e3779b97f4a7c15, uint64(b[i])*0xbf58476d1ce4e5b9
		}
		results := func() []int {
			return []int{Hamming(x, y), Common(x, y), Dot8(a, signed), Dot4(a, signed), Squares8(a, b), Squares4(a, b),
				DotSigned(signed[:n], signed[n:]), SquaresSigned(signed[:n], signed[n:])}
		}
		var want []int
		asmtest.AtGeneric(func() { want = results() })
		for _, l := range asmtest.Available(levels) {
			asmtest.At(l, func() {
				if got := results(); !slices.Equal(got, want) {
					t.Errorf("level %v: %v, want %v", l, got, want)
				}
			})
		}
	})
}

func BenchmarkCodes(b *testing.B) {
	const d = 1024
	w, a, s := make([]uint64, d/64), make([]uint8, d), make([]int8, d)
	for _, l := range asmtest.Available(append([]cpu.Level(nil), levels...)) {
		for name, body := range map[string]func(){
			"Hamming": func() { Hamming(w, w) }, "Dot8": func() { Dot8(a, s) },
			"Dot4": func() { Dot4(a[:d/2], s) }, "Squares8": func() { Squares8(a, a) }, "Squares4": func() { Squares4(a[:d/2], a[:d/2]) },
			"DotSigned": func() { DotSigned(s, s) }, "SquaresSigned": func() { SquaresSigned(s, s) },
		} {
			b.Run(fmt.Sprintf("%s/d=%d/isa=%v", name, d, l), func(b *testing.B) {
				asmtest.At(l, func() {
					for b.Loop() {
						body()
					}
				})
			})
		}
	}
}
