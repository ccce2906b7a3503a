//go:build noasm || (!amd64 && !arm64)

package peak

import "github.com/gramworks/gram/asm/cpu"

var levels []cpu.Level

func fma32(x []float32, a, b float32, rounds int) { fmaGeneric(x, a, four(b), rounds) }
func fma64(x []float64, a, b float64, rounds int) { fmaGeneric(x, a, four(b), rounds) }
func add32(x []float32, b float32, rounds int)    { addGeneric(x, b, rounds) }
func add64(x []float64, b float64, rounds int)    { addGeneric(x, b, rounds) }
func mix32(x []float32, a, b float32, rounds int) { mixGeneric(x, a, four(b), rounds) }
func mix64(x []float64, a, b float64, rounds int) { mixGeneric(x, a, four(b), rounds) }
func sum32(x []float32) float32                   { return sumGeneric(x) }
func sum64(x []float64) float64                   { return sumGeneric(x) }
func copy32(dst, src []float32)                   { copyGeneric(dst, src) }
func copy64(dst, src []float64)                   { copyGeneric(dst, src) }
func shift32(x []float32, b float32)              { shiftGeneric(x, b) }
func shift64(x []float64, b float64)              { shiftGeneric(x, b) }
func fill32(dst []float32, v float32)             { fillGeneric(dst, v) }
func fill64(dst []float64, v float64)             { fillGeneric(dst, v) }
func stream32(dst []float32, v float32)           { fillGeneric(dst, v) }
func stream64(dst []float64, v float64)           { fillGeneric(dst, v) }
