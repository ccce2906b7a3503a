// Package pseudo implements the Nyström method with pseudo-landmarks. Besides the m kernel values
// c_j = K(x,u_j) of a row with its landmarks it uses p columns that are functions of these values.
// They take O(p) or O(m·p) operations, whereas p more landmarks would take O(p·d):
//
//	C̄ = [C, C'],   G ≈ C̄·W̄·C̄ᵀ,   W̄ = C̄_I†·G_II·(C̄_I†)ᵀ              [S16] (4.3), (4.4)
//
// on a sample I of the rows. W̄ is the best choice for G_II among all matrices.
//
// # The columns
//
// Products are values c_i·c_j, i ≤ j, of p random pairs or of all m(m+1)/2 pairs [S16] (4.6). They
// can be used with every kernel.
//
// The other kinds require a kernel κ(‖x−y‖). They are approximate values κ(ρ_t) with p rows v_t of
// the data, where ρ_t is a bound of ‖x−v_t‖ from the distances to the landmarks,
//
//	max_j |‖x−u_j‖ − ‖v_t−u_j‖| ≤ ‖x−v_t‖ ≤ min_j (‖x−u_j‖ + ‖v_t−u_j‖),   (4.5)
//
// ρ_t is the lower bound, the upper bound, or the mean of the two.
//
// # The pseudo-inverse
//
// C̄ is nearly singular. Therefore its columns are scaled to length one on I, but no factor exceeds a
// thousand times that of the longest column. The range of C_I is taken first, and then what C'_I adds
// to it; in both steps singular values below Cut times the largest one of C_I are dropped. The range
// on which G_II is projected thus contains that of C_I, so that the error on I does not exceed that
// of the Nyström method with the same landmarks, and does not grow with p.
//
// Everything is one map to features: with C̄_I·T an orthonormal basis Q of that
// range and QᵀG_IIQ = PΛPᵀ, Φ = C̄·T·PΛ^½ has ΦΦᵀ = C̄W̄C̄ᵀ. W̄ is positive
// semi-definite for a positive semi-definite kernel; negative eigenvalues of
// others are dropped.
//
// # Few rows
//
// (4.4) has (m+p)(m+p+1)/2 coefficients for the |I|(|I|+1)/2 entries of G_II. If |I| < m+p, or even
// |I| ≈ m+p, the columns span all rows of I: C̄_I·W̄·C̄_Iᵀ is G_II itself, whatever the columns are, and
// W̄ is the solution of least norm of an interpolation. The error on I is then 0 and says nothing about
// other rows, where it can be many times that of the Nyström method: 1.1 where that was .27, with 32
// landmarks and 64 products of 100 rows in 5 columns. Two things prevent this where P, All, Pairs and
// Points are left open. There are at most |I|/6 − m pseudo-landmarks, but at least one. If there are
// less than 18 rows for each landmark, a quarter of them is held out first, and all is done without
// them. If they are then approximated better by the landmarks alone, or if there are less than three
// rows for each column, W̄ is that of the Nyström method with the same landmarks, W† in the block of
// the landmarks and 0 elsewhere. For the same reason Stats.Error is not measured on the rows of I.
//
// # Rows that are not in the sample
//
// W̄ is fitted to the rows of I and tells nothing about other rows. Nyström features have ‖φ(x)‖² ≤
// K(x,x) for every x. The features of this package have this property only if the kernel values of x
// with the landmarks are similar to those of rows in I. A landmark between rows that are far from each
// other, such as a centroid of heavy-tailed data, has small kernel values with all of them, and
// products of these are smaller still. The pseudo-inverse magnifies these columns, also for a row that
// is much nearer to the landmark.
//
// If no Cut is given, Fit therefore examines the features of the landmarks and of the points midway
// between the two landmarks of a product. While ‖φ(z)‖² > 100·K(z,z) for one of these points z, it
// raises the cut tenfold, up to 10⁻², and leaves the columns unscaled. The error on I may then exceed
// that of the Nyström method. It is better to take the logarithm of heavy-tailed columns.
//
// # Cost
//
// Fit: |I|² kernel values, 2·|I|²·r flops for r features, and the decompositions
// of C̄_I, O(|I|·(m+p)²). A row: m kernel values, p products (or 4·m·p operations
// and p values of κ), 2·(m+p)·r flops for the features. Columns, the model
// without the last step, is what a linear function of the features needs.
//
// docs/conventions.md states how matrices lie and how λ, C and seeds are counted.
//
// # References
//
// [S16] S. Si. Large-scale non-linear prediction with applications. PhD thesis,
// University of Texas at Austin, 2016, section 4.1 and Algorithm 2.
//
// [HSD14] C.-J. Hsieh, S. Si and I. S. Dhillon. Fast prediction for large-scale
// kernel machines. NIPS 2014.
package pseudo
