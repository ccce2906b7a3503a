// Package dcsvm trains exact kernel support vector classifiers by divide and conquer (DC-SVM). It
// first solves problems on clusters of the rows and starts the problem on all rows from their
// solutions, which often takes less time than package svm.
//
// # Method
//
// The problem is the dual of package svm,
//
//	min ½βᵀKβ − yᵀβ,   lower_i ≤ β_i ≤ upper_i,   Σβ_i = 0,
//
// where y_i is ±1; without a bias there is no equality constraint. A tree of k-means clusters with
// Branch children at each node divides the rows. On the lowest level the problem of each cluster
// is solved by itself, as if the kernel were zero between clusters. On each level above, clusters
// are joined, and the problem of each starts from the solutions of the level below. The last two
// problems are those of the support vectors alone and of all rows. [HSD14] bound the distance of
// the clusters' solution from the optimum by the kernel values between clusters. Most support
// vectors of the clusters are support vectors of the whole problem, so that the last problem takes
// few iterations.
//
// The result is a model of package svm that is optimal to Tol on all rows, regardless of the
// clusters. LevelTol is the tolerance of all problems but the last.
//
// # Limits
//
// The model is as good as that of package svm, but a fit may save no time: with few rows, with a
// kernel so wide that clusters say little about the whole, or if most rows are support vectors,
// the levels before the last are wasted. Package bka stops at the clusters (BKA-SVM), which takes a
// fraction of the time and is less accurate.
//
// docs/conventions.md states how matrices lie and how λ, C and seeds are counted.
//
// # References
//
// [HSD14] C.-J. Hsieh, S. Si, I. S. Dhillon. A divide-and-conquer
// solver for kernel support vector machines. ICML 2014.
package dcsvm
