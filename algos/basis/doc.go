// Package basis holds the feature maps of the module that are evaluated fast,
// stored in files and, some of them, learned. Nearly every model here is a linear
// function of such features,
//
//	f(x) = φ(x)·W + b,
//
// a Function of this package. What φ is:
//
//	Identity    x itself
//	Values      [k(x,u_1) … k(x,u_m)], kernel values with points
//	Fourier     m^{−½}·[cos⟨x,ω_1⟩ … cos⟨x,ω_m⟩, sin⟨x,ω_1⟩ … sin⟨x,ω_m⟩]
//	Structured  kernel values with points that fast transforms make of a few seeds
//	Pseudo      kernel values with points, and functions of these values
//	Rooted      any of them times a matrix: Nyström features are Values times W^{−½}
//
// A Basis makes programs of linear functions of its features: With64 and With32.
// A program computes the features of a few rows at a time and uses them up at once,
// in the goroutine of the caller and without allocating anything, and the matrix of
// a Rooted becomes part of the coefficients, unless it is narrow and the functions are
// many. Many functions are a product of matrices. A feature map of a user that implements
// Basis, for which NewProgram is at hand, is as fast as these, compiles and is
// served.
//
// A Basis is Learnable if its points can follow a gradient: goal-directed features
// and matrix completion learn Values of the Gaussian kernel and Fourier.
//
// docs/conventions.md states how matrices lie and how λ, C and seeds are counted.
package basis
