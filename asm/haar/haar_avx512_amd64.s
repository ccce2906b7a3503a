//go:build !noasm

#include "textflag.h"

// The bodies of the functions for rows are in forward_avx512_amd64.h and
// backward_avx512_amd64.h; they are included for each type, with and without
// factors. Macros common to all come first; those that depend on the type (ADD
// … CONST16) are defined before the functions of the type, those that depend
// on factors (SCALE …) around each function.

// evens and odds of a pair of registers
DATA even<>+0(SB)/8, $0x0e0c0a0806040200
DATA even<>+8(SB)/8, $0x1e1c1a1816141210
GLOBL even<>(SB), RODATA|NOPTR, $16
DATA odd<>+0(SB)/8, $0x0f0d0b0907050301
DATA odd<>+8(SB)/8, $0x1f1d1b1917151311
GLOBL odd<>(SB), RODATA|NOPTR, $16
// first and second halves of a pair of registers, interleaved: 8 and 16 lanes
DATA low8<>+0(SB)/8, $0x0b030a0209010800
DATA low8<>+8(SB)/8, $0x0000000000000000
GLOBL low8<>(SB), RODATA|NOPTR, $16
DATA high8<>+0(SB)/8, $0x0f070e060d050c04
DATA high8<>+8(SB)/8, $0x0000000000000000
GLOBL high8<>(SB), RODATA|NOPTR, $16
DATA low16<>+0(SB)/8, $0x1303120211011000
DATA low16<>+8(SB)/8, $0x1707160615051404
GLOBL low16<>(SB), RODATA|NOPTR, $16
DATA high16<>+0(SB)/8, $0x1b0b1a0a19091808
DATA high16<>+8(SB)/8, $0x1f0f1e0e1d0d1c0c
GLOBL high16<>(SB), RODATA|NOPTR, $16
// forward in one register: the first m lanes become evens ± odds
DATA even16<>+0(SB)/8, $0x0e0c0a0806040200
DATA even16<>+8(SB)/8, $0x0e0c0a0806040200
GLOBL even16<>(SB), RODATA|NOPTR, $16
DATA odd16<>+0(SB)/8, $0x0f0d0b0907050301
DATA odd16<>+8(SB)/8, $0x0f0d0b0907050301
GLOBL odd16<>(SB), RODATA|NOPTR, $16
DATA signs16<>+0(SB)/8, $0x0101010101010101
DATA signs16<>+8(SB)/8, $0xffffffffffffffff
GLOBL signs16<>(SB), RODATA|NOPTR, $16
DATA even8<>+0(SB)/8, $0x0604020006040200
DATA even8<>+8(SB)/8, $0x0f0e0d0c0b0a0908
GLOBL even8<>(SB), RODATA|NOPTR, $16
DATA odd8<>+0(SB)/8, $0x0705030107050301
DATA odd8<>+8(SB)/8, $0x0f0e0d0c0b0a0908
GLOBL odd8<>(SB), RODATA|NOPTR, $16
DATA signs8<>+0(SB)/8, $0xffffffff01010101
DATA signs8<>+8(SB)/8, $0x0000000000000000
GLOBL signs8<>(SB), RODATA|NOPTR, $16
DATA even4<>+0(SB)/8, $0x0706050402000200
DATA even4<>+8(SB)/8, $0x0f0e0d0c0b0a0908
GLOBL even4<>(SB), RODATA|NOPTR, $16
DATA odd4<>+0(SB)/8, $0x0706050403010301
DATA odd4<>+8(SB)/8, $0x0f0e0d0c0b0a0908
GLOBL odd4<>(SB), RODATA|NOPTR, $16
DATA signs4<>+0(SB)/8, $0x00000000ffff0101
DATA signs4<>+8(SB)/8, $0x0000000000000000
GLOBL signs4<>(SB), RODATA|NOPTR, $16
DATA even2<>+0(SB)/8, $0x0706050403020000
DATA even2<>+8(SB)/8, $0x0f0e0d0c0b0a0908
GLOBL even2<>(SB), RODATA|NOPTR, $16
DATA odd2<>+0(SB)/8, $0x0706050403020101
DATA odd2<>+8(SB)/8, $0x0f0e0d0c0b0a0908
GLOBL odd2<>(SB), RODATA|NOPTR, $16
DATA signs2<>+0(SB)/8, $0x000000000000ff01
DATA signs2<>+8(SB)/8, $0x0000000000000000
GLOBL signs2<>(SB), RODATA|NOPTR, $16
// backward in one register: the first m lanes become sums ± differences, interleaved
DATA sum16<>+0(SB)/8, $0x0303020201010000
DATA sum16<>+8(SB)/8, $0x0707060605050404
GLOBL sum16<>(SB), RODATA|NOPTR, $16
DATA diff16<>+0(SB)/8, $0x0b0b0a0a09090808
DATA diff16<>+8(SB)/8, $0x0f0f0e0e0d0d0c0c
GLOBL diff16<>(SB), RODATA|NOPTR, $16
DATA sum8<>+0(SB)/8, $0x0303020201010000
DATA sum8<>+8(SB)/8, $0x0f0e0d0c0b0a0908
GLOBL sum8<>(SB), RODATA|NOPTR, $16
DATA diff8<>+0(SB)/8, $0x0707060605050404
DATA diff8<>+8(SB)/8, $0x0f0e0d0c0b0a0908
GLOBL diff8<>(SB), RODATA|NOPTR, $16
DATA sum4<>+0(SB)/8, $0x0706050401010000
DATA sum4<>+8(SB)/8, $0x0f0e0d0c0b0a0908
GLOBL sum4<>(SB), RODATA|NOPTR, $16
DATA diff4<>+0(SB)/8, $0x0706050403030202
DATA diff4<>+8(SB)/8, $0x0f0e0d0c0b0a0908
GLOBL diff4<>(SB), RODATA|NOPTR, $16
DATA alternating<>+0(SB)/8, $0xff01ff01ff01ff01
DATA alternating<>+8(SB)/8, $0xff01ff01ff01ff01
GLOBL alternating<>(SB), RODATA|NOPTR, $16

// PAIR turns the neighboring registers A, B into sums of even and odd elements
// (A) and their differences (B).
#define PAIR(A, B, T) \
	VMOVAPD A, T      \
	MERGE   B, Z30, T \ // evens
	MERGE   B, Z31, A \ // odds
	SUB     A, T, B   \
	ADD     A, T, A

// PAIRS4 is one level of Z0-Z7: sums in Z0, Z2, Z4, Z6, differences behind each.
#define PAIRS4 PAIR(Z0, Z1, Z8); PAIR(Z2, Z3, Z9); PAIR(Z4, Z5, Z10); PAIR(Z6, Z7, Z11)

// PAIRS7 is three levels: differences Z1, Z3, Z5, Z7, then Z2, Z6, then Z4; sums Z0.
#define PAIRS7 PAIRS4; PAIR(Z0, Z2, Z8); PAIR(Z4, Z6, Z9); PAIR(Z0, Z4, Z10)

// JOIN turns sums A and differences B into interleaved A+B, A−B in A and T.
#define JOIN(A, B, T) \
	ADD     B, A, T   \
	SUB     B, A, B   \
	VMOVAPD T, A      \
	MERGE   B, Z30, A \
	MERGE   B, Z31, T

// JOINS4 is one level from sums Z0, Z1, Z8, Z2 and differences Z4-Z7 to Z0, Z3,
// Z1, Z4, Z8, Z5, Z2, Z6.
#define JOINS4 JOIN(Z0, Z4, Z3); JOIN(Z1, Z5, Z4); JOIN(Z8, Z6, Z5); JOIN(Z2, Z7, Z6)

// JOINS7 is three levels from sums Z0 and differences Z1; Z2, Z3; Z4-Z7.
#define JOINS7 JOIN(Z0, Z1, Z8); JOIN(Z0, Z2, Z1); JOIN(Z8, Z3, Z2); JOINS4

#define LOAD8(B, I, S) \
	VMOVUPD (B)(I*S), Z0    \
	VMOVUPD 64(B)(I*S), Z1  \
	VMOVUPD 128(B)(I*S), Z2 \
	VMOVUPD 192(B)(I*S), Z3 \
	VMOVUPD 256(B)(I*S), Z4 \
	VMOVUPD 320(B)(I*S), Z5 \
	VMOVUPD 384(B)(I*S), Z6 \
	VMOVUPD 448(B)(I*S), Z7

#define STORE8(B, I, S) \
	VMOVUPD Z0, (B)(I*S)    \
	VMOVUPD Z3, 64(B)(I*S)  \
	VMOVUPD Z1, 128(B)(I*S) \
	VMOVUPD Z4, 192(B)(I*S) \
	VMOVUPD Z8, 256(B)(I*S) \
	VMOVUPD Z5, 320(B)(I*S) \
	VMOVUPD Z2, 384(B)(I*S) \
	VMOVUPD Z6, 448(B)(I*S)

// STEP is one level within Z0, for the lanes of mask K.
#define STEP(A, B, S, K) \
	PERM    Z0, A, Z1    \
	PERM    Z0, B, Z2    \
	MADD    Z2, S, K, Z1 \
	VMOVAPD Z1, Z0

#define DOWN16 STEP(Z27, Z28, Z29, K4)
#define DOWN8 STEP(Z18, Z19, Z20, K3)
#define DOWN4 STEP(Z21, Z22, Z23, K2)
#define DOWN2 STEP(Z24, Z25, Z26, K1)
#define UP16 DOWN16
#define UP8 DOWN8
#define UP4 DOWN4
#define UP2 DOWN2

#define MASKS \
	MOVL $0xffff, BX; KMOVW BX, K4; \
	MOVL $0xff, BX; KMOVW BX, K3;   \
	MOVL $0xf, BX; KMOVW BX, K2;    \
	MOVL $3, BX; KMOVW BX, K1

#define PAIRCONST INDEX(even, Z30); INDEX(odd, Z31)
#define JOINCONST INDEX(LOW, Z30); INDEX(HIGH, Z31)

#define FORWARDCONST \
	PAIRCONST; MASKS;                                        \
	CONST16(even16, odd16, signs16);                         \
	INDEX(even8, Z18); INDEX(odd8, Z19); SIGNS(signs8, Z20); \
	INDEX(even4, Z21); INDEX(odd4, Z22); SIGNS(signs4, Z23); \
	INDEX(even2, Z24); INDEX(odd2, Z25); SIGNS(signs2, Z26)

#define BACKWARDCONST \
	JOINCONST; MASKS;                                           \
	CONST16(sum16, diff16, alternating);                        \
	INDEX(sum8, Z18); INDEX(diff8, Z19); SIGNS(alternating, Z20); \
	INDEX(sum4, Z21); INDEX(diff4, Z22); SIGNS(alternating, Z23); \
	INDEX(even2, Z24); INDEX(odd2, Z25); SIGNS(signs2, Z26)

// float64

#define SHIFT 3
#define BYTES 8
#define BCAST VBROADCASTSD
#define ADD VADDPD
#define SUB VSUBPD
#define MUL VMULPD
#define MERGE VPERMT2PD
#define PERM VPERMPD
#define MADD VFMADD231PD
#define INDEX(T, R) VPMOVZXBQ T<>(SB), R
#define SIGNS(T, R) VPMOVSXBQ T<>(SB), R; VCVTQQ2PD R, R
#define LOW low8
#define HIGH high8
#define DOWNTOP DOWN8; DOWN4; DOWN2
#define UPTOP UP2; UP4; UP8
#define CONST16(A, B, S) 

#define SCALE(C, R)
#define SCALEMEM(M, C, R)
#define SCALETOP
#define TOP DOWNTOP

// func forward64AVX512(dst, src *float64, n, d, ds, ss int, scratch, f *float64, far bool)
TEXT ·forward64AVX512(SB), NOSPLIT, $0-65
	MOVQ dst+0(FP), DI
	MOVQ src+8(FP), SI
	MOVQ n+16(FP), CX
	MOVQ d+24(FP), R10
	MOVQ ds+32(FP), R8
	MOVQ ss+40(FP), R9
	MOVQ scratch+48(FP), DX
	MOVQ f+56(FP), AX
	MOVBLZX far+64(FP), R11
#include "forward_avx512_amd64.h"

#undef SCALE
#undef SCALEMEM
#undef SCALETOP
#undef TOP

#define SCALE(C, R) MUL C, R, R
#define SCALEMEM(M, C, R) BCAST M, C; MUL C, R, R
#define SCALETOP MUL (AX), Z0, Z0
#define TOP DOWNTOP

// func forwardScaled64AVX512(dst, src *float64, n, d, ds, ss int, scratch, f *float64, far bool)
TEXT ·forwardScaled64AVX512(SB), NOSPLIT, $0-65
	MOVQ dst+0(FP), DI
	MOVQ src+8(FP), SI
	MOVQ n+16(FP), CX
	MOVQ d+24(FP), R10
	MOVQ ds+32(FP), R8
	MOVQ ss+40(FP), R9
	MOVQ scratch+48(FP), DX
	MOVQ f+56(FP), AX
	MOVBLZX far+64(FP), R11
#include "forward_avx512_amd64.h"

#undef SCALE
#undef SCALEMEM
#undef SCALETOP
#undef TOP

#define SCALE(C, R)
#define SCALEMEM(M, C, R)
#define SCALETOP
#define TOP UPTOP

// func backward64AVX512(dst, src *float64, n, d, ds, ss int, scratch, f *float64)
TEXT ·backward64AVX512(SB), NOSPLIT, $0-64
	MOVQ dst+0(FP), DI
	MOVQ src+8(FP), SI
	MOVQ n+16(FP), CX
	MOVQ d+24(FP), R10
	MOVQ ds+32(FP), R8
	MOVQ ss+40(FP), R9
	MOVQ scratch+48(FP), DX
	MOVQ f+56(FP), AX
#include "backward_avx512_amd64.h"

#undef SCALE
#undef SCALEMEM
#undef SCALETOP
#undef TOP

#define SCALE(C, R) MUL C, R, R
#define SCALEMEM(M, C, R) BCAST M, C; MUL C, R, R
#define SCALETOP MUL (AX), Z0, Z0
#define TOP UPTOP

// func backwardScaled64AVX512(dst, src *float64, n, d, ds, ss int, scratch, f *float64)
TEXT ·backwardScaled64AVX512(SB), NOSPLIT, $0-64
	MOVQ dst+0(FP), DI
	MOVQ src+8(FP), SI
	MOVQ n+16(FP), CX
	MOVQ d+24(FP), R10
	MOVQ ds+32(FP), R8
	MOVQ ss+40(FP), R9
	MOVQ scratch+48(FP), DX
	MOVQ f+56(FP), AX
#include "backward_avx512_amd64.h"

#undef SCALE
#undef SCALEMEM
#undef SCALETOP
#undef TOP

// func split64AVX512(d, s, x *float64, pairs int, c float64)
//	for i := pairs-1; i >= 0; i-- { s[i], d[i] = x[2i]+x[2i+1], (x[2i]-x[2i+1])*c }
// pairs is a positive multiple of 32. d may be the upper half of x, or lie behind x.
//   DI d, SI s, BX x, CX bytes of d left. Unroll 8 registers, as a tile of the rows has.
TEXT ·split64AVX512(SB), NOSPLIT, $0-40
	MOVQ  d+0(FP), DI
	MOVQ  s+8(FP), SI
	MOVQ  x+16(FP), BX
	MOVQ  pairs+24(FP), CX
	SHLQ  $SHIFT, CX
	BCAST c+32(FP), Z12
	PAIRCONST

loop:
	SUBQ    $256, CX
	LOAD8(BX, CX, 2)
	PAIRS4
	MUL     Z12, Z1, Z1
	MUL     Z12, Z3, Z3
	MUL     Z12, Z5, Z5
	MUL     Z12, Z7, Z7
	VMOVUPD Z1, (DI)(CX*1)
	VMOVUPD Z3, 64(DI)(CX*1)
	VMOVUPD Z5, 128(DI)(CX*1)
	VMOVUPD Z7, 192(DI)(CX*1)
	VMOVUPD Z0, (SI)(CX*1)
	VMOVUPD Z2, 64(SI)(CX*1)
	VMOVUPD Z4, 128(SI)(CX*1)
	VMOVUPD Z6, 192(SI)(CX*1)
	TESTQ   CX, CX
	JNZ     loop
	VZEROUPPER
	RET

// func split364AVX512(d1, d2, d3, s, x *float64, m int, c *float64)
// Three levels of split of 8m elements of x, m a positive multiple of 8, in
// ascending order: d1 gets 4m differences times c[0], d2 2m times c[1], d3 m
// times c[2], s m sums. s may be at x or before it.
//   DI, SI, R8, R9 d1, d2, d3, s; BX x; DX length of s in bytes; CX bytes of s done
TEXT ·split364AVX512(SB), NOSPLIT, $0-56
	MOVQ  d1+0(FP), DI
	MOVQ  d2+8(FP), SI
	MOVQ  d3+16(FP), R8
	MOVQ  s+24(FP), R9
	MOVQ  x+32(FP), BX
	MOVQ  m+40(FP), DX
	SHLQ  $SHIFT, DX
	MOVQ  c+48(FP), AX
	BCAST (0<<SHIFT)(AX), Z12
	BCAST (1<<SHIFT)(AX), Z13
	BCAST (2<<SHIFT)(AX), Z14
	PAIRCONST
	XORQ  CX, CX

loop:
	LOAD8(BX, CX, 8)
	PAIRS7
	MUL     Z12, Z1, Z1
	MUL     Z12, Z3, Z3
	MUL     Z12, Z5, Z5
	MUL     Z12, Z7, Z7
	MUL     Z13, Z2, Z2
	MUL     Z13, Z6, Z6
	MUL     Z14, Z4, Z4
	VMOVUPD Z1, (DI)(CX*4)
	VMOVUPD Z3, 64(DI)(CX*4)
	VMOVUPD Z5, 128(DI)(CX*4)
	VMOVUPD Z7, 192(DI)(CX*4)
	VMOVUPD Z2, (SI)(CX*2)
	VMOVUPD Z6, 64(SI)(CX*2)
	VMOVUPD Z4, (R8)(CX*1)
	VMOVUPD Z0, (R9)(CX*1)
	ADDQ    $64, CX
	CMPQ    CX, DX
	JLT     loop
	VZEROUPPER
	RET

// func join64AVX512(x, d, s *float64, pairs int, c float64)
//	for i := range pairs { x[2i], x[2i+1] = s[i]+d[i]*c, s[i]-d[i]*c }
// pairs is a positive multiple of 32. d may be the upper half of x, or lie behind x.
//   DI x, SI d, BX s, DX length of s in bytes, CX bytes of s done
TEXT ·join64AVX512(SB), NOSPLIT, $0-40
	MOVQ  x+0(FP), DI
	MOVQ  d+8(FP), SI
	MOVQ  s+16(FP), BX
	MOVQ  pairs+24(FP), DX
	SHLQ  $SHIFT, DX
	BCAST c+32(FP), Z12
	JOINCONST
	XORQ  CX, CX

loop:
	VMOVUPD (BX)(CX*1), Z0
	VMOVUPD 64(BX)(CX*1), Z1
	VMOVUPD 128(BX)(CX*1), Z8
	VMOVUPD 192(BX)(CX*1), Z2
	MUL     (SI)(CX*1), Z12, Z4
	MUL     64(SI)(CX*1), Z12, Z5
	MUL     128(SI)(CX*1), Z12, Z6
	MUL     192(SI)(CX*1), Z12, Z7
	JOINS4
	STORE8(DI, CX, 2)
	ADDQ    $256, CX
	CMPQ    CX, DX
	JLT     loop
	VZEROUPPER
	RET

// func join364AVX512(x, d1, d2, d3, s *float64, m int, c *float64)
// The inverse of split3 in descending order: c[0], c[1], c[2] multiply d1, d2,
// d3 before the sums. s may be at x or before it.
//   DI x; SI, R8, R9 d1, d2, d3; BX s; CX bytes of s left
TEXT ·join364AVX512(SB), NOSPLIT, $0-56
	MOVQ  x+0(FP), DI
	MOVQ  d1+8(FP), SI
	MOVQ  d2+16(FP), R8
	MOVQ  d3+24(FP), R9
	MOVQ  s+32(FP), BX
	MOVQ  m+40(FP), CX
	SHLQ  $SHIFT, CX
	MOVQ  c+48(FP), AX
	BCAST (0<<SHIFT)(AX), Z12
	BCAST (1<<SHIFT)(AX), Z13
	BCAST (2<<SHIFT)(AX), Z14
	JOINCONST

loop:
	SUBQ    $64, CX
	VMOVUPD (BX)(CX*1), Z0
	MUL     (R9)(CX*1), Z14, Z1
	MUL     (R8)(CX*2), Z13, Z2
	MUL     64(R8)(CX*2), Z13, Z3
	MUL     (SI)(CX*4), Z12, Z4
	MUL     64(SI)(CX*4), Z12, Z5
	MUL     128(SI)(CX*4), Z12, Z6
	MUL     192(SI)(CX*4), Z12, Z7
	JOINS7
	STORE8(DI, CX, 8)
	TESTQ   CX, CX
	JNZ     loop
	VZEROUPPER
	RET

#undef SHIFT
#undef BYTES
#undef BCAST
#undef ADD
#undef SUB
#undef MUL
#undef MERGE
#undef PERM
#undef MADD
#undef INDEX
#undef SIGNS
#undef LOW
#undef HIGH
#undef DOWNTOP
#undef UPTOP
#undef CONST16

// float32

#define SHIFT 2
#define BYTES 4
#define BCAST VBROADCASTSS
#define ADD VADDPS
#define SUB VSUBPS
#define MUL VMULPS
#define MERGE VPERMT2PS
#define PERM VPERMPS
#define MADD VFMADD231PS
#define INDEX(T, R) VPMOVZXBD T<>(SB), R
#define SIGNS(T, R) VPMOVSXBD T<>(SB), R; VCVTDQ2PS R, R
#define LOW low16
#define HIGH high16
#define DOWNTOP DOWN16; DOWN8; DOWN4; DOWN2
#define UPTOP UP2; UP4; UP8; UP16
#define CONST16(A, B, S) INDEX(A, Z27); INDEX(B, Z28); SIGNS(S, Z29)

#define SCALE(C, R)
#define SCALEMEM(M, C, R)
#define SCALETOP
#define TOP DOWNTOP

// func forward32AVX512(dst, src *float32, n, d, ds, ss int, scratch, f *float32, far bool)
TEXT ·forward32AVX512(SB), NOSPLIT, $0-65
	MOVQ dst+0(FP), DI
	MOVQ src+8(FP), SI
	MOVQ n+16(FP), CX
	MOVQ d+24(FP), R10
	MOVQ ds+32(FP), R8
	MOVQ ss+40(FP), R9
	MOVQ scratch+48(FP), DX
	MOVQ f+56(FP), AX
	MOVBLZX far+64(FP), R11
#include "forward_avx512_amd64.h"

#undef SCALE
#undef SCALEMEM
#undef SCALETOP
#undef TOP

#define SCALE(C, R) MUL C, R, R
#define SCALEMEM(M, C, R) BCAST M, C; MUL C, R, R
#define SCALETOP MUL (AX), Z0, Z0
#define TOP DOWNTOP

// func forwardScaled32AVX512(dst, src *float32, n, d, ds, ss int, scratch, f *float32, far bool)
TEXT ·forwardScaled32AVX512(SB), NOSPLIT, $0-65
	MOVQ dst+0(FP), DI
	MOVQ src+8(FP), SI
	MOVQ n+16(FP), CX
	MOVQ d+24(FP), R10
	MOVQ ds+32(FP), R8
	MOVQ ss+40(FP), R9
	MOVQ scratch+48(FP), DX
	MOVQ f+56(FP), AX
	MOVBLZX far+64(FP), R11
#include "forward_avx512_amd64.h"

#undef SCALE
#undef SCALEMEM
#undef SCALETOP
#undef TOP

#define SCALE(C, R)
#define SCALEMEM(M, C, R)
#define SCALETOP
#define TOP UPTOP

// func backward32AVX512(dst, src *float32, n, d, ds, ss int, scratch, f *float32)
TEXT ·backward32AVX512(SB), NOSPLIT, $0-64
	MOVQ dst+0(FP), DI
	MOVQ src+8(FP), SI
	MOVQ n+16(FP), CX
	MOVQ d+24(FP), R10
	MOVQ ds+32(FP), R8
	MOVQ ss+40(FP), R9
	MOVQ scratch+48(FP), DX
	MOVQ f+56(FP), AX
#include "backward_avx512_amd64.h"

#undef SCALE
#undef SCALEMEM
#undef SCALETOP
#undef TOP

#define SCALE(C, R) MUL C, R, R
#define SCALEMEM(M, C, R) BCAST M, C; MUL C, R, R
#define SCALETOP MUL (AX), Z0, Z0
#define TOP UPTOP

// func backwardScaled32AVX512(dst, src *float32, n, d, ds, ss int, scratch, f *float32)
TEXT ·backwardScaled32AVX512(SB), NOSPLIT, $0-64
	MOVQ dst+0(FP), DI
	MOVQ src+8(FP), SI
	MOVQ n+16(FP), CX
	MOVQ d+24(FP), R10
	MOVQ ds+32(FP), R8
	MOVQ ss+40(FP), R9
	MOVQ scratch+48(FP), DX
	MOVQ f+56(FP), AX
#include "backward_avx512_amd64.h"

#undef SCALE
#undef SCALEMEM
#undef SCALETOP
#undef TOP

// func split32AVX512(d, s, x *float32, pairs int, c float32)
//	for i := pairs-1; i >= 0; i-- { s[i], d[i] = x[2i]+x[2i+1], (x[2i]-x[2i+1])*c }
// pairs is a positive multiple of 64. d may be the upper half of x, or lie behind x.
//   DI d, SI s, BX x, CX bytes of d left. Unroll 8 registers, as a tile of the rows has.
TEXT ·split32AVX512(SB), NOSPLIT, $0-36
	MOVQ  d+0(FP), DI
	MOVQ  s+8(FP), SI
	MOVQ  x+16(FP), BX
	MOVQ  pairs+24(FP), CX
	SHLQ  $SHIFT, CX
	BCAST c+32(FP), Z12
	PAIRCONST

loop:
	SUBQ    $256, CX
	LOAD8(BX, CX, 2)
	PAIRS4
	MUL     Z12, Z1, Z1
	MUL     Z12, Z3, Z3
	MUL     Z12, Z5, Z5
	MUL     Z12, Z7, Z7
	VMOVUPD Z1, (DI)(CX*1)
	VMOVUPD Z3, 64(DI)(CX*1)
	VMOVUPD Z5, 128(DI)(CX*1)
	VMOVUPD Z7, 192(DI)(CX*1)
	VMOVUPD Z0, (SI)(CX*1)
	VMOVUPD Z2, 64(SI)(CX*1)
	VMOVUPD Z4, 128(SI)(CX*1)
	VMOVUPD Z6, 192(SI)(CX*1)
	TESTQ   CX, CX
	JNZ     loop
	VZEROUPPER
	RET

// func split332AVX512(d1, d2, d3, s, x *float32, m int, c *float32)
// Three levels of split of 8m elements of x, m a positive multiple of 16, in
// ascending order: d1 gets 4m differences times c[0], d2 2m times c[1], d3 m
// times c[2], s m sums. s may be at x or before it.
//   DI, SI, R8, R9 d1, d2, d3, s; BX x; DX length of s in bytes; CX bytes of s done
TEXT ·split332AVX512(SB), NOSPLIT, $0-56
	MOVQ  d1+0(FP), DI
	MOVQ  d2+8(FP), SI
	MOVQ  d3+16(FP), R8
	MOVQ  s+24(FP), R9
	MOVQ  x+32(FP), BX
	MOVQ  m+40(FP), DX
	SHLQ  $SHIFT, DX
	MOVQ  c+48(FP), AX
	BCAST (0<<SHIFT)(AX), Z12
	BCAST (1<<SHIFT)(AX), Z13
	BCAST (2<<SHIFT)(AX), Z14
	PAIRCONST
	XORQ  CX, CX

