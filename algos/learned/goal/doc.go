// Package goal learns the landmarks of Nyström features, or the frequencies of random Fourier
// features, together with the linear model on them: Goal-NYS and Goal-RFF of [S16], section 5.3.1.
// Features that are learned for the task can be far fewer than those that approximate the kernel
// matrix well.
//
// With points u_1, …, u_m, the features of a row x are
//
//	Nystrom: φ(x) = [exp(−γ‖x−u_1‖²), …, exp(−γ‖x−u_m‖²)]
//	Fourier: φ(x) = [cos⟨u_1,x⟩, …, cos⟨u_m,x⟩, sin⟨u_1,x⟩, …, sin⟨u_m,x⟩]/√m
//
// and the objective, over points U and coefficients W, with f_ik = ⟨w_k,φ(x_i)⟩+b_k
// and weights c_i of the rows, is
//
//	F(U,W) = ½‖W‖² + ½‖b‖² + C·Σ_ik c_i·loss(y_ik·f_ik)     classes, y = ±1, one against the rest
//	F(U,W) = λ‖W‖² + Σ_ik c_i·(y_ik − f_ik)²                values, and classes with the squared loss
//
// which for fixed U are the problems of linear.SVM, linear.Logistic and
// linear.Ridge. (5.8) of [S16] has C = 1/(λN) and no constant.
//
// # Method
//
// For fixed U the problem is convex. W is found by Newton's method with Cholesky factors and a line
// search for each function, starting from the previous W. The points make gradient steps. The step
// length begins with that of [BB88] and is halved until Armijo's condition holds; W is computed anew
// in every trial. This is variable projection ([GP73]): by the envelope theorem the gradient of the
// minimum over W of F is the gradient of F at the minimizer. Steps for fixed W, as in [S16], hardly
// move if the features are nearly dependent, as with a wide kernel, because W is then large and fits
// only these points. The objective never increases. With the slopes r_ik = ∂F/∂f_ik and A = R·Wᵀ
// (n×features) the gradients are
//
//	Nystrom: ∇u_j = 2γ·Σ_i A_ij·K(x_i,u_j)·(x_i−u_j)
//	Fourier: ∇u_j = (1/√m)·Σ_i (A_i,m+j·cos⟨u_j,x_i⟩ − A_ij·sin⟨u_j,x_i⟩)·x_i.
//
// Rows pass in blocks; nothing n×m is stored. A step takes O(n·m·(d+m)), or
// O(m·nnz+n·m²) for sparse rows, for the hinge and the logistic loss k times the m² for
// k functions, all of it in matrix products.
//
// Learning fits the training rows ever better, and where the settings were good
// for fixed points this can do harm. So a part of the rows is held out, turns
// without them find where their loss is smallest, and as many are then made with all
// rows. Several parts, one after the other, can also say that it is not smaller than at
// the start by more than chance; then none are made.
//
// The first points can be given. Otherwise they are landmarks by a landmark.Selector, or
// frequencies as package rff draws them, on which this one is built.
//
// Objective is F itself with its gradients.
//
// # References
//
// [S16] S. Si. Large-scale non-linear prediction with applications. PhD thesis,
// The University of Texas at Austin, 2016. The sign of its gradient for landmarks
// is wrong.
//
// [GP73] G. H. Golub and V. Pereyra. The differentiation of pseudo-inverses and
// nonlinear least squares problems whose variables separate. SIAM J. Numer. Anal. 10
// (1973).
//
// [BB88] J. Barzilai and J. M. Borwein. Two-point step size gradient methods. IMA
// J. Numer. Anal. 8 (1988).
package goal
