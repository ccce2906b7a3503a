package main

import (
	"fmt"
	"slices"
	"strings"
)

var panel = family{"panel", []routine{
	{
		Func: "sums(dst []F, ldd int, x, z []F, d, stride, rows, panels int, op Op, add int)",
		Cases: append(tiles(AVX512, 4, 12),
			variant{Levels: AVX2, Go: "sumsAVX2"},
			variant{Levels: NEON, Go: "sumsNEON"}),
	},
	{Func: "tile(dst *F, ldd int, x, z *F, d, stride, rows, panels int, op Op, add int)", Cases: tiles(AVX2|NEON, 4, 6), Direct: true},
	atAllLevels("norms(dst, p []F, width, d int)", "", "norms(dst, p *F, width, d int)"),
	{
		Func: "sparseRow(dst, z []F, stride, panels int, val []F, at, col []int32)",
		Cases: []variant{{
			Levels: AVX2 | AVX512 | NEON,
			Stub:   "sparse(dst, z *F, stride, panels int, val *F, at, col *int32, n int)",
			Args:   "dst, z, stride*128, panels, val, at, col, len(at)",
		}},
		Generic: "sparseGeneric",
	},
	{
		Func: "axpy(y []F, a F, x []F, at []int32, first int)",
		Cases: []variant{{
			Levels: AVX2 | NEON,
			Stub:   "axpy(y *F, a F, x *F, at *int32, n, first int)",
			Args:   "y, a, x, at, len(at), first",
		}},
	},
	streamed("gaussRows(dst []F, ldd int, s []F, lds int, xn, zn []F, rows, cols int, gamma, hi, lo, cut F, past bool)", "gaussGeneric(dst, ldd, s, lds, xn, zn, rows, cols, gamma)",
		"gauss", "(dst *F, ldd int, s *F, lds int, xn, zn *F, rows, cols int, hi, lo, cut F)"),
	streamed("expRows(dst []F, ldd int, s []F, lds int, rows, cols int, gamma, hi, lo, cut F, past bool)", "expGeneric(dst, ldd, s, lds, rows, cols, gamma)",
		"exp", "(dst *F, ldd int, s *F, lds int, rows, cols int, hi, lo, cut F)"),
	atAllLevels("distanceRows(dst []F, ldd int, s []F, lds int, xn, zn []F, rows, cols int)", "distanceGeneric",
		"distance(dst *F, ldd int, s *F, lds int, xn, zn *F, rows, cols int)"),
	atAllLevels("powerRows(dst []F, ldd int, s []F, lds int, rows, cols int, offset F, p int)", "powerGeneric",
		"power(dst *F, ldd int, s *F, lds int, rows, cols int, offset F, p int)"),
	atAllLevels("rowSums(sum, s []F, lds int, v []F, rows, cols int)", "",
		"rowSums(sum, s *F, lds int, v *F, rows, cols int)"),
	atAllLevels("colSums(sum, s []F, lds int, v []F, rows, cols int)", "",
		"colSums(sum, s *F, lds int, v *F, rows, cols int)"),
	{
		Func: "gaussSums(row, col, s []F, lds int, xn, zn, v, w []F, rows, cols int, gamma, scale F)",
		Cases: []variant{{
			Levels: AVX512 | NEON,
			Stub:   "gaussSums(row, col, s *F, lds int, xn, zn, v, w *F, rows, cols int, scale F)",
			Args:   "row, col, s, lds, xn, zn, v, w, rows, cols, scale",
		}},
		Generic: "gaussSumsInSteps(row, col, s, lds, xn, zn, v, w, rows, cols, gamma)",
	},
}}

// tiles lists the routines that sum by tiles of few rows or of many.
func tiles(l level, few, many int) (all []variant) {
	for i, name := range []string{"dot", "square", "absolute"} {
		for _, rows := range []int{few, many} {
			v := variant{
				Levels: l,
				When:   fmt.Sprintf("op == %s", []string{"Dot", "Squares", "Absolute"}[i]),
				Stub:   fmt.Sprintf("%s#x%d(dst *F, ldd int, x, z *F, d, stride, panels, add int)", name, rows),
				Args:   "dst, ldd, x, z, d, stride*128, panels, add",
			}
			if rows == few {
				v.When += fmt.Sprintf(" && rows == %d", few)
			}
			all = append(all, v)
		}
	}
	all[len(all)-1].When = "" // the last case takes all that is left
	return all
}

// atAllLevels returns a routine whose assembly takes its slices by pointers.
func atAllLevels(function, generic, stub string) routine {
	return routine{Func: function, Cases: []variant{{Levels: AVX2 | AVX512 | NEON, Stub: stub}}, Generic: generic}
}

// streamed returns a routine that has a second one, which passes the caches by.
func streamed(function, generic, name, parameters string) routine {
	r := atAllLevels(function, generic, name+parameters)
	r.Cases = append([]variant{{Levels: AVX2 | AVX512 | NEON, When: "past", Stub: name + "Stream" + parameters}}, r.Cases...)
	return r
}

