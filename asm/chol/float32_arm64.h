// What the bodies call by its type, for float32, after that for float64.

#undef SHIFT
#define SHIFT 2
#undef SIZE
#define SIZE 4
#undef T
#define T S4
#undef E
#define E S
#undef FMOV
#define FMOV FMOVS
#undef FMUL
#define FMUL FMULS
#undef FMADD
#define FMADD FMADDS
#undef PLUS
#define PLUS(m, n, d) VFADD_S4(m, n, d)
#undef TIMES
#define TIMES(m, n, d) VFMUL_S4(m, n, d)
#undef TOCOLUMNS
#define TOCOLUMNS TOCOLUMNS32
#undef TOROWS
#define TOROWS TOROWS32
#undef POINTERS
#define POINTERS POINTERS32
#undef EIGHT
#define EIGHT EIGHT32
#undef SCAN
#define SCAN SCAN32
