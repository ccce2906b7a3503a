// The same names for float32, after float64_arm64.h.
#undef LOG
#undef SIZE
#undef CHUNK
#undef T
#undef E
#undef FMOV1
#undef FADD1
#undef FMADD1
#undef FADD
#undef FSUB
#undef FMUL
#undef FMAX
#undef FABD
#undef FMLAE
#undef FOLD
#define LOG 2
#define SIZE 4
#define CHUNK 64
#define T S4
#define E S
#define FMOV1 FMOVS
#define FADD1 FADDS
#define FMADD1 FMADDS
#define FADD VFADD_S4
#define FSUB VFSUB_S4
#define FMUL VFMUL_S4
#define FMAX VFMAX_S4
#define FABD VFABD_S4
#define FMLAE VFMLAE_S4

// the lowest lane of V0 = the sum of the 4 lanes of V0
#define FOLD \
	VFADDP_S4(0, 0, 0) \
	VFADDP_S4(0, 0, 0)
