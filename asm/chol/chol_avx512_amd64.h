// What the bodies call by the width of vectors. The bodies stand in one header each, for both widths and both types;
// other names and constants are in the table of asm/gen.

// K1 = mask of the CX < 64 last bytes, CX then being the number of elements. Uses AX.
#define TAILMASK \
	SHRQ  $SHIFT, CX  \
	MOVQ  $-1, AX     \
	BZHIQ CX, AX, AX  \
	KMOVQ AX, K1

// Whole vectors move without a mask: a masked load takes an arithmetic port.
#define LOADTAIL(p, l) MOVU.Z p, K1, l
#define STORETAIL(l, p) MOVU l, K1, p

// The columns up to a line of row 0, if there are many, see rotate_amd64.h. Loads
// and stores across two lines take twice as long; where the rows lie alike on lines,
// and w, none does then, and a call finds in w the pieces that the one before it
// stored. Uses R11 and R12.
#define HEAD(pairs, ROTATE, PUTTAIL) \
	MOVQ SI, R12         \
	NEGQ R12             \
	ANDQ $(W-1), R12     \ // bytes to the line
	JEQ  pairs           \
	CMPQ CX, $(6*W)      \
	JLT  pairs           \
	MOVQ CX, R11         \
	MOVQ R12, CX         \
	TAILMASK             \
	MOVQ R11, CX         \
	SUBQ R12, CX         \
	LOADTAIL((DI), V12)  \
	ROWS(ROTATE, LOADTAIL, PUTTAIL, 0, V13, V8, V12) \
	STORETAIL(V12, (DI)) \
	ADVANCE(R12)

// Four columns of eight rows of float64, at p and q, AX bytes apart, R8 being three
// of that. The rows that share a register are chosen so that a column's rows come
// out in order.

#define TOCOLUMNSAT(p, q, off) \
	VMOVUPD off(p), Y8                       \ // rows 0 and 2
	VMOVUPD off(p)(AX*1), Y9                 \ // 1 and 3
	VMOVUPD off(q), Y10                     \ // 4 and 6
	VMOVUPD off(q)(AX*1), Y11               \ // 5 and 7
	VINSERTF64X4 $1, off(p)(AX*2), Z8, Z8    \
	VINSERTF64X4 $1, off(p)(R8*1), Z9, Z9    \
	VINSERTF64X4 $1, off(q)(AX*2), Z10, Z10 \
	VINSERTF64X4 $1, off(q)(R8*1), Z11, Z11 \
	VUNPCKLPD Z9, Z8, Z12                    \ // columns 0 and 2 of rows 0 to 3
	VUNPCKHPD Z9, Z8, Z13                    \
	VUNPCKLPD Z11, Z10, Z14                  \
	VUNPCKHPD Z11, Z10, Z15                  \
	VSHUFF64X2 $0x88, Z14, Z12, Z8           \
	VSHUFF64X2 $0x88, Z15, Z13, Z9           \
	VSHUFF64X2 $0xdd, Z14, Z12, Z10          \
	VSHUFF64X2 $0xdd, Z15, Z13, Z11

// Z16 and Z17 are pairs.
#define TOROWSAT(p, q, off) \
	VUNPCKLPD Z9, Z8, Z12                    \ // columns 0 and 1 of even rows
	VUNPCKHPD Z9, Z8, Z13                    \
	VUNPCKLPD Z11, Z10, Z14                  \ // columns 2 and 3
	VUNPCKHPD Z11, Z10, Z15                  \
	VMOVAPD Z12, Z10                         \
	VMOVAPD Z13, Z11                         \
	VPERMT2PD Z14, Z16, Z12                  \ // rows 0 and 2
	VPERMT2PD Z15, Z16, Z13                  \
	VPERMT2PD Z14, Z17, Z10                  \ // rows 4 and 6
	VPERMT2PD Z15, Z17, Z11                  \
	VMOVUPD Y12, off(p)                      \
	VMOVUPD Y13, off(p)(AX*1)                \
	VEXTRACTF64X4 $1, Z12, off(p)(AX*2)      \
	VEXTRACTF64X4 $1, Z13, off(p)(R8*1)      \
	VMOVUPD Y10, off(q)                     \
	VMOVUPD Y11, off(q)(AX*1)               \
	VEXTRACTF64X4 $1, Z10, off(q)(AX*2)     \
	VEXTRACTF64X4 $1, Z11, off(q)(R8*1)

#define TOCOLUMNS64(p, off) TOCOLUMNSAT(p, R9, off)
#define TOROWS64(p, off) TOROWSAT(p, R9, off)

// The other pointers of lower_amd64.h, and the step from these rows to the next.

#define POINTERS64 \
	LEAQ (AX)(AX*2), R8 \
	LEAQ (SI)(AX*4), R9

#define NEXTROWS64 \
	LEAQ (SI)(AX*8), SI \
	LEAQ (R9)(AX*8), R9

// Four columns of eight rows through four rotations, see panel_amd64.h.
#define EIGHT64(ROTATE, PUT, off, k) \
	COLUMNS(ROTATE, PUT, SI, off, k, Z0)

#define SCAN64 \
	VALIGNQ $1, Z3, Z0, Z4 \ // v_{i+1}
	VALIGNQ $1, Z4, Z0, Z5 \
	VADDPD Z5, Z4, Z4      \
	VALIGNQ $2, Z4, Z0, Z5 \
	VADDPD Z5, Z4, Z4      \
	VALIGNQ $4, Z4, Z0, Z5 \
	VADDPD Z5, Z4, Z4

#define SCAN32 \
	VALIGND $1, Z3, Z0, Z4 \
	VALIGND $1, Z4, Z0, Z5 \
	VADDPS Z5, Z4, Z4      \
	VALIGND $2, Z4, Z0, Z5 \
	VADDPS Z5, Z4, Z4      \
	VALIGND $4, Z4, Z0, Z5 \
	VADDPS Z5, Z4, Z4      \
	VALIGND $8, Z4, Z0, Z5 \
	VADDPS Z5, Z4, Z4

#include "chol_amd64.h"
#include "panel_amd64.h"
