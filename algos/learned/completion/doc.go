// Package completion completes a partially observed matrix A, nx×ny, with side
// information X of its rows and Y of its columns:
//
//	min over W, H (and U, V)  Σ_Ω ℓ(⟨p_i, q_j⟩, A_ij) + ½λ(‖W‖²+‖H‖²),
//	P = φ_U(X)W,  Q = φ_V(Y)H
//
// over the observed entries Ω, with the squared loss ½(b−a)² or the logistic loss. The maps φ
// determine the method ([S16] 5.3.2). The identity gives matrix completion (MC, 5.16). The rows of X
// and Y themselves give inductive matrix completion (IMC, 5.17), and random Fourier or Nyström
// features IMC-RFF and IMC-NYS (5.19). Features whose frequencies or landmarks are learned together
// with W and H give GIMC-LFF and GIMC-LNYS (5.20, Algorithm 5). Each side has its own map; a side
// without side information has the identity. Nyström features are kernel values without a root
// (M = I), as in the thesis for learned ones, here also if they are not learned.
//
// W and H are computed in turn. Each of these problems is convex. A Newton step is found by conjugate
// gradients, whose products cost O((|Ω|+n·m)k) for m features, or row by row if there is no side
// information; it is shortened until the objective decreases. For the squared loss this is
// alternating least squares.
//
// Then frequencies and landmarks make gradient steps with Armijo's rule. With R = ℓ′ on Ω and
// E = RQWᵀ, the gradient in Φ = φ_U(X) = [Φ_c Φ_s], the gradient in U is Xᵀ(Φ_c∘E_s − Φ_s∘E_c) for
// Fourier features; (5.25) lacks the factor 1/√m. For Nyström features it is 2γ(BᵀX − diag(Bᵀ1)U)
// with B = E∘Φ. The cost is O(nnz(X)·m + (|Ω|+n·m)k). The objective never increases. Learning lowers
// the loss of the observed entries but not always that of the others; Validation stops it in time.
//
// The points and factors that a fit starts from can be given. Objective computes the objective of a
// fit and its gradients with respect to U, V, W and H.
//
// Only Predict forms the matrix of all entries. Rows and columns that the fit has not seen are
// predicted from their side information.
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
