// Package neon has the Advanced SIMD instructions that the Go assembler lacks
// (of the vector float instructions it has only VFMLA and VFMLS). A table
// gives their encodings. Two things are generated from the table: a header
// with one macro per instruction, of which every directory of arm64 kernels
// has a copy, and functions that run each macro in a test.
//
// A kernel package gets its copy by
//
//	//go:generate go run github.com/gramworks/gram/internal/neon/gen
//
// and includes "neon_arm64.h". A test here fails when a copy is stale.
//
// Operands are register numbers in the order of the Go assembler, which is the
// reverse of the order in Arm's manual: sources first, destination last. So
// VFSUB_D2(m, n, d) computes Vd = Vn − Vm.
package neon

import (
	"fmt"
	"strings"
)

//go:generate go run ./gen -exec

// Form is the operand list of an instruction.
type Form int

// The operand lists, as the macros of neon_arm64.h take them.
const (
	MND  Form = iota // (m, n, d)
	ND               // (n, d)
	Lane             // (lane, m, n, d): element lane of Vm
	Imm              // (shift, n, d)
	Pair             // (i, m, n, d): Vm and Vn to memory, 16·i bytes behind the address in Rd
)

// Inst is one encoded instruction. Name ends in the arrangement, such as D2 or
// S4, or in what else tells instructions apart.
type Inst struct {
	Name string
	Base uint32
	Form Form
	GNU  string // syntax of the GNU assembler with {m}, {n}, {d}, {i}
	Doc  string // result in terms of lanes
}

// float3 and float2 return both arrangements of an instruction.
func float3(name string, s4, d2 uint32, gnu, doc string) []Inst {
	return []Inst{
		{"V" + name + "_S4", s4, MND, gnu + " v{d}.4s, v{n}.4s, v{m}.4s", doc},
		{"V" + name + "_D2", d2, MND, gnu + " v{d}.2d, v{n}.2d, v{m}.2d", doc},
	}
}

func float2(name string, s4, d2 uint32, gnu, doc string) []Inst {
	return []Inst{
		{"V" + name + "_S4", s4, ND, gnu + " v{d}.4s, v{n}.4s", doc},
		{"V" + name + "_D2", d2, ND, gnu + " v{d}.2d, v{n}.2d", doc},
	}
}

func laneForms(name string, s4, d2 uint32, gnu, doc string) []Inst {
	return []Inst{
		{"V" + name + "_S4", s4, Lane, gnu + " v{d}.4s, v{n}.4s, v{m}.s[{i}]", doc},
		{"V" + name + "_D2", d2, Lane, gnu + " v{d}.2d, v{n}.2d, v{m}.d[{i}]", doc},
	}
}

