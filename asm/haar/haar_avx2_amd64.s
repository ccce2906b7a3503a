//go:build !noasm

#include "textflag.h"

// The bodies of the functions for rows are in forward_avx2_amd64.h and
// backward_avx2_amd64.h; they are included for each type, with and without
// factors. Macros common to all come first; those that depend on the type (ADD
// … UPTOP) are defined before the functions of the type, those that depend on
// factors (SCALE …) around each function.

// SPLIT turns Y8 = x₀…|x₂ₖ… and Y9, the quarters between, into sums of even and
// odd elements S and their differences D.
#define SPLIT(S, D)        \
	EVENS(Y8, Y9, Y10) \
	ODDS(Y8, Y9, Y11)  \
	SUB  Y11, Y10, D   \
	ADD  Y11, Y10, S

// PAIRMEM does it with the 64 bytes at O+B+I·S. Inserting a quarter from memory
// does not take the shuffle unit.
#define PAIRMEM(B, I, C, O, S, D) \
	VMOVUPD     (O)(B)(I*C), X8             \
	VINSERTF128 $1, (O+32)(B)(I*C), Y8, Y8  \
	VMOVUPD     (O+16)(B)(I*C), X9          \
	VINSERTF128 $1, (O+48)(B)(I*C), Y9, Y9  \
	SPLIT(S, D)

// PAIR does it with the neighboring registers A and B.
#define PAIR(A, B) \
	VPERM2F128 $0x20, B, A, Y8 \
	VPERM2F128 $0x31, B, A, Y9 \
	SPLIT(A, B)

// PAIRS4 is one level of 256 bytes: sums in Y0, Y2, Y4, Y6, differences behind each.
#define PAIRS4(B, I, C) PAIRMEM(B, I, C, 0, Y0, Y1); PAIRMEM(B, I, C, 64, Y2, Y3); PAIRMEM(B, I, C, 128, Y4, Y5); PAIRMEM(B, I, C, 192, Y6, Y7)

// JOIN turns sums A and differences B into interleaved A+B, A−B in A and T.
#define JOIN(A, B, T) \
	ADD        B, A, Y10          \
	SUB        B, A, Y11          \
	INTERLEAVE(Y10, Y11, Y9, Y10) \
	VPERM2F128 $0x20, Y10, Y9, A  \
	VPERM2F128 $0x31, Y10, Y9, T

// JOINS4 is one level from sums Y0, Y1, Y8, Y2 and differences Y4-Y7 to Y0, Y3,
// Y1, Y4, Y8, Y5, Y2, Y6.
#define JOINS4 JOIN(Y0, Y4, Y3); JOIN(Y1, Y5, Y4); JOIN(Y8, Y6, Y5); JOIN(Y2, Y7, Y6)

// JOINS7 is three levels from sums Y0 and differences Y1; Y2, Y3; Y4-Y7.
#define JOINS7 JOIN(Y0, Y1, Y8); JOIN(Y0, Y2, Y1); JOIN(Y8, Y3, Y2); JOINS4

#define STORE8(B, I, S) \
	VMOVUPD Y0, (B)(I*S)    \
	VMOVUPD Y3, 32(B)(I*S)  \
	VMOVUPD Y1, 64(B)(I*S)  \
	VMOVUPD Y4, 96(B)(I*S)  \
	VMOVUPD Y8, 128(B)(I*S) \
	VMOVUPD Y5, 160(B)(I*S) \
	VMOVUPD Y2, 192(B)(I*S) \
	VMOVUPD Y6, 224(B)(I*S)

// SUMDIFF replaces the lanes of Y0 chosen by KEEP = 0 by Y8+Y9 where MINUS has a
// 0 and Y8−Y9 where it has a 1.
#define SUMDIFF(MINUS, KEEP) \
	ADD   Y9, Y8, Y10            \
	SUB   Y9, Y8, Y11            \
	BLEND $MINUS, Y11, Y10, Y10  \
	BLEND $KEEP, Y0, Y10, Y0

// float64

#define SHIFT 3
#define BYTES 8
#define BCAST VBROADCASTSD
#define ADD VADDPD
#define SUB VSUBPD
#define MUL VMULPD
#define BLEND VBLENDPD
#define EVENS(A, B, R) VUNPCKLPD B, A, R
#define ODDS(A, B, R) VUNPCKHPD B, A, R
#define INTERLEAVE(A, B, L, H) VUNPCKLPD B, A, L; VUNPCKHPD B, A, H
#define DOWN4 VPERMPD $0x88, Y0, Y8; VPERMPD $0xdd, Y0, Y9; SUMDIFF(0x0c, 0x00)
#define PAIR2 VPERMPD $0xe0, Y0, Y8; VPERMPD $0xe5, Y0, Y9; SUMDIFF(0x02, 0x0c)
#define UP4 VPERMPD $0x50, Y0, Y8; VPERMPD $0xfa, Y0, Y9; SUMDIFF(0x0a, 0x00)
#define DOWNTOP DOWN4; PAIR2
#define UPTOP PAIR2; UP4

#define SCALE(C, R)
#define SCALEMEM(M, C, R)
#define SCALETOP
#define TOP DOWNTOP

// func forward64AVX2(dst, src *float64, n, d, ds, ss int, scratch, f *float64)
TEXT ·forward64AVX2(SB), NOSPLIT, $0-64
	MOVQ dst+0(FP), DI
	MOVQ src+8(FP), SI
	MOVQ n+16(FP), CX
	MOVQ d+24(FP), R10
	MOVQ ds+32(FP), R8
	MOVQ ss+40(FP), R9
	MOVQ scratch+48(FP), DX
	MOVQ f+56(FP), AX
#include "forward_avx2_amd64.h"

#undef SCALE
#undef SCALEMEM
#undef SCALETOP
#undef TOP

#define SCALE(C, R) MUL C, R, R
#define SCALEMEM(M, C, R) BCAST M, C; MUL C, R, R
#define SCALETOP MUL (AX), Y0, Y0
#define TOP DOWNTOP

// func forwardScaled64AVX2(dst, src *float64, n, d, ds, ss int, scratch, f *float64)
TEXT ·forwardScaled64AVX2(SB), NOSPLIT, $0-64
	MOVQ dst+0(FP), DI
	MOVQ src+8(FP), SI
	MOVQ n+16(FP), CX
	MOVQ d+24(FP), R10
	MOVQ ds+32(FP), R8
	MOVQ ss+40(FP), R9
	MOVQ scratch+48(FP), DX
	MOVQ f+56(FP), AX
#include "forward_avx2_amd64.h"

#undef SCALE
#undef SCALEMEM
#undef SCALETOP
#undef TOP

#define SCALE(C, R)
#define SCALEMEM(M, C, R)
#define SCALETOP
#define TOP UPTOP

// func backward64AVX2(dst, src *float64, n, d, ds, ss int, scratch, f *float64)
TEXT ·backward64AVX2(SB), NOSPLIT, $0-64
	MOVQ dst+0(FP), DI
	MOVQ src+8(FP), SI
	MOVQ n+16(FP), CX
	MOVQ d+24(FP), R10
	MOVQ ds+32(FP), R8
	MOVQ ss+40(FP), R9
	MOVQ scratch+48(FP), DX
	MOVQ f+56(FP), AX
#include "backward_avx2_amd64.h"

#undef SCALE
#undef SCALEMEM
#undef SCALETOP
#undef TOP

#define SCALE(C, R) MUL C, R, R
#define SCALEMEM(M, C, R) BCAST M, C; MUL C, R, R
#define SCALETOP MUL (AX), Y0, Y0
#define TOP UPTOP

// func backwardScaled64AVX2(dst, src *float64, n, d, ds, ss int, scratch, f *float64)
TEXT ·backwardScaled64AVX2(SB), NOSPLIT, $0-64
	MOVQ dst+0(FP), DI
	MOVQ src+8(FP), SI
	MOVQ n+16(FP), CX
	MOVQ d+24(FP), R10
	MOVQ ds+32(FP), R8
	MOVQ ss+40(FP), R9
	MOVQ scratch+48(FP), DX
	MOVQ f+56(FP), AX
#include "backward_avx2_amd64.h"

#undef SCALE
#undef SCALEMEM
#undef SCALETOP
#undef TOP

// func split64AVX2(d, s, x *float64, pairs int, c float64)
//	for i := pairs-1; i >= 0; i-- { s[i], d[i] = x[2i]+x[2i+1], (x[2i]-x[2i+1])*c }
// pairs is a positive multiple of 16. d may be the upper half of x, or lie behind x.
//   DI d, SI s, BX x, CX bytes of d left. Unroll as the tile of the rows has it.
TEXT ·split64AVX2(SB), NOSPLIT, $0-40
	MOVQ  d+0(FP), DI
	MOVQ  s+8(FP), SI
	MOVQ  x+16(FP), BX
	MOVQ  pairs+24(FP), CX
	SHLQ  $SHIFT, CX
	BCAST c+32(FP), Y12

loop:
	SUBQ    $128, CX
	PAIRS4(BX, CX, 2)
	MUL     Y12, Y1, Y1
	MUL     Y12, Y3, Y3
	MUL     Y12, Y5, Y5
	MUL     Y12, Y7, Y7
	VMOVUPD Y1, (DI)(CX*1)
	VMOVUPD Y3, 32(DI)(CX*1)
	VMOVUPD Y5, 64(DI)(CX*1)
	VMOVUPD Y7, 96(DI)(CX*1)
	VMOVUPD Y0, (SI)(CX*1)
	VMOVUPD Y2, 32(SI)(CX*1)
	VMOVUPD Y4, 64(SI)(CX*1)
	VMOVUPD Y6, 96(SI)(CX*1)
	TESTQ   CX, CX
	JNZ     loop
	VZEROUPPER
	RET

// func split364AVX2(d1, d2, d3, s, x *float64, m int, c *float64)
// Three levels of split of 8m elements of x, m a positive multiple of 4, in
// ascending order: d1 gets 4m differences times c[0], d2 2m times c[1], d3 m
// times c[2], s m sums. s may be at x or before it.
//   DI, SI, R8, R9 d1, d2, d3, s; BX x; DX length of s in bytes; CX bytes of s done
TEXT ·split364AVX2(SB), NOSPLIT, $0-56
	MOVQ  d1+0(FP), DI
	MOVQ  d2+8(FP), SI
	MOVQ  d3+16(FP), R8
	MOVQ  s+24(FP), R9
	MOVQ  x+32(FP), BX
	MOVQ  m+40(FP), DX
	SHLQ  $SHIFT, DX
	MOVQ  c+48(FP), AX
	BCAST (0<<SHIFT)(AX), Y12
	BCAST (1<<SHIFT)(AX), Y13
	BCAST (2<<SHIFT)(AX), Y14
	XORQ  CX, CX

loop:
	PAIRS4(BX, CX, 8)
	MUL     Y12, Y1, Y1
	MUL     Y12, Y3, Y3
	MUL     Y12, Y5, Y5
	MUL     Y12, Y7, Y7
	VMOVUPD Y1, (DI)(CX*4)
	VMOVUPD Y3, 32(DI)(CX*4)
	VMOVUPD Y5, 64(DI)(CX*4)
	VMOVUPD Y7, 96(DI)(CX*4)
	PAIR(Y0, Y2)
	PAIR(Y4, Y6)
	PAIR(Y0, Y4)
	MUL     Y13, Y2, Y2
	MUL     Y13, Y6, Y6
	MUL     Y14, Y4, Y4
	VMOVUPD Y2, (SI)(CX*2)
	VMOVUPD Y6, 32(SI)(CX*2)
	VMOVUPD Y4, (R8)(CX*1)
	VMOVUPD Y0, (R9)(CX*1)
	ADDQ    $32, CX
	CMPQ    CX, DX
	JLT     loop
	VZEROUPPER
	RET

// func join64AVX2(x, d, s *float64, pairs int, c float64)
//	for i := range pairs { x[2i], x[2i+1] = s[i]+d[i]*c, s[i]-d[i]*c }
// pairs is a positive multiple of 16. d may be the upper half of x, or lie behind x.
//   DI x, SI d, BX s, DX length of s in bytes, CX bytes of s done
TEXT ·join64AVX2(SB), NOSPLIT, $0-40
	MOVQ  x+0(FP), DI
	MOVQ  d+8(FP), SI
	MOVQ  s+16(FP), BX
	MOVQ  pairs+24(FP), DX
	SHLQ  $SHIFT, DX
	BCAST c+32(FP), Y12
	XORQ  CX, CX

loop:
	VMOVUPD (BX)(CX*1), Y0
	VMOVUPD 32(BX)(CX*1), Y1
	VMOVUPD 64(BX)(CX*1), Y8
	VMOVUPD 96(BX)(CX*1), Y2
	MUL     (SI)(CX*1), Y12, Y4
	MUL     32(SI)(CX*1), Y12, Y5
	MUL     64(SI)(CX*1), Y12, Y6
	MUL     96(SI)(CX*1), Y12, Y7
	JOINS4
	STORE8(DI, CX, 2)
	ADDQ    $128, CX
	CMPQ    CX, DX
	JLT     loop
	VZEROUPPER
	RET

// func join364AVX2(x, d1, d2, d3, s *float64, m int, c *float64)
// The inverse of split3 in descending order: c[0], c[1], c[2] multiply d1, d2,
// d3 before the sums. s may be at x or before it.
//   DI x; SI, R8, R9 d1, d2, d3; BX s; CX bytes of s left
TEXT ·join364AVX2(SB), NOSPLIT, $0-56
	MOVQ  x+0(FP), DI
	MOVQ  d1+8(FP), SI
	MOVQ  d2+16(FP), R8
	MOVQ  d3+24(FP), R9
	MOVQ  s+32(FP), BX
	MOVQ  m+40(FP), CX
	SHLQ  $SHIFT, CX
	MOVQ  c+48(FP), AX
	BCAST (0<<SHIFT)(AX), Y12
	BCAST (1<<SHIFT)(AX), Y13
	BCAST (2<<SHIFT)(AX), Y14

loop:
	SUBQ    $32, CX
	VMOVUPD (BX)(CX*1), Y0
	MUL     (R9)(CX*1), Y14, Y1
	MUL     (R8)(CX*2), Y13, Y2
	MUL     32(R8)(CX*2), Y13, Y3
	MUL     (SI)(CX*4), Y12, Y4
	MUL     32(SI)(CX*4), Y12, Y5
	MUL     64(SI)(CX*4), Y12, Y6
	MUL     96(SI)(CX*4), Y12, Y7
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
#undef BLEND
#undef EVENS
#undef ODDS
#undef INTERLEAVE
#undef DOWN4
#undef PAIR2
#undef UP4
#undef DOWNTOP
#undef UPTOP

// float32

#define SHIFT 2
#define BYTES 4
#define BCAST VBROADCASTSS
#define ADD VADDPS
#define SUB VSUBPS
#define MUL VMULPS
#define BLEND VBLENDPS
#define EVENS(A, B, R) VSHUFPS $0x88, B, A, R
#define ODDS(A, B, R) VSHUFPS $0xdd, B, A, R
#define INTERLEAVE(A, B, L, H) VUNPCKLPS B, A, L; VUNPCKHPS B, A, H
#define DOWN8 VPERM2F128 $0x00, Y0, Y0, Y10; VPERM2F128 $0x11, Y0, Y0, Y11; EVENS(Y10, Y11, Y8); ODDS(Y10, Y11, Y9); SUMDIFF(0xf0, 0x00)
#define DOWN4 VPERMILPS $0x88, Y0, Y8; VPERMILPS $0xdd, Y0, Y9; SUMDIFF(0x0c, 0xf0)
#define PAIR2 VPERMILPS $0xe0, Y0, Y8; VPERMILPS $0xe5, Y0, Y9; SUMDIFF(0x02, 0xfc)
#define UP4 VPERMILPS $0x50, Y0, Y8; VPERMILPS $0xfa, Y0, Y9; SUMDIFF(0x0a, 0xf0)
#define UP8 VUNPCKLPS Y0, Y0, Y10; VUNPCKHPS Y0, Y0, Y11; VPERM2F128 $0x20, Y11, Y10, Y8; VPERM2F128 $0x31, Y11, Y10, Y9; SUMDIFF(0xaa, 0x00)
#define DOWNTOP DOWN8; DOWN4; PAIR2
#define UPTOP PAIR2; UP4; UP8

#define SCALE(C, R)
#define SCALEMEM(M, C, R)
#define SCALETOP
#define TOP DOWNTOP

// func forward32AVX2(dst, src *float32, n, d, ds, ss int, scratch, f *float32)
TEXT ·forward32AVX2(SB), NOSPLIT, $0-64
	MOVQ dst+0(FP), DI
	MOVQ src+8(FP), SI
	MOVQ n+16(FP), CX
	MOVQ d+24(FP), R10
	MOVQ ds+32(FP), R8
	MOVQ ss+40(FP), R9
	MOVQ scratch+48(FP), DX
	MOVQ f+56(FP), AX
#include "forward_avx2_amd64.h"

#undef SCALE
#undef SCALEMEM
#undef SCALETOP
#undef TOP

#define SCALE(C, R) MUL C, R, R
#define SCALEMEM(M, C, R) BCAST M, C; MUL C, R, R
#define SCALETOP MUL (AX), Y0, Y0
#define TOP DOWNTOP

