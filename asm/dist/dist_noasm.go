//go:build noasm || (!amd64 && !arm64)

package dist

import "github.com/gramworks/gram/asm/cpu"

var levels []cpu.Level

func squared64(dst, x, z []float64, ld int) { squaredGeneric(dst, x, z, ld) }

func squared32(dst, x, z []float32, ld int) { squaredGeneric(dst, x, z, ld) }

func abs64(dst, x, z []float64, ld int) { absGeneric(dst, x, z, ld) }

func abs32(dst, x, z []float32, ld int) { absGeneric(dst, x, z, ld) }
