//go:build noasm || (!amd64 && !arm64)

package secular

import "github.com/gramworks/gram/asm/cpu"

var levels []cpu.Level

func sums(t *Terms, d, z2 []float64, split int, base, tau float64) {
	sumsGeneric(t, d, z2, split, base, tau)
}

func ratios(base, tau, d []float64, p float64) float64 { return ratiosGeneric(base, tau, d, p) }

func cauchy(dst, base, tau, scale []float64, p, w float64) {
	cauchyGeneric(dst, base, tau, scale, p, w)
}
