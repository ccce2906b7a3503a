// Rotations of n pairs in all lanes:
//
//   for i < n:  x[i*xs], y[i*ys] = c*x[i*xs] - s*y[i*ys], s*x[i*xs] + c*y[i*ys]
//
// Preconditions: 1 <= n; elements are 64 bytes apart.
//
// Registers: CX pairs left, SI x, R8 xs, DI y, R9 ys, BX c and s behind it; strides in bytes. V0 c, V1 s, V2 x, V3 y.
// The pairs do not depend on each other: the two stores of a pair are the limit, whatever the unroll.
	SHLQ $6, R8
	SHLQ $6, R9
	VMOVUPD (BX), V0
	VMOVUPD 64(BX), V1
pair:
	VMOVUPD (SI), V2
	VMOVUPD (DI), V3
	VMULPD V3, V1, V4
	VMULPD V2, V1, V5
	VFMSUB231PD V2, V0, V4
	VFMADD231PD V3, V0, V5
	VMOVUPD V4, (SI)
	VMOVUPD V5, (DI)
	ADDQ R8, SI
	ADDQ R9, DI
	DECQ CX
	JNZ  pair
