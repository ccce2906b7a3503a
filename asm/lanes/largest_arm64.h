// The first element of largest magnitude in all lanes; the loop is in largest_amd64.h.
//
// Preconditions: 1 <= n; elements are 64 bytes apart. As integers, NaN is larger than any number.
//
// Registers: R0 element i of x, R2 xs in bytes, R1 elements left; R3 at. V0-V3 largest, V4-V7 at, V8 i, V9 ones, V16-V19 the
// element, V20-V23 masks.
#define KEEP(i, x, mask, largest, at) \
	VFABS_D2((i+16), (i+16)); \
	VCMGT_D2(i, (i+16), (i+20)); \
	VBIT mask.B16, x.B16, largest.B16; \
	VBIT mask.B16, V8.B16, at.B16

	LSL   $6, R2, R2
	VCMEQ V0.B16, V0.B16, V0.B16 // -1
	VMOV  V0.B16, V1.B16
	VMOV  V0.B16, V2.B16
	VMOV  V0.B16, V3.B16
	VEOR  V4.B16, V4.B16, V4.B16
	VEOR  V5.B16, V5.B16, V5.B16
	VEOR  V6.B16, V6.B16, V6.B16
	VEOR  V7.B16, V7.B16, V7.B16
	VEOR  V8.B16, V8.B16, V8.B16
	VSUB  V0.D2, V8.D2, V9.D2
next:
	VLD1.P (R0)(R2), [V16.D2, V17.D2, V18.D2, V19.D2]
	KEEP(0, V16, V20, V0, V4)
	KEEP(1, V17, V21, V1, V5)
	KEEP(2, V18, V22, V2, V6)
	KEEP(3, V19, V23, V3, V7)
	VADD V9.D2, V8.D2, V8.D2
	SUBS $1, R1, R1
	BNE  next
	VST1 [V4.D2, V5.D2, V6.D2, V7.D2], (R3)

#undef KEEP
