// Package kmeans clusters rows by k-means with k-means++ seeding, for dense and sparse data
// with weights. It works on all rows, on a sample or on mini-batches, with or without a limit
// on the size of clusters; Sums makes an iteration over rows that are not in memory together, or that
// lie on several machines. It also makes trees of clusters and Voronoi and random partitions.
// Package kernelkmeans clusters in the feature space of a kernel.
//
// The same seed gives the same clusters for any number of workers.
//
// docs/conventions.md states how matrices lie and how λ, C and seeds are counted.
//
// # References
//
// [AV07] D. Arthur and S. Vassilvitskii. k-means++: the advantages of careful
// seeding. SODA 2007.
//
// [Lloyd82] S. P. Lloyd. Least squares quantization in PCM. IEEE Trans. Inf.
// Theory 28 (1982).
//
// [Raff21] E. Raff. Exact acceleration of k-means++ and k-means‖. IJCAI 2021.
//
// [Sculley10] D. Sculley. Web-scale k-means clustering. WWW 2010.
//
// [S16] S. Si. Large-scale non-linear prediction with applications. PhD
// thesis, University of Texas at Austin, 2016.
package kmeans
