// The bodies of Step and Pair. The including file defines, for its width,
//   LOADBEST(from, v, i)   from a Best, values and indices to registers; STOREBEST the other way
//   STEP8, PAIR8           eight variables
// and the table of asm/gen, for the type of the kernel's rows, KBYTES, the bytes of eight values, and LOADK.
// V0 and V1 are a and b, or m and kii; DI and DX least and most, or DI best.
// SI g, R8 u or diag, R9 d, R10 k, R11 l, CX variables left.
#define gp SI
#define up R8
#define dp R9
#define kp R10
#define lp R11
#define left CX

#define LT 0x11
#define GT 0x1e

// The loop of Step:
//	for t := range g { g[t] += a*k[t]; g[t] += b*l[t]; lane := t % 8
//		if g[t]+u[t] < least.Value[lane] { least.Value[lane], least.Index[lane] = g[t]+u[t], first+t }
//		if g[t]+d[t] > most.Value[lane] { most.Value[lane], most.Index[lane] = g[t]+d[t], first+t } }
//   len(g) a multiple of 8, the others at least as long; any alignment
// Invariant at loop: the pointers are at the first variable not done, CX >= 8.
// Unroll 8 variables, one for each lane: the best of every lane stays in registers. No tail.
// Source: see doc.go.
#define STEPLOOP \
	SUBQ $8, left; \
	JLT  done; \
loop: \
	STEP8; \
	ADDQ $64, gp; \
	ADDQ $64, up; \
	ADDQ $64, dp; \
	ADDQ $KBYTES, kp; \
	ADDQ $KBYTES, lp; \
	SUBQ $8, left; \
	JGE  loop; \
done:

// The loop of Pair:
//	for t := range g { b := max(0, g[t]+d[t]-m); a := max(Tau, kii+diag[t]-2*k[t]); lane := t % 8
//		if b*b/a > best.Value[lane] { best.Value[lane], best.Index[lane] = b*b/a, first+t } }
//   len(g) a multiple of 8, the others at least as long; any alignment
// Invariant and unroll as in Step; the divisions are the limit.
#define PAIRLOOP \
	SUBQ $8, left; \
	JLT  done; \
loop: \
	PAIR8; \
	ADDQ $64, gp; \
	ADDQ $64, dp; \
	ADDQ $64, up; \
	ADDQ $KBYTES, kp; \
	SUBQ $8, left; \
	JGE  loop; \
done:
