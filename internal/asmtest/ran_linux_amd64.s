//go:build !noasm

#include "textflag.h"

// func landed()   r.ran = 1, puts the first bytes of routine r back and starts it
//   R12 r: ran, entry, 16 bytes of text; R13 entry; R11 text
// It is entered by the jump that stands at the entry, with the stack of the
// routine's caller and all arguments on it, so that no register is in use but
// SP, BP and R14. What the caller happens to have left in the others is
// overwritten by numbers that are no address, so that a routine which does not
// load an argument fails.
TEXT ·landed(SB), NOSPLIT|NOFRAME, $0-0
	MOVQ $1, 0(R12)
	MOVQ 8(R12), R13
	MOVQ 16(R12), R11
	MOVQ R11, 0(R13)
	MOVQ 24(R12), R11
	MOVQ R11, 8(R13)
	MOVQ $0x5cab5cab5cab5cab, AX
	MOVQ AX, BX
	MOVQ AX, CX
	MOVQ AX, DX
	MOVQ AX, SI
	MOVQ AX, DI
	MOVQ AX, R8
	MOVQ AX, R9
	MOVQ AX, R10
	MOVQ AX, R11
	MOVQ AX, R12
	MOVQ AX, R15
	JMP  R13

// func landing() uint64
TEXT ·landing(SB), NOSPLIT, $0-8
	MOVQ $·landed(SB), R13
	MOVQ R13, ret+0(FP)
	RET

// func poke(addr uint64, text [2]uint64)
TEXT ·poke(SB), NOSPLIT, $0-24
	MOVQ addr+0(FP), R13
	MOVQ text_0+8(FP), R11
	MOVQ text_1+16(FP), R12
	MOVQ R11, 0(R13)
	MOVQ R12, 8(R13)
	RET

// func peekText(addr uint64) [2]uint64
TEXT ·peekText(SB), NOSPLIT, $0-24
	MOVQ addr+0(FP), R13
	MOVQ 0(R13), R11
	MOVQ 8(R13), R12
	MOVQ R11, ret_0+8(FP)
	MOVQ R12, ret_1+16(FP)
	RET
