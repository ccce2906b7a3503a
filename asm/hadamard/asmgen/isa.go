package main

import "fmt"

// elem is the type of the elements of a network.
type elem struct {
	bits   int    // 32 or 64, or 0 for either
	suffix string // suffix of the amd64 instructions
}

// arrangement returns the suffix of a NEON operand.
func (e elem) arrangement() string {
	return map[int]string{64: "D2", 32: "S4", 0: "T"}[e.bits]
}

// isa describes an instruction set as far as the networks depend on it.
type isa struct {
	level  string // suffix of the symbols
	width  int    // width of a vector in bytes
	regs   int
	memory bool // whether the second operand may be in memory
	prefix string
}

func (s *isa) register(r int) string { return fmt.Sprintf("%s%d", s.prefix, r) }

func (s *isa) neon() bool { return s.level == "NEON" }

func (s *isa) load(e *emitter, from string, r int) string {
	if s.neon() {
		return fmt.Sprintf("FMOVQ %s, F%d", from, r)
	}
	return fmt.Sprintf("VMOVU%s %s, %s", e.elem.suffix, from, s.register(r))
}

func (s *isa) store(e *emitter, r int, to string) string {
	if s.neon() {
		return fmt.Sprintf("FMOVQ F%d, %s", r, to)
	}
	return fmt.Sprintf("VMOVU%s %s, %s", e.elem.suffix, s.register(r), to)
}

// add returns the instruction for register d = a + b.
func (s *isa) add(e *emitter, b, a string, d int) string {
	if s.neon() {
		return fmt.Sprintf("VFADD_%s(%s, %s, %d)", e.elem.arrangement(), b, a, d)
	}
	return fmt.Sprintf("VADD%s %s, %s, %s", e.elem.suffix, b, a, s.register(d))
}

// sub writes d = a − b. On amd64 a share of the subtractions into a or b are
// macros, which become subtractions or multiply-adds.
func (s *isa) sub(e *emitter, b, a string, d int) string {
	if s.neon() {
		return fmt.Sprintf("VFSUB_%s(%s, %s, %d)", e.elem.arrangement(), b, a, d)
	}
	into := s.register(d)
	if e.due += e.share; e.due >= 1 && (into == a || into == b) {
		e.due--
		if into == b {
			return fmt.Sprintf("SUB%s(%s, %s)", e.elem.suffix, a, b)
		}
		return fmt.Sprintf("SUBMEM%s(%s, %s)", e.elem.suffix, b, a)
	}
	return fmt.Sprintf("VSUB%s %s, %s, %s", e.elem.suffix, b, a, s.register(d))
}

// multiply emits the product of register r with an operand in memory.
func (s *isa) multiply(e *emitter, by string, r int) {
	if s.neon() {
		t := e.take()
		e.printf("%s", s.load(e, by, t))
		e.printf("VFMUL_%s(%d, %d, %d)", e.elem.arrangement(), t, r, r)
		e.release(t)
		return
	}
	e.printf("VMUL%s %s, %s, %s", e.elem.suffix, by, s.register(r), s.register(r))
}

// lanes emits the stages inside the vectors, the widest first, for all vectors
// together. With s = −1 in the lanes of the upper half of each pair and +1 in
// the others, x becomes swapped + s·x, by one shuffle and one fused
// multiply-add. The product is exact, so the sum is rounded like an addition.
// For the widest stage the macro HALVES of AVX-512 loads a vector, which it multiplies by
// factors or not, once with what is added and once for the factors of sign.
func (s *isa) lanes(e *emitter, vectors []int) {
	e.pinned = vectors
	a := make([]int, len(vectors))
	swap := func(bit int, shuffle string) {
		t := make([]int, len(vectors))
		for k := range vectors {
			t[k] = e.take()
			e.printf(shuffle, s.register(a[k]), s.register(t[k]))
		}
		for k := range vectors {
			if s.neon() {
				e.printf("VFMLA V%[1]d.%[4]s, V%[2]d.%[4]s, V%[3]d.%[4]s", s.regs-1-bit, a[k], t[k], e.elem.arrangement())
			} else {
				e.printf("VFMADD231%s %s, %s, %s", e.elem.suffix, e.sign(bit), s.register(a[k]), s.register(t[k]))
			}
			e.release(a[k])
			a[k] = t[k]
			e.reg[vectors[k]] = a[k]
		}
	}
	top := 0 // the highest bit inside 128 bits
	if e.elem.bits == 32 {
		top = 1
	}
	switch s.width {
	case 64:
		u := make([]int, len(vectors))
		for k, v := range vectors {
			if e.reg[v] >= 0 {
				panic("the widest stage reads from memory")
			}
			a[k], u[k] = e.take(), e.take()
			e.reg[v] = a[k]
			e.printf("HALVES(%s, %s, %s, %s)", e.home(v), e.factor(v), s.register(a[k]), s.register(u[k]))
		}
		for k := range vectors {
			e.printf("VFMADD231%s %s, %s, %s", e.elem.suffix, e.sign(top+2), s.register(u[k]), s.register(a[k]))
			e.release(u[k])
		}
		swap(top+1, "VPERMPD $0x4E, %s, %s")
	case 32:
		for k, v := range vectors {
			a[k] = e.load(v)
		}
		swap(top+1, "VPERM2F128 $1, %[1]s, %[1]s, %[2]s")
	case 16:
		for k, v := range vectors {
			a[k] = e.load(v)
		}
	}
	swap(top, map[[2]int]string{
		{64, 64}: "VPERMILPD $0x55, %s, %s",
		{32, 64}: "VPERMILPD $5, %s, %s",
		{16, 64}: "VEXT $8, V%[1]s.B16, V%[1]s.B16, V%[2]s.B16",
		{64, 32}: "VPERMILPS $0x4E, %s, %s",
		{32, 32}: "VPERMILPS $0x4E, %s, %s",
		{16, 32}: "VEXT $8, V%[1]s.B16, V%[1]s.B16, V%[2]s.B16",
	}[[2]int{s.width, e.elem.bits}])
	if e.elem.bits == 32 {
		if s.neon() {
			swap(0, "VREV64 V%s.S4, V%s.S4")
		} else {
			swap(0, "VPERMILPS $0xB1, %s, %s")
		}
	}
}

// sign returns the operand with −1 in the lanes whose number has the bit set.
func (e *emitter) sign(bit int) string {
	return e.isa.register(e.isa.regs - 1 - bit)
}
