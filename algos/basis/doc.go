// Package basis provides feature maps that can be evaluated fast and stored in files;
// some of them can also be learned. Nearly every model of this module is a linear
// function of such features,
//
//	f(x) = φ(x)·W + b,
//
// which is a Function of this package. The features φ are:
//
//	Identity    x itself
//	Values      [k(x,u_1) … k(x,u_m)], kernel values with points
//	Fourier     m^{−½}·[cos⟨x,ω_1⟩ … cos⟨x,ω_m⟩, sin⟨x,ω_1⟩ … sin⟨x,ω_m⟩]
//	Structured  kernel values with points that fast transforms make from a few seeds
//	Pseudo      kernel values with points, and functions of these values
//	Rooted      the features of another basis times a matrix; Nyström features are Values times W^{−½}
//
// With64 and With32 of a Basis make programs of linear functions of the features. A
// program computes the features of a few rows at a time and uses them immediately, in the
// goroutine of the caller and without allocations. The matrix of a Rooted is multiplied
// into the coefficients, unless it is narrow and there are many functions. For many
// functions the program uses products of matrices.
//
// Users can add a feature map of their own by implementing Basis with the help of
// NewProgram. It is then compiled and served like those of this package.
//
// A Basis is Learnable if its points can be optimized by gradients. Values of the
// Gaussian kernel and Fourier are; goal-directed features and matrix completion learn
// them.
//
// docs/conventions.md states how matrices lie and how λ, C and seeds are counted.
package basis
