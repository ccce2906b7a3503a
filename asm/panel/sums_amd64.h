// Bodies of the sums over the columns of panels: dense, sparse, and of squares.
// The mathematics, the storage of panels and the order of summation are in
// doc.go. The including file defines ZERO(v) and
// what is said below. W, the bytes of a vector, and the names of instructions that
// begin with V and are not the assembler's are in the table of asm/gen.

// SUMSQ sets dst to Σ_k f(x_rk, z_jk) for the rows r of a tile and the rows j of two
// vectors in each panel of z:
//
//	for p := range panels {
//		for each chunk of columns {
//			sums = 0
//			for k in the chunk { sums += f(x_k, z_k), by STEP for each row }
//			dst = sums, or sums + dst if add is set or the chunk is not the first
//		}
//	}
//
//   SI x, BX z, CX columns left, R10 columns left in the chunk, DX whether the
//   destination is added to, DI tile, R11 row distance in bytes, R12 row, R8
//   panels left, R9 panel distance in bytes; V0, V1 z
// ROWS(OP) does OP for each row of the tile: its number, its two sums, then
// registers for STEP. ZEROS clears the sums.
// No tails: panels are whole.
#define SUMSQ(dst, ldd, x, z, d, stride, panels, add, ROWS, ZEROS, STEP) \
	MOVQ    dst, DI       \
	MOVQ    ldd, R11      \
	SHLQ    $LOG, R11     \
	MOVQ    stride, R9    \
	MOVQ    panels, R8    \
	FIRSTPANEL            \
panel: \
	MOVQ    x, SI         \
	MOVQ    z, BX         \
	MOVQ    d, CX         \
	MOVQ    add, DX       \
chunk: \
	MOVQ    $CHUNK, R10   \
	CMPQ    CX, R10       \
	CMOVQLT CX, R10       \
	SUBQ    R10, CX       \
	ZEROS                 \
column: \
	VMOVUPS (BX), V0      \
	VMOVUPS W(BX), V1     \
	ROWS(STEP)            \
	ADDQ    $(12*SIZE), SI \
	ADDQ    $128, BX      \
	DECQ    R10           \
	JNZ     column        \
	MOVQ    DI, R12       \
	TESTQ   DX, DX        \
	JZ      put           \
	ROWS(ADDROW)          \
	MOVQ    DI, R12       \
put: \
	ROWS(PUTROW)          \
	MOVQ    $1, DX        \
	TESTQ   CX, CX        \
	JNZ     chunk         \
	ADDQ    $(2*W), DI    \
	NEXTPANEL(z)          \
	DECQ    R8            \
	JNZ     panel

#define ZEROROW(r, a, b, t, p, q, u, v) \
	ZERO(a)               \
	ZERO(b)
#define ADDROW(r, a, b, t, p, q, u, v) \
	VADD (R12), a, a      \
	VADD W(R12), b, b     \
	ADDQ R11, R12
#define PUTROW(r, a, b, t, p, q, u, v) \
	VMOVUPS a, (R12)      \
	VMOVUPS b, W(R12)     \
	ADDQ    R11, R12

// NORMSQ is dst[i] += Σ_k p[k·width+i]², in chunks; width is 12 or fills 128 bytes.
// A chain of multiply-adds for each row is as long as its latency a column,
// whatever the width.
//   DI dst, SI p, R9 width, CX columns left, R10 columns left in the chunk
// MANY(OP) does OP for the place, number and sum of every vector of 128 bytes,
// FEW(OP) for those of 12 rows.
#define NORMSQ \
	CMPQ R9, $12          \
	JEQ  few              \
	NORMS(MANY, 128, chunk, column) \
	VZEROUPPER            \
	RET                   \
few: \
	NORMS(FEW, 12*SIZE, fewchunk, fewcolumn)

#define NORMS(VECTORS, STEP, chunk, column) \
chunk: \
	MOVQ    $CHUNK, R10   \
	CMPQ    CX, R10       \
	CMOVQLT CX, R10       \
	SUBQ    R10, CX       \
	VECTORS(ZERONORM)     \
column: \
	VECTORS(LOADNUMBER)   \
	VECTORS(ADDSQUARE)    \
	ADDQ    $(STEP), SI   \
	DECQ    R10           \
	JNZ     column        \
	VECTORS(PUTNORM)      \
	TESTQ   CX, CX        \
	JNZ     chunk

#define ZERONORM(off, t, sum) ZERO(sum)
#define LOADNUMBER(off, t, sum) VMOV off(SI), t
#define ADDSQUARE(off, t, sum) VFMA t, t, sum
#define PUTNORM(off, t, sum) \
	VADD off(DI), sum, sum \
	VMOV sum, off(DI)

// SPARSE is Dot for one sparse row: the nonzeros val[i] of columns col[i]
// against the columns at[i] of panels of z. A chunk's sums are added to the
// totals when the first column of another chunk comes:
//
//	sum, total, end := 0, 0, CHUNK
//	for i, v := range val {
//		if col[i] >= end { total += sum; sum = 0; end = (col[i]/CHUNK + 1) * CHUNK }
//		sum += v * z[at[i]]
//	}
//	dst = total + sum
//
//   DI dst, BX z, R9 panel distance in bytes, R8 panels left, SI val, R12 at,
//   R13 col, CX nonzeros, AX place, DX column, R10 end of the chunk; VAL the value
// VECTORS(OP) does OP for the place in dst, sum and total of every vector.
// START comes before the first nonzero, STEPS adds one column's products.
#define SPARSE(VECTORS, START, STEPS, panel, next, in, put) \
panel: \
	VECTORS(ZEROSUM)      \
	VECTORS(ZEROTOTAL)    \
	MOVQ    $CHUNK, R10   \
	XORQ    AX, AX        \
	START                 \
next: \
	CMPQ    AX, CX        \
	JGE     put           \
	MOVLQSX (R13)(AX*4), DX \
	CMPQ    DX, R10       \
	JLT     in            \
	VECTORS(ADDSUM)       \
	VECTORS(ZEROSUM)      \
	MOVQ    DX, R10       \
	ANDQ    $~(CHUNK-1), R10 \
	ADDQ    $CHUNK, R10   \
in: \
	MOVLQSX (R12)(AX*4), DX \
	SHLQ    $7, DX        \
	VBCAST  (SI)(AX*SIZE), VAL \
	STEPS                 \
	INCQ    AX            \
	JMP     next          \
put: \
	VECTORS(ADDSUM)       \
	VECTORS(PUTTOTAL)

#define ZEROSUM(off, sum, total) ZERO(sum)
#define ZEROTOTAL(off, sum, total) ZERO(total)
#define ADDSUM(off, sum, total) VADD sum, total, total
#define PUTTOTAL(off, sum, total) VMOV total, off(DI)
#define NOTHING

// AXPYQ adds a·x[i] to y[at[i]−first], one number at a time:
//
//	for i, v := range x { y[at[i]-first] += a * v }
//
//   DI y less first numbers, SI x, BX at, CX numbers left, AX row; X0 a, X1 y
// No unrolling: two rows of a column differ, so the steps do not wait for each other.
#define AXPYQ \
next: \
	MOVLQSX (BX), AX      \
	VMOV1   (DI)(AX*SIZE), X1 \
	VFMA1   (SI), X0, X1  \
	VMOV1   X1, (DI)(AX*SIZE) \
	ADDQ    $SIZE, SI     \
	ADDQ    $4, BX        \
	DECQ    CX            \
	JNZ     next
