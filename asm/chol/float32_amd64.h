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
#undef FMADD231
#define FMADD231 VFMADD231PS
#undef FMSUB213
#define FMSUB213 VFMSUB213PS
#undef FNMADD231
#define FNMADD231 VFNMADD231PS
#undef BROADCAST
#define BROADCAST VBROADCASTSS
#undef TOCOLUMNS
#define TOCOLUMNS TOCOLUMNS32
#undef TOROWS
#define TOROWS TOROWS32
#undef NEXTROWS
#define NEXTROWS NEXTROWS32
#undef SCAN
#define SCAN SCAN32
#undef POINTERS
#define POINTERS POINTERS32
#undef EIGHT
#define EIGHT EIGHT32
