// Rotations for both types, see chol.go. The macros take register numbers in small
// letters and names in capitals.

// V16-V19 c_k, V20-V23 s_k, V24-V27 r_k.
#define COEFFICIENTS \
	VLD4R.P (R6), [V16.T, V17.T, V18.T, V19.T] \
	VLD4R.P (R6), [V20.T, V21.T, V22.T, V23.T] \
	VLD4R.P (R6), [V24.T, V25.T, V26.T, V27.T]

// One rotation of V1, l, and V0, w; V2 is the l of an update then.
#define UPDATE(c, s, r, C, S) \
	TIMES(s, 0, 2)        \ // t = s·w
	VFMLA V1.T, C.T, V2.T \ // t = c·l + s·w
	TIMES(c, 0, 0)        \
	VFMLS V1.T, S.T, V0.T   // w = c·w − s·l

#define DOWN(c, s, r, C, S) \
	VFMLS V0.T, S.T, V1.T \ // l − s·w
	TIMES(r, 1, 1)        \ // l = (l − s·w)/c
	TIMES(c, 0, 0)        \
	VFMLS V1.T, S.T, V0.T   // w = c·w − s·l

#define SOLVED(c, s, r, C, S) \
	VFMLS V1.T, S.T, V0.T \ // w = w − s·l
	TIMES(c, 1, 1)        \
	TIMES(r, 0, 2)        \
	PLUS(2, 1, 1)           // l = c·l + r·w

// A vector of a row at p.

#define UPDATEROW(p, c, s, r, C, S) \
	VLD1 (p), [V1.T]       \
	UPDATE(c, s, r, C, S)  \
	VST1.P [V2.T], 16(p)

#define DOWNROW(p, c, s, r, C, S) \
	VLD1 (p), [V1.T]       \
	DOWN(c, s, r, C, S)    \
	VST1.P [V1.T], 16(p)

#define SOLVEDROW(p, c, s, r, C, S) \
	VLD1 (p), [V1.T]       \
	SOLVED(c, s, r, C, S)  \
	VST1.P [V1.T], 16(p)

// A column in L.

#define COPY(from, to) VORR from.B16, from.B16, to.B16

#define UPDATECOL(c, s, r, C, S, L) \
	COPY(L, V1)            \
	UPDATE(c, s, r, C, S)  \
	COPY(V2, L)

#define DOWNCOL(c, s, r, C, S, L) \
	COPY(L, V1)            \
	DOWN(c, s, r, C, S)    \
	COPY(V1, L)

#define SOLVEDCOL(c, s, r, C, S, L) \
	COPY(L, V1)            \
	SOLVED(c, s, r, C, S)  \
	COPY(V1, L)

#define COLUMNS(ROTATE) \
	ROTATE(16, 20, 24, V16, V20, V4) \
	ROTATE(17, 21, 25, V17, V21, V5) \
	ROTATE(18, 22, 26, V18, V22, V6) \
	ROTATE(19, 23, 27, V19, V23, V7)
