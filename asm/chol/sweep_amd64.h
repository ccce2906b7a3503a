// Rows b ← bL, see chol.go.
//   in: SI row, DX rows left, BX stride, R8 w, R9 d, R10 c, CX columns; what SCAN wants
//   BX in bytes, R12 bytes of a row's whole vectors, CX of the rest, R11 bytes to the vector at hand
//   V0 zero; V1 running sum in every lane; V2 b, V3 v = w·b, V4 suffix sums, V5 scratch, V6 d, V7 c
// Invariant at next: the columns from R11 on are done, V1 is Σ w_i·b_i over them.
// The suffix sums within a vector are a scan of log2(lanes) steps and do not depend on V1, so that the
// chain between vectors is one addition. The right end of a row is a masked vector.
#define PRODUCTS \
	SCAN                  \ // V4 = Σ_{m>i} v_m within the vector
	ADD V4, V3, V3        \ // lane 0: the vector's whole sum
	ADD V1, V4, V4        \
	MUL V6, V2, V2        \ // d·b
	FMADD231 V4, V7, V2   \ // + c·sum
	BROADCAST X3, V3      \
	ADD V3, V1, V1

	SHLQ $SHIFT, BX
	SHLQ $SHIFT, CX
	MOVQ CX, R12
	ANDQ $~(W-1), R12
	ANDQ $(W-1), CX
	TAILMASK
	VXORPD X0, X0, X0

row:
	VXORPD X1, X1, X1
	MOVQ R12, R11
	TESTQ CX, CX
	JEQ  next
	LOADTAIL((SI)(R11*1), V2)
	LOADTAIL((R8)(R11*1), V3)
	LOADTAIL((R9)(R11*1), V6)
	LOADTAIL((R10)(R11*1), V7)
	MUL V2, V3, V3
	PRODUCTS
	STORETAIL(V2, (SI)(R11*1))

next:
	SUBQ $W, R11
	JLT  rowdone
	MOVU (SI)(R11*1), V2
	MUL (R8)(R11*1), V2, V3
	MOVU (R9)(R11*1), V6
	MOVU (R10)(R11*1), V7
	PRODUCTS
	MOVU V2, (SI)(R11*1)
	JMP  next

rowdone:
	ADDQ BX, SI
	DECQ DX
	JNZ  row

#undef PRODUCTS
