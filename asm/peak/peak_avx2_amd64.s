//go:build !noasm

#include "textflag.h"

// Register use in all of this file: DI destination or x, SI source, CX length
// then elements left, DX rounds left; Y0-Y11 data or sums, Y12 = a, Y13 = b or v.

// func fma64AVX2(x []float64, a, b float64, rounds int)   for rounds: for i := range 48: x[i] += a·b
// len(x) == 48, rounds > 0. Everything stays in registers; invariant at loop: Yi holds x[4i:4i+4] after
// the rounds done. 12 chains: two units times latency 4 or 5 need ten. No tail.
TEXT ·fma64AVX2(SB), NOSPLIT, $0-48
	MOVQ	x_base+0(FP), DI
	VBROADCASTSD	a+24(FP), Y12
	VBROADCASTSD	b+32(FP), Y13
	MOVQ	rounds+40(FP), DX
	VMOVUPD	0(DI), Y0
	VMOVUPD	32(DI), Y1
	VMOVUPD	64(DI), Y2
	VMOVUPD	96(DI), Y3
	VMOVUPD	128(DI), Y4
	VMOVUPD	160(DI), Y5
	VMOVUPD	192(DI), Y6
	VMOVUPD	224(DI), Y7
	VMOVUPD	256(DI), Y8
	VMOVUPD	288(DI), Y9
	VMOVUPD	320(DI), Y10
	VMOVUPD	352(DI), Y11

loop:
	VFMADD231PD	Y12, Y13, Y0
	VFMADD231PD	Y12, Y13, Y1
	VFMADD231PD	Y12, Y13, Y2
	VFMADD231PD	Y12, Y13, Y3
	VFMADD231PD	Y12, Y13, Y4
	VFMADD231PD	Y12, Y13, Y5
	VFMADD231PD	Y12, Y13, Y6
	VFMADD231PD	Y12, Y13, Y7
	VFMADD231PD	Y12, Y13, Y8
	VFMADD231PD	Y12, Y13, Y9
	VFMADD231PD	Y12, Y13, Y10
	VFMADD231PD	Y12, Y13, Y11
	DECQ	DX
	JNZ	loop

	VMOVUPD	Y0, 0(DI)
	VMOVUPD	Y1, 32(DI)
	VMOVUPD	Y2, 64(DI)
	VMOVUPD	Y3, 96(DI)
	VMOVUPD	Y4, 128(DI)
	VMOVUPD	Y5, 160(DI)
	VMOVUPD	Y6, 192(DI)
	VMOVUPD	Y7, 224(DI)
	VMOVUPD	Y8, 256(DI)
	VMOVUPD	Y9, 288(DI)
	VMOVUPD	Y10, 320(DI)
	VMOVUPD	Y11, 352(DI)
	VZEROUPPER
	RET

// func add64AVX2(x []float64, b float64, rounds int)   for rounds: for i := range 48: x[i] += b
// As fma64AVX2.
TEXT ·add64AVX2(SB), NOSPLIT, $0-40
	MOVQ	x_base+0(FP), DI
	VBROADCASTSD	b+24(FP), Y13
	MOVQ	rounds+32(FP), DX
	VMOVUPD	0(DI), Y0
	VMOVUPD	32(DI), Y1
	VMOVUPD	64(DI), Y2
	VMOVUPD	96(DI), Y3
	VMOVUPD	128(DI), Y4
	VMOVUPD	160(DI), Y5
	VMOVUPD	192(DI), Y6
	VMOVUPD	224(DI), Y7
	VMOVUPD	256(DI), Y8
	VMOVUPD	288(DI), Y9
	VMOVUPD	320(DI), Y10
	VMOVUPD	352(DI), Y11

loop:
	VADDPD	Y13, Y0, Y0
	VADDPD	Y13, Y1, Y1
	VADDPD	Y13, Y2, Y2
	VADDPD	Y13, Y3, Y3
	VADDPD	Y13, Y4, Y4
	VADDPD	Y13, Y5, Y5
	VADDPD	Y13, Y6, Y6
	VADDPD	Y13, Y7, Y7
	VADDPD	Y13, Y8, Y8
	VADDPD	Y13, Y9, Y9
	VADDPD	Y13, Y10, Y10
	VADDPD	Y13, Y11, Y11
	DECQ	DX
	JNZ	loop

	VMOVUPD	Y0, 0(DI)
	VMOVUPD	Y1, 32(DI)
	VMOVUPD	Y2, 64(DI)
	VMOVUPD	Y3, 96(DI)
	VMOVUPD	Y4, 128(DI)
	VMOVUPD	Y5, 160(DI)
	VMOVUPD	Y6, 192(DI)
	VMOVUPD	Y7, 224(DI)
	VMOVUPD	Y8, 256(DI)
	VMOVUPD	Y9, 288(DI)
	VMOVUPD	Y10, 320(DI)
	VMOVUPD	Y11, 352(DI)
	VZEROUPPER
	RET

// func sum64AVX2(x []float64) float64   Σ x[i]
// Invariant at loop: SI points at the first element not yet added, CX+32 are left, CX >= 0; Y0-Y7 are the sums of
// registers 0..7 of every 8. Unroll 8: two additions a cycle of latency 4, each with its load. Tail: registers,
// then one element at a time into X8.
TEXT ·sum64AVX2(SB), NOSPLIT, $0-32
	MOVQ	x_base+0(FP), SI
	MOVQ	x_len+8(FP), CX
	VXORPD	Y0, Y0, Y0
	VXORPD	Y1, Y1, Y1
	VXORPD	Y2, Y2, Y2
	VXORPD	Y3, Y3, Y3
	VXORPD	Y4, Y4, Y4
	VXORPD	Y5, Y5, Y5
	VXORPD	Y6, Y6, Y6
	VXORPD	Y7, Y7, Y7
	VXORPD	Y8, Y8, Y8
	SUBQ	$32, CX
	JLT	ones

loop:
	VADDPD	0(SI), Y0, Y0
	VADDPD	32(SI), Y1, Y1
	VADDPD	64(SI), Y2, Y2
	VADDPD	96(SI), Y3, Y3
	VADDPD	128(SI), Y4, Y4
	VADDPD	160(SI), Y5, Y5
	VADDPD	192(SI), Y6, Y6
	VADDPD	224(SI), Y7, Y7
	ADDQ	$256, SI
	SUBQ	$32, CX
	JGE	loop

ones:
	ADDQ	$32, CX

one:
	CMPQ	CX, $4
	JLT	tail
	VADDPD	(SI), Y0, Y0
	ADDQ	$32, SI
	SUBQ	$4, CX
	JMP	one

tail:
	TESTQ	CX, CX
	JZ	join
	VADDSD	(SI), X8, X8
	ADDQ	$8, SI
	DECQ	CX
	JMP	tail

join:
	VADDPD	Y4, Y0, Y0
	VADDPD	Y5, Y1, Y1
	VADDPD	Y6, Y2, Y2
	VADDPD	Y7, Y3, Y3
	VADDPD	Y2, Y0, Y0
	VADDPD	Y3, Y1, Y1
	VADDPD	Y1, Y0, Y0
	VEXTRACTF128	$1, Y0, X1
	VADDPD	X1, X0, X0
	VUNPCKHPD	X0, X0, X1
	VADDSD	X1, X0, X0
	VADDSD	X8, X0, X0
	VMOVSD	X0, ret+24(FP)
	VZEROUPPER
	RET

// func copy64AVX2(dst, src []float64)   dst[i] = src[i]
// Invariant at loop: the pointers are at the first element not yet done and CX+16 are left, CX >= 0. Unroll 4: a
// 128-byte block per iteration keeps the loop's own instructions away from the load and store units. Tail: registers,
// then one element at a time.
TEXT ·copy64AVX2(SB), NOSPLIT, $0-48
	MOVQ	dst_base+0(FP), DI
	MOVQ	src_base+24(FP), SI
	MOVQ	src_len+32(FP), CX
	SUBQ	$16, CX
	JLT	ones

loop:
	VMOVUPD	0(SI), Y0
	VMOVUPD	32(SI), Y1
	VMOVUPD	64(SI), Y2
	VMOVUPD	96(SI), Y3
	VMOVUPD	Y0, 0(DI)
	VMOVUPD	Y1, 32(DI)
	VMOVUPD	Y2, 64(DI)
	VMOVUPD	Y3, 96(DI)
	ADDQ	$128, SI
	ADDQ	$128, DI
	SUBQ	$16, CX
	JGE	loop

ones:
	ADDQ	$16, CX

