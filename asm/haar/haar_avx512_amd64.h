// Macros of the bodies, which stand in one header each for all types, some for all widths; names that depend on the
// type or on factors and constants are in the table of asm/gen.

// PAIR turns the neighboring registers A, B into sums of even and odd elements
// (A) and their differences (B).
#define PAIR(A, B, T) \
	VMOVAPD A, T      \
	MERGE   B, Z30, T \ // evens
	MERGE   B, Z31, A \ // odds
	SUB     A, T, B   \
	ADD     A, T, A

// PAIRS4 is one level of Z0-Z7: sums in Z0, Z2, Z4, Z6, differences behind each.
#define PAIRS4 PAIR(Z0, Z1, Z8); PAIR(Z2, Z3, Z9); PAIR(Z4, Z5, Z10); PAIR(Z6, Z7, Z11)

// PAIRS7 is three levels: differences Z1, Z3, Z5, Z7, then Z2, Z6, then Z4; sums Z0.
#define PAIRS7 PAIRS4; PAIR(Z0, Z2, Z8); PAIR(Z4, Z6, Z9); PAIR(Z0, Z4, Z10)

// JOIN turns sums A and differences B into interleaved A+B, A−B in A and T.
#define JOIN(A, B, T) \
	ADD     B, A, T   \
	SUB     B, A, B   \
	VMOVAPD T, A      \
	MERGE   B, Z30, A \
	MERGE   B, Z31, T

// JOINS4 is one level from sums Z0, Z1, Z8, Z2 and differences Z4-Z7 to Z0, Z3,
// Z1, Z4, Z8, Z5, Z2, Z6.
#define JOINS4 JOIN(Z0, Z4, Z3); JOIN(Z1, Z5, Z4); JOIN(Z8, Z6, Z5); JOIN(Z2, Z7, Z6)

// JOINS7 is three levels from sums Z0 and differences Z1; Z2, Z3; Z4-Z7.
#define JOINS7 JOIN(Z0, Z1, Z8); JOIN(Z0, Z2, Z1); JOIN(Z8, Z3, Z2); JOINS4

#define LOAD8(B, I, S) \
	VMOVUPD (B)(I*S), Z0    \
	VMOVUPD 64(B)(I*S), Z1  \
	VMOVUPD 128(B)(I*S), Z2 \
	VMOVUPD 192(B)(I*S), Z3 \
	VMOVUPD 256(B)(I*S), Z4 \
	VMOVUPD 320(B)(I*S), Z5 \
	VMOVUPD 384(B)(I*S), Z6 \
	VMOVUPD 448(B)(I*S), Z7

#define STORE8(B, I, S) \
	VMOVUPD Z0, (B)(I*S)    \
	VMOVUPD Z3, 64(B)(I*S)  \
	VMOVUPD Z1, 128(B)(I*S) \
	VMOVUPD Z4, 192(B)(I*S) \
	VMOVUPD Z8, 256(B)(I*S) \
	VMOVUPD Z5, 320(B)(I*S) \
	VMOVUPD Z2, 384(B)(I*S) \
	VMOVUPD Z6, 448(B)(I*S)

// STEP is one level within Z0, for the lanes of mask K.
#define STEP(A, B, S, K) \
	PERM    Z0, A, Z1    \
	PERM    Z0, B, Z2    \
	MADD    Z2, S, K, Z1 \
	VMOVAPD Z1, Z0

#define DOWN16 STEP(Z27, Z28, Z29, K4)
#define DOWN8 STEP(Z18, Z19, Z20, K3)
#define DOWN4 STEP(Z21, Z22, Z23, K2)
#define DOWN2 STEP(Z24, Z25, Z26, K1)
#define UP16 DOWN16
#define UP8 DOWN8
#define UP4 DOWN4
#define UP2 DOWN2

#define MASKS \
	MOVL $0xffff, BX; KMOVW BX, K4; \
	MOVL $0xff, BX; KMOVW BX, K3;   \
	MOVL $0xf, BX; KMOVW BX, K2;    \
	MOVL $3, BX; KMOVW BX, K1

#define PAIRCONST INDEX(even, Z30); INDEX(odd, Z31)
#define JOINCONST INDEX(LOW, Z30); INDEX(HIGH, Z31)

#define FORWARDCONST \
	PAIRCONST; MASKS;                                        \
	CONSTS(even16, odd16, signs16);                         \
	INDEX(even8, Z18); INDEX(odd8, Z19); SIGNS(signs8, Z20); \
	INDEX(even4, Z21); INDEX(odd4, Z22); SIGNS(signs4, Z23); \
	INDEX(even2, Z24); INDEX(odd2, Z25); SIGNS(signs2, Z26)

#define BACKWARDCONST \
	JOINCONST; MASKS;                                           \
	CONSTS(sum16, diff16, alternating);                        \
	INDEX(sum8, Z18); INDEX(diff8, Z19); SIGNS(alternating, Z20); \
	INDEX(sum4, Z21); INDEX(diff4, Z22); SIGNS(alternating, Z23); \
	INDEX(even2, Z24); INDEX(odd2, Z25); SIGNS(signs2, Z26)

#define SPLIT8(B, I, S) LOAD8(B, I, S); PAIRS4

// Factors: none, or those at AX.
#define ONES(C, R)
#define ONESMEM(M, C, R)
#define ONESTOP
#define FACTORS(C, R) MUL C, R, R
#define FACTORSMEM(M, C, R) BCAST M, C; MUL C, R, R
#define FACTORSTOP MUL (AX), V0, V0

// float64
#define INDEX64(T, R) VPMOVZXBQ T<>(SB), R
#define SIGNS64(T, R) VPMOVSXBQ T<>(SB), R; VCVTQQ2PD R, R
#define DOWNTOP64 DOWN8; DOWN4; DOWN2
#define UPTOP64 UP2; UP4; UP8
#define CONSTSOF64(A, B, S)

// float32
#define INDEX32(T, R) VPMOVZXBD T<>(SB), R
#define SIGNS32(T, R) VPMOVSXBD T<>(SB), R; VCVTDQ2PS R, R
#define DOWNTOP32 DOWN16; DOWN8; DOWN4; DOWN2
#define UPTOP32 UP2; UP4; UP8; UP16
#define CONSTSOF32(A, B, S) INDEX(A, Z27); INDEX(B, Z28); SIGNS(S, Z29)
