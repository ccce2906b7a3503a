// The first element of largest magnitude in all lanes:
//
//   largest = -1;  for i < n:  if |x[i*xs]| > largest as integers: largest, at = |x[i*xs]|, i
//
// Preconditions: 1 <= n; elements are 64 bytes apart. As integers, NaN is larger than any number.
//
// Registers: SI element i of x, R8 xs in bytes, CX elements left; DI at. V0 largest, V1 at, V2 i, V3 ones, V4 the element,
// V5 a mask, V7 all bits but the sign.
	SHLQ $6, R8
	VBROADCASTSD magnitude<>(SB), V7
	VPBROADCASTQ unit<>(SB), V3
	VXORPD V2, V2, V2
	VPSUBQ V3, V2, V0
	VXORPD V1, V1, V1
next:
	VANDPD (SI), V7, V4
	KEEP(V4, V2, V0, V1, V5)
	VPADDQ V3, V2, V2
	ADDQ R8, SI
	DECQ CX
	JNZ  next
	VMOVUPD V1, (DI)
