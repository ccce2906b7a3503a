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
// where G⁽ˢ⁾ is the kernel matrix of V_s ([S16] §3.1.1). Config divides the rows by k-means, and
// Of uses a given partition. Approximation multiplies by G̃ without storing a block. The squared
// error of the approximation is Σ G_ij² over rows i, j of different clusters.
//
// # Support vector machines
//
// With G̃ the dual of a support vector machine separates into one problem for each cluster ([S16]
// (3.9)). For c clusters of equal size the time decreases from O(n²) to O(n²/c). SVM solves these
// problems with package svm. A row is predicted by the machine of its cluster, which [HSD14] call
// early prediction, or by the coefficients of all clusters together. Package dcsvm continues
// from the clusters to the optimum on all rows (DC-SVM).
//
// # Limits
//
// Kernels that decrease with the distance lose little if the distances between clusters are
// large compared with the width of the kernel, that is if γ is large. If the kernel is wide or
// does not decrease with the distance, or if the data have no clusters, most of G lies outside
// of the blocks. A low-rank approximation (package nystrom) or package dcsvm is then better.
//
// # Routing
//
// The same function assigns rows to clusters in a fit and in predictions: the nearest center or,
// with a limit on the size of clusters, a tree of nearest centers whose large nodes have been
// split. A given partition may assign rows of the fit differently from its Router, or from the
// nearest mean of a cluster if it has no Router.
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
