// Package leml predicts sets of labels by linear regression on all labels with a coefficient matrix of
// low rank (LEML). It is small and fast, and a good first method for multi-label data.
//
// For the n×L matrix Y of labels, 1 where a row has the label, and rows X,
//
//	min over W (d×k), H (L×k) of ‖Y−XWHᵀ‖² + λ(‖W‖²+‖H‖²)
//
// ([S16] eq. 6.24), with a constant column added to X. The scores of a row's labels are
// x·W·Hᵀ. If k is at least the rank of the solution, the minimum is that of ‖Y−XB‖² + 2λ‖B‖_* over B:
// the two norms together represent the nuclear norm.
//
// Nothing of size n×L is formed. For fixed W the best H solves a k×k system, H = YᵀZ(ZᵀZ+λI)⁻¹ with
// Z = XW. For fixed H, rotated so that its columns are orthogonal, each column of W has a problem of
// its own, (‖h_j‖²XᵀX+λI)w_j = XᵀYh_j. Conjugate gradients solve these problems together, each until
// its residual is a tenth of that at the beginning of the round. The objective decreases in every
// round until it can decrease no more; at full rank it reaches the minimum over B. A round costs
// O((nnz(Y) + c·nnz(X))·k + (n+L)·k² + k³) for c products with XᵀX.
//
// Objective computes the objective and its gradients. The W that a fit starts from can be given;
// Factors returns the result.
//
// # Limits
//
// Scores are linear in x and of rank k in the labels. If labels depend on the rows in another way, use
// learned features (package gimc) or trees (packages gbml and fastxml). A few directions cannot tell
// rare labels apart; use the neighbors of package sleec for these. The time of a prediction and the
// memory of a model are proportional to L, which is not so for the trees.
//
// # References
//
// [YJKD14] H.-F. Yu, P. Jain, P. Kar, I. S. Dhillon. Large-scale multi-label learning with
// missing labels. ICML 2014: the method.
//
// [S16] S. Si. Large-scale non-linear prediction with applications. PhD thesis, The
// University of Texas at Austin, 2016.
package leml
