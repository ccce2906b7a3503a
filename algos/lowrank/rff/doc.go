// Package rff maps rows to random Fourier features, whose inner products are unbiased estimates of a
// shift-invariant kernel:
//
//	φ(x) = m^{−1/2}·[cos ω₁ᵀx … cos ω_mᵀx, sin ω₁ᵀx … sin ω_mᵀx],
//	E φ(x)ᵀφ(y) = E cos ωᵀ(x−y) = K(x,y).
//
// The frequencies ω_j come from the spectral distribution of the kernel: N(0, 2γI) for the Gaussian
// exp(−γ‖x−y‖²), and independent Cauchy(γ) coordinates for the Laplacian exp(−γ‖x−y‖₁). m frequencies
// make 2m features. The error decreases as m^{−1/2}; for the Gaussian and independent frequencies the
// variance of the estimate is (1 − K²)²/(2m).
//
// Frequencies can be drawn independently, in orthogonal blocks, or from a scrambled Halton sequence.
// Fastfood does not store them: it uses products of diagonal matrices, a permutation and fast Hadamard
// transforms, which take O(m log d) for a row instead of O(m·d). For the first three the expectation
// is exactly the kernel. The rows of Fastfood are exactly N(0, 2γI) each, but dependent on each other
// within a block.
//
// # Cost
//
// A row takes 2·m·d flops and m cosines and sines, with Fastfood O(m·log d) additions in
// place of the products. The frequencies are m·d numbers, of Fastfood O(m).
//
// docs/conventions.md states how matrices lie and how λ, C and seeds are counted.
//
// # References
//
// [RR07] A. Rahimi and B. Recht. Random features for large-scale kernel
// machines. NIPS 2007.
//
// [LSS13] Q. Le, T. Sarlós and A. Smola. Fastfood: approximating kernel
// expansions in loglinear time. ICML 2013.
//
// [YSC16] F. X. Yu, A. T. Suresh, K. Choromanski, D. Holtmann-Rice and S. Kumar.
// Orthogonal random features. NIPS 2016.
//
// [ASY16] H. Avron, V. Sindhwani, J. Yang and M. W. Mahoney. Quasi-Monte Carlo
// feature maps for shift-invariant kernels. JMLR 17 (2016).
package rff
