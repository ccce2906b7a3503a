// RotatePanel for float64 or float32, see panel_amd64.h. CX is the kind.
	GETW
	SHLQ $SHIFT, AX
	LEAQ (AX)(AX*2), R8
	LEAQ (SI)(AX*4), R9
	CMPQ CX, $1
	JEQ  down
	JGT  solved
	PANEL(updates, update, UPDATECOL, TOROWS)
down:
	PANEL(downs, downlast, DOWNCOL, TOROWS)
solved:
	PANEL(solves, solvelast, SOLVEDCOL, TOROWS)
done:
	PUTW
