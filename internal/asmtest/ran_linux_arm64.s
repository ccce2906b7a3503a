//go:build !noasm

#include "textflag.h"

// Makes the 16 bytes of machine code at R17, which lie in one cache line,
// visible to instruction fetch.
#define VISIBLE \
	WORD $0xd50b7b31 \ // DC CVAU, X17
	WORD $0xd5033b9f \ // DSB ISH
	WORD $0xd50b7531 \ // IC IVAU, X17
	WORD $0xd5033b9f \ // DSB ISH
	WORD $0xd5033fdf   // ISB

// func landed()   r.ran = 1, puts the first bytes of routine r back and starts it
//   R16 r: ran, entry, 16 bytes of text; R17 entry; R14, R15 text
// It is entered by the jump that stands at the entry, with the stack of the
// routine's caller and all arguments on it, so that R0 … R17 and R19 … R25 are
// not in use. What the caller happens to have left in most of them is
// overwritten by numbers that are no address, so that a routine which does not
// load an argument fails.
TEXT ·landed(SB), NOSPLIT|NOFRAME, $0-0
	MOVD $1, R17
	MOVD R17, 0(R16)
	MOVD 8(R16), R17
	LDP  16(R16), (R14, R15)
	STP  (R14, R15), 0(R17)
	VISIBLE
	MOVD $0x5cab5cab5cab5cab, R0
	MOVD R0, R1
	MOVD R0, R2
	MOVD R0, R3
	MOVD R0, R4
	MOVD R0, R5
	MOVD R0, R6
	MOVD R0, R7
	MOVD R0, R8
	MOVD R0, R9
	MOVD R0, R10
	MOVD R0, R11
	MOVD R0, R12
	MOVD R0, R13
	MOVD R0, R14
	MOVD R0, R15
	MOVD R0, R16
	JMP  (R17)

// func landing() uint64
TEXT ·landing(SB), NOSPLIT, $0-8
	MOVD $·landed(SB), R17
	MOVD R17, ret+0(FP)
	RET

// func poke(addr uint64, text [2]uint64)
TEXT ·poke(SB), NOSPLIT, $0-24
	MOVD addr+0(FP), R17
	MOVD text_0+8(FP), R14
	MOVD text_1+16(FP), R15
	STP  (R14, R15), 0(R17)
	VISIBLE
	RET

// func peekText(addr uint64) [2]uint64
TEXT ·peekText(SB), NOSPLIT, $0-24
	MOVD addr+0(FP), R17
	LDP  0(R17), (R14, R15)
	MOVD R14, ret_0+8(FP)
	MOVD R15, ret_1+16(FP)
	RET
