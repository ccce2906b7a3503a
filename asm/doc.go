// Package asm is the root of the hand-written kernels. Each directory below
// it holds one family of kernels. Kernels take slices and scalars, allocate
// nothing, return no errors and start no goroutines. The packages can be
// imported, but their API is not promised and may change in any version; use fwht, haar,
// structured, vec, blas, kernel, cholupdate and eig instead. The package asm/cpu, which knows
// and sets the level, is promised.
package asm
