//go:build noasm || (!amd64 && !arm64)

package level2

import "github.com/gramworks/gram/asm/cpu"

var levels []cpu.Level

func dot64(x, y []float64) float64 { return dotGeneric(x, y) }

func dot32(x, y []float32) float32 { return dotGeneric(x, y) }

func scale64(x []float64, alpha float64) { scaleGeneric(x, alpha) }

func scale32(x []float32, alpha float32) { scaleGeneric(x, alpha) }

func ger64(a []float64, lda int, x, y []float64, alpha float64) { gerGeneric(a, lda, x, y, alpha) }

func ger32(a []float32, lda int, x, y []float32, alpha float32) { gerGeneric(a, lda, x, y, alpha) }

func gemvN64(y, a []float64, lda int, x []float64, alpha float64) { gemvNGeneric(y, a, lda, x, alpha) }

func gemvN32(y, a []float32, lda int, x []float32, alpha float32) { gemvNGeneric(y, a, lda, x, alpha) }

func gemvT64(y, a []float64, lda int, x []float64, alpha float64) { gemvTGeneric(y, a, lda, x, alpha) }

func gemvT32(y, a []float32, lda int, x []float32, alpha float32) { gemvTGeneric(y, a, lda, x, alpha) }