one:
	CMPQ	CX, $4
	JLT	tail
	VMOVUPD	0(SI), Y0
	VMOVUPD	Y0, 0(DI)
	ADDQ	$32, SI
	ADDQ	$32, DI
	SUBQ	$4, CX
	JMP	one

tail:
	TESTQ	CX, CX
	JZ	done
	VMOVSD	(SI), X0
	VMOVSD	X0, (DI)
	ADDQ	$8, SI
	ADDQ	$8, DI
	DECQ	CX
	JMP	tail

done:
	VZEROUPPER
	RET

// func shift64AVX2(x []float64, b float64)   x[i] += b
// As copy64AVX2, in place.
TEXT ·shift64AVX2(SB), NOSPLIT, $0-32
	MOVQ	x_base+0(FP), DI
	MOVQ	x_len+8(FP), CX
	VBROADCASTSD	b+24(FP), Y13
	SUBQ	$16, CX
	JLT	ones

loop:
	VADDPD	0(DI), Y13, Y0
	VADDPD	32(DI), Y13, Y1
	VADDPD	64(DI), Y13, Y2
	VADDPD	96(DI), Y13, Y3
	VMOVUPD	Y0, 0(DI)
	VMOVUPD	Y1, 32(DI)
	VMOVUPD	Y2, 64(DI)
	VMOVUPD	Y3, 96(DI)
	ADDQ	$128, DI
	SUBQ	$16, CX
	JGE	loop

ones:
	ADDQ	$16, CX

one:
	CMPQ	CX, $4
	JLT	tail
	VADDPD	0(DI), Y13, Y0
	VMOVUPD	Y0, 0(DI)
	ADDQ	$32, DI
	SUBQ	$4, CX
	JMP	one

tail:
	TESTQ	CX, CX
	JZ	done
	VADDSD	(DI), X13, X0
	VMOVSD	X0, (DI)
	ADDQ	$8, DI
	DECQ	CX
	JMP	tail

done:
	VZEROUPPER
	RET

// func fill64AVX2(dst []float64, v float64)   dst[i] = v
// As copy64AVX2, without a source.
TEXT ·fill64AVX2(SB), NOSPLIT, $0-32
	MOVQ	dst_base+0(FP), DI
	MOVQ	dst_len+8(FP), CX
	VBROADCASTSD	v+24(FP), Y13
	SUBQ	$16, CX
	JLT	ones

loop:
	VMOVUPD	Y13, 0(DI)
	VMOVUPD	Y13, 32(DI)
	VMOVUPD	Y13, 64(DI)
	VMOVUPD	Y13, 96(DI)
	ADDQ	$128, DI
	SUBQ	$16, CX
	JGE	loop

ones:
	ADDQ	$16, CX

one:
	CMPQ	CX, $4
	JLT	tail
	VMOVUPD	Y13, 0(DI)
	ADDQ	$32, DI
	SUBQ	$4, CX
	JMP	one

tail:
	TESTQ	CX, CX
	JZ	done
	VMOVSD	X13, (DI)
	ADDQ	$8, DI
	DECQ	CX
	JMP	tail

done:
	VZEROUPPER
	RET

// func stream64AVX2(dst []float64, v float64)   dst[i] = v, around the caches
// As fill64AVX2 with streaming stores, which need aligned addresses: element by element up to the next multiple of
// 32 bytes. A fence for other cores at the end. An address that is not even a multiple of the element takes
// ordinary stores.
TEXT ·stream64AVX2(SB), NOSPLIT, $0-32
	MOVQ	dst_base+0(FP), DI
	MOVQ	dst_len+8(FP), CX
	VBROADCASTSD	v+24(FP), Y13
	TESTQ	$7, DI
	JNZ	tail

align:
	TESTQ	$31, DI
	JZ	aligned
	TESTQ	CX, CX
	JZ	done
	VMOVSD	X13, (DI)
	ADDQ	$8, DI
	DECQ	CX
	JMP	align

aligned:
	SUBQ	$16, CX
	JLT	ones

loop:
	VMOVNTPD	Y13, 0(DI)
	VMOVNTPD	Y13, 32(DI)
	VMOVNTPD	Y13, 64(DI)
	VMOVNTPD	Y13, 96(DI)
	ADDQ	$128, DI
	SUBQ	$16, CX
	JGE	loop

ones:
	SFENCE
	ADDQ	$16, CX

