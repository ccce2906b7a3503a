// Package multilabel holds linear models for rows with sets of labels.
//
// LEML ([YJKD14]; [S16] eq. 6.24) factors the matrix of a ridge regression on
// all labels: for the n×L matrix Y of labels (1 where a row has the label),
//
//	min over W (d×k), H (L×k) of ‖Y−XWHᵀ‖² + λ(‖W‖²+‖H‖²)
//
// with a constant column added to X. Nothing of size n×L is formed: for fixed W
// the best H solves a k×k system, H = YᵀZ(ZᵀZ+λI)⁻¹ with Z = XW; for fixed H the
// best W is found by conjugate gradients, whose products are
// Xᵀ(XP·HᵀH) + λP. A round costs O((nnz(Y) + c·nnz(X))·k + (n+L+c·n)·k²) for c
// such products. At k ≥ rank the minimum is that of ‖Y−XZ‖² + 2λ‖Z‖_* over Z, the
// nuclear norm, which is what the two norms stand for.
//
// GIMC ([S16] eq. 5.23) scores labels by ΦW with Φ = φ_U(X), features whose
// frequencies (GIMC-LFF) or landmarks (GIMC-LNYS) are learned with W:
//
//	min over W, U of ½‖Y−φ_U(X)W‖² + ½λ‖W‖²
//
// It is the goal-directed matrix completion of package imc, which makes the maps,
// with all entries observed and no side information of the labels. C of the thesis
// is 1/λ. W = (ΦᵀΦ+λI)⁻¹ΦᵀY (printed without Φᵀ) takes turns with a gradient step on
// U whose length is found by Armijo's rule. Nothing of size n×L is formed here
// either: ∂f/∂Φ = Φ·WWᵀ − YWᵀ, and with the W at hand
//
//	f = ½‖Y‖² − ⟨YWᵀ, Φ⟩ + ½⟨WWᵀ, ΦᵀΦ⟩ + ½λ‖W‖²,
//
// which makes a step O((nnz(X) + nnz(Y))·m + (n+L)·m²). With at most half as many labels
// as features blocks of rows of ΦW−Y are cheaper still.
//
// References: [YJKD14] H.-F. Yu, P. Jain, P. Kar, I. S. Dhillon, Large-scale
// multi-label learning with missing labels, ICML 2014. [S16] S. Si, Large-scale
// non-linear prediction with applications, PhD thesis, The University of Texas
// at Austin, 2016.
package multilabel
