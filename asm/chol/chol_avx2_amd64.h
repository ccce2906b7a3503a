// What the bodies call by the width of vectors. The bodies stand in one header each, for both widths and both types;
// other names and constants are in the table of asm/gen.

// Y15 = mask of the CX < 32 last bytes. Uses AX.
#define TAILMASK \
	LEAQ tail<>+32(SB), AX \
	SUBQ CX, AX            \
	VMOVUPD (AX), Y15

#define LOADTAIL(p, l) MASKMOV p, Y15, l
#define STORETAIL(l, p) MASKMOV l, Y15, p

// Rotations of rows start where the rows do.
#define HEAD(pairs, ROTATE, PUTTAIL)

// Four columns of four rows (float64, those at p) or eight (float32, at p and R9),
// AX bytes apart, R8 being three of that. Rows i and i+4 of float32 share a
// register, so that 4×4 blocks are transposed within 128-bit lanes and a column's
// eight rows come out in order.

#define TRANSPOSE64(a, b, c, d, e, f, g, h) \ // in place, by e..h
	VUNPCKLPD b, a, e         \ // a0 b0 a2 b2
	VUNPCKHPD b, a, f         \ // a1 b1 a3 b3
	VUNPCKLPD d, c, g         \
	VUNPCKHPD d, c, h         \
	VPERM2F128 $0x20, g, e, a \ // a0 b0 c0 d0
	VPERM2F128 $0x20, h, f, b \
	VPERM2F128 $0x31, g, e, c \
	VPERM2F128 $0x31, h, f, d

#define TRANSPOSE32(a, b, c, d, e, f, g, h) \
	VUNPCKLPS b, a, e \ // a0 b0 a1 b1
	VUNPCKHPS b, a, f \ // a2 b2 a3 b3
	VUNPCKLPS d, c, g \
	VUNPCKHPS d, c, h \
	VUNPCKLPD g, e, a \ // a0 b0 c0 d0
	VUNPCKHPD g, e, b \
	VUNPCKLPD h, f, c \
	VUNPCKHPD h, f, d

#define TOCOLUMNS64(p, off) \
	VMOVUPD off(p), Y8        \
	VMOVUPD off(p)(AX*1), Y9  \
	VMOVUPD off(p)(AX*2), Y10 \
	VMOVUPD off(p)(R8*1), Y11 \
	TRANSPOSE64(Y8, Y9, Y10, Y11, Y12, Y13, Y14, Y15)

#define TOROWS64(p, off) \
	TRANSPOSE64(Y8, Y9, Y10, Y11, Y12, Y13, Y14, Y15) \
	VMOVUPD Y8, off(p)        \
	VMOVUPD Y9, off(p)(AX*1)  \
	VMOVUPD Y10, off(p)(AX*2) \
	VMOVUPD Y11, off(p)(R8*1)

#define TOCOLUMNS32(p, off) \
	VMOVUPS off(p), X8                         \
	VMOVUPS off(p)(AX*1), X9                   \
	VMOVUPS off(p)(AX*2), X10                  \
	VMOVUPS off(p)(R8*1), X11                  \
	VINSERTF128 $1, off(R9), Y8, Y8            \
	VINSERTF128 $1, off(R9)(AX*1), Y9, Y9      \
	VINSERTF128 $1, off(R9)(AX*2), Y10, Y10    \
	VINSERTF128 $1, off(R9)(R8*1), Y11, Y11    \
	TRANSPOSE32(Y8, Y9, Y10, Y11, Y12, Y13, Y14, Y15)

#define TOROWS32(p, off) \
	TRANSPOSE32(Y8, Y9, Y10, Y11, Y12, Y13, Y14, Y15) \
	VMOVUPS X8, off(p)                         \
	VMOVUPS X9, off(p)(AX*1)                   \
	VMOVUPS X10, off(p)(AX*2)                  \
	VMOVUPS X11, off(p)(R8*1)                  \
	VEXTRACTF128 $1, Y8, off(R9)               \
	VEXTRACTF128 $1, Y9, off(R9)(AX*1)         \
	VEXTRACTF128 $1, Y10, off(R9)(AX*2)        \
	VEXTRACTF128 $1, Y11, off(R9)(R8*1)

// The other pointers of lower_amd64.h, and the step from these rows to the next.

#define POINTERS64 \
	LEAQ (AX)(AX*2), R8

#define NEXTROWS64 \
	LEAQ (SI)(AX*4), SI

#define POINTERS32 \
	LEAQ (AX)(AX*2), R8 \
	LEAQ (SI)(AX*4), R9

#define NEXTROWS32 \
	LEAQ (SI)(AX*8), SI \
	LEAQ (R9)(AX*8), R9

// Four columns of eight rows through four rotations, see panel_amd64.h. Those of
// float64 are two chains, which overlap out of order.

#define EIGHT64(ROTATE, PUT, off, k) \
	COLUMNS(ROTATE, PUT, SI, off, k, Y0) \
	COLUMNS(ROTATE, PUT, R9, off, k, Y1)

#define EIGHT32(ROTATE, PUT, off, k) \
	COLUMNS(ROTATE, PUT, SI, off, k, Y0)

// Y13 and Y14 are indices that move lanes down by 1 and 2.
#define SCAN32 \
	VPERMPS Y3, Y13, Y4          \
	VBLENDPS $0x80, Y0, Y4, Y4   \ // v_{i+1}
	VPERMPS Y4, Y13, Y5          \
	VBLENDPS $0x80, Y0, Y5, Y5   \
	VADDPS Y5, Y4, Y4            \
	VPERMPS Y4, Y14, Y5          \
	VBLENDPS $0xc0, Y0, Y5, Y5   \
	VADDPS Y5, Y4, Y4            \
	VPERM2F128 $0x81, Y4, Y4, Y5 \
	VADDPS Y5, Y4, Y4

#include "chol_amd64.h"
#include "panel_amd64.h"

// w of eight rows.
#define GETW64 \
	VMOVUPD (DI), Y0   \
	VMOVUPD 32(DI), Y1
#define PUTW64 \
	VMOVUPD Y0, (DI)   \
	VMOVUPD Y1, 32(DI)
#define GETW32 VMOVUPS (DI), Y0
#define PUTW32 VMOVUPS Y0, (DI)
