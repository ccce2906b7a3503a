//   for p < k: copy(dst[p*w:p*w+w], x[p*ps:])      in bytes; w > 0 a multiple of 16
//
// CX k left, SI row of x, R8 ps, DI dst, DX w, AX bytes done in the row.
// Invariant at row: SI points at row p of x, DI at row p of dst, CX = k-p > 0.
// 32 bytes a time, the last 16 by themselves; nothing is read past the row. Rows
// lie too far apart for the CPU to foresee, so the row eight ahead is prefetched.
	CMPQ DX, $192
	JE   row192

row:
	XORQ AX, AX
	MOVQ DX, R9
	SUBQ $32, R9
	JB   last

wide:
	LEAQ       (SI)(AX*1), R10
	PREFETCHT0 (R10)(R8*8)
	VMOVUPD (SI)(AX*1), Y0
	VMOVUPD Y0, (DI)(AX*1)
	ADDQ    $32, AX
	CMPQ    AX, R9
	JLE     wide

last:
	CMPQ    AX, DX
	JE      next
	VMOVUPD (SI)(AX*1), X0
	VMOVUPD X0, (DI)(AX*1)

next:
	ADDQ R8, SI
	ADDQ DX, DI
	DECQ CX
	JNZ  row
	VZEROUPPER
	RET

row192:
	PREFETCHT0 (SI)(R8*8)
	PREFETCHT0 64(SI)(R8*8)
	PREFETCHT0 128(SI)(R8*8)
	VMOVUPD (SI), Y0
	VMOVUPD 32(SI), Y1
	VMOVUPD 64(SI), Y2
	VMOVUPD 96(SI), Y3
	VMOVUPD 128(SI), Y4
	VMOVUPD 160(SI), Y5
	VMOVUPD Y0, (DI)
	VMOVUPD Y1, 32(DI)
	VMOVUPD Y2, 64(DI)
	VMOVUPD Y3, 96(DI)
	VMOVUPD Y4, 128(DI)
	VMOVUPD Y5, 160(DI)
	ADDQ    R8, SI
	ADDQ    $192, DI
	DECQ    CX
	JNZ     row192
