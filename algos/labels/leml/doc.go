// Package leml predicts sets of labels by linear regression on all of them with a matrix
// of low rank (LEML). It is small and fast, and where to begin with multi-label data.
//
// For the n×L matrix Y of labels, 1 where a row has the label, and rows X,
//
//	min over W (d×k), H (L×k) of ‖Y−XWHᵀ‖² + λ(‖W‖²+‖H‖²)
//
// ([S16] eq. 6.24), with a constant column added to X. The scores of a row's labels are
// x·W·Hᵀ. At k ≥ rank the minimum is that of ‖Y−XB‖² + 2λ‖B‖_* over B, the nuclear norm,
// which is what the two norms stand for.
//
// Nothing of size n×L is formed: for fixed W the best H solves a k×k system,
// H = YᵀZ(ZᵀZ+λI)⁻¹ with Z = XW. For fixed H, turned so that its columns are orthogonal,
// the columns of W are problems of their own, (‖h_j‖²XᵀX+λI)w_j = XᵀYh_j, which
// conjugate gradients solve together, each until its residual is a tenth of what
// it was when the round began. So the objective falls in every round until it can fall no
// more, down to the minimum over B at full rank. A round costs
// O((nnz(Y) + c·nnz(X))·k + (n+L)·k² + k³) for c products with XᵀX.
//
// Objective is the function itself with its gradients. The W that a fit starts from can be
// given; Factors shows what it ends with.
//
// # When it fails
//
// Scores are linear in x and of rank k in the labels. Labels that depend on the rows in
// another way ask for learned features (package gimc) or for trees (packages gbml and
// fastxml); rare labels, which few directions cannot tell apart, for the neighbors of
// package sleec. A prediction takes time and a model takes memory in proportion to L,
// which the trees do not.
//
// # References
//
// [YJKD14] H.-F. Yu, P. Jain, P. Kar, I. S. Dhillon. Large-scale multi-label learning with
// missing labels. ICML 2014: the method.
//
// [S16] S. Si. Large-scale non-linear prediction with applications. PhD thesis, The
// University of Texas at Austin, 2016.
package leml
