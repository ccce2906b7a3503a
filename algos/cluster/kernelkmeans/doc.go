// Package kernelkmeans finds clusters of any shape. Kernel k-means is k-means in the feature
// space of a kernel, where a ring or a band can be a ball. It needs only kernel values, not
// coordinates, so a precomputed kernel can be used.
//
// For weights w_j with sum W in a cluster, the squared distance of a row x from the mean of
// the cluster is
//
//	K(x,x) − (2/W)·Σ_j w_j·K(x,x_j) + (1/W²)·Σ_jl w_j·w_l·K(x_j,x_l).
//
// A fit minimizes the weighted sum of these distances. It begins with seeds by k-means++ in
// the same space ([AV07]) and assigns every row to the nearest mean until nothing changes.
// Normalized cuts of graphs are a special case ([DGK04]).
//
// # Cost
//
// A fit stores the kernel matrix of the rows that are clustered, s² numbers. If there are
// more than Sample rows, a sample is clustered, and the other rows are assigned to the means
// at s kernel values each ([S16] 3.2). For a kernel matrix that is known as a low-rank factor
// Φ·Φᵀ use package kmeans on the rows of Φ, which needs no kernel matrix.
//
// # Limits
//
// Each start ends in a local minimum; more Starts help. If the kernel is far too narrow, all
// rows are equally far from each other and the clusters are arbitrary. If the kernel is not
// positive semi-definite, the objective can rise; the iteration then ends with the previous
// clusters.
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
