package basis

import "github.com/gramworks/gram/kernel"

// flopsSinCos is the cost of a sine with its cosine, as instructions of package vec.
const flopsSinCos = 40

// LinearFlops is the cost of a row of d numbers for k linear functions of them.
func LinearFlops(d, k int) float64 { return 2 * float64(d) * float64(k) }

// FourierFlops is that for functions of the features of m frequencies.
func FourierFlops(m, d, k int) float64 {
	return float64(m) * (2*float64(d) + 4*float64(k) + flopsSinCos)
}

// ValuesFlops is that for functions of m kernel values.
func ValuesFlops(kern kernel.Kernel, m, d, k int) float64 {
	return float64(m) * (kernel.Flops(kern, d) + 2*float64(k))
}

// StructuredFlops is that for functions of kernel values with m structured points, b
// for each seed, with Haar's matrix: the products of the row with a seed, their sums
// over ranges and a transform of length b.
func StructuredFlops(kern kernel.Kernel, m, b, d, k int) float64 {
	one := (2*float64(d) + 2*float64(b-1)) / float64(b)
	return float64(m) * (one + kernel.Flops(kern, d) - 2*float64(d) + 2*float64(k))
}

// PseudoFlops is that for functions of m kernel values and p products of them.
func PseudoFlops(kern kernel.Kernel, m, p, d, k int) float64 {
	return ValuesFlops(kern, m, d, k) + float64(p)*(1+2*float64(k))
}
