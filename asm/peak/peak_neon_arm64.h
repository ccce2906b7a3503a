// The bodies of this package. The table of asm/gen has the names of a type: T its arrangement, D2 or S4, PLUS its
// addition, MOVE and ADDS those of one element, SIZE its bytes and LOG their logarithm.
// R0 destination or x, R1 source, R2 length then bytes left, R3 rounds left, R6 rounds; V0-V23 data or sums,
// V24 = a, V25 = b or v.

#define LOAD24 \
	VLD1.P 64(R4), [V0.T, V1.T, V2.T, V3.T]; \
	VLD1.P 64(R4), [V4.T, V5.T, V6.T, V7.T]; \
	VLD1.P 64(R4), [V8.T, V9.T, V10.T, V11.T]; \
	VLD1.P 64(R4), [V12.T, V13.T, V14.T, V15.T]; \
	VLD1.P 64(R4), [V16.T, V17.T, V18.T, V19.T]; \
	VLD1.P 64(R4), [V20.T, V21.T, V22.T, V23.T]

#define STORE24 \
	VST1.P [V0.T, V1.T, V2.T, V3.T], 64(R0); \
	VST1.P [V4.T, V5.T, V6.T, V7.T], 64(R0); \
	VST1.P [V8.T, V9.T, V10.T, V11.T], 64(R0); \
	VST1.P [V12.T, V13.T, V14.T, V15.T], 64(R0); \
	VST1.P [V16.T, V17.T, V18.T, V19.T], 64(R0); \
	VST1.P [V20.T, V21.T, V22.T, V23.T], 64(R0)

#define FMA24 \
	VFMLA V24.T, V25.T, V0.T; \
	VFMLA V24.T, V25.T, V1.T; \
	VFMLA V24.T, V25.T, V2.T; \
	VFMLA V24.T, V25.T, V3.T; \
	VFMLA V24.T, V25.T, V4.T; \
	VFMLA V24.T, V25.T, V5.T; \
	VFMLA V24.T, V25.T, V6.T; \
	VFMLA V24.T, V25.T, V7.T; \
	VFMLA V24.T, V25.T, V8.T; \
	VFMLA V24.T, V25.T, V9.T; \
	VFMLA V24.T, V25.T, V10.T; \
	VFMLA V24.T, V25.T, V11.T; \
	VFMLA V24.T, V25.T, V12.T; \
	VFMLA V24.T, V25.T, V13.T; \
	VFMLA V24.T, V25.T, V14.T; \
	VFMLA V24.T, V25.T, V15.T; \
	VFMLA V24.T, V25.T, V16.T; \
	VFMLA V24.T, V25.T, V17.T; \
	VFMLA V24.T, V25.T, V18.T; \
	VFMLA V24.T, V25.T, V19.T; \
	VFMLA V24.T, V25.T, V20.T; \
	VFMLA V24.T, V25.T, V21.T; \
	VFMLA V24.T, V25.T, V22.T; \
	VFMLA V24.T, V25.T, V23.T

#define ADD24 \
	PLUS(25, 0, 0); \
	PLUS(25, 1, 1); \
	PLUS(25, 2, 2); \
	PLUS(25, 3, 3); \
	PLUS(25, 4, 4); \
	PLUS(25, 5, 5); \
	PLUS(25, 6, 6); \
	PLUS(25, 7, 7); \
	PLUS(25, 8, 8); \
	PLUS(25, 9, 9); \
	PLUS(25, 10, 10); \
	PLUS(25, 11, 11); \
	PLUS(25, 12, 12); \
	PLUS(25, 13, 13); \
	PLUS(25, 14, 14); \
	PLUS(25, 15, 15); \
	PLUS(25, 16, 16); \
	PLUS(25, 17, 17); \
	PLUS(25, 18, 18); \
	PLUS(25, 19, 19); \
	PLUS(25, 20, 20); \
	PLUS(25, 21, 21); \
	PLUS(25, 22, 22); \
	PLUS(25, 23, 23)

