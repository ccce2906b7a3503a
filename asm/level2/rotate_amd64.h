// for k := range c { for j := range n { x, y := r[k][j], r[k+1][j]; r[k][j], r[k+1][j] = c[k]*x + s[k]*y, c[k]*y - s[k]*x } }
//   rows r[k] at distance lda, which may be negative; n > 0; len(c) == len(s) > 0; any alignment
//   in: SI row 0, R8 lda, CX columns, DI c, DX s, BX rotations
//   R8 and CX in bytes; R9 row k, R10 k; V0-V3 row k as it is by now, V4-V7 row k+1, V8 c, V9 s, V10-V13 results
// Invariant at fours, ones: SI at the first column not done, CX bytes beside a step left.
// Four vectors of columns a turn: 16 operations take 8 cycles, twice the latency of the chain from row to row.
// Tail: single vectors, then one under a mask.
#define ROTATE(x, y, out) \
	MUL y, V9, out; \
	FMA x, V8, out; \
	MUL y, V8, y;   \
	FNMADD x, V9, y; \
	VMOVAPD y, x

#define COEFFICIENTS \
	BROADCAST (DI)(R10*SIZE), V8; \
	BROADCAST (DX)(R10*SIZE), V9

	SHLQ $SHIFT, R8
	SHLQ $SHIFT, CX
	TAILMASK
	SUBQ $(4*W), CX
	JLT  few

fours:
	MOVQ SI, R9
	XORL R10, R10
	MOVU (SI), V0
	MOVU W(SI), V1
	MOVU (2*W)(SI), V2
	MOVU (3*W)(SI), V3

loop4:
	COEFFICIENTS
	MOVU (R9)(R8*1), V4
	MOVU W(R9)(R8*1), V5
	MOVU (2*W)(R9)(R8*1), V6
	MOVU (3*W)(R9)(R8*1), V7
	ROTATE(V0, V4, V10)
	ROTATE(V1, V5, V11)
	ROTATE(V2, V6, V12)
	ROTATE(V3, V7, V13)
	MOVU V10, (R9)
	MOVU V11, W(R9)
	MOVU V12, (2*W)(R9)
	MOVU V13, (3*W)(R9)
	ADDQ R8, R9
	INCQ R10
	CMPQ R10, BX
	JLT  loop4
	MOVU V0, (R9)
	MOVU V1, W(R9)
	MOVU V2, (2*W)(R9)
	MOVU V3, (3*W)(R9)
	ADDQ $(4*W), SI
	SUBQ $(4*W), CX
	JGE  fours

few:
	ADDQ $(3*W), CX
	JLT  last

ones:
	MOVQ SI, R9
	XORL R10, R10
	MOVU (SI), V0

loop1:
	COEFFICIENTS
	MOVU (R9)(R8*1), V4
	ROTATE(V0, V4, V10)
	MOVU V10, (R9)
	ADDQ R8, R9
	INCQ R10
	CMPQ R10, BX
	JLT  loop1
	MOVU V0, (R9)
	ADDQ $W, SI
	SUBQ $W, CX
	JGE  ones

last:
	ADDQ $W, CX
	JEQ  end
	MOVQ SI, R9
	XORL R10, R10
	LOADTAIL((SI), V0)

loopm:
	COEFFICIENTS
	LOADTAIL((R9)(R8*1), V4)
	ROTATE(V0, V4, V10)
	STORETAIL(V10, (R9))
	ADDQ R8, R9
	INCQ R10
	CMPQ R10, BX
	JLT  loopm
	STORETAIL(V0, (R9))

end:
#undef ROTATE
#undef COEFFICIENTS
