// A row of a Cholesky factor or of a substitution in all lanes:
//
//   for c < r:  for p < k: x[c] -= u[p*us]*b[p*bs+c]
//   d != nil:   for c < r: x[c] /= d
//   d == nil:   x[0] = sqrt(x[0]); for 0 < c < r: x[c] *= 1/x[0]
//
// Preconditions: 1 <= r, 0 <= k; elements are 64 bytes apart. u and b are not read if k is 0.
//
// Registers: DI x, SI u, R8 us, BX b, R9 bs, R10 k, CX columns left, DX d; R11, R12 element p of u and row
// p of b at the columns of a turn, R13 terms left; AX r, R14 x; strides in bytes. V0-V3 sums, V4 u[p] or the divisor.
//
// Four columns at a time share u[p]; columns that are left go one by one.
	SHLQ $6, R8
	SHLQ $6, R9
	MOVQ CX, AX
	MOVQ DI, R14
	TESTQ R10, R10
	JZ   divide

four:
	CMPQ CX, $4
	JLT  one
	VMOVUPD (DI), V0
	VMOVUPD 64(DI), V1
	VMOVUPD 128(DI), V2
	VMOVUPD 192(DI), V3
	MOVQ SI, R11
	MOVQ BX, R12
	MOVQ R10, R13
loop4:
	VMOVUPD (R11), V4
	VFNMADD231PD (R12), V4, V0
	VFNMADD231PD 64(R12), V4, V1
	VFNMADD231PD 128(R12), V4, V2
	VFNMADD231PD 192(R12), V4, V3
	ADDQ R8, R11
	ADDQ R9, R12
	DECQ R13
	JNZ  loop4
	VMOVUPD V0, (DI)
	VMOVUPD V1, 64(DI)
	VMOVUPD V2, 128(DI)
	VMOVUPD V3, 192(DI)
	ADDQ $256, DI
	ADDQ $256, BX
	SUBQ $4, CX
	JNZ  four
	JMP  divide

one:
	VMOVUPD (DI), V0
	MOVQ SI, R11
	MOVQ BX, R12
	MOVQ R10, R13
loop1:
	VMOVUPD (R11), V4
	VFNMADD231PD (R12), V4, V0
	ADDQ R8, R11
	ADDQ R9, R12
	DECQ R13
	JNZ  loop1
	VMOVUPD V0, (DI)
	ADDQ $64, DI
	ADDQ $64, BX
	DECQ CX
	JNZ  one

divide:
	TESTQ DX, DX
	JZ   root
	VMOVUPD (DX), V4
quotients:
	VMOVUPD (R14), V0
	VDIVPD V4, V0, V0
	VMOVUPD V0, (R14)
	ADDQ $64, R14
	DECQ AX
	JNZ  quotients
	JMP  done

root:
	VSQRTPD (R14), V0
	VMOVUPD V0, (R14)
	VBROADCASTSD one<>(SB), V4
	VDIVPD V0, V4, V4
	DECQ AX
	JZ   done
products:
	ADDQ $64, R14
	VMULPD (R14), V4, V0
	VMOVUPD V0, (R14)
	DECQ AX
	JNZ  products

done:
