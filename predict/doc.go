// Package predict turns fitted models into programs for prediction, in float64 or float32. A program
// predicts a row or a block of rows without allocation and can be used from any number of goroutines. It
// is either exact or, for kernel machines x ↦ Σ_j K(u_j,x)·coef_j + b, an approximation that costs a
// given multiple of the prediction of a linear model.
//
// # Programs
//
// For a function of a basis (package basis) with d columns and k outputs, the program has one of these
// forms, or that of a user's basis. The list gives the flops for a row:
//
//	linear      ⟨x,w_c⟩ + b_c: 2dk flops a row
//	kernel      Σ_j K(u_j,x)·A_jc + b_c with m points: m(2d+2k+κ)
//	structured  the same with landmarks u_j that fast transforms make of seeds:
//	            see package fastnys for U·x; m(2k+κ) beyond that
//	pseudo      Σ_j K(u_j,x)·A_jc + Σ_ij K(u_i,x)·K(u_j,x)·B_ijc + b_c with products
//	            of two values, or what else package pseudo has: a kernel program
//	            and p(1+2k) for p products
//	fourier     Σ_j cos⟨ω_j,x⟩·A_jc + sin⟨ω_j,x⟩·A_{m+j,c} + b_c: m(2d+4k+40)
//
// κ is the cost of the kernel's function without the sum over the columns; see Cost. Points with
// coefficients 0 are left out. Linear models on Nyström features K(x,U)·R have the kernel form with
// A = R·W, which saves the product with R. Those on Fourier features (random, Fastfood or learned) have
// the fourier form with explicit frequencies.
//
// Every model of this module can be compiled. A model that is not a function of a basis, such as trees or
// machines that send a row to one of several parts, implements gram.Compiler: it makes its program
// itself and is stored as it is.
//
// # Approximations
//
// A kernel machine f can be replaced by a linear function of cheaper features. Options.Candidates lists
// the approximations to try; those of this module are in package predict/approx. A fifth of the rows to
// which approximations are fitted is held out and gives the error that Stats reports.
//
// # Accuracy
//
// The exact programs in float64 equal the model's own prediction up to rounding;
// see package kernel for the bounds of kernel values.
//
// In float32 let u = 2⁻²⁴, and let points, coefficients and constants be rounded
// to float32 first. A kernel program differs from the float64 program by at most
//
//	Σ_j |A_jc|·(δ_j + (m+4)·u·|K_j|) + 4u·|b_c|
//
// where δ_j bounds the error of the value K_j. For the Gaussian
// δ_j = e^(γε)−1 + 3u·γs+5u, with s = ‖x−u_j‖² and ε = (2k+10)·u·(‖x‖+‖u_j‖)² for
// k = min(d,64)+⌈d/64⌉+1: the error of s, the rounding of both rows included. For
// polynomials of degree p and base t = c+⟨x,u_j⟩ it is
// p·(|t|+η)^(p−1)·η+2pu·|t|^p, η = (k+4)·u·(c+Σ_i|x_i·u_ji|). Large coefficients
// of opposite signs thus cost digits; Stats.Rounding is the difference that was
// measured.
//
// For other kernels, structured landmarks and pseudo-landmarks no bound is stated.
//
// A linear program differs by at most (d+4)·u·(Σ_i|x_i·w_ic|+|b_c|), a fourier
// program by Σ_j(|A_jc|+|A_{m+j,c}|)·((k+4)·u·Σ_i|x_i·ω_ij| + (2m+6)·u) + 4u·|b_c|.
//
// # References
//
//   - [S16] S. Si. Large-scale non-linear prediction with applications. PhD
//     thesis, The University of Texas at Austin, 2016: chapter 5.
//   - [RR07] A. Rahimi, B. Recht. Random features for large-scale kernel
//     machines. NIPS 2007.
package predict
