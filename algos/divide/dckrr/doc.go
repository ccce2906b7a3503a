// Package dckrr implements kernel ridge regression for data whose kernel matrix is too large. It
// divides the rows into parts, each of which is a small problem of its own (package krr). With c
// parts of n/c rows a fit takes c·(n/c)³/3 flops instead of n³/3, and (n/c)² numbers for each
// problem instead of n². Several parts are solved at a time.
//
// # Clusters
//
// Config makes the parts by k-means, kernel k-means ([S16] 3.3: DC-KRR) or a Voronoi partition
// ([EC16]: VP-KRR). Part i with the kernel matrix G_i has the coefficients
//
//	α_i = (G_i + λI)⁻¹·y_i
//
// and predicts the rows that are nearest to it: f(x) = Σ_j α_ij·K(x_ij,x) for the part i of x. A
// prediction costs the n_i kernel values of one part. If the target behaves differently in
// different regions, local functions can be better than one function for all rows.
//
// # Random parts
//
// Random divides the rows at random and averages the functions of all parts (Random-KRR,
// [ZDW13]). The result is an ordinary krr.Model, one expansion in all rows, and costs n kernel
// values for each prediction.
//
// # Limits
//
// The functions of neighboring clusters do not agree at their border. Soft mixes the functions of
// near parts and makes predictions continuous. If the kernel is wide compared with the clusters,
// rows of different parts carry information about each other that the division loses;
// krr.Goodness measures how much. Voronoi cells are not balanced: if one of them holds almost all
// rows, nothing is gained. Random needs a λ chosen for all rows. A larger λ gives every part a
// bias that the mean does not remove.
//
// docs/conventions.md states how matrices lie and how λ, C and seeds are counted.
//
// # References
//
// [S16] S. Si. Large-scale non-linear prediction with applications. PhD thesis,
// University of Texas at Austin, 2016.
//
// [ZDW13] Y. Zhang, J. Duchi and M. Wainwright. Divide and conquer kernel ridge
// regression. COLT 2013.
//
// [EC16] M. Eberts and I. Steinwart. Optimal learning rates for localized SVMs.
// JMLR 17 (2016).
package dckrr
