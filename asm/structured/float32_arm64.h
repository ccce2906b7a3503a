// What the bodies call by its type, for float32, after that for float64.

#undef T
#undef SHIFT
#undef BYTES
#undef FADD
#undef FSUB
#undef FMUL
#undef FNEG
#define T S4
#define SHIFT 2
#define BYTES 4
#define FADD(M, N, D) VFADD_S4(M, N, D)
#define FSUB(M, N, D) VFSUB_S4(M, N, D)
#define FMUL(M, N, D) VFMUL_S4(M, N, D)
#define FNEG(N, D) VFNEG_S4(N, D)
