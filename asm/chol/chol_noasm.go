//go:build noasm || (!amd64 && !arm64)

package chol

import "github.com/gramworks/gram/asm/cpu"

var levels []cpu.Level

func rotate64(kind Kind, u []float64, stride int, w []float64, r *Rotations[float64]) {
	rotateGeneric(kind, u, stride, w, r)
}

func rotate32(kind Kind, u []float32, stride int, w []float32, r *Rotations[float32]) {
	rotateGeneric(kind, u, stride, w, r)
}

func rotateLower64(kind Kind, l []float64, stride int, w []float64, r *Rotations[float64]) {
	rotateLowerGeneric(kind, l, stride, w, r)
}

func rotateLower32(kind Kind, l []float32, stride int, w []float32, r *Rotations[float32]) {
	rotateLowerGeneric(kind, l, stride, w, r)
}

func sweep64(b []float64, n, stride int, w, d, c []float64) {
	sweepGeneric(b, n, stride, w, d, c)
}

func sweep32(b []float32, n, stride int, w, d, c []float32) {
	sweepGeneric(b, n, stride, w, d, c)
}

func rotatePanel64(kind Kind, l []float64, stride int, w []float64, r []Rotations[float64]) {
	rotatePanelGeneric(kind, l, stride, w, r)
}
