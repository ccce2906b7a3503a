// Package pairwise clusters rows with the help of some pairs of rows of which it is known
// that they belong together, or that they do not: semi-supervised clustering
// ([S16] 5.3.2, Algorithm 6).
//
// The matrix S of n rows with S_ij = 1 where i and j belong together and 0 where
// not has rank K. The pairs are some of its entries, from which it is completed with
// the rows as side information of both sides (package imc, on which this one is
// built),
//
//	min over W, H, U, V of Σ_Ω ½(S_ij − φ_U(x_i)W·(φ_V(x_j)H)ᵀ)² + ½λ(‖W‖²+‖H‖²).
//
// With linear maps that is MCCC ([YZJJ13]), with random Fourier features IMC-RFF,
// with learned ones GIMC-LFF. The K left singular vectors, an orthonormal basis T of
// φ_U(X)W, are ideally constant on each cluster, and k-means on the rows of T gives
// the clusters. A row that the fit has not seen is mapped in the same way and goes to
// the nearest center.
//
// Of several λ the one is kept whose clusters contradict the fewest pairs.
//
// docs/conventions.md states how matrices lie and how λ, C and seeds are counted.
//
// # References
//
// [S16] S. Si. Large-scale non-linear prediction with applications. PhD thesis,
// The University of Texas at Austin, 2016. Its error of a clustering has the
// normalizing factor upside down; here it is 1 − Rand index, metric.PairError.
//
// [YZJJ13] J. Yi, L. Zhang, R. Jin, Q. Qian and A. K. Jain. Semi-supervised
// clustering by input pattern assisted pairwise similarity matrix completion. ICML
// 2013.
package pairwise
