//go:build !noasm && (amd64 || arm64)

package secular

// The assembly of AVX2 and NEON takes whole vectors; Go computes the rest.

func sumsCut(t *Terms, d, z2 []float64, split int, base, tau float64) {
	t.Psi, t.DPsi = rangeCut(d[:split], z2[:split], base, tau)
	t.Phi, t.DPhi = rangeCut(d[split:], z2[split:], base, tau)
}

func rangeCut(d, z2 []float64, base, tau float64) (f, df float64) {
	n := len(d) &^ 3
	if n > 0 {
		f, df = quads(d[:n], z2[:n], base, tau)
	}
	g, dg := rangeGeneric(d[n:], z2[n:], base, tau)
	return f + g, df + dg
}

func ratiosCut(base, tau, d []float64, p float64) float64 {
	n, v := len(d)&^7, 1.
	if n > 0 {
		v = octets(base[:n], tau[:n], d[:n], p)
	}
	return v * ratiosGeneric(base[n:], tau[n:], d[n:], p)
}

func cauchyCut(dst, base, tau, scale []float64, p, w float64) {
	n := len(dst) &^ 3
	if n > 0 {
		rows4(dst[:n], base[:n], tau[:n], scale[:n], p, w)
	}
	cauchyGeneric(dst[n:], base[n:], tau[n:], scale[n:], p, w)
}
