// Package asm is the root of the hand-written kernels, one family per folder:
// slices and scalars in, no allocation, no errors, no goroutines, no policy.
// The packages below it can be imported but carry no API promise; use fwht,
// haar, blas, kernel, cholupdate and eig instead.
package asm
