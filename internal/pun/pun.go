// Package pun gives memory of one type another type with the same layout.
// Generic code uses it where the size of its type parameter tells which type
// that is.
package pun

import "unsafe"

// Slice returns x as a slice of To, which must have the layout of From. It takes
// no time: the compiler removes the copy of x, which it could not do if the
// pointer were a parameter.
func Slice[To, From any](x []From) []To { return *(*[]To)(unsafe.Pointer(&x)) }
