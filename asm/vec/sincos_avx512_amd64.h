// The sine and the cosine on AVX-512.

#define SINCOSCONOF64(n) sincosConst64<>+8*n(SB)
#define SINCOSCONOF32(n) sincosConst32<>+4*n(SB)

#define ROUND Z31
#define TWOPI Z30
#define P1    Z29
#define P2    Z28
#define P3    Z27
#define LIMIT Z26
#define UNIT   Z25
#define MHALF Z24
#define SIGN  Z23
#define BIT   Z22
#define SIN1    Z21
#define SIN2    Z20
#define SIN3    Z19
#define SIN4    Z18
#define SIN5    Z17
#define SIN6    Z16
#define COS1    Z15
#define COS2    Z14
#define COS3    Z13
#define COS4    Z12
#define COS5    Z11
#define COS6    Z10

// Z8 = sin(Z0), Z9 = cos(Z0), K2 = lanes with |Z0| > LIMIT, whose results mean
// nothing. Scratch Z1-Z7, K1. 43 operations on two ports.
//   k = x*2/pi rounded, in the low bits of t = x*2/pi + shift
//   r1 = x - k*P1, exact; h = k*P2 rounded; r = r1 - h
//   rl = what rounding took from r and h, and k*P3: x - k*pi/2 = r + rl
//   sin(r+rl) = r + (r*z*S(z) + rl), z = r*r, with the sign of r, for -0
//   cos(r+rl) = w + (z*z*C(z) + ((1 - w) - z/2) - r*rl), w = 1 - z/2
//   odd k: swapped; bit 1 of k: sign of the sine, bit 1 of k+1: of the cosine
#define SINCOS \
	MOVA ROUND, Z1; \
	FMADD231 TWOPI, Z0, Z1; \
	SUB ROUND, Z1, Z2; \
	MOVA Z0, Z3; \
	FNMADD231 P1, Z2, Z3; \
	MUL P2, Z2, Z5; \
	SUB Z5, Z3, Z4; \
	SUB Z4, Z3, Z3; \
	SUB Z5, Z3, Z3; \
	FMSUB231 P2, Z2, Z5; \
	SUB Z5, Z3, Z3; \
	FNMADD231 P3, Z2, Z3; \
	MUL Z4, Z4, Z5; \
	MUL Z5, Z5, Z2; \
	SINCOSPOLYNOMIAL; \
	MUL Z5, Z4, Z8; \
	FMADD213 Z3, Z8, Z6; \
	ADD Z4, Z6, Z6; \
	TERNLOG $0xD8, SIGN, Z4, Z6; \
	MOVA UNIT, Z8; \
	FMADD231 MHALF, Z5, Z8; \
	SUB Z8, UNIT, Z9; \
	FMADD231 MHALF, Z5, Z9; \
	FMADD213 Z9, Z2, Z7; \
	FNMADD231 Z3, Z4, Z7; \
	ADD Z8, Z7, Z7; \
	TESTM BIT, Z1, K1; \
	BLENDM Z7, Z6, K1, Z8; \
	BLENDM Z6, Z7, K1, Z9; \
	ADDI BIT, Z1, Z2; \
	SLLI $(BITS-2), Z1, Z1; \
	SLLI $(BITS-2), Z2, Z2; \
	TERNLOG $0x78, SIGN, Z1, Z8; \
	TERNLOG $0x78, SIGN, Z2, Z9; \
	ANDNI Z0, SIGN, Z1; \
	CMPF $30, LIMIT, Z1, K2

// Z6 and Z7 = the polynomials of the sine and of the cosine.
#define SINCOSPOLYNOMIAL64 \
	MOVA SIN6, Z6; \
	FMADD213 SIN5, Z5, Z6; \
	MOVA SIN4, Z8; \
	FMADD213 SIN3, Z5, Z8; \
	FMADD213 Z8, Z2, Z6; \
	MOVA SIN2, Z9; \
	FMADD213 SIN1, Z5, Z9; \
	FMADD213 Z9, Z2, Z6; \
	MOVA COS6, Z7; \
	FMADD213 COS5, Z5, Z7; \
	MOVA COS4, Z8; \
	FMADD213 COS3, Z5, Z8; \
	FMADD213 Z8, Z2, Z7; \
	MOVA COS2, Z9; \
	FMADD213 COS1, Z5, Z9; \
	FMADD213 Z9, Z2, Z7

#define SINCOSPOLYNOMIAL32 \
	MOVA SIN2, Z6; \
	FMADD213 SIN1, Z5, Z6; \
	FMADD231 SIN3, Z2, Z6; \
	MOVA COS2, Z7; \
	FMADD213 COS1, Z5, Z7; \
	FMADD231 COS3, Z2, Z7

#define SINCOSCONSTANTS \
	BROADCAST SINCOSCON(0), ROUND; \
	BROADCAST SINCOSCON(1), TWOPI; \
	BROADCAST SINCOSCON(2), P1; \
	BROADCAST SINCOSCON(3), P2; \
	BROADCAST SINCOSCON(4), P3; \
	BROADCAST SINCOSCON(5), LIMIT; \
	BROADCAST SINCOSCON(6), UNIT; \
	BROADCAST SINCOSCON(7), MHALF; \
	BROADCAST SINCOSCON(8), SIGN; \
	BROADCAST SINCOSCON(9), BIT; \
	SINCOSCOEFFICIENTS

#define SINCOSCOEFFICIENTS64 \
	BROADCAST SINCOSCON(10), SIN1; \
	BROADCAST SINCOSCON(11), SIN2; \
	BROADCAST SINCOSCON(12), SIN3; \
	BROADCAST SINCOSCON(13), SIN4; \
	BROADCAST SINCOSCON(14), SIN5; \
	BROADCAST SINCOSCON(15), SIN6; \
	BROADCAST SINCOSCON(16), COS1; \
	BROADCAST SINCOSCON(17), COS2; \
	BROADCAST SINCOSCON(18), COS3; \
	BROADCAST SINCOSCON(19), COS4; \
	BROADCAST SINCOSCON(20), COS5; \
	BROADCAST SINCOSCON(21), COS6

#define SINCOSCOEFFICIENTS32 \
	BROADCAST SINCOSCON(10), SIN1; \
	BROADCAST SINCOSCON(11), SIN2; \
	BROADCAST SINCOSCON(12), SIN3; \
	BROADCAST SINCOSCON(13), COS1; \
	BROADCAST SINCOSCON(14), COS2; \
	BROADCAST SINCOSCON(15), COS3
