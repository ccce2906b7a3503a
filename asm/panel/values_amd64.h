// Bodies of the functions of the sums of a strip, row by row, and of sums over
// the strip with weights; see doc.go. The including file defines ZERO(v) and what is
// said below; other names are in the table of asm/gen. Nothing outside the rows is
// read or written.

#define PER (W>>LOG) // numbers in a vector

// ROWS is
//
//	for r := range rows {
//		START
//		for whole groups of n vectors { VALUES }
//		TAIL, for the rest
//		END
//	}
//
//   DI row of dst, R9 row of s, R10, R11 their distances in bytes, R12 xn, BX
//   zn, R13 rows left, CX columns left, AX offset in bytes
// Invariant at group: dst and s hold at least a group at AX.
#define ROWS(cols, n, START, VALUES, TAIL, END) \
	EACHROW(cols, n, START, VALUES, TAIL, END)
#define EACHROW(cols, n, START, VALUES, TAIL, END) \
row: \
	MOVQ cols, CX         \
	XORQ AX, AX           \
	START                 \
	SUBQ $(n*PER), CX     \
	JLT  tail             \
group: \
	VALUES                \
	ADDQ $(n*W), AX       \
	SUBQ $(n*PER), CX     \
	JGE  group            \
tail: \
	ADDQ $(n*PER), CX     \
	JZ   next             \
	TAIL                  \
next: \
	ADDQ R10, DI          \
	ADDQ R11, R9          \
	END                   \
	DECQ R13              \
	JNZ  row

// What is done to each vector of a group: its offset, the vector, a scratch
// register, the mask of the numbers that are there.
#define LOAD(off, x, t, m) VMOV off(R9)(AX*1), x
#define STORE(off, x, t, m) VMOV x, off(DI)(AX*1)

// Distances: XN is that of the row.
#define NORM VBCAST (R12), XN
#define NEXTNORM ADDQ $SIZE, R12

// dst = exp(−γ·distance) and dst = exp(−γ·s), s ≥ 0, with −γ·log2(e) = hi+lo and 0
// beyond cut, one vector at a time. EXP turns V0 into the exponential, with V1 … as
// scratch; the steps are those of package vec. Two or three vectors in a turn gain
// less than 3 % (BenchmarkValues on Granite Rapids): the chains of several turns
// overlap. Tail: one vector under MASK, which LASTMASK makes for CX numbers.
#define FACTOR(hi, lo, cut) \
	VBCAST hi, EXP_HI     \
	VBCAST lo, EXP_LO     \
	VBCAST cut, EXP_CUT   \
	EXPCONSTANTS
#define GAUSS \
	DISTANCE(0, V0, V1, MASK) \
	EXP                   \
	STORE(0, V0, V1, MASK)
#define LASTGAUSS \
	LASTMASK              \
	DISTANCEM(0, V0, V1, MASK) \
	EXP                   \
	STOREM(0, V0, V1, MASK)
#define EXPS \
	LOAD(0, V0, V1, MASK) \
	EXP                   \
	STORE(0, V0, V1, MASK)
#define LASTEXPS \
	LASTMASK              \
	LOADM(0, V0, V1, MASK) \
	EXP                   \
	STOREM(0, V0, V1, MASK)

// STREAMROWS is ROWS for one vector at a time with stores that pass the caches by,
// which want multiples of W as addresses: the numbers of a row before the first
// multiple are a vector under MASK, as the last ones are. The fence makes the stores
// visible to other cores before all that follow.
//   SI columns left, R8 numbers before the first multiple
#define STREAM(off, x, t, m) VMOVNTPD x, off(DI)(AX*1)
#define STREAMROWS(cols, START, VALUES, TAIL, END) \
	EACHROW(cols, 1, FIRSTNUMBERS(START, TAIL), VALUES, TAIL, END) \
	SFENCE