// Half of the chains add while the other half multiplies, then they change places, so that both kinds of units have
// work at any time.
#define MIX24 \
	PLUS(25, 0, 0); \
	VFMLA V24.T, V25.T, V12.T; \
	PLUS(25, 1, 1); \
	VFMLA V24.T, V25.T, V13.T; \
	PLUS(25, 2, 2); \
	VFMLA V24.T, V25.T, V14.T; \
	PLUS(25, 3, 3); \
	VFMLA V24.T, V25.T, V15.T; \
	PLUS(25, 4, 4); \
	VFMLA V24.T, V25.T, V16.T; \
	PLUS(25, 5, 5); \
	VFMLA V24.T, V25.T, V17.T; \
	PLUS(25, 6, 6); \
	VFMLA V24.T, V25.T, V18.T; \
	PLUS(25, 7, 7); \
	VFMLA V24.T, V25.T, V19.T; \
	PLUS(25, 8, 8); \
	VFMLA V24.T, V25.T, V20.T; \
	PLUS(25, 9, 9); \
	VFMLA V24.T, V25.T, V21.T; \
	PLUS(25, 10, 10); \
	VFMLA V24.T, V25.T, V22.T; \
	PLUS(25, 11, 11); \
	VFMLA V24.T, V25.T, V23.T; \
	VFMLA V24.T, V25.T, V0.T; \
	PLUS(25, 12, 12); \
	VFMLA V24.T, V25.T, V1.T; \
	PLUS(25, 13, 13); \
	VFMLA V24.T, V25.T, V2.T; \
	PLUS(25, 14, 14); \
	VFMLA V24.T, V25.T, V3.T; \
	PLUS(25, 15, 15); \
	VFMLA V24.T, V25.T, V4.T; \
	PLUS(25, 16, 16); \
	VFMLA V24.T, V25.T, V5.T; \
	PLUS(25, 17, 17); \
	VFMLA V24.T, V25.T, V6.T; \
	PLUS(25, 18, 18); \
	VFMLA V24.T, V25.T, V7.T; \
	PLUS(25, 19, 19); \
	VFMLA V24.T, V25.T, V8.T; \
	PLUS(25, 20, 20); \
	VFMLA V24.T, V25.T, V9.T; \
	PLUS(25, 21, 21); \
	VFMLA V24.T, V25.T, V10.T; \
	PLUS(25, 22, 22); \
	VFMLA V24.T, V25.T, V11.T; \
	PLUS(25, 23, 23)

// for blocks of 384 bytes of x: for rounds: STEPS
// len(x) a positive multiple of a block, rounds > 0. Everything stays in registers; invariant at loop: the vectors
// hold their part of x after the rounds done. 24 chains: up to four units of latency 4 (Neoverse V, Apple) need
// sixteen. No tail.
#define REGISTERS(STEPS) \
	LSL  $LOG, R2; \
block: \
	MOVD R6, R3; \
	MOVD R0, R4; \
	LOAD24; \
loop: \
	STEPS; \
	SUB  $1, R3; \
	CBNZ R3, loop; \
	STORE24; \
	SUBS $384, R2; \
	BNE  block

#define ADD8(n0, n1, n2, n3, n4, n5, n6, n7) \
	PLUS(n0, 0, 0); \
	PLUS(n1, 1, 1); \
	PLUS(n2, 2, 2); \
	PLUS(n3, 3, 3); \
	PLUS(n4, 4, 4); \
	PLUS(n5, 5, 5); \
	PLUS(n6, 6, 6); \
	PLUS(n7, 7, 7)

// s = Σ x[i]
// Invariant at loop: R1 at the first element not yet added, R2 + 128 bytes are left, R2 >= 0; V0-V7 are the sums of
// vectors 0..7 of every 8. Unroll 8: two additions a cycle of latency 4. Tail: one element at a time into F16. The
// sums are joined in F0.
#define SUM \
	LSL  $LOG, R2; \
	VEOR V0.B16, V0.B16, V0.B16; \
	VEOR V1.B16, V1.B16, V1.B16; \
	VEOR V2.B16, V2.B16, V2.B16; \
	VEOR V3.B16, V3.B16, V3.B16; \
	VEOR V4.B16, V4.B16, V4.B16; \
	VEOR V5.B16, V5.B16, V5.B16; \
	VEOR V6.B16, V6.B16, V6.B16; \
	VEOR V7.B16, V7.B16, V7.B16; \
	VEOR V16.B16, V16.B16, V16.B16; \
	SUBS $128, R2; \
	BLT  ones; \
loop: \
	VLD1.P 64(R1), [V8.T, V9.T, V10.T, V11.T]; \
	VLD1.P 64(R1), [V12.T, V13.T, V14.T, V15.T]; \
	ADD8(8, 9, 10, 11, 12, 13, 14, 15); \
	SUBS $128, R2; \
	BGE  loop; \
