// for j := range x { s := tau * (x[j] + a*y[j] + b*z[j]); x[j] -= s; y[j] -= a*s; z[j] -= b*s }
//   len(x) == len(y) == len(z); the rows apart from each other; any alignment
//   in: SI x, DI y, BX z, CX length, then bytes left, X4 a, X5 b, X6 tau; V4-V6 their broadcasts, V0-V2 x, y, z, V3 s
// Invariant at wide: SI, DI, BX at the first element not done, CX >= 0 bytes beside a vector left.
// No unroll: the elements do not wait for each other. Tail: a half, a quarter, … of a vector as in ger.
	SHLQ $SHIFT, CX
	BROADCAST X4, V4
	BROADCAST X5, V5
	BROADCAST X6, V6
	SUBQ $W, CX
	JLT  last

wide:
	REFLECT(MOVU, V0, V1, V2, V3, V4, V5, V6)
	ADDQ $W, SI
	ADDQ $W, DI
	ADDQ $W, BX
	SUBQ $W, CX
	JGE  wide

last:
#ifdef HALFREGISTERS
	TESTQ $32, CX
	JEQ  quarter
	REFLECT(MOVU, Y0, Y1, Y2, Y3, Y4, Y5, Y6)
	ADDQ $32, SI
	ADDQ $32, DI
	ADDQ $32, BX

quarter:
#endif
	TESTQ $16, CX
	JEQ  eight
	REFLECT(MOVU, X0, X1, X2, X3, X4, X5, X6)
	ADDQ $16, SI
	ADDQ $16, DI
	ADDQ $16, BX

eight:
	TESTQ $8, CX
	JEQ  four
	REFLECT(VMOVSD, X0, X1, X2, X3, X4, X5, X6)
	ADDQ $8, SI
	ADDQ $8, DI
	ADDQ $8, BX

four:
	TESTQ $4, CX
	JEQ  end
	REFLECT(VMOVSS, X0, X1, X2, X3, X4, X5, X6)

end:
