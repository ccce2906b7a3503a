// Package codes has the distances of quantized vectors: counts of bits and sums of
// products and squares of small integers.
//
// The API of this package is not promised and may change in any version: programs link
// package sketch at the top of the module.
//
// # Storage
//
// Vectors of bits are words of 64 bits. A vector of n numbers of 4 bits is n/2 bytes:
// byte i has number i in its lower half and number n/2+i in its upper half, so that
// unpacking needs no shuffles.
//
// # Accuracy class: exact
//
// All results are integers and the same at every level. Vectors of any length fit an
// int. Operands are only read: they may overlap, and have any alignment.
//
// # Implementation
//
// Bits are counted by table lookups of half bytes with byte shuffles and sums of bytes
// [MKL18], which every CPU of the levels has; the instruction VPOPCNTQ belongs to none.
// Products of bytes are widened to 16 bits, as the instruction for bytes saturates, and
// added in pairs to 32 bits. The assembly does blocks of 64 bytes, Go the rest.
//
// Source: [MKL18] W. Muła, N. Kurz, D. Lemire. Faster population counts using AVX2
// instructions. The Computer Journal 61 (2018) 111–120.
package codes
