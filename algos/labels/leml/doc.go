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
// H = YᵀZ(ZᵀZ+λI)⁻¹ with Z = XW; for fixed H the best W is found by conjugate gradients,
// whose products are Xᵀ(XP·HᵀH) + λP. A round costs
// O((nnz(Y) + c·nnz(X))·k + (n+L+c·n)·k²) for c such products.
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
