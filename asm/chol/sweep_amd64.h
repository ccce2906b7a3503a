// Rows b ← bL, see chol.go.
//   in: SI row, DX rows left, BX stride, R8 w, R9 d, R10 c, CX columns; what SCAN wants
//   SI, DI, R12, R13 rows; BX in bytes, R14 bytes of a row's whole vectors, CX of the rest, R11 bytes
//   to the vector at hand
//   V0 zero; V1, V9-V11 running sums of the rows in every lane; V2 b, V3 v = w·b, V4 suffix sums,
//   V5 scratch; V6 d, V7 c, V8 w
// Invariant at next: the columns from R11 on are done, the sums are Σ w_i·b_i over them.
// The suffix sums within a vector are a scan of log2(lanes) steps and do not depend on the running sum, so
// that the chain between vectors is one addition. Four rows at a time share w, d and c, which do not fit
// the first cache with long rows, and are as many streams of memory; then one row. A row's bits are the
// same. The right end of a row is a masked vector.
#define SWEEP(GET, PUT, p, sum) \
	GET(p, V2)            \
	MUL V2, V8, V3        \
	SCAN                  \ // V4 = Σ_{m>i} v_m within the vector
	ADD V4, V3, V3        \ // lane 0: the vector's whole sum
	ADD sum, V4, V4       \
	MUL V6, V2, V2        \ // d·b
	FMADD231 V4, V7, V2   \ // + c·sum
	BROADCAST X3, V3      \
	ADD V3, sum, sum      \
	PUT(V2, p)

#define ONE(GET, PUT) \
	GET((R8)(R11*1), V8)  \
	GET((R9)(R11*1), V6)  \
	GET((R10)(R11*1), V7) \
	SWEEP(GET, PUT, (SI)(R11*1), V1)

#define FOUR(GET, PUT) \
	ONE(GET, PUT)                     \
	SWEEP(GET, PUT, (DI)(R11*1), V9)  \
	SWEEP(GET, PUT, (R12)(R11*1), V10) \
	SWEEP(GET, PUT, (R13)(R11*1), V11)

	SHLQ $SHIFT, BX
	SHLQ $SHIFT, CX
	MOVQ CX, R14
	ANDQ $~(W-1), R14
	ANDQ $(W-1), CX
	TAILMASK
	VXORPD X0, X0, X0

rows:
	SUBQ $4, DX
	JLT  rest
	LEAQ (SI)(BX*1), DI
	LEAQ (DI)(BX*1), R12
	LEAQ (R12)(BX*1), R13
	VXORPD X1, X1, X1
	VXORPD X9, X9, X9
	VXORPD X10, X10, X10
	VXORPD X11, X11, X11
	MOVQ R14, R11
	TESTQ CX, CX
	JEQ  next4
	FOUR(LOADTAIL, STORETAIL)

next4:
	SUBQ $W, R11
	JLT  done4
	FOUR(LOAD, STORE)
	JMP  next4

done4:
	LEAQ (R13)(BX*1), SI
	JMP  rows

rest:
	ADDQ $4, DX
	JEQ  done

row:
	VXORPD X1, X1, X1
	MOVQ R14, R11
	TESTQ CX, CX
	JEQ  next
	ONE(LOADTAIL, STORETAIL)

next:
	SUBQ $W, R11
	JLT  done1
	ONE(LOAD, STORE)
	JMP  next

done1:
	ADDQ BX, SI
	DECQ DX
	JNZ  row
done:

#undef SWEEP
#undef ONE
#undef FOUR
