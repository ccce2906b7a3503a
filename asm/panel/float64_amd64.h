// Names under which the bodies use the instructions on float64.
#define LOG 3     // of the size of a number
#define SIZE 8
#define CHUNK 128 // columns that are summed in one go
#define VMOV VMOVUPD
#define VCOPY VMOVAPD
#define VMASKMOV VMASKMOVPD
#define VBCAST VBROADCASTSD
#define VADD VADDPD
#define VSUB VSUBPD
#define VMUL VMULPD
#define VMAX VMAXPD
#define VMIN VMINPD
#define VAND VANDPD
#define VFMA VFMADD231PD
#define VFNMA VFNMADD231PD

// a = the sum of the 2 numbers of a; b is scratch
#define FOLD(a, b) \
	VPERMILPD $1, a, b \
	VADDSD    b, a, a
#define VADD1 VADDSD
#define VMOV1 VMOVSD
#define VFMA1 VFMADD231SD