// func forwardScaled32AVX2(dst, src *float32, n, d, ds, ss int, scratch, f *float32)
TEXT ·forwardScaled32AVX2(SB), NOSPLIT, $0-64
	MOVQ dst+0(FP), DI
	MOVQ src+8(FP), SI
	MOVQ n+16(FP), CX
	MOVQ d+24(FP), R10
	MOVQ ds+32(FP), R8
	MOVQ ss+40(FP), R9
	MOVQ scratch+48(FP), DX
	MOVQ f+56(FP), AX
#include "forward_avx2_amd64.h"

#undef SCALE
#undef SCALEMEM
#undef SCALETOP
#undef TOP

#define SCALE(C, R)
#define SCALEMEM(M, C, R)
#define SCALETOP
#define TOP UPTOP

// func backward32AVX2(dst, src *float32, n, d, ds, ss int, scratch, f *float32)
TEXT ·backward32AVX2(SB), NOSPLIT, $0-64
	MOVQ dst+0(FP), DI
	MOVQ src+8(FP), SI
	MOVQ n+16(FP), CX
	MOVQ d+24(FP), R10
	MOVQ ds+32(FP), R8
	MOVQ ss+40(FP), R9
	MOVQ scratch+48(FP), DX
	MOVQ f+56(FP), AX
#include "backward_avx2_amd64.h"

#undef SCALE
#undef SCALEMEM
#undef SCALETOP
#undef TOP

#define SCALE(C, R) MUL C, R, R
#define SCALEMEM(M, C, R) BCAST M, C; MUL C, R, R
#define SCALETOP MUL (AX), Y0, Y0
#define TOP UPTOP

// func backwardScaled32AVX2(dst, src *float32, n, d, ds, ss int, scratch, f *float32)
TEXT ·backwardScaled32AVX2(SB), NOSPLIT, $0-64
	MOVQ dst+0(FP), DI
	MOVQ src+8(FP), SI
	MOVQ n+16(FP), CX
	MOVQ d+24(FP), R10
	MOVQ ds+32(FP), R8
	MOVQ ss+40(FP), R9
	MOVQ scratch+48(FP), DX
	MOVQ f+56(FP), AX
#include "backward_avx2_amd64.h"

#undef SCALE
#undef SCALEMEM
#undef SCALETOP
#undef TOP

// func split32AVX2(d, s, x *float32, pairs int, c float32)
//	for i := pairs-1; i >= 0; i-- { s[i], d[i] = x[2i]+x[2i+1], (x[2i]-x[2i+1])*c }
// pairs is a positive multiple of 32. d may be the upper half of x, or lie behind x.
//   DI d, SI s, BX x, CX bytes of d left. Unroll as the tile of the rows has it.
TEXT ·split32AVX2(SB), NOSPLIT, $0-36
	MOVQ  d+0(FP), DI
	MOVQ  s+8(FP), SI
	MOVQ  x+16(FP), BX
	MOVQ  pairs+24(FP), CX
	SHLQ  $SHIFT, CX
	BCAST c+32(FP), Y12

loop:
	SUBQ    $128, CX
	PAIRS4(BX, CX, 2)
	MUL     Y12, Y1, Y1
	MUL     Y12, Y3, Y3
	MUL     Y12, Y5, Y5
	MUL     Y12, Y7, Y7
	VMOVUPD Y1, (DI)(CX*1)
	VMOVUPD Y3, 32(DI)(CX*1)
	VMOVUPD Y5, 64(DI)(CX*1)
	VMOVUPD Y7, 96(DI)(CX*1)
	VMOVUPD Y0, (SI)(CX*1)
	VMOVUPD Y2, 32(SI)(CX*1)
	VMOVUPD Y4, 64(SI)(CX*1)
	VMOVUPD Y6, 96(SI)(CX*1)
	TESTQ   CX, CX
	JNZ     loop
	VZEROUPPER
	RET

// func split332AVX2(d1, d2, d3, s, x *float32, m int, c *float32)
// Three levels of split of 8m elements of x, m a positive multiple of 8, in
// ascending order: d1 gets 4m differences times c[0], d2 2m times c[1], d3 m
// times c[2], s m sums. s may be at x or before it.
//   DI, SI, R8, R9 d1, d2, d3, s; BX x; DX length of s in bytes; CX bytes of s done
TEXT ·split332AVX2(SB), NOSPLIT, $0-56
	MOVQ  d1+0(FP), DI
	MOVQ  d2+8(FP), SI
	MOVQ  d3+16(FP), R8
	MOVQ  s+24(FP), R9
	MOVQ  x+32(FP), BX
	MOVQ  m+40(FP), DX
	SHLQ  $SHIFT, DX
	MOVQ  c+48(FP), AX
	BCAST (0<<SHIFT)(AX), Y12
	BCAST (1<<SHIFT)(AX), Y13
	BCAST (2<<SHIFT)(AX), Y14
	XORQ  CX, CX

loop:
	PAIRS4(BX, CX, 8)
	MUL     Y12, Y1, Y1
	MUL     Y12, Y3, Y3
	MUL     Y12, Y5, Y5
	MUL     Y12, Y7, Y7
	VMOVUPD Y1, (DI)(CX*4)
	VMOVUPD Y3, 32(DI)(CX*4)
	VMOVUPD Y5, 64(DI)(CX*4)
	VMOVUPD Y7, 96(DI)(CX*4)
	PAIR(Y0, Y2)
	PAIR(Y4, Y6)
	PAIR(Y0, Y4)
	MUL     Y13, Y2, Y2
	MUL     Y13, Y6, Y6
	MUL     Y14, Y4, Y4
	VMOVUPD Y2, (SI)(CX*2)
	VMOVUPD Y6, 32(SI)(CX*2)
	VMOVUPD Y4, (R8)(CX*1)
	VMOVUPD Y0, (R9)(CX*1)
	ADDQ    $32, CX
	CMPQ    CX, DX
	JLT     loop
	VZEROUPPER
	RET

// func join32AVX2(x, d, s *float32, pairs int, c float32)
//	for i := range pairs { x[2i], x[2i+1] = s[i]+d[i]*c, s[i]-d[i]*c }
// pairs is a positive multiple of 32. d may be the upper half of x, or lie behind x.
//   DI x, SI d, BX s, DX length of s in bytes, CX bytes of s done
TEXT ·join32AVX2(SB), NOSPLIT, $0-36
	MOVQ  x+0(FP), DI
	MOVQ  d+8(FP), SI
	MOVQ  s+16(FP), BX
	MOVQ  pairs+24(FP), DX
	SHLQ  $SHIFT, DX
	BCAST c+32(FP), Y12
	XORQ  CX, CX

loop:
	VMOVUPD (BX)(CX*1), Y0
	VMOVUPD 32(BX)(CX*1), Y1
	VMOVUPD 64(BX)(CX*1), Y8
	VMOVUPD 96(BX)(CX*1), Y2
	MUL     (SI)(CX*1), Y12, Y4
	MUL     32(SI)(CX*1), Y12, Y5
	MUL     64(SI)(CX*1), Y12, Y6
	MUL     96(SI)(CX*1), Y12, Y7
	JOINS4
	STORE8(DI, CX, 2)
	ADDQ    $128, CX
	CMPQ    CX, DX
	JLT     loop
	VZEROUPPER
	RET

// func join332AVX2(x, d1, d2, d3, s *float32, m int, c *float32)
// The inverse of split3 in descending order: c[0], c[1], c[2] multiply d1, d2,
// d3 before the sums. s may be at x or before it.
//   DI x; SI, R8, R9 d1, d2, d3; BX s; CX bytes of s left
TEXT ·join332AVX2(SB), NOSPLIT, $0-56
	MOVQ  x+0(FP), DI
	MOVQ  d1+8(FP), SI
	MOVQ  d2+16(FP), R8
	MOVQ  d3+24(FP), R9
	MOVQ  s+32(FP), BX
	MOVQ  m+40(FP), CX
	SHLQ  $SHIFT, CX
	MOVQ  c+48(FP), AX
	BCAST (0<<SHIFT)(AX), Y12
	BCAST (1<<SHIFT)(AX), Y13
	BCAST (2<<SHIFT)(AX), Y14

loop:
	SUBQ    $32, CX
	VMOVUPD (BX)(CX*1), Y0
	MUL     (R9)(CX*1), Y14, Y1
	MUL     (R8)(CX*2), Y13, Y2
	MUL     32(R8)(CX*2), Y13, Y3
	MUL     (SI)(CX*4), Y12, Y4
	MUL     32(SI)(CX*4), Y12, Y5
	MUL     64(SI)(CX*4), Y12, Y6
	MUL     96(SI)(CX*4), Y12, Y7
	JOINS7
	STORE8(DI, CX, 8)
	TESTQ   CX, CX
	JNZ     loop
	VZEROUPPER
	RET