tail:
	CMPQ	CX, $4
	JLT	last
	VMOVUPD	Y13, 0(DI)
	ADDQ	$32, DI
	SUBQ	$4, CX
	JMP	tail

last:
	TESTQ	CX, CX
	JZ	done
	VMOVSD	X13, (DI)
	ADDQ	$8, DI
	DECQ	CX
	JMP	last

done:
	VZEROUPPER
	RET

// func fma32AVX2(x []float32, a, b float32, rounds int)   for rounds: for i := range 96: x[i] += a·b
// len(x) == 96, rounds > 0. Everything stays in registers; invariant at loop: Yi holds x[8i:8i+8] after
// the rounds done. 12 chains: two units times latency 4 or 5 need ten. No tail.
TEXT ·fma32AVX2(SB), NOSPLIT, $0-40
	MOVQ	x_base+0(FP), DI
	VBROADCASTSS	a+24(FP), Y12
	VBROADCASTSS	b+28(FP), Y13
	MOVQ	rounds+32(FP), DX
	VMOVUPS	0(DI), Y0
	VMOVUPS	32(DI), Y1
	VMOVUPS	64(DI), Y2
	VMOVUPS	96(DI), Y3
	VMOVUPS	128(DI), Y4
	VMOVUPS	160(DI), Y5
	VMOVUPS	192(DI), Y6
	VMOVUPS	224(DI), Y7
	VMOVUPS	256(DI), Y8
	VMOVUPS	288(DI), Y9
	VMOVUPS	320(DI), Y10
	VMOVUPS	352(DI), Y11

loop:
	VFMADD231PS	Y12, Y13, Y0
	VFMADD231PS	Y12, Y13, Y1
	VFMADD231PS	Y12, Y13, Y2
	VFMADD231PS	Y12, Y13, Y3
	VFMADD231PS	Y12, Y13, Y4
	VFMADD231PS	Y12, Y13, Y5
	VFMADD231PS	Y12, Y13, Y6
	VFMADD231PS	Y12, Y13, Y7
	VFMADD231PS	Y12, Y13, Y8
	VFMADD231PS	Y12, Y13, Y9
	VFMADD231PS	Y12, Y13, Y10
	VFMADD231PS	Y12, Y13, Y11
	DECQ	DX
	JNZ	loop

	VMOVUPS	Y0, 0(DI)
	VMOVUPS	Y1, 32(DI)
	VMOVUPS	Y2, 64(DI)
	VMOVUPS	Y3, 96(DI)
	VMOVUPS	Y4, 128(DI)
	VMOVUPS	Y5, 160(DI)
	VMOVUPS	Y6, 192(DI)
	VMOVUPS	Y7, 224(DI)
	VMOVUPS	Y8, 256(DI)
	VMOVUPS	Y9, 288(DI)
	VMOVUPS	Y10, 320(DI)
	VMOVUPS	Y11, 352(DI)
	VZEROUPPER
	RET

// func add32AVX2(x []float32, b float32, rounds int)   for rounds: for i := range 96: x[i] += b
// As fma32AVX2.
TEXT ·add32AVX2(SB), NOSPLIT, $0-40
	MOVQ	x_base+0(FP), DI
	VBROADCASTSS	b+24(FP), Y13
	MOVQ	rounds+32(FP), DX
	VMOVUPS	0(DI), Y0
	VMOVUPS	32(DI), Y1
	VMOVUPS	64(DI), Y2
	VMOVUPS	96(DI), Y3
	VMOVUPS	128(DI), Y4
	VMOVUPS	160(DI), Y5
	VMOVUPS	192(DI), Y6
	VMOVUPS	224(DI), Y7
	VMOVUPS	256(DI), Y8
	VMOVUPS	288(DI), Y9
	VMOVUPS	320(DI), Y10
	VMOVUPS	352(DI), Y11

