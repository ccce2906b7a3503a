// Package pairwise clusters rows with the help of pairs of rows of which it is known whether
// they belong together: semi-supervised clustering ([S16] 5.3.2, Algorithm 6).
//
// The n×n matrix S with S_ij = 1 if rows i and j belong together, else 0, has rank K. The pairs
// are some of its entries. The matrix is completed from them by package completion, with the
// rows as side information of both sides,
//
//	min over W, H, U, V of Σ_Ω ½(S_ij − φ_U(x_i)W·(φ_V(x_j)H)ᵀ)² + ½λ(‖W‖²+‖H‖²).
//
// With linear maps this is MCCC ([YZJJ13]), with random Fourier features IMC-RFF, and with
// learned features GIMC-LFF. The K left singular vectors form an orthonormal basis T of the
// range of φ_U(X)W. Ideally they are constant on each cluster; k-means on the rows of T gives
// the clusters. A row that the fit has not seen is mapped in the same way and belongs to the
// nearest center.
//
// A product of conjugate gradients takes (|Ω| + n·m)·K flops for |Ω| pairs and m features, the
// features n·m·d, and k-means n·K² for each of its steps.
//
// If several λ are given, the one whose clusters contradict the fewest pairs is kept.
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
