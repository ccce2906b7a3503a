// Package fastnys is the Nyström method with structured landmarks, Fast-Nys:
// the landmarks are the rows of U with
//
//	u = H_q ∘ v_g,   g = 1 … s,   q the b leading rows of H,   m = s·b,
//
// H a Haar or Hadamard matrix and v_g one of s seeds. U·x is computed by fast
// transforms of the v_g ∘ x, b times cheaper than with m rows of their own, and
// neither the model nor a prediction holds U. Package seeds has the matrices,
// their order and the products; G ≈ C·W†·Cᵀ and the features C·V_rΛ_r^{−1/2} are
// those of package nystrom with C = K(X,U), W = K(U,U) = VΛVᵀ.
//
// # Kernels
//
// The kernel must be a function of ‖x−y‖² (kernel.Radial) or of ⟨x,y⟩
// (kernel.Inner): then its values follow from U·x, ‖x‖² and ‖u‖². For the former
// the data are centered first, which changes no value of the kernel: the row of
// ones of H then stands for points around the mean, and the others for
// differences from it.
//
// # Seeds
//
// Seeds come from any landmark.Selector. With v_g rows of the data these rows
// are among the landmarks, for the first row of H is all ones. They are then
// learned: on a sample of the rows,
//
//	min Σ_i ‖x_i − u_t(i)‖²   over t and v                        [S16] (4.16)
//
// by alternating the nearest landmark t(i) = argmin_q ‖u_q‖² − 2·u_qᵀx_i and the
// seeds v_gj = Σ_i H_q(i)j·x_ij / Σ_i H_q(i)j² of the rows assigned to them, both
// through the transforms. No step raises the sum.
//
// # Where it pays, and where it does not
//
// For the price of s landmarks it has s·b, which pays where many coordinates
// vary together and slowly along the row, as neighboring pixels do: on MNIST
// with a wide Gaussian kernel its error is below that of k-means landmarks at
// the same cost. It does not pay on one-hot data with a large γ, where products
// of a row with signs are near no other row (ijcnn1 with γ = 1), for few columns,
// where U·x is no longer what costs, and not against k-means landmarks where the
// kernel is narrow. All rows of few seeds (b = D) are much less accurate
// than a few rows of many seeds with the same m.
//
// # Cost
//
// For a row, with d columns and D = 2^⌈log₂d⌉: s·d multiply-adds and about 2·m
// (Haar) or m·log₂b (Hadamard) additions for b < D; s·d multiplications and 2·m
// or m·log₂D additions for b = D; m kernel values; 2·m·r for the features. A model
// holds (s+1)·d numbers and the m×r matrix that makes features of kernel values;
// Landmarks, the model without that matrix, is all that a linear function of the
// features needs: (s+1)·d numbers, and m for each function.
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
