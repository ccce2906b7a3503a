// Eight columns of eight rows, for Solved. Two rows go together: after the products v = s·l, E holds those of the
// even columns of both, O those of the odd ones, and what a step subtracts from w is a scan over the four groups
// of two columns.
//   SI, R9 rows 0 and 4 of l, AX stride in bytes, R8 three rows; BX coefficients, DX those left, four columns each
//   Z0-Z3 w of each two rows, alternating; Z4-Z11 rows of l; Z29-Z31 c, s, r of eight columns
//   Z12, Z14, Z16, Z18 and Z13, Z15, Z17, Z19 v of the rows, then w behind even columns and O; Z20-Z23 sums;
//   Z24-Z27 shifted sums, then w behind odd columns; K1, K2 groups from the second and third on; K3 the columns
// Invariant at loop: SI, R9, BX at the first column not done.
// All pairs of rows take each step before the next one: an operation that waits for another takes one of the 64
// places from which a Zen 4 picks, and one pair after the other takes 1.6 times as long. The chain from one turn to
// the next is a subtraction. Last: four columns under a mask, the coefficients of the others being 0.

#define FIRST(OP) \
	OP(Z0, Z4, Z5, Z12, Z13, Z20, Z24) \
	OP(Z1, Z6, Z7, Z14, Z15, Z21, Z25)
#define SECOND(OP) \
	OP(Z2, Z8, Z9, Z16, Z17, Z22, Z26) \
	OP(Z3, Z10, Z11, Z18, Z19, Z23, Z27)

#define TIMESS(w, a, b, va, vb, sum, t) VMULPD a, Z30, va; VMULPD b, Z30, vb;
#define TIMESC(w, a, b, va, vb, sum, t) VMULPD a, Z29, a; VMULPD b, Z29, b;
#define SPLIT(w, a, b, va, vb, sum, t) VUNPCKLPD vb, va, sum; VUNPCKHPD vb, va, vb; // E, O
#define TOGETHER(w, a, b, va, vb, sum, t) VADDPD vb, sum, sum;
#define SHIFT1(w, a, b, va, vb, sum, t) VSHUFF64X2.Z $0x90, sum, sum, K1, t;
#define SHIFT2(w, a, b, va, vb, sum, t) VSHUFF64X2.Z $0x40, sum, sum, K2, t;
#define SCANNED(w, a, b, va, vb, sum, t) VADDPD t, sum, sum;
#define BEHIND(w, a, b, va, vb, sum, t) VSUBPD sum, w, t;
#define NEXTW(w, a, b, va, vb, sum, t) VADDPD vb, t, va; VSHUFF64X2 $0xff, t, t, w;
#define MERGE(w, a, b, va, vb, sum, t) VUNPCKLPD t, va, vb; VUNPCKHPD t, va, va;
#define RESULT(w, a, b, va, vb, sum, t) VFMADD231PD vb, Z31, a; VFMADD231PD va, Z31, b;

#define BLOCK \
	FIRST(TIMESS)    \
	FIRST(SPLIT)     \
	FIRST(TOGETHER)  \
	FIRST(SHIFT1)    \
	FIRST(SCANNED)   \
	SECOND(TIMESS)   \
	FIRST(SHIFT2)    \
	SECOND(SPLIT)    \
	FIRST(SCANNED)   \
	SECOND(TOGETHER) \
	FIRST(TIMESC)    \
	SECOND(SHIFT1)   \
	FIRST(BEHIND)    \
	SECOND(SCANNED)  \
	FIRST(NEXTW)     \
	SECOND(SHIFT2)   \
	FIRST(MERGE)     \
	SECOND(SCANNED)  \
	FIRST(RESULT)    \
	SECOND(BEHIND)   \
	SECOND(TIMESC)   \
	SECOND(NEXTW)    \
	SECOND(MERGE)    \
	SECOND(RESULT)

#define GETROWS(GET) \
	GET((SI), Z4)         \
	GET((SI)(AX*1), Z5)   \
	GET((SI)(AX*2), Z6)   \
	GET((SI)(R8*1), Z7)   \
	GET((R9), Z8)         \
	GET((R9)(AX*1), Z9)   \
	GET((R9)(AX*2), Z10)  \
	GET((R9)(R8*1), Z11)

#define PUTROWS(PUT) \
	PUT(Z4, (SI))         \
	PUT(Z5, (SI)(AX*1))   \
	PUT(Z6, (SI)(AX*2))   \
	PUT(Z7, (SI)(R8*1))   \
	PUT(Z8, (R9))         \
	PUT(Z9, (R9)(AX*1))   \
	PUT(Z10, (R9)(AX*2))  \
	PUT(Z11, (R9)(R8*1))

#define GETFOUR(p, l) VMOVUPD.Z p, K3, l
#define PUTFOUR(l, p) VMOVUPD l, K3, p

	VBROADCASTF64X2 (DI), Z0
	VBROADCASTF64X2 16(DI), Z1
	VBROADCASTF64X2 32(DI), Z2
	VBROADCASTF64X2 48(DI), Z3
	MOVL $0xfc, CX
	KMOVB CX, K1
	MOVL $0xf0, CX
	KMOVB CX, K2
	MOVL $0x0f, CX
	KMOVB CX, K3
	SHLQ $3, AX
	LEAQ (AX)(AX*2), R8
	LEAQ (SI)(AX*4), R9

loop:
	SUBQ $2, DX
	JLT  last
	VMOVUPD (BX), Y29
	VMOVUPD 32(BX), Y30
	VMOVUPD 64(BX), Y31
	VINSERTF64X4 $1, 96(BX), Z29, Z29
	VINSERTF64X4 $1, 128(BX), Z30, Z30
	VINSERTF64X4 $1, 160(BX), Z31, Z31
	GETROWS(LOAD)
	BLOCK
	PUTROWS(STORE)
	ADDQ $64, SI
	ADDQ $64, R9
	ADDQ $192, BX
	JMP  loop

last:
	ADDQ $2, DX
	JEQ  done
	VMOVUPD (BX), Y29
	VMOVUPD 32(BX), Y30
	VMOVUPD 64(BX), Y31
	GETROWS(GETFOUR)
	BLOCK
	PUTROWS(PUTFOUR)

done:
	VMOVUPD X0, (DI)
	VMOVUPD X1, 16(DI)
	VMOVUPD X2, 32(DI)
	VMOVUPD X3, 48(DI)
