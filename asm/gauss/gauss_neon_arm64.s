//go:build !noasm

#include "textflag.h"
#include "neon_arm64.h"

// Sums over the columns of a panel of x against panels of z, with a tile of 6
// rows by four vectors of 16 bytes: half the rows of a panel of x against half
// of a panel of z. The mathematics, the storage of panels and the order of
// summation are in doc.go.

// Registers: R0 tile, R1 row distance in bytes, R2 panel distance in bytes, R3
// panels left, R4 x, R5 z, R6 columns left, R7 whether the destination is added
// to, R8 columns left in the chunk, R9 row. V0–V3 z, V4–V6 x (or V4 one x and
// V5–V7 differences), V8–V31 sums, row r in V(8+4r) … V(11+4r). 24 sums hide the
// latency of 4 on two pipes three times over.

#define SETUP(LOG) \
	MOVD dst+0(FP), R0     \
	MOVD ldd+8(FP), R1     \
	LSL  $LOG, R1          \
	MOVD stride+40(FP), R2 \
	MOVD panels+48(FP), R3

#define PANEL \
	MOVD x+16(FP), R4      \
	MOVD z+24(FP), R5      \
	MOVD d+32(FP), R6      \
	MOVD add+56(FP), R7

#define CHUNK(N) \
	MOVD $N, R8            \
	CMP  R8, R6            \
	CSEL LT, R6, R8, R8    \
	SUB  R8, R6

#define LOADZ \
	FMOVQ (R5), F0         \
	FMOVQ 16(R5), F1       \
	FMOVQ 32(R5), F2       \
	FMOVQ 48(R5), F3       \
	ADD   $128, R5

#define NEXTPANEL \
	ADD  $128, R0          \
	MOVD z+24(FP), R10     \
	ADD  R2, R10           \
	MOVD R10, z+24(FP)     \
	SUBS $1, R3

#define ZERO4 \
	VEOR V8.B16, V8.B16, V8.B16    \
	VEOR V9.B16, V9.B16, V9.B16    \
	VEOR V10.B16, V10.B16, V10.B16 \
	VEOR V11.B16, V11.B16, V11.B16 \
	VEOR V12.B16, V12.B16, V12.B16 \
	VEOR V13.B16, V13.B16, V13.B16 \
	VEOR V14.B16, V14.B16, V14.B16 \
	VEOR V15.B16, V15.B16, V15.B16 \
	VEOR V16.B16, V16.B16, V16.B16 \
	VEOR V17.B16, V17.B16, V17.B16 \
	VEOR V18.B16, V18.B16, V18.B16 \
	VEOR V19.B16, V19.B16, V19.B16 \
	VEOR V20.B16, V20.B16, V20.B16 \
	VEOR V21.B16, V21.B16, V21.B16 \
	VEOR V22.B16, V22.B16, V22.B16 \
	VEOR V23.B16, V23.B16, V23.B16

#define PUTROWS4 \
	FMOVQ F8, (R9)    \
	FMOVQ F9, 16(R9)  \
	FMOVQ F10, 32(R9) \
	FMOVQ F11, 48(R9) \
	ADD R1, R9        \
	FMOVQ F12, (R9)   \
	FMOVQ F13, 16(R9) \
	FMOVQ F14, 32(R9) \
	FMOVQ F15, 48(R9) \
	ADD R1, R9        \
	FMOVQ F16, (R9)   \
	FMOVQ F17, 16(R9) \
	FMOVQ F18, 32(R9) \
	FMOVQ F19, 48(R9) \
	ADD R1, R9        \
	FMOVQ F20, (R9)   \
	FMOVQ F21, 16(R9) \
	FMOVQ F22, 32(R9) \
	FMOVQ F23, 48(R9) \
	ADD R1, R9

#define ADDROWS4_D2 \
	FMOVQ (R9), F0      \
	FMOVQ 16(R9), F1    \
	FMOVQ 32(R9), F2    \
	FMOVQ 48(R9), F3    \
	VFADD_D2(0, 8, 8)   \
	VFADD_D2(1, 9, 9)   \
	VFADD_D2(2, 10, 10) \
	VFADD_D2(3, 11, 11) \
	ADD R1, R9          \
	FMOVQ (R9), F0      \
	FMOVQ 16(R9), F1    \
	FMOVQ 32(R9), F2    \
	FMOVQ 48(R9), F3    \
	VFADD_D2(0, 12, 12) \
	VFADD_D2(1, 13, 13) \
	VFADD_D2(2, 14, 14) \
	VFADD_D2(3, 15, 15) \
	ADD R1, R9          \
	FMOVQ (R9), F0      \
	FMOVQ 16(R9), F1    \
	FMOVQ 32(R9), F2    \
	FMOVQ 48(R9), F3    \
	VFADD_D2(0, 16, 16) \
	VFADD_D2(1, 17, 17) \
	VFADD_D2(2, 18, 18) \
	VFADD_D2(3, 19, 19) \
	ADD R1, R9          \
	FMOVQ (R9), F0      \
	FMOVQ 16(R9), F1    \
	FMOVQ 32(R9), F2    \
	FMOVQ 48(R9), F3    \
	VFADD_D2(0, 20, 20) \
	VFADD_D2(1, 21, 21) \
	VFADD_D2(2, 22, 22) \
	VFADD_D2(3, 23, 23) \
	ADD R1, R9

#define DOT4_D2 \
	FMOVQ (R4), F4         \
	FMOVQ 16(R4), F5       \
	VFMLAE_D2(0, 4, 0, 8)  \
	VFMLAE_D2(0, 4, 1, 9)  \
	VFMLAE_D2(0, 4, 2, 10) \
	VFMLAE_D2(0, 4, 3, 11) \
	VFMLAE_D2(1, 4, 0, 12) \
	VFMLAE_D2(1, 4, 1, 13) \
	VFMLAE_D2(1, 4, 2, 14) \
	VFMLAE_D2(1, 4, 3, 15) \
	VFMLAE_D2(0, 5, 0, 16) \
	VFMLAE_D2(0, 5, 1, 17) \
	VFMLAE_D2(0, 5, 2, 18) \
	VFMLAE_D2(0, 5, 3, 19) \
	VFMLAE_D2(1, 5, 0, 20) \
	VFMLAE_D2(1, 5, 1, 21) \
	VFMLAE_D2(1, 5, 2, 22) \
	VFMLAE_D2(1, 5, 3, 23) \
	ADD $96, R4

#define SQUARE4_D2 \
	FMOVD (R4), F4             \
	VDUP V4.D[0], V4.D2        \
	VFSUB_D2(4, 0, 5)          \
	VFMLA V5.D2, V5.D2, V8.D2  \
	VFSUB_D2(4, 1, 6)          \
	VFMLA V6.D2, V6.D2, V9.D2  \
	VFSUB_D2(4, 2, 7)          \
	VFMLA V7.D2, V7.D2, V10.D2 \
	VFSUB_D2(4, 3, 5)          \
	VFMLA V5.D2, V5.D2, V11.D2 \
	FMOVD 8(R4), F4            \
	VDUP V4.D[0], V4.D2        \
	VFSUB_D2(4, 0, 5)          \
	VFMLA V5.D2, V5.D2, V12.D2 \
	VFSUB_D2(4, 1, 6)          \
	VFMLA V6.D2, V6.D2, V13.D2 \
	VFSUB_D2(4, 2, 7)          \
	VFMLA V7.D2, V7.D2, V14.D2 \
	VFSUB_D2(4, 3, 5)          \
	VFMLA V5.D2, V5.D2, V15.D2 \
	FMOVD 16(R4), F4           \
	VDUP V4.D[0], V4.D2        \
	VFSUB_D2(4, 0, 5)          \
	VFMLA V5.D2, V5.D2, V16.D2 \
	VFSUB_D2(4, 1, 6)          \
	VFMLA V6.D2, V6.D2, V17.D2 \
	VFSUB_D2(4, 2, 7)          \
	VFMLA V7.D2, V7.D2, V18.D2 \
	VFSUB_D2(4, 3, 5)          \
	VFMLA V5.D2, V5.D2, V19.D2 \
	FMOVD 24(R4), F4           \
	VDUP V4.D[0], V4.D2        \
	VFSUB_D2(4, 0, 5)          \
	VFMLA V5.D2, V5.D2, V20.D2 \
	VFSUB_D2(4, 1, 6)          \
	VFMLA V6.D2, V6.D2, V21.D2 \
	VFSUB_D2(4, 2, 7)          \
	VFMLA V7.D2, V7.D2, V22.D2 \
	VFSUB_D2(4, 3, 5)          \
	VFMLA V5.D2, V5.D2, V23.D2 \
	ADD $96, R4

#define ABSOLUTE4_D2 \
	FMOVD (R4), F4      \
	VDUP V4.D[0], V4.D2 \
	VFABD_D2(4, 0, 5)   \
	VFADD_D2(5, 8, 8)   \
	VFABD_D2(4, 1, 6)   \
	VFADD_D2(6, 9, 9)   \
	VFABD_D2(4, 2, 7)   \
	VFADD_D2(7, 10, 10) \
	VFABD_D2(4, 3, 5)   \
	VFADD_D2(5, 11, 11) \
	FMOVD 8(R4), F4     \
	VDUP V4.D[0], V4.D2 \
	VFABD_D2(4, 0, 5)   \
	VFADD_D2(5, 12, 12) \
	VFABD_D2(4, 1, 6)   \
	VFADD_D2(6, 13, 13) \
	VFABD_D2(4, 2, 7)   \
	VFADD_D2(7, 14, 14) \
	VFABD_D2(4, 3, 5)   \
	VFADD_D2(5, 15, 15) \
	FMOVD 16(R4), F4    \
	VDUP V4.D[0], V4.D2 \
	VFABD_D2(4, 0, 5)   \
	VFADD_D2(5, 16, 16) \
	VFABD_D2(4, 1, 6)   \
	VFADD_D2(6, 17, 17) \
	VFABD_D2(4, 2, 7)   \
	VFADD_D2(7, 18, 18) \
	VFABD_D2(4, 3, 5)   \
	VFADD_D2(5, 19, 19) \
	FMOVD 24(R4), F4    \
	VDUP V4.D[0], V4.D2 \
	VFABD_D2(4, 0, 5)   \
	VFADD_D2(5, 20, 20) \
	VFABD_D2(4, 1, 6)   \
	VFADD_D2(6, 21, 21) \
	VFABD_D2(4, 2, 7)   \
	VFADD_D2(7, 22, 22) \
	VFABD_D2(4, 3, 5)   \
	VFADD_D2(5, 23, 23) \
	ADD $96, R4

#define ADDROWS4_S4 \
	FMOVQ (R9), F0      \
	FMOVQ 16(R9), F1    \
	FMOVQ 32(R9), F2    \
	FMOVQ 48(R9), F3    \
	VFADD_S4(0, 8, 8)   \
	VFADD_S4(1, 9, 9)   \
	VFADD_S4(2, 10, 10) \
	VFADD_S4(3, 11, 11) \
	ADD R1, R9          \
	FMOVQ (R9), F0      \
	FMOVQ 16(R9), F1    \
	FMOVQ 32(R9), F2    \
	FMOVQ 48(R9), F3    \
	VFADD_S4(0, 12, 12) \
	VFADD_S4(1, 13, 13) \
	VFADD_S4(2, 14, 14) \
	VFADD_S4(3, 15, 15) \
	ADD R1, R9          \
	FMOVQ (R9), F0      \
	FMOVQ 16(R9), F1    \
	FMOVQ 32(R9), F2    \
	FMOVQ 48(R9), F3    \
	VFADD_S4(0, 16, 16) \
	VFADD_S4(1, 17, 17) \
	VFADD_S4(2, 18, 18) \
	VFADD_S4(3, 19, 19) \
	ADD R1, R9          \
	FMOVQ (R9), F0      \
	FMOVQ 16(R9), F1    \
	FMOVQ 32(R9), F2    \
	FMOVQ 48(R9), F3    \
	VFADD_S4(0, 20, 20) \
	VFADD_S4(1, 21, 21) \
	VFADD_S4(2, 22, 22) \
	VFADD_S4(3, 23, 23) \
	ADD R1, R9

#define DOT4_S4 \
	FMOVQ (R4), F4         \
	VFMLAE_S4(0, 4, 0, 8)  \
	VFMLAE_S4(0, 4, 1, 9)  \
	VFMLAE_S4(0, 4, 2, 10) \
	VFMLAE_S4(0, 4, 3, 11) \
	VFMLAE_S4(1, 4, 0, 12) \
	VFMLAE_S4(1, 4, 1, 13) \
	VFMLAE_S4(1, 4, 2, 14) \
	VFMLAE_S4(1, 4, 3, 15) \
	VFMLAE_S4(2, 4, 0, 16) \
	VFMLAE_S4(2, 4, 1, 17) \
	VFMLAE_S4(2, 4, 2, 18) \
	VFMLAE_S4(2, 4, 3, 19) \
	VFMLAE_S4(3, 4, 0, 20) \
	VFMLAE_S4(3, 4, 1, 21) \
	VFMLAE_S4(3, 4, 2, 22) \
	VFMLAE_S4(3, 4, 3, 23) \
	ADD $48, R4

#define SQUARE4_S4 \
	FMOVS (R4), F4             \
	VDUP V4.S[0], V4.S4        \
	VFSUB_S4(4, 0, 5)          \
	VFMLA V5.S4, V5.S4, V8.S4  \
	VFSUB_S4(4, 1, 6)          \
	VFMLA V6.S4, V6.S4, V9.S4  \
	VFSUB_S4(4, 2, 7)          \
	VFMLA V7.S4, V7.S4, V10.S4 \
	VFSUB_S4(4, 3, 5)          \
	VFMLA V5.S4, V5.S4, V11.S4 \
	FMOVS 4(R4), F4            \
	VDUP V4.S[0], V4.S4        \
	VFSUB_S4(4, 0, 5)          \
	VFMLA V5.S4, V5.S4, V12.S4 \
	VFSUB_S4(4, 1, 6)          \
	VFMLA V6.S4, V6.S4, V13.S4 \
	VFSUB_S4(4, 2, 7)          \
	VFMLA V7.S4, V7.S4, V14.S4 \
	VFSUB_S4(4, 3, 5)          \
	VFMLA V5.S4, V5.S4, V15.S4 \
	FMOVS 8(R4), F4            \
	VDUP V4.S[0], V4.S4        \
	VFSUB_S4(4, 0, 5)          \
	VFMLA V5.S4, V5.S4, V16.S4 \
	VFSUB_S4(4, 1, 6)          \
	VFMLA V6.S4, V6.S4, V17.S4 \
	VFSUB_S4(4, 2, 7)          \
	VFMLA V7.S4, V7.S4, V18.S4 \
	VFSUB_S4(4, 3, 5)          \
	VFMLA V5.S4, V5.S4, V19.S4 \
	FMOVS 12(R4), F4           \
	VDUP V4.S[0], V4.S4        \
	VFSUB_S4(4, 0, 5)          \
	VFMLA V5.S4, V5.S4, V20.S4 \
	VFSUB_S4(4, 1, 6)          \
	VFMLA V6.S4, V6.S4, V21.S4 \
	VFSUB_S4(4, 2, 7)          \
	VFMLA V7.S4, V7.S4, V22.S4 \
	VFSUB_S4(4, 3, 5)          \
	VFMLA V5.S4, V5.S4, V23.S4 \
	ADD $48, R4

#define ABSOLUTE4_S4 \
	FMOVS (R4), F4      \
	VDUP V4.S[0], V4.S4 \
	VFABD_S4(4, 0, 5)   \
	VFADD_S4(5, 8, 8)   \
	VFABD_S4(4, 1, 6)   \
	VFADD_S4(6, 9, 9)   \
	VFABD_S4(4, 2, 7)   \
	VFADD_S4(7, 10, 10) \
	VFABD_S4(4, 3, 5)   \
	VFADD_S4(5, 11, 11) \
	FMOVS 4(R4), F4     \
	VDUP V4.S[0], V4.S4 \
	VFABD_S4(4, 0, 5)   \
	VFADD_S4(5, 12, 12) \
	VFABD_S4(4, 1, 6)   \
	VFADD_S4(6, 13, 13) \
	VFABD_S4(4, 2, 7)   \
	VFADD_S4(7, 14, 14) \
	VFABD_S4(4, 3, 5)   \
	VFADD_S4(5, 15, 15) \
	FMOVS 8(R4), F4     \
	VDUP V4.S[0], V4.S4 \
	VFABD_S4(4, 0, 5)   \
	VFADD_S4(5, 16, 16) \
	VFABD_S4(4, 1, 6)   \
	VFADD_S4(6, 17, 17) \
	VFABD_S4(4, 2, 7)   \
	VFADD_S4(7, 18, 18) \
	VFABD_S4(4, 3, 5)   \
	VFADD_S4(5, 19, 19) \
	FMOVS 12(R4), F4    \
	VDUP V4.S[0], V4.S4 \
	VFABD_S4(4, 0, 5)   \
	VFADD_S4(5, 20, 20) \
	VFABD_S4(4, 1, 6)   \
	VFADD_S4(6, 21, 21) \
	VFABD_S4(4, 2, 7)   \
	VFADD_S4(7, 22, 22) \
	VFABD_S4(4, 3, 5)   \
	VFADD_S4(5, 23, 23) \
	ADD $48, R4

