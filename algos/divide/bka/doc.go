// Package bka trains support vector classifiers one cluster at a time (BKA-SVM), on the
// block kernel approximation (BKA): the diagonal blocks of a kernel matrix that belong
// to a partition of the rows.
//
// # Block kernel approximation
//
// With clusters V_1, …, V_c of the rows,
//
//	G ≈ G̃ = diag(G⁽¹⁾, …, G⁽ᶜ⁾),
//
// where G⁽ˢ⁾ is the kernel matrix of V_s ([S16] §3.1.1). Config divides the rows by
// k-means, Of takes a partition that is given, and Approximation multiplies with G̃
// without storing a block. What is left out is Σ G_ij² over rows i, j of different
// clusters.
//
// # Support vector machines
//
// With G̃ the dual of a support vector machine falls apart into one problem for each
// cluster ([S16] (3.9)): for equal clusters time falls from O(n²) to O(n²/c). SVM
// solves these with package svm. A row is predicted by the machine of its cluster, what
// [HSD14] call early prediction, or by all coefficients together.
// Package dcsvm goes on from clusters to the optimum on all rows (DC-SVM).
//
// # When it fails
//
// Kernels that fall with the distance lose little if the clusters are far apart against
// the kernel's width, which is to say if γ is large. With a wide kernel, with one that
// does not fall with the distance, or with data that have no clusters, most of G lies
// outside of the blocks, and a low-rank approximation (package nystrom) or package dcsvm
// is the better choice.
//
// # Routing
//
// Rows are sent to clusters by the same function when the parts are made and when
// rows are predicted: the nearest center or, with a limit on the size of clusters,
// a tree of nearest centers whose large nodes have been split. A partition that is given
// may have rows elsewhere than its Router, or the nearest mean of a cluster, sends them.
//
// docs/conventions.md states how matrices lie and how λ, C and seeds are counted.
//
// # References
//
// [S16] S. Si. Large-scale non-linear prediction with applications. PhD thesis,
// The University of Texas at Austin, 2016.
//
// [HSD14] C.-J. Hsieh, S. Si, I. S. Dhillon. A divide-and-conquer
// solver for kernel support vector machines. ICML 2014.
package bka
