// Package structured holds the kernels of products with structured landmarks
// u = H_q ∘ v, H a Haar or Hadamard matrix and v one of many seeds: what has to
// be computed before, after or instead of a transform of v ∘ x.
//
// # Mathematics
//
// The b leading rows of H (Haar from coarse to fine, Hadamard in sequency order,
// b a power of two) are constant on b ranges of equal length. So the first b
// elements of H·(v∘x) are H_b·t with t_r = Σ v_j·x_j over range r: for many
// seeds and rows x, a product of small matrices for each range (Ranges),
// followed by H_b along the ranges (AddSub; package hadamard's Columns) and a
// transposition (Transpose). For all rows of H, Split does the product with
// the seed and the first level of the transform in one pass (after Deal for Haar).
//
// # Storage
//
// Seeds are the columns of v in Ranges, padded to a multiple of 64 bytes
// (Lanes): row j of v holds element j of every seed. Nothing outside the
// operands is read or written.
//
// # Accuracy class: reassociated
//
// Ranges adds up in ascending j in one accumulator per element, Split forms
// p ± q of two products. At Generic each product is rounded before it is added,
// elsewhere it is not. So |error| ≤ (w+1)·u·Σ|v_j·x_j| with w products in the
// sum (w = 2 in Split), u the unit round-off, and integers are exact. A row gets
// the same bits whatever other rows are in the call. AddSub and Transpose are
// exact.
//
// Source: [S16] S. Si, Large-scale non-linear prediction with applications,
// PhD thesis, The University of Texas at Austin, 2016, section 4.2.
package structured
