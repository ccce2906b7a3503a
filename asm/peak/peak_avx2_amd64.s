//go:build !noasm

#include "textflag.h"

#define W 32
#define BLOCK (12*W)
#define V0 Y0
#define V1 Y1
#define V2 Y2
#define V3 Y3
#define V4 Y4
#define V5 Y5
#define V6 Y6
#define V7 Y7
#define A Y12
#define B Y13
#define XB X13

#define ROWS(OP) \
	OP(0, Y0); \
	OP(1, Y1); \
	OP(2, Y2); \
	OP(3, Y3); \
	OP(4, Y4); \
	OP(5, Y5); \
	OP(6, Y6); \
	OP(7, Y7); \
	OP(8, Y8); \
	OP(9, Y9); \
	OP(10, Y10); \
	OP(11, Y11)

// Half of the chains add while the other half multiplies, then they change places, so that both kinds of units have
// work at any time.
#define MIX(ADD, FMA) \
	ADD(0, Y0); \
	FMA(6, Y6); \
	ADD(1, Y1); \
	FMA(7, Y7); \
	ADD(2, Y2); \
	FMA(8, Y8); \
	ADD(3, Y3); \
	FMA(9, Y9); \
	ADD(4, Y4); \
	FMA(10, Y10); \
	ADD(5, Y5); \
	FMA(11, Y11); \
	FMA(0, Y0); \
	ADD(6, Y6); \
	FMA(1, Y1); \
	ADD(7, Y7); \
	FMA(2, Y2); \
	ADD(8, Y8); \
	FMA(3, Y3); \
	ADD(9, Y9); \
	FMA(4, Y4); \
	ADD(10, Y10); \
	FMA(5, Y5); \
	ADD(11, Y11)

// The sum is in Y0 already.
#define HALF(ADDV)

#include "peak_amd64.h"

// func fma64AVX2(x []float64, a, b float64, rounds int)   for rounds: x[i] += a·b; see REGISTERS
TEXT ·fma64AVX2(SB), NOSPLIT, $0-48
	MOVQ x_base+0(FP), DI
	MOVQ x_len+8(FP), CX
	SHLQ $3, CX
	VBROADCASTSD a+24(FP), A
	VBROADCASTSD b+32(FP), B
	MOVQ rounds+40(FP), R9
block:
	REGISTERS(ROWS(FMA64))
	JNE  block
	VZEROUPPER
	RET

// func add64AVX2(x []float64, b float64, rounds int)   for rounds: x[i] += b; see REGISTERS
TEXT ·add64AVX2(SB), NOSPLIT, $0-40
	MOVQ x_base+0(FP), DI
	MOVQ x_len+8(FP), CX
	SHLQ $3, CX
	VBROADCASTSD b+24(FP), B
	MOVQ rounds+32(FP), R9
block:
	REGISTERS(ROWS(ADD64))
	JNE  block
	VZEROUPPER
	RET

// func mix64AVX2(x []float64, a, b float64, rounds int)   for rounds: x[i] += b; x[i] += a·b; see REGISTERS, MIX
TEXT ·mix64AVX2(SB), NOSPLIT, $0-48
	MOVQ x_base+0(FP), DI
	MOVQ x_len+8(FP), CX
	SHLQ $3, CX
	VBROADCASTSD a+24(FP), A
	VBROADCASTSD b+32(FP), B
	MOVQ rounds+40(FP), R9
block:
	REGISTERS(MIX(ADD64, FMA64))
	JNE  block
	VZEROUPPER
	RET

// func sum64AVX2(x []float64) float64   see SUM
TEXT ·sum64AVX2(SB), NOSPLIT, $0-32
	MOVQ x_base+0(FP), SI
	MOVQ x_len+8(FP), CX
	SHLQ $3, CX
	SUM(VADDPD, VADDSD, 8)
	HALF(VADDPD)
	FOLD64
	VMOVSD X0, ret+24(FP)
	VZEROUPPER
	RET

// func move64AVX2(dst, src []float64)   see COPY
TEXT ·move64AVX2(SB), NOSPLIT, $0-48
	MOVQ dst_base+0(FP), DI
	MOVQ src_base+24(FP), SI
	MOVQ src_len+32(FP), CX
	SHLQ $3, CX
	COPY
	VZEROUPPER
	RET

// func shift64AVX2(x []float64, b float64)   see SHIFT
TEXT ·shift64AVX2(SB), NOSPLIT, $0-32
	MOVQ x_base+0(FP), DI
	MOVQ x_len+8(FP), CX
	SHLQ $3, CX
	VBROADCASTSD b+24(FP), B
	SHIFT(VADDPD, VADDSD, VMOVSD, 8, XB)
	VZEROUPPER
	RET

