//go:build !noasm

package secular

import "github.com/gramworks/gram/asm/cpu"

//go:generate go run github.com/gramworks/gram/internal/neon/gen

var levels = []cpu.Level{cpu.NEON}

//go:noescape
func rangeNEON(d, z2 []float64, base, tau float64) (f, df float64)

//go:noescape
func ratiosNEON(base, tau, d []float64, p float64) float64

//go:noescape
func cauchyNEON(dst, base, tau, scale []float64, p, w float64)

func sums(t *Terms, d, z2 []float64, split int, base, tau float64) {
	if cpu.Current() < cpu.NEON {
		sumsGeneric(t, d, z2, split, base, tau)
		return
	}
	t.Psi, t.DPsi = range4(d[:split], z2[:split], base, tau)
	t.Phi, t.DPhi = range4(d[split:], z2[split:], base, tau)
}

// range4 gives assembly the elements up to a multiple of 4, the rest to Go.
func range4(d, z2 []float64, base, tau float64) (f, df float64) {
	n := len(d) &^ 3
	if n > 0 {
		f, df = rangeNEON(d[:n], z2[:n], base, tau)
	}
	g, dg := rangeGeneric(d[n:], z2[n:], base, tau)
	return f + g, df + dg
}

// ratios gives assembly the elements up to a multiple of 4, the rest to Go.
func ratios(base, tau, d []float64, p float64) float64 {
	n, v := 0, 1.
	if cpu.Current() >= cpu.NEON {
		if n = len(d) &^ 3; n > 0 {
			v = ratiosNEON(base[:n], tau[:n], d[:n], p)
		}
	}
	return v * ratiosGeneric(base[n:], tau[n:], d[n:], p)
}

// cauchy gives assembly the elements up to a multiple of 2, the rest to Go.
func cauchy(dst, base, tau, scale []float64, p, w float64) {
	n := 0
	if cpu.Current() >= cpu.NEON {
		if n = len(dst) &^ 1; n > 0 {
			cauchyNEON(dst[:n], base[:n], tau[:n], scale[:n], p, w)
		}
	}
	cauchyGeneric(dst[n:], base[n:], tau[n:], scale[n:], p, w)
}
