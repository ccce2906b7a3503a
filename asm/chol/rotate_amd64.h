// Rotations of four rows of U and w, see chol.go.
//   in: SI row 0 of u, AX stride, DI w, CX columns, BX coefficients, DX kind
//   SI, R8, R9, R10 rows of u; CX in bytes; V0-V3 c, V4-V7 s, V8-V11 r (not for updates)
//   V12 and V14 w, V13 and V15 l, V8 and V9 scratch of updates
// Invariant at pairs: the pointers stand at the first column not done, CX bytes are left.
// Two vectors a turn: the four rotations are a chain of 16 (update and solved) or 48 cycles (downdate), and what two
// chains leave of the latency is hidden by the next turns. HEAD: what the ISA does before. Tail: one vector,
// then one under a mask.
#define LOOPS(pairs, single, last, ROTATE, PUT, PUTTAIL) \
	HEAD(pairs, ROTATE, PUTTAIL)               \
pairs:                                         \
	SUBQ $(2*W), CX                            \
	JLT  single                                \
	MOVU (DI), V12                             \
	MOVU W(DI), V14                            \
	ROWS(ROTATE, LOAD, PUT, 0, V13, V8, V12)   \
	ROWS(ROTATE, LOAD, PUT, W, V15, V9, V14)   \
	MOVU V12, (DI)                             \
	MOVU V14, W(DI)                            \
	ADVANCE($(2*W))                            \
	JMP  pairs                                 \
single:                                        \
	ADDQ $W, CX                                \
	JLT  last                                  \
	MOVU (DI), V12                             \
	ROWS(ROTATE, LOAD, PUT, 0, V13, V8, V12)   \
	MOVU V12, (DI)                             \
	ADVANCE($W)                                \
	SUBQ $W, CX                                \
last:                                          \
	ADDQ $W, CX                                \
	JEQ  done                                  \
	TAILMASK                                   \
	LOADTAIL((DI), V12)                        \
	ROWS(ROTATE, LOADTAIL, PUTTAIL, 0, V13, V8, V12) \
	STORETAIL(V12, (DI))                       \
	JMP  done

#define ADVANCE(bytes) \
	ADDQ bytes, SI  \
	ADDQ bytes, R8  \
	ADDQ bytes, R9  \
	ADDQ bytes, R10 \
	ADDQ bytes, DI

	SHLQ $SHIFT, AX
	SHLQ $SHIFT, CX
	LEAQ (SI)(AX*1), R8
	LEAQ (R8)(AX*1), R9
	LEAQ (R9)(AX*1), R10
	BROADCAST 0*SIZE(BX), V0
	BROADCAST 1*SIZE(BX), V1
	BROADCAST 2*SIZE(BX), V2
	BROADCAST 3*SIZE(BX), V3
	BROADCAST 4*SIZE(BX), V4
	BROADCAST 5*SIZE(BX), V5
	BROADCAST 6*SIZE(BX), V6
	BROADCAST 7*SIZE(BX), V7
	BROADCAST 8*SIZE(BX), V8
	BROADCAST 9*SIZE(BX), V9
	BROADCAST 10*SIZE(BX), V10
	BROADCAST 11*SIZE(BX), V11
	CMPQ DX, $1
	JEQ  down
	JGT  solved
	LOOPS(updates, update, updatetail, UPDATE, STORE, STORETAIL)
down:
	LOOPS(downs, down1, downtail, DOWN, STORE, STORETAIL)
solved:
	LOOPS(solves, solve1, solvetail, SOLVED, STORE, STORETAIL)
done:

#undef LOOPS
#undef ADVANCE
