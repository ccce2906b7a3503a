// Micro-kernels of Tile for Advanced SIMD: 4×12 float64, 4×24 float32, whole
// tiles only; other tiles go through the wrapper's buffer.
//
//   for i < 4, j < nr:  s = 0;  for p < k: s = fma(a[i*ras+p*cas], b[p*bs+j], s)
//                       c[i*cs+j] = fma(alpha, s, beta*c[i*cs+j])     (alpha*s where beta is ±0)
//
// Preconditions: 1 <= k; A, B and C hold a whole tile; no alignment.
//
// Registers: R2 k left, R3 cas, R4 row of B, R5-R8 rows of A, R10 bs, R11 c,
// R12 cs, R9 and R13 scratch; strides in bytes. V0-V23 sums, row r in V(6r)…V(6r+5);
// V24-V29 the row of B, at the end of C; V30, V31 broadcasts of A, at the end
// alpha and beta.
// Invariant at loop: R4-R8 point at row p of B and column p of A, the sums hold
// the products before p, R2 = k-p > 0.
// 24 sums are enough for 4 FMA pipes × latency 4 with a half to spare; 4×12 has 6
// vector loads and 4 broadcasts for 24 FMAs.

#define ROW(PTR, X, S0, S1, S2, S3, S4, S5) \
	VLD1R.P (PTR)(R3), [X.T]    \ // X = a[i,p], next column
	VFMLA   V24.T, X.T, S0.T    \ // S += X*b[p,:]
	VFMLA   V25.T, X.T, S1.T    \
	VFMLA   V26.T, X.T, S2.T    \
	VFMLA   V27.T, X.T, S3.T    \
	VFMLA   V28.T, X.T, S4.T    \
	VFMLA   V29.T, X.T, S5.T

// One row of C; s is the number of its first sum.
#define SCALE(s, S0, S1, S2, S3, S4, S5) \
	MUL(30, s, s)                            \
	MUL(30, (s)+1, (s)+1)                    \
	MUL(30, (s)+2, (s)+2)                    \
	MUL(30, (s)+3, (s)+3)                    \
	MUL(30, (s)+4, (s)+4)                    \
	MUL(30, (s)+5, (s)+5)                    \
	ADD  $64, R11, R9                        \
	VST1 [S0.T, S1.T, S2.T, S3.T], (R11)     \
	VST1 [S4.T, S5.T], (R9)                  \
	ADD  R12, R11, R11

#define BLEND(S0, S1, S2, S3, S4, S5)   \
	ADD   $64, R11, R9                          \
	VLD1  (R11), [V24.T, V25.T, V26.T, V27.T]   \
	VLD1  (R9), [V28.T, V29.T]                  \
	MUL(31, 24, 24)                             \
	MUL(31, 25, 25)                             \
	MUL(31, 26, 26)                             \
	MUL(31, 27, 27)                             \
	MUL(31, 28, 28)                             \
	MUL(31, 29, 29)                             \
	VFMLA S0.T, V30.T, V24.T                    \
	VFMLA S1.T, V30.T, V25.T                    \
	VFMLA S2.T, V30.T, V26.T                    \
	VFMLA S3.T, V30.T, V27.T                    \
	VFMLA S4.T, V30.T, V28.T                    \
	VFMLA S5.T, V30.T, V29.T                    \
	VST1  [V24.T, V25.T, V26.T, V27.T], (R11)   \
	VST1  [V28.T, V29.T], (R9)                  \
	ADD   R12, R11, R11