// Table lists all instructions, in the order of the macros in neon_arm64.h.
var Table = join(
	float3("FADD", 0x4E20D400, 0x4E60D400, "fadd", "d = n + m"),
	float3("FSUB", 0x4EA0D400, 0x4EE0D400, "fsub", "d = n - m"),
	float3("FMUL", 0x6E20DC00, 0x6E60DC00, "fmul", "d = n * m"),
	float3("FDIV", 0x6E20FC00, 0x6E60FC00, "fdiv", "d = n / m"),
	float3("FMAX", 0x4E20F400, 0x4E60F400, "fmax", "d = max(n, m), NaN if one is NaN"),
	float3("FMIN", 0x4EA0F400, 0x4EE0F400, "fmin", "d = min(n, m), NaN if one is NaN"),
	float3("FABD", 0x6EA0D400, 0x6EE0D400, "fabd", "d = |n - m|"),
	float3("FADDP", 0x6E20D400, 0x6E60D400, "faddp", "d = sums of neighbors of n, then of m"),
	float3("FCMEQ", 0x4E20E400, 0x4E60E400, "fcmeq", "d = n == m ? all ones : 0"),
	float3("FCMGE", 0x6E20E400, 0x6E60E400, "fcmge", "d = n >= m ? all ones : 0"),
	float3("FCMGT", 0x6EA0E400, 0x6EE0E400, "fcmgt", "d = n > m ? all ones : 0"),
	float2("FABS", 0x4EA0F800, 0x4EE0F800, "fabs", "d = |n|"),
	float2("FNEG", 0x6EA0F800, 0x6EE0F800, "fneg", "d = -n"),
	float2("FSQRT", 0x6EA1F800, 0x6EE1F800, "fsqrt", "d = sqrt(n)"),
	float2("FRINTN", 0x4E218800, 0x4E618800, "frintn", "d = n to the nearest integer, ties to even"),
	float2("FRINTM", 0x4E219800, 0x4E619800, "frintm", "d = floor(n)"),
	float2("FCVTNS", 0x4E21A800, 0x4E61A800, "fcvtns", "d = integer nearest to n, ties to even"),
	float2("FCVTZS", 0x4EA1B800, 0x4EE1B800, "fcvtzs", "d = integer next to n toward 0"),
	float2("SCVTF", 0x4E21D800, 0x4E61D800, "scvtf", "d = float of the signed integer n"),
	laneForms("FMLAE", 0x4F801000, 0x4FC01000, "fmla", "d = d + n * m[i], fused"),
	laneForms("FMLSE", 0x4F805000, 0x4FC05000, "fmls", "d = d - n * m[i], fused"),
	laneForms("FMULE", 0x4F809000, 0x4FC09000, "fmul", "d = n * m[i]"),
	float3("CMGT", 0x4EA03400, 0x4EE03400, "cmgt", "d = n > m ? all ones : 0, signed integers"),
	float3("SSHL", 0x4EA04400, 0x4EE04400, "sshl", "d = n << m, or n >> -m for negative m, signed integers"),
	[]Inst{
		{"VSSHR_S4", 0x4F000400 | 64<<16, Imm, "sshr v{d}.4s, v{n}.4s, #{i}", "d = n >> i, signed integers"},
		{"VSSHR_D2", 0x4F000400 | 128<<16, Imm, "sshr v{d}.2d, v{n}.2d, #{i}", "d = n >> i, signed integers"},
		{"VFCVTL", 0x0E617800, ND, "fcvtl v{d}.2d, v{n}.2s", "d (2 float64) = low 2 float32 of n"},
		{"VFCVTL2", 0x4E617800, ND, "fcvtl2 v{d}.2d, v{n}.4s", "d (2 float64) = high 2 float32 of n"},
		{"VFCVTN", 0x0E616800, ND, "fcvtn v{d}.2s, v{n}.2d", "low 2 float32 of d = n (2 float64), high = 0"},
		{"VFCVTN2", 0x4E616800, ND, "fcvtn2 v{d}.4s, v{n}.2d", "high 2 float32 of d = n (2 float64), low kept"},
		{"VXTN_S2", 0x0EA12800, ND, "xtn v{d}.2s, v{n}.2d", "low 2 int32 of d = low halves of n (2 int64), high = 0"},
		{"VSXTL_D2", 0x0F20A400, ND, "sxtl v{d}.2d, v{n}.2s", "d (2 int64) = low 2 int32 of n"},
		{"VSXTL_H8", 0x0F08A400, ND, "sxtl v{d}.8h, v{n}.8b", "d (8 int16) = low 8 int8 of n"},
		{"VSXTL2_H8", 0x4F08A400, ND, "sxtl2 v{d}.8h, v{n}.16b", "d (8 int16) = high 8 int8 of n"},
		{"VSMLAL_S4", 0x0E608000, MND, "smlal v{d}.4s, v{n}.4h, v{m}.4h", "d (4 int32) = d + n * m, low 4 int16"},
		{"VSMLAL2_S4", 0x4E608000, MND, "smlal2 v{d}.4s, v{n}.8h, v{m}.8h", "d (4 int32) = d + n * m, high 4 int16"},
		{"VSMULL_H8", 0x0E20C000, MND, "smull v{d}.8h, v{n}.8b, v{m}.8b", "d (8 int16) = n * m, low 8 int8"},
		{"VSMULL2_H8", 0x4E20C000, MND, "smull2 v{d}.8h, v{n}.16b, v{m}.16b", "d (8 int16) = n * m, high 8 int8"},
		{"VSMLAL_H8", 0x0E208000, MND, "smlal v{d}.8h, v{n}.8b, v{m}.8b", "d (8 int16) = d + n * m, low 8 int8"},
		{"VSMLAL2_H8", 0x4E208000, MND, "smlal2 v{d}.8h, v{n}.16b, v{m}.16b", "d (8 int16) = d + n * m, high 8 int8"},
		{"VUMULL_H8", 0x2E20C000, MND, "umull v{d}.8h, v{n}.8b, v{m}.8b", "d (8 uint16) = n * m, low 8 uint8"},
		{"VUMULL2_H8", 0x6E20C000, MND, "umull2 v{d}.8h, v{n}.16b, v{m}.16b", "d (8 uint16) = n * m, high 8 uint8"},
		{"VSADALP_S4", 0x4E606800, ND, "sadalp v{d}.4s, v{n}.8h", "d (4 int32) = d + sums of neighbors of n (8 int16)"},
		{"VUADALP_S4", 0x6E606800, ND, "uadalp v{d}.4s, v{n}.8h", "d (4 uint32) = d + sums of neighbors of n (8 uint16)"},
		{"VSABD_B16", 0x4E207400, MND, "sabd v{d}.16b, v{n}.16b, v{m}.16b", "d = |n - m|, 16 int8"},
		{"VUABD_B16", 0x6E207400, MND, "uabd v{d}.16b, v{n}.16b, v{m}.16b", "d = |n - m|, 16 uint8"},
		{"VSTNP", 0xAC000000, Pair, "stnp q{m}, q{n}, [x{d}, #{i}*16]", "m, n to the 32 bytes at Rd + 16*i, which the caches need not keep"},
	},
)

func join(lists ...[]Inst) []Inst {
	var all []Inst
	for _, l := range lists {
		all = append(all, l...)
	}
	return all
}

