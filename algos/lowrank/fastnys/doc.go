// Package fastnys implements Fast-Nys, the Nyström method with structured landmarks. The
// landmarks are the rows of U,
//
//	u = H_q ∘ v_g,   g = 1 … s,   q the b leading rows of H,   m = s·b,
//
// where H is a Haar or Hadamard matrix and v_g is one of s seeds. Fast transforms of v_g∘x
// compute U·x about b times as fast as a product with m unstructured rows, and neither the
// model nor a prediction stores U. Package structured has the matrices, the order of their
// rows and the products. The approximation G ≈ C·W†·Cᵀ and the features C·V_rΛ_r^{−1/2} are
// those of package nystrom with C = K(X,U) and W = K(U,U) = VΛVᵀ.
//
// # Kernels
//
// The kernel must be a function of ‖x−y‖² (kernel.Radial) or of ⟨x,y⟩ (kernel.Inner), whose
// values follow from U·x, ‖x‖² and ‖u‖². For a radial kernel the data are centered first, which
// changes no kernel value. Landmarks from the row of ones of H are then points around the mean,
// and the others are differences from the mean.
//
// # Seeds
//
// Seeds are selected by any landmark.Selector. If the seeds v_g are rows of the data, these rows
// are among the landmarks, because the first row of H is all ones. The seeds are then learned on
// a sample of the rows:
//
//	min Σ_i ‖x_i − u_t(i)‖²   over t and v                        [S16] (4.16)
//
// Learning alternates between the nearest landmark t(i) = argmin_q ‖u_q‖² − 2·u_qᵀx_i and the
// seeds v_gj = Σ_i H_q(i)j·x_ij / Σ_i H_q(i)j² of the rows assigned to them. Both steps use the
// transforms, and no step increases the sum.
//
// # When to use it
//
// The method has s·b landmarks for the price of s. This pays if many coordinates vary together
// and slowly along the row, as neighboring pixels do: on MNIST with a wide Gaussian kernel the
// error is below that of k-means landmarks at the same cost.
//
// It does not pay on one-hot data with a large γ, where a row multiplied by signs is near no
// other row (ijcnn1 with γ = 1), nor for few columns, where U·x is a small part of the cost. If
// the kernel is narrow, k-means landmarks are better. All rows of few seeds (b = D) are much less
// accurate than a few rows of many seeds with the same m.
//
// # Cost
//
// Let d be the number of columns and D = 2^⌈log₂d⌉. A row takes s·d multiply-adds and about 2·m
// (Haar) or m·log₂b (Hadamard) additions if b < D, and s·d multiplications and 2·m or m·log₂D
// additions if b = D. It also takes m kernel values, and 2·m·r flops for the features. A model
// holds (s+1)·d numbers and the m×r matrix that turns kernel values into features. A linear
// function of the features needs only the Landmarks, (s+1)·d numbers, and m coefficients.
//
// docs/conventions.md states how matrices lie and how λ, C and seeds are counted.
//
// # References
//
// [S16] S. Si. Large-scale non-linear prediction with applications. PhD thesis,
// University of Texas at Austin, 2016, section 4.2 and Algorithm 3.
//
// [SHD16] S. Si, C.-J. Hsieh and I. S. Dhillon. Computationally efficient Nyström
// approximation using fast transforms. ICML 2016.
//
// [HMT11] N. Halko, P. G. Martinsson and J. A. Tropp. Finding structure with
// randomness. SIAM Review 53 (2011).
package fastnys
