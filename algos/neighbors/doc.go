// Package neighbors classifies rows by the votes of their nearest neighbors in the feature space of a kernel.
//
// The squared distance of two rows in the feature space of a kernel κ is
//
//	‖φ(x) − φ(y)‖² = κ(x,x) + κ(y,y) − 2κ(x,y),
//
// so that any kernel orders the rows of a fit by their distance from a new row. With kernel.Linear this is
// classification by the nearest neighbors in the space of the rows [CH67]. A kernel of x and y that depends on
// ‖x−y‖ alone, such as kernel.Gaussian, orders the rows in the same way as their distances do. A kernel that was
// learned brings rows of one class together: package itml learns one from pairs of rows and votes in it.
//
// # Limits
//
// The model keeps all rows of the fit, and a prediction computes the kernel with every one of them: n values of κ
// for each row. There is no index that would leave rows out. Columns of different units must be scaled first.
//
// # Votes
//
// The vote of a neighbor is its weight over K. Of the neighbors of one class the nearest one, with the place
// a = 0, 1, … among all K, adds ½(1 − a/K)/K, so that of two classes with equal votes the one wins whose nearest
// neighbor is nearer.
//
// # References
//
// [CH67] T. M. Cover and P. E. Hart. Nearest neighbor pattern classification. IEEE Transactions on Information
// Theory 13 (1967).
package neighbors
