// Package dckrr is kernel ridge regression for more rows than one kernel matrix has room
// for: the rows are divided into parts, and each part is a small problem of its own
// (package krr). Parts of n/c rows take c·(n/c)³/3 flops instead of n³/3 and (n/c)²
// numbers instead of n², and they are solved side by side.
//
// # Clusters
//
// Config makes the parts by k-means, kernel k-means or a Voronoi partition ([S16] 3.3:
// DC-KRR; [EC16]: VP-KRR). Part i with the kernel matrix G_i has the coefficients
//
//	α_i = (G_i + λI)⁻¹·y_i,
//
// and predicts the rows that are nearest to it: f(x) = Σ_j α_ij·K(x_ij,x) for the part i
// of x. A prediction costs the n_i kernel values of one part. Where the target changes
// from place to place, local functions can be better than one for all rows.
//
// # Random parts
//
// Random deals the rows out at random and averages the functions of all parts
// (Random-KRR, [ZDW13]). The result is an ordinary krr.Model, one expansion in all rows,
// that costs n kernel values a prediction.
//
// # When it fails
//
// The functions of neighboring clusters do not meet at their border; Soft mixes those of
// near parts and makes the prediction continuous. A kernel that is wide against the
// clusters ties rows of different parts together, and the division loses what they say
// about each other: krr.Goodness measures how much. Voronoi cells are not balanced: one
// may hold almost all rows, and then nothing is won. Random needs a λ that is chosen for
// all rows; with a larger one, every part has a bias that no mean takes away.
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
