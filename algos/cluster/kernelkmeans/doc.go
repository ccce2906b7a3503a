// Package kernelkmeans finds clusters of any shape: kernel k-means is k-means in the
// space of a kernel's features, where rings and bands can be balls. Clusters need no
// coordinates, only kernel values, so that a precomputed kernel will do, too.
//
// With weights w_j and W the sum of those of a cluster, the squared distance of a row x
// to the cluster's mean is
//
//	K(x,x) − (2/W)·Σ_j w_j·K(x,x_j) + (1/W²)·Σ_jl w_j·w_l·K(x_j,x_l),
//
// and a fit looks for the clusters with the least sum of these distances, from seeds by
// k-means++ in the same space ([AV07]). Every row goes to the nearest mean until nothing
// changes. Normalized cuts of graphs are a case of it ([DGK04]).
//
// # Cost
//
// It stores the kernel matrix of the rows that are clustered, s² numbers. Of more than
// Sample rows a sample is clustered, and the others are assigned to its means at s kernel
// values each ([S16] 3.2). For a kernel matrix that is known as a low-rank factor Φ·Φᵀ
// use package kmeans on the rows of Φ, which takes no matrix at all.
//
// # When it fails
//
// A start ends in a local minimum: more Starts help. A kernel that is far too narrow
// makes all rows equally far from each other, and the clusters are arbitrary. With a
// kernel that is not positive semi-definite the objective can rise; the iteration then
// ends with the clusters before.
//
// The same seed gives the same clusters for any number of workers.
//
// docs/conventions.md states how matrices lie and how λ, C and seeds are counted.
//
// # References
//
// [DGK04] I. S. Dhillon, Y. Guan and B. Kulis. Kernel k-means, spectral clustering and
// normalized cuts. KDD 2004.
//
// [AV07] D. Arthur and S. Vassilvitskii. k-means++: the advantages of careful seeding.
// SODA 2007.
//
// [S16] S. Si. Large-scale non-linear prediction with applications. PhD thesis,
// University of Texas at Austin, 2016.
package kernelkmeans
