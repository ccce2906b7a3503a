// What the bodies call by its type, for float64; SIZE is 1<<SHIFT.

#define SHIFT 3
#define SIZE 8
#define T D2
#define E D
#define FMOV FMOVD
#define FMUL FMULD
#define FMADD FMADDD
#define PLUS(m, n, d) VFADD_D2(m, n, d)
#define TIMES(m, n, d) VFMUL_D2(m, n, d)
#define TOCOLUMNS TOCOLUMNS64
#define TOROWS TOROWS64
#define POINTERS POINTERS64
#define EIGHT EIGHT64
#define SCAN SCAN64
