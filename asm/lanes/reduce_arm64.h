// A row of a Cholesky factor or of a substitution in all lanes:
//
//   for c < r:  for p < k: x[c] -= u[p*us]*b[p*bs+c]
//   d != nil:   for c < r: x[c] /= d
//   d == nil:   x[0] = sqrt(x[0]); for 0 < c < r: x[c] *= 1/x[0]
//
// Preconditions: 1 <= r, 0 <= k; elements are 64 bytes apart. u and b are not read if k is 0.
//
// Registers: R0 x, R1 u, R2 us, R3 b, R4 bs, R5 k, R6 columns left, R7 d; R8, R9 element p of u and row p of b at the
// columns of a turn, R10 terms left, R11 x at the next columns, R12 the first x, R13 r; strides in bytes. V0-V15 sums,
// V16-V19 u[p] or the divisor, V20-V31 elements of b.
//
// Four columns at a time share u[p]: 16 sums hide the latency of 4 on four pipes. Columns that are left go one by one.
	LSL  $6, R2, R2
	LSL  $6, R4, R4
	MOVD R6, R13
	MOVD R0, R12
	CBZ  R5, divide

four:
	CMP  $4, R6
	BLT  left
	MOVD R0, R11
	VLD1.P 64(R11), [V0.D2, V1.D2, V2.D2, V3.D2]
	VLD1.P 64(R11), [V4.D2, V5.D2, V6.D2, V7.D2]
	VLD1.P 64(R11), [V8.D2, V9.D2, V10.D2, V11.D2]
	VLD1.P 64(R11), [V12.D2, V13.D2, V14.D2, V15.D2]
	MOVD R1, R8
	MOVD R3, R9
	MOVD R5, R10
loop4:
	MOVD R9, R14
	VLD1 (R8), [V16.D2, V17.D2, V18.D2, V19.D2]
	VLD1.P 64(R14), [V20.D2, V21.D2, V22.D2, V23.D2]
	VLD1.P 64(R14), [V24.D2, V25.D2, V26.D2, V27.D2]
	VLD1.P 64(R14), [V28.D2, V29.D2, V30.D2, V31.D2]
	TAKE(V20, V21, V22, V23, V0, V1, V2, V3)
	VLD1 (R14), [V20.D2, V21.D2, V22.D2, V23.D2]
	TAKE(V24, V25, V26, V27, V4, V5, V6, V7)
	TAKE(V28, V29, V30, V31, V8, V9, V10, V11)
	TAKE(V20, V21, V22, V23, V12, V13, V14, V15)
	ADD  R2, R8, R8
	ADD  R4, R9, R9
	SUBS $1, R10, R10
	BNE  loop4
	VST1.P [V0.D2, V1.D2, V2.D2, V3.D2], 64(R0)
	VST1.P [V4.D2, V5.D2, V6.D2, V7.D2], 64(R0)
	VST1.P [V8.D2, V9.D2, V10.D2, V11.D2], 64(R0)
	VST1.P [V12.D2, V13.D2, V14.D2, V15.D2], 64(R0)
	ADD  $256, R3, R3
	SUB  $4, R6, R6
	B    four

left:
	CBZ  R6, divide
one:
	VLD1 (R0), [V0.D2, V1.D2, V2.D2, V3.D2]
	MOVD R1, R8
	MOVD R3, R9
	MOVD R5, R10
loop1:
	VLD1 (R8), [V16.D2, V17.D2, V18.D2, V19.D2]
	VLD1 (R9), [V20.D2, V21.D2, V22.D2, V23.D2]
	TAKE(V20, V21, V22, V23, V0, V1, V2, V3)
	ADD  R2, R8, R8
	ADD  R4, R9, R9
	SUBS $1, R10, R10
	BNE  loop1
	VST1.P [V0.D2, V1.D2, V2.D2, V3.D2], 64(R0)
	ADD  $64, R3, R3
	SUBS $1, R6, R6
	BNE  one

divide:
	CBZ  R7, root
	VLD1 (R7), [V16.D2, V17.D2, V18.D2, V19.D2]
quotients:
	VLD1 (R12), [V0.D2, V1.D2, V2.D2, V3.D2]
	VFDIV_D2(16, 0, 0)
	VFDIV_D2(17, 1, 1)
	VFDIV_D2(18, 2, 2)
	VFDIV_D2(19, 3, 3)
	VST1.P [V0.D2, V1.D2, V2.D2, V3.D2], 64(R12)
	SUBS $1, R13, R13
	BNE  quotients
	B    done

root:
	VLD1 (R12), [V0.D2, V1.D2, V2.D2, V3.D2]
	VFSQRT_D2(0, 0)
	VFSQRT_D2(1, 1)
	VFSQRT_D2(2, 2)
	VFSQRT_D2(3, 3)
	VST1.P [V0.D2, V1.D2, V2.D2, V3.D2], 64(R12)
	SUBS $1, R13, R13
	BEQ  done
	FMOVD $1.0, F4
	VDUP V4.D[0], V4.D2
	VFDIV_D2(0, 4, 16)
	VFDIV_D2(1, 4, 17)
	VFDIV_D2(2, 4, 18)
	VFDIV_D2(3, 4, 19)
products:
	VLD1 (R12), [V0.D2, V1.D2, V2.D2, V3.D2]
	VFMUL_D2(16, 0, 0)
	VFMUL_D2(17, 1, 1)
	VFMUL_D2(18, 2, 2)
	VFMUL_D2(19, 3, 3)
	VST1.P [V0.D2, V1.D2, V2.D2, V3.D2], 64(R12)
	SUBS $1, R13, R13
	BNE  products

done:
