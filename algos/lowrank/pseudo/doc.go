// Package pseudo is the Nyström method with pseudo-landmarks: beside the m
// kernel values c_j = K(x,u_j) of a row with its landmarks it uses p columns that
// are functions of these values, for O(m·p) or O(p) operations instead of the
// O(p·d) of more landmarks:
//
//	C̄ = [C, C'],   G ≈ C̄·W̄·C̄ᵀ,   W̄ = C̄_I†·G_II·(C̄_I†)ᵀ              [S16] (4.3), (4.4)
//
// on a sample I of the rows. W̄ is the best choice for G_II among all matrices.
//
// # The columns
//
// Products: values c_i·c_j, i ≤ j, of p random pairs, or of all m(m+1)/2 [S16]
// (4.6). For every kernel.
//
// Triangle: for a kernel κ(‖x−y‖), approximate values κ(ρ_t) with p rows v_t of
// the data, where ρ_t is a bound of ‖x−v_t‖ from the distances to the landmarks,
//
//	max_j |‖x−u_j‖ − ‖v_t−u_j‖| ≤ ‖x−v_t‖ ≤ min_j (‖x−u_j‖ + ‖v_t−u_j‖),   (4.5)
//
// the lower, the upper, or the mean of the two.
//
// # The pseudo-inverse
//
// C̄ is close to singular. The columns are scaled to length one on I, but none by more
// than a thousand times the factor of the longest; the range of C_I is taken first, and then what C'_I adds to it; in both singular values
// below Cut times the largest of C_I are dropped. So the range that G_II is
// projected on holds that of C_I, and the error on I is never above that of the
// Nyström method with the same landmarks, nor does it grow with p.
//
// Everything is one map to features: with C̄_I·T an orthonormal basis Q of that
// range and QᵀG_IIQ = PΛPᵀ, Φ = C̄·T·PΛ^½ has ΦΦᵀ = C̄W̄C̄ᵀ. W̄ is positive
// semi-definite for a positive semi-definite kernel; negative eigenvalues of
// others are dropped.
//
// # Rows that are not in the sample
//
// W̄ is fitted to the rows of I and says nothing about others. Nyström features have
// ‖φ(x)‖² ≤ K(x,x) for every x; these have it only where x has kernel values with the
// landmarks like those of some rows of I. A landmark between rows that are far from each
// other, as centroids of heavy-tailed data are, has small kernel values with all of them,
// and products have smaller ones. What the pseudo-inverse multiplies these by, it also
// multiplies those of a row that is nearer to the landmark. So where no Cut is given Fit
// looks at the features of the landmarks themselves, and of the points midway between those
// of a product: while one has ‖φ(z)‖² > 100·K(z,z), the cut is raised tenfold, up to 10⁻²,
// and the columns keep their lengths. The error on I may then be above that of the
// Nyström method. Heavy-tailed columns are better replaced by their logarithms.
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
