// What the bodies call by their type. The bodies stand in one header each, for both types;
// other names and constants are in the table of asm/gen.

// Four columns of two rows (float64, at p and q) or four (float32, at p, q, r and
// s) in V4-V7.

#define TOCOLUMNS64(p, q, r, s) \
	VLD1 (p), [V8.D2, V9.D2]   \
	VLD1 (q), [V10.D2, V11.D2] \
	VTRN1 V10.D2, V8.D2, V4.D2 \
	VTRN2 V10.D2, V8.D2, V5.D2 \
	VTRN1 V11.D2, V9.D2, V6.D2 \
	VTRN2 V11.D2, V9.D2, V7.D2

#define TOROWS64(p, q, r, s) \
	VTRN1 V5.D2, V4.D2, V8.D2  \
	VTRN2 V5.D2, V4.D2, V10.D2 \
	VTRN1 V7.D2, V6.D2, V9.D2  \
	VTRN2 V7.D2, V6.D2, V11.D2 \
	VST1 [V8.D2, V9.D2], (p)   \
	VST1 [V10.D2, V11.D2], (q)

// A 4×4 transposition, V8..V11 to V4..V7 and back.
#define TRANSPOSE4(a, b, c, d, e, f, g, h) \
	VTRN1 b.S4, a.S4, V12.S4   \ // a0 b0 a2 b2
	VTRN2 b.S4, a.S4, V13.S4   \ // a1 b1 a3 b3
	VTRN1 d.S4, c.S4, V14.S4   \
	VTRN2 d.S4, c.S4, V15.S4   \
	VTRN1 V14.D2, V12.D2, e.D2 \
	VTRN1 V15.D2, V13.D2, f.D2 \
	VTRN2 V14.D2, V12.D2, g.D2 \
	VTRN2 V15.D2, V13.D2, h.D2

#define TOCOLUMNS32(p, q, r, s) \
	VLD1 (p), [V8.S4]  \
	VLD1 (q), [V9.S4]  \
	VLD1 (r), [V10.S4] \
	VLD1 (s), [V11.S4] \
	TRANSPOSE4(V8, V9, V10, V11, V4, V5, V6, V7)

#define TOROWS32(p, q, r, s) \
	TRANSPOSE4(V4, V5, V6, V7, V8, V9, V10, V11) \
	VST1 [V8.S4], (p)  \
	VST1 [V9.S4], (q)  \
	VST1 [V10.S4], (r) \
	VST1 [V11.S4], (s)

// The other pointers of lower_arm64.h.

#define POINTERS64 \
	ADD  R1, R0, R3

#define POINTERS32 \
	ADD  R1, R0, R3 \
	ADD  R1, R3, R4 \
	ADD  R1, R4, R7

// Four columns of eight rows through four rotations, see panel_arm64.h.

#define EIGHT64(ROTATE, PUT) \
	PART(ROTATE, PUT, R0, R11, R0, R0, V28)   \
	PART(ROTATE, PUT, R12, R13, R0, R0, V29)  \
	PART(ROTATE, PUT, R14, R15, R0, R0, V30)  \
	PART(ROTATE, PUT, R16, R17, R0, R0, V31)

#define EIGHT32(ROTATE, PUT) \
	PART(ROTATE, PUT, R0, R11, R12, R13, V28)  \
	PART(ROTATE, PUT, R14, R15, R16, R17, V29)

// V4 = Σ_{m>i} v_m within the vector V3.

#define SCAN64 \
	VEXT $8, V0.B16, V3.B16, V4.B16

#define SCAN32 \
	VEXT $4, V0.B16, V3.B16, V4.B16 \ // v_{i+1}
	VEXT $4, V0.B16, V4.B16, V5.B16 \
	VFADD_S4(5, 4, 4)               \
	VEXT $8, V0.B16, V4.B16, V5.B16 \
	VFADD_S4(5, 4, 4)

#include "chol_arm64.h"

// w of eight rows.
#define GETW64 VLD1 (R10), [V28.D2, V29.D2, V30.D2, V31.D2]
#define PUTW64 VST1 [V28.D2, V29.D2, V30.D2, V31.D2], (R10)
#define GETW32 VLD1 (R10), [V28.S4, V29.S4]
#define PUTW32 VST1 [V28.S4, V29.S4], (R10)