loop:
	LOAD8(BX, CX, 8)
	PAIRS7
	MUL     Z12, Z1, Z1
	MUL     Z12, Z3, Z3
	MUL     Z12, Z5, Z5
	MUL     Z12, Z7, Z7
	MUL     Z13, Z2, Z2
	MUL     Z13, Z6, Z6
	MUL     Z14, Z4, Z4
	VMOVUPD Z1, (DI)(CX*4)
	VMOVUPD Z3, 64(DI)(CX*4)
	VMOVUPD Z5, 128(DI)(CX*4)
	VMOVUPD Z7, 192(DI)(CX*4)
	VMOVUPD Z2, (SI)(CX*2)
	VMOVUPD Z6, 64(SI)(CX*2)
	VMOVUPD Z4, (R8)(CX*1)
	VMOVUPD Z0, (R9)(CX*1)
	ADDQ    $64, CX
	CMPQ    CX, DX
	JLT     loop
	VZEROUPPER
	RET

// func join32AVX512(x, d, s *float32, pairs int, c float32)
//	for i := range pairs { x[2i], x[2i+1] = s[i]+d[i]*c, s[i]-d[i]*c }
// pairs is a positive multiple of 64. d may be the upper half of x, or lie behind x.
//   DI x, SI d, BX s, DX length of s in bytes, CX bytes of s done
TEXT ·join32AVX512(SB), NOSPLIT, $0-36
	MOVQ  x+0(FP), DI
	MOVQ  d+8(FP), SI
	MOVQ  s+16(FP), BX
	MOVQ  pairs+24(FP), DX
	SHLQ  $SHIFT, DX
	BCAST c+32(FP), Z12
	JOINCONST
	XORQ  CX, CX

loop:
	VMOVUPD (BX)(CX*1), Z0
	VMOVUPD 64(BX)(CX*1), Z1
	VMOVUPD 128(BX)(CX*1), Z8
	VMOVUPD 192(BX)(CX*1), Z2
	MUL     (SI)(CX*1), Z12, Z4
	MUL     64(SI)(CX*1), Z12, Z5
	MUL     128(SI)(CX*1), Z12, Z6
	MUL     192(SI)(CX*1), Z12, Z7
	JOINS4
	STORE8(DI, CX, 2)
	ADDQ    $256, CX
	CMPQ    CX, DX
	JLT     loop
	VZEROUPPER
	RET

// func join332AVX512(x, d1, d2, d3, s *float32, m int, c *float32)
// The inverse of split3 in descending order: c[0], c[1], c[2] multiply d1, d2,
// d3 before the sums. s may be at x or before it.
//   DI x; SI, R8, R9 d1, d2, d3; BX s; CX bytes of s left
TEXT ·join332AVX512(SB), NOSPLIT, $0-56
	MOVQ  x+0(FP), DI
	MOVQ  d1+8(FP), SI
	MOVQ  d2+16(FP), R8
	MOVQ  d3+24(FP), R9
	MOVQ  s+32(FP), BX
	MOVQ  m+40(FP), CX
	SHLQ  $SHIFT, CX
	MOVQ  c+48(FP), AX
	BCAST (0<<SHIFT)(AX), Z12
	BCAST (1<<SHIFT)(AX), Z13
	BCAST (2<<SHIFT)(AX), Z14
	JOINCONST

loop:
	SUBQ    $64, CX
	VMOVUPD (BX)(CX*1), Z0
	MUL     (R9)(CX*1), Z14, Z1
	MUL     (R8)(CX*2), Z13, Z2
	MUL     64(R8)(CX*2), Z13, Z3
	MUL     (SI)(CX*4), Z12, Z4
	MUL     64(SI)(CX*4), Z12, Z5
	MUL     128(SI)(CX*4), Z12, Z6
	MUL     192(SI)(CX*4), Z12, Z7
	JOINS7
	STORE8(DI, CX, 8)
	TESTQ   CX, CX
	JNZ     loop
	VZEROUPPER
	RET

