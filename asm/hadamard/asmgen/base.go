package main

import (
	"fmt"
	"strings"

	"github.com/gramworks/gram/asm/hadamard/paley"
)

// atOnce is the number of sums that are formed side by side.
const atOnce = 4

// base writes the entry of the product with a Hadamard matrix of order 12, 20 or 28.
func (f family) base(w *strings.Builder, e elem) {
	name := fmt.Sprintf("base%d%s", e.bits, f.isa.level)
	fmt.Fprintf(w, `
// func %s(x []float%d, m, h, width int)
TEXT ·%s(SB), 0, $%d-48
`, name, e.bits, name, f.frame())
	f.scratch(w)
	shift := 3
	if e.bits == 32 {
		shift = 2
	}
	if f.isa.neon() {
		fmt.Fprintf(w, "\tMOVD x_base+0(FP), R0\n\tMOVD m+24(FP), R1\n\tMOVD h+32(FP), R2\n\tMOVD width+40(FP), R3\n\tLSL $%d, R2\n\tLSL $%d, R3\n", shift, shift)
	} else {
		fmt.Fprintf(w, "\tMOVQ x_base+0(FP), SI\n\tMOVQ m+24(FP), DI\n\tMOVQ h+32(FP), AX\n\tMOVQ width+40(FP), R10\n\tSHLQ $%d, AX\n\tLEAQ (AX)(AX*2), BX\n\tLEAQ (AX)(AX*4), CX\n\tLEAQ (BX)(AX*4), DX\n", shift)
	}
	f.body(w, e, "base")
}

// baseNetworks returns the products with the matrices, for both types.
func (f family) baseNetworks() string {
	w := &strings.Builder{}
	fmt.Fprintf(w, `// The products with Hadamard matrices:
//
//   for c := range width { y = H_m*x for the m elements x[c], x[c+h], ... }
// m is 12, 20 or 28; width is a positive multiple of the lanes of a vector. Any alignment.
//   %s
// One vector of columns per iteration. The sums p and differences d of
// neighbouring rows stay in registers, or on the stack where there are too few;
// %d outputs are summed side by side to hide the latency of the additions.
// Invariant at each loop: the row pointers are at the first column not done.
`, f.baseRegisters(), atOnce)
	for _, m := range paley.Orders[1:] {
		if f.isa.neon() {
			fmt.Fprintf(w, "\tCMP $%d, R1\n\tBEQ base%d\n", m, m)
		} else {
			fmt.Fprintf(w, "\tCMPQ DI, $%d\n\tJEQ base%d\n", m, m)
		}
	}
	for _, m := range paley.Orders {
		f.baseOrder(w, m)
	}
	return w.String()
}

func (f family) baseOrder(w *strings.Builder, m int) {
	label := fmt.Sprintf("base%d", m)
	em := &emitter{isa: f.isa, elem: either, out: w}
	s := paley.Conference(m)
	half := m / 2
	pointers := []string{"SI", "DI", "R8", "R9"}
	fmt.Fprintf(w, "\n%s:\n", label)
	if !f.isa.neon() {
		for i := 1; 8*i < m; i++ {
			fmt.Fprintf(w, "\tLEAQ (%s)(AX*8), %s\n", pointers[i-1], pointers[i])
		}
	}
	fmt.Fprintf(w, "\n%sloop:\n", label)
	reg := func(r int) string { return f.isa.register(r) }
	inRegisters := m+atOnce <= f.isa.regs
	home := func(i int) string {
		return fmt.Sprintf("(%s)%s", pointers[i/8], multiples("AX", "BX", "CX", "DX")[i%8])
	}
	if f.isa.neon() {
		fmt.Fprint(w, "\tMOVD R0, R4\n")
	}
	for i := range half {
		a, b, t := m, 2*i+1, 2*i
		if !inRegisters {
			a, b, t = 0, 1, 2
		}
		if f.isa.neon() {
			fmt.Fprintf(w, "\tFMOVQ (R4), F%d\n\tADD R2, R4\n\tFMOVQ (R4), F%d\n\tADD R2, R4\n", a, b)
		} else {
			em.printf("%s", f.isa.load(em, home(2*i), a))
			em.printf("%s", f.isa.load(em, home(2*i+1), b))
		}
		em.printf("%s", f.isa.add(em, reg(b), reg(a), t))
		em.printf("%s", f.isa.sub(em, reg(b), reg(a), b))
		if !inRegisters {
			em.printf("%s", f.isa.store(em, t, f.slot(2*i)))
			em.printf("%s", f.isa.store(em, b, f.slot(2*i+1)))
		}
	}
	if f.isa.neon() {
		fmt.Fprint(w, "\tMOVD R0, R4\n")
	}
	for i := 0; i < half; i += atOnce / 2 {
		var sums []sum
		for r := range atOnce {
			if i+r/2 < half {
				acc := m + r
				if !inRegisters {
					acc = r
				}
				sums = append(sums, sum{2*i + r, acc})
			}
		}
		f.addRows(em, s, sums, inRegisters)
		for _, u := range sums {
			if f.isa.neon() {
				fmt.Fprintf(w, "\tFMOVQ F%d, (R4)\n\tADD R2, R4\n", u.acc)
			} else {
				em.printf("%s", f.isa.store(em, u.acc, home(u.row)))
			}
		}
	}
	if f.isa.neon() {
		fmt.Fprintf(w, "\tADD $16, R0\n\tSUBS $16, R3\n\tBNE %sloop\n\tRET\n", label)
		return
	}
	for i := 0; 8*i < m; i++ {
		fmt.Fprintf(w, "\tADDQ $%d, %s\n", f.isa.width, pointers[i])
	}
	fmt.Fprintf(w, "\tSUBQ $LANES, R10\n\tJNE %sloop\n\tVZEROUPPER\n\tRET\n", label)
}

