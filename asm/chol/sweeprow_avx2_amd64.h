// sweepPanel64 for one row; SI b, R8 w, R9 d, R10 c, CX columns left, X0 the running sum.
	VXORPD X0, X0, X0

column:
	VMOVSD      -8(SI)(CX*8), X1
	VMOVSD      -8(R9)(CX*8), X2
	VMOVSD      -8(R10)(CX*8), X3
	VMULSD      X1, X2, X2
	VFMADD231SD X0, X3, X2
	VFMADD231SD -8(R8)(CX*8), X1, X0
	VMOVSD      X2, -8(SI)(CX*8)
	DECQ CX
	JNZ  column
	VMOVSD X0, (DI)
