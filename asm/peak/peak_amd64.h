// The bodies of this package, for either width and type. The including file defines
//   ROWS(OP)  OP(i, v) for the vectors v, number i, of a block; BLOCK its bytes
//   MIX       ADD and FMA for the vectors of a block, in turn
//   HALF      adds the upper half of a vector of AVX-512
// and the table of asm/gen W, the bytes of a vector, the vectors A and B of a and b (or v), and what depends on the type.
// DI destination or x, SI source, CX bytes left, DX rounds left, R9 rounds.
#define W2 (2*W)
#define W3 (3*W)
#define W4 (4*W)
#define W5 (5*W)
#define W6 (6*W)
#define W7 (7*W)
#define W8 (8*W)

#define LOADV(i, v) VMOVUPD (i*W)(DI), v
#define STOREV(i, v) VMOVUPD v, (i*W)(DI)
#define ADD(i, v) ADDV B, v, v
#define FMA(i, v) FMAV A, B, v

// for blocks of x: for rounds: STEPS
// len(x) a positive multiple of BLOCK, rounds > 0. Everything stays in registers; invariant at loop: the vectors
// hold their part of x after the rounds done. Two units of latency 4 or 5 need ten chains, which 12 vectors are
// on AVX2; the rest of the 24 on AVX-512 hide the loop's own instructions. No tail.
#define REGISTERS(STEPS) \
	SHLQ $LOG, CX; \
block: \
	MOVQ R9, DX; \
	ROWS(LOADV); \
loop: \
	STEPS; \
	DECQ DX; \
	JNZ  loop; \
	ROWS(STOREV); \
	ADDQ $BLOCK, DI; \
	SUBQ $BLOCK, CX; \
	JNE  block

// s = Σ x[i]
// Invariant at loop: SI at the first element not yet added, CX + 8W bytes are left, CX >= 0; V0-V7 are the sums of
// vectors 0..7 of every 8. Unroll 8: two additions a cycle of latency 4, each with its load. Tail: vectors, then
// one element at a time into X8.
#define SUM \
	SHLQ $LOG, CX; \
	VXORPD X0, X0, X0; \
	VXORPD X1, X1, X1; \
	VXORPD X2, X2, X2; \
	VXORPD X3, X3, X3; \
	VXORPD X4, X4, X4; \
	VXORPD X5, X5, X5; \
	VXORPD X6, X6, X6; \
	VXORPD X7, X7, X7; \
	VXORPD X8, X8, X8; \
	SUBQ $W8, CX; \
	JLT  ones; \
loop: \
	ADDV 0(SI), V0, V0; \
	ADDV W(SI), V1, V1; \
	ADDV W2(SI), V2, V2; \
	ADDV W3(SI), V3, V3; \
	ADDV W4(SI), V4, V4; \
	ADDV W5(SI), V5, V5; \
	ADDV W6(SI), V6, V6; \
	ADDV W7(SI), V7, V7; \
	ADDQ $W8, SI; \
	SUBQ $W8, CX; \
	JGE  loop; \
ones: \
	ADDQ $W8, CX; \
one: \
	SUBQ $W, CX; \
	JLT  tails; \
	ADDV (SI), V0, V0; \
	ADDQ $W, SI; \
	JMP  one; \
tails: \
	ADDQ $W, CX; \
tail: \
	JEQ  join; \
	ADDS (SI), X8, X8; \
	ADDQ $SIZE, SI; \
	SUBQ $SIZE, CX; \
	JMP  tail; \
join: \
	ADDV V4, V0, V0; \
	ADDV V5, V1, V1; \
	ADDV V6, V2, V2; \
	ADDV V7, V3, V3; \
	ADDV V2, V0, V0; \
	ADDV V3, V1, V1; \
	ADDV V1, V0, V0; \
	HALF; \
	FOLD

// The lower half of Y0 plus the upper, down to one number, and that of the tail.
#define FOLD64 \
	VEXTRACTF128 $1, Y0, X1; \
	VADDPD    X1, X0, X0; \
	VUNPCKHPD X0, X0, X1; \
	VADDSD    X1, X0, X0; \
	VADDSD    X8, X0, X0

#define FOLD32 \
	VEXTRACTF128 $1, Y0, X1; \
	VADDPS    X1, X0, X0; \
	VMOVHLPS  X0, X0, X1; \
	VADDPS    X1, X0, X0; \
	VMOVSHDUP X0, X1; \
	VADDSS    X1, X0, X0; \
	VADDSS    X8, X0, X0

// dst[i] = src[i]: bandwidth has no element type, but the tail knows it is of words of 4 bytes.
// Invariant at loop: the pointers are at the first word not yet done and CX + 4W bytes are left, CX >= 0. Unroll 4:
// a longer block keeps the loop's own instructions away from the load and store units. Tail: vectors, then words.
#define COPY \
	SHLQ $LOG, CX; \
	SUBQ $W4, CX; \
	JLT  ones; \
loop: \
	VMOVUPD 0(SI), V0; \
	VMOVUPD W(SI), V1; \
	VMOVUPD W2(SI), V2; \
	VMOVUPD W3(SI), V3; \
	VMOVUPD V0, 0(DI); \
	VMOVUPD V1, W(DI); \
	VMOVUPD V2, W2(DI); \
	VMOVUPD V3, W3(DI); \
	ADDQ $W4, SI; \
	ADDQ $W4, DI; \
	SUBQ $W4, CX; \
	JGE  loop; \
ones: \
	ADDQ $W4, CX; \
one: \
	SUBQ $W, CX; \
	JLT  tails; \
	VMOVUPD (SI), V0; \
	VMOVUPD V0, (DI); \
	ADDQ $W, SI; \
	ADDQ $W, DI; \
	JMP  one; \
tails: \
	ADDQ $W, CX; \
tail: \
	JEQ  done; \
	MOVL (SI), AX; \
	MOVL AX, (DI); \
	ADDQ $4, SI; \
	ADDQ $4, DI; \
	SUBQ $4, CX; \
	JMP  tail; \
done:

// x[i] += b, as COPY in place, the tail element by element.
#define SHIFT \
	SHLQ $LOG, CX; \
	SUBQ $W4, CX; \
	JLT  ones; \
loop: \
	ADDV 0(DI), B, V0; \
	ADDV W(DI), B, V1; \
	ADDV W2(DI), B, V2; \
	ADDV W3(DI), B, V3; \
	VMOVUPD V0, 0(DI); \
	VMOVUPD V1, W(DI); \
	VMOVUPD V2, W2(DI); \
	VMOVUPD V3, W3(DI); \
	ADDQ $W4, DI; \
	SUBQ $W4, CX; \
	JGE  loop; \
ones: \
	ADDQ $W4, CX; \
one: \
	SUBQ $W, CX; \
	JLT  tails; \
	ADDV (DI), B, V0; \
	VMOVUPD V0, (DI); \
	ADDQ $W, DI; \
	JMP  one; \
tails: \
	ADDQ $W, CX; \
tail: \
	JEQ  done; \
	ADDS (DI), XB, X0; \
	MOVS X0, (DI); \
	ADDQ $SIZE, DI; \
	SUBQ $SIZE, CX; \
	JMP  tail; \
done:

// dst[i] = v, as COPY without a source, the tail element by element.
#define FILL \
	SHLQ $LOG, CX; \
	SUBQ $W4, CX; \
	JLT  ones; \
loop: \
	VMOVUPD B, 0(DI); \
	VMOVUPD B, W(DI); \
	VMOVUPD B, W2(DI); \
	VMOVUPD B, W3(DI); \
	ADDQ $W4, DI; \
	SUBQ $W4, CX; \
	JGE  loop; \
ones: \
	ADDQ $W4, CX; \
one: \
	SUBQ $W, CX; \
	JLT  tails; \
	VMOVUPD B, (DI); \
	ADDQ $W, DI; \
	JMP  one; \
tails: \
	ADDQ $W, CX; \
tail: \
	JEQ  done; \
	MOVS XB, (DI); \
	ADDQ $SIZE, DI; \
	SUBQ $SIZE, CX; \
	JMP  tail; \
done:

// dst[i] = v around the caches: the address is a multiple of 64, the bytes a positive multiple of 256. A fence for
// other cores at the end.
#define STREAM \
	SHLQ $LOG, CX; \
loop: \
	VMOVNTPD B, 0(DI); \
	VMOVNTPD B, W(DI); \
	VMOVNTPD B, W2(DI); \
	VMOVNTPD B, W3(DI); \
	ADDQ $W4, DI; \
	SUBQ $W4, CX; \
	JNE  loop; \
	SFENCE
