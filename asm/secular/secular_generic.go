package secular

func sumsGeneric(t *Terms, d, z2 []float64, split int, base, tau float64) {
	*t = Terms{}
	t.Psi, t.DPsi = rangeGeneric(d[:split], z2[:split], base, tau)
	t.Phi, t.DPhi = rangeGeneric(d[split:], z2[split:], base, tau)
}

func rangeGeneric(d, z2 []float64, base, tau float64) (f, df float64) {
	for i, v := range d {
		r := 1 / ((v - base) - tau)
		q := z2[i] * r
		f += q
		df += float64(q * r)
	}
	return f, df
}

func ratiosGeneric(base, tau, d []float64, p float64) float64 {
	v := 1.
	for j := range d {
		q := d[j] - p
		if q == 0 {
			q = 1
		}
		v *= ((base[j] - p) + tau[j]) / q
	}
	return v
}

func cauchyGeneric(dst, base, tau, scale []float64, p, w float64) {
	for j := range dst {
		dst[j] = w * scale[j] / ((base[j] - p) + tau[j])
	}
}
