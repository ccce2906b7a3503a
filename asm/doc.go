// Package asm is the root of the hand-written kernels. Each directory below
// it holds one family of kernels. Kernels take slices and scalars, allocate
// nothing, return no errors and start no goroutines. The packages can be
// imported, but their API may change at any time; use fwht, haar, structured,
// blas, kernel, cholupdate and eig instead.
package asm
