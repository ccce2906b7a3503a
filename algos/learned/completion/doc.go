// Package completion completes a partially observed matrix A, nx×ny, with side
// information X of its rows and Y of its columns:
//
//	min over W, H (and U, V)  Σ_Ω ℓ(⟨p_i, q_j⟩, A_ij) + ½λ(‖W‖²+‖H‖²),
//	P = φ_U(X)W,  Q = φ_V(Y)H
//
// over the observed entries Ω, with the squared loss ½(b−a)² or the logistic one.
// The maps φ make the method ([S16] 5.3.2): the identity for matrix completion
// (MC, 5.16), the rows of X and Y themselves for inductive matrix completion (IMC,
// 5.17), random Fourier or Nyström features for IMC-RFF and IMC-NYS (5.19), and
// features whose frequencies or landmarks are learned along with W and H for
// GIMC-LFF and GIMC-LNYS (5.20, Algorithm 5). Each side has a map of its own, and
// only one need have side information. The Nyström features have M = I, as the
// thesis takes them for learning, here also where they are not learned.
//
// W and H take turns. Each time the problem is convex; a Newton step is found by
// conjugate gradients, whose products cost O((|Ω|+n·m)k) for m features, or row by
// row where there is no side information, and shortened until the objective falls.
// For the squared loss that is alternating least squares. Then frequencies and
// landmarks take gradient steps with Armijo's rule: with R = ℓ′ on Ω and E =
// RQWᵀ, the gradient in Φ = φ_U(X) = [Φ_c Φ_s], it is Xᵀ(Φ_c∘E_s − Φ_s∘E_c) for
// Fourier features; (5.25) is the same with the factor 1/√m that it lacks. With B
// = E∘Φ it is 2γ(BᵀX − diag(Bᵀ1)U) for Nyström ones. The cost is O(nnz(X)·m +
// (|Ω|+n·m)k). The objective never rises. Learning lowers the loss of the observed
// entries, not always that of the others: Validation stops it in time.
//
// Points and factors that a fit starts from can be given. Objective is what a fit makes small
// with its gradients by U, V, W and H.
//
// The matrix of all entries is formed by Predict alone. Rows and columns that the
// fit has not seen are predicted from their side information.
//
// # References
//
// [S16] S. Si. Large-scale non-linear prediction with applications. PhD thesis,
// University of Texas at Austin, 2016, section 5.3.
//
// [JD13] P. Jain and I. S. Dhillon. Provable inductive matrix completion.
// arXiv:1306.0626, 2013.
//
// [SCKD16] S. Si, K.-Y. Chiang, C.-J. Hsieh, N. Rao and I. S. Dhillon.
// Goal-directed inductive matrix completion. KDD 2016.
package completion
