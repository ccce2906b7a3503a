// What AVX2 and AVX-512 share; the headers of the levels define COUNT.

// The ranks of the numbers of some columns, and their keys.
//	for _, c := range columns { for i := range n {
//		table := tables[c.table:]
//		block := COUNT(x[i*step+c.feature] > table[:16])
//		keys[c.key*stride+i] = 0x80 ^ (16*block + COUNT(x[i*step+c.feature] > table[16*(block+1):][:16])) } }
//   n >= 1, and no number exceeds 16 pivots with blocks behind the end of tables, see Ranks; any alignment
//   DI keys, R9 stride, SI x, R8 bytes of step, R13 n, R10 tables, BX column, DX columns left; R11 number, R12 its key,
//   R14 table, CX rows left; V0 the number in all lanes; AX, R15 counts
// Invariant at column: BX points at the first column not done, DX >= 1; at row: R11 and R12 at the first row, CX >= 1.
// Unroll: the rows, and columns, do not wait for one another. No tail: one number at a time.
// Source: see doc.go.
#define RANKLOOP \
	TESTQ DX, DX; \
	JZ    done; \
	SHLQ  $SHIFT, R8; \
column: \
	MOVL  0(BX), R11; \
	LEAQ  (SI)(R11*SIZE), R11; \
	MOVL  4(BX), R12; \
	IMULQ R9, R12; \
	ADDQ  DI, R12; \
	MOVL  8(BX), AX; \
	LEAQ  (R10)(AX*SIZE), R14; \
	MOVQ  R13, CX; \
row: \
	BROADCAST (R11), V0; \
	COUNT((R14), 0, AX); \
	SHLQ  $(SHIFT+4), AX; \
	COUNT((R14)(AX*1), 16, R15); \
	SHRL  $SHIFT, AX; \
	ADDL  R15, AX; \
	XORL  $0x80, AX; \
	MOVB  AX, (R12); \
	ADDQ  R8, R11; \
	INCQ  R12; \
	DECQ  CX; \
	JNZ   row; \
	ADDQ  $16, BX; \
	DECQ  DX; \
	JNZ   column; \
done:
