// The bodies of Step and Pair; LOADK is LOADK64 or LOADK32.
#define gp R0
#define up R1
#define dp R2
#define kp R3
#define lp R4
#define left R5

// The next two values of the kernel as float64, to register v, number n.
#define LOADK32(p, f, v, n) \
	FMOVD.P 8(p), f; \
	VFCVTL(n, n)
#define LOADK64(p, f, v, n) VLD1.P 16(p), [v.D2]

// now = first, first+1 and V19 = 2, 2
#define INDICES \
	VMOV R8, V18.D[0]; \
	ADD  $1, R8; \
	VMOV R8, V18.D[1]; \
	MOVD $2, R8; \
	VDUP R8, V19.D2

// Two variables of a step; least, li, most, mi: values and indices of their lanes, le and mo the numbers of
// least and most. V16 a, V17 b, V18 the variables' indices; V20-V26 are free.
#define STEP2(least, le, li, most, mo, mi) \
	LOADK(kp, F25, V25, 25); \
	LOADK(lp, F26, V26, 26); \
	VLD1 (gp), [V20.D2]; \
	VFMLA V16.D2, V25.D2, V20.D2; \ // g += a*k
	VFMLA V17.D2, V26.D2, V20.D2; \ // g += b*l
	VST1.P [V20.D2], 16(gp); \
	VLD1.P 16(up), [V21.D2]; \
	VLD1.P 16(dp), [V22.D2]; \
	VFADD_D2(21, 20, 21); \
	VFADD_D2(22, 20, 22); \
	VFCMGT_D2(21, le, 23); \        // g+u < least
	VFCMGT_D2(mo, 22, 24); \        // g+d > most
	VBIT V23.B16, V21.B16, least.B16; \
	VBIT V23.B16, V18.B16, li.B16; \
	VBIT V24.B16, V22.B16, most.B16; \
	VBIT V24.B16, V18.B16, mi.B16; \
	VADD V19.D2, V18.D2, V18.D2

// The loop of Step:
//	for t := range g { g[t] += a*k[t]; g[t] += b*l[t]; lane := t % 8
//		if g[t]+u[t] < least.Value[lane] { least.Value[lane], least.Index[lane] = g[t]+u[t], first+t }
//		if g[t]+d[t] > most.Value[lane] { most.Value[lane], most.Index[lane] = g[t]+d[t], first+t } }
//   len(g) a multiple of 8, the others at least as long; any alignment
//   R6 least, R7 most, R8 first; V16 a, V17 b
//   V0-V3 least values, V4-V7 their indices, V8-V11 largest values, V12-V15 their indices
// Invariant at loop: the pointers are at the first variable not done, of which there are left.
// Unroll 8 variables, one for each lane: the best of every lane stays in registers. No tail.
// Source: see doc.go.
#define STEP \
	INDICES; \
	VLD1.P 64(R6), [V0.D2, V1.D2, V2.D2, V3.D2]; \
	VLD1 (R6), [V4.D2, V5.D2, V6.D2, V7.D2]; \
	VLD1.P 64(R7), [V8.D2, V9.D2, V10.D2, V11.D2]; \
	VLD1 (R7), [V12.D2, V13.D2, V14.D2, V15.D2]; \
	CBZ left, done; \
loop: \
	STEP2(V0, 0, V4, V8, 8, V12); \
	STEP2(V1, 1, V5, V9, 9, V13); \
	STEP2(V2, 2, V6, V10, 10, V14); \
	STEP2(V3, 3, V7, V11, 11, V15); \
	SUBS $8, left; \
	BNE  loop; \
done: \
	VST1 [V4.D2, V5.D2, V6.D2, V7.D2], (R6); \
	SUB  $64, R6; \
	VST1 [V0.D2, V1.D2, V2.D2, V3.D2], (R6); \
	VST1 [V12.D2, V13.D2, V14.D2, V15.D2], (R7); \
	SUB  $64, R7; \
	VST1 [V8.D2, V9.D2, V10.D2, V11.D2], (R7)

// Two variables of a pair; best, b, bi: values of their lanes, the number of that register, their indices.
// V16 m, V17 kii, V27 2, V28 Tau, V29 0; V20-V25 are free. The maxima keep NaN, which is never the best.
#define PAIR2(best, b, bi) \
	LOADK(kp, F25, V25, 25); \
	VLD1.P 16(gp), [V20.D2]; \
	VLD1.P 16(dp), [V21.D2]; \
	VLD1.P 16(up), [V22.D2]; \
	VFADD_D2(21, 20, 20); \
	VFSUB_D2(16, 20, 20); \
	VFMAX_D2(29, 20, 20); \          // b = max(0, g+d-m)
	VFADD_D2(22, 17, 22); \
	VFMLS V25.D2, V27.D2, V22.D2; \  // 2k is exact
	VFMAX_D2(28, 22, 22); \          // a = max(Tau, kii+diag-2k)
	VFMUL_D2(20, 20, 20); \
	VFDIV_D2(22, 20, 20); \          // b*b/a
	VFCMGT_D2(b, 20, 23); \
	VBIT V23.B16, V20.B16, best.B16; \
	VBIT V23.B16, V18.B16, bi.B16; \
	VADD V19.D2, V18.D2, V18.D2

// The loop of Pair:
//	for t := range g { b := max(0, g[t]+d[t]-m); a := max(Tau, kii+diag[t]-2*k[t]); lane := t % 8
//		if b*b/a > best.Value[lane] { best.Value[lane], best.Index[lane] = b*b/a, first+t } }
//   len(g) a multiple of 8, the others at least as long; any alignment
//   R6 best, R8 first; V16 m, V17 kii
//   V0-V3 best values, V4-V7 their indices
// Invariant and unroll as in Step; the divisions are the limit.
#define PAIR \
	INDICES; \
	FMOVD $2.0, F27; \
	VDUP V27.D[0], V27.D2; \
	MOVD $0x3d719799812dea11, R8; \ // Tau, 1e-12
	VDUP R8, V28.D2; \
	VEOR V29.B16, V29.B16, V29.B16; \
	VLD1.P 64(R6), [V0.D2, V1.D2, V2.D2, V3.D2]; \
	VLD1 (R6), [V4.D2, V5.D2, V6.D2, V7.D2]; \
	CBZ left, done; \
loop: \
	PAIR2(V0, 0, V4); \
	PAIR2(V1, 1, V5); \
	PAIR2(V2, 2, V6); \
	PAIR2(V3, 3, V7); \
	SUBS $8, left; \
	BNE  loop; \
done: \
	VST1 [V4.D2, V5.D2, V6.D2, V7.D2], (R6); \
	SUB  $64, R6; \
	VST1 [V0.D2, V1.D2, V2.D2, V3.D2], (R6)