loop:
	VADDPS	Y13, Y0, Y0
	VADDPS	Y13, Y1, Y1
	VADDPS	Y13, Y2, Y2
	VADDPS	Y13, Y3, Y3
	VADDPS	Y13, Y4, Y4
	VADDPS	Y13, Y5, Y5
	VADDPS	Y13, Y6, Y6
	VADDPS	Y13, Y7, Y7
	VADDPS	Y13, Y8, Y8
	VADDPS	Y13, Y9, Y9
	VADDPS	Y13, Y10, Y10
	VADDPS	Y13, Y11, Y11
	DECQ	DX
	JNZ	loop

	VMOVUPS	Y0, 0(DI)
	VMOVUPS	Y1, 32(DI)
	VMOVUPS	Y2, 64(DI)
	VMOVUPS	Y3, 96(DI)
	VMOVUPS	Y4, 128(DI)
	VMOVUPS	Y5, 160(DI)
	VMOVUPS	Y6, 192(DI)
	VMOVUPS	Y7, 224(DI)
	VMOVUPS	Y8, 256(DI)
	VMOVUPS	Y9, 288(DI)
	VMOVUPS	Y10, 320(DI)
	VMOVUPS	Y11, 352(DI)
	VZEROUPPER
	RET

// func sum32AVX2(x []float32) float32   Σ x[i]
// Invariant at loop: SI points at the first element not yet added, CX+64 are left, CX >= 0; Y0-Y7 are the sums of
// registers 0..7 of every 8. Unroll 8: two additions a cycle of latency 4, each with its load. Tail: registers,
// then one element at a time into X8.
TEXT ·sum32AVX2(SB), NOSPLIT, $0-28
	MOVQ	x_base+0(FP), SI
	MOVQ	x_len+8(FP), CX
	VXORPD	Y0, Y0, Y0
	VXORPD	Y1, Y1, Y1
	VXORPD	Y2, Y2, Y2
	VXORPD	Y3, Y3, Y3
	VXORPD	Y4, Y4, Y4
	VXORPD	Y5, Y5, Y5
	VXORPD	Y6, Y6, Y6
	VXORPD	Y7, Y7, Y7
	VXORPD	Y8, Y8, Y8
	SUBQ	$64, CX
	JLT	ones

loop:
	VADDPS	0(SI), Y0, Y0
	VADDPS	32(SI), Y1, Y1
	VADDPS	64(SI), Y2, Y2
	VADDPS	96(SI), Y3, Y3
	VADDPS	128(SI), Y4, Y4
	VADDPS	160(SI), Y5, Y5
	VADDPS	192(SI), Y6, Y6
	VADDPS	224(SI), Y7, Y7
	ADDQ	$256, SI
	SUBQ	$64, CX
	JGE	loop

ones:
	ADDQ	$64, CX

one:
	CMPQ	CX, $8
	JLT	tail
	VADDPS	(SI), Y0, Y0
	ADDQ	$32, SI
	SUBQ	$8, CX
	JMP	one

tail:
	TESTQ	CX, CX
	JZ	join
	VADDSS	(SI), X8, X8
	ADDQ	$4, SI
	DECQ	CX
	JMP	tail

join:
	VADDPS	Y4, Y0, Y0
	VADDPS	Y5, Y1, Y1
	VADDPS	Y6, Y2, Y2
	VADDPS	Y7, Y3, Y3
	VADDPS	Y2, Y0, Y0
	VADDPS	Y3, Y1, Y1
	VADDPS	Y1, Y0, Y0
	VEXTRACTF128	$1, Y0, X1
	VADDPS	X1, X0, X0
	VMOVHLPS	X0, X0, X1
	VADDPS	X1, X0, X0
	VMOVSHDUP	X0, X1
	VADDSS	X1, X0, X0
	VADDSS	X8, X0, X0
	VMOVSS	X0, ret+24(FP)
	VZEROUPPER
	RET

// func copy32AVX2(dst, src []float32)   dst[i] = src[i]
// Invariant at loop: the pointers are at the first element not yet done and CX+32 are left, CX >= 0. Unroll 4: a
// 128-byte block per iteration keeps the loop's own instructions away from the load and store units. Tail: registers,
// then one element at a time.
TEXT ·copy32AVX2(SB), NOSPLIT, $0-48
	MOVQ	dst_base+0(FP), DI
	MOVQ	src_base+24(FP), SI
	MOVQ	src_len+32(FP), CX
	SUBQ	$32, CX
	JLT	ones

loop:
	VMOVUPS	0(SI), Y0
	VMOVUPS	32(SI), Y1
	VMOVUPS	64(SI), Y2
	VMOVUPS	96(SI), Y3
	VMOVUPS	Y0, 0(DI)
	VMOVUPS	Y1, 32(DI)
	VMOVUPS	Y2, 64(DI)
	VMOVUPS	Y3, 96(DI)
	ADDQ	$128, SI
	ADDQ	$128, DI
	SUBQ	$32, CX
	JGE	loop

ones:
	ADDQ	$32, CX

one:
	CMPQ	CX, $8
	JLT	tail
	VMOVUPS	0(SI), Y0
	VMOVUPS	Y0, 0(DI)
	ADDQ	$32, SI
	ADDQ	$32, DI
	SUBQ	$8, CX
	JMP	one

tail:
	TESTQ	CX, CX
	JZ	done
	VMOVSS	(SI), X0
	VMOVSS	X0, (DI)
	ADDQ	$4, SI
	ADDQ	$4, DI
	DECQ	CX
	JMP	tail

done:
	VZEROUPPER
	RET

// func shift32AVX2(x []float32, b float32)   x[i] += b
// As copy32AVX2, in place.
TEXT ·shift32AVX2(SB), NOSPLIT, $0-28
	MOVQ	x_base+0(FP), DI
	MOVQ	x_len+8(FP), CX
	VBROADCASTSS	b+24(FP), Y13
	SUBQ	$32, CX
	JLT	ones

loop:
	VADDPS	0(DI), Y13, Y0
	VADDPS	32(DI), Y13, Y1
	VADDPS	64(DI), Y13, Y2
	VADDPS	96(DI), Y13, Y3
	VMOVUPS	Y0, 0(DI)
	VMOVUPS	Y1, 32(DI)
	VMOVUPS	Y2, 64(DI)
	VMOVUPS	Y3, 96(DI)
	ADDQ	$128, DI
	SUBQ	$32, CX
	JGE	loop

ones:
	ADDQ	$32, CX

one:
	CMPQ	CX, $8
	JLT	tail
	VADDPS	0(DI), Y13, Y0
	VMOVUPS	Y0, 0(DI)
	ADDQ	$32, DI
	SUBQ	$8, CX
	JMP	one

tail:
	TESTQ	CX, CX
	JZ	done
	VADDSS	(DI), X13, X0
	VMOVSS	X0, (DI)
	ADDQ	$4, DI
	DECQ	CX
	JMP	tail

done:
	VZEROUPPER
	RET

// func fill32AVX2(dst []float32, v float32)   dst[i] = v
// As copy32AVX2, without a source.
TEXT ·fill32AVX2(SB), NOSPLIT, $0-28
	MOVQ	dst_base+0(FP), DI
	MOVQ	dst_len+8(FP), CX
	VBROADCASTSS	v+24(FP), Y13
	SUBQ	$32, CX
	JLT	ones

loop:
	VMOVUPS	Y13, 0(DI)
	VMOVUPS	Y13, 32(DI)
	VMOVUPS	Y13, 64(DI)
	VMOVUPS	Y13, 96(DI)
	ADDQ	$128, DI
	SUBQ	$32, CX
	JGE	loop

ones:
	ADDQ	$32, CX

one:
	CMPQ	CX, $8
	JLT	tail
	VMOVUPS	Y13, 0(DI)
	ADDQ	$32, DI
	SUBQ	$8, CX
	JMP	one

tail:
	TESTQ	CX, CX
	JZ	done
	VMOVSS	X13, (DI)
	ADDQ	$4, DI
	DECQ	CX
	JMP	tail

done:
	VZEROUPPER
	RET

// func stream32AVX2(dst []float32, v float32)   dst[i] = v, around the caches
// As fill32AVX2 with streaming stores, which need aligned addresses: element by element up to the next multiple of
// 32 bytes. A fence for other cores at the end. An address that is not even a multiple of the element takes
// ordinary stores.
TEXT ·stream32AVX2(SB), NOSPLIT, $0-28
	MOVQ	dst_base+0(FP), DI
	MOVQ	dst_len+8(FP), CX
	VBROADCASTSS	v+24(FP), Y13
	TESTQ	$3, DI
	JNZ	tail

align:
	TESTQ	$31, DI
	JZ	aligned
	TESTQ	CX, CX
	JZ	done
	VMOVSS	X13, (DI)
	ADDQ	$4, DI
	DECQ	CX
	JMP	align

aligned:
	SUBQ	$32, CX
	JLT	ones

loop:
	VMOVNTPS	Y13, 0(DI)
	VMOVNTPS	Y13, 32(DI)
	VMOVNTPS	Y13, 64(DI)
	VMOVNTPS	Y13, 96(DI)
	ADDQ	$128, DI
	SUBQ	$32, CX
	JGE	loop

