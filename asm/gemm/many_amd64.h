// Products of one shape, one after the other, with up to one vector of columns, or with two.
//
//   for q < count, i < m, j < n:
//     s = 0;  for p < k: s = fma(a[q*am+i*ras+p*cas], b[q*bm+p*bs+j], s)
//     c[q*cm+i*cs+j] = fma(alpha, s, beta*c[q*cm+i*cs+j])     (alpha*s where beta is ±0)
//
// Preconditions: 1 <= count, 1 <= k, 1 <= m; 1 <= n <= a vector at AVX-512, n one or two whole vectors
// at AVX2; no alignment. Nothing beyond the elements is read or written. The arguments count, a, b
// and c are those of the matrices that are left.
//
// Registers: R15 the group's rows of A, SI column p of them, R8 ras, R9 3·ras, R10 5·ras, R11 7·ras,
// R12 cas; BX row p of B, R13 bs; CX k left; DI c, DX cs; R14 rows left; AX put: 0 stores the sums, 1
// alpha times them, 2 beta times C with them; strides in bytes. V0-V7 sums of eight rows of one vector,
// or of four rows of two, Vr and V(4+r); V8 the row of B, V10 its second vector; V9 broadcasts of A at AVX2.
//
// Eight rows of one vector (manyeight_amd64.h), then four, two and one. Eight sums are 2 FMA ports × latency 4; the
// sums of a group do not wait for those of the group or the matrix before. Two vectors by four rows need six
// loads for eight FMAs, one vector by eight rows nine.
four:
	CMPQ R14, $4
	JLT  two
	BEGINROWS
	ZERO(V0)
	ZERO(V4)
	ZERO(V1)
	ZERO(V5)
	ZERO(V2)
	ZERO(V6)
	ZERO(V3)
	ZERO(V7)
loop4:
	LOADROW
	FMAROW((SI), V0, V4)
	FMAROW((SI)(R8*1), V1, V5)
	FMAROW((SI)(R8*2), V2, V6)
	FMAROW((SI)(R9*1), V3, V7)
	NEXTTERM
	JNZ  loop4
	CMPQ AX, $1
	JEQ  scale4
	JHI  blend4
	SUMROW(V0, V4)
	SUMROW(V1, V5)
	SUMROW(V2, V6)
	SUMROW(V3, V7)
	JMP  done4
scale4:
	SCALEROW(V0, V4)
	SCALEROW(V1, V5)
	SCALEROW(V2, V6)
	SCALEROW(V3, V7)
	JMP  done4
blend4:
	BLENDROW(V0, V4)
	BLENDROW(V1, V5)
	BLENDROW(V2, V6)
	BLENDROW(V3, V7)
done4:
	LEAQ (R15)(R8*4), R15
	SUBQ $4, R14
	JNZ  four
	JMP  next

two:
	CMPQ R14, $2
	JLT  one
	BEGINROWS
	ZERO(V0)
	ZERO(V4)
	ZERO(V1)
	ZERO(V5)
loop2:
	LOADROW
	FMAROW((SI), V0, V4)
	FMAROW((SI)(R8*1), V1, V5)
	NEXTTERM
	JNZ  loop2
	CMPQ AX, $1
	JEQ  scale2
	JHI  blend2
	SUMROW(V0, V4)
	SUMROW(V1, V5)
	JMP  done2
scale2:
	SCALEROW(V0, V4)
	SCALEROW(V1, V5)
	JMP  done2
blend2:
	BLENDROW(V0, V4)
	BLENDROW(V1, V5)
done2:
	LEAQ (R15)(R8*2), R15
	SUBQ $2, R14
	JZ   next

one:
	BEGINROWS
	ZERO(V0)
	ZERO(V4)
loop1:
	LOADROW
	FMAROW((SI), V0, V4)
	NEXTTERM
	JNZ  loop1
	CMPQ AX, $1
	JEQ  scale1
	JHI  blend1
	SUMROW(V0, V4)
	JMP  next
scale1:
	SCALEROW(V0, V4)
	JMP  next
blend1:
	BLENDROW(V0, V4)

next:
	DECQ count+0(FP)
	JZ   finished
	MOVQ am+40(FP), CX
	SHLQ $SHIFT, CX
	MOVQ a+16(FP), R15
	ADDQ CX, R15
	MOVQ bm+64(FP), CX
	SHLQ $SHIFT, CX
	ADDQ CX, b+48(FP)
	MOVQ cm+88(FP), CX
	SHLQ $SHIFT, CX
	MOVQ c+72(FP), DI
	ADDQ CX, DI
	JMP  matrix

finished:
