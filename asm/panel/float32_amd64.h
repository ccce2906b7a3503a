// The same names for float32, after float64_amd64.h.
#undef LOG
#undef SIZE
#undef CHUNK
#undef VMOV
#undef VCOPY
#undef VMASKMOV
#undef VBCAST
#undef VADD
#undef VSUB
#undef VMUL
#undef VMAX
#undef VMIN
#undef VAND
#undef VFMA
#undef VFNMA
#undef FOLD
#undef VADD1
#undef VMOV1
#undef VFMA1
#define LOG 2
#define SIZE 4
#define CHUNK 64
#define VMOV VMOVUPS
#define VCOPY VMOVAPS
#define VMASKMOV VMASKMOVPS
#define VBCAST VBROADCASTSS
#define VADD VADDPS
#define VSUB VSUBPS
#define VMUL VMULPS
#define VMAX VMAXPS
#define VMIN VMINPS
#define VAND VANDPS
#define VFMA VFMADD231PS
#define VFNMA VFNMADD231PS

// a = the sum of the 4 numbers of a; b is scratch
#define FOLD(a, b) \
	VPERMILPS $0x4e, a, b \
	VADDPS    b, a, a     \
	VPERMILPS $0xb1, a, b \
	VADDSS    b, a, a
#define VADD1 VADDSS
#define VMOV1 VMOVSS
#define VFMA1 VFMADD231SS
