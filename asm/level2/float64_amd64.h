// What the bodies call by its type, for float64; SIZE is 1<<SHIFT.

#define SHIFT 3
#define SIZE 8
#define MOVU VMOVUPD
#define MASKMOV VMASKMOVPD
#define ADD VADDPD
#define MUL VMULPD
#define FMA VFMADD231PD
#define BROADCAST VBROADCASTSD
#define MOVS VMOVSD
#define MULS VMULSD
#define FMAS VFMADD231SD
#define SUM SUM64
#define SUMS SUMS64
#define SUMSV Y0
#define TERMV Y1
#define ALPHAV Y11
#define FNMADD VFNMADD231PD
#define FNMADDB VFNMADD231PD.BCST
#define MULB VMULPD.BCST
#define SUB VSUBPD