// A sum is a row of the result and the register in which its terms add up.
type sum struct{ row, acc int }

// addRows writes the sums of some rows. Their terms are p_i and d_i with the signs in a row of s;
// the sums take turns, so that each addition has the time of the others to end.
func (f family) addRows(em *emitter, s [][]int8, sums []sum, inRegisters bool) {
	reg := func(r int) string { return f.isa.register(r) }
	// operand returns the operand of p_i (k = 2i) or d_i (k = 2i+1).
	operand := func(k int) string {
		if inRegisters {
			return reg(k)
		}
		return f.slot(k)
	}
	for _, u := range sums { // the first two terms
		k, first := u.row/2, 0
		if k == 0 {
			first = 1
		}
		switch {
		case u.row%2 == 0 && inRegisters:
			em.printf("%s", f.isa.add(em, reg(2*first), reg(2*k+1), u.acc))
		case u.row%2 == 1 && inRegisters:
			em.printf("%s", f.isa.sub(em, reg(2*k), reg(2*first+1), u.acc))
		case u.row%2 == 0:
			em.printf("%s", f.isa.load(em, operand(2*k+1), u.acc))
			em.printf("%s", f.isa.add(em, operand(2*first), reg(u.acc), u.acc))
		default:
			em.printf("%s", f.isa.load(em, operand(2*first+1), u.acc))
			em.printf("%s", f.isa.sub(em, operand(2*k), reg(u.acc), u.acc))
		}
	}
	for j := range s {
		for _, u := range sums {
			k := u.row / 2
			if j == 0 || k == 0 && j == 1 {
				continue
			}
			switch s[k][j] {
			case 1:
				em.printf("%s", f.isa.add(em, operand(2*j+u.row%2), reg(u.acc), u.acc))
			case -1:
				em.printf("%s", f.isa.sub(em, operand(2*j+u.row%2), reg(u.acc), u.acc))
			}
		}
	}
}

func (f family) baseRegisters() string {
	if f.isa.neon() {
		return "R0 first row, R2 h in bytes, R3 bytes of columns left, R4 row"
	}
	return "SI, DI, R8, R9 rows 0, 8, 16, 24; AX, BX, CX, DX 1, 3, 5, 7 times h in bytes;\n//   R10 columns left, R14 scratch memory"
}

// scale writes the routine that multiplies a vector by a number in place.
func (f family) scale(w *strings.Builder, e elem) {
	name := fmt.Sprintf("scale%d%s", e.bits, f.isa.level)
	step := 4 * f.isa.width * 8 / e.bits
	fmt.Fprintf(w, `
// func %s(x []float%d, a float%d)
//   for i := range x { x[i] *= a }
// len(x) >= %d is a multiple of %d. Any alignment. Bound by memory: four vectors
// per iteration are enough.
`, name, e.bits, e.bits, step, step)
	fmt.Fprintf(w, "TEXT ·%s(SB), NOSPLIT, $0-%d\n", name, 24+e.bits/8)
	v := func(r int) string { return f.isa.register(r) }
	if f.isa.neon() {
		arr, mov := e.arrangement(), map[int]string{64: "FMOVD", 32: "FMOVS"}[e.bits]
		dup := map[int]string{64: "D[0]", 32: "S[0]"}[e.bits]
		fmt.Fprintf(w, "\tMOVD x_base+0(FP), R0\n\tMOVD x_len+8(FP), R1\n\t%s a+24(FP), F4\n\tVDUP V4.%s, V4.%s\n\nscale%d:\n", mov, dup, arr, e.bits)
		for i := range 4 {
			fmt.Fprintf(w, "\tFMOVQ %d(R0), F%d\n", 16*i, i)
		}
		for i := range 4 {
			fmt.Fprintf(w, "\tVFMUL_%s(4, %d, %d)\n", arr, i, i)
		}
		for i := range 4 {
			fmt.Fprintf(w, "\tFMOVQ F%d, %d(R0)\n", i, 16*i)
		}
		fmt.Fprintf(w, "\tADD $64, R0\n\tSUBS $%d, R1\n\tBNE scale%d\n\tRET\n", step, e.bits)
		return
	}
	fmt.Fprintf(w, "\tMOVQ x_base+0(FP), SI\n\tMOVQ x_len+8(FP), CX\n\tVBROADCAST%s a+24(FP), %s\n\nscale%d:\n", "S"+e.suffix[1:], v(4), e.bits)
	for i := range 4 {
		fmt.Fprintf(w, "\tVMUL%s %d(SI), %s, %s\n", e.suffix, i*f.isa.width, v(4), v(i))
	}
	for i := range 4 {
		fmt.Fprintf(w, "\tVMOVU%s %s, %d(SI)\n", e.suffix, v(i), i*f.isa.width)
	}
	fmt.Fprintf(w, "\tADDQ $%d, SI\n\tSUBQ $%d, CX\n\tJNE scale%d\n\tVZEROUPPER\n\tRET\n", 4*f.isa.width, step, e.bits)
}

// product writes the product of vectors, element by element.
func (f family) product(w *strings.Builder, e elem) {
	name := fmt.Sprintf("product%d%s", e.bits, f.isa.level)
	lanes := f.isa.width * 8 / e.bits
	fmt.Fprintf(w, `
// func %s(dst, x, s []float%d)
//   for i := range dst { dst[i] = x[i] * s[i] }
// len(dst) >= %d is a multiple of %d, x and s are as long; dst is x or does not
// overlap it. Any alignment. Bound by loads and stores: one vector per iteration
// is enough.
`, name, e.bits, lanes, lanes)
	fmt.Fprintf(w, "TEXT ·%s(SB), NOSPLIT, $0-72\n", name)
	if f.isa.neon() {
		fmt.Fprintf(w, "\tMOVD dst_base+0(FP), R0\n\tMOVD dst_len+8(FP), R1\n\tMOVD x_base+24(FP), R2\n\tMOVD s_base+48(FP), R3\n\nproduct%d:\n", e.bits)
		fmt.Fprintf(w, "\tFMOVQ.P 16(R2), F0\n\tFMOVQ.P 16(R3), F1\n\tVFMUL_%s(1, 0, 0)\n\tFMOVQ.P F0, 16(R0)\n\tSUBS $%d, R1\n\tBNE product%d\n\tRET\n", e.arrangement(), lanes, e.bits)
		return
	}
	v, u := f.isa.register(0), e.suffix
	fmt.Fprintf(w, "\tMOVQ dst_base+0(FP), DI\n\tMOVQ dst_len+8(FP), CX\n\tMOVQ x_base+24(FP), SI\n\tMOVQ s_base+48(FP), DX\n\tSHLQ $%d, CX\n\tXORQ AX, AX\n\nproduct%d:\n", e.bits/32+1, e.bits)
	fmt.Fprintf(w, "\tVMOVU%s (SI)(AX*1), %s\n\tVMUL%s (DX)(AX*1), %s, %s\n\tVMOVU%s %s, (DI)(AX*1)\n", u, v, u, v, v, u, v)
	fmt.Fprintf(w, "\tADDQ $%d, AX\n\tCMPQ AX, CX\n\tJNE product%d\n\tVZEROUPPER\n\tRET\n", f.isa.width, e.bits)
}
