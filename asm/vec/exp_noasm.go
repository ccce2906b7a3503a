//go:build noasm || (!amd64 && !arm64)

package vec

import "github.com/gramworks/gram/asm/cpu"

var levels []cpu.Level

func exp64(dst, src []float64, f factor[float64]) { exp64Generic(dst, src, f.scale, f.cut) }

func exp32(dst, src []float32, f factor[float32]) { exp32Generic(dst, src, f.scale, f.cut) }
