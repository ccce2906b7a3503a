// Package aesvm trains kernel support vector machines on representative rows: the approximate
// extreme points of [NKT14].
//
// The rows of a class are divided into parts of at most Part rows, each by the distances to two of
// its rows that are far apart. In a part, rows are visited from the one that is farthest from the
// part's mean in the space of the kernel. A row becomes a representative unless a convex
// combination of those found so far lies near it:
//
//	min ‖φ(x_t) − Σ_i μ_i·φ(x_i)‖² ≤ ε,   μ ≥ 0, Σ_i μ_i = 1,
//
// where ε is Epsilon times the mean of K(x,x).
// Every other row then divides its weight among the representatives of its part in the proportions
// μ of the nearest convex combination. A representative's weight β_i is its own and what it gets.
// The machine is that of svm.Config on the representatives with the weights β.
//
// As losses are convex and their slope is at most 1, every function f with norm ‖f‖ has
//
//	Σ_i β_i·loss(f, i) ≥ Σ_t w_t·loss(f, t) − ‖f‖·√ε·Σ_t w_t,
//
// so that the objective of the model on all rows exceeds that on the representatives by at most
// C·‖f‖·√ε·Σ w_t.
//
// The choice takes O(n·log(n/Part)·d + n·Part·d) flops and a few products with a Part×Part matrix for
// every row; the machine takes what svm.Config takes for the representatives.
//
// # References
//
// [NKT14] M. Nandan, P. P. Khargonekar and S. S. Talathi. Fast SVM training using approximate extreme
// points. JMLR 15, 2014.
package aesvm
