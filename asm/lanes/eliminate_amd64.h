// A step of the elimination of Gauss in all lanes:
//
//   for 0 < i < n:  x[i*xs] /= x[0];  for 0 < c < n: x[i*xs+c] -= x[i*xs]*x[c]
//
// Preconditions: 2 <= n; elements are 64 bytes apart.
//
// Registers: SI row 0, R8 xs, R9 n; DI row i, DX rows left, CX column, R9 and R8 in bytes. V0 pivot, V1 quotient, V2 what is
// left. The store of an element is the limit, whatever the unroll.
	SHLQ $6, R8
	MOVQ R9, DX
	SHLQ $6, R9
	VMOVUPD (SI), V0
	MOVQ SI, DI
	DECQ DX
row:
	ADDQ R8, DI
	VMOVUPD (DI), V1
	VDIVPD V0, V1, V1
	VMOVUPD V1, (DI)
	MOVL $64, CX
column:
	VMOVUPD (DI)(CX*1), V2
	VFNMADD231PD (SI)(CX*1), V1, V2
	VMOVUPD V2, (DI)(CX*1)
	ADDQ $64, CX
	CMPQ CX, R9
	JLT  column
	DECQ DX
	JNZ  row
