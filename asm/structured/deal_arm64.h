// deal: R0 a, R1 b, R2 x, R3 elements, then bytes left of a.
	LSL $SHIFT, R3, R3

loop:
	VLD2.P 32(R2), [V0.T, V1.T]
	VST1.P [V0.T], 16(R0)
	VST1.P [V1.T], 16(R1)
	SUBS   $16, R3, R3
	BNE    loop