#define ZERO6 \
	VEOR V8.B16, V8.B16, V8.B16    \
	VEOR V9.B16, V9.B16, V9.B16    \
	VEOR V10.B16, V10.B16, V10.B16 \
	VEOR V11.B16, V11.B16, V11.B16 \
	VEOR V12.B16, V12.B16, V12.B16 \
	VEOR V13.B16, V13.B16, V13.B16 \
	VEOR V14.B16, V14.B16, V14.B16 \
	VEOR V15.B16, V15.B16, V15.B16 \
	VEOR V16.B16, V16.B16, V16.B16 \
	VEOR V17.B16, V17.B16, V17.B16 \
	VEOR V18.B16, V18.B16, V18.B16 \
	VEOR V19.B16, V19.B16, V19.B16 \
	VEOR V20.B16, V20.B16, V20.B16 \
	VEOR V21.B16, V21.B16, V21.B16 \
	VEOR V22.B16, V22.B16, V22.B16 \
	VEOR V23.B16, V23.B16, V23.B16 \
	VEOR V24.B16, V24.B16, V24.B16 \
	VEOR V25.B16, V25.B16, V25.B16 \
	VEOR V26.B16, V26.B16, V26.B16 \
	VEOR V27.B16, V27.B16, V27.B16 \
	VEOR V28.B16, V28.B16, V28.B16 \
	VEOR V29.B16, V29.B16, V29.B16 \
	VEOR V30.B16, V30.B16, V30.B16 \
	VEOR V31.B16, V31.B16, V31.B16

#define PUTROWS6 \
	FMOVQ F8, (R9)    \
	FMOVQ F9, 16(R9)  \
	FMOVQ F10, 32(R9) \
	FMOVQ F11, 48(R9) \
	ADD R1, R9        \
	FMOVQ F12, (R9)   \
	FMOVQ F13, 16(R9) \
	FMOVQ F14, 32(R9) \
	FMOVQ F15, 48(R9) \
	ADD R1, R9        \
	FMOVQ F16, (R9)   \
	FMOVQ F17, 16(R9) \
	FMOVQ F18, 32(R9) \
	FMOVQ F19, 48(R9) \
	ADD R1, R9        \
	FMOVQ F20, (R9)   \
	FMOVQ F21, 16(R9) \
	FMOVQ F22, 32(R9) \
	FMOVQ F23, 48(R9) \
	ADD R1, R9        \
	FMOVQ F24, (R9)   \
	FMOVQ F25, 16(R9) \
	FMOVQ F26, 32(R9) \
	FMOVQ F27, 48(R9) \
	ADD R1, R9        \
	FMOVQ F28, (R9)   \
	FMOVQ F29, 16(R9) \
	FMOVQ F30, 32(R9) \
	FMOVQ F31, 48(R9) \
	ADD R1, R9

#define ADDROWS6_D2 \
	FMOVQ (R9), F0      \
	FMOVQ 16(R9), F1    \
	FMOVQ 32(R9), F2    \
	FMOVQ 48(R9), F3    \
	VFADD_D2(0, 8, 8)   \
	VFADD_D2(1, 9, 9)   \
	VFADD_D2(2, 10, 10) \
	VFADD_D2(3, 11, 11) \
	ADD R1, R9          \
	FMOVQ (R9), F0      \
	FMOVQ 16(R9), F1    \
	FMOVQ 32(R9), F2    \
	FMOVQ 48(R9), F3    \
	VFADD_D2(0, 12, 12) \
	VFADD_D2(1, 13, 13) \
	VFADD_D2(2, 14, 14) \
	VFADD_D2(3, 15, 15) \
	ADD R1, R9          \
	FMOVQ (R9), F0      \
	FMOVQ 16(R9), F1    \
	FMOVQ 32(R9), F2    \
	FMOVQ 48(R9), F3    \
	VFADD_D2(0, 16, 16) \
	VFADD_D2(1, 17, 17) \
	VFADD_D2(2, 18, 18) \
	VFADD_D2(3, 19, 19) \
	ADD R1, R9          \
	FMOVQ (R9), F0      \
	FMOVQ 16(R9), F1    \
	FMOVQ 32(R9), F2    \
	FMOVQ 48(R9), F3    \
	VFADD_D2(0, 20, 20) \
	VFADD_D2(1, 21, 21) \
	VFADD_D2(2, 22, 22) \
	VFADD_D2(3, 23, 23) \
	ADD R1, R9          \
	FMOVQ (R9), F0      \
	FMOVQ 16(R9), F1    \
	FMOVQ 32(R9), F2    \
	FMOVQ 48(R9), F3    \
	VFADD_D2(0, 24, 24) \
	VFADD_D2(1, 25, 25) \
	VFADD_D2(2, 26, 26) \
	VFADD_D2(3, 27, 27) \
	ADD R1, R9          \
	FMOVQ (R9), F0      \
	FMOVQ 16(R9), F1    \
	FMOVQ 32(R9), F2    \
	FMOVQ 48(R9), F3    \
	VFADD_D2(0, 28, 28) \
	VFADD_D2(1, 29, 29) \
	VFADD_D2(2, 30, 30) \
	VFADD_D2(3, 31, 31) \
	ADD R1, R9

#define DOT6_D2 \
	FMOVQ (R4), F4         \
	FMOVQ 16(R4), F5       \
	FMOVQ 32(R4), F6       \
	VFMLAE_D2(0, 4, 0, 8)  \
	VFMLAE_D2(0, 4, 1, 9)  \
	VFMLAE_D2(0, 4, 2, 10) \
	VFMLAE_D2(0, 4, 3, 11) \
	VFMLAE_D2(1, 4, 0, 12) \
	VFMLAE_D2(1, 4, 1, 13) \
	VFMLAE_D2(1, 4, 2, 14) \
	VFMLAE_D2(1, 4, 3, 15) \
	VFMLAE_D2(0, 5, 0, 16) \
	VFMLAE_D2(0, 5, 1, 17) \
	VFMLAE_D2(0, 5, 2, 18) \
	VFMLAE_D2(0, 5, 3, 19) \
	VFMLAE_D2(1, 5, 0, 20) \
	VFMLAE_D2(1, 5, 1, 21) \
	VFMLAE_D2(1, 5, 2, 22) \
	VFMLAE_D2(1, 5, 3, 23) \
	VFMLAE_D2(0, 6, 0, 24) \
	VFMLAE_D2(0, 6, 1, 25) \
	VFMLAE_D2(0, 6, 2, 26) \
	VFMLAE_D2(0, 6, 3, 27) \
	VFMLAE_D2(1, 6, 0, 28) \
	VFMLAE_D2(1, 6, 1, 29) \
	VFMLAE_D2(1, 6, 2, 30) \
	VFMLAE_D2(1, 6, 3, 31) \
	ADD $96, R4

