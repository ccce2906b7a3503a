// The bodies of the routines for amd64. The including file defines, for its width,
//   UNROLLED(step)    step for each vector of 64 bytes
//   HALVES(step)      step for each half vector of 64 bytes, which is widened to a vector
//   TOTALQ, TOTALD    the sum of the lanes of ACC, 64 or 32 bits, to AX
// and the table of asm/gen the registers A, B, ACC, ZERO, LOW, TABLE, ONES, moves and logic MOVE, XOR, AND, and constants.
// SI a, DI b, DX high, CX blocks of 64 bytes left.

// One vector of a count: A = a[at] op b[at], then the bits of its half bytes.
#define COUNT(at, op) \
	MOVE   at(SI), A; \
	op     at(DI), A, A; \
	AND    LOW, A, B; \
	VPSRLW $4, A, A; \
	AND    LOW, A, A; \
	VPSHUFB B, TABLE, B; \
	VPSHUFB A, TABLE, A; \
	VPADDB A, B, A; \
	VPSADBW ZERO, A, A; \
	VPADDQ A, ACC, ACC

//	for i := range a { count += bits.OnesCount64(a[i] op b[i]) }
//   len(a) a positive multiple of 8, b as long; any alignment
// Invariant at loop: SI and DI are at the first block not done, CX >= 1. The two table
// lookups of a vector are the limit; one accumulator is enough. No tail.
#define COUNTLOOP(step) \
	XOR  ZERO, ZERO, ZERO; \
	XOR  ACC, ACC, ACC; \
	MOVE counts<>(SB), TABLE; \
	MOVE fifteen<>(SB), LOW; \
	SHRQ $3, CX; \
loop: \
	UNROLLED(step); \
	ADDQ $64, SI; \
	ADDQ $64, DI; \
	DECQ CX; \
	JNE  loop; \
	TOTALQ

// Products of the bytes of half a vector, widened to 16 bits and added in pairs.
#define PRODUCTS(at) \
	VPMOVZXBW at(SI), A; \
	VPMOVSXBW at(DI), B; \
	VPMADDWD  A, B, A; \
	VPADDD    A, ACC, ACC

// Squares of the differences of half a vector.
#define DIFFERENCES(at) \
	VPMOVZXBW at(SI), A; \
	VPMOVZXBW at(DI), B; \
	VPSUBW    B, A, A; \
	VPMADDWD  A, A, A; \
	VPADDD    A, ACC, ACC

// The same of bytes with signs.
#define SIGNEDPRODUCTS(at) \
	VPMOVSXBW at(SI), A; \
	VPMOVSXBW at(DI), B; \
	VPMADDWD  A, B, A; \
	VPADDD    A, ACC, ACC
#define SIGNEDDIFFERENCES(at) \
	VPMOVSXBW at(SI), A; \
	VPMOVSXBW at(DI), B; \
	VPSUBW    B, A, A; \
	VPMADDWD  A, A, A; \
	VPADDD    A, ACC, ACC

//	for i := range a { sum += step(a[i], b[i]) }
//   len(a) a positive multiple of 64 and at most 1<<15, b as long; any alignment
// Invariant as in COUNTLOOP. Loads that widen are the limit.
#define BYTELOOP(step) \
	XOR  ACC, ACC, ACC; \
	SHRQ $6, CX; \
loop: \
	HALVES(step); \
	ADDQ $64, SI; \
	ADDQ $64, DI; \
	DECQ CX; \
	JNE  loop; \
	TOTALD; \
	MOVLQSX AX, AX

// Products of the half bytes of a vector: at most 15·128·2, which do not saturate.
#define NIBBLES(at) \
	MOVE   at(SI), A; \
	AND    LOW, A, B; \
	VPSRLW $4, A, A; \
	AND    LOW, A, A; \
	VPMADDUBSW at(DI), B, B; \
	VPMADDUBSW at(DX), A, A; \
	VPADDW A, B, A; \
	VPMADDWD ONES, A, A; \
	VPADDD A, ACC, ACC

// Squares of the differences of the half bytes of a vector, at most 225·4 in 16 bits; ZERO
// and TABLE are free.
#define NIBBLEDIFFERENCES(at) \
	MOVE   at(SI), A; \
	MOVE   at(DI), B; \
	AND    LOW, A, ZERO; \
	AND    LOW, B, TABLE; \
	VPSRLW $4, A, A; \
	VPSRLW $4, B, B; \
	AND    LOW, A, A; \
	AND    LOW, B, B; \
	VPSUBB TABLE, ZERO, ZERO; \
	VPSUBB B, A, A; \
	VPABSB ZERO, ZERO; \
	VPABSB A, A; \
	VPMADDUBSW ZERO, ZERO, ZERO; \
	VPMADDUBSW A, A, A; \
	VPADDW ZERO, A, A; \
	VPMADDWD ONES, A, A; \
	VPADDD A, ACC, ACC

//	for i := range a { sum += step(half bytes of a[i], low[i] and high[i] or b[i]) }
//   as BYTELOOP; low and high are as long as a, DX is not read for two operands
#define NIBBLELOOP(step) \
	XOR  ACC, ACC, ACC; \
	MOVE fifteen<>(SB), LOW; \
	MOVE ones<>(SB), ONES; \
	SHRQ $6, CX; \
loop: \
	UNROLLED(step); \
	ADDQ $64, SI; \
	ADDQ $64, DI; \
	ADDQ $64, DX; \
	DECQ CX; \
	JNE  loop; \
	TOTALD; \
	MOVLQSX AX, AX

#define XORSTEP(at) COUNT(at, XOR)
#define ANDSTEP(at) COUNT(at, AND)
#define NIBBLESTEP(at) NIBBLES(at)
#define NIBBLEDIFFERENCESTEP(at) NIBBLEDIFFERENCES(at)
#define PRODUCTSTEP(at) PRODUCTS(at)
#define DIFFERENCESTEP(at) DIFFERENCES(at)
#define SIGNEDPRODUCTSTEP(at) SIGNEDPRODUCTS(at)
#define SIGNEDDIFFERENCESTEP(at) SIGNEDDIFFERENCES(at)
