// The tile of C, see gemm_neon_arm64.h. V30 and V31 are alpha and beta, R13 the bits of beta.
	LSLINT $1, R13, R13 // ±0 is 0
	CBZ   R13, scale
	BLEND(V0, V1, V2, V3, V4, V5)
	BLEND(V6, V7, V8, V9, V10, V11)
	BLEND(V12, V13, V14, V15, V16, V17)
	BLEND(V18, V19, V20, V21, V22, V23)
	RET

scale:
	SCALE(0, V0, V1, V2, V3, V4, V5)
	SCALE(6, V6, V7, V8, V9, V10, V11)
	SCALE(12, V12, V13, V14, V15, V16, V17)
	SCALE(18, V18, V19, V20, V21, V22, V23)
