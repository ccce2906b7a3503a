// The columns of one register of solve, whose head has the registers. D0-D7 are the eight rows, D8 a row that is
// solved; LD and ST move as many columns, NMADD(c, x, y) subtracts the product of a broadcast element and x from y,
// SCALEROW(c, x) multiplies x by one. SOLVED and TRIANGLE are the labels.
	LD (SI), D0
	LD (SI)(R8*1), D1
	LD (SI)(R8*2), D2
	LD (SI)(R9*1), D3
	LD (SI)(R8*4), D4
	LD (SI)(R10*1), D5
	LD (SI)(R9*2), D6
	LD (SI)(R11*1), D7
	MOVQ t-8(SP), BX
	MOVQ DI, R12
	MOVQ k-16(SP), CX
	TESTQ CX, CX
	JEQ  TRIANGLE

SOLVED:
	LD (R12), D8
	NMADD((BX), D8, D0)
	NMADD((BX)(R13*1), D8, D1)
	NMADD((BX)(R13*2), D8, D2)
	NMADD((BX)(AX*1), D8, D3)
	NMADD((BX)(R13*4), D8, D4)
	NMADD((BX)(DX*1), D8, D5)
	NMADD((BX)(AX*2), D8, D6)
	NMADD((BX)(R15*1), D8, D7)
	ADDQ R8, R12
	ADDQ R14, BX
	DECQ CX
	JNE  SOLVED

TRIANGLE:
	MOVQ d-24(SP), R12
	SCALEROW(0*SIZE(R12), D0)
	NMADD((BX)(R13*1), D0, D1)
	NMADD((BX)(R13*2), D0, D2)
	NMADD((BX)(AX*1), D0, D3)
	NMADD((BX)(R13*4), D0, D4)
	NMADD((BX)(DX*1), D0, D5)
	NMADD((BX)(AX*2), D0, D6)
	NMADD((BX)(R15*1), D0, D7)
	ADDQ R14, BX
	SCALEROW(1*SIZE(R12), D1)
	NMADD((BX)(R13*2), D1, D2)
	NMADD((BX)(AX*1), D1, D3)
	NMADD((BX)(R13*4), D1, D4)
	NMADD((BX)(DX*1), D1, D5)
	NMADD((BX)(AX*2), D1, D6)
	NMADD((BX)(R15*1), D1, D7)
	ADDQ R14, BX
	SCALEROW(2*SIZE(R12), D2)
	NMADD((BX)(AX*1), D2, D3)
	NMADD((BX)(R13*4), D2, D4)
	NMADD((BX)(DX*1), D2, D5)
	NMADD((BX)(AX*2), D2, D6)
	NMADD((BX)(R15*1), D2, D7)
	ADDQ R14, BX
	SCALEROW(3*SIZE(R12), D3)
	NMADD((BX)(R13*4), D3, D4)
	NMADD((BX)(DX*1), D3, D5)
	NMADD((BX)(AX*2), D3, D6)
	NMADD((BX)(R15*1), D3, D7)
	ADDQ R14, BX
	SCALEROW(4*SIZE(R12), D4)
	NMADD((BX)(DX*1), D4, D5)
	NMADD((BX)(AX*2), D4, D6)
	NMADD((BX)(R15*1), D4, D7)
	ADDQ R14, BX
	SCALEROW(5*SIZE(R12), D5)
	NMADD((BX)(AX*2), D5, D6)
	NMADD((BX)(R15*1), D5, D7)
	ADDQ R14, BX
	SCALEROW(6*SIZE(R12), D6)
	NMADD((BX)(R15*1), D6, D7)
	ADDQ R14, BX
	SCALEROW(7*SIZE(R12), D7)
	ST D0, (SI)
	ST D1, (SI)(R8*1)
	ST D2, (SI)(R8*2)
	ST D3, (SI)(R9*1)
	ST D4, (SI)(R8*4)
	ST D5, (SI)(R10*1)
	ST D6, (SI)(R9*2)
	ST D7, (SI)(R11*1)
