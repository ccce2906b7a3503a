// Rotations for both widths and both types, see chol.go.

#define LOAD(p, l) MOVU p, l
#define STORE(l, p) MOVU l, p

// One rotation of l, at p, and w by c, s and r; t is scratch.
#define UPDATE(GET, PUT, p, c, s, r, l, t, w) \
	GET(p, l)         \
	MUL s, w, t       \ // t = s·w
	FMADD231 c, l, t  \ // t = c·l + s·w
	MUL s, l, l       \ // l = s·l
	FMSUB213 l, c, w  \ // w = c·w − s·l
	PUT(t, p)

#define DOWN(GET, PUT, p, c, s, r, l, t, w) \
	GET(p, l)         \
	FNMADD231 w, s, l \ // l = l − s·w
	MUL r, l, l       \ // l = (l − s·w)/c
	MUL c, w, w       \
	FNMADD231 l, s, w \ // w = c·w − s·l
	PUT(l, p)

#define SOLVED(GET, PUT, p, c, s, r, l, t, w) \
	GET(p, l)         \
	FNMADD231 l, s, w \ // w = w − s·l
	MUL c, l, l       \
	FMADD231 w, r, l  \ // l = c·l + r·w
	PUT(l, p)

// Four rotations of vectors of rows, see rotate_amd64.h.
#define ROWS(ROTATE, GET, PUT, off, l, t, w) \
	ROTATE(GET, PUT, off(SI), V0, V4, V8, l, t, w)  \
	ROTATE(GET, PUT, off(R8), V1, V5, V9, l, t, w)  \
	ROTATE(GET, PUT, off(R9), V2, V6, V10, l, t, w) \
	ROTATE(GET, PUT, off(R10), V3, V7, V11, l, t, w)

// One rotation of a column l in a register and w; the coefficients of rotation k
// are k numbers behind BX, with V5-V7 to hold them.
#define UPDATECOL(k, l, w) \
	BROADCAST ((k)*SIZE)(BX), V5        \ // c
	BROADCAST (4*SIZE+(k)*SIZE)(BX), V6 \ // s
	MUL V6, w, V7      \
	FMADD231 V5, l, V7 \
	MUL V6, l, l       \
	FMSUB213 l, V5, w  \ // w = c·w − s·l
	VMOVAPD V7, l

#define DOWNCOL(k, l, w) \
	BROADCAST ((k)*SIZE)(BX), V5        \ // c
	BROADCAST (4*SIZE+(k)*SIZE)(BX), V6 \ // s
	BROADCAST (8*SIZE+(k)*SIZE)(BX), V7 \ // r
	FNMADD231 w, V6, l \
	MUL V7, l, l       \
	MUL V5, w, w       \
	FNMADD231 l, V6, w

#define SOLVEDCOL(k, l, w) \
	BROADCAST ((k)*SIZE)(BX), V5        \ // c
	BROADCAST (4*SIZE+(k)*SIZE)(BX), V6 \ // s
	BROADCAST (8*SIZE+(k)*SIZE)(BX), V7 \ // r
	FNMADD231 l, V6, w \
	MUL V5, l, l       \
	FMADD231 w, V7, l

// Four columns of the rows at p, off bytes to the right, go to V8-V11, through
// four rotations from the k-th number on and back.
#define COLUMNS(ROTATE, PUT, p, off, k, w) \
	TOCOLUMNS(p, off)     \
	ROTATE(0+k, V8, w)  \
	ROTATE(1+k, V9, w)  \
	ROTATE(2+k, V10, w) \
	ROTATE(3+k, V11, w) \
	PUT(p, off)
