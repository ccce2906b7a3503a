// Rows b ← bL eight columns and eight or four rows at a time, see chol.go; a row's
// bits do not depend on how many there are. The scan of sweep_amd64.h, of few lanes,
// costs more than the shuffles here.
//
//   SI, R11 rows 0 and 4, BX columns at hand, AX stride in bytes, R8 3·stride; R13 w, R9 d, R10 c;
//   CX columns left, in bytes; DX rows; DI running sums
//   Y0, Y1 running sums of each four rows; Y8-Y11 four columns after the transposition; Y2-Y7,
//   Y12-Y15 scratch
// Invariant: the columns from CX on are done, the sums are Σ w_i·b_i over them. The two chains of
// sums overlap out of order. Tail: four columns; the wrapper has those left of a multiple of four and
// the rows beyond one.

#define SWEEPCOL(k, b, s) \
	VBROADCASTSD ((k)*8)(R9)(CX*1), Y2  \
	VBROADCASTSD ((k)*8)(R10)(CX*1), Y3 \
	VBROADCASTSD ((k)*8)(R13)(CX*1), Y4 \
	VMULPD b, Y2, Y2                    \
	VFMADD231PD s, Y3, Y2               \ // d·b + c·s
	VFMADD231PD b, Y4, s                \ // s + w·b
	VMOVAPD Y2, b

#define SWEEP4(p, s, k) \
	TOCOLUMNS64(p, (k*8)) \
	SWEEPCOL(3+k, Y11, s) \
	SWEEPCOL(2+k, Y10, s) \
	SWEEPCOL(1+k, Y9, s)  \
	SWEEPCOL(0+k, Y8, s)  \
	TOROWS64(p, (k*8))

	SHLQ $3, AX
	LEAQ (AX)(AX*2), R8
	LEAQ (SI)(AX*4), R11
	SHLQ $3, CX
	VXORPD Y0, Y0, Y0
	VXORPD Y1, Y1, Y1

columns: // a line of each row, where rows are aligned
	SUBQ $64, CX
	JLT  four
	LEAQ (SI)(CX*1), BX
	SWEEP4(BX, Y0, 4)
	SWEEP4(BX, Y0, 0)
	CMPQ DX, $4
	JEQ  columns
	LEAQ (R11)(CX*1), BX
	SWEEP4(BX, Y1, 4)
	SWEEP4(BX, Y1, 0)
	JMP  columns

four:
	ADDQ $64, CX
	JEQ  done
	XORQ CX, CX
	SWEEP4(SI, Y0, 0)
	CMPQ DX, $4
	JEQ  done
	SWEEP4(R11, Y1, 0)

done:
	VMOVUPD Y0, (DI)
	VMOVUPD Y1, 32(DI)
