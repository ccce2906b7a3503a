// The bodies of this package's kernels, for either width and type. The including file defines
//   W2         twice the bytes of a vector, W
//   A0 … A7    eight vectors
//   V0 V1 V2   a row of v, X the element of x
//   ROWS(OP)   OP(M, A, B, C) for each row of a block: its element of x and three vectors of its sums
//   MOREROWS   sets what ROWS reads beside SI, R8 and R9; NEXT steps it to the next element
// and the table of asm/gen SHIFT, the logarithm of an element's bytes, and the instructions of a type.

// Loads, starts, products and stores of one, two and three vectors of structured.
#define LOAD1 VMOVUPD 0(BX), V0
#define LOAD2 \
	LOAD1; \
	VMOVUPD W(BX), V1
#define LOAD3 \
	LOAD2; \
	VMOVUPD W2(BX), V2

#define START1(M, A, B, C) \
	VMOVUPD 0(R13), A; \
	ADDQ R12, R13
#define START2(M, A, B, C) \
	VMOVUPD W(R13), B; \
	START1(M, A, B, C)
#define START3(M, A, B, C) \
	VMOVUPD W2(R13), C; \
	START2(M, A, B, C)

#define ROW1(M, A, B, C) \
	BCAST M, X; \
	MADD V0, X, A
#define ROW2(M, A, B, C) \
	ROW1(M, A, B, C); \
	MADD V1, X, B
#define ROW3(M, A, B, C) \
	ROW2(M, A, B, C); \
	MADD V2, X, C

#define END1(M, A, B, C) \
	VMOVUPD A, 0(DI); \
	ADDQ R12, DI
#define END2(M, A, B, C) \
	VMOVUPD B, W(DI); \
	END1(M, A, B, C)
#define END3(M, A, B, C) \
	VMOVUPD C, W2(DI); \
	END2(M, A, B, C)

// for i := range rows { for l := range structured { t[i*ts+l] += Σ_j x[i*xs+j]*v[j*vs+l] } }
// for the rows of LIST and one, two or three vectors of structured, with one accumulator for each element and j
// ascending, so that a row gets the same bits in any block. w >= 1.
//   SI x at column j; BX row j of v, R11 its stride; DI t, R12 its stride, R13 t as it starts; CX columns left
// Invariant at the loop: SI, BX at column j, CX >= 1. A block has as many rows as there are registers for, eight
// or four times three: two multiply-adds a cycle of latency four need 8 sums, the rest saves loads of v. One row is
// bound by reading v once.
#define PRODUCTS(LIST, NEXT, LOAD, START, ROW, END, loop) \
	MOVQ DI, R13; \
	LIST(START); \
loop: \
	LOAD; \
	LIST(ROW); \
	ADDQ $(1<<SHIFT), SI; \
	NEXT; \
	ADDQ R11, BX; \
	DECQ CX; \
	JNZ  loop; \
	LIST(END)

// PRODUCTS by the number of vectors of structured, in AX.
#define PRODUCTS123(LIST, NEXT) \
	CMPQ AX, $2; \
	JLT  one; \
	JEQ  two; \
	PRODUCTS(LIST, NEXT, LOAD3, START3, ROW3, END3, loop3); \
	VZEROUPPER; \
	RET; \
one: \
	PRODUCTS(LIST, NEXT, LOAD1, START1, ROW1, END1, loop1); \
	VZEROUPPER; \
	RET; \
two: \
	PRODUCTS(LIST, NEXT, LOAD2, START2, ROW2, END2, loop2)

#define ALONE(OP) OP((SI), A0, A1, A2)

// block: R8 stride of x, R9 three strides, AX vectors of structured.
#define BLOCK \
	SHLQ $SHIFT, R12; \
	SHLQ $SHIFT, R8; \
	SHLQ $SHIFT, R11; \
	LEAQ (R8)(R8*2), R9; \
	MOREROWS; \
	PRODUCTS123(ROWS, NEXT)

#define LINE \
	SHLQ $SHIFT, R11; \
	PRODUCTS123(ALONE, NONE)

// for g := range n { for i := range h {
//	p, q := x[i]*v[g*h+i], y[i]*u[g*h+i]; s[g*ss+i], d[g*ds+i] = p+q, p-q
// } }
// with p not rounded; h is a positive multiple of two vectors.
//   DI, SI s, d and R11, R12 their strides; BX, R8 x, y; R9, R10 v, u
//   CX h in bytes, DX bytes done, AX structured left
// Unroll 2: the loop is bound by its four loads and two stores a register.
#define SPLIT \
	SHLQ $SHIFT, CX; \
	SHLQ $SHIFT, R11; \
	SHLQ $SHIFT, R12; \
seed: \
	XORQ DX, DX; \
loop: \
	VMOVUPD (R8)(DX*1), A0; \
	VMOVUPD W(R8)(DX*1), A1; \
	MUL  (R10)(DX*1), A0, A0; \
	MUL  W(R10)(DX*1), A1, A1; \
	VMOVUPD (BX)(DX*1), A2; \
	VMOVUPD W(BX)(DX*1), A3; \
	VMOVUPD (R9)(DX*1), A4; \
	VMOVUPD W(R9)(DX*1), A5; \
	VMOVAPD A0, A6; \
	VMOVAPD A1, A7; \
	MADD A2, A4, A0; \
	MADD A3, A5, A1; \
	MSUB A2, A4, A6; \
	MSUB A3, A5, A7; \
	VMOVUPD A0, (DI)(DX*1); \
	VMOVUPD A1, W(DI)(DX*1); \
	VMOVUPD A6, (SI)(DX*1); \
	VMOVUPD A7, W(SI)(DX*1); \
	ADDQ $W2, DX; \
	CMPQ DX, CX; \
	JLT  loop; \
	ADDQ R11, DI; \
	ADDQ R12, SI; \
	ADDQ CX, R9; \
	ADDQ CX, R10; \
	DECQ AX; \
	JNZ  seed

// for r := range pairs { for i := range n {
//	p, q := a[2*r*n+i], a[(2*r+1)*n+i]; s[r*n+i], d[r*n+i] = p+q, p-q
// } }
// n is a positive multiple of a vector; s may be a.
//   DI, SI s, d; BX, R8 the two rows of a; CX n in bytes, DX bytes done; AX pairs left
// One register at a time: two loads, two stores, bound by the stores.
#define ADDSUB \
	SHLQ $SHIFT, CX; \
pair: \
	LEAQ (BX)(CX*1), R8; \
	XORQ DX, DX; \
loop: \
	VMOVUPD (BX)(DX*1), A0; \
	VMOVUPD (R8)(DX*1), A1; \
	ADD  A1, A0, A2; \
	SUB  A1, A0, A3; \
	VMOVUPD A2, (DI)(DX*1); \
	VMOVUPD A3, (SI)(DX*1); \
	ADDQ $W, DX; \
	CMPQ DX, CX; \
	JLT  loop; \
	ADDQ CX, DI; \
	ADDQ CX, SI; \
	LEAQ (R8)(CX*1), BX; \
	DECQ AX; \
	JNZ  pair
