//go:build noasm || !amd64

package symv

import "github.com/gramworks/gram/asm/cpu"

var levels []cpu.Level

func panel64(n int, a *float64, lda int, x, y *float64, xr, s *[4]float64) {
	panelGeneric(n, a, lda, x, y, xr, s)
}

func panel32(n int, a *float32, lda int, x, y *float32, xr, s *[4]float32) {
	panelGeneric(n, a, lda, x, y, xr, s)
}
