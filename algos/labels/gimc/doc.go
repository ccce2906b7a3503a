// Package gimc predicts sets of labels by ridge regression on all of them in features
// that are learned with it: Fourier features (GIMC-LFF) or Nyström features (GIMC-LNYS).
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
// W = (ΦᵀΦ+λI)⁻¹ΦᵀY (printed without Φᵀ) takes turns with a gradient step on U whose
// length is found by Armijo's rule. Nothing of size n×L is formed:
// ∂f/∂Φ = Φ·WWᵀ − YWᵀ, and with the W at hand
//
//	f = ½‖Y‖² − ⟨YWᵀ, Φ⟩ + ½⟨WWᵀ, ΦᵀΦ⟩ + ½λ‖W‖²,
//
// which makes a step O((nnz(X) + nnz(Y))·m + (n+L)·m²) for m features. With at most half
// as many labels as features blocks of rows of ΦW−Y are cheaper still.
//
// The frequencies or landmarks that learning starts from can be given. Objective is f with
// its gradients.
//
// # When it fails
//
// The problem is not convex in U: where the steps end depends on where the features
// start, on γ most. Every step lowers the objective on the rows of the fit, and too many
// of them fit noise; Validation stops where held-out rows are ranked best. Where labels
// are linear in the rows package leml does as well in a fraction of the time.
//
// # References
//
// [S16] S. Si. Large-scale non-linear prediction with applications. PhD thesis, The
// University of Texas at Austin, 2016.
//
// [SCKD16] S. Si, K.-Y. Chiang, C.-J. Hsieh, N. Rao, I. S. Dhillon. Goal-directed inductive
// matrix completion. KDD 2016.
package gimc