#define FIRSTNUMBERS(START, TAIL) \
	START                 \
	MOVQ DI, R8           \
	NEGQ R8               \
	ANDQ $(W-1), R8       \
	JZ   aligned          \
	SHRQ $LOG, R8         \
	CMPQ CX, R8           \
	CMOVQLT CX, R8        \
	MOVQ CX, SI           \
	MOVQ R8, CX           \
	TAIL                  \
	LEAQ (R8*SIZE), AX    \
	MOVQ SI, CX           \
	SUBQ R8, CX           \
aligned:
#define STREAMGAUSS \
	DISTANCE(0, V0, V1, MASK) \
	EXP                   \
	STREAM(0, V0, V1, MASK)
#define STREAMEXPS \
	LOAD(0, V0, V1, MASK) \
	EXP                   \
	STREAM(0, V0, V1, MASK)

// p, in SI, without its top bit in SI, from the top, and the number of the bits in R12
#define POWERARGQ \
	BSRQ SI, R12          \
	MOVQ $63, CX          \
	SUBQ R12, CX          \
	SHLQ CX, SI           \
	SHLQ $1, SI

// x = (offset+x)^p by squaring from the top, for the vectors of a list
#define POWER(VECTORS, bit, even, done) \
	VECTORS(ADDOFFSET)    \
	VECTORS(COPYBASE)     \
	MOVQ  SI, DX          \
	MOVQ  R12, BX         \
	TESTQ BX, BX          \
	JZ    done            \
bit: \
	VECTORS(SQUAREIT)     \
	SHLQ  $1, DX          \
	JCC   even            \
	VECTORS(TIMESBASE)    \
even: \
	DECQ  BX              \
	JNZ   bit             \
done:

#define ADDOFFSET(off, x, t, m) VADD OFFSET, x, t
#define COPYBASE(off, x, t, m) VCOPY t, x
#define SQUAREIT(off, x, t, m) VMUL x, x, x
#define TIMESBASE(off, x, t, m) VMUL t, x, x

// ROWSUMSQ is sum[r] += Σ_j s[r][j]·v[j]: four vectors of sums, joined as
// (0+1)+(2+3), then by halves.
//
//   DI sum, R9 row of s, R11 row distance in bytes, BX v, R13 rows left, CX
//   columns left, AX offset in bytes; V0–V3 sums, V4–V7 numbers
// Invariant at four: s and v hold at least four vectors at AX.
// LASTPRODUCTS adds the rest of the products to V0, HALVES the halves of V0 down
// to 16 bytes.
#define ROWSUMSQ(cols) \
row: \
	MOVQ cols, CX         \
	XORQ AX, AX           \
	ZERO(V0)              \
	ZERO(V1)              \
	ZERO(V2)              \
	ZERO(V3)              \
	SUBQ $(4*PER), CX     \
	JLT  tail             \
four: \
	VMOV (BX)(AX*1), V4   \
	VMOV W(BX)(AX*1), V5  \
	VMOV (2*W)(BX)(AX*1), V6 \
	VMOV (3*W)(BX)(AX*1), V7 \
	VFMA (R9)(AX*1), V4, V0 \
	VFMA W(R9)(AX*1), V5, V1 \
	VFMA (2*W)(R9)(AX*1), V6, V2 \
	VFMA (3*W)(R9)(AX*1), V7, V3 \
	ADDQ $(4*W), AX       \
	SUBQ $(4*PER), CX     \
	JGE  four             \
tail: \
	ADDQ $(4*PER), CX     \
	JZ   join             \
	LASTPRODUCTS          \
join: \
	VADD V1, V0, V0       \
	VADD V3, V2, V2       \
	VADD V2, V0, V0       \
	HALVES                \
	FOLD(X0, X1)          \
	VADD1 (DI), X0, X0    \
	VMOV1 X0, (DI)        \
	ADDQ $SIZE, DI        \
	ADDQ R11, R9          \
	DECQ R13              \
	JNZ  row

// a = the sum of the 2 or 4 numbers of a; b is scratch
#define FOLD64(a, b) \
	VPERMILPD $1, a, b \
	VADDSD    b, a, a
#define FOLD32(a, b) \
	VPERMILPS $0x4e, a, b \
	VADDPS    b, a, a     \
	VPERMILPS $0xb1, a, b \
	VADDSS    b, a, a
