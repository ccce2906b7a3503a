// Package structured has the kernels of products with structured landmarks u = H_q
// ∘ v, where H is a Haar or Hadamard matrix and v is one of many seeds. They
// compute what comes before, after or instead of a transform of v ∘ x.
//
// The API of this package is not promised and may change in any version: programs link
// the package structured at the top of the module.
//
// # Mathematics
//
// The b leading rows of H (Haar from coarse to fine, Hadamard in sequency order, b
// a power of two) are constant on b ranges of equal length. The first b elements
// of H·(v∘x) are therefore H_b·t, where t_r is Σ v_j·x_j over range r. For many
// seeds and rows x this is a product of small matrices for each range (Ranges),
// followed by H_b along the ranges (AddSub; Columns of package hadamard) and a
// transposition (Transpose). For all rows of H, Split does the product with the
// seed and the first level of the transform in one pass (after Deal for Haar).
//
// # Storage
//
// In Ranges the seeds are the columns of v, padded to a multiple of 64 bytes
// (Lanes): row j of v holds element j of every seed. Nothing outside the operands
// is read or written. Results do not overlap other operands, but for a sum of AddSub,
// which may replace its first operand.
//
// # Accuracy class: reassociated
//
// Ranges adds in ascending j to one accumulator per element; Split forms p ± q of
// two products. Generic rounds each product before it is added, the other levels
// do not. So |error| ≤ (w+1)·u·Σ|v_j·x_j| with w products in the sum (w = 2 in
// Split) and u the unit round-off, and integers are exact. A row gets the same
// bits whichever other rows are in the call. AddSub and Transpose are exact.
//
// Source: [S16] S. Si, Large-scale non-linear prediction with applications, PhD
// thesis, The University of Texas at Austin, 2016, section 4.2.
package structured
