// Rotations of four columns of a lower factor and w, see chol.go.
//   in: SI row 0 of l, AX stride, DI w, CX rows left, a multiple of a vector's, BX coefficients, DX kind
//   SI, R9 and so on rows of l (see TOCOLUMNS), AX in bytes, R8 three rows; V0 w; V8-V11 columns, the rest scratch
// Invariant at the loops: SI, DI at the first row not done, CX > 0.
// As many rows as a vector has lanes are transposed in registers, rotated and transposed back: the shuffles
// bound the loop.
#define LOOP(label, ROTATE, PUT) \
label:                             \
	MOVU (DI), V0                  \
	COLUMNS(ROTATE, PUT, SI, 0, 0, V0) \
	MOVU V0, (DI)                  \
	NEXTROWS                       \
	ADDQ $W, DI                    \
	SUBQ $(W/SIZE), CX             \
	JNZ  label

	SHLQ $SHIFT, AX
	POINTERS
	CMPQ DX, $1
	JEQ  down
	JGT  solved
	LOOP(update, UPDATECOL, TOROWS)
	JMP  done
	LOOP(down, DOWNCOL, TOROWS)
	JMP  done
	LOOP(solved, SOLVEDCOL, TOROWS)
done:

#undef LOOP
