// What the routines do; their entries are in the table of asm/gen. Nothing reads or writes past the last element. Source: see doc.go.

#define V0 Z0

// As in AVX2. K1, K2 are free.
#define COUNT64(at, first, count) \
	VCMPPD   $0x1e, (8*first)at, Z0, K1; \ // greater, not if one is NaN
	VCMPPD   $0x1e, (8*first+64)at, Z0, K2; \
	KUNPCKBW K1, K2, K1; \
	KMOVW    K1, count; \
	POPCNTL  count, count

#define COUNT32(at, first, count) \
	VCMPPS  $0x1e, (4*first)at, Z0, K1; \
	KMOVW   K1, count; \
	POPCNTL count, count

#include "ranks_amd64.h"

// Adds the values of the leaves of the rows, row first and following, to their sums. Z8-Z11 the 32 values of the tree, Z14 16;
// Z12, Z13, K1 are free.
#define ADD8(first, sums) \
	VPMOVZXBQ first(SI), Z12; \
	VMOVDQA64 Z12, Z13; \
	VPTESTMQ  Z14, Z12, K1; \
	VPERMI2PD Z9, Z8, Z12; \
	VPERMI2PD Z11, Z10, Z13; \
	VMOVAPD   Z13, K1, Z12; \
	VADDPD    Z12, sums, sums
#define ADD16(first, sums) \
	VPMOVZXBD first(SI), Z12; \
	VPERMI2PS Z9, Z8, Z12; \
	VADDPS    Z12, sums, sums

#define ACCUMULATE64 \
	VMOVUPD 0(R9), Z8; \
	VMOVUPD 64(R9), Z9; \
	VMOVUPD 128(R9), Z10; \
	VMOVUPD 192(R9), Z11; \
	ADD8(0, Z0); \
	ADD8(8, Z1); \
	ADD8(16, Z2); \
	ADD8(24, Z3); \
	ADD8(32, Z4); \
	ADD8(40, Z5); \
	ADD8(48, Z6); \
	ADD8(56, Z7)
#define ACCUMULATE32 \
	VMOVUPS 0(R9), Z8; \
	VMOVUPS 64(R9), Z9; \
	ADD16(0, Z0); \
	ADD16(16, Z1); \
	ADD16(32, Z2); \
	ADD16(48, Z3)

#define LOAD(at, z) VMOVUPD (64*at)(DI), z
#define STORE(at, z) VMOVUPD z, (64*at)(DI)
#define MOVESUMS32(MOVE) MOVE(0, Z0); MOVE(1, Z1); MOVE(2, Z2); MOVE(3, Z3)
#define MOVESUMS64(MOVE) MOVESUMS32(MOVE); MOVE(4, Z4); MOVE(5, Z5); MOVE(6, Z6); MOVE(7, Z7)

// As in AVX2, for leaves less than 32: their values lie in vectors, where a permutation finds them. Z0-Z7 sums.
#define ADDLOOP \
	TESTQ CX, CX; \
	JLE   done; \
	VPBROADCASTQ sixteen<>(SB), Z14; \
	MOVESUMS(LOAD); \
loop: \
	MOVL  (BX), AX; \
	LEAQ  (R8)(AX*SIZE), R9; \
	ACCUMULATE; \
	LEAQ  (BX)(DX*4), BX; \
	MOVQ  DX, AX; \
	SHLQ  $6, AX; \
	ADDQ  AX, SI; \
	SUBQ  DX, CX; \
	JGT   loop; \
	MOVESUMS(STORE); \
done:
