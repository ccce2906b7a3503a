package main

import "fmt"

// elem is the type of the elements.
type elem struct {
	bits   int    // 32 or 64
	suffix string // of the amd64 instructions
}

// isa is what the networks need to know of an instruction set.
type isa struct {
	level  string // suffix of the symbols
	width  int    // bytes of a vector
	regs   int
	memory bool // the second operand may be in memory
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

// add is d = a + b.
func (s *isa) add(e *emitter, b, a string, d int) string {
	if s.neon() {
		return fmt.Sprintf("VFADD_%s(%s, %s, %d)", e.arrangement(), b, a, d)
	}
	return fmt.Sprintf("VADD%s %s, %s, %s", e.elem.suffix, b, a, s.register(d))
}

// sub is d = a − b.
func (s *isa) sub(e *emitter, b, a string, d int) string {
	if s.neon() {
		return fmt.Sprintf("VFSUB_%s(%s, %s, %d)", e.arrangement(), b, a, d)
	}
	return fmt.Sprintf("VSUB%s %s, %s, %s", e.elem.suffix, b, a, s.register(d))
}

func (e *emitter) arrangement() string {
	if e.elem.bits == 32 {
		return "S4"
	}
	return "D2"
}

// lanes emits the stages inside vector i, the widest first: with s = ±1 by the
// half a lane is in, x + s·… is d = swapped + s·x, one shuffle and one fused
// multiply-add. The product is exact, so the sum is rounded as an addition.
func (s *isa) lanes(e *emitter, i int) {
	if s.neon() {
		a := e.load(i)
		if e.elem.bits == 64 {
			a = e.swapNEON(a, "VEXT $8, V%[1]d.B16, V%[1]d.B16, V%[2]d.B16", 31)
		} else {
			a = e.swapNEON(a, "VEXT $8, V%[1]d.B16, V%[1]d.B16, V%[2]d.B16", 30)
			a = e.swapNEON(a, "VREV64 V%[1]d.S4, V%[2]d.S4", 31)
		}
		e.reg[i] = a
		return
	}
	var a int
	if s.width == 64 {
		if e.reg[i] >= 0 {
			panic("the widest stage reads from memory")
		}
		t, u := e.take(), e.take()
		e.printf("VBROADCASTF64X4 %s, %s", e.home(i), s.register(t))
		e.printf("VBROADCASTF64X4 32+%s, %s", e.home(i), s.register(u))
		e.printf("VFMADD231%s %s, %s, %s", e.elem.suffix, e.sign(2+e.elem.bits%64/32), s.register(u), s.register(t))
		e.release(u)
		a = t
		a = e.swap(a, "VPERMPD $0x4E, %s, %s", 1+e.elem.bits%64/32)
	} else {
		a = e.load(i)
		a = e.swap(a, "VPERM2F128 $1, %[1]s, %[1]s, %[2]s", 1+e.elem.bits%64/32)
	}
	if e.elem.bits == 64 {
		a = e.swap(a, map[int]string{64: "VPERMILPD $0x55, %s, %s", 32: "VPERMILPD $5, %s, %s"}[s.width], 0)
	} else {
		a = e.swap(a, "VPERMILPS $0x4E, %s, %s", 1)
		a = e.swap(a, "VPERMILPS $0xB1, %s, %s", 0)
	}
	e.reg[i] = a
}

func (e *emitter) swap(a int, shuffle string, bit int) int {
	t := e.take()
	e.printf(shuffle, e.name(a), e.name(t))
	e.printf("VFMADD231%s %s, %s, %s", e.elem.suffix, e.sign(bit), e.name(a), e.name(t))
	e.release(a)
	return t
}

func (e *emitter) swapNEON(a int, shuffle string, sign int) int {
	t := e.take()
	e.printf(shuffle, a, t)
	e.printf("VFMLA V%d.%s, V%d.%s, V%d.%s", sign, e.lanesName(), a, e.lanesName(), t, e.lanesName())
	e.release(a)
	return t
}

func (e *emitter) lanesName() string {
	if e.elem.bits == 32 {
		return "S4"
	}
	return "D2"
}

// sign is the operand with −1 in the lanes that have bit set.
func (e *emitter) sign(bit int) string {
	return e.isa.register(e.isa.regs - 1 - bit)
}
