// Package gimc predicts sets of labels by ridge regression on all labels with learned features: Fourier
// features (GIMC-LFF) or Nyström features (GIMC-LNYS).
//
// For the n×L matrix Y of labels, 1 where a row has the label, and features Φ = φ_U(X)
// with frequencies or landmarks U,
//
//	min over W, U of ½‖Y−φ_U(X)W‖² + ½λ‖W‖²
//
// ([S16] eq. 5.23). The scores of a row's labels are φ_U(x)·W. It is the goal-directed
// inductive matrix completion of package completion, which makes the maps, with all
// entries observed and no side information of the labels. C of the thesis is 1/λ.
//
// The computation of W = (ΦᵀΦ+λI)⁻¹ΦᵀY (printed without Φᵀ) alternates with gradient steps on U, whose
// lengths are found by Armijo's rule. Nothing of size n×L is formed: ∂f/∂Φ = Φ·WWᵀ − YWᵀ, and for the
// current W
//
//	f = ½‖Y‖² − ⟨YWᵀ, Φ⟩ + ½⟨WWᵀ, ΦᵀΦ⟩ + ½λ‖W‖²,
//
// so that a step costs O((nnz(X) + nnz(Y))·m + (n+L)·m²) for m features. If there are at most half as
// many labels as features, blocks of rows of ΦW−Y are used, which cost less.
//
// The frequencies or landmarks from which learning starts can be given. Objective computes f and its
// gradients.
//
// # Limits
//
// The problem is not convex in U. The result depends on the initial features, most of all on γ. Every
// step lowers the objective on the training rows, but too many steps fit noise; Validation stops when
// held-out rows are ranked best. If the labels depend linearly on the rows, package leml is as good in a
// fraction of the time.
//
// # References
//
// [S16] S. Si. Large-scale non-linear prediction with applications. PhD thesis, The
// University of Texas at Austin, 2016.
//
// [SCKD16] S. Si, K.-Y. Chiang, C.-J. Hsieh, N. Rao, I. S. Dhillon. Goal-directed inductive
// matrix completion. KDD 2016.
package gimc
