//go:build noasm || (!amd64 && !arm64)

package hadamard

import (
	"github.com/gramworks/gram"
	"github.com/gramworks/gram/asm/cpu"
)

var levels []cpu.Level

func limits[F gram.Float]() caps { return caps{} }

const (
	small64 = -1
	small32 = -1
)

func kernel64(x []float64, k int) bool { return false }

func kernel32(x []float32, k int) bool { return false }

// The functions below are not reached: limits are zero.

func rowKernel[F gram.Float](x []F, bits, n, stride int) {}

func columnKernel[F gram.Float](x []F, bits, h, width, n, stride int) {}

func baseKernel[F gram.Float](x []F, m, h, width int) {}

func scaleKernel[F gram.Float](x []F, a F) {}
