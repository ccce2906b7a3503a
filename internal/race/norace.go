//go:build !race

// Package race tells the race detector which memory a kernel is going to read
// and write, because the detector does not see what assembly does. Without the
// detector its functions are empty.
package race

import "github.com/gramworks/gram/num"

// Enabled reports whether the race detector is built in.
const Enabled = false

// Read reports that all of x is read.
func Read[F num.Float](x []F) {}

// Write reports that all of x is written, and perhaps read.
func Write[F num.Float](x []F) {}

// ReadRows reports that n rows of length d, stride apart, are read.
func ReadRows[F num.Float](x []F, n, stride, d int) {}

// WriteRows reports that n rows of length d, stride apart, are written.
func WriteRows[F num.Float](x []F, n, stride, d int) {}
