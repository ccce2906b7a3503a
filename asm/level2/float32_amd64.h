// What the bodies call by its type, for float32, after that for float64.

#undef SHIFT
#define SHIFT 2
#undef SIZE
#define SIZE 4
#undef MOVU
#define MOVU VMOVUPS
#undef MASKMOV
#define MASKMOV VMASKMOVPS
#undef ADD
#define ADD VADDPS
#undef MUL
#define MUL VMULPS
#undef FMA
#define FMA VFMADD231PS
#undef BROADCAST
#define BROADCAST VBROADCASTSS
#undef MOVS
#define MOVS VMOVSS
#undef MULS
#define MULS VMULSS
#undef FMAS
#define FMAS VFMADD231SS
#undef SUM
#define SUM SUM32
#undef SUMS
#define SUMS SUMS32
#undef SUMSV
#define SUMSV X0
#undef TERMV
#define TERMV X1
#undef ALPHAV
#define ALPHAV X11
#undef FNMADD
#define FNMADD VFNMADD231PS
#undef FNMADDB
#define FNMADDB VFNMADD231PS.BCST
#undef MULB
#define MULB VMULPS.BCST
#undef SUB
#define SUB VSUBPS