// func fill64AVX2(dst []float64, v float64)   see FILL
TEXT ·fill64AVX2(SB), NOSPLIT, $0-32
	MOVQ dst_base+0(FP), DI
	MOVQ dst_len+8(FP), CX
	SHLQ $3, CX
	VBROADCASTSD v+24(FP), B
	FILL(VMOVSD, 8, XB)
	VZEROUPPER
	RET

// func stream64AVX2(dst []float64, v float64)   see STREAM
TEXT ·stream64AVX2(SB), NOSPLIT, $0-32
	MOVQ dst_base+0(FP), DI
	MOVQ dst_len+8(FP), CX
	SHLQ $3, CX
	VBROADCASTSD v+24(FP), B
	STREAM
	VZEROUPPER
	RET

// func fma32AVX2(x []float32, a, b float32, rounds int)   for rounds: x[i] += a·b; see REGISTERS
TEXT ·fma32AVX2(SB), NOSPLIT, $0-40
	MOVQ x_base+0(FP), DI
	MOVQ x_len+8(FP), CX
	SHLQ $2, CX
	VBROADCASTSS a+24(FP), A
	VBROADCASTSS b+28(FP), B
	MOVQ rounds+32(FP), R9
block:
	REGISTERS(ROWS(FMA32))
	JNE  block
	VZEROUPPER
	RET

// func add32AVX2(x []float32, b float32, rounds int)   for rounds: x[i] += b; see REGISTERS
TEXT ·add32AVX2(SB), NOSPLIT, $0-40
	MOVQ x_base+0(FP), DI
	MOVQ x_len+8(FP), CX
	SHLQ $2, CX
	VBROADCASTSS b+24(FP), B
	MOVQ rounds+32(FP), R9
block:
	REGISTERS(ROWS(ADD32))
	JNE  block
	VZEROUPPER
	RET

// func mix32AVX2(x []float32, a, b float32, rounds int)   for rounds: x[i] += b; x[i] += a·b; see REGISTERS, MIX
TEXT ·mix32AVX2(SB), NOSPLIT, $0-40
	MOVQ x_base+0(FP), DI
	MOVQ x_len+8(FP), CX
	SHLQ $2, CX
	VBROADCASTSS a+24(FP), A
	VBROADCASTSS b+28(FP), B
	MOVQ rounds+32(FP), R9
block:
	REGISTERS(MIX(ADD32, FMA32))
	JNE  block
	VZEROUPPER
	RET

// func sum32AVX2(x []float32) float32   see SUM
TEXT ·sum32AVX2(SB), NOSPLIT, $0-28
	MOVQ x_base+0(FP), SI
	MOVQ x_len+8(FP), CX
	SHLQ $2, CX
	SUM(VADDPS, VADDSS, 4)
	HALF(VADDPS)
	FOLD32
	VMOVSS X0, ret+24(FP)
	VZEROUPPER
	RET

// func move32AVX2(dst, src []float32)   see COPY
TEXT ·move32AVX2(SB), NOSPLIT, $0-48
	MOVQ dst_base+0(FP), DI
	MOVQ src_base+24(FP), SI
	MOVQ src_len+32(FP), CX
	SHLQ $2, CX
	COPY
	VZEROUPPER
	RET

// func shift32AVX2(x []float32, b float32)   see SHIFT
TEXT ·shift32AVX2(SB), NOSPLIT, $0-28
	MOVQ x_base+0(FP), DI
	MOVQ x_len+8(FP), CX
	SHLQ $2, CX
	VBROADCASTSS b+24(FP), B
	SHIFT(VADDPS, VADDSS, VMOVSS, 4, XB)
	VZEROUPPER
	RET

// func fill32AVX2(dst []float32, v float32)   see FILL
TEXT ·fill32AVX2(SB), NOSPLIT, $0-28
	MOVQ dst_base+0(FP), DI
	MOVQ dst_len+8(FP), CX
	SHLQ $2, CX
	VBROADCASTSS v+24(FP), B
	FILL(VMOVSS, 4, XB)
	VZEROUPPER
	RET

// func stream32AVX2(dst []float32, v float32)   see STREAM
TEXT ·stream32AVX2(SB), NOSPLIT, $0-28
	MOVQ dst_base+0(FP), DI
	MOVQ dst_len+8(FP), CX
	SHLQ $2, CX
	VBROADCASTSS v+24(FP), B
	STREAM
	VZEROUPPER
	RET