#define SQUARE6_D2 \
	FMOVD (R4), F4             \
	VDUP V4.D[0], V4.D2        \
	VFSUB_D2(4, 0, 5)          \
	VFMLA V5.D2, V5.D2, V8.D2  \
	VFSUB_D2(4, 1, 6)          \
	VFMLA V6.D2, V6.D2, V9.D2  \
	VFSUB_D2(4, 2, 7)          \
	VFMLA V7.D2, V7.D2, V10.D2 \
	VFSUB_D2(4, 3, 5)          \
	VFMLA V5.D2, V5.D2, V11.D2 \
	FMOVD 8(R4), F4            \
	VDUP V4.D[0], V4.D2        \
	VFSUB_D2(4, 0, 5)          \
	VFMLA V5.D2, V5.D2, V12.D2 \
	VFSUB_D2(4, 1, 6)          \
	VFMLA V6.D2, V6.D2, V13.D2 \
	VFSUB_D2(4, 2, 7)          \
	VFMLA V7.D2, V7.D2, V14.D2 \
	VFSUB_D2(4, 3, 5)          \
	VFMLA V5.D2, V5.D2, V15.D2 \
	FMOVD 16(R4), F4           \
	VDUP V4.D[0], V4.D2        \
	VFSUB_D2(4, 0, 5)          \
	VFMLA V5.D2, V5.D2, V16.D2 \
	VFSUB_D2(4, 1, 6)          \
	VFMLA V6.D2, V6.D2, V17.D2 \
	VFSUB_D2(4, 2, 7)          \
	VFMLA V7.D2, V7.D2, V18.D2 \
	VFSUB_D2(4, 3, 5)          \
	VFMLA V5.D2, V5.D2, V19.D2 \
	FMOVD 24(R4), F4           \
	VDUP V4.D[0], V4.D2        \
	VFSUB_D2(4, 0, 5)          \
	VFMLA V5.D2, V5.D2, V20.D2 \
	VFSUB_D2(4, 1, 6)          \
	VFMLA V6.D2, V6.D2, V21.D2 \
	VFSUB_D2(4, 2, 7)          \
	VFMLA V7.D2, V7.D2, V22.D2 \
	VFSUB_D2(4, 3, 5)          \
	VFMLA V5.D2, V5.D2, V23.D2 \
	FMOVD 32(R4), F4           \
	VDUP V4.D[0], V4.D2        \
	VFSUB_D2(4, 0, 5)          \
	VFMLA V5.D2, V5.D2, V24.D2 \
	VFSUB_D2(4, 1, 6)          \
	VFMLA V6.D2, V6.D2, V25.D2 \
	VFSUB_D2(4, 2, 7)          \
	VFMLA V7.D2, V7.D2, V26.D2 \
	VFSUB_D2(4, 3, 5)          \
	VFMLA V5.D2, V5.D2, V27.D2 \
	FMOVD 40(R4), F4           \
	VDUP V4.D[0], V4.D2        \
	VFSUB_D2(4, 0, 5)          \
	VFMLA V5.D2, V5.D2, V28.D2 \
	VFSUB_D2(4, 1, 6)          \
	VFMLA V6.D2, V6.D2, V29.D2 \
	VFSUB_D2(4, 2, 7)          \
	VFMLA V7.D2, V7.D2, V30.D2 \
	VFSUB_D2(4, 3, 5)          \
	VFMLA V5.D2, V5.D2, V31.D2 \
	ADD $96, R4

#define ABSOLUTE6_D2 \
	FMOVD (R4), F4      \
	VDUP V4.D[0], V4.D2 \
	VFABD_D2(4, 0, 5)   \
	VFADD_D2(5, 8, 8)   \
	VFABD_D2(4, 1, 6)   \
	VFADD_D2(6, 9, 9)   \
	VFABD_D2(4, 2, 7)   \
	VFADD_D2(7, 10, 10) \
	VFABD_D2(4, 3, 5)   \
	VFADD_D2(5, 11, 11) \
	FMOVD 8(R4), F4     \
	VDUP V4.D[0], V4.D2 \
	VFABD_D2(4, 0, 5)   \
	VFADD_D2(5, 12, 12) \
	VFABD_D2(4, 1, 6)   \
	VFADD_D2(6, 13, 13) \
	VFABD_D2(4, 2, 7)   \
	VFADD_D2(7, 14, 14) \
	VFABD_D2(4, 3, 5)   \
	VFADD_D2(5, 15, 15) \
	FMOVD 16(R4), F4    \
	VDUP V4.D[0], V4.D2 \
	VFABD_D2(4, 0, 5)   \
	VFADD_D2(5, 16, 16) \
	VFABD_D2(4, 1, 6)   \
	VFADD_D2(6, 17, 17) \
	VFABD_D2(4, 2, 7)   \
	VFADD_D2(7, 18, 18) \
	VFABD_D2(4, 3, 5)   \
	VFADD_D2(5, 19, 19) \
	FMOVD 24(R4), F4    \
	VDUP V4.D[0], V4.D2 \
	VFABD_D2(4, 0, 5)   \
	VFADD_D2(5, 20, 20) \
	VFABD_D2(4, 1, 6)   \
	VFADD_D2(6, 21, 21) \
	VFABD_D2(4, 2, 7)   \
	VFADD_D2(7, 22, 22) \
	VFABD_D2(4, 3, 5)   \
	VFADD_D2(5, 23, 23) \
	FMOVD 32(R4), F4    \
	VDUP V4.D[0], V4.D2 \
	VFABD_D2(4, 0, 5)   \
	VFADD_D2(5, 24, 24) \
	VFABD_D2(4, 1, 6)   \
	VFADD_D2(6, 25, 25) \
	VFABD_D2(4, 2, 7)   \
	VFADD_D2(7, 26, 26) \
	VFABD_D2(4, 3, 5)   \
	VFADD_D2(5, 27, 27) \
	FMOVD 40(R4), F4    \
	VDUP V4.D[0], V4.D2 \
	VFABD_D2(4, 0, 5)   \
	VFADD_D2(5, 28, 28) \
	VFABD_D2(4, 1, 6)   \
	VFADD_D2(6, 29, 29) \
	VFABD_D2(4, 2, 7)   \
	VFADD_D2(7, 30, 30) \
	VFABD_D2(4, 3, 5)   \
	VFADD_D2(5, 31, 31) \
	ADD $96, R4