const (
	rowArgs     = "dst=DI; ldd=R10; s=R9; lds=R11; SHLQ $LOG, R10; SHLQ $LOG, R11; rows=R13; "
	sumArgs     = "sum=DI; s=R9; lds=R11; SHLQ $LOG, R11; "
	rowArgsNEON = "dst=R0; ldd=R2; s=R1; lds=R3; LSL $LOG, R2; LSL $LOG, R3; rows=R6; "
	sumArgsNEON = "sum=R0; s=R1; lds=R3; LSL $LOG, R3; "
)

var panelAssembly = assembly{
	Names: []names{
		{AVX2 | AVX512, `W V0-V7 LOG=3|2 SIZE=8|4 CHUNK=128|64 VMOV=VMOVUP? VCOPY=VMOVAP? VMASKMOV=VMASKMOVP? VBCAST=VBROADCASTS? VADD=VADDP?
			VSUB=VSUBP? VMUL=VMULP? VMAX=VMAXP? VMIN=VMINP? VAND=VANDP? VFMA=VFMADD231P? VFNMA=VFNMADD231P? FOLD=FOLD# VADD1=VADDS?
			VMOV1=VMOVS? VFMA1=VFMADD231S? EXP=DECAY# FEW=FEW#`},
		{AVX2, "NOSIGN=noSign#<>(SB) TWO=two#<>(SB) EXPCONSTANTS=EXP#Y_CONSTANTS"},
		{AVX512, "TWOS=two#<>(SB) EXPCONSTANTS=EXP#Z_CONSTANTS EXP2=EXP2OF# GAUSSCONSTANTS=GAUSSCONSTANTS# TERNLOG=VPTERNLOGQ|VPTERNLOGD SHIFTRIGHT=VPSRLQ|VPSRLD"},
		{NEON, `LOG=3|2 SIZE=8|4 CHUNK=128|64 T=D2|S4 E=? FMOV1=FMOV? FADD1=FADD? FMADD1=FMADD? FADD=VFADD_D2|VFADD_S4
			FSUB=VFSUB_D2|VFSUB_S4 FMUL=VFMUL_D2|VFMUL_S4 FMAX=VFMAX_D2|VFMAX_S4 FABD=VFABD_D2|VFABD_S4 FMLAE=VFMLAE_D2|VFMLAE_S4
			FOLD=FOLD# EXPCONSTANTS=EXP#_CONSTANTS EXP=EXP#_DECAY FEW=SIX|THREE X4=FOURX# X6=SIXX#
			FMIN=VFMIN_D2|VFMIN_S4 FNEG=VFNEG_D2|VFNEG_S4 EXP2=EXP2OF# LEAST=0xc08ff00000000000|0xc2fc0000`},
	},
	Data: append(slices.Clone(expData), []data{
		// All bits but the sign.
		{"noSign64", AVX2, 64, 4, "0x7fffffffffffffff"},
		{"noSign32", AVX2, 32, 8, "0x7fffffff"},
		// A window into this is the mask of the first numbers of a vector.
		{"window", AVX2, 64, 4, "#-1 #0"},
		{"two64", AVX2, 64, 4, "2"},
		{"two32", AVX2, 32, 8, "2"},
		{"two64", AVX512, 64, 0, "2"},
		{"two32", AVX512, 32, 0, "2"},
		// The least exponent of a normal number; coefficients c1, c2, … of (2^f-1)/f for 0 <= f < 1/16, by interpolation in
		// Chebyshev nodes.
		{"power64", AVX512, 64, 0, "-1022 0.6931471805599448 0.24022650695962044 0.0555041085678426 0.009618135722740813 0.0013331520045529266 0.00015692444190046448"},
		{"power32", AVX512, 32, 0, "-126 0.69314724 0.24020511 0.056414664"},
	}...),
	Entries: append(tileEntries(), []entry{
		{"norms", AVX2 | AVX512, "dst=DI; p=SI; d=CX; width=R9; NORMSQ"},
		{"norms", NEON, "dst=R0; p=R4; d=R6; width=R1; NORMS"},
		{"sparse", AVX2 | AVX512, "dst=DI; z=BX; stride=R9; panels=R8; val=SI; at=R12; col=R13; n=CX; SPARSEPANELS"},
		{"sparse", NEON, "SPARSE(@dst, @z, @stride, @panels, @val, @at, @col, @n)"},
		{"axpy", AVX2, "a=X0; first=AX; SHLQ $LOG, AX; y=DI; SUBQ AX, DI; x=SI; at=BX; n=CX; AXPYQ; RET"},
		{"axpy", NEON, "y=R0; first=R4; LSL $LOG, R4; SUB R4, R0; a=F0; x=R1; at=R2; n=R3; AXPY"},
		// dst = exp(−γ·max(0, (xn+zn)−2s)), −γ·log2(e) = hi+lo; gaussStream passes the caches by.
		{"gauss", AVX2 | AVX512, rowArgs + "xn=R12; zn=BX; FACTOR(@hi, @lo, @cut); ZERO(NIL); LOADTWO; ROWS(@cols, 1, NORM, GAUSS, LASTGAUSS, NEXTNORM)"},
		{"gaussStream", AVX2 | AVX512, rowArgs + "xn=R12; zn=BX; FACTOR(@hi, @lo, @cut); ZERO(NIL); LOADTWO; STREAMROWS(@cols, NORM, STREAMGAUSS, LASTGAUSS, NEXTNORM)"},
		{"gauss", NEON, rowArgsNEON + "xn=R4; FACTOR(@hi, @lo, @cut); LOADTWO; ROWS(@cols, 1, NORM(@zn), GAUSS, GAUSS1)"},
		{"gaussStream", NEON, rowArgsNEON + "xn=R4; FACTOR(@hi, @lo, @cut); LOADTWO; ROWS(@cols, 2, NORM(@zn), STREAMGAUSS, GAUSS1)"},
		// dst = exp(−γ·s), s ≥ 0, −γ·log2(e) = hi+lo; expStream passes the caches by.
		{"exp", AVX2 | AVX512, rowArgs + "FACTOR(@hi, @lo, @cut); ROWS(@cols, 1, NOTHING, EXPS, LASTEXPS, NOTHING)"},
		{"expStream", AVX2 | AVX512, rowArgs + "FACTOR(@hi, @lo, @cut); STREAMROWS(@cols, NOTHING, STREAMEXPS, LASTEXPS, NOTHING)"},
		{"exp", NEON, rowArgsNEON + "FACTOR(@hi, @lo, @cut); ROWS(@cols, 1, NOTHING, EXPS, EXPS1)"},
		{"expStream", NEON, rowArgsNEON + "FACTOR(@hi, @lo, @cut); ROWS(@cols, 2, NOTHING, STREAMEXPS, EXPS1)"},
		// dst = max(0, (xn+zn)−2s).
		{"distance", AVX2 | AVX512, rowArgs + "xn=R12; zn=BX; ZERO(NIL); LOADTWO; COLUMNMASK(@cols); ROWS(@cols, GROUP, NORM, DISTANCES, LASTDISTANCES, NEXTNORM)"},
		{"distance", NEON, rowArgsNEON + "xn=R4; ZERO(V22); LOADTWO; ROWS(@cols, 4, NORM(@zn), DISTANCE4, DISTANCE1)"},
		// dst = (offset+s)^p, p ≥ 1.
		{"power", AVX2 | AVX512, rowArgs + "offset=OFFSET:all; p=SI; POWERARGQ; COLUMNMASK(@cols); ROWS(@cols, GROUP, NOTHING, POWERS, LASTPOWERS, NOTHING)"},
		{"power", NEON, rowArgsNEON + "offset=F31; VDUP V31.E[0], V31.T; p=R5; POWERARGS; ROWS(@cols, 4, NOTHING, POWER4, POWER1)"},
		{"rowSums", AVX2 | AVX512, sumArgs + "v=BX; rows=R13; COLUMNMASK(@cols); ROWSUMSQ(@cols)"},
		{"rowSums", NEON, sumArgsNEON + "ROWSUMS(@v, @rows, @cols)"},
		{"colSums", AVX2 | AVX512, sumArgs + "COLUMNMASK(@cols); COLSUMSQ(@v, @rows, @cols)"},
		{"colSums", NEON, sumArgsNEON + "COLSUMS(@v, @rows, @cols)"},
		{"gaussSums", AVX512, `row=DI; col=R10; s=R9; lds=R11; SHLQ $LOG, R11; xn=R12; zn=BX; v=R8; w=SI; rows=R13; ZERO(NIL); scale=TWOG:all
			GAUSSCONSTANTS; GAUSSSUMSQ(@cols)`},
		{"gaussSums", NEON, "row=R0; s=R1; lds=R3; LSL $LOG, R3; xn=R4; w=R5; rows=R6; GAUSSCONSTANTS(@scale); GAUSSSUMS(@zn, @v, @col, @cols)"},
	}...),
}

// tileEntries returns the entries of the tiles of sums.
func tileEntries() (all []entry) {
	const args = "(@dst, @ldd, @x, @z, @d, @stride, @panels, @add, ROWS"
	for _, name := range []string{"dot", "square", "absolute"} {
		for _, rows := range []string{"4", "6", "12"} {
			step, signs, neon := strings.ToUpper(name), "", "DOT"+rows
			if name == "absolute" {
				signs = "SIGNS; "
			}
			if name != "dot" {
				neon = "ROWS" + rows + "(" + step + ")"
			}
			all = append(all, entry{name + "#x" + rows, AVX2 | AVX512, signs + "SUMSQ" + args + rows + ", ZEROS" + rows + ", " + step + ")"},
				entry{name + "#x" + rows, NEON, "SUMS" + args + rows + ", " + neon + ")"})
		}
	}
	return all
}