ones:
	SFENCE
	ADDQ	$32, CX

tail:
	CMPQ	CX, $8
	JLT	last
	VMOVUPS	Y13, 0(DI)
	ADDQ	$32, DI
	SUBQ	$8, CX
	JMP	tail

last:
	TESTQ	CX, CX
	JZ	done
	VMOVSS	X13, (DI)
	ADDQ	$4, DI
	DECQ	CX
	JMP	last

done:
	VZEROUPPER
	RET

// MIX is the body of mix64AVX2 and mix32AVX2 after their arguments. Invariant at loop: the data registers hold x
// after the rounds done. Half of the chains add while the other half multiplies, then they change places, so that
// both kinds of units have work at any time. No tail.
#define MIX(ADD, FMA) \
	VMOVUPD	0(DI), Y0; \
	VMOVUPD	32(DI), Y1; \
	VMOVUPD	64(DI), Y2; \
	VMOVUPD	96(DI), Y3; \
	VMOVUPD	128(DI), Y4; \
	VMOVUPD	160(DI), Y5; \
	VMOVUPD	192(DI), Y6; \
	VMOVUPD	224(DI), Y7; \
	VMOVUPD	256(DI), Y8; \
	VMOVUPD	288(DI), Y9; \
	VMOVUPD	320(DI), Y10; \
	VMOVUPD	352(DI), Y11; \
loop: \
	ADD	Y13, Y0, Y0; \
	FMA	Y12, Y13, Y6; \
	ADD	Y13, Y1, Y1; \
	FMA	Y12, Y13, Y7; \
	ADD	Y13, Y2, Y2; \
	FMA	Y12, Y13, Y8; \
	ADD	Y13, Y3, Y3; \
	FMA	Y12, Y13, Y9; \
	ADD	Y13, Y4, Y4; \
	FMA	Y12, Y13, Y10; \
	ADD	Y13, Y5, Y5; \
	FMA	Y12, Y13, Y11; \
	FMA	Y12, Y13, Y0; \
	ADD	Y13, Y6, Y6; \
	FMA	Y12, Y13, Y1; \
	ADD	Y13, Y7, Y7; \
	FMA	Y12, Y13, Y2; \
	ADD	Y13, Y8, Y8; \
	FMA	Y12, Y13, Y3; \
	ADD	Y13, Y9, Y9; \
	FMA	Y12, Y13, Y4; \
	ADD	Y13, Y10, Y10; \
	FMA	Y12, Y13, Y5; \
	ADD	Y13, Y11, Y11; \
	DECQ	DX; \
	JNZ	loop; \
	VMOVUPD	Y0, 0(DI); \
	VMOVUPD	Y1, 32(DI); \
	VMOVUPD	Y2, 64(DI); \
	VMOVUPD	Y3, 96(DI); \
	VMOVUPD	Y4, 128(DI); \
	VMOVUPD	Y5, 160(DI); \
	VMOVUPD	Y6, 192(DI); \
	VMOVUPD	Y7, 224(DI); \
	VMOVUPD	Y8, 256(DI); \
	VMOVUPD	Y9, 288(DI); \
	VMOVUPD	Y10, 320(DI); \
	VMOVUPD	Y11, 352(DI); \
	VZEROUPPER; \
	RET

// func mix64AVX2(x []float64, a, b float64, rounds int)   for rounds: for i := range 48: x[i] += b; x[i] += a·b
// len(x) == 48, rounds > 0. Two units of each kind, 12 chains: an addition and a multiply-add take six or seven cycles.
TEXT ·mix64AVX2(SB), NOSPLIT, $0-48
	MOVQ	x_base+0(FP), DI
	VBROADCASTSD	a+24(FP), Y12
	VBROADCASTSD	b+32(FP), Y13
	MOVQ	rounds+40(FP), DX
	MIX(VADDPD, VFMADD231PD)

// func mix32AVX2(x []float32, a, b float32, rounds int)   as mix64AVX2, len(x) == 96
TEXT ·mix32AVX2(SB), NOSPLIT, $0-40
	MOVQ	x_base+0(FP), DI
	VBROADCASTSS	a+24(FP), Y12
	VBROADCASTSS	b+28(FP), Y13
	MOVQ	rounds+32(FP), DX
	MIX(VADDPS, VFMADD231PS)
