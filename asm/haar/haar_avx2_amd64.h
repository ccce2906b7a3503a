// Macros of the bodies, which stand in one header each for all types, some for all widths; names that depend on the
// type or on factors and constants are in the table of asm/gen.

// SPLIT turns Y8 = x₀…|x₂ₖ… and Y9, the quarters between, into sums of even and
// odd elements S and their differences D.
#define SPLIT(S, D)        \
	EVENS(Y8, Y9, Y10) \
	ODDS(Y8, Y9, Y11)  \
	SUB  Y11, Y10, D   \
	ADD  Y11, Y10, S

// PAIRMEM does it with the 64 bytes at O+B+I·S. Inserting a quarter from memory
// does not take the shuffle unit.
#define PAIRMEM(B, I, C, O, S, D) \
	VMOVUPD     (O)(B)(I*C), X8             \
	VINSERTF128 $1, (O+32)(B)(I*C), Y8, Y8  \
	VMOVUPD     (O+16)(B)(I*C), X9          \
	VINSERTF128 $1, (O+48)(B)(I*C), Y9, Y9  \
	SPLIT(S, D)

// PAIR does it with the neighboring registers A and B; T is a register that only AVX-512 needs.
#define PAIR(A, B, T) \
	VPERM2F128 $0x20, B, A, Y8 \
	VPERM2F128 $0x31, B, A, Y9 \
	SPLIT(A, B)

// SPLIT8 is one level of 256 bytes: sums in Y0, Y2, Y4, Y6, differences behind each.
#define SPLIT8(B, I, C) PAIRMEM(B, I, C, 0, Y0, Y1); PAIRMEM(B, I, C, 64, Y2, Y3); PAIRMEM(B, I, C, 128, Y4, Y5); PAIRMEM(B, I, C, 192, Y6, Y7)

// JOIN turns sums A and differences B into interleaved A+B, A−B in A and T.
#define JOIN(A, B, T) \
	ADD        B, A, Y10          \
	SUB        B, A, Y11          \
	INTERLEAVE(Y10, Y11, Y9, Y10) \
	VPERM2F128 $0x20, Y10, Y9, A  \
	VPERM2F128 $0x31, Y10, Y9, T

// JOINS4 is one level from sums Y0, Y1, Y8, Y2 and differences Y4-Y7 to Y0, Y3,
// Y1, Y4, Y8, Y5, Y2, Y6.
#define JOINS4 JOIN(Y0, Y4, Y3); JOIN(Y1, Y5, Y4); JOIN(Y8, Y6, Y5); JOIN(Y2, Y7, Y6)

// JOINS7 is three levels from sums Y0 and differences Y1; Y2, Y3; Y4-Y7.
#define JOINS7 JOIN(Y0, Y1, Y8); JOIN(Y0, Y2, Y1); JOIN(Y8, Y3, Y2); JOINS4

#define STORE8(B, I, S) \
	VMOVUPD Y0, (B)(I*S)    \
	VMOVUPD Y3, 32(B)(I*S)  \
	VMOVUPD Y1, 64(B)(I*S)  \
	VMOVUPD Y4, 96(B)(I*S)  \
	VMOVUPD Y8, 128(B)(I*S) \
	VMOVUPD Y5, 160(B)(I*S) \
	VMOVUPD Y2, 192(B)(I*S) \
	VMOVUPD Y6, 224(B)(I*S)

// SUMDIFF replaces the lanes of Y0 chosen by KEEP = 0 by Y8+Y9 where MINUS has a
// 0 and Y8−Y9 where it has a 1.
#define SUMDIFF(MINUS, KEEP) \
	ADD   Y9, Y8, Y10            \
	SUB   Y9, Y8, Y11            \
	BLEND $MINUS, Y11, Y10, Y10  \
	BLEND $KEEP, Y0, Y10, Y0

#define PAIRCONST
#define JOINCONST

// Factors: none, or those at AX.
#define ONES(C, R)
#define ONESMEM(M, C, R)
#define ONESTOP
#define FACTORS(C, R) MUL C, R, R
#define FACTORSMEM(M, C, R) BCAST M, C; MUL C, R, R
#define FACTORSTOP MUL (AX), V0, V0

// float64
#define EVENS64(A, B, R) VUNPCKLPD B, A, R
#define ODDS64(A, B, R) VUNPCKHPD B, A, R
#define INTERLEAVE64(A, B, L, H) VUNPCKLPD B, A, L; VUNPCKHPD B, A, H
#define DOWN4OF64 VPERMPD $0x88, Y0, Y8; VPERMPD $0xdd, Y0, Y9; SUMDIFF(0x0c, 0x00)
#define PAIR2OF64 VPERMPD $0xe0, Y0, Y8; VPERMPD $0xe5, Y0, Y9; SUMDIFF(0x02, 0x0c)
#define UP4OF64 VPERMPD $0x50, Y0, Y8; VPERMPD $0xfa, Y0, Y9; SUMDIFF(0x0a, 0x00)
#define DOWNTOP64 DOWN4OF64; PAIR2OF64
#define UPTOP64 PAIR2OF64; UP4OF64

// float32
#define EVENS32(A, B, R) VSHUFPS $0x88, B, A, R
#define ODDS32(A, B, R) VSHUFPS $0xdd, B, A, R
#define INTERLEAVE32(A, B, L, H) VUNPCKLPS B, A, L; VUNPCKHPS B, A, H
#define DOWN8OF32 VPERM2F128 $0x00, Y0, Y0, Y10; VPERM2F128 $0x11, Y0, Y0, Y11; EVENS(Y10, Y11, Y8); ODDS(Y10, Y11, Y9); SUMDIFF(0xf0, 0x00)
#define DOWN4OF32 VPERMILPS $0x88, Y0, Y8; VPERMILPS $0xdd, Y0, Y9; SUMDIFF(0x0c, 0xf0)
#define PAIR2OF32 VPERMILPS $0xe0, Y0, Y8; VPERMILPS $0xe5, Y0, Y9; SUMDIFF(0x02, 0xfc)
#define UP4OF32 VPERMILPS $0x50, Y0, Y8; VPERMILPS $0xfa, Y0, Y9; SUMDIFF(0x0a, 0xf0)
#define UP8OF32 VUNPCKLPS Y0, Y0, Y10; VUNPCKHPS Y0, Y0, Y11; VPERM2F128 $0x20, Y11, Y10, Y8; VPERM2F128 $0x31, Y11, Y10, Y9; SUMDIFF(0xaa, 0x00)
#define DOWNTOP32 DOWN8OF32; DOWN4OF32; PAIR2OF32
#define UPTOP32 PAIR2OF32; UP4OF32; UP8OF32
