// Names under which the bodies use the instructions on float64.
#define LOG 3     // of the size of a number
#define SIZE 8
#define CHUNK 128 // columns that are summed in one go
#define T D2
#define E D
#define FMOV1 FMOVD
#define FADD1 FADDD
#define FMADD1 FMADDD
#define FADD VFADD_D2
#define FSUB VFSUB_D2
#define FMUL VFMUL_D2
#define FMAX VFMAX_D2
#define FABD VFABD_D2
#define FMLAE VFMLAE_D2

// the lowest lane of V0 = the sum of the 2 lanes of V0
#define FOLD VFADDP_D2(0, 0, 0)
