// Package bka approximates kernel matrices by the diagonal blocks of a partition
// of the rows (block kernel approximation, BKA), and trains kernel support vector
// machines with it.
//
// With clusters V_1, …, V_c of the rows, G ≈ G̃ = diag(G⁽¹⁾, …, G⁽ᶜ⁾), G⁽ˢ⁾ the kernel
// matrix of V_s. Kernels that fall with the distance lose little if the clusters
// are far apart against the kernel's width: large γ ([Si 2016] §3.1.1).
//
// # Support vector machines
//
// With G̃ the dual of a support vector machine falls apart into one problem for
// each cluster ([Si 2016] (3.9)): for equal clusters time falls from O(n²) to
// O(n²/c). SVM solves these (BKA-SVM). A row is predicted by the machine of its
// cluster, what [Hsieh Si Dhillon 2014] call early prediction, or by all
// coefficients together. Divided goes on from there (DC-SVM): the clusters are
// joined level by level, the problems of each starting at the solutions of the one
// below; then the support vectors alone and, at last, all rows. The result is that
// of package svm, optimal to the same tolerance on all rows. Both are built on
// package svm.
//
// # Routing
//
// Rows are sent to clusters by the same function when the parts are made and when
// rows are predicted: the nearest centre or, with a limit on the size of clusters,
// a tree of nearest centres whose large nodes have been split.
//
// # References
//
// [Si 2016] S. Si. Large-scale non-linear prediction with applications. PhD thesis,
// The University of Texas at Austin, 2016.
//
// [Hsieh Si Dhillon 2014] C.-J. Hsieh, S. Si, I. S. Dhillon. A divide-and-conquer
// solver for kernel support vector machines. ICML 2014.
package bka
