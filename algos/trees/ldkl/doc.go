// Package ldkl trains classifiers by local deep kernel learning: a tree of hyperplanes whose nodes
// hold linear functions, so that a prediction takes a few products of the length of a row.
//
// A row x goes from the root down a binary tree with Depth levels: at a node k above the last
// level it takes the right child if ⟨θ_k,x⟩ > 0 and otherwise the left one. The score is a sum over
// the Depth nodes of this path,
//
//	f(x) = Σ_{k on the path of x} tanh(Sigma·⟨v_k,x⟩)·⟨w_k,x⟩,
//
// with a w_k for every class against the rest if there are more than two. A 1 is appended to x, so
// that every product has a constant. This is the local linear machine with weights Wᵀφ(x) of
// [JGAV13], where φ is a feature for every node. A prediction costs 2·Depth·d·(2 + functions)
// flops, whatever the number of rows.
//
// # Fit
//
// Fit decreases
//
//	½‖W‖² + ½·Ridge·(‖V‖² + ‖Θ‖²) + C·Σ_i w_i·max(0, 1 − y_i·f(x_i)),
//
// the loss summed over the functions, in three stages:
//
//  1. Stochastic gradient steps with the step sizes of [KB15], on batches of rows, for two thirds of
//     the passes. A node passes the share ½(1 + tanh(s·⟨θ,x⟩)) of a row on to its right child; s
//     grows from Soft to 100·Soft, in units of the reciprocal root mean square of ⟨θ,x⟩ at the
//     start, until the shares are nearly 0 or 1.
//  2. The same for V and W with each row on its path, for the other passes.
//  3. A linear support vector machine (linear.SVM) finds the best W for these V and Θ, to a duality
//     gap that Stats states.
//
// The problem is not convex. Step 3 is exact; the tree and V depend on the seed. Rows
// should be scaled so that columns have similar variances.
//
// # Cost
//
// A pass over n rows takes O(n·d·2^Depth) flops per function in the first stage, as all nodes have a
// share of every row, and O(n·d·Depth) in the second and the third, which makes as many as the gap
// needs.
//
// # References
//
// [JGAV13] C. Jose, P. Goyal, P. Aggrwal and M. Varma. Local deep kernel learning for efficient
// non-linear SVM prediction. ICML 2013.
//
// [KB15] D. P. Kingma and J. Ba. Adam: a method for stochastic optimization. ICLR 2015.
package ldkl
