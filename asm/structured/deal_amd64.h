// deal, see structured_avx2_amd64.h.
	SHLQ $SHIFT, CX
	XORQ DX, DX

loop:
	VMOVUPD     (BX)(DX*2), X0
	VINSERTF128 $1, 32(BX)(DX*2), Y0, Y0
	VMOVUPD     16(BX)(DX*2), X1
	VINSERTF128 $1, 48(BX)(DX*2), Y1, Y1
	DEAL
	VMOVUPD     Y2, (DI)(DX*1)
	VMOVUPD     Y3, (SI)(DX*1)
	ADDQ        $32, DX
	CMPQ        DX, CX
	JLT         loop
