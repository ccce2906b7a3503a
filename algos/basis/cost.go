package basis

import "github.com/gramworks/gram/kernel"

// flopsSinCos is the cost of a sine together with its cosine, in instructions of package vec.
const flopsSinCos = 40

// LinearFlops returns the flops of k linear functions for a row of d numbers.
func LinearFlops(d, k int) float64 { return 2 * float64(d) * float64(k) }

// FourierFlops returns the flops of k functions of the features of m frequencies for a row.
func FourierFlops(m, d, k int) float64 {
	return float64(m) * (2*float64(d) + 4*float64(k) + flopsSinCos)
}

// ValuesFlops returns the flops of k functions of m kernel values for a row.
func ValuesFlops(kern kernel.Kernel, m, d, k int) float64 {
	return float64(m) * (kernel.Flops(kern, d) + 2*float64(k))
}

// StructuredFlops returns the flops of k functions of kernel values with m structured
// points for a row, with b points for each seed and Haar's matrix. It counts the products
// of the row with the seeds, their sums over ranges and the transforms of length b.
func StructuredFlops(kern kernel.Kernel, m, b, d, k int) float64 {
	one := (2*float64(d) + 2*float64(b-1)) / float64(b)
	return float64(m) * (one + kernel.Flops(kern, d) - 2*float64(d) + 2*float64(k))
}

// PseudoFlops returns the flops of k functions of m kernel values and p products of them.
func PseudoFlops(kern kernel.Kernel, m, p, d, k int) float64 {
	return ValuesFlops(kern, m, d, k) + float64(p)*(1+2*float64(k))
}