#define ADDROWS6_S4 \
	FMOVQ (R9), F0      \
	FMOVQ 16(R9), F1    \
	FMOVQ 32(R9), F2    \
	FMOVQ 48(R9), F3    \
	VFADD_S4(0, 8, 8)   \
	VFADD_S4(1, 9, 9)   \
	VFADD_S4(2, 10, 10) \
	VFADD_S4(3, 11, 11) \
	ADD R1, R9          \
	FMOVQ (R9), F0      \
	FMOVQ 16(R9), F1    \
	FMOVQ 32(R9), F2    \
	FMOVQ 48(R9), F3    \
	VFADD_S4(0, 12, 12) \
	VFADD_S4(1, 13, 13) \
	VFADD_S4(2, 14, 14) \
	VFADD_S4(3, 15, 15) \
	ADD R1, R9          \
	FMOVQ (R9), F0      \
	FMOVQ 16(R9), F1    \
	FMOVQ 32(R9), F2    \
	FMOVQ 48(R9), F3    \
	VFADD_S4(0, 16, 16) \
	VFADD_S4(1, 17, 17) \
	VFADD_S4(2, 18, 18) \
	VFADD_S4(3, 19, 19) \
	ADD R1, R9          \
	FMOVQ (R9), F0      \
	FMOVQ 16(R9), F1    \
	FMOVQ 32(R9), F2    \
	FMOVQ 48(R9), F3    \
	VFADD_S4(0, 20, 20) \
	VFADD_S4(1, 21, 21) \
	VFADD_S4(2, 22, 22) \
	VFADD_S4(3, 23, 23) \
	ADD R1, R9          \
	FMOVQ (R9), F0      \
	FMOVQ 16(R9), F1    \
	FMOVQ 32(R9), F2    \
	FMOVQ 48(R9), F3    \
	VFADD_S4(0, 24, 24) \
	VFADD_S4(1, 25, 25) \
	VFADD_S4(2, 26, 26) \
	VFADD_S4(3, 27, 27) \
	ADD R1, R9          \
	FMOVQ (R9), F0      \
	FMOVQ 16(R9), F1    \
	FMOVQ 32(R9), F2    \
	FMOVQ 48(R9), F3    \
	VFADD_S4(0, 28, 28) \
	VFADD_S4(1, 29, 29) \
	VFADD_S4(2, 30, 30) \
	VFADD_S4(3, 31, 31) \
	ADD R1, R9

#define DOT6_S4 \
	FMOVQ (R4), F4         \
	FMOVD 16(R4), F5       \
	VFMLAE_S4(0, 4, 0, 8)  \
	VFMLAE_S4(0, 4, 1, 9)  \
	VFMLAE_S4(0, 4, 2, 10) \
	VFMLAE_S4(0, 4, 3, 11) \
	VFMLAE_S4(1, 4, 0, 12) \
	VFMLAE_S4(1, 4, 1, 13) \
	VFMLAE_S4(1, 4, 2, 14) \
	VFMLAE_S4(1, 4, 3, 15) \
	VFMLAE_S4(2, 4, 0, 16) \
	VFMLAE_S4(2, 4, 1, 17) \
	VFMLAE_S4(2, 4, 2, 18) \
	VFMLAE_S4(2, 4, 3, 19) \
	VFMLAE_S4(3, 4, 0, 20) \
	VFMLAE_S4(3, 4, 1, 21) \
	VFMLAE_S4(3, 4, 2, 22) \
	VFMLAE_S4(3, 4, 3, 23) \
	VFMLAE_S4(0, 5, 0, 24) \
	VFMLAE_S4(0, 5, 1, 25) \
	VFMLAE_S4(0, 5, 2, 26) \
	VFMLAE_S4(0, 5, 3, 27) \
	VFMLAE_S4(1, 5, 0, 28) \
	VFMLAE_S4(1, 5, 1, 29) \
	VFMLAE_S4(1, 5, 2, 30) \
	VFMLAE_S4(1, 5, 3, 31) \
	ADD $48, R4

#define SQUARE6_S4 \
	FMOVS (R4), F4             \
	VDUP V4.S[0], V4.S4        \
	VFSUB_S4(4, 0, 5)          \
	VFMLA V5.S4, V5.S4, V8.S4  \
	VFSUB_S4(4, 1, 6)          \
	VFMLA V6.S4, V6.S4, V9.S4  \
	VFSUB_S4(4, 2, 7)          \
	VFMLA V7.S4, V7.S4, V10.S4 \
	VFSUB_S4(4, 3, 5)          \
	VFMLA V5.S4, V5.S4, V11.S4 \
	FMOVS 4(R4), F4            \
	VDUP V4.S[0], V4.S4        \
	VFSUB_S4(4, 0, 5)          \
	VFMLA V5.S4, V5.S4, V12.S4 \
	VFSUB_S4(4, 1, 6)          \
	VFMLA V6.S4, V6.S4, V13.S4 \
	VFSUB_S4(4, 2, 7)          \
	VFMLA V7.S4, V7.S4, V14.S4 \
	VFSUB_S4(4, 3, 5)          \
	VFMLA V5.S4, V5.S4, V15.S4 \
	FMOVS 8(R4), F4            \
	VDUP V4.S[0], V4.S4        \
	VFSUB_S4(4, 0, 5)          \
	VFMLA V5.S4, V5.S4, V16.S4 \
	VFSUB_S4(4, 1, 6)          \
	VFMLA V6.S4, V6.S4, V17.S4 \
	VFSUB_S4(4, 2, 7)          \
	VFMLA V7.S4, V7.S4, V18.S4 \
	VFSUB_S4(4, 3, 5)          \
	VFMLA V5.S4, V5.S4, V19.S4 \
	FMOVS 12(R4), F4           \
	VDUP V4.S[0], V4.S4        \
	VFSUB_S4(4, 0, 5)          \
	VFMLA V5.S4, V5.S4, V20.S4 \
	VFSUB_S4(4, 1, 6)          \
	VFMLA V6.S4, V6.S4, V21.S4 \
	VFSUB_S4(4, 2, 7)          \
	VFMLA V7.S4, V7.S4, V22.S4 \
	VFSUB_S4(4, 3, 5)          \
	VFMLA V5.S4, V5.S4, V23.S4 \
	FMOVS 16(R4), F4           \
	VDUP V4.S[0], V4.S4        \
	VFSUB_S4(4, 0, 5)          \
	VFMLA V5.S4, V5.S4, V24.S4 \
	VFSUB_S4(4, 1, 6)          \
	VFMLA V6.S4, V6.S4, V25.S4 \
	VFSUB_S4(4, 2, 7)          \
	VFMLA V7.S4, V7.S4, V26.S4 \
	VFSUB_S4(4, 3, 5)          \
	VFMLA V5.S4, V5.S4, V27.S4 \
	FMOVS 20(R4), F4           \
	VDUP V4.S[0], V4.S4        \
	VFSUB_S4(4, 0, 5)          \
	VFMLA V5.S4, V5.S4, V28.S4 \
	VFSUB_S4(4, 1, 6)          \
	VFMLA V6.S4, V6.S4, V29.S4 \
	VFSUB_S4(4, 2, 7)          \
	VFMLA V7.S4, V7.S4, V30.S4 \
	VFSUB_S4(4, 3, 5)          \
	VFMLA V5.S4, V5.S4, V31.S4 \
	ADD $48, R4

#define ABSOLUTE6_S4 \
	FMOVS (R4), F4      \
	VDUP V4.S[0], V4.S4 \
	VFABD_S4(4, 0, 5)   \
	VFADD_S4(5, 8, 8)   \
	VFABD_S4(4, 1, 6)   \
	VFADD_S4(6, 9, 9)   \
	VFABD_S4(4, 2, 7)   \
	VFADD_S4(7, 10, 10) \
	VFABD_S4(4, 3, 5)   \
	VFADD_S4(5, 11, 11) \
	FMOVS 4(R4), F4     \
	VDUP V4.S[0], V4.S4 \
	VFABD_S4(4, 0, 5)   \
	VFADD_S4(5, 12, 12) \
	VFABD_S4(4, 1, 6)   \
	VFADD_S4(6, 13, 13) \
	VFABD_S4(4, 2, 7)   \
	VFADD_S4(7, 14, 14) \
	VFABD_S4(4, 3, 5)   \
	VFADD_S4(5, 15, 15) \
	FMOVS 8(R4), F4     \
	VDUP V4.S[0], V4.S4 \
	VFABD_S4(4, 0, 5)   \
	VFADD_S4(5, 16, 16) \
	VFABD_S4(4, 1, 6)   \
	VFADD_S4(6, 17, 17) \
	VFABD_S4(4, 2, 7)   \
	VFADD_S4(7, 18, 18) \
	VFABD_S4(4, 3, 5)   \
	VFADD_S4(5, 19, 19) \
	FMOVS 12(R4), F4    \
	VDUP V4.S[0], V4.S4 \
	VFABD_S4(4, 0, 5)   \
	VFADD_S4(5, 20, 20) \
	VFABD_S4(4, 1, 6)   \
	VFADD_S4(6, 21, 21) \
	VFABD_S4(4, 2, 7)   \
	VFADD_S4(7, 22, 22) \
	VFABD_S4(4, 3, 5)   \
	VFADD_S4(5, 23, 23) \
	FMOVS 16(R4), F4    \
	VDUP V4.S[0], V4.S4 \
	VFABD_S4(4, 0, 5)   \
	VFADD_S4(5, 24, 24) \
	VFABD_S4(4, 1, 6)   \
	VFADD_S4(6, 25, 25) \
	VFABD_S4(4, 2, 7)   \
	VFADD_S4(7, 26, 26) \
	VFABD_S4(4, 3, 5)   \
	VFADD_S4(5, 27, 27) \
	FMOVS 20(R4), F4    \
	VDUP V4.S[0], V4.S4 \
	VFABD_S4(4, 0, 5)   \
	VFADD_S4(5, 28, 28) \
	VFABD_S4(4, 1, 6)   \
	VFADD_S4(6, 29, 29) \
	VFABD_S4(4, 2, 7)   \
	VFADD_S4(7, 30, 30) \
	VFABD_S4(4, 3, 5)   \
	VFADD_S4(5, 31, 31) \
	ADD $48, R4

// The loops shared by all: panels, chunks, columns. STEP works on one column.
#define LOOPS(LOG, ZEROS, STEP, MORE, PUTS, N) \
	SETUP(LOG)      \
panel: \
	PANEL           \
chunk: \
	CHUNK(N)        \
	ZEROS           \
