//go:build !noasm

#include "textflag.h"
#include "neon_arm64.h"

// The bodies stand in one header each, for both types.

#include "float64_arm64.h"

// func dot64NEON(x, y []float64) float64
TEXT ·dot64NEON(SB), NOSPLIT, $0-56
	MOVD x_base+0(FP), R0
	MOVD x_len+8(FP), R2
	MOVD y_base+24(FP), R1
#include "dot_arm64.h"
	FMOVD F0, ret+48(FP)
	RET

// func scale64NEON(x []float64, alpha float64)
TEXT ·scale64NEON(SB), NOSPLIT, $0-32
	MOVD x_base+0(FP), R0
	MOVD x_len+8(FP), R2
	FMOVD alpha+24(FP), F0
#include "scale_arm64.h"
	RET

// func axpy64NEON(y, x []float64, alpha float64)
TEXT ·axpy64NEON(SB), NOSPLIT, $0-56
	MOVD y_base+0(FP), R0
	MOVD y_len+8(FP), R2
	MOVD x_base+24(FP), R1
	FMOVD alpha+48(FP), F0
#include "axpy_arm64.h"
	RET

// func symv64NEON(a []float64, lda int, x, y []float64, xr, s *[4]float64)
TEXT ·symv64NEON(SB), NOSPLIT, $0-96
	MOVD a_base+0(FP), R0
	MOVD lda+24(FP), R3
	MOVD x_base+32(FP), R4
	MOVD x_len+40(FP), R6
	MOVD y_base+56(FP), R5
	MOVD xr+80(FP), R7
	MOVD s+88(FP), R8
#include "symv_arm64.h"
	RET

#include "float32_arm64.h"

// func dot32NEON(x, y []float32) float32
TEXT ·dot32NEON(SB), NOSPLIT, $0-52
	MOVD x_base+0(FP), R0
	MOVD x_len+8(FP), R2
	MOVD y_base+24(FP), R1
#include "dot_arm64.h"
	FMOVS F0, ret+48(FP)
	RET

// func scale32NEON(x []float32, alpha float32)
TEXT ·scale32NEON(SB), NOSPLIT, $0-28
	MOVD x_base+0(FP), R0
	MOVD x_len+8(FP), R2
	FMOVS alpha+24(FP), F0
#include "scale_arm64.h"
	RET

// func axpy32NEON(y, x []float32, alpha float32)
TEXT ·axpy32NEON(SB), NOSPLIT, $0-52
	MOVD y_base+0(FP), R0
	MOVD y_len+8(FP), R2
	MOVD x_base+24(FP), R1
	FMOVS alpha+48(FP), F0
#include "axpy_arm64.h"
	RET

// func symv32NEON(a []float32, lda int, x, y []float32, xr, s *[4]float32)
TEXT ·symv32NEON(SB), NOSPLIT, $0-96
	MOVD a_base+0(FP), R0
	MOVD lda+24(FP), R3
	MOVD x_base+32(FP), R4
	MOVD x_len+40(FP), R6
	MOVD y_base+56(FP), R5
	MOVD xr+80(FP), R7
	MOVD s+88(FP), R8
#include "symv_arm64.h"
	RET
