//go:build !noasm

package secular

import "github.com/gramworks/gram/asm/cpu"

var levels = []cpu.Level{cpu.AVX2, cpu.AVX512}

//go:noescape
func sumsAVX512(t *Terms, d, z2 []float64, split int, base, tau float64)

//go:noescape
func ratiosAVX512(base, tau, d []float64, p float64) float64

//go:noescape
func cauchyAVX512(dst, base, tau, scale []float64, p, w float64)

//go:noescape
func rangeAVX2(d, z2 []float64, base, tau float64) (f, df float64)

//go:noescape
func ratiosAVX2(base, tau, d []float64, p float64) float64

//go:noescape
func cauchyAVX2(dst, base, tau, scale []float64, p, w float64)

func sums(t *Terms, d, z2 []float64, split int, base, tau float64) {
	switch l := cpu.Current(); {
	case l >= cpu.AVX512:
		sumsAVX512(t, d, z2, split, base, tau)
	case l >= cpu.AVX2:
		t.Psi, t.DPsi = range4(d[:split], z2[:split], base, tau)
		t.Phi, t.DPhi = range4(d[split:], z2[split:], base, tau)
	default:
		sumsGeneric(t, d, z2, split, base, tau)
	}
}

// range4 gives assembly the elements up to a multiple of 4, the rest to Go.
func range4(d, z2 []float64, base, tau float64) (f, df float64) {
	n := len(d) &^ 3
	if n > 0 {
		f, df = rangeAVX2(d[:n], z2[:n], base, tau)
	}
	g, dg := rangeGeneric(d[n:], z2[n:], base, tau)
	return f + g, df + dg
}

// ratios gives AVX2 the elements up to a multiple of 8, the rest to Go.
func ratios(base, tau, d []float64, p float64) float64 {
	switch l := cpu.Current(); {
	case l >= cpu.AVX512:
		return ratiosAVX512(base, tau, d, p)
	case l >= cpu.AVX2:
		n, v := len(d)&^7, 1.
		if n > 0 {
			v = ratiosAVX2(base[:n], tau[:n], d[:n], p)
		}
		return v * ratiosGeneric(base[n:], tau[n:], d[n:], p)
	}
	return ratiosGeneric(base, tau, d, p)
}

// cauchy gives AVX2 the elements up to a multiple of 4, the rest to Go.
func cauchy(dst, base, tau, scale []float64, p, w float64) {
	n := 0
	switch l := cpu.Current(); {
	case l >= cpu.AVX512:
		cauchyAVX512(dst, base, tau, scale, p, w)
		return
	case l >= cpu.AVX2:
		if n = len(dst) &^ 3; n > 0 {
			cauchyAVX2(dst[:n], base[:n], tau[:n], scale[:n], p, w)
		}
	}
	cauchyGeneric(dst[n:], base[n:], tau[n:], scale[n:], p, w)
}
