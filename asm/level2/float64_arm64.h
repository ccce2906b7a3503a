// What the bodies call by its type, for float64; SIZE is 1<<SHIFT.

#define T D2
#define E D
#define SHIFT 3
#define SIZE 8
#define FMOV FMOVD
#define FMUL FMULD
#define FMADD FMADDD
#define PLUS(m, n, d) VFADD_D2(m, n, d)
#define TIMES(m, n, d) VFMUL_D2(m, n, d)

// Lane 0 of v becomes the sum of its lanes.
#define SUM(v) VFADDP_D2(v, v, v)