// Macro returns the #define line of an instruction.
func (in Inst) Macro() string {
	args, fields := "", "(m)<<16 | "
	switch in.Form {
	case MND:
		args = "m, n, d"
	case ND:
		args, fields = "n, d", ""
	case Lane:
		args = "i, m, n, d"
		if strings.HasSuffix(in.Name, "_D2") {
			fields += "(i)<<11 | "
		} else {
			fields += "((i)&1)<<21 | ((i)>>1)<<11 | "
		}
	case Pair:
		return fmt.Sprintf("#define %s(i, m, n, d) WORD $(0x%08X | ((i)&127)<<15 | (n)<<10 | (d)<<5 | (m))", in.Name, in.Base)
	case Imm:
		// The field holds twice the lane's width minus the shift. Base has the
		// first term, at bit 16, and the shift is subtracted.
		return fmt.Sprintf("#define %s(i, n, d) WORD $(0x%08X - ((i)<<16) + ((n)<<5) + (d))", in.Name, in.Base)
	}
	return fmt.Sprintf("#define %s(%s) WORD $(0x%08X | %s(n)<<5 | (d))", in.Name, args, in.Base, fields)
}

// Header returns the text of neon_arm64.h, with a macro for each instruction of Table.
func Header() string {
	var b strings.Builder
	b.WriteString(`// Code generated from the table in internal/neon; DO NOT EDIT.
//
// Advanced SIMD instructions that the Go assembler does not know. Operands are
// register numbers, sources first, destination last, as in the Go assembler.

`)
	for _, in := range Table {
		fmt.Fprintf(&b, "// %s: %s\n%s\n", in.Name, in.Doc, in.Macro())
	}
	return b.String()
}

// variants returns the register numbers (m, n, d) with which the tests run every
// macro: every bit of the three fields is 0 in one of them and 1 in the other, but that
// Go keeps R28 for itself.
func (in Inst) variants() [][3]uint32 {
	if in.Form == Pair {
		return [][3]uint32{{1, 2, 3}, {30, 29, 12}}
	}
	return [][3]uint32{{1, 2, 3}, {30, 29, 28}}
}

// immediates returns the lanes and shifts that the tests use.
func (in Inst) immediates() []uint32 {
	switch {
	case in.Form == Lane && strings.HasSuffix(in.Name, "_D2"):
		return []uint32{0, 1}
	case in.Form == Lane:
		return []uint32{0, 1, 2, 3}
	case in.Form == Imm:
		return []uint32{1, 13, 31}
	case in.Form == Pair:
		return []uint32{0, 21, 42, 63}
	}
	return []uint32{0}
}

func (in Inst) operands(imm uint32, v [3]uint32) []uint32 {
	switch in.Form {
	case MND:
		return v[:]
	case ND:
		return v[1:]
	case Lane, Pair:
		return []uint32{imm, v[0], v[1], v[2]}
	default:
		return []uint32{imm, v[1], v[2]}
	}
}

// Exec returns the text of the assembly and Go files that run every macro,
// with one function for each instruction, immediate and choice of registers.
func Exec() (asm, stubs string) {
	var a, g strings.Builder
	a.WriteString(`// Code generated from the table in internal/neon; DO NOT EDIT.

#include "textflag.h"
#include "neon_arm64.h"

// Each function loads m, n and d from p[0], p[1], p[2], runs one macro and
// stores d to p[2]; that of a pair stores m to p[1] and n to p[2].
`)
	g.WriteString(`// Code generated from the table in internal/neon; DO NOT EDIT.

package neon

type vec [16]byte

// run holds, for "macro(operands)", a function that executes it on m, n, d.
var run = map[string]func(p *[3]vec){
`)
	var decl strings.Builder
	k := 0
	for _, in := range Table {
		for _, imm := range in.immediates() {
			for _, v := range in.variants() {
				call := in.Name + "(" + strings.Trim(strings.ReplaceAll(fmt.Sprint(in.operands(imm, v)), " ", ", "), "[]") + ")"
				fmt.Fprintf(&a, "\n// func exec%d(p *[3]vec)\nTEXT ·exec%d(SB), NOSPLIT, $0-8\n\tMOVD p+0(FP), R0\n", k, k)
				for i := range 3 {
					fmt.Fprintf(&a, "\tVLD1.P 16(R0), [V%d.B16]\n", v[i])
				}
				if in.Form == Pair {
					fmt.Fprintf(&a, "\tSUB  $%d, R0, R%d\n\t%s\n\tRET\n", 32+16*imm, v[2], call)
				} else {
					fmt.Fprintf(&a, "\t%s\n\tSUB  $16, R0\n\tVST1 [V%d.B16], (R0)\n\tRET\n", call, v[2])
				}
				fmt.Fprintf(&g, "\t%q: exec%d,\n", call, k)
				fmt.Fprintf(&decl, "\n//go:noescape\nfunc exec%d(p *[3]vec)\n", k)
				k++
			}
		}
	}
	g.WriteString("}\n")
	g.WriteString(decl.String())
	return a.String(), g.String()
}
