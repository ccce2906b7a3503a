// Rotations of many columns of eight rows of a lower factor and w, see RotatePanel.
//   SI, R9 rows 0 and 4 of l, AX stride in bytes, R8 three rows; BX coefficients, DX those left, four columns each
//   V0, V1 w (see EIGHT), V8-V11 columns, the rest scratch
// Invariant at loop: SI, R9, BX at the first column not done.
// Eight columns a turn, a cache line of float64 where l is aligned. Not more rows: a stride of a power of
// two puts a line of each, and what the prefetcher brings behind it, into the same set of the first cache,
// which has eight ways (16 rows take twice the time at n = 512 and 1024 on Zen 3). Tail: four columns.
#define PANEL(loop, last, ROTATE, PUT) \
loop:                          \
	SUBQ $2, DX                \
	JLT  last                  \
	EIGHT(ROTATE, PUT, 0, 0)   \
	EIGHT(ROTATE, PUT, 4*SIZE, 12) \
	ADDQ $(8*SIZE), SI         \
	ADDQ $(8*SIZE), R9         \
	ADDQ $(24*SIZE), BX        \
	JMP  loop                  \
last:                          \
	ADDQ $2, DX                \
	JEQ  done                  \
	EIGHT(ROTATE, PUT, 0, 0)   \
	JMP  done
