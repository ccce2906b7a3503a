// What the bodies call by its type, for float32, after that for float64.

#undef T
#undef E
#undef SHIFT
#undef SIZE
#undef FMOV
#undef FMUL
#undef FMADD
#undef PLUS
#undef TIMES
#undef SUM
#define T S4
#define E S
#define SHIFT 2
#define SIZE 4
#define FMOV FMOVS
#define FMUL FMULS
#define FMADD FMADDS
#define PLUS(m, n, d) VFADD_S4(m, n, d)
#define TIMES(m, n, d) VFMUL_S4(m, n, d)

// Lane 0 of v becomes the sum of its lanes.
#define SUM(v) \
	VFADDP_S4(v, v, v); \
	VFADDP_S4(v, v, v)
