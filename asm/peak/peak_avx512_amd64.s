//go:build !noasm

#include "textflag.h"

#define W 64
#define BLOCK (24*W)
#define V0 Z0
#define V1 Z1
#define V2 Z2
#define V3 Z3
#define V4 Z4
#define V5 Z5
#define V6 Z6
#define V7 Z7
#define A Z24
#define B Z25
#define XB X25

#define ROWS(OP) \
	OP(0, Z0); \
	OP(1, Z1); \
	OP(2, Z2); \
	OP(3, Z3); \
	OP(4, Z4); \
	OP(5, Z5); \
	OP(6, Z6); \
	OP(7, Z7); \
	OP(8, Z8); \
	OP(9, Z9); \
	OP(10, Z10); \
	OP(11, Z11); \
	OP(12, Z12); \
	OP(13, Z13); \
	OP(14, Z14); \
	OP(15, Z15); \
	OP(16, Z16); \
	OP(17, Z17); \
	OP(18, Z18); \
	OP(19, Z19); \
	OP(20, Z20); \
	OP(21, Z21); \
	OP(22, Z22); \
	OP(23, Z23)

// Half of the chains add while the other half multiplies, then they change places, so that both kinds of units have
// work at any time.
#define MIX(ADD, FMA) \
	ADD(0, Z0); \
	FMA(12, Z12); \
	ADD(1, Z1); \
	FMA(13, Z13); \
	ADD(2, Z2); \
	FMA(14, Z14); \
	ADD(3, Z3); \
	FMA(15, Z15); \
	ADD(4, Z4); \
	FMA(16, Z16); \
	ADD(5, Z5); \
	FMA(17, Z17); \
	ADD(6, Z6); \
	FMA(18, Z18); \
	ADD(7, Z7); \
	FMA(19, Z19); \
	ADD(8, Z8); \
	FMA(20, Z20); \
	ADD(9, Z9); \
	FMA(21, Z21); \
	ADD(10, Z10); \
	FMA(22, Z22); \
	ADD(11, Z11); \
	FMA(23, Z23); \
	FMA(0, Z0); \
	ADD(12, Z12); \
	FMA(1, Z1); \
	ADD(13, Z13); \
	FMA(2, Z2); \
	ADD(14, Z14); \
	FMA(3, Z3); \
	ADD(15, Z15); \
	FMA(4, Z4); \
	ADD(16, Z16); \
	FMA(5, Z5); \
	ADD(17, Z17); \
	FMA(6, Z6); \
	ADD(18, Z18); \
	FMA(7, Z7); \
	ADD(19, Z19); \
	FMA(8, Z8); \
	ADD(20, Z20); \
	FMA(9, Z9); \
	ADD(21, Z21); \
	FMA(10, Z10); \
	ADD(22, Z22); \
	FMA(11, Z11); \
	ADD(23, Z23)

// The upper half of Z0 is added to Y0.
#define HALF(ADDV) \
	VEXTRACTF64X4 $1, Z0, Y1; \
	ADDV Y1, Y0, Y0

#include "peak_amd64.h"

// func fma64AVX512(x []float64, a, b float64, rounds int)   for rounds: x[i] += a·b; see REGISTERS
TEXT ·fma64AVX512(SB), NOSPLIT, $0-48
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

// func add64AVX512(x []float64, b float64, rounds int)   for rounds: x[i] += b; see REGISTERS
TEXT ·add64AVX512(SB), NOSPLIT, $0-40
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

// func mix64AVX512(x []float64, a, b float64, rounds int)   for rounds: x[i] += b; x[i] += a·b; see REGISTERS, MIX
TEXT ·mix64AVX512(SB), NOSPLIT, $0-48
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

// func sum64AVX512(x []float64) float64   see SUM
TEXT ·sum64AVX512(SB), NOSPLIT, $0-32
	MOVQ x_base+0(FP), SI
	MOVQ x_len+8(FP), CX
	SHLQ $3, CX
	SUM(VADDPD, VADDSD, 8)
	HALF(VADDPD)
	FOLD64
	VMOVSD X0, ret+24(FP)
	VZEROUPPER
	RET

