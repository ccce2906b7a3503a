// for i := range x { x[i] *= alpha }
//   any alignment
//   in: SI x, CX length, then bytes left, V0 alpha in every lane; V1-V4 x
// Invariant at loop: SI at the first element not done, 4*W bytes left or more. Unroll 4 vectors: one store
// a cycle is the limit, more gains nothing. Tail: single vectors, then one under a mask.
	SHLQ $SHIFT, CX
	TAILMASK
	SUBQ $(4*W), CX
	JLT  single

	PCALIGN $64 // the loop takes two lines of code at the most
loop:
	MUL 0*W(SI), V0, V1
	MUL W(SI), V0, V2
	MUL 2*W(SI), V0, V3
	MUL 3*W(SI), V0, V4
	MOVU V1, 0*W(SI)
	MOVU V2, W(SI)
	MOVU V3, 2*W(SI)
	MOVU V4, 3*W(SI)
	ADDQ $(4*W), SI
	SUBQ $(4*W), CX
	JGE  loop

single:
	ADDQ $(4*W), CX
	SUBQ $W, CX
	JLT  last

one:
	MUL (SI), V0, V1
	MOVU V1, (SI)
	ADDQ $W, SI
	SUBQ $W, CX
	JGE  one

last:
	ADDQ $W, CX
	JEQ  end
	LOADTAIL((SI), V1)
	MUL V0, V1, V1
	STORETAIL(V1, (SI))

end:
