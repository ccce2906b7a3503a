// Products of few columns at AVX-512: one vector of columns, or a whole one and a second.
//
//   for i < m, j < n:  s = 0;  for p < k: s = fma(a[i*ras+p*cas], b[p*bs+j], s)
//                      c[i*cs+j] = fma(alpha, s, beta*c[i*cs+j])     (alpha*s where beta is ±0)
//
// Preconditions: 1 <= k, 1 <= m; 1 <= n <= a vector, or a vector < n <= two; no alignment. Nothing beyond the elements
// is read or written.
//
// Registers: R15 the group's rows of A, SI column p of them, R8 ras, R9 3·ras, R10 5·ras, R11 7·ras, R12 cas; R14 B,
// BX row p of it, R13 bs; CX k left; DI row of C, DX cs; AX twice the bits of beta; strides in bytes. The arguments m
// and c are those of the rows that are left. Z0-Z7 sums of the first vector of a row, Z8-Z15 of the second; Z16, Z17
// the row of B, Z18 broadcast of A, Z19 C, Z20 alpha, Z21 beta; K1 columns of the last vector.
//
// Groups of eight rows and a last one of one to eight, each number with a loop of its own: a loop of few terms takes as
// long as its chain of multiply-adds, whatever the number of rows, and two groups twice as long. The
// rows are stored from the last to the first, so that a group begins among the stores where its last row is. All rows of C are
// read before the first is written: the mask of a load does not keep it from waiting for a store beside its elements.
rows:
	MOVQ m+64(FP), CX
	MOVL $8, SI
	CMPQ CX, SI
	CMOVQGT SI, CX
	LEAQ -1(CX), DI
	IMULQ DX, DI
	ADDQ c+48(FP), DI
	CMPQ CX, $4
	JEQ  four
	JLT  fewer
	CMPQ CX, $6
	JEQ  six
	JLT  five
	CMPQ CX, $7
	JEQ  seven
	SUMS(loop8, ZERO8, FMA8, scale8, BLENDROWS8, put8)
seven:
	SUMS(loop7, ZERO7, FMA7, scale7, BLENDROWS7, put7)
six:
	SUMS(loop6, ZERO6, FMA6, scale6, BLENDROWS6, put6)
five:
	SUMS(loop5, ZERO5, FMA5, scale5, BLENDROWS5, put5)
four:
	SUMS(loop4, ZERO4, FMA4, scale4, BLENDROWS4, put4)
fewer:
	CMPQ CX, $2
	JEQ  two
	JLT  one
	SUMS(loop3, ZERO3, FMA3, scale3, BLENDROWS3, put3)
two:
	SUMS(loop2, ZERO2, FMA2, scale2, BLENDROWS2, put2)
one:
	SUMS(loop1, ZERO1, FMA1, scale1, BLENDROWS1, put1)

scale8:
	SCALEROW(Z7, Z15)
	SUBQ DX, DI
scale7:
	SCALEROW(Z6, Z14)
	SUBQ DX, DI
scale6:
	SCALEROW(Z5, Z13)
	SUBQ DX, DI
scale5:
	SCALEROW(Z4, Z12)
	SUBQ DX, DI
scale4:
	SCALEROW(Z3, Z11)
	SUBQ DX, DI
scale3:
	SCALEROW(Z2, Z10)
	SUBQ DX, DI
scale2:
	SCALEROW(Z1, Z9)
	SUBQ DX, DI
scale1:
	SCALEROW(Z0, Z8)
	JMP  done
put8:
	PUTROW(Z7, Z15)
	SUBQ DX, DI
put7:
	PUTROW(Z6, Z14)
	SUBQ DX, DI
put6:
	PUTROW(Z5, Z13)
	SUBQ DX, DI
put5:
	PUTROW(Z4, Z12)
	SUBQ DX, DI
put4:
	PUTROW(Z3, Z11)
	SUBQ DX, DI
put3:
	PUTROW(Z2, Z10)
	SUBQ DX, DI
put2:
	PUTROW(Z1, Z9)
	SUBQ DX, DI
put1:
	PUTROW(Z0, Z8)

done:
	SUBQ $8, m+64(FP)
	JLE  finished
	LEAQ (R15)(R8*8), R15
	LEAQ (DI)(DX*8), DI
	MOVQ DI, c+48(FP)
	JMP  rows

finished:
	MOVL $1, AX
