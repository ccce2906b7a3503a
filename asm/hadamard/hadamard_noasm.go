//go:build noasm || (!amd64 && !arm64)

package hadamard

import (
	"github.com/gramworks/gram/asm/cpu"
	"github.com/gramworks/gram/num"
)

var levels []cpu.Level

func limits[F num.Float]() caps { return caps{} }

const (
	small64 = -1
	small32 = -1
)

func kernel64(x []float64, k int) bool { return false }

func kernel32(x []float32, k int) bool { return false }

// The functions below are not reached: limits are zero.

func rowKernel[F num.Float](x []F, bits, n, stride int) {}

func columnKernel[F num.Float](x []F, bits, h, width, n, stride int) {}

func baseKernel[F num.Float](x []F, m, h, width int) {}

func scaleKernel[F num.Float](x []F, a F) {}
