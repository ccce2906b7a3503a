// for r := range 8 { b[k+r] = (b[k+r] - sum of t[r*rs+q*cs] * b[q], q < k+r) * d[r] } for rows b[i] of n elements at distance ldb
//   in the order of q; t, d apart from b; any alignment; ldb, rs and cs may be negative
//   in: DI b, R8 ldb, CX k, R13 rs, R14 cs, BX t, AX d, DX n; distances in elements
//   DI row 0 and SI row k at the column; R8-R11 1, 3, 5, 7 times ldb; BX column of t, R13, AX, DX, R15 1, 3, 5, 7 times
//   rs, R14 cs; R12 row of b, then d; CX rows left; n-32(SP) bytes left of a row
//   V0-V7 the rows, V8 a row that is solved, V9 an element of t
// Invariant at wide: DI, SI at the first column not done. Eight sums are 2 FMA ports × latency 4; the next columns do
// not wait for these ones. Tail: a half, a quarter, … of a register as in ger.
	SHLQ $SHIFT, R8
	SHLQ $SHIFT, R13
	SHLQ $SHIFT, R14
	SHLQ $SHIFT, DX
	MOVQ BX, t-8(SP)
	MOVQ CX, k-16(SP)
	MOVQ AX, d-24(SP)
	MOVQ DX, n-32(SP)
	MOVQ R8, SI
	IMULQ CX, SI
	ADDQ DI, SI
	LEAQ (R8)(R8*2), R9
	LEAQ (R8)(R8*4), R10
	LEAQ (R9)(R8*4), R11
	LEAQ (R13)(R13*2), AX
	LEAQ (R13)(R13*4), DX
	LEAQ (AX)(R13*4), R15
	SUBQ $W, n-32(SP)
	JLT  half

wide:
#define D0 V0
#define D1 V1
#define D2 V2
#define D3 V3
#define D4 V4
#define D5 V5
#define D6 V6
#define D7 V7
#define D8 V8
#define DT V9
#define LD MOVU
#define ST MOVU
#define SOLVED solvedV
#define TRIANGLE triangleV
#include "solverows_amd64.h"
#undef D0
#undef D1
#undef D2
#undef D3
#undef D4
#undef D5
#undef D6
#undef D7
#undef D8
#undef DT
#undef LD
#undef ST
#undef SOLVED
#undef TRIANGLE
	ADDQ $W, SI
	ADDQ $W, DI
	SUBQ $W, n-32(SP)
	JGE  wide

half:
	ADDQ $W, n-32(SP)
#ifdef HALFREGISTERS
	TESTQ $32, n-32(SP)
	JEQ  quarter
#define D0 Y0
#define D1 Y1
#define D2 Y2
#define D3 Y3
#define D4 Y4
#define D5 Y5
#define D6 Y6
#define D7 Y7
#define D8 Y8
#define DT Y9
#define LD MOVU
#define ST MOVU
#define SOLVED solvedY
#define TRIANGLE triangleY
#include "solverows_amd64.h"
#undef D0
#undef D1
#undef D2
#undef D3
#undef D4
#undef D5
#undef D6
#undef D7
#undef D8
#undef DT
#undef LD
#undef ST
#undef SOLVED
#undef TRIANGLE
	ADDQ $32, SI
	ADDQ $32, DI

quarter:
#endif
	TESTQ $16, n-32(SP)
	JEQ  eight
#define D0 X0
#define D1 X1
#define D2 X2
#define D3 X3
#define D4 X4
#define D5 X5
#define D6 X6
#define D7 X7
#define D8 X8
#define DT X9
#define LD MOVU
#define ST MOVU
#define SOLVED solvedX
#define TRIANGLE triangleX
#include "solverows_amd64.h"
#undef D0
#undef D1
#undef D2
#undef D3
#undef D4
#undef D5
#undef D6
#undef D7
#undef D8
#undef DT
#undef LD
#undef ST
#undef SOLVED
#undef TRIANGLE
	ADDQ $16, SI
	ADDQ $16, DI

eight:
	TESTQ $8, n-32(SP)
	JEQ  four
#define D0 X0
#define D1 X1
#define D2 X2
#define D3 X3
#define D4 X4
#define D5 X5
#define D6 X6
#define D7 X7
#define D8 X8
#define DT X9
#define LD VMOVSD
#define ST VMOVSD
#define SOLVED solved8
#define TRIANGLE triangle8
#include "solverows_amd64.h"
#undef D0
#undef D1
#undef D2
#undef D3
#undef D4
#undef D5
#undef D6
#undef D7
#undef D8
#undef DT
#undef LD
#undef ST
#undef SOLVED
#undef TRIANGLE
	ADDQ $8, SI
	ADDQ $8, DI

four:
	TESTQ $4, n-32(SP)
	JEQ  end
#define D0 X0
#define D1 X1
#define D2 X2
#define D3 X3
#define D4 X4
#define D5 X5
#define D6 X6
#define D7 X7
#define D8 X8
#define DT X9
#define LD VMOVSS
#define ST VMOVSS
#define SOLVED solved4
#define TRIANGLE triangle4
#include "solverows_amd64.h"
#undef D0
#undef D1
#undef D2
#undef D3
#undef D4
#undef D5
#undef D6
#undef D7
#undef D8
#undef DT
#undef LD
#undef ST
#undef SOLVED
#undef TRIANGLE

end:
