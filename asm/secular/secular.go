package secular

//go:generate go run github.com/gramworks/gram/internal/neon/gen
//go:generate go run github.com/gramworks/gram/asm/gen

// Terms holds the sums that Sums computes: Psi over the poles before the split,
// Phi over the others, each with its derivative.
type Terms struct{ Psi, DPsi, Phi, DPhi float64 }

// Sums evaluates both sides of a secular equation at base + tau,
//
//	Psi  = Σ_{i<split} z2_i/x_i   DPsi = Σ_{i<split} z2_i/x_i²   x_i = (d_i−base)−tau
//	Phi  = Σ_{i≥split} z2_i/x_i   DPhi = Σ_{i≥split} z2_i/x_i²
//
// for 0 ≤ split ≤ len(d). z2 has the length of d; only t is written.
func Sums(t *Terms, d, z2 []float64, split int, base, tau float64) {
	z2 = z2[:len(d)]
	_ = d[:split]
	if len(d) <= maxWork {
		sums(t, d, z2, split, base, tau)
		return
	}
	*t = Terms{}
	for lo := 0; lo < len(d); lo += maxWork {
		hi := min(lo+maxWork, len(d))
		var part Terms
		sums(&part, d[lo:hi], z2[lo:hi], min(max(split-lo, 0), hi-lo), base, tau)
		t.Psi += part.Psi
		t.DPsi += part.DPsi
		t.Phi += part.Phi
		t.DPhi += part.DPhi
	}
}

// Ratios returns Π_j ((base_j−p)+tau_j)/(d_j−p), where a divisor of zero counts
// as 1. All slices have the length of d.
func Ratios(base, tau, d []float64, p float64) float64 {
	base, tau = base[:len(d)], tau[:len(d)]
	v := 1.
	for lo := 0; lo < len(d); lo += maxWork {
		hi := min(lo+maxWork, len(d))
		v *= ratios(base[lo:hi], tau[lo:hi], d[lo:hi], p)
	}
	return v
}

// Cauchy sets dst_j = w·scale_j/((base_j−p)+tau_j). All slices have the length of
// dst, which overlaps none of them.
func Cauchy(dst, base, tau, scale []float64, p, w float64) {
	base, tau, scale = base[:len(dst)], tau[:len(dst)], scale[:len(dst)]
	for lo := 0; lo < len(dst); lo += maxWork {
		hi := min(lo+maxWork, len(dst))
		cauchy(dst[lo:hi], base[lo:hi], tau[lo:hi], scale[lo:hi], p, w)
	}
}

// maxWork bounds the elements in one call of assembly: three slices of 2048
// float64 are 48 KiB.
const maxWork = 2048
