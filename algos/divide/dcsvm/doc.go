// Package dcsvm trains exact kernel support vector classifiers in less time than package
// svm takes (DC-SVM, a divide-and-conquer solver): clusters of the rows are solved first,
// and their solutions are where the problem of all rows starts.
//
// # Method
//
// The problem is the dual of package svm,
//
//	min ½βᵀKβ − yᵀβ,   lower_i ≤ β_i ≤ upper_i,   Σβ_i = 0,
//
// where y_i is ±1 and the equation is left out without a bias. A tree of k-means
// clusters divides the rows, Branch children to a node. On the lowest level the problem
// of every cluster is solved by itself, as if the kernel were zero between clusters; on
// each level above it the clusters are joined, and the problem of each starts at the
// solutions of those below. Then come the support vectors alone and, at last, all rows.
// [HSD14] bound the distance of the clusters' solution from the optimum
// by the kernel values between clusters, and the support vectors of the clusters are
// mostly those of the whole, so that little is left to the last problem.
//
// The result is a model of package svm, optimal to the same tolerance on all rows
// whatever the clusters are. LevelTol is the tolerance of all problems but the last.
//
// # When it fails
//
// It never gives a worse model, but it may save no time: with few rows, with a kernel so
// wide that clusters say little about the whole, or where most rows are support vectors,
// the levels before the last one are lost. Package bka stops at the clusters (BKA-SVM),
// which takes a fraction of the time and is less accurate.
//
// docs/conventions.md states how matrices lie and how λ, C and seeds are counted.
//
// # References
//
// [HSD14] C.-J. Hsieh, S. Si, I. S. Dhillon. A divide-and-conquer
// solver for kernel support vector machines. ICML 2014.
package dcsvm
