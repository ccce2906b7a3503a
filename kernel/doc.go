// Package kernel holds kernel functions and computes blocks K(X,Z) of kernel
// matrices, and their products with vectors, from dense or sparse rows in
// float64 and float32.
//
// A kernel is a small struct such as Gaussian{Gamma: 0.5}; its Eval is its
// definition. Against(k, z) packs the rows of z once; Fill, FillCSR, Mul and
// MulT of the Block then serve any x, from any number of goroutines.
//
// # References
//
//   - [Rasmussen Williams 2006] C. E. Rasmussen, C. K. I. Williams. Gaussian
//     Processes for Machine Learning. MIT Press, 2006.
package kernel