// func move64AVX512(dst, src []float64)   see COPY
TEXT ·move64AVX512(SB), NOSPLIT, $0-48
	MOVQ dst_base+0(FP), DI
	MOVQ src_base+24(FP), SI
	MOVQ src_len+32(FP), CX
	SHLQ $3, CX
	COPY
	VZEROUPPER
	RET

// func shift64AVX512(x []float64, b float64)   see SHIFT
TEXT ·shift64AVX512(SB), NOSPLIT, $0-32
	MOVQ x_base+0(FP), DI
	MOVQ x_len+8(FP), CX
	SHLQ $3, CX
	VBROADCASTSD b+24(FP), B
	SHIFT(VADDPD, VADDSD, VMOVSD, 8, XB)
	VZEROUPPER
	RET

// func fill64AVX512(dst []float64, v float64)   see FILL
TEXT ·fill64AVX512(SB), NOSPLIT, $0-32
	MOVQ dst_base+0(FP), DI
	MOVQ dst_len+8(FP), CX
	SHLQ $3, CX
	VBROADCASTSD v+24(FP), B
	FILL(VMOVSD, 8, XB)
	VZEROUPPER
	RET

// func stream64AVX512(dst []float64, v float64)   see STREAM
TEXT ·stream64AVX512(SB), NOSPLIT, $0-32
	MOVQ dst_base+0(FP), DI
	MOVQ dst_len+8(FP), CX
	SHLQ $3, CX
	VBROADCASTSD v+24(FP), B
	STREAM
	VZEROUPPER
	RET

// func fma32AVX512(x []float32, a, b float32, rounds int)   for rounds: x[i] += a·b; see REGISTERS
TEXT ·fma32AVX512(SB), NOSPLIT, $0-40
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

// func add32AVX512(x []float32, b float32, rounds int)   for rounds: x[i] += b; see REGISTERS
TEXT ·add32AVX512(SB), NOSPLIT, $0-40
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

// func mix32AVX512(x []float32, a, b float32, rounds int)   for rounds: x[i] += b; x[i] += a·b; see REGISTERS, MIX
TEXT ·mix32AVX512(SB), NOSPLIT, $0-40
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

// func sum32AVX512(x []float32) float32   see SUM
TEXT ·sum32AVX512(SB), NOSPLIT, $0-28
	MOVQ x_base+0(FP), SI
	MOVQ x_len+8(FP), CX
	SHLQ $2, CX
	SUM(VADDPS, VADDSS, 4)
	HALF(VADDPS)
	FOLD32
	VMOVSS X0, ret+24(FP)
	VZEROUPPER
	RET

// func move32AVX512(dst, src []float32)   see COPY
TEXT ·move32AVX512(SB), NOSPLIT, $0-48
	MOVQ dst_base+0(FP), DI
	MOVQ src_base+24(FP), SI
	MOVQ src_len+32(FP), CX
	SHLQ $2, CX
	COPY
	VZEROUPPER
	RET

// func shift32AVX512(x []float32, b float32)   see SHIFT
TEXT ·shift32AVX512(SB), NOSPLIT, $0-28
	MOVQ x_base+0(FP), DI
	MOVQ x_len+8(FP), CX
	SHLQ $2, CX
	VBROADCASTSS b+24(FP), B
	SHIFT(VADDPS, VADDSS, VMOVSS, 4, XB)
	VZEROUPPER
	RET

// func fill32AVX512(dst []float32, v float32)   see FILL
TEXT ·fill32AVX512(SB), NOSPLIT, $0-28
	MOVQ dst_base+0(FP), DI
	MOVQ dst_len+8(FP), CX
	SHLQ $2, CX
	VBROADCASTSS v+24(FP), B
	FILL(VMOVSS, 4, XB)
	VZEROUPPER
	RET

// func stream32AVX512(dst []float32, v float32)   see STREAM
TEXT ·stream32AVX512(SB), NOSPLIT, $0-28
	MOVQ dst_base+0(FP), DI
	MOVQ dst_len+8(FP), CX
	SHLQ $2, CX
	VBROADCASTSS v+24(FP), B
	STREAM
	VZEROUPPER
	RET
