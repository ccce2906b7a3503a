// Package symv holds the kernel of products of a symmetric matrix, of which one
// triangle is stored, with a vector: each element of the triangle is read once
// and used twice.
//
// Panel takes four rows of the triangle right or left of the diagonal block:
//
//	s[r]  = Σⱼ a[r·lda+j]·x[j]                 0 ≤ r < 4
//	y[j] += Σᵣ xr[r]·a[r·lda+j]                0 ≤ j < n
//
// Accuracy class: reassociated (n·eps·Σ|aᵢbᵢ|). At one level the order of the
// sums depends on n alone.
package symv