column: \
	LOADZ           \
	STEP            \
	SUBS $1, R8     \
	BNE  column     \
	MOVD R0, R9     \
	CBZ  R7, put    \
	MORE            \
	MOVD R0, R9     \
put: \
	PUTS            \
	MOVD $1, R7     \
	CBNZ R6, chunk  \
	NEXTPANEL       \
	BNE  panel      \
	RET

// func dot64x6NEON(dst *float64, ldd int, x, z *float64, d, stride, panels, add int)
TEXT ·dot64x6NEON(SB), NOSPLIT, $0-64
	LOOPS(3, ZERO6, DOT6_D2, ADDROWS6_D2, PUTROWS6, 128)

// func square64x6NEON(dst *float64, ldd int, x, z *float64, d, stride, panels, add int)
TEXT ·square64x6NEON(SB), NOSPLIT, $0-64
	LOOPS(3, ZERO6, SQUARE6_D2, ADDROWS6_D2, PUTROWS6, 128)

// func absolute64x6NEON(dst *float64, ldd int, x, z *float64, d, stride, panels, add int)
TEXT ·absolute64x6NEON(SB), NOSPLIT, $0-64
	LOOPS(3, ZERO6, ABSOLUTE6_D2, ADDROWS6_D2, PUTROWS6, 128)

// func dot64x4NEON(dst *float64, ldd int, x, z *float64, d, stride, panels, add int)
TEXT ·dot64x4NEON(SB), NOSPLIT, $0-64
	LOOPS(3, ZERO4, DOT4_D2, ADDROWS4_D2, PUTROWS4, 128)

// func square64x4NEON(dst *float64, ldd int, x, z *float64, d, stride, panels, add int)
TEXT ·square64x4NEON(SB), NOSPLIT, $0-64
	LOOPS(3, ZERO4, SQUARE4_D2, ADDROWS4_D2, PUTROWS4, 128)

// func absolute64x4NEON(dst *float64, ldd int, x, z *float64, d, stride, panels, add int)
TEXT ·absolute64x4NEON(SB), NOSPLIT, $0-64
	LOOPS(3, ZERO4, ABSOLUTE4_D2, ADDROWS4_D2, PUTROWS4, 128)

// func dot32x6NEON(dst *float32, ldd int, x, z *float32, d, stride, panels, add int)
TEXT ·dot32x6NEON(SB), NOSPLIT, $0-64
	LOOPS(2, ZERO6, DOT6_S4, ADDROWS6_S4, PUTROWS6, 64)

// func square32x6NEON(dst *float32, ldd int, x, z *float32, d, stride, panels, add int)
TEXT ·square32x6NEON(SB), NOSPLIT, $0-64
	LOOPS(2, ZERO6, SQUARE6_S4, ADDROWS6_S4, PUTROWS6, 64)

// func absolute32x6NEON(dst *float32, ldd int, x, z *float32, d, stride, panels, add int)
TEXT ·absolute32x6NEON(SB), NOSPLIT, $0-64
	LOOPS(2, ZERO6, ABSOLUTE6_S4, ADDROWS6_S4, PUTROWS6, 64)

// func dot32x4NEON(dst *float32, ldd int, x, z *float32, d, stride, panels, add int)
TEXT ·dot32x4NEON(SB), NOSPLIT, $0-64
	LOOPS(2, ZERO4, DOT4_S4, ADDROWS4_S4, PUTROWS4, 64)

// func square32x4NEON(dst *float32, ldd int, x, z *float32, d, stride, panels, add int)
TEXT ·square32x4NEON(SB), NOSPLIT, $0-64
	LOOPS(2, ZERO4, SQUARE4_S4, ADDROWS4_S4, PUTROWS4, 64)

// func absolute32x4NEON(dst *float32, ldd int, x, z *float32, d, stride, panels, add int)
TEXT ·absolute32x4NEON(SB), NOSPLIT, $0-64
	LOOPS(2, ZERO4, ABSOLUTE4_S4, ADDROWS4_S4, PUTROWS4, 64)

// dst[i] += Σ_k p[k·width+i]², in chunks, one vector of rows after the other.
// func norms64NEON(dst, p *float64, width, d int)
TEXT ·norms64NEON(SB), NOSPLIT, $0-32
	MOVD dst+0(FP), R0
	MOVD p+8(FP), R4
	MOVD width+16(FP), R1
	LSL  $3, R1 // column distance in bytes
	MOVD R1, R2

vector:
	MOVD R4, R5
	MOVD d+24(FP), R6

chunk:
	CHUNK(128)
	VEOR V1.B16, V1.B16, V1.B16

column:
	FMOVQ (R5), F0
	VFMLA V0.D2, V0.D2, V1.D2
	ADD   R1, R5
	SUBS  $1, R8
	BNE   column
	FMOVQ (R0), F2
	VFADD_D2(2, 1, 1)
	FMOVQ F1, (R0)
	CBNZ  R6, chunk
	ADD   $16, R0
	ADD   $16, R4
	SUBS  $16, R2
	BNE   vector
	RET

// dst[i] += Σ_k p[k·width+i]², in chunks, one vector of rows after the other.
// func norms32NEON(dst, p *float32, width, d int)
TEXT ·norms32NEON(SB), NOSPLIT, $0-32
	MOVD dst+0(FP), R0
	MOVD p+8(FP), R4
	MOVD width+16(FP), R1
	LSL  $2, R1 // column distance in bytes
	MOVD R1, R2

vector:
	MOVD R4, R5
	MOVD d+24(FP), R6

chunk:
	CHUNK(64)
	VEOR V1.B16, V1.B16, V1.B16

column:
	FMOVQ (R5), F0
	VFMLA V0.S4, V0.S4, V1.S4
	ADD   R1, R5
	SUBS  $1, R8
	BNE   column
	FMOVQ (R0), F2
	VFADD_S4(2, 1, 1)
	FMOVQ F1, (R0)
	CBNZ  R6, chunk
	ADD   $16, R0
	ADD   $16, R4
	SUBS  $16, R2
	BNE   vector
	RET
