// What the bodies call by its type, for float64; BYTES is 1<<SHIFT.

#define T D2
#define SHIFT 3
#define BYTES 8
#define FADD(M, N, D) VFADD_D2(M, N, D)
#define FSUB(M, N, D) VFSUB_D2(M, N, D)
#define FMUL(M, N, D) VFMUL_D2(M, N, D)
#define FNEG(N, D) VFNEG_D2(N, D)