ones: \
	ADD  $128, R2; \
one: \
	CBZ  R2, join; \
	MOVE.P SIZE(R1), F17; \
	ADDS F17, F16; \
	SUB  $SIZE, R2; \
	B    one; \
join: \
	PLUS(4, 0, 0); \
	PLUS(5, 1, 1); \
	PLUS(6, 2, 2); \
	PLUS(7, 3, 3); \
	PLUS(2, 0, 0); \
	PLUS(3, 1, 1); \
	PLUS(1, 0, 0); \
	FOLD; \
	ADDS F16, F0

#define FOLD64 VFADDP_D2(0, 0, 0)
#define FOLD32 \
	VFADDP_S4(0, 0, 0); \
	VFADDP_S4(0, 0, 0)

// dst[i] = src[i]: bandwidth has no element type, but the tail knows it is of words of 4 bytes.
// Invariant at loop: the pointers are at the first byte not yet done and R2 + 128 bytes are left, R2 >= 0. Unroll 8:
// two accesses of 64 bytes. Tail: words.
#define COPY \
	LSL  $LOG, R2; \
	SUBS $128, R2; \
	BLT  ones; \
loop: \
	VLD1.P 64(R1), [V0.B16, V1.B16, V2.B16, V3.B16]; \
	VLD1.P 64(R1), [V4.B16, V5.B16, V6.B16, V7.B16]; \
	VST1.P [V0.B16, V1.B16, V2.B16, V3.B16], 64(R0); \
	VST1.P [V4.B16, V5.B16, V6.B16, V7.B16], 64(R0); \
	SUBS $128, R2; \
	BGE  loop; \
ones: \
	ADD  $128, R2; \
one: \
	CBZ  R2, done; \
	MOVWU.P 4(R1), R5; \
	MOVW.P R5, 4(R0); \
	SUB  $4, R2; \
	B    one; \
done:

// x[i] += b, as COPY in place: R1 runs with R0. The tail is one element at a time.
#define SHIFT \
	LSL  $LOG, R2; \
	MOVD R0, R1; \
	SUBS $128, R2; \
	BLT  ones; \
loop: \
	VLD1.P 64(R1), [V0.T, V1.T, V2.T, V3.T]; \
	VLD1.P 64(R1), [V4.T, V5.T, V6.T, V7.T]; \
	ADD8(25, 25, 25, 25, 25, 25, 25, 25); \
	VST1.P [V0.T, V1.T, V2.T, V3.T], 64(R0); \
	VST1.P [V4.T, V5.T, V6.T, V7.T], 64(R0); \
	SUBS $128, R2; \
	BGE  loop; \
ones: \
	ADD  $128, R2; \
one: \
	CBZ  R2, done; \
	MOVE (R0), F0; \
	ADDS F25, F0; \
	MOVE.P F0, SIZE(R0); \
	SUB  $SIZE, R2; \
	B    one; \
done:

// dst[i] = v, as COPY without a source; V0-V3 are copies of V25.
#define FILL \
	LSL  $LOG, R2; \
	VORR V25.B16, V25.B16, V0.B16; \
	VORR V25.B16, V25.B16, V1.B16; \
	VORR V25.B16, V25.B16, V2.B16; \
	VORR V25.B16, V25.B16, V3.B16; \
	SUBS $128, R2; \
	BLT  ones; \
loop: \
	VST1.P [V0.B16, V1.B16, V2.B16, V3.B16], 64(R0); \
	VST1.P [V0.B16, V1.B16, V2.B16, V3.B16], 64(R0); \
	SUBS $128, R2; \
	BGE  loop; \
ones: \
	ADD  $128, R2; \
one: \
	CBZ  R2, done; \
	MOVE.P F25, SIZE(R0); \
	SUB  $SIZE, R2; \
	B    one; \
done:

// dst[i] = v by stores of pairs of vectors, a hint that the caches need not keep them; see STREAM in peak_amd64.h. The order
// of such stores is that of others, so that no fence is needed.
#define STREAM \
	LSL  $LOG, R2; \
loop: \
	VSTNP(0, 25, 25, 0); \
	VSTNP(2, 25, 25, 0); \
	VSTNP(4, 25, 25, 0); \
	VSTNP(6, 25, 25, 0); \
	ADD  $128, R0; \
	SUBS $128, R2; \
	BNE  loop
