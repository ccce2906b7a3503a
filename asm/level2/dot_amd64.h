// s := 0; for i := range x { s += x[i] * y[i] }
//   len(x) == len(y); any alignment
//   in: SI x, DI y, CX length, then bytes left; V0-V3 sums, V4-V7 x; out: X0 the sum
// Invariant at loop: SI, DI at the first element not done, 4*W bytes left or more.
// Unroll 4 vectors: 2 loads a product, 2 loads a cycle, latency 4. Tail: single vectors into sum 0, then
// one under a mask into sum 1. Sums: (0+1) + (2+3), then its halves.
	SHLQ $SHIFT, CX
	VXORPD X0, X0, X0
	VXORPD X1, X1, X1
	VXORPD X2, X2, X2
	VXORPD X3, X3, X3
	SUBQ $(4*W), CX
	JLT  single

loop:
	MOVU 0*W(SI), V4
	MOVU W(SI), V5
	MOVU 2*W(SI), V6
	MOVU 3*W(SI), V7
	FMA 0*W(DI), V4, V0
	FMA W(DI), V5, V1
	FMA 2*W(DI), V6, V2
	FMA 3*W(DI), V7, V3
	ADDQ $(4*W), SI
	ADDQ $(4*W), DI
	SUBQ $(4*W), CX
	JGE  loop

single:
	ADDQ $(4*W), CX
	SUBQ $W, CX
	JLT  last

one:
	MOVU (SI), V4
	FMA (DI), V4, V0
	ADDQ $W, SI
	ADDQ $W, DI
	SUBQ $W, CX
	JGE  one

last:
	ADDQ $W, CX
	JEQ  sum
	TAILMASK
	LOADTAIL((SI), V4)
	LOADTAIL((DI), V5)
	FMA V5, V4, V1

sum:
	ADD V1, V0, V0
	ADD V3, V2, V2
	ADD V2, V0, V0
	SUM(V0, Y0, X0, Y1, X1)
